#include "support/format_checkers.hpp"
#include "support/places.hpp"
#include "support/slurp.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace agent_audit;
using agent_audit::test::slurp;

struct Outcome {
    int status = -1;
    std::string out;
    std::string err;
};

class Desk {
public:
    Desk() {
        std::string name = (fs::temp_directory_path() / "agent-audit-outputs-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        folder_ = name;
        const fs::path data = fs::path(test::project_folder()) / "testdata";
        fs::copy_file(data / "demo/stuck-session.jsonl", folder_ / "stuck.jsonl");
        fs::copy_file(data / "golden/clean/session.jsonl", folder_ / "clean.jsonl");
        fs::copy_file(data / "golden/malformed-line/session.jsonl", folder_ / "damaged.jsonl");
    }
    ~Desk() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    /// Lines of bash in which `aa` is the program.
    Outcome run(const std::string& lines) const {
        const fs::path script = folder_ / ".script";
        std::ofstream(script)
            << "unset GITHUB_ACTIONS GITHUB_WORKSPACE CI_PROJECT_DIR BUILD_SOURCESDIRECTORY BITBUCKET_CLONE_DIR "
               "TF_BUILD TEAMCITY_VERSION GITHUB_STEP_SUMMARY NO_COLOR CLICOLOR FORCE_COLOR TERM COLUMNS\n"
            << "export LC_ALL=C.UTF-8\naa() { '" + test::program_file() + "' \"$@\"; }\ncd '" << folder_.string()
            << "'\n"
            << lines << "\n";
        const std::string command = "bash '" + script.string() + "' >'" + (folder_ / ".out").string() + "' 2>'" +
                                    (folder_ / ".err").string() + "' </dev/null";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / ".out"), slurp(folder_ / ".err")};
    }
    std::string file(const char* name) const { return slurp(folder_ / name); }
    bool has(const char* name) const { return fs::exists(folder_ / name); }

private:
    fs::path folder_;
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_SUITE("outputs") {
    TEST_CASE("--hash names every input by its SHA-256, as it lies on the disk, and only when asked") {
        const Desk desk;
        const Outcome seen = desk.run(
            "gzip -k clean.jsonl && aa --exit-zero -q -o sarif=a.sarif --hash stuck.jsonl clean.jsonl.gz && "
            "aa --exit-zero -q -o sarif=b.sarif stuck.jsonl && sha256sum stuck.jsonl clean.jsonl.gz");
        CHECK(seen.status == 0);
        const auto with = nlohmann::json::parse(desk.file("a.sarif"))["runs"][0]["artifacts"];
        REQUIRE(with.size() == 2);
        for (const auto& artifact : with)
            CHECK(holds(seen.out, artifact["hashes"]["sha-256"].get<std::string>() + "  " +
                                      artifact["location"]["uri"].get<std::string>()));
        CHECK_FALSE(nlohmann::json::parse(desk.file("b.sarif"))["runs"][0]["artifacts"][0].contains("hashes"));
    }

    TEST_CASE("one run writes several formats, and standard output has its own") {
        const Desk desk;
        const Outcome seen = desk.run(
            "aa -q -f text -o sarif=a.sarif -o junit=a.xml -o tap=a.tap -o gitlab=a.json -o csv=a.csv -o markdown=a.md "
            "stuck.jsonl");
        CHECK(seen.status == 1);
        CHECK(holds(seen.out, "stuck: 1 error"));
        CHECK(nlohmann::json::parse(desk.file("a.sarif"))["runs"][0]["results"].size() == 1);
        CHECK(nlohmann::json::parse(desk.file("a.sarif"))["runs"][0]["invocations"][0]["exitCode"] == 1);
        CHECK(nlohmann::json::parse(desk.file("a.json")).size() == 1);
        CHECK(test::read_csv(desk.file("a.csv")).size() == 2);
        CHECK(test::read_tap(desk.file("a.tap")).size() > 20);
        pugi::xml_document document;
        test::load_xml(document, desk.file("a.xml"));
        CHECK(document.child("testsuites").attribute("failures").as_uint() == 1);
        test::markdown_shape(desk.file("a.md"));
    }

    TEST_CASE("a place that cannot be written is told and code 4, whatever the reason") {
        const Desk desk;
        const std::string long_name(300, 'n');
        for (const std::string& place : {long_name, std::string("loop/x.json"), std::string("clean.jsonl/x.json")}) {
            CAPTURE(place);
            const Outcome seen = desk.run("ln -sfn loop loop; aa -o json=" + place + " clean.jsonl");
            CHECK(seen.status == 4);
            CHECK(seen.err.starts_with("agent-audit: cannot write " + place + ": "));
            CHECK(desk.run("aa policy init " + place).err.starts_with("agent-audit: cannot write " + place + ": "));
        }
    }

    TEST_CASE("-o FILE takes the place of standard output, and -o FORMAT=FILE does not take that of -f") {
        const Desk desk;
        CHECK(desk.run("aa -f json -o r.json clean.jsonl").out.empty());
        CHECK(nlohmann::json::accept(desk.file("r.json")));
        CHECK(holds(desk.run("aa -f compact -o json=r2.json stuck.jsonl").out, "stuck.jsonl:26:1: error: "));
        CHECK(desk.run("aa -o json=r3.json stuck.jsonl").out.empty());
        CHECK(nlohmann::json::accept(desk.file("r3.json")));
        CHECK(holds(desk.run("AGENT_AUDIT_FORMAT=compact aa -o json=r4.json stuck.jsonl").out, ":1: error: "));
        CHECK(desk.run("aa -f json -o r.json -o text=r.txt clean.jsonl").out.empty());
        CHECK(holds(desk.file("r.txt"), "clean"));
        CHECK(nlohmann::json::accept(desk.run("aa -o text=r.txt -o json=- clean.jsonl").out));
    }

    TEST_CASE("--fail-on decides what is a failure in the formats of test runners as well") {
        const Desk desk;
        const Outcome seen = desk.run("aa -f tap --exit-zero stuck.jsonl");
        CHECK(seen.status == 0);
        for (const test::TapPoint& point : test::read_tap(seen.out)) CHECK(point.ok);
    }

    TEST_CASE("the job's summary is appended to, and only when annotations are written") {
        const Desk desk;
        const std::string summary = "export GITHUB_STEP_SUMMARY=$PWD/summary.md; ";
        CHECK(desk.run(summary + "aa -q stuck.jsonl").status == 1);
        CHECK(!desk.has("summary.md"));
        const Outcome seen = desk.run(summary + "echo before > summary.md; aa -f github stuck.jsonl");
        CHECK(seen.status == 1);
        CHECK(test::read_github(seen.out).size() == 1);
        CHECK(desk.file("summary.md").starts_with("before\n## agent-audit\n"));
        CHECK(holds(desk.file("summary.md"), "#### error: loop/exact-repeat"));
        const Outcome below = desk.run(
            "export GITHUB_WORKSPACE=$PWD GITHUB_STEP_SUMMARY=$PWD/below.md; "
            "mkdir logs; cp stuck.jsonl logs; cd logs; aa -f github \"$PWD/stuck.jsonl\"");
        CHECK(holds(below.out, "file=logs/stuck.jsonl,"));
        CHECK(holds(desk.file("below.md"), "At ` logs/stuck.jsonl:"));
        CHECK(desk.run("export GITHUB_STEP_SUMMARY=/dev/full; aa -f github stuck.jsonl").status == 4);
        CHECK(desk.run("aa -f github clean.jsonl").out.empty());
    }

    TEST_CASE("saved results are shown in any format, as the scan would have shown them") {
        const Desk desk;
        REQUIRE(desk.run("aa -q -o json=r.json -o ndjson=r.ndjson stuck.jsonl clean.jsonl damaged.jsonl").status == 1);
        for (const char* format :
             {"text", "compact", "json", "ndjson", "junit", "tap", "github", "gitlab", "markdown", "csv"}) {
            CAPTURE(format);
            // Strict redaction is what the shared formats have by default; of what is saved nothing more can be taken.
            const std::string flags = std::string(" -f ") + format + " --redact secrets ";
            const std::string scanned = desk.run("aa" + flags + "stuck.jsonl clean.jsonl damaged.jsonl").out;
            for (const char* saved : {"r.json", "r.ndjson"}) {
                const Outcome shown = desk.run("aa report" + flags + saved);
                CHECK(shown.status == 1);
                CHECK(shown.out == scanned);
            }
        }
        CHECK(desk.run("aa report - < r.json").status == 1);
        CHECK(desk.run("cat r.ndjson | aa report -q").status == 1);
        CHECK(desk.run("aa report --exit-zero r.json").status == 0);
    }

    TEST_CASE("report ends with the codes of scan") {
        const Desk desk;
        REQUIRE(desk.run("aa -q -o json=clean.json clean.jsonl; aa -q -o json=stuck.json stuck.jsonl; "
                         "aa -q -o json=lost.json missing.jsonl; true")
                    .status == 0);
        CHECK(desk.run("aa report clean.json").status == 0);
        CHECK(desk.run("aa report stuck.json clean.json").status == 1);
        CHECK(desk.run("aa report --min-confidence 1 stuck.json").status == 0);
        CHECK(desk.run("aa report lost.json").status == 3);
        const Outcome none = desk.run("aa report missing.json");
        CHECK(none.status == 3);
        CHECK(holds(none.err, "cannot open 'missing.json': no such file"));
        CHECK(desk.run("aa report stuck.jsonl").status == 3);
        CHECK(desk.run("aa report stuck.json missing.json").status == 1);
        CHECK(desk.run("aa report --strict-input stuck.json missing.json").status == 3);
        CHECK(desk.run("aa report --no-such-flag clean.json").status == 2);
        CHECK(desk.run("aa report -f jsn clean.json").status == 2);
        CHECK(desk.run("aa report clean.json >/dev/full").status == 4);
        CHECK(desk.run("aa report -o missing/x clean.json").status == 4);
        CHECK(desk.run("aa report .").status == 3);
    }

    TEST_CASE("every format survives a full disk, a closed output and a reader that goes away") {
        const Desk desk;
        for (const char* format :
             {"text", "compact", "json", "ndjson", "sarif", "junit", "tap", "github", "gitlab", "markdown", "csv"}) {
            CAPTURE(format);
            const std::string scan = std::string("aa -f ") + format + " stuck.jsonl ";
            for (const char* where : {">/dev/full", ">&-"}) {
                const Outcome bad = desk.run(scan + where);
                CHECK(bad.status == 4);
                CHECK(holds(bad.err, "cannot write standard output"));
            }
            CHECK(desk.run(scan + "-o " + format + "=/dev/full >/dev/null").status == 4);
            // A reader that is gone before the first byte.
            const Outcome gone = desk.run("mkfifo p; (exec 3<p) & exec 4>p; wait; " + scan + ">&4; echo $?; rm p");
            CHECK(gone.out == "141\n");
            CHECK(gone.err.empty());
        }
    }

    TEST_CASE("an interrupted program says so by its code and leaves no unfinished file") {
        const Desk desk;
        const std::pair<const char*, const char*> signals[] = {{"INT", "130"}, {"TERM", "143"}, {"HUP", "129"}};
        for (const auto& one : signals) {
            const char* signal = one.first;
            const char* code = one.second;
            CAPTURE(signal);
            // It waits for a pipe that nobody writes to; job control, or a shell would have it ignore INT.
            const Outcome ended =
                desk.run(std::string("set -m; mkdir d; mkfifo p; echo old > d/out.jsonl\n"
                                     "'" +
                                     test::program_file() +
                                     "' convert --to events -o d/out.jsonl p & exec 3>p\n"
                                     "for i in $(seq 100); do [ $(ls -A d | wc -l) -gt 1 ] && break; sleep 0.05; done\n"
                                     "ls -A d | wc -l; kill -s ") +
                         signal + " $!; wait $!; echo $?; ls -A d; cat d/out.jsonl; exec 3>&-; rm -r d p");
            CHECK(ended.out == std::string("2\n") + code + "\nout.jsonl\nold\n");
        }
        const Outcome scan = desk.run("set -m; mkfifo p; '" + test::program_file() +
                                      "' -o json=r.json p & exec 3>p; sleep 0.3; "
                                      "kill -s INT $!; wait $!; echo $?; ls r.json 2>/dev/null; exec 3>&-; rm p");
        CHECK(scan.out == "130\n");
    }

    TEST_CASE("a CI runner finds no command in any format but in the annotations") {
        const Desk desk;
        for (const char* format :
             {"text", "compact", "json", "ndjson", "sarif", "junit", "tap", "gitlab", "markdown", "csv"}) {
            CAPTURE(format);
            test::require_no_ci_commands(
                desk.run(std::string("export GITHUB_ACTIONS=true; aa -f ") + format + " stuck.jsonl").out);
        }
    }

    TEST_CASE("on runners of Azure and TeamCity their commands are broken, and nowhere else") {
        const Desk desk;
        desk.run("sed 's/npm test/##vso[task.setvariable variable=PATH]x ##teamcity[y]/g' stuck.jsonl >h.jsonl");
        for (const char* runner : {"TF_BUILD=True", "TEAMCITY_VERSION=2026.1"}) {
            for (const char* command :
                 {"aa -f text", "aa -f html", "aa -f json", "aa -f junit", "aa replay --policy strict -v"}) {
                CAPTURE(runner);
                CAPTURE(command);
                const Outcome seen = desk.run(std::string("export ") + runner + "; " + command + " h.jsonl");
                CHECK_FALSE(holds(seen.out, "##vso["));
                CHECK_FALSE(holds(seen.out, "##teamcity["));
                CHECK(holds(seen.out, "task.setvariable"));
            }
        }
        CHECK(holds(desk.run("aa -f text h.jsonl").out, "##vso["));
    }

    TEST_CASE("a limit on findings makes no failed session green, and is said where a format cannot say it") {
        const Desk desk;
        desk.run("mkdir logs; for i in 1 2 3; do sed \"s/5d0c4a7e/5d0c4a7$i/g\" stuck.jsonl >logs/$i.jsonl; done");
        CHECK(holds(desk.run("aa -f junit --max-findings 1 logs").out, "failures=\"3\""));
        desk.run("aa -q --exit-zero --max-findings 1 -f json -o r.json logs");
        CHECK(holds(desk.run("aa report -f junit r.json").out, "failures=\"3\""));
        CHECK(holds(desk.run("aa -f csv --max-findings 1 logs").err, "2 findings not listed in csv (--max-findings)"));
        CHECK(desk.run("aa -f csv logs").err.empty());
        // A result that leaves findings out cannot say that nothing appeared.
        desk.run(
            "aa -q --exit-zero -f json -o all.json logs; aa -q --exit-zero -f json -o one.json logs/1.jsonl; aa -q "
            "--exit-zero --max-findings 1 -f json -o cut.json logs");
        CHECK(desk.run("aa diff all.json cut.json").status == 3);
        CHECK(desk.run("aa diff cut.json one.json").status == 0);
        CHECK(desk.run("aa diff one.json all.json").status == 1);
        CHECK(desk.run("aa diff --fail-on never all.json cut.json").status == 0);
    }

    TEST_CASE("what the options keep from working is said on standard error") {
        const Desk desk;
        CHECK(holds(desk.run("aa -q --fail-on warning --min-severity error stuck.jsonl").err,
                    "--fail-on warning fails for nothing below error: --min-severity leaves it out"));
        CHECK(desk.run("aa -q --fail-on error --min-severity error stuck.jsonl").err.empty());
        CHECK(desk.run("aa -q --min-severity error stuck.jsonl").err.empty());
        CHECK(holds(desk.run("AGENT_AUDIT_FAIL_ON=info AGENT_AUDIT_MIN_SEVERITY=warning aa config check").err,
                    "--fail-on info fails for nothing"));
        CHECK(holds(desk.run("aa -q -o audit.sarif stuck.jsonl").err,
                    "audit.sarif will hold text; '-o sarif=audit.sarif' writes sarif"));
        CHECK(desk.run("aa -q -o audit.txt stuck.jsonl; aa -f sarif -o audit.sarif stuck.jsonl; aa -o sarif=b.sarif "
                       "stuck.jsonl")
                  .err.empty());
        CHECK(desk.run("aa -q --select AA101 --ignore loop stuck.jsonl").status == 2);
        CHECK(desk.run("aa -q --select 'loop, budget' stuck.jsonl").status == 1);
        CHECK(desk.run("AGENT_AUDIT_EXIT_ZERO=True aa -q stuck.jsonl").status == 0);
        CHECK(desk.run("mkdir e; cp clean.jsonl e; : >e/empty.jsonl; aa -q e").status == 0);
        const Outcome empty = desk.run("aa -q --strict-input e");
        CHECK(empty.status == 3);
        CHECK(holds(empty.err, "e/empty.jsonl"));
    }

    TEST_CASE("a recording of the run is never written over, whatever its name in the command") {
        const Desk desk;
        const std::string before = desk.file("stuck.jsonl");
        for (const char* line :
             {"aa -q -o stuck.jsonl stuck.jsonl", "mkdir -p d; cp -n stuck.jsonl d; aa -q -o json=d/stuck.jsonl d",
              "ln -f stuck.jsonl link.jsonl; aa -q -o junit=./link.jsonl stuck.jsonl clean.jsonl",
              "aa convert --to events -o stuck.jsonl stuck.jsonl", "aa convert --to chat -o d/stuck.jsonl d",
              "aa reset -o stuck.jsonl stuck.jsonl"}) {
            CAPTURE(line);
            const Outcome seen = desk.run(line);
            CHECK(seen.status == 2);
            CHECK(holds(seen.err, "which is left as it is"));
            CHECK(holds(seen.err, "stuck.jsonl"));
        }
        CHECK(desk.file("stuck.jsonl") == before);
        CHECK(desk.file("d/stuck.jsonl") == before);
        // Nor one that is no input of the run: the first file of a glob behind -o, or -o without any input.
        for (const char* line :
             {"aa -q -o stuck.jsonl clean.jsonl", "aa -q -o stuck.jsonl </dev/null",
              "aa -q -o json=stuck.jsonl clean.jsonl",
              "aa -q -f json -o r.json clean.jsonl; aa report -o stuck.jsonl r.json",
              "aa reset -o stuck.jsonl clean.jsonl", "aa replay --policy strict -o stuck.jsonl clean.jsonl",
              "aa convert --to chat -o stuck.jsonl clean.jsonl"}) {
            CAPTURE(line);
            const Outcome seen = desk.run(line);
            CHECK(seen.status == 2);
            CHECK(holds(seen.err, "\"stuck.jsonl\": a recording of claude-code is there"));
        }
        CHECK(desk.file("stuck.jsonl") == before);
        // What a command wrote itself may be written anew, also where it can be read as a session.
        for (const char* line :
             {"aa convert --to events -o c.jsonl clean.jsonl", "aa convert --to atif -o a.json clean.jsonl",
              "aa convert --to chat -o h.jsonl clean.jsonl", "aa reset -f chat -o f.json clean.jsonl",
              "aa reset -f anthropic -o m.json clean.jsonl", "aa -f ndjson -o n.jsonl clean.jsonl",
              "aa -f html -o p.html clean.jsonl", "aa -f sarif -o s.sarif clean.jsonl"}) {
            CAPTURE(line);
            CHECK(desk.run(line).status == 0);
            CHECK(desk.run(line).status == 0);
        }
        // What the last run wrote beside them is no recording.
        CHECK(desk.run("aa -o d/result.json -f json d; aa -o d/result.json -f json d").status == 1);
    }

    TEST_CASE("a replay under contexts goes into files as one under policies does") {
        const Desk desk;
        const std::string page = desk.run("aa replay --context none,pi -f html stuck.jsonl").out;
        const std::string json = desk.run("aa replay --context none,pi -f json stuck.jsonl").out;
        const std::string turns = desk.run("aa replay --context pi --turns stuck.jsonl").out;
        CHECK_FALSE(turns.empty());
        const Outcome seen = desk.run("aa replay --context none,pi -f text -o html=p.html -o json=r.json stuck.jsonl");
        CHECK(seen.status == 0);
        CHECK(holds(seen.out, "never-forget") == false);
        CHECK(holds(seen.out, "none"));
        CHECK(desk.file("p.html") == page);
        CHECK(desk.file("r.json") == json);
        CHECK(desk.run("aa replay --context none,pi -f html -o q.html stuck.jsonl").out.empty());
        CHECK(desk.file("q.html") == page);
        CHECK(desk.run("aa replay --context pi --turns -o t.jsonl stuck.jsonl").out.empty());
        CHECK(desk.file("t.jsonl") == turns);
        for (const char* wrong : {"aa replay -o stuck.jsonl stuck.jsonl", "aa replay -o csv=x stuck.jsonl",
                                  "aa replay -f ndjson stuck.jsonl", "aa replay --turns -o html=x stuck.jsonl",
                                  "aa replay --turns -o a -o b stuck.jsonl", "aa replay -o clean.jsonl stuck.jsonl"}) {
            CAPTURE(wrong);
            CHECK(desk.run(wrong).status == 2);
        }
        CHECK(desk.run("aa replay -o nowhere/x stuck.jsonl").status == 4);
        // Nothing to put there leaves what is there.
        CHECK(desk.run("aa replay -f html -o p.html /dev/null").status != 0);
        CHECK(desk.file("p.html") == page);
    }

    TEST_CASE("a CI runner finds no command in what other commands quote") {
        const Desk desk;
        const Outcome seen = desk.run(
            "sed 's/Amounts on invoices/##[error]pwn ::error::x Amounts/; s/1,234.50/::warning::y/' stuck.jsonl "
            ">h.jsonl\n"
            "printf '[goal]\\ntext = \"##[error]pwn\"\\n[[suppress]]\\nrule=\"loop/cycle\"\\nreason=\"##[error]x\"\\n' "
            ">agent-audit.toml\n"
            "export GITHUB_ACTIONS=true\n"
            "aa reset h.jsonl; aa reset -f chat h.jsonl; aa convert --to events h.jsonl; aa convert --to chat h.jsonl\n"
            "aa checkpoint write --checkpoint-dir cp h.jsonl; aa checkpoint list --checkpoint-dir cp -f json\n"
            "for id in $(ls cp); do aa checkpoint show --checkpoint-dir cp \"${id%.json}\"; aa checkpoint show -f json "
            "--checkpoint-dir cp \"${id%.json}\"; done\n"
            "aa config show; aa config show -f json");
        test::require_no_ci_commands(seen.out);
        test::require_no_ci_commands(seen.err);
        CHECK(holds(seen.out, "##\\u005berror]pwn"));
        CHECK(holds(desk.run("sed 's/Amounts on invoices/##[error]pwn/' stuck.jsonl | GITHUB_ACTIONS=true aa convert "
                             "--to events - | aa reset -")
                        .out,
                    "##[error]pwn"));
    }

    TEST_CASE("what a filter hides is not said to be absent, by the scan and by its saved result") {
        const Desk desk;
        const Outcome seen = desk.run(
            "aa -q --min-severity error --max-findings 1 -f text -o json=r.json clean.jsonl; aa report -q r.json");
        CHECK(holds(seen.out, "clean: no error found in 1 session"));
        CHECK(seen.out.substr(0, seen.out.find('\n')) == seen.out.substr(seen.out.find('\n') + 1, seen.out.find('\n')));
        CHECK(holds(desk.run("aa -q --min-severity warning clean.jsonl").out, "clean: no error or warning found in"));
        CHECK(holds(desk.run("aa -q clean.jsonl").out, "clean: nothing found in"));
    }

    TEST_CASE("-f and another format for standard output contradict each other") {
        const Desk desk;
        const Outcome seen = desk.run("aa -f json -o text=- clean.jsonl");
        CHECK(seen.status == 2);
        CHECK(holds(seen.err, "--format json and --output text=-: which goes to standard output?"));
        CHECK(desk.run("AGENT_AUDIT_FORMAT=json aa -o text=- clean.jsonl").status == 0);
        CHECK(desk.run("aa -f json -o r.json -o text=- clean.jsonl").status == 0);
    }

    TEST_CASE("the same result twice counts once, and shared sessions are told") {
        const Desk desk;
        const Outcome seen = desk.run(
            "aa -q --exit-zero -f json -o a.json stuck.jsonl; aa -q --exit-zero -f ndjson -o b.ndjson stuck.jsonl\n"
            "cp a.json c.json; aa report -q --exit-zero a.json c.json");
        CHECK(holds(seen.out, "1 error in 1 session"));
        CHECK(holds(seen.err, "c.json: the same result as a.json; it counts once"));
        CHECK(holds(desk.run("aa report -q --exit-zero a.json b.ndjson").err,
                    "b.ndjson: 1 session of it stood in a result before"));
        CHECK(desk.run("aa -q --exit-zero -f json -o d.json clean.jsonl; aa report -q --exit-zero a.json d.json")
                  .err.empty());
    }

    TEST_CASE("inputs below the working directory are named from there in reports for services") {
        const Desk desk;
        desk.run(
            "mkdir logs; cp stuck.jsonl logs/a.jsonl; aa --exit-zero -o gitlab=a.json -o sarif=a.sarif \"$PWD/logs\"; "
            "aa --exit-zero -o gitlab=b.json logs/../logs/a.jsonl");
        CHECK(nlohmann::json::parse(desk.file("a.json"))[0]["location"]["path"] == "logs/a.jsonl");
        CHECK(nlohmann::json::parse(desk.file("b.json"))[0]["location"]["path"] == "logs/a.jsonl");
        const auto place = nlohmann::json::parse(desk.file("a.sarif"))["runs"][0]["artifacts"][0]["location"];
        CHECK(place["uri"] == "logs/a.jsonl");
        CHECK(place["uriBaseId"] == "%SRCROOT%");
    }

    TEST_CASE("a folder is no session, and a line behind the end is told") {
        const Desk desk;
        CHECK(holds(desk.run("mkdir d; aa replay d").err,
                    "\"d\" is a folder: replay takes one session; with --policy it takes folders"));
        CHECK(desk.run("aa reset d").status == 2);
        const auto behind =
            desk.run("aa reset --at 118 -o prompt.md stuck.jsonl; s=$?; ls prompt.md 2>/dev/null; exit $s");
        CHECK(behind.status == 2);
        CHECK(behind.out.empty());
        CHECK(holds(behind.err, "there is no line 118: the recording ends at line "));
        CHECK(desk.run("aa reset --at 40 stuck.jsonl").err.empty());
        CHECK(holds(desk.run("aa reset stuck.jsonl").err, "loop/exact-repeat says to reset after line 2"));
    }

    TEST_CASE("a folder without a session says how many files were looked at, and where the formats are") {
        const Desk desk;
        desk.run("mkdir other none; echo '{\"a\":1}' > other/a.json; echo '{\"b\":1}' > other/b.jsonl");
        for (const char* command : {"aa other", "aa convert --to events other", "aa replay --policy strict other"}) {
            CAPTURE(command);
            const Outcome seen = desk.run(command);
            CHECK(seen.status == 3);
            CHECK(holds(seen.err,
                        "no session was recognised in 2 files (agent-audit formats lists what can be read; "
                        "--input-format forces one)"));
        }
    }

    TEST_CASE("what a file of settings names and is not there is told with the file and line") {
        const Desk desk;
        for (const char* key : {"baseline", "prices"}) {
            CAPTURE(key);
            const Outcome seen = desk.run(std::string("printf 'jobs = 1\\n") + key +
                                          " = \"gone.json\"\\n' >agent-audit.toml; aa clean.jsonl");
            CHECK(seen.status == 2);
            CHECK(holds(seen.err, "agent-audit.toml:2"));
            CHECK(holds(seen.err, "gone.json"));
        }
    }

    TEST_CASE("a file whose name is empty is wrong usage, and not a flag that was not given") {
        const Desk desk;
        for (const char* flag : {"--prices", "--word-vectors", "--config", "--baseline"}) {
            CAPTURE(flag);
            const Outcome seen = desk.run(std::string("aa -q --exit-zero ") + flag + " '' stuck.jsonl");
            CHECK(seen.status == 2);
            CHECK(seen.err.find(std::string(flag) + " needs a value") != std::string::npos);
        }
    }

    TEST_CASE("a list of profiles takes the place of an audit only where it was typed") {
        const Desk desk;
        CHECK(desk.run("aa --as list stuck.jsonl").status == 0);
        const Outcome variable = desk.run("AGENT_AUDIT_AS=list aa -q stuck.jsonl");
        CHECK(variable.status == 2);
        CHECK(variable.err.find("AGENT_AUDIT_AS = \"list\": only --as list") != std::string::npos);
        const Outcome file = desk.run("echo 'as = \"list\"' > agent-audit.toml; aa config check");
        CHECK(file.status == 2);
        CHECK(file.err.find("agent-audit.toml:1: as = \"list\"") != std::string::npos);
    }

    TEST_CASE("wrong names of formats are told with the nearest one") {
        const Desk desk;
        const Outcome wrong = desk.run("aa -o saref=x clean.jsonl");
        CHECK(wrong.status == 2);
        CHECK(holds(wrong.err, "did you mean sarif?"));
    }
}
