#include "cli/arguments/offers.hpp"
#include "cli/commands/answer.hpp"
#include "cli/commands/listing.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/text/layout.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace agent_audit::cli {
namespace {

constexpr FlagSpec kFlags[] = {
    {"-f,--format", "FORMAT", "of list, show, check and diff: text (default) or json", false, kOfferTextOrJson},
    {"--origin", "", "of show: also where each value comes from, and the defaults", false},
};
enum Flag : std::size_t { kFormat, kOrigin };
constexpr std::array<std::string_view, 5> kVerbs{"list", "show", "check", "init", "diff"};

constexpr Example kExamples[] = {
    {"agent-audit policy", "the built-in policies"},
    {"agent-audit policy init ci-policy.toml", "a policy file to begin with"},
    {"agent-audit policy check ci-policy.toml", "every mistake in it, with line and suggestion"},
    {"agent-audit policy show --origin ci-policy.toml", "every value, and which file gave it"},
    {"agent-audit policy diff strict ci-policy.toml", "what is different"},
};

using policy::PolicyValue;

ExitStatus draw_json(const WriteJson& write) {
    return print(json_text([&](report::JsonWriter& json) {
        write(json);
        json.newline();
    }));
}

ExitStatus list_policies(bool json) {
    if (json) {
        return draw_json([](report::JsonWriter& out) {
            out.begin_object();
            out.key("policies").begin_array();
            for (const policy::BuiltIn& one : policy::built_in_policies()) {
                out.newline();
                out.begin_object();
                out.text("policy", one.name);
                out.text("summary", one.summary);
                out.end_object();
            }
            out.end_array();
            out.end_object();
        });
    }
    return print(page_text([](report::Page& page) {
        for (const policy::BuiltIn& one : policy::built_in_policies()) row(page, 14, one.name, one.summary);
        page.blank();
        page.paragraph(0,
                       "agent-audit policy show NAME prints one; agent-audit replay --policy NAME SESSION applies it.");
    }));
}

void complain_all(const PolicyChoice& choice) {
    for (const std::string& problem : choice.problems) complain(report::visible(problem));
}

// "rung.stop.persist" under [rung.stop], as a file would have it.
std::string_view table_of(std::string_view key) {
    bool quoted = false;
    std::size_t dot = key.npos;
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (key[i] == '\\') {
            ++i;  // what is escaped ends no quotation
            continue;
        }
        if (key[i] == '"') quoted = !quoted;
        if (key[i] == '.' && !quoted) dot = i;
    }
    return dot == key.npos ? std::string_view() : key.substr(0, dot);
}

struct PolicyTable {
    std::string_view name;  // empty for what stands before the first table
    std::vector<const PolicyValue*> values;
};

// Each once, however its keys are spread over the list: TOML lets no table begin a second time.
std::vector<PolicyTable> tables_of(const std::vector<PolicyValue>& values, bool defaults) {
    std::vector<PolicyTable> tables{{}};
    for (const PolicyValue& value : values) {
        if (!defaults && value.origin == "default") continue;
        const std::string_view here = table_of(value.key);
        auto table = std::ranges::find(tables, here, &PolicyTable::name);
        if (table == tables.end()) table = tables.insert(tables.end(), {here, {}});
        table->values.push_back(&value);
    }
    return tables;
}

std::string as_toml(const PolicyChoice& choice, bool origin) {
    std::string out = origin ? "" : "version = 1\n";
    for (const PolicyTable& table : tables_of(choice.loaded.values, origin)) {
        if (!table.name.empty()) out += fmt::format("\n[{}]\n", table.name);
        for (const PolicyValue* value : table.values) {
            std::string line = fmt::format(
                "{} = {}", table.name.empty() ? value->key : value->key.substr(table.name.size() + 1), value->value);
            if (origin)
                line += fmt::format("{}# {}", line.size() < 48 ? std::string(48 - line.size(), ' ') : std::string("  "),
                                    value->origin);
            out += line + "\n";
        }
    }
    // What a file says may hold anything; its lines stay lines.
    std::string safe;
    for (std::size_t from = 0; from < out.size();) {
        const std::size_t end = std::min(out.find('\n', from), out.size());
        safe += report::visible(std::string_view(out).substr(from, end - from)) + "\n";
        from = end + 1;
    }
    return safe;
}

void write_values(report::JsonWriter& json, const std::vector<PolicyValue>& values) {
    json.key("values").begin_array();
    for (const PolicyValue& value : values) {
        json.newline();
        json.begin_object();
        json.text("key", value.key);
        json.text("value", value.value);
        json.text("origin", value.origin);
        json.end_object();
    }
    json.end_array();
}

ExitStatus show(const std::string& name, bool origin, bool json) {
    const PolicyChoice choice = choose_policy(name);
    complain_all(choice);
    if (!choice.bound) return ExitStatus::usage;
    if (!json) return print(as_toml(choice, origin), Printed::document);
    return draw_json([&](report::JsonWriter& out) {
        out.begin_object();
        out.text("policy", choice.loaded.policy.name);
        out.known_text("doc", choice.loaded.policy.doc);
        write_values(out, choice.loaded.values);
        out.end_object();
    });
}

ExitStatus check(const std::vector<std::string>& names, bool json) {
    bool wrong = false;
    std::vector<std::string> all, fine;
    for (const std::string& name : policy_names(names)) {
        const PolicyChoice choice = choose_policy(name);
        wrong = wrong || !choice.bound;
        all.insert(all.end(), choice.problems.begin(), choice.problems.end());
        if (!choice.bound) continue;
        if (choice.problems.empty()) fine.push_back(name);
        for (const std::string& warning : choice.bound->warnings) complain(report::visible(name + ": " + warning));
    }
    ExitStatus printed = ExitStatus::clean;
    if (json) {
        printed = draw_json([&](report::JsonWriter& out) {
            out.begin_object();
            out.flag("valid", !wrong);
            out.key("problems").begin_array();
            for (const std::string& problem : all) out.text(problem);
            out.end_array();
            out.end_object();
        });
    } else {
        std::string out;
        for (const std::string& problem : all) complain(report::visible(problem));
        for (const std::string& name : fine) out += report::visible(name) + ": ok\n";
        printed = print(out);
    }
    if (printed != ExitStatus::clean) return printed;
    return wrong ? ExitStatus::usage : ExitStatus::clean;
}

ExitStatus init(const std::vector<std::string>& names) {
    if (names.empty()) return print(policy::starter_policy());
    std::error_code ignored;
    if (std::filesystem::exists(names[0], ignored)) {
        complain(report::visible(names[0]) + " exists already; nothing was written");
        return ExitStatus::usage;
    }
    Result<Output> out = Output::to_file(names[0]);
    if (!out) {
        complain(out.error().message);
        return ExitStatus::internal;
    }
    out->write(policy::starter_policy());
    if (const auto problem = out->finish()) {
        complain(problem->message);
        return ExitStatus::internal;
    }
    hint("Wrote " + report::visible(names[0]) + ". Apply it: agent-audit replay --policy " + report::visible(names[0]) +
         " SESSION");
    return ExitStatus::clean;
}

struct Difference {
    std::string key, before, after, origin_before, origin_after;
};

ExitStatus diff(const std::string& a, const std::string& b, bool json) {
    const PolicyChoice old_choice = choose_policy(a), new_choice = choose_policy(b);
    complain_all(old_choice);
    complain_all(new_choice);
    if (!old_choice.bound || !new_choice.bound) return ExitStatus::usage;
    std::vector<Difference> found;
    const auto value_in = [](const PolicyChoice& choice, const std::string& key) -> const PolicyValue* {
        const auto at = std::ranges::find(choice.loaded.values, key, &PolicyValue::key);
        return at == choice.loaded.values.end() ? nullptr : &*at;
    };
    const auto note = [&](const std::string& key) {
        if (std::ranges::find(found, key, &Difference::key) != found.end()) return;
        const PolicyValue* before = value_in(old_choice, key);
        const PolicyValue* after = value_in(new_choice, key);
        if (before && after && before->value == after->value) return;
        found.push_back({key, before ? before->value : "", after ? after->value : "", before ? before->origin : "",
                         after ? after->origin : ""});
    };
    for (const PolicyChoice* choice : {&old_choice, &new_choice}) {
        for (const PolicyValue& value : choice->loaded.values) note(value.key);
    }
    ExitStatus printed = ExitStatus::clean;
    if (json) {
        printed = draw_json([&](report::JsonWriter& out) {
            out.begin_object();
            out.key("differences").begin_array();
            for (const Difference& d : found) {
                out.newline();
                out.begin_object();
                out.text("key", d.key);
                if (!d.origin_before.empty()) out.text("before", d.before);
                if (!d.origin_after.empty()) out.text("after", d.after);
                out.end_object();
            }
            out.end_array();
            out.end_object();
        });
    } else {
        std::string out;
        for (const Difference& d : found) {
            if (!d.origin_before.empty())
                out += report::visible(fmt::format("- {} = {}    # {}", d.key, d.before, d.origin_before)) + "\n";
            if (!d.origin_after.empty())
                out += report::visible(fmt::format("+ {} = {}    # {}", d.key, d.after, d.origin_after)) + "\n";
        }
        if (found.empty()) out = "The policies do the same.\n";
        printed = print(out);
    }
    if (printed != ExitStatus::clean) return printed;
    return found.empty() ? ExitStatus::clean : ExitStatus::findings;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    const Result<bool> as_json = asks_for_json(arguments, kFormat);
    if (!as_json) return usage_error(self, as_json.error().message);
    const bool json = *as_json;
    const bool origin = !arguments.flags[kOrigin].empty();
    if (arguments.operands.empty()) return list_policies(json);
    const std::string& verb = arguments.operands[0];
    const std::vector<std::string> rest(arguments.operands.begin() + 1, arguments.operands.end());
    if (origin && verb != "show") return usage_error(self, "--origin is for policy show");
    if (verb == "list" && rest.empty()) return list_policies(json);
    if (verb == "show" && rest.size() == 1) return show(rest[0], origin, json);
    if (verb == "check" && !rest.empty()) return check(rest, json);
    if (verb == "init" && rest.size() <= 1) return init(rest);
    if (verb == "diff" && rest.size() == 2) return diff(rest[0], rest[1], json);
    if (std::ranges::find(kVerbs, verb) == kVerbs.end()) {
        const std::string_view near = nearest(verb, kVerbs);
        return usage_error(self, "policy " + verb + ": expected list, show, check, init or diff" +
                                     (near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
    return usage_error(self, verb == "diff"   ? "policy diff takes two policies"
                             : verb == "init" ? "policy init takes one FILE"
                                              : "policy " + verb + " takes a name or a FILE");
}

}  // namespace

CommandSpec policy_command() {
    return {"policy",
            "[list | show POLICY | check POLICY... | init [FILE] | diff A B]",
            "list, show, check, init and diff policies of replay --policy",
            "POLICY is the name of a built-in policy, or a TOML file (agent-audit schema policy). check tells every "
            "mistake with its line and the nearest known word, and ends with 2 when there is one; diff ends with 1 "
            "when the policies differ.",
            kExamples,
            kFlags,
            run,
            false,
            offer_one_of(kVerbs),
            offer_word(policy_words, true)};
}

}  // namespace agent_audit::cli
