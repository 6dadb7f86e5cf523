#include "support/places.hpp"
#include "support/slurp.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using agent_audit::test::slurp;

struct Ran {
    std::string out;
    int status = -1;
};

Ran run(const std::string& arguments) {
    const std::string command = "'" + agent_audit::test::program_file() + "' " + arguments;
    Ran ran;
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    for (int c; (c = std::fgetc(pipe)) != EOF;) ran.out += static_cast<char>(c);
    ran.status = WEXITSTATUS(pclose(pipe));
    return ran;
}

/// A folder that is gone at the end.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "agent-audit-test-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        path_ = name;
    }
    ~Folder() { fs::remove_all(path_); }
    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

const std::string kSession = agent_audit::test::project_folder() + "/testdata/golden/reset-injection/session.jsonl";
const std::string kStuck = agent_audit::test::project_folder() + "/testdata/demo/stuck-session.jsonl";

std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_SUITE("reset and checkpoint") {
    TEST_CASE("what stands behind the line makes no difference") {
        const Folder folder;
        std::ifstream in(kStuck);
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        REQUIRE(lines.size() > 20);
        for (const std::size_t cut : {5u, 12u, 20u}) {
            std::ofstream out(folder.file("cut.jsonl"));
            for (std::size_t i = 0; i < cut; ++i) out << lines[i] << "\n";
            out.close();
            const std::string at = " --at " + std::to_string(cut) + " ";
            CHECK(run("reset" + at + kStuck).out == run("reset" + at + folder.file("cut.jsonl")).out);
        }
    }

    TEST_CASE("a suggested place is taken unless the work went on behind it") {
        const Folder folder;
        const std::string stuck = slurp(agent_audit::test::project_folder() + "/testdata/golden/resets/session.jsonl");
        const auto reset = [&](const std::string& name, const std::string& more) {
            std::ofstream(folder.file(name)) << stuck << more;
            return run("reset " + folder.file(name) + " 2>&1").out;
        };
        const std::string said =
            R"({"type":"user","sessionId":"s","uuid":"u-x","isSidechain":false,"message":{"role":"user","content":"Now write the manual."}})"
            "\n";
        const std::string thanks =
            R"({"type":"assistant","sessionId":"s","uuid":"u-y","isSidechain":false,"message":{"id":"m-x","role":"assistant","content":[{"type":"text","text":"I see nothing else."}]}})"
            "\n";
        const std::string at = "What is known up to line 27; a scan suggests to go back to line 9";
        CHECK(reset("a.jsonl", "").find(at) != std::string::npos);
        CHECK(run("reset 2>&1 < " + folder.file("a.jsonl")).out.find(at) !=
              std::string::npos);  // it is read three times
        CHECK(reset("b.jsonl", thanks).find(at) != std::string::npos);
        const std::string later = reset("c.jsonl", said);
        // Whoever names the line of the suggestion gets its reason as well, and no other line has one.
        const std::string named = run("reset --at 27 " + folder.file("c.jsonl")).out;
        CHECK(named.find("None recorded") == run("reset " + folder.file("a.jsonl")).out.find("None recorded"));
        CHECK(named.find("begun anew because") != std::string::npos);
        CHECK(run("reset --at 26 " + folder.file("c.jsonl")).out.find("begun anew because") == std::string::npos);
        CHECK(later.find("> Now write the manual.") != std::string::npos);
        CHECK(later.find("Begun anew") == std::string::npos);
        CHECK(later.find("the work went on behind it: --at 27 writes the prompt for that") != std::string::npos);
    }

    TEST_CASE("where no reset pays, the place that is named lies before all of the trouble") {
        const Folder folder;
        const auto call = [](const std::string& id, const std::string& tool, const std::string& arguments) {
            return R"({"role":"assistant","tool_calls":[{"id":")" + id + R"(","type":"function","function":{"name":")" +
                   tool + R"(","arguments":")" + arguments + "\"}}]}\n" + R"({"role":"tool","tool_call_id":")" + id +
                   R"(","content":"done )" + id + "\"}\n";
        };
        std::ofstream(folder.file("s.jsonl"))
            << R"({"role":"user","content":"Make the login faster. Never touch anything below config/."})"
            << "\n"
            << call("a", "read_file", R"({\"path\":\"src/login.py\"})")
            << call("b", "edit_file", R"({\"path\":\"config/db.yml\",\"old\":\"5\",\"new\":\"50\"})")
            << call("c", "edit_file", R"({\"path\":\"config/web.yml\",\"old\":\"1\",\"new\":\"10\"})");
        const std::string said = run("reset '" + folder.file("s.jsonl") + "' 2>&1 >/dev/null").out;
        CHECK(said.find("drift/instruction-violated says to reset after line 3:") != said.npos);
    }

    TEST_CASE("of several sessions it is said which one it is") {
        const std::string recordings = agent_audit::test::project_folder() + "/testdata/readers/tau-bench/";
        const std::string several = run("reset " + recordings + "full.json 2>&1").out;
        CHECK(several.find("The recording has 3 sessions; this is the last one (sim-3): --at LINE takes the one that "
                           "LINE belongs to.") != std::string::npos);
        const std::string one = run("reset " + recordings + "minimal.json 2>&1").out;
        CHECK(one.find("State of the recorded session `task 3 trial 0`") != std::string::npos);
        CHECK(one.find("The recording has") == std::string::npos);
    }

    TEST_CASE("standard input is as good as a file") {
        CHECK(run("reset < '" + kStuck + "' 2>/dev/null").out == run("reset '" + kStuck + "' 2>/dev/null").out);
    }

    TEST_CASE("messages are JSON and hold the words of the Markdown") {
        const std::string markdown = run("reset --at 11 " + kSession).out;
        const auto chat = nlohmann::json::parse(run("reset --at 11 -f chat " + kSession).out);
        const auto anthropic = nlohmann::json::parse(run("reset --at 11 -f anthropic " + kSession).out);
        CHECK(markdown == chat["messages"][0]["content"].get<std::string>() + "\n\n" +
                              chat["messages"][1]["content"].get<std::string>());
        CHECK(chat["messages"][0]["role"] == "system");
        CHECK(anthropic["system"] == chat["messages"][0]["content"]);
        CHECK(anthropic["messages"][0]["content"][0]["text"] == chat["messages"][1]["content"]);
        CHECK(markdown.find("sk-ant") == std::string::npos);
        CHECK(run("reset --at 11 --redact none " + kSession).out.find("not to be seen") == std::string::npos);
    }

    TEST_CASE("checkpoints are files of their owner's, listed and shown, and writing them again changes nothing") {
        const Folder folder;
        const std::string dir = " --checkpoint-dir " + folder.file("points") + " ";
        REQUIRE(run("checkpoint write --every 2" + dir + kStuck).status == 0);
        const std::size_t files = files_in(folder.file("points"));
        CHECK(files > 2);
        const std::string list = run("checkpoint list -f json" + dir).out;
        const auto listed = nlohmann::json::parse(list)["checkpoints"];
        REQUIRE(listed.size() == files);  // no temporary file stays behind
        for (const auto& entry : fs::directory_iterator(folder.file("points"))) {
            struct stat info {};
            REQUIRE(::stat(entry.path().c_str(), &info) == 0);
            CHECK((info.st_mode & 0777) == 0600);
        }
        const std::string id = listed.back()["id"];
        CHECK(run("checkpoint list" + dir).out.find(id) != std::string::npos);  // on one line, whatever else goes
        CHECK(run("checkpoint show" + dir + id).out.find("## 1. Goal") != std::string::npos);
        CHECK(run("checkpoint show -f json" + dir + id).out == slurp(folder.file("points/" + id + ".json")));
        REQUIRE(run("checkpoint write --every 2" + dir + kStuck).status == 0);
        CHECK(run("checkpoint list -f json" + dir).out == list);
        CHECK(run("reset --at 12 --checkpoint-dir " + folder.file("more") + " " + kStuck).status == 0);
        CHECK(files_in(folder.file("more")) >= 1);
    }

    TEST_CASE("a checkpoint that cannot be stored leaves nothing behind and is an error") {
        const Folder folder;
        std::ofstream(folder.file("points")) << "a file, no folder";
        CHECK(
            run("checkpoint write --checkpoint-dir " + folder.file("points") + " " + kStuck + " 2>/dev/null").status ==
            4);
        CHECK(slurp(folder.file("points")) == "a file, no folder");
        CHECK(files_in(folder.file("")) == 1);
    }

    TEST_CASE("hostile files in the folder are named and passed over") {
        const Folder folder;
        const std::string dir = " --checkpoint-dir " + folder.file("") + " ";
        std::ofstream(folder.file("deep.json")) << std::string(100'000, '[');
        std::ofstream(folder.file("wrong.json"))
            << R"({"schema":"agent-audit/checkpoint/1","line":"x","goal":7,"verified":[1,{"path":3}],"failures":{}})";
        std::ofstream(folder.file("other.json")) << R"({"schema":"something else"})";
        const Ran listed = run("checkpoint list -f json" + dir + "2>/dev/null");
        CHECK(listed.status == 0);
        CHECK(nlohmann::json::parse(listed.out)["checkpoints"].size() == 1);
        CHECK(run("checkpoint show" + dir + "wrong 2>/dev/null").status == 0);
        CHECK(run("checkpoint show" + dir + "none 2>/dev/null").status == 3);
    }

    TEST_CASE("what cannot be read is exit code 3, what makes no sense is 2") {
        CHECK(run("reset /nonexistent.jsonl 2>/dev/null").status == 3);
        CHECK(run("reset --at 0 " + kStuck + " 2>/dev/null").status == 2);
        CHECK(run("reset -f yaml " + kStuck + " 2>/dev/null").status == 2);
        CHECK(run("reset --max-tokens 10 " + kStuck + " 2>/dev/null").status == 2);
        CHECK(run("reset a b 2>/dev/null").status == 2);
        CHECK(run("checkpoint fly --checkpoint-dir x 2>/dev/null").status == 2);
        const Folder folder;
        const std::string dir = " --checkpoint-dir " + folder.file("points") + " ";
        CHECK(run("checkpoint write -f markdown" + dir + kStuck + " 2>/dev/null").status == 2);
        CHECK_FALSE(std::filesystem::exists(folder.file("points")));
        CHECK(run("reset < /dev/null 2>/dev/null").status == 3);
        for (const std::string& command : {std::string("reset "), std::string("replay "), "checkpoint write" + dir}) {
            CAPTURE(command);
            const Ran told = run(command + folder.file("") + " 2>&1");
            CHECK(told.status == 2);
            CHECK(told.out.find("is a folder: ") != std::string::npos);
            CHECK(told.out.find(" takes one session") != std::string::npos);
            CHECK(run(command + folder.file("none.jsonl") + " 2>/dev/null").status == 3);
        }
    }
}
