#include "support/places.hpp"
#include "support/schema_validator.hpp"
#include "support/slurp.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;
using agent_audit::test::SchemaValidator;
using agent_audit::test::slurp;

constexpr const char* kNow = "2026-02-12T12:00:00Z";
constexpr std::int64_t kNowSeconds = 1'770'897'600;
constexpr std::int64_t kHour = 3600, kDay = 24 * kHour;

fs::path project_file(const char* name) { return fs::path(agent_audit::test::project_folder()) / name; }

struct Outcome {
    int status = -1;
    std::string out;
    std::string err;
};

/// A home folder in which three agents left sessions at known times.
class Home {
public:
    Home() {
        std::string name = (fs::temp_directory_path() / "agent-audit-home-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()));
        home_ = fs::canonical(name);
    }
    ~Home() {
        std::error_code ignored;
        fs::remove_all(home_, ignored);
    }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

    void furnish() const {
        claude(".claude/projects/-home-ada-shop/0b5e.jsonl", "0b5e", "/home/ada/shop", 180);
        claude(".claude/projects/-home-ada-shop/0b5e/subagents/agent-1.jsonl", "0b5e", "/home/ada/shop", 200);
        copy("testdata/demo/stuck-session.jsonl", ".claude/projects/-home-ada-invoice/77aa.jsonl", 5 * kHour);
        copy("testdata/readers/codex/minimal.jsonl",
             ".codex/sessions/2026/02/10/rollout-2026-02-10T08-00-00-0194.jsonl", 2 * kDay + kHour);
        write(".codeium/windsurf/cascade/1.pb", "x", 30 * kDay);
        copy("testdata/readers/cursor-agent/minimal.jsonl", ".cursor/projects/shop/agent-transcripts/9c/9c.jsonl",
             200 * kDay);
    }
    void write(const std::string& name, std::string_view bytes, std::int64_t age) const {
        fs::create_directories((home_ / name).parent_path());
        std::ofstream(home_ / name, std::ios::binary) << bytes;
        const timespec time{static_cast<time_t>(kNowSeconds - age), 0};
        const timespec times[2] = {time, time};
        REQUIRE(::utimensat(AT_FDCWD, (home_ / name).c_str(), times, 0) == 0);
    }
    void claude(const std::string& name, const std::string& id, const std::string& cwd, std::int64_t age) const {
        write(
            name,
            R"({"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":")" + id + R"(","cwd":")" +
                cwd +
                R"(","version":"2.1.90","timestamp":"2026-02-12T09:00:00.000Z","message":{"role":"user","content":"hi"}})"
                "\n",
            age);
    }

    /// A line of bash in which `aa` is the program and nothing but this home folder is in the environment.
    Outcome run(const std::string& line, const std::string& input = "</dev/null") const {
        const fs::path out = home_ / ".out", err = home_ / ".err";
        const int status =
            std::system((script(line) + " >'" + out.string() + "' 2>'" + err.string() + "' " + input).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
    }

    /// The same on a terminal of 80 columns: everything that was shown.
    Outcome on_terminal(const std::string& line) const {
        int terminal = -1;
        const winsize size{24, 80, 0, 0};
        const std::string command = script(line);
        const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
        REQUIRE(child >= 0);
        if (child == 0) {
            ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            ::_exit(127);
        }
        Outcome seen;
        char bytes[4096];
        for (ssize_t got; (got = ::read(terminal, bytes, sizeof bytes)) > 0;)
            seen.out.append(bytes, static_cast<std::size_t>(got));
        ::close(terminal);
        int status = 0;
        ::waitpid(child, &status, 0);
        seen.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        std::erase(seen.out, '\r');
        return seen;
    }

    Json json(const std::string& line) const { return Json::parse(run(line).out); }
    std::string str() const { return home_.string(); }

private:
    void copy(const char* from, const std::string& name, std::int64_t age) const {
        write(name, slurp(project_file(from)), age);
    }

    std::string script(const std::string& line) const {
        const fs::path file = home_ / ".script";
        std::ofstream(file) << "aa() { '" + agent_audit::test::program_file() + "' \"$@\"; }\ncd '" << home_.string()
                            << "'\n"
                            << line << "\n";
        return "env -i PATH=\"$PATH\" LC_ALL=C.UTF-8 TERM=dumb HOME='" + home_.string() + "' AGENT_AUDIT_NOW=" + kNow +
               " bash '" + file.string() + "'";
    }

    fs::path home_;
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// testdata/discover/<name>.txt; AGENT_AUDIT_BLESS=1 rewrites it.
void check_golden(const char* name, const std::string& seen) {
    CAPTURE(name);
    const fs::path file =
        fs::path(agent_audit::test::project_folder()) / "testdata/discover" / (std::string(name) + ".txt");
    if (std::getenv("AGENT_AUDIT_BLESS")) {
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << seen;
    }
    CHECK(seen == slurp(file));
}

std::size_t widest(const std::string& text) {
    std::istringstream in(text);
    std::size_t columns = 0;
    for (std::string line; std::getline(in, line);) columns = std::max(columns, line.size());
    return columns;
}

}  // namespace

TEST_SUITE("discover, from outside") {
    TEST_CASE("golden: the list, in a pipe, on narrow pages, filtered, and with nothing to list") {
        const Home home;
        check_golden("nothing", home.run("aa discover").out);
        home.furnish();
        check_golden("list", home.run("aa discover").out);
        check_golden("narrow", home.run("COLUMNS=40 aa discover").out);
        check_golden("filtered", home.run("aa discover --agent claude-code,codex --since 2026-02-10 --limit 2").out);
        check_golden("sub-agents", home.run("aa discover --sub-agents --project /home/ada/shop").out);
    }

    TEST_CASE("lines stay within 80 columns but for paths, which are never cut") {
        const Home home;
        home.furnish();
        const std::string deep = ".claude/projects/" + std::string(100, 'p') + "/1.jsonl";
        home.claude(deep, "1", "/home/ada/" + std::string(90, 'd'), 60);
        const std::string out = home.run("aa discover").out;
        CHECK(holds(out, "~/" + deep));
        std::istringstream in(out);
        for (std::string line; std::getline(in, line);) {
            if (!holds(line, ".jsonl")) CHECK(line.size() <= 80);
        }
    }

    TEST_CASE("the JSON is what its schema says, without the time of the run in it") {
        const Home home;
        home.furnish();
        const Outcome outcome = home.run("aa discover -f json");
        CHECK(outcome.status == 0);
        const Json result = Json::parse(outcome.out);
        CHECK(SchemaValidator("discover").errors(result) == std::vector<std::string>{});
        REQUIRE(result["sessions"].size() == 5);
        const Json& first = result["sessions"][0];
        CHECK(first["agent"] == "claude-code");
        CHECK(first["id"] == "0b5e");
        CHECK(first["project"] == "/home/ada/shop");
        CHECK(first["modified"] == "2026-02-12T11:57:00.000Z");
        CHECK(first["sub_agents"].size() == 1);
        CHECK(result["sessions"][3]["readable"] == false);
        CHECK(home.run("AGENT_AUDIT_NOW=2030-01-01T00:00:00Z aa discover -f json").out == outcome.out);
        Json wrong = result;
        wrong["sessions"][0]["readable"] = "yes";
        wrong["sessions"][1].erase("path");
        CHECK(SchemaValidator("discover").errors(wrong).size() == 2);
    }

    TEST_CASE("every line of ndjson is of one kind, run first and summary last") {
        const Home home;
        home.furnish();
        std::istringstream lines(home.run("aa discover -f ndjson").out);
        std::vector<std::string> kinds;
        for (std::string line; std::getline(lines, line);) {
            CHECK(SchemaValidator("discover-ndjson").errors(Json::parse(line)) == std::vector<std::string>{});
            kinds.push_back(Json::parse(line)["kind"]);
        }
        CHECK(kinds ==
              std::vector<std::string>{"run", "session", "session", "session", "session", "session", "summary"});
    }

    TEST_CASE("wrong usage is code 2 and names what would be right") {
        const Home home;
        struct Mistake {
            const char* line;
            const char* expected;
        };
        const Mistake mistakes[] = {
            {"aa discover --agent claude-cod", "did you mean claude-code?"},
            {"aa discover --agent zzz", "known: acpx, amazon-q, amp"},
            {"aa discover --since yesterday", "7d, 12h"},
            {"aa discover --limit some", "expected a number"},
            {"aa discover --project ''", "--project needs a value"},
            {"aa discover -f xml", "expected text, json or ndjson"},
            {"aa discover here", "takes no operand"},
            {"AGENT_AUDIT_NOW=now aa discover", "AGENT_AUDIT_NOW"},
            {"aa --since 3x", "--since = \"3x\""},
            {"aa --latest=none", "a number from 1"},
            {"aa --latest 0", "a number from 1"},
            {"aa --latest -1", "a number from 1"},
            {"aa --reflect -1", "turns from 0 (none) to 10000"},
        };
        for (const Mistake& mistake : mistakes) {
            CAPTURE(mistake.line);
            const Outcome wrong = home.run(mistake.line);
            CHECK(wrong.status == 2);
            CHECK(wrong.out == "");
            CAPTURE(wrong.err);
            CHECK(holds(wrong.err, mistake.expected));
        }
    }

    TEST_CASE("every example of its help runs") {
        const Home home;
        home.furnish();
        std::istringstream help(home.run("aa discover --help").out);
        int examples = 0;
        for (std::string line; std::getline(help, line) && !line.starts_with("Usage:");) {
            if (!line.starts_with("  agent-audit ")) continue;
            CAPTURE(line);
            CHECK(home.run("aa " + line.substr(14)).status == 0);
            ++examples;
        }
        CHECK(examples == 3);
    }

    TEST_CASE("a hostile session commands no terminal") {
        const Home home;
        home.claude(".claude/projects/p/\x1b[31m.jsonl", "1", "/home/\\u001b]0;x\\u0007", 60);
        const std::string out = home.run("aa discover").out;
        CHECK(holds(out, "/home/\\x1b]0;x\\x07"));
        CHECK(out.find('\x1b') == out.npos);
    }

    TEST_CASE("a secret in an id or a folder is in no list") {
        const Home home;
        const std::string secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        home.claude(".claude/projects/p/a.jsonl", secret, "/home/ada/" + secret, 60);
        for (const char* format : {"text", "json", "ndjson"}) {
            CHECK_FALSE(holds(home.run(std::string("aa discover -f ") + format).out, secret));
        }
    }
}

TEST_SUITE("scan chooses sessions") {
    TEST_CASE(
        "--latest without INPUT scans the session written last, with its sub-agents, whatever standard input is") {
        const Home home;
        home.furnish();
        const Json one = home.json("aa --latest -f json");
        REQUIRE(one["inputs"].size() == 2);
        CHECK(one["inputs"][0]["path"].get<std::string>().ends_with("/0b5e.jsonl"));
        CHECK(one["inputs"][1]["path"].get<std::string>().ends_with("/agent-1.jsonl"));
        // Windsurf's is newer than the last of them, and cannot be read.
        CHECK(home.json("aa scan --latest 4 -f json")["inputs"].size() == 5);
        CHECK(home.json("aa scan --latest=2 -f json")["inputs"].size() == 3);
        CHECK(home.run("aa --latest 2").status == 1);
        CHECK(home.json("aa --project /home/ada/shop -f json")["sessions"].size() == 2);
        CHECK(home.json("aa --since 12h -f json")["inputs"].size() == 3);
        CHECK(home.json("aa --since 12h --until 4h -f json")["inputs"].size() == 1);
        CHECK(home.json("aa --until 2026-02-10 -f json")["inputs"].size() == 2);
    }

    TEST_CASE("with INPUT the flags choose among its files, and a file after --latest is a file") {
        const Home home;
        home.furnish();
        CHECK(home.json("aa --latest .claude -f json")["inputs"].size() == 2);
        CHECK(home.json("aa .claude .codex --latest 3 -f json")["inputs"].size() == 4);
        const Json week = home.json("aa -f json .claude .codex .cursor --since 7d");
        CHECK(week["inputs"].size() == 4);
        CHECK(week["summary"]["filtered_inputs"] == 1);
        CHECK(holds(home.run("aa .claude .cursor --since 7d").out, "1 file filtered out"));
        CHECK(home.json("AGENT_AUDIT_SINCE=7d aa -f json .claude .cursor")["inputs"].size() == 3);
    }

    TEST_CASE("when nothing is left, that is an input problem and said") {
        const Home home;
        const Outcome nothing = home.run("aa --latest");
        CHECK(nothing.status == 3);
        CHECK(holds(nothing.err, "no session was found"));
        CHECK(holds(home.run("aa --since 1h").err, "no such session was found"));
        home.write(".codeium/windsurf/cascade/1.pb", "x", 30 * kDay);
        CHECK(holds(home.run("aa --latest").err,
                    "no session that can be read was found on this machine, only 1 that cannot be read yet"));
        CHECK(holds(home.run("aa --since 1h").err, "no such session was found"));
        home.furnish();
        CHECK(holds(home.run("aa discover --agent goose").out, "No such session was found"));
        const Outcome left = home.run("aa .cursor --since 1h");
        CHECK(left.status == 3);
        CHECK(holds(left.err, "nothing is left to read: of 1 file"));
        CHECK(home.run("aa --project /nowhere").status == 3);
    }

    TEST_CASE("standard input is read as ever when no flag was typed, also with a variable set") {
        const Home home;
        home.furnish();
        const std::string input = "<'" + project_file("testdata/demo/stuck-session.jsonl").string() + "'";
        CHECK(home.run("aa -q", input).status == 1);
        CHECK(home.run("AGENT_AUDIT_SINCE=1h aa -q", input).status == 1);
        CHECK(home.run("aa -q - --since 1h", input).status == 1);
    }

    TEST_CASE("on a terminal, without INPUT, help names the newest sessions and how to audit them") {
        const Home home;
        const Outcome bare = home.on_terminal("aa");
        CHECK(bare.status == 2);
        CHECK_FALSE(holds(bare.out, "Newest sessions"));
        home.furnish();
        const Outcome help = home.on_terminal("aa");
        CHECK(help.status == 2);
        check_golden("terminal", help.out);
        CHECK(widest(help.out) <= 100);
        CHECK(home.on_terminal("aa scan").out == help.out);
        CHECK(home.on_terminal("aa -q --latest").status == 0);
    }
}

TEST_SUITE("formats, from outside") {
    TEST_CASE("the support table fits 80 columns and names every format and signal") {
        const Home home;
        const Json formats = home.json("aa formats -f json");
        CHECK(SchemaValidator("formats").errors(formats) == std::vector<std::string>{});
        std::istringstream in(home.run("LC_ALL=C aa formats").out);
        std::string table;
        for (std::string line; std::getline(in, line);) {
            CHECK(line.size() <= 80);
            table += line + "\n";
        }
        for (const Json& format : formats["formats"]) {
            CHECK(holds(table, format["format"].get<std::string>() + " "));
            CHECK(format["records"].size() > 0);
        }
        for (const char* signal :
             {"token_usage", "timestamps", "exit_codes", "reasoning", "sub_agents", "compaction"}) {
            CHECK(holds(table, signal));
        }
    }

    TEST_CASE("replay without INPUT on a terminal takes the latest session of the project, and says so") {
        const Home home;
        CHECK(home.on_terminal("aa replay --policy strict").status == 3);
        CHECK(holds(home.on_terminal("aa replay --policy strict").out, "no session of this project was found"));
        std::string stuck = slurp(project_file("testdata/demo/stuck-session.jsonl"));
        const std::string place = R"("cwd":"/home/kim/invoice")", here = R"("cwd":")" + home.str() + "\"";
        for (std::size_t at = stuck.find(place); at != stuck.npos; at = stuck.find(place, at + here.size()))
            stuck.replace(at, place.size(), here);
        home.write(".claude/projects/-x/77aa.jsonl", stuck, 2 * kHour);
        home.claude(".claude/projects/-x/0b5e.jsonl", "0b5e", home.str(), 3 * kHour);
        home.claude(".claude/projects/-y/1c6f.jsonl", "1c6f", "/home/ada/elsewhere", kHour);
        const Outcome strict = home.on_terminal("aa replay --policy strict --timeline");
        CHECK(strict.status == 1);
        CHECK(holds(strict.out, "Replaying the latest session of this project: ~/.claude/projects/-x/77aa.jsonl"));
        CHECK(holds(strict.out, "policy strict: 2 interventions"));
        CHECK(widest(strict.out) <= 90);  // 80 columns, and a few characters that take more than one byte
        const Outcome contexts = home.on_terminal("aa replay");
        CHECK(contexts.status == 0);
        CHECK(holds(contexts.out, "Replaying the latest session of this project: ~/.claude/projects/-x/77aa.jsonl"));
        // A pipe is read, whatever sessions there are.
        const Outcome empty = home.run("aa replay --policy strict", "</dev/null");
        CHECK(empty.status == 3);
        CHECK_FALSE(holds(empty.err, "Replaying"));
    }
}
