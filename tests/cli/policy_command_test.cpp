#include "pipeline/files.hpp"
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
    const std::string command = "cd '" + project().string() + "' && '" AGENT_AUDIT_BIN "' " + args + " 2>/dev/null";
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

    TEST_CASE("a policy nobody knows is wrong usage, and a broken one too") {
        CHECK(run(std::string("replay --policy stric ") + kDemo).status == 2);
        const Folder folder;
        CHECK(run("replay --policy '" + folder.write("p.toml", "version = 1\nladdr = 3\n") + "' " + kDemo).status == 2);
        CHECK(run("replay --policy strict no-such-file.jsonl").status == 3);
        CHECK(run(std::string("replay --policy strict --context pi ") + kDemo).status == 2);
        CHECK(run(std::string("replay --timeline ") + kDemo).status == 2);
    }

    TEST_CASE("JSON and every NDJSON line are what their schemas say") {
        const std::string args = std::string("replay --policy all ") + kDemo + " testdata/scenarios -f ";
        const Json document = Json::parse(run(args + "json").out);
        CHECK(SchemaValidator("policy-replay").errors(document) == std::vector<std::string>{});
        std::istringstream lines(run(args + "ndjson").out);
        std::size_t count = 0, decisions = 0;
        for (std::string line; std::getline(lines, line); ++count) {
            const Json record = Json::parse(line);
            decisions += record["kind"] == "decision";
            CHECK(SchemaValidator("policy-replay-ndjson").errors(record) == std::vector<std::string>{});
        }
        CHECK(decisions > 50);
        std::size_t in_document = 0;
        for (const Json& session : document["sessions"]) {
            for (const Json& one : session["runs"]) in_document += one["decisions"].size();
        }
        CHECK(decisions == in_document);
    }

    TEST_CASE("the bytes do not depend on the number of threads") {
        for (const char* format : {"json", "text --timeline"}) {
            const std::string args = std::string("replay --policy strict,balanced testdata/scenarios -f ") + format + " -j ";
            const std::string one = run(args + "1").out;
            CHECK_FALSE(one.empty());
            CHECK(run(args + "5").out == one);
        }
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
    }

    TEST_CASE("secrets of a recording are taken out of what is quoted") {
        const Folder folder;
        std::string session;
        for (int i = 0; i < 9; ++i) {
            const std::string id = std::to_string(i);
            session += R"({"role":"assistant","tool_calls":[{"id":"c)" + id + R"(","type":"function","function":{"name":"bash","arguments":"{\"command\":\"curl -H 'Authorization: Bearer sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJKKKKLLLL'\"}"}}]})" + "\n";
            session += R"({"role":"tool","tool_call_id":"c)" + id + R"(","content":"no"})" + "\n";
        }
        const std::string path = folder.write("s.jsonl", R"({"role":"user","content":"go"})" "\n" + session);
        for (const char* format : {"text -v", "json", "ndjson"}) {
            const Ran ran = run("replay --policy strict -f " + std::string(format) + " '" + path + "'");
            CHECK(ran.status == 1);
            CHECK(ran.out.find("AAAABBBB") == std::string::npos);
        }
    }
}
