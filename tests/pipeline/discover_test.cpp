#include "pipeline/files.hpp"
#include "pipeline/inputs/session_files.hpp"
#include "readers/input/find_files.hpp"

#include <agent_audit/pipeline/discover.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/time.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

using namespace agent_audit;
using test::Folder;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kDay = 86'400'000;
const std::int64_t kNow = *parse_time_ms("2026-02-12T12:00:00Z");

using Variables = std::map<std::string, std::string, std::less<>>;

/// A home folder, and a search below it.
class Home {
public:
    Home() { variables["HOME"] = folder.str(); }

    Folder folder;
    Variables variables;

    std::string write(const std::string& name, std::string_view bytes, std::int64_t age_ms = 0) const {
        std::string path = folder.write(name, bytes);
        touch(path, age_ms);
        return path;
    }
    static void touch(const std::string& path, std::int64_t age_ms) {
        const std::int64_t ms = kNow - age_ms;
        const timespec time{static_cast<time_t>(ms / 1000), (ms % 1000) * 1'000'000};
        const timespec times[2] = {time, time};
        REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    }
    DiscoverPlan plan() const {
        DiscoverPlan plan;
        plan.variable = [this](std::string_view name) {
            const auto found = variables.find(name);
            return found == variables.end() ? std::string() : found->second;
        };
        return plan;
    }
    Discovery found() const { return discover(plan()); }
    std::vector<std::string> names(const Discovery& found) const {
        std::vector<std::string> out;
        for (const FoundSession& session : found.sessions) out.push_back(session.path.substr(folder.str().size() + 1));
        return out;
    }
    std::vector<std::string> names() const { return names(found()); }
};

using Names = std::vector<std::string>;

std::string claude(std::string_view id, std::string_view cwd) {
    return fmt::format(
        "{{\"type\":\"file-history-snapshot\",\"messageId\":\"m\"}}\n"
        "{{\"type\":\"user\",\"uuid\":\"u1\",\"parentUuid\":null,\"isSidechain\":false,\"sessionId\":\"{}\",\"cwd\":\"{"
        "}\","
        "\"version\":\"2.1.90\",\"timestamp\":\"2026-02-12T09:00:00.000Z\",\"message\":{{\"role\":\"user\",\"content\":"
        "\"hi\"}}}}\n",
        id, cwd);
}

// The pattern with something for every wildcard.
std::string an_example(std::string_view glob) {
    std::string path;
    for (std::size_t i = 0; i < glob.size(); ++i) path += glob[i] == '*' ? std::string("x1") : std::string(1, glob[i]);
    return path;
}

std::string fixture(std::string_view format) {
    for (const auto& entry : fs::directory_iterator(test::project() / "testdata/readers" / format)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("minimal.") && !name.ends_with(".events")) return test::content(entry.path());
    }
    return {};
}

}  // namespace

TEST_SUITE("discover") {
    TEST_CASE("an empty home has nothing, and that is no problem") {
        const Home home;
        const Discovery found = home.found();
        CHECK(found.sessions.empty());
        CHECK(found.found == 0);
        CHECK(found.problems == Names{});
    }

    TEST_CASE("every row of the table finds what lies there, in each of its folders") {
        for (const Location& location : all_locations()) {
            for (const RootPath& root : location.roots) {
                Home home;
                std::string base(root.below);
                if (!root.variable.empty()) {
                    home.variables[std::string(root.variable)] = home.folder / "elsewhere";
                    base = base.empty() ? "elsewhere" : "elsewhere/" + base;
                }
                const std::string path = base + "/" + an_example(location.glob);
                CAPTURE(path);
                if (location.kind == LocationKind::folder)
                    fs::create_directories(home.folder / path);
                else
                    home.write(path, location.format.empty() ? std::string("?") : fixture(location.format));
                DiscoverPlan plan = home.plan();
                plan.sub_agents = true;
                const Discovery found = discover(plan);
                REQUIRE(home.names(found) == Names{path});
                CHECK(found.sessions[0].where->agent == location.agent);
                CHECK(found.sessions[0].where->format == location.format);
                CHECK(found.problems == Names{});
            }
        }
    }

    TEST_CASE("a session tells its id and where it began, though other records come first") {
        const Home home;
        home.write(".claude/projects/p/a.jsonl", claude("s-1", "/home/ada/shop"));
        const Discovery found = home.found();
        REQUIRE(found.sessions.size() == 1);
        CHECK(found.sessions[0].id == "s-1");
        CHECK(found.sessions[0].project == "/home/ada/shop");
        CHECK(found.sessions[0].size == fs::file_size(found.sessions[0].path));
        CHECK(found.sessions[0].modified_ms == kNow);
    }

    TEST_CASE("the newest comes first, equally old ones by path, and the limit is of the newest") {
        const Home home;
        home.write(".claude/projects/p/old.jsonl", claude("1", "/a"), 3 * kDay);
        home.write(".codex/sessions/2026/02/12/rollout-b.jsonl", fixture("codex"), 1000);
        home.write(".claude/projects/p/b.jsonl", claude("2", "/a"), 5000);
        home.write(".claude/projects/p/a.jsonl", claude("3", "/a"), 5000);
        const Names all{".codex/sessions/2026/02/12/rollout-b.jsonl", ".claude/projects/p/a.jsonl",
                        ".claude/projects/p/b.jsonl", ".claude/projects/p/old.jsonl"};
        CHECK(home.names() == all);
        DiscoverPlan plan = home.plan();
        plan.filter.latest = 2;
        const Discovery found = discover(plan);
        CHECK(home.names(found) == Names{all[0], all[1]});
        CHECK(found.found == 4);
        REQUIRE(found.agents.size() == 2);
        CHECK(found.agents[0].agent == "claude-code");
        CHECK(found.agents[0].sessions == 3);
    }

    TEST_CASE("a variable moves an agent's folder: the default one is not looked at") {
        Home home;
        home.write(".claude/projects/p/a.jsonl", claude("1", "/a"));
        home.write("work/claude/projects/p/b.jsonl", claude("2", "/a"));
        home.variables["CLAUDE_CONFIG_DIR"] = home.folder / "work/claude/";
        CHECK(home.names() == Names{"work/claude/projects/p/b.jsonl"});
    }

    TEST_CASE("filters: agents, time, project, what can be read") {
        const Home home;
        home.write(".claude/projects/p/new.jsonl", claude("1", "/home/ada/shop"), 1000);
        home.write(".claude/projects/p/old.jsonl", claude("2", "/home/ada/shop/web"), 9 * kDay);
        home.write(".claude/projects/p/near.jsonl", claude("3", "/home/ada/shopping"), 2000);
        home.write(".codeium/windsurf/cascade/1.pb", "{}", 500);
        DiscoverPlan plan = home.plan();
        plan.agents = {"windsurf"};
        CHECK(home.names(discover(plan)) == Names{".codeium/windsurf/cascade/1.pb"});
        plan.agents.clear();
        plan.readable_only = true;
        CHECK(discover(plan).found == 3);
        plan.filter.projects = {"/home/ada/shop"};
        CHECK(home.names(discover(plan)) == Names{".claude/projects/p/new.jsonl", ".claude/projects/p/old.jsonl"});
        plan.filter.since_ms = kNow - 7 * kDay;
        CHECK(home.names(discover(plan)) == Names{".claude/projects/p/new.jsonl"});
        plan.filter.since_ms = kNoTime;
        plan.filter.until_ms = kNow - 7 * kDay;
        CHECK(home.names(discover(plan)) == Names{".claude/projects/p/old.jsonl"});
    }

    TEST_CASE("files of sub-agents belong to their session and are not sessions") {
        const Home home;
        home.write(".claude/projects/p/s1.jsonl", claude("s1", "/a"), 1000);
        home.write(".claude/projects/p/s1/subagents/agent-2.jsonl", claude("s1", "/a"));
        home.write(".claude/projects/p/s1/subagents/agent-1.jsonl", claude("s1", "/a"));
        home.write(".claude/projects/p/s1/subagents/workflows/wf_1/agent-3.jsonl", claude("s1", "/a"));
        home.write(".claude/projects/p/agent-of-old.jsonl", claude("s1", "/a"));
        const Discovery found = home.found();
        CHECK(home.names(found) == Names{".claude/projects/p/s1.jsonl"});
        CHECK(found.sub_agents == 4);
        REQUIRE(found.sessions[0].sub_agents.size() == 3);
        CHECK(found.sessions[0].sub_agents[0].ends_with("agent-1.jsonl"));
        DiscoverPlan plan = home.plan();
        plan.sub_agents = true;
        CHECK(discover(plan).found == 5);
    }

    TEST_CASE("a folder of events is a session that can be read") {
        const Home home;
        home.write(".openhands/conversations/c/events/event-00000-a.json", "{}");
        DiscoverPlan plan = home.plan();
        plan.readable_only = true;
        const Discovery found = discover(plan);
        REQUIRE(home.names(found) == Names{".openhands/conversations/c/events"});
        CHECK(found.sessions[0].where->format == "openhands");
    }

    TEST_CASE("one file counts once, whatever links lead to it, and links in circles end") {
        const Home home;
        const std::string real = home.write(".claude/projects/p/a.jsonl", claude("1", "/a"));
        fs::create_directory_symlink(home.folder / ".claude", home.folder.str() + "/.link");
        fs::create_directory(home.folder / ".config");
        fs::create_directory_symlink(home.folder / ".claude", home.folder / ".config/claude");
        fs::create_directory_symlink(home.folder / ".claude/projects", home.folder / ".claude/projects/loop");
        fs::create_symlink(real, home.folder / ".claude/projects/p/b.jsonl");
        fs::create_symlink("nowhere", home.folder / ".claude/projects/p/dead.jsonl");
        const Discovery found = home.found();
        CHECK(home.names(found) == Names{".claude/projects/p/a.jsonl"});
        CHECK(found.problems == Names{});
    }

    TEST_CASE("copies beside a session are not sessions: compressed twins, checkpoints, Kimi's context file") {
        const Home home;
        home.write(".codex/sessions/2026/02/12/rollout-a.jsonl", fixture("codex"));
        home.write(".codex/sessions/2026/02/12/rollout-a.jsonl.zst", "x");
        home.write(".kimi/sessions/h/s/wire.jsonl", fixture("kimi-cli"));
        home.write(".kimi/sessions/h/s/context.jsonl", fixture("kimi-cli"));
        home.write(".openclaw/agents/m/sessions/s.checkpoint.01234567-89ab-cdef-0123-456789abcdef.jsonl", "{}");
        CHECK(home.names() == Names{".codex/sessions/2026/02/12/rollout-a.jsonl", ".kimi/sessions/h/s/wire.jsonl"});
    }

    TEST_CASE("what stands where a session should be is passed over: folders, pipes, empty and broken files") {
        const Home home;
        fs::create_directories(home.folder / ".claude/projects/p/folder.jsonl");
        REQUIRE(::mkfifo((home.folder / ".claude/projects/p/pipe.jsonl").c_str(), 0600) == 0);
        home.write(".claude/projects/p/broken.jsonl", std::string("\0\xff{]\n\n{\"cwd\":3,\"sessionId\":[]}", 30),
                   2000);
        home.write(".claude/projects/p/empty.jsonl", "", 1000);
        home.write(".claude/projects/not-a-folder", "x");
        const Discovery found = home.found();
        CHECK(home.names(found) == Names{".claude/projects/p/empty.jsonl", ".claude/projects/p/broken.jsonl"});
        for (const FoundSession& session : found.sessions) CHECK(session.project.empty());
        CHECK(found.problems == Names{});
    }

    TEST_CASE("a folder that may not be read is named, and the others are still found") {
        if (::geteuid() == 0) {
            MESSAGE("skipped: root may read everything");
            return;
        }
        const Home home;
        home.write(".claude/projects/p/a.jsonl", claude("1", "/a"));
        home.write(".claude/projects/closed/b.jsonl", claude("2", "/a"));
        fs::permissions(home.folder / ".claude/projects/closed", fs::perms::none);
        const Discovery found = home.found();
        fs::permissions(home.folder / ".claude/projects/closed", fs::perms::owner_all);
        CHECK(found.found == 1);
        REQUIRE(found.problems.size() == 1);
        CHECK(found.problems[0].find("/.claude/projects/closed'") != std::string::npos);
    }

    TEST_CASE("a file of 8 GB costs what its first records cost") {
        const Home home;
        const std::string path = home.write(".claude/projects/p/a.jsonl", claude("1", "/home/ada/shop"));
        REQUIRE(::truncate(path.c_str(), off_t{8} << 30) == 0);
        const Discovery found = home.found();
        REQUIRE(found.sessions.size() == 1);
        CHECK(found.sessions[0].size == std::uint64_t{8} << 30);
        CHECK(found.sessions[0].project == "/home/ada/shop");
    }

    TEST_CASE("the search ends at its limits, and says so") {
        const Home home;
        for (int i = 0; i < 50; ++i) home.write(fmt::format(".claude/projects/p/{}.jsonl", i), claude("1", "/a"), i);
        DiscoverPlan plan = home.plan();
        plan.limits.entries = 20;
        const Discovery few = discover(plan);
        CHECK(few.found < 20);
        REQUIRE(few.problems.size() == 1);
        CHECK(few.problems[0].find("stopped after 20 directory entries") != std::string::npos);
        plan = home.plan();
        plan.limits.heads = 10;
        const Discovery unopened = discover(plan);
        CHECK(unopened.found == 50);
        CHECK(std::ranges::count(unopened.sessions, "/a", &FoundSession::project) == 10);
        REQUIRE(unopened.problems.size() == 1);
        CHECK(unopened.problems[0].find("newest 10 files") != std::string::npos);
    }
}

TEST_SUITE("input filter") {
    TEST_CASE("expanded files are left out by time before they are read, and counted") {
        const Home home;
        home.write("logs/new.jsonl", claude("1", "/a"), 1000);
        home.write("logs/old.jsonl", claude("2", "/a"), 9 * kDay);
        AuditPlan plan;
        plan.inputs = {home.folder / "logs"};
        plan.filter.since_ms = kNow - kDay;
        const Report report = test::report_of(plan);
        REQUIRE(report.inputs.size() == 1);
        CHECK(report.inputs[0].path.ends_with("new.jsonl"));
        CHECK(report.filtered_inputs == 1);
        CHECK(report.problems.empty());
        plan.filter.until_ms = kNow - kDay;
        const Report none = test::report_of(plan);
        CHECK(none.inputs.empty());
        CHECK(none.filtered_inputs == 2);
        REQUIRE(none.problems.size() == 1);
        CHECK(none.problems[0].find("of 2 files") != std::string::npos);
    }

    TEST_CASE("the project is the folder a session began in, or one below it") {
        const Home home;
        home.write("logs/in.jsonl", claude("1", "/home/ada/shop"));
        home.write("logs/below.jsonl", claude("2", "/home/ada/shop/web"));
        home.write("logs/beside.jsonl", claude("3", "/home/ada/shopping"));
        home.write("logs/unknown.jsonl", "{\"role\":\"user\",\"content\":\"hi\"}\n");
        AuditPlan plan;
        plan.inputs = {home.folder / "logs"};
        plan.filter.projects = {"/home/ada/shop"};
        const Report report = test::report_of(plan);
        CHECK(report.inputs.size() == 2);
        CHECK(report.filtered_inputs == 2);
        plan.filter.projects = {"/"};
        CHECK(test::report_of(plan).inputs.size() == 3);
    }

    TEST_CASE("the latest sessions are counted without the files of their sub-agents, which come along") {
        const Home home;
        home.write("logs/a.jsonl", claude("a", "/a"), 3000);
        home.write("logs/a/subagents/agent-1.jsonl", claude("a", "/a"), 1000);
        home.write("logs/b.jsonl", claude("b", "/a"), 2000);
        home.write("logs/c.jsonl", claude("c", "/a"), 4000);
        AuditPlan plan;
        plan.inputs = {home.folder / "logs"};
        plan.filter.latest = 2;
        const Report two = test::report_of(plan);
        REQUIRE(two.inputs.size() == 3);
        CHECK(two.inputs[0].path.ends_with("logs/a.jsonl"));
        CHECK(two.inputs[1].path.ends_with("agent-1.jsonl"));
        CHECK(two.inputs[2].path.ends_with("logs/b.jsonl"));
        plan.filter.latest = 1;
        const Report one = test::report_of(plan);
        REQUIRE(one.inputs.size() == 1);
        CHECK(one.inputs[0].path.ends_with("logs/b.jsonl"));
    }

    TEST_CASE("what was found and not named need not be a session") {
        const Home home;
        AuditPlan plan;
        plan.inputs = {home.write("empty.jsonl", ""), home.write("a.jsonl", claude("a", "/a"))};
        CHECK(test::report_of(plan).skipped_inputs == 0);
        plan.inputs_found = true;
        const Report report = test::report_of(plan);
        CHECK(report.skipped_inputs == 1);
        CHECK_FALSE(report.inputs[1].error.has_value());
    }
}
