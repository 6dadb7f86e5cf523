#include "cli/commands/command.hpp"

#include <agent_audit/policy/policy_file.hpp>
#include <agent_audit/report/schema.hpp>
#include <agent_audit/support/suggest.hpp>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"agent-audit schema result > result.schema.json", "for editors, validators and type generators"},
};

std::string names() {
    std::string out;
    for (const SchemaSpec& schema : all_schemas()) {
        out.append(schema.name).append("  ").append(schema.summary).append("\n");
    }
    return out.append("policy  a policy file, for replay --policy\n");
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.empty()) return print(names());
    if (arguments.operands.size() > 1) return usage_error(self, "schema takes one name");
    const std::string& word = arguments.operands[0];
    if (const SchemaSpec* schema = find_schema(word)) return print(schema->text());
    if (word == "policy") return print(policy::policy_schema());

    std::vector<std::string_view> known{"policy"};
    for (const SchemaSpec& schema : all_schemas()) known.push_back(schema.name);
    const std::string_view near = nearest(word, known);
    std::string message = "unknown schema '" + word + "'";
    return usage_error(self, near.empty() ? message + " (agent-audit schema lists them)"
                                          : message.append("; did you mean ").append(near).append("?"));
}

}  // namespace

CommandSpec schema_command() {
    return {"schema",
            "[NAME]",
            "print the JSON Schema of an output",
            "NAME is result (what -f json writes), ndjson (one line of what -f ndjson writes), events (one line of what "
            "convert --to events writes), or that of another output; without it, the names are listed. Draft 2020-12.",
            kExamples,
            {},
            run};
}

}  // namespace agent_audit::cli
