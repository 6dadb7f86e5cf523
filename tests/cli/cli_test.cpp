#include "support/places.hpp"
#include "support/sanitized.hpp"
#include "support/slurp.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using agent_audit::test::slurp;

struct Outcome {
    int status = -1;
    std::string out;
    std::string err;
};

// A scratch folder with the sessions of the golden cases, and the program in it.
class Scratch {
public:
    Scratch() {
        std::string name = (fs::temp_directory_path() / "agent-audit-cli-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        folder_ = name;
        for (const char* session : {"clean", "exact-repeat", "malformed-line", "escape-sequences"}) {
            fs::copy_file(fs::path(agent_audit::test::project_folder()) / "testdata/golden" / session / "session.jsonl",
                          folder_ / (std::string(session) + ".jsonl"));
        }
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// A line of bash in which `aa` is the program.
    Outcome run(const std::string& line) const {
        const fs::path script = folder_ / ".script";
        std::ofstream(script)
            << "unset GITHUB_ACTIONS GITHUB_WORKSPACE CI_PROJECT_DIR BUILD_SOURCESDIRECTORY BITBUCKET_CLONE_DIR "
               "TF_BUILD TEAMCITY_VERSION NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR TERM COLUMNS\n"
            << "export LC_ALL=C.UTF-8\nset -o pipefail\naa() { '" + agent_audit::test::program_file() +
                   "' \"$@\"; }\ncd '"
            << folder_.string() << "'\n"
            << line << "\n";
        const std::string command = "bash '" + script.string() + "' >'" + (folder_ / ".out").string() + "' 2>'" +
                                    (folder_ / ".err").string() + "' </dev/null";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / ".out"), slurp(folder_ / ".err")};
    }
    int status(const std::string& line) const { return run(line).status; }
    fs::path operator/(const char* name) const { return folder_ / name; }

private:
    fs::path folder_;
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string report_size(std::uintmax_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, ", %.1f kB; 1 other file", static_cast<double>(bytes) / 1000);
    return text;
}

}  // namespace

TEST_SUITE("command line") {
    TEST_CASE("help leads with examples, on standard output, with code 0") {
        const Scratch scratch;
        for (const char* line :
             {"aa --help", "aa -h", "aa help", "aa scan --help", "aa rules --help", "aa explain -h"}) {
            CAPTURE(line);
            const Outcome help = scratch.run(line);
            CHECK(help.status == 0);
            CHECK(help.err == "");
            CHECK(help.out.find("Examples:") < help.out.find("Usage:"));
        }
    }

    TEST_CASE("the version is on the first line, with every command") {
        const Scratch scratch;
        const Outcome version = scratch.run("aa --version");
        CHECK(version.status == 0);
        CHECK(version.out.starts_with("agent-audit 0."));
        CHECK(holds(version.out, "\ncompiler "));
        CHECK(holds(version.out, "simdjson 3."));
        CHECK(scratch.run("aa rules --version").out == version.out);
    }

    TEST_CASE("wrong usage is code 2, says so on standard error only, and suggests the nearest name") {
        const Scratch scratch;
        struct Mistake {
            const char* line;
            const char* expected;
        };
        const Mistake mistakes[] = {
            {"aa --fail-onn error clean.jsonl", "did you mean --fail-on?"},
            {"aa --context pi clean.jsonl", "unknown flag '--context' (a flag of replay)"},
            {"aa report --timeline clean.jsonl", "unknown flag '--timeline' (a flag of replay)"},
            {"aa replay --fail-on error clean.jsonl", "did you mean fail-on in a file for --policy?"},
            {"aa -q=3 clean.jsonl", "unknown flag '-=3'"},
            {"aa --exit-zero=maybe clean.jsonl", "--exit-zero takes no value"},
            {"aa --help=x", "--help takes no value"},
            {"aa --ignore exact-repeat clean.jsonl", "did you mean 'loop/exact-repeat'?"},
            {"aa --set chanting.warn=3 clean.jsonl", "did you mean 'loop/chanting'?"},
            {"aa scn clean.jsonl", "did you mean scan?"},
            {"aa frobnicate", "neither a command nor a file"},
            {"aa -f jsn clean.jsonl", "did you mean json?"},
            {"aa -o jsn=x clean.jsonl", "did you mean json?"},
            {"aa --fail-on eror clean.jsonl", "did you mean error?"},
            {"aa --select loop/exact-repaet clean.jsonl", "loop/exact-repeat"},
            {"aa --ignore '' clean.jsonl", "--ignore"},
            {"aa --input-format claude-cod clean.jsonl", "did you mean claude-code?"},
            {"aa --input-format claude clean.jsonl", "did you mean claude-code?"},
            {"aa --set loop/exact-repeat clean.jsonl", "RULE.PARAM=VALUE"},
            {"aa --set errors.transient=[ clean.jsonl", "--set: errors.transient = \"[\""},
            {"AGENT_AUDIT_SET=tools.class.x=reed aa clean.jsonl", "AGENT_AUDIT_SET: tools.class.x"},
            {"aa --set engine.segmet=user clean.jsonl", "did you mean 'engine.segment'?"},
            {"aa --policy balancd clean.jsonl", "did you mean balanced?"},
            {"aa explain setings", "did you mean settings?"},
            {"aa --set loop/exact-repeat.no_such=1 clean.jsonl", "no-such"},
            {"aa --min-confidence 2 clean.jsonl", "a number from 0 to 1"},
            {"aa --min-confidence nan clean.jsonl", "a number from 0 to 1"},
            {"aa --jobs many clean.jsonl", "a number from 0 to 256"},
            {"aa --max-line-size 3X clean.jsonl", "such as 64M"},
            {"aa clean.jsonl --format", "--format needs a value"},
            {"aa --baseline= clean.jsonl", "--baseline needs a value"},
            {"aa --select= -q clean.jsonl", "--select needs a value"},
            {"aa clean.jsonl --goal=", "--goal needs a value"},
            {"aa clean.jsonl --goal .", "and not a folder"},
            {"aa clean.jsonl --goal ./taks.md", "a file that exists"},
            {"printf 'mend\\0it' >bin; aa clean.jsonl --goal bin", "a file that holds it"},
            {"aa replay --policy= clean.jsonl", "--policy needs a value"},
            {"aa --judge-url \"$NO_SUCH_VARIABLE\" -q clean.jsonl", "--judge-url needs a value"},
            {"aa --category '' clean.jsonl", "--category needs a value"},
            {"aa replay --context '' clean.jsonl", "--context needs a value"},
            {"aa reset clean.jsonl --at ''", "--at needs a value"},
            {"aa -o a.txt -o a.txt clean.jsonl", "each file once"},
            {"aa -q rules", "agent-audit rules"},
            {"AGENT_AUDIT_FAIL_ON=eror aa clean.jsonl", "AGENT_AUDIT_FAIL_ON"},
            {"AGENT_AUDIT_EXIT_ZERO=perhaps aa clean.jsonl", "AGENT_AUDIT_EXIT_ZERO"},
            {"aa explain loop/exact-repaet", "did you mean loop/exact-repeat?"},
            {"aa explain", "takes one rule"},
            {"aa schema reslut", "did you mean result?"},
            {"aa rules -f xml", "expected text or json"},
        };
        for (const Mistake& mistake : mistakes) {
            CAPTURE(mistake.line);
            const Outcome wrong = scratch.run(mistake.line);
            CHECK(wrong.status == 2);
            CHECK(wrong.out == "");
            CAPTURE(wrong.err);
            CHECK(holds(wrong.err, mistake.expected));
        }
    }

    TEST_CASE("what looks like a flag without a value is a text behind a flag that takes one, and a file behind --") {
        const Scratch scratch;
        CHECK(scratch.status("aa --goal --select= clean.jsonl") == 0);
        CHECK(scratch.status("aa --goal 'mend task.md' clean.jsonl") == 0);
        fs::copy_file(scratch / "clean.jsonl", scratch / "--select=");
        CHECK(scratch.status("aa -- --select=") == 0);
        CHECK(scratch.status("aa --latest= clean.jsonl") == 0);
    }

    TEST_CASE("clean is 0, findings are 1, and --fail-on moves the line") {
        const Scratch scratch;
        CHECK(scratch.status("aa clean.jsonl") == 0);
        CHECK(scratch.status("aa scan clean.jsonl") == 0);
        CHECK(scratch.status("aa exact-repeat.jsonl") == 1);
        CHECK(scratch.status("aa exact-repeat.jsonl clean.jsonl") == 1);
        CHECK(scratch.status("aa --exit-zero exact-repeat.jsonl") == 0);
        CHECK(scratch.status("aa --fail-on never exact-repeat.jsonl") == 0);
        CHECK(scratch.status("AGENT_AUDIT_FAIL_ON=never aa exact-repeat.jsonl") == 0);
        CHECK(scratch.status("AGENT_AUDIT_FAIL_ON=never aa --fail-on error exact-repeat.jsonl") == 1);
        CHECK(scratch.status("AGENT_AUDIT_EXIT_ZERO=1 aa exact-repeat.jsonl") == 0);
        CHECK(scratch.status("AGENT_AUDIT_EXIT_ZERO=1 aa --fail-on error exact-repeat.jsonl") == 1);
        CHECK(scratch.status("AGENT_AUDIT_EXIT_ZERO=1 AGENT_AUDIT_FAIL_ON=error aa exact-repeat.jsonl") == 0);
        CHECK(scratch.status("aa --fail-on error --exit-zero exact-repeat.jsonl") == 0);
        CHECK(scratch.status("aa --ignore loop exact-repeat.jsonl") == 0);
        CHECK(scratch.status("aa --fail-on info exact-repeat.jsonl --min-confidence 1 --ignore loop") == 0);
    }

    TEST_CASE(
        "an input that cannot be read is named once, by every command, and its size is told where it was looked at") {
        const Scratch scratch;
        for (const char* command : {"aa replay", "aa replay --policy strict", "aa reset", "aa convert --to events",
                                    "aa tokens --calibrate"}) {
            CAPTURE(command);
            const Outcome outcome =
                scratch.run(std::string("echo hello, >hello.txt; ") + command + " hello.txt >/dev/null");
            CHECK(outcome.status == 3);
            CHECK(outcome.err.starts_with("agent-audit: hello.txt: not a session"));
            const Outcome device = scratch.run(std::string(command) + " /dev/full >/dev/null");
            CHECK(device.err.find("/dev/full") == device.err.rfind("/dev/full"));
        }
        CHECK(holds(scratch.run("echo hello, >hello.txt; aa hello.txt").out, "1 file, 7 bytes"));
        CHECK(holds(scratch.run("mkdir d; echo '[{}]' >d/other.json; cp clean.jsonl d; aa d").out,
                    report_size(fs::file_size(scratch / "clean.jsonl"))));
        const Outcome unknown = scratch.run("echo '{\"a\":1}' >x.jsonl; aa x.jsonl");
        CHECK(holds(unknown.out, "no known session format (agent-audit formats lists them)"));
        CHECK_FALSE(holds(unknown.out, "claude-code"));
    }

    TEST_CASE("a warning fails only where warnings are asked to") {
        const Scratch scratch;
        const std::string soften =
            "aa --ignore loop/exact-repeat,loop/same-error,loop/cycle,loop/known-answers exact-repeat.jsonl ";
        const Outcome seen = scratch.run(soften + "-f json");
        const auto findings = nlohmann::json::parse(seen.out)["summary"]["findings"];
        REQUIRE(findings["error"] == 0);
        REQUIRE(findings["warning"] > 0);
        CHECK(seen.status == 0);
        CHECK(scratch.status(soften + "--fail-on warning") == 1);
    }

    TEST_CASE("input trouble is code 3 with one line that names it") {
        const Scratch scratch;
        fs::create_directory(scratch / "empty");
        for (const char* line :
             {"aa missing.jsonl", "aa empty", "aa -", "aa", "echo hello | aa", "head -c 2000 /dev/urandom | aa -"}) {
            CAPTURE(line);
            const Outcome bad = scratch.run(line);
            CHECK(bad.status == 3);
            CHECK(std::count(bad.err.begin(), bad.err.end(), '\n') == 1);
            CHECK(bad.err.starts_with("agent-audit: "));
        }
    }

    TEST_CASE("one bad input hides nothing of the others") {
        const Scratch scratch;
        const Outcome seen = scratch.run("aa missing.jsonl exact-repeat.jsonl -q");
        CHECK(seen.status == 1);
        CHECK(holds(seen.out, "stuck"));
        CHECK(holds(seen.err, "missing.jsonl"));
        CHECK(scratch.status("aa missing.jsonl clean.jsonl") == 3);
        CHECK(scratch.status("aa --strict-input missing.jsonl exact-repeat.jsonl") == 3);
    }

    TEST_CASE("lost records are an error only with --strict-input") {
        const Scratch scratch;
        CHECK(scratch.status("aa malformed-line.jsonl") == 0);
        CHECK(scratch.status("aa --strict-input malformed-line.jsonl") == 3);
        CHECK(scratch.status("aa --strict-input clean.jsonl") == 0);
    }

    TEST_CASE("a record that ends before its end is lost to --strict-input only") {
        const Scratch scratch;
        CHECK(scratch.status("head -c -9 clean.jsonl > cut.jsonl; aa cut.jsonl") == 0);
        CHECK(scratch.status("aa convert --to events cut.jsonl") == 0);
        CHECK(holds(scratch.run("aa --strict-input cut.jsonl").err, "1 record could not be read"));
        for (const char* command : {"aa", "aa convert --to events"})
            CHECK(scratch.status(std::string(command) + " --strict-input cut.jsonl") == 3);
    }

    TEST_CASE("every command names the place of a record that could not be read") {
        const Scratch scratch;
        for (const char* command : {"aa --strict-input", "aa replay", "aa replay --policy strict --exit-zero",
                                    "aa convert --to events -o out", "aa reset"}) {
            CAPTURE(command);
            const Outcome seen = scratch.run(std::string(command) + " malformed-line.jsonl");
            CHECK(holds(seen.err, "2 records could not be read"));
            CHECK(holds(seen.err, "(the first at malformed-line.jsonl:5: "));
        }
    }

    TEST_CASE("where an input goes on in another format, that is said, and its records are lost") {
        const Scratch scratch;
        const std::string codex = "'" + agent_audit::test::project_folder() + "/testdata/readers/codex/minimal.jsonl'";
        scratch.run("cat clean.jsonl " + codex + " > after.jsonl; cat " + codex + " clean.jsonl > before.jsonl");
        for (const char* command : {"aa", "aa replay", "aa replay --policy strict", "aa convert --to events -o out"}) {
            CAPTURE(command);
            for (const auto& [file, other] : {std::pair("after.jsonl", "codex"), {"before.jsonl", "claude-code"}}) {
                const Outcome seen = scratch.run(std::string(command) + " " + file);
                CHECK(seen.status == 3);
                CHECK(holds(seen.err, std::string("the records from here on are of another format (") + other + ")"));
            }
        }
        CHECK(holds(scratch.run("aa --strict-input after.jsonl").err, "of another format (codex)"));
        // Two of them may be what another program printed in between.
        scratch.run("head -n 2 " + codex + " | cat clean.jsonl - > two.jsonl");
        CHECK(scratch.status("aa two.jsonl") == 0);
    }

    TEST_CASE("standard input is read when nothing is named, and as -") {
        const Scratch scratch;
        CHECK(scratch.run("aa < clean.jsonl").out == scratch.run("aa - < clean.jsonl").out);
        CHECK(scratch.status("aa -q < exact-repeat.jsonl") == 1);
        CHECK(holds(scratch.run("aa -q -- clean.jsonl").out, "clean"));
        CHECK(holds(scratch.run("cp clean.jsonl ./-v; aa -q -- -v").out, "clean"));
    }

    TEST_CASE("a reader that goes away ends the program quietly") {
        const Scratch scratch;
        // More output than a pipe holds, so that the write really fails.
        const std::string many = "text=$(<clean.jsonl); for i in {1..300}; do echo \"$text\" > s$i.jsonl; done; ";
        const Outcome gone = scratch.run(many + "aa -f json *.jsonl | head -1 >/dev/null; echo ${PIPESTATUS[0]}");
        CHECK(gone.out == "141\n");
        CHECK(gone.err == "");
        const Outcome ignoring =
            scratch.run("trap '' PIPE; aa -f json *.jsonl | head -1 >/dev/null; echo ${PIPESTATUS[0]}");
        CHECK(ignoring.out == "141\n");
    }

    TEST_CASE("output that cannot be written is code 4 with a message") {
        const Scratch scratch;
        for (const char* line : {"aa clean.jsonl >&-", "aa clean.jsonl >/dev/full", "aa --help >/dev/full",
                                 "aa -o missing/x.txt clean.jsonl", "aa -o /dev/full clean.jsonl",
                                 "aa -o . clean.jsonl", "aa rules >&-"}) {
            CAPTURE(line);
            const Outcome bad = scratch.run(line);
            CHECK(bad.status == 4);
            CHECK(holds(bad.err, "cannot write"));
        }
    }

    TEST_CASE("closed standard streams do not turn up as somebody else's file") {
        const Scratch scratch;
        CHECK(scratch.status("aa clean.jsonl -o r.txt <&- >&- 2>&-") == 0);
        CHECK(holds(slurp(scratch / "r.txt"), "clean"));
        CHECK(slurp(scratch / "clean.jsonl") ==
              slurp(fs::path(agent_audit::test::project_folder()) / "testdata/golden/clean/session.jsonl"));
    }

    TEST_CASE("files appear whole, for their owner only, beside nothing else") {
        const Scratch scratch;
        const Outcome seen =
            scratch.run("mkdir d; aa -o d/r.txt -o json=d/r.json -o ndjson=- exact-repeat.jsonl; ls -A d");
        CHECK(holds(seen.out, "r.json\nr.txt\n"));
        CHECK(holds(seen.out, "{\"kind\":\"summary\""));
        CHECK(holds(slurp(scratch / "d/r.txt"), "stuck"));
        CHECK(nlohmann::json::accept(slurp(scratch / "d/r.json")));
        struct stat info {};
        REQUIRE(::stat((scratch / "d/r.json").c_str(), &info) == 0);
        CHECK((info.st_mode & 0777) == 0600);
    }

    TEST_CASE("a failed write leaves the old file as it was") {
        const Scratch scratch;
        const Outcome seen = scratch.run(
            "mkdir d; echo old > d/r.txt; (ulimit -f 0; trap '' XFSZ; aa -f json -o d/r.txt clean.jsonl); "
            "echo $?; ls -A d");
        CHECK(seen.out == "4\nr.txt\n");
        CHECK(slurp(scratch / "d/r.txt") == "old\n");
    }

    TEST_CASE("an output that fails on the way keeps the others from nobody") {
        const Scratch scratch;
        const Outcome seen = scratch.run(
            "mkdir d; (ulimit -f 0; trap '' XFSZ; aa -o d/r.json -o - clean.jsonl; echo code $?) | cat; ls -A d");
        CHECK(holds(seen.out, "clean"));
        CHECK(seen.out.ends_with("code 4\n"));
    }

    TEST_CASE("a link is followed, not replaced") {
        const Scratch scratch;
        CHECK(scratch.status(
                  "echo old > real.txt; ln -s real.txt link.txt; aa -q -o link.txt clean.jsonl; test -L link.txt") ==
              0);
        CHECK(holds(slurp(scratch / "real.txt"), "clean"));
    }

    TEST_CASE("colour obeys the flag, then the environment, then the terminal") {
        const Scratch scratch;
        const auto colored = [&](const std::string& line) { return holds(scratch.run(line).out, "\x1b["); };
        CHECK_FALSE(colored("aa clean.jsonl"));
        CHECK(colored("aa --color always clean.jsonl"));
        CHECK(colored("CLICOLOR_FORCE=1 aa clean.jsonl"));
        CHECK(colored("FORCE_COLOR=1 TERM=dumb aa clean.jsonl"));
        CHECK_FALSE(colored("FORCE_COLOR=0 aa clean.jsonl"));
        CHECK_FALSE(colored("NO_COLOR=1 FORCE_COLOR=1 aa clean.jsonl"));
        CHECK(colored("NO_COLOR=1 aa --color=always clean.jsonl"));
        CHECK_FALSE(colored("FORCE_COLOR=1 aa --color=never clean.jsonl"));
    }

    TEST_CASE("symbols beyond ASCII need a UTF-8 locale") {
        const Scratch scratch;
        CHECK(holds(scratch.run("aa clean.jsonl").out, "\u2713"));
        const std::string plain = scratch.run("LC_ALL=C aa clean.jsonl").out;
        CHECK(std::all_of(plain.begin(), plain.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    }

    TEST_CASE("a hostile transcript commands neither terminal nor CI runner") {
        const Scratch scratch;
        for (const char* line : {"GITHUB_ACTIONS=true aa -v escape-sequences.jsonl",
                                 "GITHUB_ACTIONS=true aa -f json escape-sequences.jsonl"}) {
            CAPTURE(line);
            const Outcome seen = scratch.run(line);
            CHECK(seen.out.size() > 200);
            CHECK_FALSE(holds(seen.out, "\x1b"));
            CHECK_FALSE(holds(seen.out, "\u202e"));
            CHECK_FALSE(holds(seen.out, "##["));
            CHECK_FALSE(holds(seen.out, "\n::"));
        }
        const Outcome named = scratch.run("aa $'bad\\x1b[31mname.jsonl'");
        CHECK_FALSE(holds(named.err + named.out, "\x1b"));
    }

    TEST_CASE("the same input gives the same bytes, whatever the number of jobs") {
        const Scratch scratch;
        for (const char* format : {"text", "json", "ndjson"}) {
            CAPTURE(format);
            const std::string line = std::string(" -f ") + format + " *.jsonl";
            const std::string one = scratch.run("aa -j1" + line).out;
            CHECK(one.size() > 100);
            CHECK(scratch.run("aa -j2" + line).out == one);
            CHECK(scratch.run("aa -j8" + line).out == one);
        }
    }

    TEST_CASE("flags may be repeated, joined, abbreviated by letter and follow the input") {
        const Scratch scratch;
        CHECK(scratch.run("aa exact-repeat.jsonl --select=loop/cycle --select AA101 -fjson --exit-zero").out ==
              scratch.run("aa --exit-zero -f json --select loop/cycle,loop/exact-repeat exact-repeat.jsonl").out);
        CHECK(scratch.status("aa -qj2 clean.jsonl") == 0);
    }

    TEST_CASE("a policy moves the line between warning and error, and the report names it") {
        const Scratch scratch;
        const std::string line = "aa exact-repeat.jsonl --set AA101.warn=12 --select AA101 -f json ";
        const auto severity = [&](const Outcome& seen) {
            return nlohmann::json::parse(seen.out)["findings"][0]["severity"];
        };
        CHECK(severity(scratch.run(line + "--policy strict")) == "error");
        CHECK(severity(scratch.run(line + "--policy permissive --set AA101.fail=13")) == "warning");
        const Outcome from_environment = scratch.run("AGENT_AUDIT_POLICY=strict aa -f json clean.jsonl");
        CHECK(nlohmann::json::parse(from_environment.out)["summary"]["policy"] == "strict");
        CHECK(holds(scratch.run("aa --policy permissive clean.jsonl").out, "policy permissive"));
    }

    TEST_CASE("tables are set by key, from the command line and the environment, and explained") {
        const Scratch scratch;
        const auto findings = [&](const std::string& line) {
            return nlohmann::json::parse(scratch.run(line).out)["findings"].size();
        };
        REQUIRE(findings("aa -f json exact-repeat.jsonl") == 1);
        CHECK(findings("aa -f json exact-repeat.jsonl --set tools.class.Bash=wait") == 0);
        CHECK(findings("AGENT_AUDIT_SET=tools.class.bash=wait aa -f json exact-repeat.jsonl") == 0);
        const std::string page = scratch.run("aa explain settings").out;
        for (const char* part :
             {"permissive", "tools.class.<tool>", "errors.transient-codes", "connection", "engine.segment"})
            CHECK(holds(page, part));
        const auto tools = nlohmann::json::parse(
            scratch.run("aa -f json exact-repeat.jsonl --set 'errors.infrastructure=rounds half up'")
                .out)["summary"]["tools"];
        CHECK(tools[0]["failures_by_class"] == nlohmann::json{{"infrastructure", 12}});
    }

    TEST_CASE("thresholds can be set by rule name or code") {
        const Scratch scratch;
        const auto params = nlohmann::json::parse(scratch.run("aa rules -f json").out)["rules"];
        const auto rule =
            std::find_if(params.begin(), params.end(), [](const auto& r) { return r["code"] == "AA101"; });
        REQUIRE(rule != params.end());
        const std::string id = (*rule)["rule"], name = (*rule)["params"][0]["name"], low = (*rule)["params"][0]["min"];
        CHECK(scratch.status("aa --exit-zero -q exact-repeat.jsonl --set " + id + "." + name + "=" + low) == 0);
        CHECK(scratch.status("aa --exit-zero -q exact-repeat.jsonl --set AA101." + name + "=" + low) == 0);
        CHECK(scratch.run("aa exact-repeat.jsonl --set AA101." + name + "=x").status == 2);
    }

    TEST_CASE("a line longer than --max-line-size is counted, not read") {
        const Scratch scratch;
        const Outcome seen =
            scratch.run("{ cat clean.jsonl; printf '{\"x\":\"%05000d\"}\\n' 0; } | aa -f json --max-line-size 2K");
        CHECK(nlohmann::json::parse(seen.out)["summary"]["records"]["too_long"] == 1);
    }

    TEST_CASE("--as adds what other agents would have done, and changes nothing else") {
        const Scratch scratch;
        const Outcome plain = scratch.run("aa -f json exact-repeat.jsonl clean.jsonl");
        const Outcome seen = scratch.run("aa -f json --as all exact-repeat.jsonl clean.jsonl");
        CHECK(seen.status == plain.status);
        auto with = nlohmann::json::parse(seen.out);
        const auto without = nlohmann::json::parse(plain.out);
        const auto totals = with["summary"]["peers"];
        CHECK(totals.size() >= 17);
        for (const auto& peer : totals) {
            CAPTURE(peer["profile"].get<std::string>());
            CHECK(peer["sessions"] == 2);
            CHECK(peer["right"].get<int>() + peer["false_alarm"].get<int>() + peer["missed"].get<int>() +
                      peer["silent_right"].get<int>() ==
                  2);
        }
        with["summary"].erase("peers");
        for (auto& session : with["sessions"]) {
            CHECK(session["peers"].size() == totals.size());
            session.erase("peers");
        }
        CHECK(with == without);
        CHECK(scratch.run("aa -f json exact-repeat.jsonl clean.jsonl --as roo,cline --as roo -j1").out ==
              scratch.run("aa -f json exact-repeat.jsonl clean.jsonl --as cline,roo -j4").out);
    }

    TEST_CASE("--as names what it knows and refuses what it does not") {
        const Scratch scratch;
        const Outcome list = scratch.run("aa scan --as list");
        CHECK(list.status == 0);
        for (const char* name : {"gemini-cli", "qwen-code+heuristics", "openhands-v0", "openclaw", "window-counter"})
            CHECK(holds(list.out, name));
        const Outcome wrong = scratch.run("aa --as open-claw clean.jsonl");
        CHECK(wrong.status == 2);
        CHECK(holds(wrong.err, "did you mean 'openclaw'?"));
        CHECK(scratch.status("aa --as , clean.jsonl") == 2);
    }

    TEST_CASE("progress is silent in a pipe") {
        const Scratch scratch;
        CHECK(scratch.run("aa --progress always clean.jsonl").err == "");
        CHECK(scratch.run("aa --progress never clean.jsonl").err == "");
    }
}

TEST_SUITE("commands") {
    TEST_CASE("rules lists every rule, and explain has a page for each by name and code") {
        const Scratch scratch;
        const auto rules = nlohmann::json::parse(scratch.run("aa rules -f json").out)["rules"];
        REQUIRE(rules.size() >= 6);
        const std::string listed = scratch.run("aa rules").out;
        std::size_t number = 0;
        for (const auto& rule : rules) {
            const std::string id = rule["rule"], code = rule["code"];
            CAPTURE(id);
            CHECK(holds(listed, code + "  " + id));
            if (!agent_audit::test::looked_at(number++)) continue;
            const Outcome page = scratch.run("aa explain " + id);
            CHECK(page.status == 0);
            CHECK(page.out.starts_with("# " + id + " (" + code + ")"));
            CHECK(holds(page.out, "--ignore " + id));
            for (const auto& param : rule["params"])
                CHECK(holds(page.out, "`" + param["name"].get<std::string>() + "`"));
            CHECK(scratch.run("aa explain " + code).out == page.out);
        }
    }

    TEST_CASE("formats lists every reader with its signals") {
        const Scratch scratch;
        const auto formats = nlohmann::json::parse(scratch.run("aa formats -f json").out)["formats"];
        const std::string listed = scratch.run("aa formats").out;
        const std::string verbose = scratch.run("aa formats -v").out;
        REQUIRE(formats.size() >= 3);
        for (const auto& format : formats) {
            CHECK(holds(listed, format["format"].get<std::string>()));
            CHECK(format["signals"].size() > 0);
        }
        CHECK(verbose.size() > listed.size());
    }

    TEST_CASE("convert writes what scan reads with the same findings") {
        const Scratch scratch;
        CHECK(scratch.status("aa convert --to events exact-repeat.jsonl -o e.jsonl") == 0);
        const Outcome before = scratch.run("aa -q exact-repeat.jsonl");
        const Outcome after = scratch.run("aa -q e.jsonl");
        CHECK(before.status == 1);
        CHECK(after.status == 1);
        std::string renamed = after.out;
        for (auto at = renamed.find(" e.jsonl:"); at != renamed.npos; at = renamed.find(" e.jsonl:"))
            renamed.replace(at, 8, " exact-repeat.jsonl");
        CHECK(renamed == before.out);
        CHECK(scratch.run("aa convert --to events - <exact-repeat.jsonl | aa -q -").status == 1);
        CHECK(scratch
                  .run("aa convert --to events exact-repeat.jsonl | aa convert --to chat | aa -q --input-format "
                       "chat-completions")
                  .status == 1);
    }

    TEST_CASE("several inputs of a conversion are one stream and several sessions") {
        const Scratch scratch;
        CHECK(scratch.status(
                  "mkdir in && cp clean.jsonl exact-repeat.jsonl in && aa convert --to events -o all.jsonl in && "
                  "aa convert --to atif -o all.json in && aa convert --to chat -o all.chat in") == 0);
        for (const char* file : {"all.jsonl", "all.json", "all.chat"}) {
            CAPTURE(file);
            const auto report = nlohmann::json::parse(scratch.run(std::string("aa -f json ") + file).out);
            CHECK(report["sessions"].size() == 2);
        }
    }

    TEST_CASE("a conversion ends with the documented codes") {
        const Scratch scratch;
        CHECK(scratch.status("aa convert clean.jsonl") == 2);
        CHECK(holds(scratch.run("aa convert --to evens clean.jsonl").err, "did you mean events?"));
        CHECK(scratch.status("aa convert --to evens clean.jsonl") == 2);
        CHECK(scratch.status("aa convert --to chat no-such-file.jsonl") == 3);
        CHECK(scratch.status("echo '{\"a\":1}' > other.json; aa convert --to chat other.json") == 3);
        CHECK(scratch.status("aa convert --to events malformed-line.jsonl") == 0);
        CHECK(scratch.status("aa convert --to events --strict-input malformed-line.jsonl") == 3);
        CHECK(scratch.status("aa convert --to events -o no/such/folder clean.jsonl") == 4);
        CHECK(scratch.status("aa convert --to events clean.jsonl >/dev/full") == 4);
        CHECK(
            scratch
                .run("aa convert --to events exact-repeat.jsonl exact-repeat.jsonl | head -c 1; exit ${PIPESTATUS[1]}")
                .err == "");
    }

    TEST_CASE("whoever stops reading a conversion ends it quietly") {
        const Scratch scratch;
        const Outcome gone = scratch.run(
            "text=$(<exact-repeat.jsonl); for i in {1..300}; do echo \"$text\" > s$i.jsonl; done\n"
            "set +o pipefail; aa convert --to events s*.jsonl | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}");
        CHECK(gone.status == 141);
        CHECK(gone.err == "");
    }

    TEST_CASE("a converted file appears whole or not at all") {
        const Scratch scratch;
        CHECK(scratch.status("echo before > out.jsonl; aa convert --to events -o out.jsonl no-such-file.jsonl") == 3);
        CHECK(slurp(scratch / "out.jsonl") == "before\n");
        CHECK(scratch.status("aa convert --to events -o out.jsonl clean.jsonl") == 0);
        CHECK(holds(slurp(scratch / "out.jsonl"), "agent_audit_events"));
        CHECK(scratch.run("stat -c %a out.jsonl").out == "600\n");
        CHECK(scratch.run("ls -A | grep -c XXXX; ls -A | grep 'out.jsonl.'").out == "0\n");
    }

    TEST_CASE("a conversion keeps secrets unless they are to be taken out") {
        const Scratch scratch;
        const std::string session = R"(echo '{"agent_audit_events":1}
{"kind":"message","seq":1,"line":1,"role":"user","origin":"human","text":"use ghp_abcdefghij0123456789ABCDEFGHIJ012345 in /home/ada/x"}' > e.jsonl; )";
        for (const char* to : {"events", "atif", "chat"}) {
            CAPTURE(std::string(to));
            const std::string convert = session + "aa convert e.jsonl --to " + to;
            CHECK(holds(scratch.run(convert).out, "ghp_abcdefghij0123456789ABCDEFGHIJ012345"));
            for (const char* how : {" --redact secrets", " --redact strict"}) {
                const std::string out = scratch.run(convert + how).out;
                CHECK_FALSE(holds(out, "ghp_"));
                CHECK_FALSE(holds(out, "/ada"));
                CHECK(holds(out, "[redacted github token] in ~/x"));
            }
            CHECK_FALSE(
                holds(scratch.run(session + "AGENT_AUDIT_REDACT=strict aa convert e.jsonl --to " + to).out, "ghp_"));
        }
    }

    TEST_CASE("schemas are JSON and are named when none is asked for") {
        const Scratch scratch;
        CHECK(holds(scratch.run("aa schema").out, "ndjson"));
        for (const char* name : {"result", "ndjson", "events"}) {
            const auto schema = nlohmann::json::parse(scratch.run(std::string("aa schema ") + name).out);
            CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
        }
    }

    TEST_CASE("reference pages are written, checked, and a change is noticed") {
        const Scratch scratch;
        CHECK(scratch.status("aa reference --out ref") == 0);
        CHECK(scratch.status("aa reference --out ref --check") == 0);
        CHECK(fs::exists(scratch / "ref/rules/loop-exact-repeat.md"));
        const Outcome changed = scratch.run("echo x >> ref/cli.md; aa reference --out ref --check");
        CHECK(changed.status == 1);
        CHECK(holds(changed.err, "ref/cli.md"));
        CHECK(scratch.status("aa reference --check") == 2);
    }
}
