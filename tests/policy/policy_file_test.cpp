#include <agent_audit/policy/policy_file.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace agent_audit;
using namespace agent_audit::policy;

namespace {

using Files = std::map<std::string, std::string>;

struct Read {
    LoadedPolicy loaded;
    std::vector<std::string> problems;
};

Read read(const Files& files, const std::string& name = "p.toml") {
    Read out;
    out.loaded = load_policy(
        name,
        [&](const std::string& path) -> Result<std::string> {
            const auto at = files.find(path);
            if (at == files.end()) return Error{path + ": there is no such file"};
            return at->second;
        },
        out.problems);
    return out;
}

Read read(const std::string& text) { return read(Files{{"p.toml", text}}); }

std::string only_problem(const std::string& text) {
    const Read out = read(text);
    REQUIRE_MESSAGE(out.problems.size() == 1, out.problems.size() << " problems in:\n" << text);
    return out.problems[0];
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

const PolicyValue& value_in(const LoadedPolicy& loaded, std::string_view key) {
    const auto at = std::ranges::find(loaded.values, key, &PolicyValue::key);
    REQUIRE(at != loaded.values.end());
    return *at;
}

}  // namespace

TEST_SUITE("policy files") {
    TEST_CASE("every kind of mistake is one message with its line and what was probably meant") {
        struct Mistake {
            std::string_view text, place, says;
        };
        const Mistake mistakes[] = {
            {"version = 1\nladdr = [\"notify\"]\n", "p.toml:2:", "did you mean \"ladder\""},     // unknown key
            {"version = 1\n[breakr]\nfailures = 2\n", "p.toml:2:", "did you mean \"breaker\""},  // unknown table
            {"version = 1\n[breaker]\nfailure = 2\n",
             "p.toml:3:", "did you mean \"failures\""},  // unknown key of a table
            {"version = 1\n[breaker]\nfailures = \"2\"\n",
             "p.toml:3:", "expected a whole number from 0 to 1000"},                                    // wrong type
            {"version = 1\n[back-off]\njitter = 1.5\n", "p.toml:3:", "expected a number from 0 to 1"},  // out of range
            {"version = 1\n[limits]\ncalls = -1\n", "p.toml:3:", "whole number from 0"},                // negative
            {"version = 1\n[limits]\ncalls = 2.5\n", "p.toml:3:", "whole number"},                      // a fraction
            {"version = 1\nfail-on = \"unrecoverd-error\"\n",
             "p.toml:2:", "did you mean \"unrecovered-error\""},  // word
            {"version = 1\nladder = [\"notify\", \"stopp\"]\n",
             "p.toml:2:", "did you mean \"stop\""},                                                // word in a list
            {"version = 1\nladder = \"notify\"\n", "p.toml:2:", "expected a list"},                // no list
            {"version = 1\nladder = [\"stop\", \"notify\"]\n", "p.toml:2:", "never reached"},      // order
            {"version = 1\nladder = [\"notify\", \"notify\"]\n", "p.toml:2:", "twice"},            // doubled
            {"version = 1\n[rung.notfy]\npersist = 2\n", "p.toml:2:", "did you mean \"notify\""},  // action in a path
            {"version = 1\n[rules.\"loop/exact-repet\"]\nwarn = 4\n",
             "p.toml:2:", "did you mean \"loop/exact-repeat\""},
            {"version = 1\n[rules.\"loop/exact-repeat\"]\nwarm = 4\n",
             "p.toml:3:", "did you mean \"warn\""},                                                         // parameter
            {"version = 1\n[rules.\"loop/exact-repeat\"]\nwarn = 1\n", "p.toml:3:", "from 2 to 1000"},      // its range
            {"version = 1\n[rules.\"loop/exact-repeat\"]\nwarn = 9\nfail = 4\n", "p.toml:3:", "is above"},  // crossed
            {"version = 1\nselect = [\"lop\"]\n", "p.toml:2:", "did you mean \"loop\""},                    // selector
            {"version = 1\nfollow = [\"gemini\"]\n", "p.toml:2:", "gemini-cli"},                            // peer
            {"version = 2\n", "p.toml:1:", "expected 1"},                                                   // version
            {"doc = \"x\"\n", "p.toml:1:", "version is missing"},
            {"version = 1\nextends = \"./missing.toml\"\n", "p.toml:2:", "no such file"},
            {"version = 1\nbreaker = 5\n", "p.toml:2:", "expected a table"},              // value for a table
            {"version = 1\n[ladder]\nfirst = \"notify\"\n", "p.toml:2:", "not a table"},  // table for a value
            {"version = 1\nversion = 1\n", "p.toml:2:", ""},                              // given twice
            {"version = 1\n[breaker\n", "p.toml:2:", ""},                                 // no TOML
            {"version = 1\nfollow = [\"openclaw\"]\n", "p.toml:2:", "without a ladder"},
            {"version = 1\n[stagnation]\ndistinct = 9\nwindow = 3\n", "p.toml:3:", "every run would stagnate"},
            {"version = 1\n[back-off]\nbase-ms = 9000\ncap-ms = 10\n", "p.toml:3:", "is above back-off.cap-ms"},
            {"version = 1\nladder = [\"substitute-tool\"]\n", "p.toml:2:", "no per-tool.<tool>.substitute"},
        };
        for (const Mistake& mistake : mistakes) {
            CAPTURE(std::string(mistake.text));
            const std::string problem = only_problem(std::string(mistake.text));
            CAPTURE(problem);
            CHECK(problem.starts_with(mistake.place));
            CHECK(says(problem, mistake.says));
        }
        CHECK(std::size(mistakes) >= 20);
    }

    TEST_CASE("a window too short for what is asked of it is told, whoever gave it") {
        CHECK(
            only_problem("version = 1\n[stagnation]\ndistinct = 6\n") ==
            "p.toml:3: stagnation.distinct = 6 is above stagnation.window = 5 (the default): every run would stagnate");
        const std::string over = "version = 1\nextends = \"./q.toml\"\n[stagnation]\nwindow = ";
        const Read shorter =
            read({{"p.toml", over + "4\n"}, {"./q.toml", "version = 1\n[stagnation]\ndistinct = 5\n"}});
        REQUIRE(shorter.problems.size() == 1);
        CHECK(shorter.problems[0].starts_with(
            "./q.toml:3: stagnation.distinct = 5 is above stagnation.window = 4 (p.toml:4)"));
        const Read longer = read({{"p.toml", over + "9\n"}, {"./q.toml", "version = 1\n[stagnation]\ndistinct = 7\n"}});
        CHECK(longer.problems == std::vector<std::string>{});
    }

    TEST_CASE("all mistakes of a file are told at once") {
        CHECK(read("version = 1\nladdr = []\n[breaker]\nfailures = \"x\"\nopen = 3\n").problems.size() == 3);
    }

    TEST_CASE("every built-in policy is a policy file without a mistake") {
        std::set<std::string_view> names;
        for (const BuiltIn& one : built_in_policies()) {
            CAPTURE(one.name);
            std::vector<std::string> problems;
            const LoadedPolicy loaded = load_policy(
                std::string(one.name), [](const std::string&) -> Result<std::string> { return Error{"no files"}; },
                problems);
            CHECK(problems == std::vector<std::string>{});
            CHECK_FALSE(loaded.policy.doc.empty());
            CHECK_FALSE(loaded.policy.ladder.empty());
            CHECK(names.insert(one.name).second);
        }
        CHECK(names.size() == 9);
    }

    TEST_CASE("the starter policy is one, too") {
        CHECK(read(starter_policy()).problems == std::vector<std::string>{});
    }

    TEST_CASE("a file lies over what it extends, and every value remembers who gave it") {
        const Read out =
            read({{"dir/p.toml", "version = 1\nextends = \"base.toml\"\n[breaker]\nfailures = 9\n"},
                  {"dir/base.toml", "version = 1\nextends = \"strict\"\n[breaker]\nfailures = 2\nprobes = 4\n"}},
                 "dir/p.toml");
        REQUIRE(out.problems == std::vector<std::string>{});
        CHECK(out.loaded.policy.breaker.failures == 9);
        CHECK(out.loaded.policy.breaker.probes == 4);
        CHECK(out.loaded.policy.patience == agent_audit::Policy::strict);
        CHECK(value_in(out.loaded, "breaker.failures").origin == "dir/p.toml:4");
        CHECK(value_in(out.loaded, "breaker.probes").origin == "dir/base.toml:5");
        CHECK(value_in(out.loaded, "patience").origin == "strict (built in)");
        CHECK(value_in(out.loaded, "limits.calls").origin == "default");
        CHECK(out.loaded.policy.name == "p");
    }

    TEST_CASE("policies that extend each other in a circle are told and not followed for ever") {
        const Read out =
            read({{"a.toml", "version = 1\nextends = \"b.toml\"\n"}, {"b.toml", "version = 1\nextends = \"a.toml\"\n"}},
                 "a.toml");
        REQUIRE(out.problems.size() == 1);
        CHECK(says(out.problems[0], "extends it again"));
    }

    TEST_CASE("escalation counts for all rungs that have no count of their own") {
        const Read out =
            read("version = 1\nladder = [\"notify\", \"stop\"]\n[escalation]\npersist = 7\n[rung.stop]\npersist = 9\n");
        CHECK(out.loaded.policy.rung(Action::notify).persist == 7);
        CHECK(out.loaded.policy.rung(Action::stop).persist == 9);
        CHECK(out.loaded.policy.rung(Action::notify).on == Severity::warning);
        CHECK(out.loaded.policy.rung(Action::stop).on == Severity::error);
    }

    TEST_CASE("a count for one tool is a setting of the rule for that tool, and leaves the others as they were") {
        const Read out = read("version = 1\n[rules.\"loop/exact-repeat\".per-tool.Bash]\nwarn = 2\nfail = 9\n");
        REQUIRE(out.problems == std::vector<std::string>{});
        const Settings& settings = out.loaded.policy.settings;
        CHECK(settings.find("loop/exact-repeat.per-tool.Bash.warn")->value == "2");
        CHECK(settings.find("loop/exact-repeat.per-tool.Bash.fail")->value == "9");
        CHECK(settings.find("loop/exact-repeat.warn") == nullptr);
    }

    TEST_CASE("the schema names every key that the reader knows") {
        const auto schema = nlohmann::json::parse(policy_schema());
        CHECK(schema["required"] == nlohmann::json::array({"version"}));
        CHECK(schema["additionalProperties"] == false);
        for (const KeyDoc& doc : policy_keys()) {
            CAPTURE(doc.key);
            CHECK_FALSE(doc.doc.empty());
            CHECK_FALSE(doc.takes.empty());
            const auto first = doc.key.substr(0, doc.key.find('.'));
            CHECK(schema["properties"].contains(first));
        }
    }
}
