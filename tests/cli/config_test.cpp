#include "support/places.hpp"
#include "support/sanitized.hpp"
#include "support/schema_validator.hpp"
#include "support/scratch.hpp"
#include "support/slurp.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using agent_audit::test::holds;
using agent_audit::test::slurp;
using nlohmann::json;

struct Outcome {
    int status = -1;
    std::string out, err;
};

// A repository with a session that went in circles, a home without settings, and the program.
class Repository {
public:
    Repository() {
        std::string name = (fs::temp_directory_path() / "agent-audit-config-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        folder_ = name;
        fs::create_directories(folder_ / "repo/.git");
        fs::create_directories(folder_ / "repo/below/deep");
        fs::create_directories(folder_ / "home/.config/agent-audit");
        for (const char* session : {"clean", "exact-repeat"}) {
            fs::copy_file(fs::path(agent_audit::test::project_folder()) / "testdata/golden" / session / "session.jsonl",
                          folder_ / "repo" / (std::string(session) + ".jsonl"));
        }
    }
    ~Repository() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Repository(const Repository&) = delete;
    Repository& operator=(const Repository&) = delete;

    Outcome run(const std::string& line, const std::string& from = "repo") const {
        std::ofstream(folder_ / "script")
            << "unset GITHUB_ACTIONS GITHUB_WORKSPACE CI_PROJECT_DIR BUILD_SOURCESDIRECTORY BITBUCKET_CLONE_DIR "
               "TF_BUILD TEAMCITY_VERSION XDG_CONFIG_HOME TERM\nexport LC_ALL=C.UTF-8 COLUMNS=300 HOME='"
            << (folder_ / "home").string() << "'\naa() { '" + agent_audit::test::program_file() + "' \"$@\"; }\ncd '"
            << (folder_ / from).string() << "'\n"
            << line << "\n";
        const std::string at = folder_.string();
        const int status =
            std::system(("bash '" + at + "/script' >'" + at + "/out' 2>'" + at + "/err' </dev/null").c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / "out"), slurp(folder_ / "err")};
    }
    int status(const std::string& line, const std::string& from = "repo") const { return run(line, from).status; }
    json result(const std::string& line) const { return json::parse(run(line).out); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
    std::string content(const std::string& name) const { return slurp(folder_ / name); }
    bool exists(const std::string& name) const { return fs::exists(folder_ / name); }

private:
    fs::path folder_;
};

}  // namespace

TEST_SUITE("config init") {
    TEST_CASE("the file to begin with changes nothing, and holds with all that stands behind #") {
        const Repository repo;
        const std::string before = repo.run("aa config show | sed 's/ *#.*//'").out;
        CHECK(repo.status("aa config init agent-audit.toml") == 0);
        CHECK(repo.run("aa config check").out == "agent-audit.toml: ok\n");
        CHECK(repo.run("aa config show | sed 's/ *#.*//'").out == before);
        CHECK(repo.run("aa config init").out == repo.content("repo/agent-audit.toml"));
        const Outcome all = repo.run(
            "sed 's/^# \\([a-z[]\\)/\\1/' agent-audit.toml > all.toml; aa config check all.toml; grep -c '^# [a-z[]' "
            "all.toml");
        CAPTURE(all.err);
        CHECK(all.out == "all.toml: ok\n0\n");
    }

    TEST_CASE("a file that is there is left as it is") {
        const Repository repo;
        const Outcome again = repo.run("echo 'fail-on = \"never\"' > mine.toml; aa config init mine.toml");
        CHECK(again.status == 2);
        CHECK(holds(again.err, "exists already"));
        CHECK(repo.content("repo/mine.toml") == "fail-on = \"never\"\n");
        CHECK(repo.status("aa config init gone/mine.toml") == 4);
        CHECK(repo.status("aa config init a b") == 2);
    }
}

TEST_SUITE("settings from files") {
    TEST_CASE("the project's file is found from below, up to the root of the repository and not beyond") {
        const Repository repo;
        CHECK(repo.status("aa exact-repeat.jsonl") == 1);
        repo.write("repo/agent-audit.toml", "fail-on = 'never'\n");
        CHECK(repo.status("aa exact-repeat.jsonl") == 0);
        CHECK(repo.status("aa ../../exact-repeat.jsonl", "repo/below/deep") == 0);
        const Repository other;
        other.write("agent-audit.toml", "fail-on = 'never'\n");
        CHECK(other.status("aa exact-repeat.jsonl") == 1);
    }

    TEST_CASE("flag beats environment beats project beats user") {
        const Repository repo;
        const auto line = [&](const char* prefix, const char* flag) {
            return repo
                .run(std::string(prefix) + " '" + agent_audit::test::program_file() + "' " + flag +
                     " exact-repeat.jsonl")
                .out.substr(0, 8);
        };
        CHECK_FALSE(holds(line("env", ""), "{"));
        repo.write("home/.config/agent-audit/config.toml", "format = 'json'\nmin-severity = 'error'\n");
        CHECK(line("env", "").starts_with("{\"schema"));
        repo.write("repo/agent-audit.toml", "format = 'ndjson'\n");
        CHECK(line("env", "").starts_with("{\"kind"));
        CHECK(line("AGENT_AUDIT_FORMAT=json", "").starts_with("{\"schema"));
        CHECK_FALSE(line("AGENT_AUDIT_FORMAT=json", "-f text").starts_with("{"));
    }

    TEST_CASE("what is set for one tool beats the file, by whatever name the rule is called") {
        const Repository repo;
        repo.write("repo/agent-audit.toml", "[rules.'loop/exact-repeat'.per-tool.Bash]\nwarn = 40\nfail = 60\n");
        const auto with = [&](const std::string& rule) {
            const std::string key = " --set " + rule + ".per-tool.Bash.";
            return repo.status("aa" + key + "warn=3" + key + "fail=4 --select loop/exact-repeat exact-repeat.jsonl");
        };
        CHECK(repo.status("aa --select loop/exact-repeat exact-repeat.jsonl") == 0);
        CHECK(with("loop/exact-repeat") == 1);
        CHECK(with("AA101") == 1);
    }

    TEST_CASE("--config replaces both files, --no-config ignores them") {
        const Repository repo;
        repo.write("repo/agent-audit.toml", "fail-on = 'never'\n");
        repo.write("repo/other.toml", "select = ['loop/cycle']\n");
        CHECK(repo.status("aa --no-config exact-repeat.jsonl") == 1);
        CHECK(repo.status("AGENT_AUDIT_NO_CONFIG=1 aa exact-repeat.jsonl") == 1);
        CHECK(repo.result("aa --config other.toml -f json exact-repeat.jsonl").at("summary").at("rules").size() == 1);
        CHECK(repo.status("AGENT_AUDIT_NO_CONFIG=1 aa --config agent-audit.toml exact-repeat.jsonl") == 0);
        CHECK(repo.status("aa --config none.toml exact-repeat.jsonl") == 2);
        CHECK(repo.status("aa --config other.toml --no-config exact-repeat.jsonl") == 2);
    }

    TEST_CASE("mistakes are code 2 and name file, line and the nearest word") {
        const Repository repo;
        const auto says = [&](const char* text) {
            repo.write("repo/agent-audit.toml", text);
            const Outcome outcome = repo.run("aa exact-repeat.jsonl");
            CHECK(outcome.status == 2);
            CHECK(outcome.out == "");
            return outcome.err;
        };
        CHECK(holds(says("fail-onn = 'error'"),
                    "agent-audit.toml:1: unknown key \"fail-onn\"; did you mean \"fail-on\"?"));
        CHECK(holds(says("\nfail-on = 'eror'"),
                    "agent-audit.toml:2: fail-on = \"eror\": expected one of error, warning, info, never; did you mean "
                    "error?"));
        CHECK(holds(says("[rules.'loop/exact-repaet']"),
                    "agent-audit.toml:1: unknown rule 'loop/exact-repaet'; did you mean 'loop/exact-repeat'?"));
        CHECK(holds(says("[rules.loop]\nwarn = 3"), "agent-audit.toml:1: 'loop' is a group, not a rule"));
        CHECK(holds(says("[rules.'loop/exact-repeat']\nwran = 3"),
                    "agent-audit.toml:2: unknown parameter of loop/exact-repeat 'wran'; did you mean 'warn'?"));
        CHECK(holds(says("[rules.'loop/exact-repeat']\nwarn = 0"),
                    "agent-audit.toml:2: loop/exact-repeat.warn = \"0\": expected a whole number from 2 to 1000"));
        CHECK(holds(says("[errors]\ntransiet = 'x'"),
                    "agent-audit.toml:2: unknown setting 'errors.transiet'; did you mean 'errors.transient'?"));
        CHECK(holds(says("[[suppress]]\nrule = 'loop'"), "agent-audit.toml:1: a suppression needs a reason"));
        CHECK(holds(says("[[suppress]]\nrule = 'loop'\nreason = 'x'\nmatch = { tool = 'Bash', command = '(' }"),
                    "agent-audit.toml:4: command = \"(\""));
        CHECK(holds(says("[[suppress]]\nrule = 'loop'\nreason = 'x'\n[suppress.match]\ntool = 'Bash'\ncommand = '('"),
                    "agent-audit.toml:6: command = \"(\""));
        CHECK(holds(says("extends = 'strickt'"), "did you mean strict?"));
        CHECK(holds(says("a = "), "agent-audit.toml:1: "));
    }

    TEST_CASE("a folder or a broken link in place of a file of settings is a mistake, and not passed over") {
        const Repository repo;
        CHECK(repo.status("mkdir agent-audit.toml; aa clean.jsonl") == 2);
        CHECK(holds(repo.run("aa config check").err, "agent-audit.toml"));
        CHECK(repo.status("aa --no-config clean.jsonl") == 0);
        CHECK(repo.status("rmdir agent-audit.toml; ln -s nowhere.toml agent-audit.toml; aa clean.jsonl") == 2);
        CHECK(repo.status("rm agent-audit.toml; mkdir .agent-audit-baseline.json; aa clean.jsonl") == 2);
        CHECK(repo.status("aa --no-baseline clean.jsonl") == 0);
    }

    TEST_CASE("a file of settings under another name is told to be none") {
        const Repository repo;
        const Outcome seen = repo.run("echo 'fail-on = \"never\"' >.agent-audit.toml; aa -q exact-repeat.jsonl");
        CHECK(seen.status == 1);
        CHECK(holds(seen.err, ".agent-audit.toml sets nothing: settings stand in agent-audit.toml"));
        const std::string doctor = repo.run("aa doctor").err;
        CHECK(holds(doctor, "sets nothing"));
        CHECK(doctor.find("sets nothing") == doctor.rfind("sets nothing"));  // once
        CHECK(repo.run("aa --no-config -q exact-repeat.jsonl; aa --config .agent-audit.toml -q exact-repeat.jsonl")
                  .err.empty());
        CHECK(repo.run("mv .agent-audit.toml agent-audit.toml; aa -q exact-repeat.jsonl").err.empty());
    }

    TEST_CASE("the example of the reference is valid as it stands") {
        const Repository repo;
        repo.write("repo/agent-audit.toml", R"(fail-on = "error"
extends = "strict"

[rules."loop/exact-repeat"]
severity = "warning"
min-repeats = 4
[rules."loop/exact-repeat".per-tool.Bash]
min-repeats = 5

[[tool-class]]
match = { tool = "Bash", command = "^(sleep|gh run watch|kubectl get)\\b" }
class = "polling"

[budget]
session-tokens = 2_000_000
wasted-tokens  = 200_000
cost-usd       = 20.0

[[suppress]]
rule   = "loop/ping-pong"
match  = { tool = "mcp__gdb__next" }
reason = "debugger stepping"
until  = 2027-01-31
)");
        const json result = repo.result("AGENT_AUDIT_NOW=2026-03-01T00:00:00Z aa -f json exact-repeat.jsonl");
        CHECK(result.at("summary").at("policy") == "strict");
        REQUIRE(result.at("findings").size() == 1);
        CHECK(result.at("findings")[0].at("severity") == "warning");
        CHECK(repo.status("aa config check") == 0);
    }

    TEST_CASE("a file that is extended lies below the one that extends it, and circles are refused") {
        const Repository repo;
        repo.write("repo/below/base.toml", "fail-on = 'never'\nformat = 'json'\n");
        repo.write("repo/agent-audit.toml", "extends = 'below/base.toml'\nformat = 'ndjson'\n");
        const Outcome outcome = repo.run("aa exact-repeat.jsonl");
        CHECK(outcome.status == 0);
        CHECK(outcome.out.starts_with("{\"kind"));
        repo.write("repo/below/base.toml", "extends = '../agent-audit.toml'\n");
        CHECK(holds(repo.run("aa exact-repeat.jsonl").err, "files extend each other"));
        CHECK(repo.status("aa exact-repeat.jsonl") == 2);
    }

    TEST_CASE("a budget in the file is a limit of the session") {
        const Repository repo;
        repo.write("repo/agent-audit.toml",
                   "select = 'budget'\n[budget]\nsession-tokens = 50_000\nwasted-tokens = 1\nwindow-share = 0.9\n");
        json result = repo.result("aa -f json exact-repeat.jsonl");
        REQUIRE(result.at("findings").size() == 1);
        CHECK(holds(result.at("findings")[0].at("message"), "54,654 tokens, over the limit of 50,000"));
        CHECK(repo.status("aa exact-repeat.jsonl") == 1);
        repo.write("repo/agent-audit.toml", "[budget]\nsession-tokens = 50_000\nwasted-tokens = 1\n");
        result = repo.result("aa -f json --select loop,budget exact-repeat.jsonl");
        REQUIRE(result.at("findings").size() == 3);
        // Two limits in one session are two findings, to a baseline and to whoever removes duplicates.
        std::vector<std::string> ids;
        for (const json& f : result.at("findings")) ids.push_back(f.at("id"));
        CHECK(ids[0] != ids[1]);
        CHECK(ids[1] != ids[2]);
    }

    TEST_CASE("config show names every origin, and what it prints is a file that says the same") {
        const Repository repo;
        repo.write("home/.config/agent-audit/config.toml", "jobs = 2\n[rules.'loop/cycle']\nwarn = 5\n");
        repo.write("repo/agent-audit.toml",
                   "fail-on = 'warning'\nselect = ['loop', 'budget']\n[budget]\ncost-usd = 2.5\n[errors]\ntransient = "
                   "['lease \"x\"', 'b']\n"
                   "[[suppress]]\nrule = 'loop/cycle'\nmatch = { tool = 'a' }\nreason = 'r'\nuntil = 2030-01-31\n");
        const Outcome shown = repo.run("AGENT_AUDIT_MIN_SEVERITY=warning aa config show");
        CHECK(shown.status == 0);
        CHECK(holds(shown.out, "fail-on = \"warning\"              # agent-audit.toml:1\n"));
        CHECK(holds(shown.out, "jobs = 2                         # ~/.config/agent-audit/config.toml:1\n"));
        CHECK(holds(shown.out, "min-severity = \"warning\"         # AGENT_AUDIT_MIN_SEVERITY\n"));
        CHECK(holds(shown.out, "format = \"text\"                  # default\n"));
        CHECK(holds(shown.out, "select = [\"loop\", \"budget\"]      # agent-audit.toml:2\n"));
        CHECK(
            holds(shown.out,
                  "[rules.\"loop/cycle\"]\nwarn = 5                         # ~/.config/agent-audit/config.toml:3\n"));
        CHECK(holds(shown.out, "[rules.\"budget/limits\"]\nmax-cost = 2.5                   # agent-audit.toml:4\n"));
        CHECK_FALSE(holds(shown.out, "min-steps"));
        CHECK(holds(repo.run("aa config show -v").out, "min-steps = 6                    # default\n"));
        repo.write("repo/again.toml", shown.out);
        CHECK(repo.status("aa config check again.toml") == 0);
        CHECK(holds(repo.run("aa config show --config again.toml").out,
                    "max-cost = 2.5                   # again.toml:"));
        const json listed = json::parse(repo.run("aa config show -f json").out);
        CHECK(listed.at("suppressions").size() == 1);
        CHECK(listed.at("settings").size() > 100);
    }

    TEST_CASE("config check is 0 for a sound file, and 2 with the place for any other") {
        const Repository repo;
        CHECK(repo.run("aa config check").out == "no file of settings\n");
        repo.write("repo/agent-audit.toml", "fail-on = 'warning'\n");
        CHECK(repo.run("aa config check").out == "agent-audit.toml: ok\n");
        repo.write("repo/bad.toml", "\n[[tool-class]]\nmatch = { command = '(' }\nclass = 'poll'\n");
        const Outcome bad = repo.run("aa config check bad.toml");
        CHECK(bad.status == 2);
        CHECK(holds(bad.err, "bad.toml:3: command"));
        CHECK(repo.status("aa config chekc") == 2);
        CHECK(repo.status("aa config") == 2);
    }

    TEST_CASE("who wants to work under a file with mistakes is told all of them, but no more than fit") {
        const Repository repo;
        repo.write("repo/bad.toml", "colour = 'x'\n[rules.'loop/cycle']\nwran = 3\nwarn = -1\n");
        for (const char* line : {"aa", "aa replay --policy strict", "aa reset", "aa baseline create", "aa watch"}) {
            CAPTURE(line);
            const Outcome bad = repo.run(std::string(line) + " --config bad.toml clean.jsonl");
            CHECK(bad.status == 2);
            CHECK(bad.err.starts_with("agent-audit: bad.toml:1: unknown key \"colour\""));
            CHECK(holds(bad.err, "\nagent-audit: bad.toml:3: unknown parameter of loop/cycle 'wran'"));
            CHECK(holds(bad.err, "\nagent-audit: bad.toml:4: "));
            CHECK(std::ranges::count(bad.err, '\n') == 4);  // the last says where help is
        }
        repo.write("repo/bad.toml", "[rules.'loop/cycle']\nwran = 3\nnope = 3\n");
        CHECK(holds(repo.run("aa --config bad.toml clean.jsonl").err, "bad.toml:3: unknown parameter"));
        const Outcome typed = repo.run("aa --config bad.toml --fail-on eror clean.jsonl");
        CHECK(typed.err.starts_with("agent-audit: --fail-on"));
        CHECK_FALSE(holds(typed.err, "bad.toml"));

        std::string many;
        for (int i = 0; i < 30; ++i) many += "key-" + std::to_string(i) + " = 1\n";
        repo.write("repo/bad.toml", many);
        const std::string told = repo.run("aa --config bad.toml clean.jsonl").err;
        CHECK(holds(told, "bad.toml:20: "));
        CHECK_FALSE(holds(told, "bad.toml:21: "));
        CHECK(holds(told, "agent-audit: and 10 more; agent-audit config check tells all\n"));
    }

    TEST_CASE("config check tells every mistake at once, in the order of the file, with its line") {
        const Repository repo;
        repo.write("repo/bad.toml",
                   "jobs = 'x'\nmax-findings = 'a'\nmax-line-size = 5\nselect = ['nope']\nredact = 'everything'\n"
                   "[constraints]\nmax-calls = 3\n[rules.'loop/cycle']\nwran = 3\n[rules.'loop/cycel']\nwarn = 3\n"
                   "[[tool-class]]\nmatch = { tool = 'x' }\nclass = 'poling'\n[[suppress]]\nrule = 'loop/nope'\nreason "
                   "= 'r'\n");
        const Outcome bad = repo.run("aa config check bad.toml");
        CHECK(bad.status == 2);
        CAPTURE(bad.err);
        std::size_t at = 0;
        for (const char* mistake :
             {"bad.toml:1: jobs: expected a number\n", "bad.toml:2: max-findings: expected a number\n",
              "bad.toml:3: max-line-size: expected a size such as \"64M\"\n",
              "bad.toml:4: select: unknown rule 'nope'\n",
              "bad.toml:5: redact = \"everything\": expected one of none, secrets, strict\n",
              "bad.toml:7: unknown setting 'constraints.max-calls' (known in [constraints]: max-tool-calls, ",
              "bad.toml:9: unknown parameter of loop/cycle 'wran'; did you mean 'warn'?\n",
              "bad.toml:10: unknown rule 'loop/cycel'; did you mean 'loop/cycle'?\n",
              "bad.toml:14: class: expected one of ", "poll, wait, note, polling; did you mean polling?\n",
              "bad.toml:15: unknown rule 'loop/nope'"}) {
            CAPTURE(mistake);
            const std::size_t found = bad.err.find(mistake, at);
            REQUIRE(found != std::string::npos);
            at = found;
        }
        CHECK(std::count(bad.err.begin(), bad.err.end(), '\n') == 10);
        CHECK(holds(repo.run("aa --select nope exact-repeat.jsonl").err, "--select: unknown rule 'nope'"));
    }

    TEST_CASE("the schema of the file is JSON and knows every option, rule and table") {
        const Repository repo;
        const json schema = json::parse(repo.run("aa schema config").out);
        const json& top = schema.at("properties");
        for (const char* key : {"fail-on", "select", "extends", "budget", "errors", "tools", "tool-class", "suppress"})
            CHECK(top.contains(key));
        CHECK(top.at("rules").at("properties").at("loop/exact-repeat").at("properties").contains("min-repeats"));
        CHECK(top.at("budget").at("properties").at("cost-usd").at("type") == "number");
    }

    TEST_CASE("the schema offers the words that an option takes, and bounds where the program has them") {
        const Repository repo;
        const json schema = json::parse(repo.run("aa schema config").out);
        const json& top = schema.at("properties");
        const auto accepts = [&](const std::string& key, const std::string& value) {
            repo.write("repo/one.toml", key + " = " + value + "\n");
            return repo.status("aa config check one.toml") == 0;
        };
        for (const char* key :
             {"fail-on", "format", "policy", "min-severity", "redact", "color", "progress", "input-format"}) {
            CAPTURE(key);
            const json& words = top.at(key).at("enum");
            CHECK(words.size() > 2);
            for (const json& word : words) CHECK(accepts(key, word.dump()));
            CHECK_FALSE(accepts(key, "'eror'"));
        }
        for (const char* key : {"jobs", "max-findings", "min-confidence"}) {
            CAPTURE(key);
            const int least = top.at(key).at("minimum"), most = top.at(key).at("maximum");
            CHECK(accepts(key, std::to_string(least)));
            CHECK(accepts(key, std::to_string(most)));
            CHECK_FALSE(accepts(key, std::to_string(least - 1)));
            CHECK_FALSE(accepts(key, std::to_string(most + 1)));
        }
        const json& rules = top.at("rules");
        CHECK(rules.at("additionalProperties") == false);
        for (const char* name : {"AA101", "loop/ping-pong"}) {
            const std::string ref = rules.at("properties").at(name).at("$ref");
            CHECK(schema.at(json::json_pointer(ref.substr(1))).contains("properties"));
        }
        std::size_t number = 0;
        for (const auto& [name, rule] : rules.at("properties").items()) {
            if (!rule.contains("properties") || !rule.at("properties").contains("min-repeats")) continue;
            if (!agent_audit::test::looked_at(number++)) continue;
            const json& bounds = rule.at("properties").at("min-repeats");
            CHECK(accepts("rules.'" + name + "'.min-repeats", bounds.at("minimum").dump()));
            CHECK_FALSE(
                accepts("rules.'" + name + "'.min-repeats", std::to_string(bounds.at("minimum").get<int>() - 1)));
        }
    }
}

TEST_SUITE("suppressions on the command line") {
    TEST_CASE("a suppressed finding does not fail, is in the JSON with its reason, and ends on its day") {
        const Repository repo;
        repo.write("repo/agent-audit.toml",
                   "[[suppress]]\nrule = 'loop/exact-repeat'\nmatch = { command = '^npm test' }\nreason = "
                   "'flaky'\nuntil = 2026-03-31\n");
        const std::string march = "AGENT_AUDIT_NOW=2026-03-31T23:59:59Z aa ",
                          april = "AGENT_AUDIT_NOW=2026-04-01T00:00:00Z aa ";
        CHECK(repo.status(march + "exact-repeat.jsonl") == 0);
        CHECK(repo.status(april + "exact-repeat.jsonl") == 1);
        const json result = repo.result(march + "-f json exact-repeat.jsonl");
        CHECK(result.at("findings")[0].at("suppressed") ==
              json{{"reason", "flaky"}, {"until", "2026-03-31"}, {"origin", "agent-audit.toml:1"}});
        CHECK(result.at("summary").at("findings").at("error") == 0);
        CHECK(result.at("summary").at("findings").at("suppressed") == 1);
        CHECK(holds(repo.run(march + "exact-repeat.jsonl").out, "not counted: 1 suppressed"));
        CHECK(holds(repo.run(april + "exact-repeat.jsonl").out, "ended on 2026-03-31 (flaky)"));
        CHECK(holds(repo.run(march + "clean.jsonl").out, "silences nothing (flaky)"));
    }
}

TEST_SUITE("baseline on the command line") {
    TEST_CASE("a growing session: the old finding stays silent, a new one beyond the count fails") {
        const Repository repo;
        CHECK(repo.run("head -20 exact-repeat.jsonl >s.jsonl; aa baseline create s.jsonl").out ==
              ".agent-audit-baseline.json: 1 finding in 1 pattern\n");
        CHECK(repo.status("aa s.jsonl") == 0);
        CHECK(holds(repo.run("aa s.jsonl").out, "not counted: 1 in the baseline"));
        CHECK(repo.status("cp exact-repeat.jsonl s.jsonl; aa s.jsonl") == 0);
        CHECK(repo.status("aa --no-baseline s.jsonl") == 1);
        CHECK(repo.status("aa ../../s.jsonl", "repo/below/deep") == 0);
        // The same loop in another session is one more than was recorded.
        CHECK(repo.status("sed 's/3f2b/4f2b/g' exact-repeat.jsonl >t.jsonl; aa s.jsonl t.jsonl") == 1);
        const json result = repo.result("aa -f json s.jsonl t.jsonl");
        CHECK(result.at("summary").at("findings").at("error") == 1);
        CHECK(result.at("summary").at("findings").at("baselined") == 1);
        CHECK(result.at("findings")[0].at("baseline_state") == "unchanged");
        CHECK(result.at("findings")[1].at("baseline_state") == "new");
        // NDJSON tells the same.
        CHECK(repo.run("aa -f ndjson s.jsonl t.jsonl | grep -c '\"baseline_state\":\"unchanged\"'").out == "1\n");
        CHECK(holds(repo.run("aa baseline update s.jsonl t.jsonl").out,
                    "2 findings in 1 pattern (1 with a higher count)"));
        CHECK(repo.status("aa s.jsonl t.jsonl") == 0);
    }

    TEST_CASE("a known warning that becomes an error counts, as diff has it") {
        const Repository repo;
        const std::string grow = "head -9 exact-repeat.jsonl >s.jsonl; ";
        REQUIRE(repo.status(grow + "aa baseline create s.jsonl") == 0);
        REQUIRE(holds(repo.content("repo/.agent-audit-baseline.json"), "\"severity\": \"warning\""));
        CHECK(repo.status("aa --fail-on warning s.jsonl") == 0);
        CHECK(repo.status("aa exact-repeat.jsonl") == 1);
        CHECK(repo.result("aa -f json exact-repeat.jsonl").at("findings")[0].at("baseline_state") == "new");
        CHECK(repo.run("aa baseline show").out.find("severity    warning") != std::string::npos);
        CHECK(repo.status("aa baseline update exact-repeat.jsonl && aa exact-repeat.jsonl") == 0);
        CHECK(holds(repo.content("repo/.agent-audit-baseline.json"), "\"severity\": \"error\""));
        // Files from before say nothing, and mean what they meant.
        CHECK(repo.status(grow + "aa baseline create s.jsonl; sed -i 's/\"severity\": \"warning\", //' "
                                 ".agent-audit-baseline.json; aa exact-repeat.jsonl") == 0);
    }

    TEST_CASE("a baseline made from a saved result is the one made from the sessions") {
        const Repository repo;
        REQUIRE(repo.status("aa baseline create exact-repeat.jsonl") == 0);
        const std::string direct = repo.content("repo/.agent-audit-baseline.json");
        for (const char* format : {"json", "ndjson"}) {
            CAPTURE(format);
            REQUIRE(repo.status(std::string("aa --exit-zero --no-baseline -f ") + format +
                                " -o r exact-repeat.jsonl && aa baseline create --baseline b.json r") == 0);
            CHECK(repo.content("repo/b.json") == direct);
        }
        CHECK(holds(direct, "\"first_seen\": \"2026-03-04T09:00:01.000Z\""));
    }

    TEST_CASE("two copies of a session are two findings, the same session in two results is one") {
        const Repository repo;
        REQUIRE(repo.status("mkdir two; cp exact-repeat.jsonl two/a.jsonl; cp exact-repeat.jsonl two/b.jsonl") == 0);
        CHECK(repo.run("aa baseline create two").out == ".agent-audit-baseline.json: 2 findings in 1 pattern\n");
        CHECK(repo.status("aa two") == 0);
        CHECK(repo.status("cp exact-repeat.jsonl two/c.jsonl; aa two") == 1);
        REQUIRE(repo.status("aa --exit-zero --no-baseline -f json -o r1 exact-repeat.jsonl; aa --exit-zero "
                            "--no-baseline -f ndjson -o r2 exact-repeat.jsonl") == 0);
        CHECK(repo.run("aa baseline create r1 r2").out == ".agent-audit-baseline.json: 1 finding in 1 pattern\n");
    }

    TEST_CASE("a result that does not tell all prunes nothing, and one of nothing makes no baseline") {
        const Repository repo;
        REQUIRE(repo.status(
                    "sed 's/3f2b/4f2b/g' exact-repeat.jsonl >t.jsonl; aa baseline create exact-repeat.jsonl t.jsonl") ==
                0);
        const std::string known = repo.content("repo/.agent-audit-baseline.json");
        REQUIRE(repo.status("aa --exit-zero --no-baseline --max-findings 1 -f json -o r exact-repeat.jsonl t.jsonl") ==
                0);
        const Outcome short_list = repo.run("aa baseline prune r");
        CHECK(short_list.status == 3);
        CHECK(holds(short_list.err, "nothing was pruned: 1 finding was counted and not listed (--max-findings)"));
        REQUIRE(repo.status("aa --no-baseline -f json -o r clean.jsonl missing.jsonl") == 3);
        CHECK(repo.status("aa baseline prune r") == 3);
        REQUIRE(repo.status("aa --no-baseline -f json -o r missing.jsonl") == 3);
        for (const char* verb : {"prune", "update", "create"})
            CHECK(repo.status(std::string("aa baseline ") + verb + " r") == 3);
        CHECK(repo.content("repo/.agent-audit-baseline.json") == known);
    }

    TEST_CASE("what is written with a baseline and suppressions is what the schemas say") {
        const Repository repo;
        repo.write("repo/agent-audit.toml",
                   "[[suppress]]\nrule = 'loop/exact-repeat'\nmatch = { session = '4f2b*' }\nreason = 'r'\nuntil = "
                   "2026-03-31\n");
        REQUIRE(repo.status("head -20 exact-repeat.jsonl >s.jsonl; sed 's/3f2b/4f2b/g' exact-repeat.jsonl >t.jsonl; "
                            "sed 's/3f2b/5f2b/g' exact-repeat.jsonl >u.jsonl; "
                            "aa baseline create --reason x s.jsonl") == 0);
        using agent_audit::test::SchemaValidator;
        const auto none = std::vector<std::string>{};
        CHECK(SchemaValidator("baseline").errors(json::parse(repo.content("repo/.agent-audit-baseline.json"))) == none);
        const std::string scan = "AGENT_AUDIT_NOW=2026-03-31T00:00:00Z aa --exit-zero ";
        const json result = repo.result(scan + "-f json s.jsonl t.jsonl u.jsonl");
        CHECK(SchemaValidator("result").errors(result) == none);
        CHECK(result.at("summary").at("findings") ==
              json{{"error", 1}, {"warning", 0}, {"info", 0}, {"baselined", 1}, {"suppressed", 1}});
        std::istringstream lines(repo.run(scan + "-f ndjson s.jsonl t.jsonl u.jsonl").out);
        for (std::string line; std::getline(lines, line);)
            CHECK(SchemaValidator("ndjson").errors(json::parse(line)) == none);
        REQUIRE(repo.status("aa --exit-zero --no-baseline -f json -o old s.jsonl; " + scan +
                            "-f json -o new u.jsonl clean.jsonl") == 0);
        CHECK(SchemaValidator("diff").errors(json::parse(repo.run("aa diff -f json old new").out)) == none);
    }

    TEST_CASE("reasons stay, prune lets go what no longer occurs and refuses to guess") {
        const Repository repo;
        REQUIRE(repo.status("aa baseline create --reason 'before the gate' exact-repeat.jsonl") == 0);
        REQUIRE(repo.status("aa baseline create exact-repeat.jsonl") == 0);
        CHECK(holds(repo.run("aa baseline show").out, "before the gate"));
        CHECK(repo.status("aa baseline prune clean.jsonl missing.jsonl") == 3);
        CHECK(holds(repo.content("repo/.agent-audit-baseline.json"), "loop/exact-repeat"));
        CHECK(holds(repo.run("aa baseline prune --ignore loop/exact-repeat clean.jsonl").out,
                    "1 finding in 1 pattern\n"));
        CHECK(holds(repo.run("aa baseline prune clean.jsonl").out, "0 findings in 0 patterns (1 removed)"));
        CHECK(repo.status("aa exact-repeat.jsonl") == 1);
    }

    TEST_CASE("prune takes nothing for gone that a filter hides") {
        const Repository repo;
        REQUIRE(repo.status("head -11 exact-repeat.jsonl >s.jsonl; aa baseline create s.jsonl") == 0);
        const std::string known = repo.content("repo/.agent-audit-baseline.json");
        REQUIRE(holds(known, "\"severity\": \"warning\""));
        const Outcome typed = repo.run("aa baseline prune --min-severity error s.jsonl");
        CHECK(typed.status == 2);
        CHECK(holds(typed.err, "baseline prune takes no --min-severity: what it hides would count as gone"));
        CHECK(repo.status("AGENT_AUDIT_MIN_SEVERITY=error aa baseline prune s.jsonl") == 0);
        CHECK(repo.content("repo/.agent-audit-baseline.json") == known);
        REQUIRE(repo.status("aa --exit-zero --no-baseline --min-severity error -f json -o r s.jsonl") == 0);
        const Outcome saved = repo.run("aa baseline prune r");
        CHECK(saved.status == 3);
        CHECK(holds(saved.err, "nothing was pruned: findings below error were left out of the results"));
        CHECK(repo.content("repo/.agent-audit-baseline.json") == known);
    }

    TEST_CASE("wrong usage is 2, unreadable input 3, an unwritable file 4") {
        const Repository repo;
        CHECK(repo.status("aa baseline") == 2);
        CHECK(holds(repo.run("aa baseline craete x").err, "did you mean create?"));
        CHECK(repo.status("aa baseline create") == 2);
        CHECK(repo.status("aa baseline show") == 2);
        CHECK(repo.status("aa baseline prune clean.jsonl") == 2);
        CHECK(repo.status("aa baseline create missing.jsonl") == 3);
        CHECK_FALSE(repo.exists("repo/.agent-audit-baseline.json"));
        CHECK(repo.status("aa baseline create --baseline nowhere/b.json clean.jsonl") == 4);
        CHECK(repo.status("aa --baseline missing.json clean.jsonl") == 2);
        CHECK(repo.status("echo '{}' >b.json; aa --baseline b.json clean.jsonl") == 2);
        CHECK(repo.status("aa --baseline b.json --no-baseline clean.jsonl") == 2);
    }

    TEST_CASE("the file of settings may name the baseline, from its own folder") {
        const Repository repo;
        REQUIRE(repo.status("aa baseline create --baseline below/known.json exact-repeat.jsonl") == 0);
        CHECK(repo.status("aa exact-repeat.jsonl") == 1);
        repo.write("repo/agent-audit.toml", "baseline = 'below/known.json'\n");
        CHECK(repo.status("aa exact-repeat.jsonl") == 0);
        CHECK(repo.status("aa ../../exact-repeat.jsonl", "repo/below/deep") == 0);
        CHECK(holds(repo.run("aa baseline show").out, "below/known.json: 1 finding"));
    }
}

TEST_SUITE("diff") {
    TEST_CASE("what appeared fails, what is gone and what stayed does not") {
        const Repository repo;
        REQUIRE(repo.status(
                    "aa -f json -o old clean.jsonl; aa --exit-zero -f ndjson -o new exact-repeat.jsonl clean.jsonl") ==
                0);
        const Outcome appeared = repo.run("aa diff old new");
        CHECK(appeared.status == 1);
        CHECK(holds(appeared.out, "1 appeared, 0 gone, 0 with another severity, 0 unchanged"));
        CHECK(holds(appeared.out, "loop/exact-repeat"));
        CHECK(repo.status("aa diff new old") == 0);
        CHECK(repo.status("aa diff new new") == 0);
        CHECK(repo.status("aa diff --exit-zero old new") == 0);
        CHECK(repo.status("aa diff --fail-on never old new") == 0);
        const json gone = json::parse(repo.run("aa diff -f json new old").out);
        CHECK(gone.at("gone").size() == 1);
        CHECK(gone.at("appeared").empty());
    }

    TEST_CASE("a finding that became an error fails as a new error would") {
        const Repository repo;
        REQUIRE(repo.status("aa --set loop/exact-repeat.severity=warning -f json -o old exact-repeat.jsonl; aa "
                            "--exit-zero -f json -o new exact-repeat.jsonl") == 0);
        CHECK(repo.status("aa diff old new") == 1);
        CHECK(repo.status("aa diff new old") == 0);
        const json result = json::parse(repo.run("aa diff -f json old new").out);
        CHECK(result.at("changed")[0].at("severity_before") == "warning");
        CHECK(result.at("unchanged") == 0);
    }

    TEST_CASE("what a baseline silenced in the new result has not appeared") {
        const Repository repo;
        REQUIRE(repo.status("aa -f json -o old clean.jsonl; aa baseline create exact-repeat.jsonl; aa -f json -o new "
                            "clean.jsonl exact-repeat.jsonl") == 0);
        CHECK(repo.status("aa diff old new") == 0);
    }

    TEST_CASE("secrets of a result that was saved with them are not told") {
        const Repository repo;
        const std::string secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        REQUIRE(repo.status("aa -f json -o old clean.jsonl; sed 's/\"Bash\"/\"" + secret +
                            "\"/g' exact-repeat.jsonl >s.jsonl; "
                            "aa --exit-zero --redact none -f json -o new s.jsonl; grep -q " +
                            secret + " new") == 0);
        for (const char* format : {"text", "json"}) {
            const std::string out = repo.run(std::string("aa diff -f ") + format + " old new").out;
            CHECK(holds(out, "[redacted github token] was called"));
            CHECK_FALSE(holds(out, secret));
        }
    }

    TEST_CASE("what a scan could not read or did not look for is not gone without a word") {
        const Repository repo;
        REQUIRE(repo.status("aa --exit-zero -f json -o old exact-repeat.jsonl") == 0);
        for (const char* format : {"json", "ndjson"}) {
            CAPTURE(format);
            const std::string scan = std::string("aa --exit-zero -f ") + format + " -o new ";
            REQUIRE(repo.status(scan + "missing.jsonl") == 3);
            const Outcome unread = repo.run("aa diff old new");
            CHECK(unread.status == 3);
            CHECK(holds(unread.out, "1 gone"));
            CHECK(holds(unread.err, "new: cannot open 'missing.jsonl'"));
            REQUIRE(repo.status(": >empty.jsonl; " + scan + "empty.jsonl clean.jsonl") == 3);
            CHECK(repo.status("aa diff old new") == 3);
            CHECK(holds(repo.run("aa diff old new").err, "new: empty.jsonl: empty input"));
            CHECK(repo.status("aa diff new old") == 1);  // what appeared comes first
            REQUIRE(repo.status(scan + "--ignore loop clean.jsonl") == 0);
            const Outcome unseen = repo.run("aa diff old new");
            CHECK(unseen.status == 0);
            CHECK(holds(unseen.err, "new: loop/exact-repeat did not run"));
        }
    }

    TEST_CASE("what is no result is 3 with its name, a wrong number of them 2") {
        const Repository repo;
        REQUIRE(repo.status("aa -f ndjson -o r clean.jsonl") == 0);
        CHECK(holds(repo.run("aa diff r clean.jsonl").err, "clean.jsonl: not a result of scan -f json or -f ndjson"));
        CHECK(repo.status("aa diff r clean.jsonl") == 3);
        CHECK(repo.status("aa diff r missing") == 3);
        CHECK(repo.status("head -1 r >half; aa diff r half") == 3);
        CHECK(repo.status("aa diff r") == 2);
        CHECK(repo.status("aa diff - - <r") == 2);
        CHECK(repo.status("aa diff --fail-on eror r r") == 2);
    }
}
