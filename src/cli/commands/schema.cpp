#include "cli/arguments/offers.hpp"
#include "cli/commands/command.hpp"
#include "cli/pages/config_schema.hpp"

#include <agent_audit/policy/policy_file.hpp>
#include <agent_audit/report/schema.hpp>
#include <agent_audit/support/suggest.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"agent-audit schema result > result.schema.json", "for editors, validators and type generators"},
};

// What the outputs are is known to report; what a file of settings may hold, to nobody below this room.
std::vector<SchemaSpec> schemas() {
    std::vector<SchemaSpec> all(all_schemas().begin(), all_schemas().end());
    all.push_back({"config", "agent-audit.toml, for editors", config_schema});
    all.push_back({"policy", "a policy file, for replay --policy", policy::policy_schema});
    return all;
}

std::string names() {
    const std::vector<SchemaSpec> all = schemas();
    std::size_t width = 0;
    for (const SchemaSpec& schema : all) width = std::max(width, schema.name.size());
    std::string out;
    for (const SchemaSpec& schema : all) {
        out.append(schema.name).append(width - schema.name.size() + 2, ' ').append(schema.summary).append("\n");
    }
    return out;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.empty()) return print(names());
    if (arguments.operands.size() > 1) return usage_error(self, "schema takes one name");
    const std::string& word = arguments.operands[0];
    std::vector<std::string_view> known;
    for (const SchemaSpec& schema : schemas()) {
        if (schema.name == word) return print(schema.text());
        known.push_back(schema.name);
    }
    const std::string_view near = nearest(word, known);
    std::string message = "unknown schema '" + word + "'";
    return usage_error(self, near.empty() ? message + " (agent-audit schema lists them)"
                                          : message.append("; did you mean ").append(near).append("?"));
}

}  // namespace

Words schema_words() {
    Words out;
    for (const SchemaSpec& schema : schemas()) out.push_back(schema.name);
    return out;
}

CommandSpec schema_command() {
    return {
        "schema",
        "[NAME]",
        "print the JSON Schema of an output",
        "NAME is result (what -f json writes), ndjson (one line of what -f ndjson writes), events (one line of what "
        "convert --to events writes), or that of another output; without it, the names are listed. Draft 2020-12.",
        kExamples,
        {},
        run,
        false,
        offer_word(schema_words),
        Offer{}};
}

}  // namespace agent_audit::cli
