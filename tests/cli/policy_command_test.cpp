#include "pipeline/files.hpp"
#include "support/places.hpp"
#include "support/sanitized.hpp"
#include "support/schema_validator.hpp"

#include <cstdio>
#include <sstream>

using namespace agent_audit::test;
using Json = nlohmann::json;

namespace {

struct Ran {
    std::string out;
    int status = 0;
};

Ran run(const std::string& args) {
    const std::string command =
        "cd '" + project().string() + "' && '" + agent_audit::test::program_file() + "' " + args + " 2>/dev/null";
    Ran ran;
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    for (int c; (c = std::fgetc(pipe)) != EOF;) ran.out += static_cast<char>(c);
    ran.status = WEXITSTATUS(pclose(pipe));
    return ran;
}

constexpr const char* kDemo = "testdata/demo/stuck-session.jsonl";

}  // namespace

TEST_SUITE("policy commands") {
    TEST_CASE("strict fails a run that ended in a loop, from a file and from standard input") {
        CHECK(run(std::string("replay --policy strict ") + kDemo).status == 1);
        CHECK(run(std::string("replay --policy strict < ") + kDemo).status == 1);
        CHECK(run(std::string("replay --policy reflective ") + kDemo).status == 0);
    }

    TEST_CASE("as a gate it writes files, says little, and may be told not to fail") {
        const Folder folder;
        const std::string at = folder.write("x", "");
        const std::string base = at.substr(0, at.size() - 1), strict = std::string("replay --policy strict ") + kDemo;
        const Ran both = run(strict + " -q -f text -o json=" + base + "r.json -o " + base + "same.txt");
        CHECK(both.status == 1);
        CHECK(both.out.empty());
        CHECK(SchemaValidator("policy-replay").errors(Json::parse(content(base + "r.json"))) ==
              std::vector<std::string>{});
        CHECK(content(base + "same.txt") == run(strict + " -q").out);
        const std::string quiet = run(strict + " --quiet").out;
        CHECK(quiet.starts_with(std::string("failed  policy strict  ") + kDemo));
        CHECK(quiet.ends_with("1 of 1 run failed\n"));
        CHECK(run(strict + " --exit-zero").status == 0);
        CHECK(run("replay --policy strict --exit-zero no-such-file.jsonl").status == 3);
        CHECK(run(strict + " -o sarif=x").status == 2);
        CHECK(run(strict + " -o " + base + "no/such/folder").status == 4);
        CHECK(run(strict + " --color always").out.find('\x1b') != std::string::npos);
        ::setenv("FORCE_COLOR", "1", 1);
        ::setenv("AGENT_AUDIT_COLOR", "never", 1);
        CHECK(run(strict).out.find('\x1b') == std::string::npos);
        ::unsetenv("FORCE_COLOR");
        ::unsetenv("AGENT_AUDIT_COLOR");
        CHECK(run(std::string("replay -q ") + kDemo).status == 2);
    }

    TEST_CASE("a recording of which all is left out was recognised, and that is said") {
        const Folder folder;
        const std::string file = folder.write(
            "agent-acompact-1.jsonl",
            R"({"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","isSidechain":true,"agentId":"acompact-1",)"
            R"("message":{"role":"user","content":"Sum it up."}})"
            "\n");
        CHECK(run("replay --policy strict '" + file + "'").status == 3);
        const std::string said = run("replay --policy strict '" + file + "' 2>&1 | cat").out;
        CHECK(said.find("1 conversation of the client's own housekeeping") != std::string::npos);
        CHECK(said.find("no session was recognised") == std::string::npos);
    }

    TEST_CASE("sessions of one input that have no id are told apart, in every form") {
        const std::string good = R"({"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]})";
        std::string stuck = R"({"messages":[{"role":"user","content":"make it work"})";
        for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
            stuck += std::string(R"(,{"role":"assistant","tool_calls":[{"id":")") + id +
                     R"(","type":"function","function":{"name":"bash","arguments":"{\"command\":\"make\"}"}}]})" +
                     R"(,{"role":"tool","tool_call_id":")" + id + R"(","content":"2 tests failed"})";
        }
        const Folder folder;
        const std::string file = folder.write("two.jsonl", good + "\n" + stuck + "]}\n");
        const std::string strict = "replay --policy strict '" + file + "'";
        const std::string text = run(strict).out;
        CHECK(text.find("chat-completions session 1\n") != std::string::npos);
        CHECK(text.find("chat-completions session 2\n") != std::string::npos);
        CHECK(run("replay --policy strict -q --color never '" + file + "' | tr '\\n' ' '")
                  .out.find("two.jsonl, session 2 ") != std::string::npos);
        CHECK(run(strict + " -f html").out.find("two.jsonl, session 2</h2>") != std::string::npos);
        const Json json = Json::parse(run(strict + " -f json").out);
        CHECK(json["sessions"][1]["label"] == "2");
        CHECK(SchemaValidator("policy-replay").errors(json) == std::vector<std::string>{});
        CHECK(run(strict + " < '" + file + "'").status == 1);
        CHECK(run("replay --policy strict < '" + file + "'").out.starts_with("<stdin>  chat-completions session 1\n"));
    }

    TEST_CASE("of a path that is wider than the page the end is said, and all of it with -v") {
        const Folder folder;
        const std::string name = std::string(90, 'p') + "/run.jsonl";
        fs::create_directory(fs::path(folder.write("x", "")).parent_path() / std::string(90, 'p'));
        const std::string file = folder.write(name, content((project() / kDemo).string()));
        const auto widest = [](const std::string& text) {
            std::size_t columns = 0;
            std::istringstream in(text);
            for (std::string line; std::getline(in, line);)
                columns = std::max(columns, static_cast<std::size_t>(std::ranges::count_if(
                                                line, [](char c) { return (c & 0xC0) != 0x80; })));
            return columns;
        };
        for (const char* policies : {"strict", "permissive,strict", "strict -q"}) {
            CAPTURE(policies);
            const std::string text = run("replay --policy " + std::string(policies) + " '" + file + "'").out;
            CHECK(widest(text) <= 80);
            CHECK(text.find("ppp/run.jsonl") != std::string::npos);
        }
        CHECK(run("replay --policy strict -v '" + file + "'").out.find(file) != std::string::npos);
    }

    TEST_CASE("a policy nobody knows is wrong usage, and a broken one too") {
        CHECK(run(std::string("replay --policy stric ") + kDemo).status == 2);
        CHECK(run(std::string("replay --policy pi ") + kDemo + " 2>&1 | cat").out.find("it is a context") !=
              std::string::npos);
        const Folder folder;
        CHECK(run("replay --policy '" + folder.write("p.toml", "version = 1\nladdr = 3\n") + "' " + kDemo).status == 2);
        CHECK(run("replay --policy strict no-such-file.jsonl").status == 3);
        CHECK(run(std::string("replay --policy strict --context pi ") + kDemo).status == 2);
        CHECK(run(std::string("replay --timeline ") + kDemo).status == 2);
    }

    TEST_CASE("a warning count above the failure count of its rule is told, once however many policies") {
        const Folder folder;
        const std::string raised = folder.write(
            "raised.toml", "version = 1\nextends = \"balanced\"\n[rules.\"loop/exact-repeat\"]\nwarn = 50\n");
        const std::string words = "loop/exact-repeat: warn = 50 is above fail";
        const auto told = [&](const std::string& args) {
            const std::string out = run(args + " 2>&1 >/dev/null | cat").out;
            std::size_t n = 0;
            for (std::size_t at = out.find(words); at != out.npos; at = out.find(words, at + 1)) ++n;
            return n;
        };
        CHECK(told("replay --policy '" + raised + "' " + kDemo) == 1);
        CHECK(told("policy check '" + raised + "'") == 1);
        const std::string settings = folder.write("settings.toml", "[rules.\"loop/exact-repeat\"]\nwarn = 50\n");
        CHECK(told("replay --policy balanced,reflective --config '" + settings + "' " + kDemo) == 1);
        CHECK(told(std::string("replay --policy strict --no-config ") + kDemo) == 0);
    }

    TEST_CASE("every value of fail-on decides the exit status, of standard input too") {
        const Folder folder;
        const auto status = [&](const std::string& fail_on, const std::string& session) {
            const std::string file =
                folder.write("p.toml", "version = 1\nextends = \"strict\"\nfail-on = \"" + fail_on + "\"\n");
            const int of_file = run("replay --policy '" + file + "' '" + session + "'").status;
            CHECK(run("replay --policy '" + file + "' < '" + session + "'").status == of_file);
            return of_file;
        };
        // Three equal calls and a way out: an intervention, a finding that was recovered from, and no stop.
        std::string session = R"({"role":"user","content":"make it work"})"
                              "\n";
        int id = 0;
        const auto call = [&](const std::string& command, const std::string& result) {
            const std::string name = "c" + std::to_string(id++);
            session += R"({"role":"assistant","tool_calls":[{"id":")" + name +
                       R"(","type":"function","function":{"name":"bash","arguments":"{\"command\":\")" + command +
                       R"(\"}"}}]})"
                       "\n";
            session += R"({"role":"tool","tool_call_id":")" + name + R"(","content":")" + result +
                       R"("})"
                       "\n";
        };
        for (int i = 0; i < 3; ++i) call("make test", "2 tests failed");
        for (int i = 0; i < 8; ++i) call("cat f" + std::to_string(i), "text " + std::to_string(i));
        const std::string left = folder.write("left.jsonl", session);
        CHECK(status("never", left) == 0);
        CHECK(status("stop", left) == 0);
        CHECK(status("unrecovered-error", left) == 0);
        CHECK(status("intervention", left) == 1);
        CHECK(status("warning", left) == 1);
        for (const char* word : {"stop", "unrecovered-error", "error", "warning", "intervention"}) {
            CAPTURE(std::string(word));
            CHECK(status(word, (project() / kDemo).string()) == 1);
        }
        CHECK(status("never", (project() / kDemo).string()) == 0);
        const std::string clean = folder.write("clean.jsonl", R"({"role":"user","content":"hello"})"
                                                              "\n"
                                                              R"({"role":"assistant","content":"hi"})"
                                                              "\n");
        for (const char* word : {"never", "stop", "unrecovered-error", "error", "warning", "intervention"})
            CHECK(status(word, clean) == 0);
    }

    TEST_CASE("agent-audit.toml holds in a replay as in a scan, and --config and --no-config choose") {
        const Folder folder;
        const std::string demo = (project() / kDemo).string();
        const auto in = [&](const std::string& where, const std::string& args) {
            const std::string command = "cd '" + where + "' && XDG_CONFIG_HOME=/nowhere '" +
                                        agent_audit::test::program_file() + "' " + args + " 2>&1";
            Ran ran;
            FILE* pipe = popen(command.c_str(), "r");
            REQUIRE(pipe);
            for (int c; (c = std::fgetc(pipe)) != EOF;) ran.out += static_cast<char>(c);
            ran.status = WEXITSTATUS(pclose(pipe));
            return ran;
        };
        const std::string strict = "replay --policy strict '" + demo + "'";
        const std::string below = (fs::path(folder / "sub")).string();
        fs::create_directories(below);
        CHECK(in(below, strict).status == 1);
        folder.write("agent-audit.toml",
                     "[[suppress]]\nrule = \"loop\"\nmatch = { command = \"^npm test\" }\nreason = \"flaky\"\n");
        for (const std::string& where : {folder.str(), below}) {  // found here and above
            const Ran ran = in(where, strict);
            CHECK(ran.status == 0);
            CHECK(ran.out.find("1 finding that the settings suppress") != std::string::npos);
            CHECK(ran.out.find("loop/") == std::string::npos);
        }
        CHECK(in(below, strict + " --no-config").status == 1);
        const std::string other = folder.write("other.toml", "[rules.\"loop/exact-repeat\"]\nseverity = \"off\"\n");
        CHECK(in(below, strict + " --config '" + other + "'").out.find("exact-repeat") == std::string::npos);
        const std::string wrong =
            folder.write("wrong.toml", "fail-on = \"warning\"\n[rules.\"loop/exact-repeat\"]\nwran = 4\n");
        for (const std::string& args : {strict, "replay '" + demo + "'", "reset '" + demo + "'"}) {
            CAPTURE(args);
            const Ran ran = in(below, args + " --config '" + wrong + "'");
            CHECK(ran.status == 2);
        }
        CHECK(in(below, strict + " --config '" + wrong + "'").out.find("wrong.toml:3: ") != std::string::npos);
        // A flag wins over the file, and a policy over the file where it says something.
        const std::string format =
            folder.write("format.toml", "input-format = \"codex\"\njobs = 1\nredact = \"strict\"\n");
        CHECK(in(below, strict + " --config '" + format + "'").status == 3);
        CHECK(in(below, strict + " --config '" + format + "' --input-format claude-code").status == 1);
        CHECK(in(below, "replay '" + demo + "' --config '" + format + "'").status == 3);
        CHECK(in(below, "replay '" + demo + "' --config '" + format + "' --input-format claude-code").status == 0);
        const std::string late = folder.write("late.toml", "[rules.\"loop/exact-repeat\"]\nwarn = 50\nfail = 60\n");
        const std::string mine = folder.write(
            "mine.toml", "version = 1\nextends = \"balanced\"\n[rules.\"loop/exact-repeat\"]\nwarn = 3\nfail = 3\n");
        CHECK(in(below, strict + " --config '" + late + "'").out.find("loop/exact-repeat") == std::string::npos);
        CHECK(in(below, "replay --policy '" + mine + "' '" + demo + "' --config '" + late + "'")
                  .out.find("loop/exact-repeat") != std::string::npos);
    }

    TEST_CASE("JSON and every NDJSON line are what their schemas say") {
        // A schema is held against a whole document slowly, and the more so under the sanitizers.
        const std::string more = agent_audit::test::is_sanitized() ? " testdata/golden/resets" : " testdata/scenarios";
        const std::string args = std::string("replay --policy all ") + kDemo + more + " -f ";
        const Json document = Json::parse(run(args + "json").out);
        CHECK(SchemaValidator("policy-replay").errors(document) == std::vector<std::string>{});
        std::istringstream lines(run(args + "ndjson").out);
        SchemaValidator schema("policy-replay-ndjson");
        std::size_t count = 0, decisions = 0;
        for (std::string line; std::getline(lines, line); ++count) {
            const Json record = Json::parse(line);
            decisions += record["kind"] == "decision";
            if (agent_audit::test::looked_at(count)) CHECK(schema.errors(record) == std::vector<std::string>{});
        }
        CHECK(decisions > agent_audit::test::rounds(50));
        const Json resets = Json::parse(run("replay --policy strict testdata/golden/resets/session.jsonl -f json").out);
        CHECK(SchemaValidator("policy-replay").errors(resets) == std::vector<std::string>{});
        const Json& suggested = resets["sessions"][0]["runs"][0]["resets"];
        REQUIRE(suggested.size() >= 1);
        CHECK(suggested[0]["tokens_before"] > suggested[0]["tokens_after"]);
        for (const char* field : {"saving_per_turn", "break_even_turns", "confidence", "line", "known_line"})
            CHECK(suggested[0].contains(field));
        std::size_t in_document = 0;
        for (const Json& session : document["sessions"]) {
            for (const Json& one : session["runs"]) in_document += one["decisions"].size();
        }
        CHECK(decisions == in_document);
    }

    TEST_CASE("the bytes do not depend on the number of threads") {
        for (const char* format : {"json", "text --timeline"}) {
            const std::string args =
                std::string("replay --policy strict,balanced testdata/scenarios -f ") + format + " -j ";
            const std::string one = run(args + "1").out;
            CHECK_FALSE(one.empty());
            CHECK(run(args + "5").out == one);
        }
    }

    TEST_CASE("policy show begins each table once, whatever the names of tools hold") {
        const Folder folder;
        const std::string mine = folder.write("mine.toml", R"(version = 1
[rung.notify]
on = "warning"
persist = 3
[rung.stop]
on = "error"
persist = 4
[per-tool.Bash]
patterns = false
retries = 2
[per-tool."a\"b.c\n"]
patterns = false
retries = 1
)");
        const Ran shown = run("policy show " + mine);
        CHECK(shown.status == 0);
        const std::string copy = folder.write("copy.toml", shown.out);
        CHECK(run("policy check " + copy).status == 0);
        CHECK(run("policy diff " + mine + " " + copy).status == 0);
    }

    TEST_CASE("check tells every mistake of a file, also where a first one stands elsewhere") {
        const Folder folder;
        const std::string file = folder.write("wrong.toml",
                                              "version = 1\npatience = \"strct\"\n[tools.class]\nGrind = \"nonsense\"\n"
                                              "[errors]\ntransient = [\"(open\", \"fine\"]\nbogus = [\"x\"]\n");
        const Ran ran = run("policy check strict " + file);
        CHECK(ran.out == "strict: ok\n");  // what is wrong goes where every command complains
        CHECK(ran.status == 2);
        const std::string complaints = run("policy check strict " + file + " 2>&1 >/dev/null | cat").out;
        CHECK(std::ranges::count(complaints, '\n') == 4);
        for (const char* mistake :
             {":2: patience", ":4: tools.class.Grind", ":6: errors.transient", ":7: unknown setting"})
            CHECK_MESSAGE(complaints.find(mistake) != std::string::npos, complaints);
    }

    TEST_CASE("a limit of cost is told in dollars") {
        const Folder folder;
        const std::string frugal = folder.write("frugal.toml", "version = 1\n[limits]\ncost-usd = 0.01\n");
        const Json made = Json::parse(run("replay -f json --policy " + frugal + " " + kDemo).out);
        const Json& decision = made["sessions"][0]["runs"][0]["decisions"][0];
        CHECK(decision["reason"] == "the run reached its limit of $0.01");
        CHECK(decision["rule"] == "cost-usd");
    }

    TEST_CASE("a wait and a refusal say what their seconds are") {
        const Folder folder;
        std::string recording = R"({"role":"user","content":"get it"})"
                                "\n";
        for (int i = 0; i < 4; ++i) {
            const std::string id = "c" + std::to_string(i);
            recording += R"({"role":"assistant","tool_calls":[{"id":")" + id +
                         R"(","type":"function","function":{"name":"http_get","arguments":"{\"url\":\"x\"}"}}]})"
                         "\n"
                         R"({"role":"tool","tool_call_id":")" +
                         id +
                         R"(","content":"Error: HTTP 503 Service Unavailable"})"
                         "\n";
        }
        const std::string policy = folder.write(
            "p.toml", "version = 1\n[back-off]\nretries = 5\njitter = 0\n[breaker]\nfailures = 3\nopen-ms = 9000\n");
        const std::string session = folder.write("s.jsonl", recording);
        const std::string args = "replay --policy '" + policy + "' '" + session + "'";
        CHECK(run(args).out.find("; 1.0 s to wait") != std::string::npos);
        CHECK(run(args).out.find("; refused for 9.0 s") != std::string::npos);
        CHECK(run(args + " -f html").out.find("; refused for 9.0 s") != std::string::npos);
    }

    TEST_CASE("a long list of interventions says how many it leaves out") {
        const Folder folder;
        const std::string often = folder.write("often.toml", "version = 1\n[reflection]\nevery-turns = 1\n");
        const std::string replay = "replay --policy " + often + " " + kDemo;
        const Json made = Json::parse(run(replay + " -f json").out)["sessions"][0]["runs"][0]["decisions"];
        const std::string text = run(replay).out;
        std::size_t shown = 0;
        for (std::size_t at = text.find("\n  line "); at != text.npos; at = text.find("\n  line ", at + 1)) ++shown;
        REQUIRE(shown < made.size());
        CHECK(text.find("\n  " + std::to_string(made.size() - shown) + " more, -v shows them\n") != text.npos);
    }

    TEST_CASE("what policy show prints is a policy file that does the same") {
        const Folder folder;
        const std::string copy = folder.write("strict.toml", run("policy show strict").out);
        const Ran diff = run("policy diff strict '" + copy + "'");
        CHECK(diff.out == "The policies do the same.\n");
        CHECK(diff.status == 0);
        CHECK(run("policy diff strict balanced").status == 1);
    }

    TEST_CASE("policy init writes a policy that makes sense, and never over a file") {
        const Folder folder;
        const std::string path = folder / "new.toml";
        CHECK(run("policy init '" + path + "'").status == 0);
        CHECK(run("policy check '" + path + "'").status == 0);
        CHECK(run("policy init '" + path + "'").status == 2);
        const std::string diff = run("policy diff strict '" + path + "'").out;  // until something is changed in it
        CHECK(diff.find("doc") != std::string::npos);
        CHECK(std::ranges::count(diff, '\n') == 2);
    }

    TEST_CASE("what the agent would be told is shown line by line") {
        const std::string stuck = "'" + (project() / "testdata/demo/stuck-session.jsonl").string() + "'";
        const Ran text = run("replay --policy strict -v " + stuck);
        CHECK(text.out.find("\\n") == std::string::npos);
        CHECK(text.out.find("\n              Goal: Thanks. A customer in Berlin") != std::string::npos);
        const Ran html = run("replay --policy strict --format html " + stuck);
        CHECK(html.out.find(" / Goal: Thanks. A customer in Berlin") != std::string::npos);
    }

    TEST_CASE("a table says what the acts are that are neither right nor wrong") {
        const std::string stuck = "'" + (project() / "testdata/demo/stuck-session.jsonl").string() + "'";
        CHECK(run("replay --policy strict,reflective " + stuck).out.find("neither right nor wrong") !=
              std::string::npos);
        CHECK(run("replay --policy strict,balanced " + stuck).out.find("neither right nor wrong") == std::string::npos);
    }

    TEST_CASE("both kinds of replay at once are asked back") {
        const std::string stuck = "'" + (project() / "testdata/demo/stuck-session.jsonl").string() + "'";
        const Ran both = run("replay --policy strict --context all " + stuck + " 2>&1 | cat");
        CHECK(both.out.find("--context and --policy: which?") != std::string::npos);
    }

    TEST_CASE("a timeline is as wide as the page") {
        const Folder folder;
        std::string session = R"({"role":"user","content":"go"})"
                              "\n";
        for (int i = 0; i < 3; ++i) {
            const std::string id = std::to_string(i);
            session +=
                R"({"role":"assistant","tool_calls":[{"id":"c)" + id +
                R"(","type":"function","function":{"name":"bash","arguments":"{\"command\":\"grep -rn some-long-word-to-look-for first-folder second-folder third-folder fourth-folder\"}"}}]})" +
                "\n";
            session += R"({"role":"tool","tool_call_id":"c)" + id + R"(","content":"no"})" + "\n";
        }
        const std::string path = folder.write("s.jsonl", session);
        ::setenv("COLUMNS", "60", 1);
        const Ran ran = run("replay --policy permissive --timeline '" + path + "'");
        ::unsetenv("COLUMNS");
        REQUIRE(ran.out.find("grep -rn") != std::string::npos);
        std::istringstream lines(ran.out.substr(ran.out.find("turns")));
        for (std::string line; std::getline(lines, line);) {
            CAPTURE(line);
            CHECK(line.size() <= 62);  // two of them may be the mark's further bytes
        }
    }

    TEST_CASE("secrets of a recording are taken out of what is quoted") {
        const Folder folder;
        std::string session;
        for (int i = 0; i < 9; ++i) {
            const std::string id = std::to_string(i);
            session +=
                R"({"role":"assistant","tool_calls":[{"id":"c)" + id +
                R"(","type":"function","function":{"name":"bash","arguments":"{\"command\":\"curl -H 'Authorization: Bearer sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJKKKKLLLL'\"}"}}]})" +
                "\n";
            session += R"({"role":"tool","tool_call_id":"c)" + id + R"(","content":"no"})" + "\n";
        }
        const std::string path = folder.write("s.jsonl", R"({"role":"user","content":"go"})"
                                                         "\n" +
                                                             session);
        for (const char* format : {"text -v", "json", "ndjson"}) {
            const Ran ran = run("replay --policy strict -f " + std::string(format) + " '" + path + "'");
            CHECK(ran.status == 1);
            CHECK(ran.out.find("AAAABBBB") == std::string::npos);
        }
        const std::string key = std::string(R"(-----BEGIN RSA PRIVATE)") +
                                R"( KEY-----\nTheFirstLineOfIt\nTheSecondLineOfIt\n-----END RSA PRIVATE)" +
                                R"( KEY-----)";
        const std::string other =
            folder.write("key.jsonl", R"({"role":"user","content":"Log in with )" + key + "\"}\n" + session);
        const Ran ran = run("replay --policy strict -v '" + other + "'");
        CHECK(ran.out.find("Log in with [redacted private key]") != std::string::npos);
        CHECK(ran.out.find("LineOfIt") == std::string::npos);
    }
}
