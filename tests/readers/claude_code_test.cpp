#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <agent_audit/support/time.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read(const std::string& lines) { return read_text(readers::claude_code(), lines); }
test::Reading stream(const std::string& lines) { return read_text(readers::claude_code_stream(), lines); }

test::Reading fixture(const std::string& name) {
    return read(slurp(test::source_dir() / "testdata/readers/claude-code" / name));
}

// A record with an id, a parent and a session; `more` is JSON fields that follow.
std::string record(std::string_view type, std::string_view id, std::string_view parent, std::string_view more) {
    return fmt::format(R"({{"type":"{}","uuid":"{}","parentUuid":{},"sessionId":"s",{}}})"
                       "\n",
                       type, id, parent.empty() ? "null" : fmt::format("\"{}\"", parent), more);
}
std::string user(std::string_view id, std::string_view parent, std::string_view text, std::string_view more = {}) {
    return record(
        "user", id, parent,
        fmt::format(R"({}{}"message":{{"role":"user","content":"{}"}})", more, more.empty() ? "" : ",", text));
}
std::string blocks(std::string_view content, std::string_view more = {}) {
    return record(
        "user", "u", "p",
        fmt::format(R"({}{}"message":{{"role":"user","content":[{}]}})", more, more.empty() ? "" : ",", content));
}
std::string result(std::string_view fields, std::string_view more = {}) {
    return blocks(fmt::format(R"({{"type":"tool_result","tool_use_id":"t",{}}})", fields), more);
}
std::string beside_result(std::string_view text, std::string_view more = {}) {
    return blocks(
        fmt::format(R"({{"type":"tool_result","tool_use_id":"t","content":"x"}},{{"type":"text","text":"{}"}})", text),
        more);
}
// As a command of the human's is written down that stands for a prompt.
std::string command(std::string_view name, std::string_view args) {
    return fmt::format(
        R"(<command-message>{} is running</command-message>\n<command-name>/{}</command-name>\n<command-args>{}</command-args>)",
        name, name, args);
}
std::string assistant(std::string_view id, std::string_view parent, std::string_view content,
                      std::string_view message_more = R"("id":"m","model":"x")", std::string_view more = {}) {
    return record("assistant", id, parent,
                  fmt::format(R"({}{}"message":{{"role":"assistant",{},"content":[{}]}})", more,
                              more.empty() ? "" : ",", message_more, content));
}
std::string system_record(std::string_view subtype, std::string_view more) {
    return record("system", "y", "p", fmt::format(R"("subtype":"{}",{})", subtype, more));
}

std::string only(const test::Reading& seen, std::string_view start) {
    const auto found = seen.those(start);
    REQUIRE(found.size() == 1);
    return found[0];
}
std::string status_of(std::string_view fields, std::string_view more = {}) {
    return only(read(result(fields, more)), "ToolResult");
}
std::string origin_of(const test::Reading& seen) {
    const std::string line = only(seen, "Message user/");
    return line.substr(13, line.find(' ', 13) - 13);
}
CallDigest digest_of(std::string_view tool_use) {
    const auto seen = read(assistant("a", "", tool_use));
    REQUIRE(seen.events.digests.size() == 1);
    return seen.events.digests[0];
}

/// Keeps what EventLines leaves out.
struct Details final : EventSink {
    std::vector<LaneOpen> lanes;
    std::vector<std::string> agents, agent_types;
    std::vector<std::uint32_t> numbers;
    std::vector<SessionStart> starts;
    std::vector<TurnEnd> ends;
    std::vector<Notice> notices;
    std::vector<Compaction> compactions;
    std::vector<Usage> usages;
    std::vector<std::string> ids;

    void on_event(const Event& event) override {
        if (const auto* lane = std::get_if<LaneOpen>(&event.body)) {
            lanes.push_back(*lane);
            agents.emplace_back(lane->agent_id.bytes);
            agent_types.emplace_back(lane->agent_type.bytes);
            numbers.push_back(event.head.lane);
        }
        if (const auto* start = std::get_if<SessionStart>(&event.body)) starts.push_back(*start);
        if (const auto* end = std::get_if<TurnEnd>(&event.body)) ends.push_back(*end);
        if (const auto* usage = std::get_if<Usage>(&event.body)) usages.push_back(*usage);
        if (const auto* notice = std::get_if<Notice>(&event.body)) notices.push_back(*notice);
        if (const auto* compaction = std::get_if<Compaction>(&event.body)) {
            compactions.push_back(*compaction);
            ids.emplace_back(compaction->ids.bytes);
        }
    }
};

Details details(std::string_view text, const ReaderSpec& spec = readers::claude_code()) {
    Details out;
    InputBuffers buffers;
    const auto source = memory_input(text, 0, InputLimits{}, buffers, 4096);
    const auto reader = spec.make();
    Record next;
    while (source->next(next) == RecordSource::Next::record) reader->read(next, out);
    reader->finish(out);
    return out;
}

}  // namespace

TEST_SUITE("claude-code") {
    TEST_CASE("a session becomes start, turn, usage, call, result and answer, in this order") {
        const auto seen = fixture("minimal.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=c1a0-minimal cwd=/home/ada/notes",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Usage in=12 write=50 read=400 out=30 model=claude-sonnet-4-5",
                                  "ToolCall toolu_1 Bash 'ls'",
                                  R"(ToolResult toolu_1 ok 'todo.txt\n')",
                                  "Usage in=4 write=40 read=450 out=9 model=claude-sonnet-4-5",
                                  "Message assistant/agent 'One file: todo.txt.'",
                              });
        CHECK(seen.count(LineFate::understood) == 4);
        const auto& heads = seen.events.heads;
        CHECK(heads[3].response != 0);
        CHECK(heads[3].response == heads[4].response);
        CHECK(heads[4].response != heads[7].response);
        CHECK(heads[0].turn == 0);
        CHECK(heads[7].turn == 1);
        CHECK(heads[7].where.line == 4);
        CHECK(heads[7].time_ms - heads[5].time_ms == 2500);
        CHECK(heads[2].time_ms == parse_time_ms("2026-03-02T09:00:00.000Z").value());
        CHECK(seen.events.record_ids[5] == "u3");
        for (std::size_t i = 1; i < heads.size(); ++i) CHECK(heads[i].seq > heads[i - 1].seq);
    }

    TEST_CASE("the session start takes the version from the first record of the conversation") {
        const auto seen = details(slurp(test::source_dir() / "testdata/readers/claude-code/full.jsonl"));
        REQUIRE(seen.starts.size() == 1);
        CHECK_FALSE(seen.starts[0].sub_agent);
        CHECK_FALSE(seen.starts[0].resumed);
    }

    TEST_CASE("records of several session ids in one file are one session: the file is the session") {
        const auto seen = read(
            user("a", "", "one") +
            R"({"type":"user","uuid":"b","parentUuid":"a","sessionId":"other","message":{"role":"user","content":"two"}})");
        CHECK(seen.those("SessionStart") == Lines{"SessionStart id=s"});
        CHECK(seen.count("Message") == 2);
    }

    TEST_CASE("cwd and version that change on the way do not begin another session") {
        const auto seen = read(user("a", "", "one", R"("cwd":"/a","version":"2.1.1")") +
                               user("b", "a", "two", R"("cwd":"/b","version":"2.1.2")"));
        CHECK(seen.those("SessionStart") == Lines{"SessionStart id=s cwd=/a"});
    }

    // ---- responses and usage ----------------------------------------------------------------------------

    TEST_CASE("a session begins with the first record that says where, whatever bookkeeping stands in front") {
        const std::string title = R"({"type":"custom-title","customTitle":"x","sessionId":"s"})"
                                  "\n";
        const auto seen = read(title + user("a", "", "hi", R"("cwd":"/w","version":"2.1.219")") +
                               user("b", "a", "go", R"("cwd":"/w/sub","version":"2.1.219")") +
                               user("c", "b", "on", R"("cwd":"/w/sub")") + user("d", "c", "and on"));
        CHECK(seen.lines()[0] == "SessionStart id=s cwd=/w");
        CHECK(seen.those("ContextChange") == Lines{"ContextChange cwd=/w/sub"});
        CHECK(details(title + user("a", "", "hi", R"("version":"2.1.219")")).starts.at(0).product_version.empty() ==
              false);
        CHECK(read(title).lines() == Lines{"SessionStart id=s"});
        CHECK(read(user("a", "", "hi") + user("b", "a", "go", R"("cwd":"/w")")).those("ContextChange") ==
              Lines{"ContextChange cwd=/w"});
        // A sub-agent stands where it stands.
        CHECK(read(user("a", "", "hi", R"("cwd":"/w")") +
                   user("b", "a", "go", R"("cwd":"/v","isSidechain":true,"agentId":"x")"))
                  .count("ContextChange") == 0);
    }

    TEST_CASE("lines of one message share the response, and each repeats the usage to be replaced") {
        const auto seen = fixture("full.jsonl");
        const auto usages = seen.those("Usage");
        CHECK(usages[0] == "Usage in=6 write=100 read=2000 out=1 model=claude-opus-4-5");
        CHECK(usages[4] == "Usage in=6 write=100 read=2000 out=80 model=claude-opus-4-5");
        const auto& u = seen.events.usages;
        for (std::size_t i = 0; i < 5; ++i) {
            CHECK(u[i].mode == UsageMode::replace);
            CHECK(u[i].scope == UsageScope::request);
            CHECK(u[i].message_key != 0);
            CHECK(u[i].message_key == u[0].message_key);
            CHECK(u[i].request_key == u[0].request_key);
            CHECK_FALSE(u[i].sidechain);
        }
        CHECK(u[5].message_key != u[0].message_key);
        CHECK(u[5].request_key != u[0].request_key);
    }

    TEST_CASE("cache writes that were bought for an hour are told apart") {
        const auto seen = read(assistant(
            "a", "", "",
            R"("usage":{"input_tokens":5,"cache_creation_input_tokens":90,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":70}})"));
        REQUIRE(seen.events.usages.size() == 1);
        CHECK(seen.events.usages[0].tokens.cache_write == 90);
        CHECK(seen.events.usages[0].tokens.cache_write_1h == 70);
        for (const char* odd : {"null", "7", "[]", R"({"ephemeral_1h_input_tokens":"many"})"}) {
            const auto other =
                read(assistant("a", "", "", R"("usage":{"input_tokens":5,"cache_creation":)" + std::string(odd) + "}"));
            REQUIRE(other.events.usages.size() == 1);
            CHECK(other.events.usages[0].tokens.cache_write_1h == 0);
        }
    }

    TEST_CASE("where a sum says that the input has the cached tokens in it they are taken out of it") {
        const auto counts = [](std::string_view usage) {
            const auto seen = read(assistant("a", "", "", R"("usage":)" + std::string(usage)));
            REQUIRE(seen.events.usages.size() == 1);
            return seen.events.usages[0].tokens;
        };
        CHECK(counts(R"({"input_tokens":900,"output_tokens":50,"cache_read_input_tokens":600,"total_tokens":950})") ==
              TokenCounts{300, 0, 600, 50, 0});
        CHECK(counts(R"({"total_tokens":950,"input_tokens":300,"output_tokens":50,"cache_read_input_tokens":600})") ==
              TokenCounts{300, 0, 600, 50, 0});
        CHECK(counts(R"({"input_tokens":9,"output_tokens":1,"cache_read_input_tokens":20,"total_tokens":10})") ==
              TokenCounts{9, 0, 20, 1, 0});
    }

    TEST_CASE("how much of the output is thinking is told by recent versions") {
        const auto told = [](std::string_view details) {
            const auto seen = read(assistant("a", "", "", fmt::format(R"("usage":{{"output_tokens":90{}}})", details)));
            REQUIRE(seen.events.usages.size() == 1);
            CHECK(seen.events.usages[0].tokens.output == 90);
            return seen.events.usages[0].tokens.reasoning;
        };
        CHECK(told(R"(,"output_tokens_details":{"thinking_tokens":60})") == 60);
        CHECK(told("") == 0);
        CHECK(told(R"(,"output_tokens_details":null)") == 0);
        CHECK(told(R"(,"output_tokens_details":{"thinking_tokens":"some"})") == 0);
    }

    TEST_CASE("cache writes are known by their parts where no sum stands beside them, or none yet") {
        const auto written = [](std::string_view usage) {
            const auto seen = read(assistant("a", "", "", R"("usage":{"input_tokens":5,)" + std::string(usage) + "}"));
            REQUIRE(seen.events.usages.size() == 1);
            return seen.events.usages[0].tokens;
        };
        constexpr std::string_view kParts =
            R"("cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":70})";
        for (const std::string_view sum :
             {"", R"(,"cache_creation_input_tokens":0)", R"(,"cache_creation_input_tokens":null)"}) {
            CAPTURE(sum);
            CHECK(written(std::string(kParts) + std::string(sum)) == TokenCounts{5, 90, 0, 0, 0, 70});
            if (!sum.empty())
                CHECK(written(std::string(sum.substr(1)) + "," + std::string(kParts)) ==
                      TokenCounts{5, 90, 0, 0, 0, 70});
        }
        CHECK(written(R"("cache_creation_input_tokens":50,"cache_creation":{"ephemeral_5m_input_tokens":0})")
                  .cache_write == 50);
    }

    TEST_CASE("an advisor asked within a request is billed beside it, once however often the usage is told") {
        const std::string usage =
            R"("id":"msg_012345678901","model":"x","usage":{"input_tokens":5,"output_tokens":7,"iterations":[)"
            R"({"type":"message","input_tokens":3,"output_tokens":2},)"
            R"({"type":"advisor_message","model":"y","input_tokens":900,"output_tokens":40,"cache_read_input_tokens":8,"cache_creation":{"ephemeral_5m_input_tokens":6}},)"
            R"({"type":"advisor_message","model":"y","input_tokens":901,"output_tokens":41},)"
            R"({"type":"advisor_message","input_tokens":1},null,)"
            R"({"type":"message","input_tokens":2,"output_tokens":5}]})";
        const auto seen = read(assistant("a", "", "", usage) + assistant("b", "a", "", usage));
        const auto& u = seen.events.usages;
        REQUIRE(u.size() == 6);
        CHECK(u[0].tokens == TokenCounts{900, 6, 8, 40});
        CHECK(u[1].tokens == TokenCounts{901, 0, 0, 41});
        CHECK(u[2].tokens == TokenCounts{5, 0, 0, 7});
        CHECK(seen.those("Usage")[0].find("model=y") != std::string::npos);
        CHECK(seen.those("Usage")[2].find("model=x") != std::string::npos);
        CHECK(u[0].scope == UsageScope::session);  // no prompt of this conversation
        CHECK(u[2].scope == UsageScope::request);
        CHECK(std::set{u[0].message_key, u[1].message_key, u[2].message_key}.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(u[i].message_key == u[i + 3].message_key);
            CHECK(u[i].tokens == u[i + 3].tokens);
        }
    }

    TEST_CASE("requests whose responses all have the same word as id are told apart by their prompts") {
        const auto key = [](std::string_view id, int input, int output, std::string_view more = {}) {
            const auto seen = read(assistant(
                "a", "", "",
                fmt::format(R"("id":"{}","usage":{{"input_tokens":{},"output_tokens":{}}})", id, input, output), more));
            REQUIRE(seen.events.usages.size() == 1);
            return seen.events.usages[0].message_key;
        };
        CHECK(key("relay", 100, 1) == key("relay", 100, 9));  // of one response, while it streams
        CHECK(key("relay", 100, 9) != key("relay", 220, 9));
        CHECK(key("msg_01ABCDEFGHIJ", 100, 9) == key("msg_01ABCDEFGHIJ", 220, 9));
        constexpr std::string_view kRequest = R"("requestId":"req_1")";
        CHECK(key("relay", 100, 9, kRequest) == key("relay", 220, 9, kRequest));
        CHECK(key("", 100, 1) == key("", 100, 9));
        CHECK(key("", 100, 9) != key("", 220, 9));
    }

    TEST_CASE("a message of more blocks than any has is read so far, and says so") {
        std::string content = "{}";
        for (int i = 1; i < 10'000; ++i) content += ",{}";
        CHECK(read(blocks(content)).count("Notice") == 0);
        const auto seen = read(blocks(content + R"(,"lost",{"type":"text","text":"lost as well"})"));
        CHECK(seen.those("Notice").size() == 1);
        CHECK(seen.count("Message") == 0);
    }

    TEST_CASE("usage without a message id is that of the records with its prompt, as long as they are one answer") {
        const auto one = [](int input, std::string_view block) {
            return assistant("a", "", block, fmt::format(R"("usage":{{"input_tokens":{},"output_tokens":2}})", input));
        };
        constexpr std::string_view kText = R"({"type":"text","text":"I build."})";
        constexpr std::string_view kCall = R"({"type":"tool_use","id":"t","name":"Bash","input":{}})";
        const auto seen = read(one(5, kText) + one(5, kCall) + one(5, kCall) + one(7, kText) + one(7, kCall) +
                               one(7, kText) + user("u", "", "go on") + one(7, kText));
        std::vector<std::uint64_t> keys;
        for (const Usage& usage : seen.events.usages) keys.push_back(usage.message_key);
        REQUIRE(keys.size() == 7);
        CHECK(std::set(keys.begin(), keys.end()).size() == 4);
        CHECK(std::ranges::count(keys, keys[0]) == 3);
        CHECK(keys[3] == keys[4]);
        CHECK(keys[5] != keys[4]);  // words stand before calls
        CHECK(keys[6] != keys[5]);  // somebody spoke
    }

    TEST_CASE("thinking keeps its text and the size of what is opaque") {
        const auto seen = read(assistant(
            "a", "",
            R"({"type":"thinking","thinking":"","signature":"abcd"},{"type":"redacted_thinking","data":"xyz"})"));
        CHECK(seen.those("Thinking") == Lines{"Thinking opaque=4", "Thinking opaque=3"});
    }

    TEST_CASE("server-side tools are calls, their results stand in the response") {
        const auto seen = read(assistant(
            "a", "",
            R"({"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"mill"}},)"
            R"({"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"text","text":"a mill"}]})"));
        CHECK(seen.those("Tool") == Lines{"ToolCall s1 web_search 'mill'", "ToolResult s1 ok 'a mill'"});
    }

    TEST_CASE("a call is known by tool and arguments, not by its description or the order of keys") {
        const auto base = digest_of(
            R"({"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls","description":"a","timeout":5}})");
        const auto same = digest_of(
            R"({"type":"tool_use","id":"2","name":"Bash","input":{"timeout":5.0,"description":"b","command":"ls"}})");
        const auto other_tool =
            digest_of(R"({"type":"tool_use","id":"3","name":"Sh","input":{"command":"ls","timeout":5}})");
        const auto other_args =
            digest_of(R"({"type":"tool_use","id":"4","name":"Bash","input":{"command":"ls -l","timeout":5}})");
        CHECK(base.canonical == same.canonical);
        CHECK(base.canonical != other_tool.canonical);
        CHECK(base.canonical != other_args.canonical);
        CHECK_FALSE(base.opaque);
    }

    TEST_CASE("the digest of a call does not depend on where the name stands") {
        const auto after = digest_of(R"({"type":"tool_use","id":"1","input":{"command":"ls"},"name":"Bash"})");
        const auto before = digest_of(R"({"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls"}})");
        CHECK(after.canonical == before.canonical);
    }

    TEST_CASE("a call without input equals a call with an empty one") {
        const auto none = digest_of(R"({"type":"tool_use","id":"1","name":"TaskList"})");
        CHECK(none.canonical == digest_of(R"({"type":"tool_use","id":"2","name":"TaskList","input":{}})").canonical);
        CHECK(none.canonical != digest_of(R"({"type":"tool_use","id":"3","name":"TaskGet"})").canonical);
    }

    // ---- results ----------------------------------------------------------------------------------------

    TEST_CASE("a result without is_error, or with false, is ok") {
        CHECK(status_of(R"("content":"fine")") == "ToolResult t ok 'fine'");
        CHECK(status_of(R"("content":"fine","is_error":false)") == "ToolResult t ok 'fine'");
        CHECK(status_of(R"("content":"Exit code 1")") == "ToolResult t ok 'Exit code 1'");
    }

    TEST_CASE("a failed command has the exit code its text begins with") {
        CHECK(status_of(R"("content":"Exit code 127\nnot found","is_error":true)") ==
              R"(ToolResult t error exit=127 'Exit code 127\nnot found')");
        CHECK(status_of(R"("content":"Exit code x","is_error":true)") == "ToolResult t error 'Exit code x'");
        CHECK(status_of(R"("content":"it said Exit code 3","is_error":true)") ==
              "ToolResult t error 'it said Exit code 3'");
    }

    TEST_CASE("bad edits and invalid input are errors of the tool") {
        CHECK(status_of(R"("content":"<tool_use_error>File has not been read yet.</tool_use_error>","is_error":true)")
                  .starts_with("ToolResult t error"));
    }

    TEST_CASE("a call that a hook did not let through is denied") {
        CHECK(status_of(R"("is_error":true,"content":"PreToolUse:Bash hook error: [./guard.sh]: not on Fridays")")
                  .starts_with("ToolResult t denied"));
        CHECK(status_of(R"("is_error":true,"content":"PreToolUse: no such key")").starts_with("ToolResult t error"));
    }

    TEST_CASE("a call a human rejected is denied") {
        CHECK(status_of(R"("content":"The user doesn't want to proceed with this tool use.","is_error":true)")
                  .starts_with("ToolResult t denied"));
        CHECK(status_of(R"("content":"no","is_error":true)", R"("toolDenialKind":"rule")")
                  .starts_with("ToolResult t denied"));
        CHECK(status_of(R"("content":"[Request interrupted by user for tool use]","is_error":true)")
                  .starts_with("ToolResult t denied"));
        CHECK(status_of(R"("content":"no","is_error":true)").starts_with("ToolResult t error"));
    }

    TEST_CASE("rules and the automatic mode are told from persons by the kind of the denial, or by a record of it") {
        for (const char* kind : {"permission-rule", "automode-blocked", "automode-unavailable"}) {
            CAPTURE(kind);
            CHECK(status_of(R"("content":"no","is_error":true)", fmt::format(R"("toolDenialKind":"{}")", kind)) ==
                  "ToolResult t denied by=rule 'no'");
        }
        CHECK(status_of(R"("content":"no","is_error":true)", R"("toolDenialKind":"user-rejected")") ==
              "ToolResult t denied 'no'");
        const std::string denied = system_record("permission_denied", R"("tool_name":"Bash","tool_use_id":"t")");
        const std::string refused = result(R"("content":"This command requires approval","is_error":true)");
        CHECK(only(read(denied + refused), "ToolResult") ==
              "ToolResult t denied by=rule 'This command requires approval'");
        CHECK(only(read(refused), "ToolResult").starts_with("ToolResult t error"));
    }

    TEST_CASE("a call that ended with its turn was cancelled, not denied") {
        for (const char* kind : {"interrupted", "cancelled"}) {
            CAPTURE(kind);
            CHECK(status_of(R"("content":"[Request interrupted by user for tool use]","is_error":true)",
                            fmt::format(R"("toolDenialKind":"{}")", kind))
                      .starts_with("ToolResult t cancelled"));
        }
        CHECK(status_of(R"("content":"no","is_error":true)", R"("toolDenialKind":"automode-blocked")")
                  .starts_with("ToolResult t denied"));
    }

    TEST_CASE("a call that nobody was there to allow, or that a rule forbids, is denied") {
        for (const char* text : {"Claude requested permissions to write to /w/a, but you haven't granted it yet.",
                                 "Permission to use Bash with command make install has been denied.",
                                 "Permission for this action has been denied. Reason: out of scope",
                                 "Permission for this action was denied by the classifier. Reason: out of scope",
                                 "Permission to use Bash denied by plugin guard",
                                 "PreToolUse:Bash hook error: [guard.sh]: no deletions here"}) {
            CAPTURE(text);
            CHECK(status_of(fmt::format(R"("content":"{}","is_error":true)", text)).starts_with("ToolResult t denied"));
            CHECK(status_of(fmt::format(R"("content":"{}")", text)).starts_with("ToolResult t ok"));
        }
        for (const char* text : {"Permission to use the port is missing", "bash: /w/a: Permission has been denied"}) {
            CAPTURE(text);
            CHECK(status_of(fmt::format(R"("content":"{}","is_error":true)", text)).starts_with("ToolResult t error"));
        }
    }

    TEST_CASE("a call cancelled because a sibling failed is no second failure") {
        CHECK(status_of(R"("content":"<tool_use_error>Sibling tool call errored</tool_use_error>","is_error":true)")
                  .starts_with("ToolResult t cancelled"));
        CHECK(
            status_of(
                R"("content":"<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>","is_error":true)")
                .starts_with("ToolResult t cancelled"));
    }

    TEST_CASE("a result of an image alone is opaque, of an image beside text is not") {
        CHECK(status_of(R"("content":[{"type":"image","source":{"data":"x"}}])") == "ToolResult t ok media=1 opaque");
        CHECK(status_of(R"("content":[{"type":"image"},{"type":"text","text":"a mill"}])") ==
              "ToolResult t ok 'a mill' media=1");
        CHECK(status_of(R"("content":"")") == "ToolResult t ok");
    }

    TEST_CASE(
        "of several texts around a picture the longest is the text, and what the program says of the picture none") {
        const std::string picture =
                              R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}})",
                          note = R"({"type":"text","text":"[Image: source: /tmp/blob-1790000000-x.png]"})";
        const auto content = [](const std::string& blocks) { return R"("content":[)" + blocks + "]"; };
        CHECK(status_of(content(R"({"type":"text","text":"the mill"},)" + picture + "," + note)) ==
              "ToolResult t ok 'the mill' media=1");
        CHECK(status_of(content(picture + "," + note)) == "ToolResult t ok media=1 opaque");
        CHECK(status_of(content(R"({"type":"text","text":"a"},)" + picture +
                                R"(,{"type":"text","text":"the mill"})")) == "ToolResult t ok 'the mill' media=1");
    }

    TEST_CASE("a schema that is told with the first failure of a tool is none of it") {
        CHECK(
            status_of(
                R"("content":"refused: 42\n\nThis tool's input schema was not in your prompt when you called it. The input schema is: {}\nCorrect it.","is_error":true)") ==
            "ToolResult t error 'refused: 42'");
        CHECK(
            status_of(
                R"("content":"a \\n\nThis tool's input schema was not in your prompt when you called it.","is_error":true)")
                .starts_with(R"(ToolResult t error 'a \\n\nThis)"));
        CHECK(status_of(R"("content":"This tool's input schema was not in your prompt","is_error":true)") ==
              "ToolResult t error 'This tool's input schema was not in your prompt'");
    }

    TEST_CASE("pictures are told from each other, and the same one is the same") {
        const auto hash = [](std::string_view data, std::string_view more = {}) {
            struct Last final : EventSink {
                std::uint64_t hash = 0;
                void on_event(const Event& event) override {
                    if (const auto* r = std::get_if<ToolResult>(&event.body)) hash = r->media_hash;
                }
            } seen;
            const std::string text =
                result(R"("content":[{"type":"text","text":"taken by the camera"},{"type":"image","source":{"data":")" +
                       std::string(data) + R"("}})" + std::string(more) + "]");
            InputBuffers buffers;
            const auto source = memory_input(text, 0, InputLimits{}, buffers, 4096);
            const auto reader = readers::claude_code().make();
            Record next;
            while (source->next(next) == RecordSource::Next::record) reader->read(next, seen);
            return seen.hash;
        };
        CHECK(hash("QUJD") != 0);
        CHECK(hash("QUJD") == hash("QUJD"));
        CHECK(hash("QUJD") != hash("QUJE"));
        // What the longest text leaves out is told apart here.
        const std::string_view page = R"(,{"type":"text","text":"page 1"})",
                               next = R"(,{"type":"text","text":"page 2"})";
        CHECK(hash("QUJD", page) == hash("QUJD", page));
        CHECK(hash("QUJD", page) != hash("QUJD", next));
        const std::string_view note = R"(,{"type":"text","text":"[Image: source: /tmp/1.png]"})";
        CHECK(hash("QUJD", note) == hash("QUJD"));
    }

    TEST_CASE("the structured copy of a result is not a second result") {
        const auto seen = read(
            result(R"("content":"x")", R"("toolUseResult":{"type":"tool_result","stdout":"x","originalFile":"y"})"));
        CHECK(seen.count("ToolResult") == 1);
        CHECK(seen.count("Message") == 0);
    }

    TEST_CASE("what is typed while a tool runs stands beside its result and begins a turn") {
        const auto seen = read(beside_result("be brief, and leave the lock alone"));
        CHECK(seen.those("Message") == Lines{"Message user/queued 'be brief, and leave the lock alone'"});
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.count("ToolResult") == 1);
    }

    TEST_CASE("what was pasted is the human's, although it stands in a tag") {
        const auto seen = read(beside_result(R"(<pasted_content id=\"0a1b\">a log</pasted_content>)"));
        CHECK(origin_of(seen) == "queued");
        CHECK(origin_of(read(user("a", "", R"(<pasted_content id=\"0a1b\">a log</pasted_content>)"))) == "human");
    }

    TEST_CASE("a notification in which another agent speaks is that agent's") {
        const auto from = [](std::string_view subkind) {
            return origin_of(
                read(user("a", "", "done with it",
                          fmt::format(R"("origin":{{"kind":"task-notification","subkind":"{}"}})", subkind))));
        };
        CHECK(from("peer-send-message") == "agent");
        CHECK(from("external-event") == "injected");
    }

    TEST_CASE("what the program adds beside results is no human") {
        for (const char* text :
             {"<system-reminder>x</system-reminder>", "<new-diagnostics>x</new-diagnostics>", "Tool loaded.",
              "[Image: source: /w/a.png]", "Stop hook feedback: x", "PostToolUse:Edit hook additional context: x"}) {
            CAPTURE(text);
            CHECK(origin_of(read(beside_result(text))) == "injected");
            CHECK(read(beside_result(text)).count("TurnStart") == 0);
        }
        for (const char* more : {R"("isMeta":true)", R"("isSidechain":true,"agentId":"a7")"}) {
            CAPTURE(more);
            CHECK(origin_of(read(beside_result("be brief", more))) == "injected");
        }
    }

    TEST_CASE("what is typed beside one of several results is no rewind") {
        const std::string call = R"({"type":"tool_use","id":"t","name":"Bash","input":{}})";
        const auto seen = read(user("a", "", "1") + assistant("p", "a", call) + assistant("q", "p", call) +
                               beside_result("be brief"));
        CHECK(seen.count("Rewind") == 0);
        CHECK(seen.count("TurnStart") == 2);
    }

    // ---- who wrote it -----------------------------------------------------------------------------------

    TEST_CASE("plain text of a user is a human and begins a turn") {
        const auto seen = read(user("a", "", "hello"));
        CHECK(origin_of(seen) == "human");
        CHECK(seen.count("TurnStart") == 1);
        CHECK(origin_of(read(blocks(R"({"type":"text","text":"hello"})"))) == "human");
    }

    TEST_CASE("text that begins like the program's own is injected and begins no turn") {
        for (const char* start :
             {"<command-name>/clear</command-name>", "<command-message>clear</command-message>",
              "<local-command-stdout>ok", "<local-command-caveat>x", "<task-notification>done", "<system-reminder>x",
              "<tick>10:00</tick>", "<mcp-resource-update server=\\\"a\\\">x", "<fork-boilerplate>x",
              "<ide_opened_file>x", "<ide_selection>x", "Base directory for this skill: /x", "Caveat: x",
              "Stop hook feedback: x", "This session is being continued from", "<bash-stderr>x"}) {
            CAPTURE(start);
            const auto seen = read(user("a", "", start));
            CHECK(origin_of(seen) == "injected");
            CHECK(seen.count("TurnStart") == 0);
        }
        CHECK(origin_of(read(user("a", "", "What does <system-reminder> mean?"))) == "human");
    }

    TEST_CASE("what is typed behind a command that stands for a prompt is the human's request") {
        const auto seen = read(user("a", "", command("plan", R"(build a mill\n)")) +
                               user("b", "a", "# Plan\\nbuild a mill", R"("isMeta":true)"));
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'build a mill'", R"(Message user/injected '# Plan\nbuild a mill')"});
        CHECK(seen.count("TurnStart") == 1);
        const auto old =
            read(user("a", "",
                      "<command-name>/plan</command-name>\\n<command-message>plan is running</command-message>\\n"
                      "<command-args>build a mill</command-args>"));
        CHECK(only(old, "Message") == "Message user/human 'build a mill'");
        CHECK(only(read(user("a", "", command("plan", R"(clean C:\\n)"))), "Message") ==
              R"(Message user/human 'clean C:\\n')");
    }

    TEST_CASE("a command with nothing behind it, or one that the program carries out, is no request") {
        for (const std::string& text :
             {command("plan", ""), command("plan", R"( \n )"), command("model", "toy"),
              command("compact", "keep the plan"),
              std::string("<command-message>plan is running</command-message>\\n<command-name>/plan</command-name>"),
              std::string("<command-name>/effort</command-name>\\n<command-message>effort</"
                          "command-message>\\n<command-args>high</command-args>")}) {
            CAPTURE(text);
            const auto seen = read(user("a", "", text));
            CHECK(origin_of(seen) == "injected");
            CHECK(seen.count("TurnStart") == 0);
        }
    }

    TEST_CASE("a command that the model ran is no request of the human's, the next one is") {
        const std::string call =
            R"({"type":"tool_use","id":"t","name":"SlashCommand","input":{"command":"/plan a mill"}})";
        const std::string run =
            assistant("b", "a", call) + result(R"("content":"Launching")") + user("d", "u", command("plan", "a mill"));
        CHECK(origin_of(read(run)) == "injected");
        const auto seen =
            read(run + assistant("e", "d", "", R"("id":"m2","model":"x")") + user("f", "e", command("plan", "a dam")));
        CHECK(seen.those("Message")[1] == "Message user/human 'a dam'");
        CHECK(origin_of(read(user("d", "u", command("plan", "a mill"), R"("isSidechain":true,"agentId":"a7")"))) ==
              "injected");
    }

    TEST_CASE("flags of a record say that no human wrote it") {
        for (const char* flag :
             {R"("isMeta":true)", R"("isVisibleInTranscriptOnly":true)", R"("sourceToolUseID":"t1")"}) {
            CAPTURE(flag);
            const auto seen = read(user("a", "", "hello", flag));
            CHECK(origin_of(seen) == "injected");
            CHECK(seen.count("TurnStart") == 0);
        }
        CHECK(origin_of(read(user("a", "", "hello", R"("isMeta":false)"))) == "human");
        CHECK(origin_of(read(user("a", "", "hello", R"("isMeta":"true")"))) == "human");
    }

    TEST_CASE("the origin of a record says who wrote it") {
        const auto by = [](std::string_view kind, std::string_view more = {}) {
            return read(user("a", "", "hello", fmt::format(R"("origin":{{"kind":"{}"}}{})", kind, more)));
        };
        for (const char* kind : {"human", "channel"})
            CHECK(origin_of(by(kind, R"(,"promptSource":"system")")) == "human");
        for (const char* kind : {"peer", "coordinator"}) {
            CHECK(origin_of(by(kind)) == "agent");
            CHECK(origin_of(by(kind, R"(,"isMeta":true)")) == "agent");
            CHECK(by(kind).count("TurnStart") == 0);
        }
        for (const char* kind : {"task-notification", "auto-continuation", "hologram"}) {
            CHECK(origin_of(by(kind, R"(,"promptSource":"sdk")")) == "injected");
            CHECK(by(kind).count("TurnStart") == 0);
        }
        CHECK(origin_of(by("human", R"(,"isMeta":true)")) == "injected");
        CHECK(origin_of(read(user("a", "", "hello", R"("promptSource":"system")"))) == "injected");
        CHECK(origin_of(read(user("a", "", "hello", R"("promptSource":"queued","origin":null)"))) == "human");
    }

    TEST_CASE("what another agent sent is passed on in known words") {
        for (const char* start :
             {R"(<teammate-message teammate_id=\"lead\">x)", R"(<cross-session-message from=\"m\">x)",
              R"(<agent-message from=\"m\">x)", "Another Claude session sent a message:\\nx",
              "The coordinator sent a message while you were working:\\nx"}) {
            CAPTURE(start);
            const auto seen = read(user("a", "", start));
            CHECK(origin_of(seen) == "agent");
            CHECK(seen.count("TurnStart") == 0);
        }
    }

    TEST_CASE("the summary after a compaction is a summary, not a human") {
        const auto seen = read(user("a", "", "This session is being continued", R"("isCompactSummary":true)"));
        CHECK(origin_of(seen) == "summary");
        CHECK(seen.count("TurnStart") == 0);
    }

    TEST_CASE("an interrupt ends the turn as aborted and is no message") {
        for (const char* text : {"[Request interrupted by user]", "[Request interrupted by user for tool use]"}) {
            const auto seen = read(user("a", "", text) + blocks(fmt::format(R"({{"type":"text","text":"{}"}})", text)));
            CHECK(seen.those("TurnEnd") == Lines{"TurnEnd aborted", "TurnEnd aborted"});
            CHECK(seen.count("Message") == 0);
            CHECK(seen.count("TurnStart") == 0);
        }
    }

    TEST_CASE("a shell command of the human is the human's call, and its output the result") {
        const auto seen = read(user("a", "", "<bash-input>git stash</bash-input>") +
                               user("b", "a", "<bash-stdout>saved</bash-stdout>"));
        CHECK(seen.those("Tool") == Lines{"ToolCall  bash 'git stash' by-user", "ToolResult  ok 'saved'"});
        CHECK(seen.count("Message") == 0);
        const auto printed = [](std::string_view text) { return only(read(user("b", "a", text)), "ToolResult"); };
        CHECK(printed(R"(<bash-stdout>a\n</bash-stdout><bash-stderr>b</bash-stderr>)") == R"(ToolResult  ok 'a\nb')");
        CHECK(printed("<bash-stdout></bash-stdout><bash-stderr>no such file</bash-stderr>") ==
              "ToolResult  ok 'no such file'");
        CHECK(printed("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>") == "ToolResult  ok 'a'");
        CHECK(printed("<bash-stdout></bash-stdout><bash-stderr></bash-stderr>") == "ToolResult  ok");
        CHECK(printed("<bash-stdout>cut") == "ToolResult  ok 'cut'");
        CHECK(only(read(user("a", "", R"(<bash-input>\n  npm test </bash-input>)")), "ToolCall") ==
              "ToolCall  bash 'npm test' by-user");
    }

    TEST_CASE("images count with the first text, and alone they are a message") {
        CHECK(
            only(
                read(blocks(
                    R"({"type":"image"},{"type":"text","text":"see"},{"type":"document"},{"type":"text","text":"this"})")),
                "Message user/human 'see'") == "Message user/human 'see' media=2");
        CHECK(only(read(blocks(R"({"type":"image"})")), "Message") == "Message user/human media=1");
    }

    // ---- attachments ------------------------------------------------------------------------------------

    TEST_CASE("a command queued while the agent worked is a human in a new turn") {
        const auto seen =
            read(user("a", "", "one") +
                 record("attachment", "b", "a",
                        R"("attachment":{"type":"queued_command","prompt":"two","commandMode":"prompt"})"));
        CHECK(seen.those("Message")[1] == "Message user/queued 'two'");
        CHECK(seen.count("TurnStart") == 2);
        CHECK(seen.events.heads.back().turn == 2);
    }

    TEST_CASE("what left the queue while a call ran, and is no message, was typed all the same") {
        const auto queue = [](std::string_view operation, std::string_view text = {}) {
            return fmt::format(
                R"({{"type":"queue-operation","operation":"{}","timestamp":"2026-03-02T09:00:01.000Z","sessionId":"s"{}}})"
                "\n",
                operation, text.empty() ? "" : fmt::format(R"(,"content":"{}")", text));
        };
        const auto call = [](std::string_view id) {
            return assistant(
                id, "p",
                fmt::format(R"({{"type":"tool_use","id":"{}","name":"Bash","input":{{"command":"ls"}}}})", id));
        };
        const std::string begin = user("a", "", "one") + call("t");
        const std::string answered = result(R"("content":"x")"),
                          next = assistant("z", "p", R"({"type":"text","text":"ok"})");
        const auto typed = [](const std::string& lines) { return read(lines).those("Message user/queued"); };

        const auto seen = read(begin + queue("enqueue", "never push") + queue("remove") + answered + next);
        CHECK(seen.those("Message user/queued") == Lines{"Message user/queued 'never push'"});
        CHECK(seen.count("TurnStart") == 2);
        CHECK(seen.lines().back() == "Message assistant/agent 'ok'");
        CHECK(seen.events.heads.back().turn == 2);
        const std::size_t at = seen.lines().size() - 2;
        CHECK(seen.events.heads[at].where.line == 3);
        CHECK(seen.events.heads[at + 1].where.line == 6);
        CHECK(seen.events.heads[at].time_ms == 1'772'442'001'000);

        const auto as_message = [](std::string_view text) {
            return record(
                "attachment", "b", "a",
                fmt::format(R"("attachment":{{"type":"queued_command","prompt":"{}","commandMode":"prompt"}})", text));
        };
        // Told once, in front of the response or behind it.
        CHECK(typed(begin + queue("enqueue", "x y") + queue("remove") + answered + as_message("x y") + next).size() ==
              1);
        CHECK(typed(begin + queue("enqueue", "x y") + queue("remove") + answered + next + as_message("x y")).size() ==
              1);
        CHECK(typed(begin + queue("enqueue", "x y") + queue("remove") + beside_result("x y") + next).size() == 1);
        // Sent as a message of its own; waiting still; taken back while nothing ran, with the whole queue, or by an
        // interrupt.
        CHECK(typed(begin + queue("enqueue", "x y") + queue("dequeue") + answered + next).empty());
        CHECK(typed(begin + queue("enqueue", "x y") + answered + next).empty());
        CHECK(typed(begin + answered + next + queue("enqueue", "x y") + queue("remove") + next).empty());
        CHECK(typed(begin + queue("enqueue", "x y") + queue("popAll") + queue("remove") + answered + next).empty());
        CHECK(typed(begin + queue("enqueue", "x y") + queue("remove") + answered +
                    user("i", "a", "[Request interrupted by user]") + next)
                  .empty());
        // Nobody's words.
        for (const char* text : {"<task-notification>x", "/compact", R"({\"task_id\":\"x\"})"})
            CHECK(typed(begin + queue("enqueue", text) + queue("remove") + answered + next).empty());
        // The first in is the first out.
        CHECK(typed(begin + queue("enqueue", "first") + queue("enqueue", "second") + queue("dequeue") +
                    queue("remove") + answered + next) == Lines{"Message user/queued 'second'"});
    }

    TEST_CASE("a queued prompt of blocks gives its text") {
        const auto seen = read(record(
            "attachment", "b", "",
            R"("attachment":{"type":"queued_command","prompt":[{"type":"text","text":"two"},{"type":"image"}]})"));
        CHECK(only(seen, "Message") == "Message user/queued 'two'");
    }

    TEST_CASE("a queued notification is not a human") {
        const auto seen = read(
            record("attachment", "a", "",
                   R"("attachment":{"type":"queued_command","prompt":"x","commandMode":"task-notification"})") +
            record("attachment", "b", "",
                   R"("attachment":{"type":"queued_command","prompt":"<task-notification>y","commandMode":"prompt"})"));
        CHECK(seen.those("Message") ==
              Lines{"Message user/injected 'x'", "Message user/injected '<task-notification>y'"});
        CHECK(seen.count("TurnStart") == 0);
    }

    TEST_CASE("a queued command says who wrote it, too") {
        const auto queued = [](std::string_view more) {
            return origin_of(
                read(record("attachment", "a", "",
                            fmt::format(R"("attachment":{{"type":"queued_command","prompt":"x",{}}})", more))));
        };
        CHECK(queued(R"("commandMode":"prompt","origin":{"kind":"human"},"isMeta":true)") == "queued");
        CHECK(queued(R"("commandMode":"prompt","origin":{"kind":"peer"})") == "agent");
        CHECK(queued(R"("commandMode":"prompt","origin":{"kind":"auto-continuation"})") == "injected");
        CHECK(queued(R"("commandMode":"prompt","isMeta":true)") == "injected");
    }

    TEST_CASE("a snapshot of the system prompt is no message, and is told once") {
        const std::string snapshot = record(
            "attachment", "a", "", R"("attachment":{"type":"prompt_snapshot","systemPrompt":["be kind"],"tools":[]})");
        const auto seen = read(snapshot + snapshot);
        CHECK(seen.count("Message") == 0);
        CHECK(seen.those("ContextChange") == Lines{"ContextChange system=64"});
    }

    TEST_CASE("other attachments are injected with their whole size, hooks as hooks") {
        const auto seen = read(record("attachment", "a", "", R"("attachment":{"type":"file","content":"abc"})") +
                               record("attachment", "b", "", R"("attachment":{"type":"hook_success","content":"ok"})"));
        CHECK(seen.those("Message") == Lines{R"(Message user/injected '{"type":"file","content":"abc"}')",
                                             R"(Message user/hook '{"type":"hook_success","content":"ok"}')"});
    }

    TEST_CASE("of an attachment counts what the model is sent of it, where the record says that") {
        const auto seen =
            read(record("attachment", "a", "",
                        R"("attachment":{"type":"file","content":"abc"},"rendered":[{"content":"<r>1</r>"}])") +
                 record("attachment", "b", "",
                        R"("rendered":[{"content":"1"},{"content":"2"}],"attachment":{"type":"file"})") +
                 record("attachment", "c", "", R"("attachment":{"type":"hook_success"},"rendered":[])") +
                 record("attachment", "d", "", R"("attachment":{"type":"file"},"rendered":null)"));
        CHECK(seen.those("Message") ==
              Lines{"Message user/injected '<r>1</r>'", R"(Message user/injected '[{"content":"1"},{"content":"2"}]')",
                    R"(Message user/hook '{"type":"hook_success"}')", R"(Message user/injected '{"type":"file"}')"});
        std::vector<bool> hidden;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if (seen.lines()[i].starts_with("Message")) hidden.push_back((seen.events.heads[i].flags & kHidden) != 0);
        }
        CHECK(hidden == std::vector{false, false, true, false});
    }

    TEST_CASE("attachments that no version sends are hidden, of hooks counts what the model hears") {
        const auto of = [](std::string_view attachment) {
            return read(record("attachment", "a", "", fmt::format(R"("attachment":{{{}}})", attachment)));
        };
        for (const char* type : {"command_permissions", "goal_status", "hook_cancelled", "hook_system_message",
                                 "hook_non_blocking_error", "already_read_file", "thinking_stripped"}) {
            CAPTURE(type);
            const auto seen = of(fmt::format(R"("type":"{}","content":"abc")", type));
            REQUIRE(seen.count("Message") == 1);
            CHECK((seen.events.heads.back().flags & kHidden) != 0);
        }
        const auto hook = [&](std::string_view type, std::string_view event, std::string_view content) {
            const auto seen =
                of(fmt::format(R"("type":"{}","hookEvent":"{}","content":{},"stdout":"abc")", type, event, content));
            const bool hidden = (seen.events.heads.back().flags & kHidden) != 0;
            return hidden ? std::string("hidden") : seen.those("Message").at(0);
        };
        CHECK(hook("hook_success", "SessionStart", R"("be brief")") == "Message user/hook 'be brief'");
        CHECK(hook("hook_success", "SessionStart", R"("")") == "hidden");
        CHECK(hook("hook_success", "PostToolUse", R"("formatted")") == "hidden");
        CHECK(hook("hook_additional_context", "PreToolUse", R"(["be","brief"])") ==
              R"(Message user/hook '["be","brief"]')");
    }

    TEST_CASE("results that the program no longer sends are cleared") {
        const std::string text =
            record("attachment", "b", "a",
                   R"("attachment":{"type":"tool_results_cut","callIds":["t1","t2"],"standIn":"x","roughTokens":9})");
        const auto seen = details(text);
        REQUIRE(seen.compactions.size() == 1);
        CHECK(seen.compactions[0].kind == CompactionKind::clear_tool_results);
        CHECK(seen.compactions[0].keep == Keep::ids);
        CHECK(seen.ids[0] == R"(["t1","t2"])");
        CHECK(read(text).count("Message") == 0);
    }

    TEST_CASE("what every request begins with is told once a lane, from whichever record comes first") {
        const auto shape = [](std::string_view more) {
            return fmt::format(R"({{"type":"api-request-shape","sessionId":"s",{}"shape":{{"system":"be kind"}}}})",
                               more) +
                   "\n";
        };
        CHECK(read(shape("")).count(LineFate::ignored_kind) == 1);
        const auto seen = read(user("a", "", "hi") + shape("") + shape("") + shape(R"("agentId":"a1",)"));
        CHECK(seen.those("ContextChange") == Lines{"ContextChange system=20", "ContextChange system=20"});
        CHECK(seen.events.heads.back().lane == 1);
    }

    // ---- notices and compactions ------------------------------------------------------------------------

    TEST_CASE("an api error is a notice with attempt and wait") {
        const auto seen = details(system_record(
            "api_error",
            R"("error":{"message":"short","formatted":"529 overloaded"},"retryAttempt":3,"retryInMs":1500.5)"));
        REQUIRE(seen.notices.size() == 1);
        CHECK(seen.notices[0].attempt == 3);
        CHECK(seen.notices[0].retry_in_ms == 1500);
        CHECK(seen.notices[0].layer == NoticeLayer::provider);
        CHECK(only(read(system_record("api_error", R"("error":{"message":"short","formatted":"529 overloaded"})")),
                   "Notice") == "Notice provider/warning  '529 overloaded'");
        CHECK(only(read(system_record("api_error", R"("error":"plain")")), "Notice") ==
              "Notice provider/warning  'plain'");
    }

    TEST_CASE("a stream tells with which status a provider refused, and when it is asked again") {
        constexpr std::string_view kRetries =
            R"({"type":"system","subtype":"api_retry","session_id":"s","attempt":2,"max_retries":10,"retry_delay_ms":600,"error_status":529,"error":"overloaded"})"
            "\n"
            R"({"type":"system","subtype":"api_retry","session_id":"s","attempt":3,"error_status":null,"error":"unknown"})";
        CHECK(stream(std::string(kRetries)).those("Notice") ==
              Lines{"Notice provider/warning 529 'overloaded'", "Notice provider/warning  'unknown'"});
        const auto seen = details(kRetries, readers::claude_code_stream());
        REQUIRE(seen.notices.size() == 2);
        CHECK(seen.notices[0].attempt == 2);
        CHECK(seen.notices[0].retry_in_ms == 600);
        CHECK(seen.notices[1].attempt == 3);
    }

    TEST_CASE("an error the program puts into the model's mouth is no answer and costs nothing") {
        const auto seen = fixture("full.jsonl");
        CHECK(seen.those("Notice provider/error") == Lines{"Notice provider/error rate_limit 'API Error: 429'"});
        CHECK(seen.those("Notice provider/info") == Lines{"Notice provider/info  'No response requested.'"});
        for (const std::string& usage : seen.those("Usage")) CHECK(usage.find("synthetic") == usage.npos);
        for (const std::string& line : seen.those("Message assistant")) CHECK(line.find("No response") == line.npos);
        const auto at =
            std::find(seen.lines().begin(), seen.lines().end(), "Notice provider/error rate_limit 'API Error: 429'") -
            seen.lines().begin();
        CHECK((seen.events.heads[static_cast<std::size_t>(at)].flags & kSynthetic) != 0);
    }

    TEST_CASE("an answer that the program calls an error was billed like any other") {
        const auto error = [](std::string_view model, int out) {
            return read(assistant(
                "a", "", R"({"type":"text","text":"API Error: cut off"})",
                fmt::format(R"("id":"m","model":"{}","usage":{{"input_tokens":3,"output_tokens":{}}})", model, out),
                R"("isApiErrorMessage":true)"));
        };
        CHECK(error("x", 9).those("Usage") == Lines{"Usage in=3 write=0 read=0 out=9 model=x"});
        CHECK(error("x", 9).count("Message") == 0);
        CHECK(error("<synthetic>", 9).count("Usage") == 0);
    }

    TEST_CASE("the end of a turn has its duration") {
        const auto seen = details(system_record("turn_duration", R"("durationMs":61000)"));
        REQUIRE(seen.ends.size() == 1);
        CHECK(seen.ends[0].status == TurnStatus::completed);
        CHECK(seen.ends[0].duration_ms == 61000);
    }

    TEST_CASE("a refusal that falls back to another model is a notice and a change of model") {
        const auto seen = fixture("full.jsonl");
        CHECK(seen.those("Notice provider/warning refusal") ==
              Lines{"Notice provider/warning refusal 'Switched to another model'"});
        CHECK(seen.those("ContextChange") == Lines{"ContextChange model=claude-sonnet-4-5"});
    }

    TEST_CASE(
        "whatever the reason, the model that answers from now on is told; for one answer alone it does not change") {
        const auto seen = read(
            system_record("model_fallback",
                          R"("content":"Overloaded.","trigger":"overloaded","originalModel":"a","fallbackModel":"b")") +
            system_record("model_consent_fallback", R"("content":"As you like.","choice":"x","fallbackModel":"c")"));
        CHECK(seen.those("Notice") == Lines{"Notice provider/warning model-fallback 'Overloaded.'"});
        CHECK(seen.those("ContextChange") == Lines{"ContextChange model=b", "ContextChange model=c"});
        const auto local = stream(
            R"({"type":"system","subtype":"model_refusal_fallback","scope":"local","fallback_model":"b","content":"x","session_id":"s"})");
        CHECK(local.count("Notice") == 1);
        CHECK(local.count("ContextChange") == 0);
    }

    TEST_CASE("a compact boundary says why, from what size, to what size, and what it kept") {
        const auto seen = details(slurp(test::source_dir() / "testdata/readers/claude-code/full.jsonl"));
        REQUIRE(seen.compactions.size() == 2);
        const Compaction& micro = seen.compactions[0];
        CHECK(micro.kind == CompactionKind::clear_tool_results);
        CHECK(micro.trigger == CompactionTrigger::automatic);
        CHECK(micro.tokens_before == 50000);
        CHECK(micro.tokens_after == 30000);
        CHECK(micro.keep == Keep::ids);
        CHECK(seen.ids[0] == R"(["t1","t2"])");
        const Compaction& summary = seen.compactions[1];
        CHECK(summary.kind == CompactionKind::summary);
        CHECK(summary.trigger == CompactionTrigger::manual);
        CHECK(summary.tokens_before == 90123);
        CHECK(summary.tokens_after == 4000);
        CHECK(summary.keep == Keep::ids);
        CHECK(seen.ids[1] == R"(["r20","r21"])");
    }

    TEST_CASE("a compact boundary without figures keeps nothing and invents none") {
        const auto seen = details(system_record("compact_boundary", R"("content":"compacted")"));
        REQUIRE(seen.compactions.size() == 1);
        CHECK(seen.compactions[0].keep == Keep::none);
        CHECK_FALSE(seen.compactions[0].tokens_before);
        CHECK_FALSE(seen.compactions[0].tokens_after);
        CHECK(seen.compactions[0].trigger == CompactionTrigger::unknown);
    }

    TEST_CASE("what the program says a session has cost is told, each time it says so") {
        const auto cost = [](std::string_view usd) {
            return fmt::format(R"({{"type":"cost-state","sessionId":"s","totalCostUSD":{},"totalDuration":50401}})",
                               usd) +
                   "\n";
        };
        const auto seen = read(user("a", "", "hi") + cost("0.25") + cost("0.75") + cost("null") + cost("-3"));
        REQUIRE(seen.events.usages.size() == 2);
        CHECK(seen.events.usages[1].cost_microusd == 750'000);
        CHECK(seen.events.usages[1].mode == UsageMode::cumulative);
        CHECK(seen.events.usages[1].scope == UsageScope::session);
        CHECK(seen.events.usages[1].tokens == TokenCounts{});
        CHECK(read(cost("0.25")).events.usages.empty());  // of which session?
    }

    TEST_CASE("bookkeeping is ignored, what nobody knows is unknown") {
        for (const char* type : {"summary",
                                 "file-history-snapshot",
                                 "queue-operation",
                                 "custom-title",
                                 "ai-title",
                                 "last-prompt",
                                 "mode",
                                 "permission-mode",
                                 "pr-link",
                                 "frame-link",
                                 "agent-name",
                                 "file-history-delta",
                                 "cost-state",
                                 "bridge-session",
                                 "atis-latch",
                                 "relocated",
                                 "fork-context-ref",
                                 "artifact-comment-monitor",
                                 "api-request",
                                 "api-request-blob",
                                 "tools-used",
                                 "session-owner",
                                 "data-flow-records",
                                 "conversation_reset"}) {
            CAPTURE(type);
            const auto seen = read(fmt::format(R"({{"type":"{}","sessionId":"s"}})", type));
            CHECK(seen.count(LineFate::ignored_kind) == 1);
            CHECK(seen.count("Message") == 0);
        }
        for (const char* type : {"bash_progress", "hook_progress", "mcp_progress", "query_update",
                                 "search_results_received", "waiting_for_task"}) {
            CAPTURE(type);
            const auto seen = read(record("progress", "a", "", fmt::format(R"("data":{{"type":"{}"}})", type)));
            CHECK(seen.count(LineFate::ignored_kind) == 1);
            CHECK(seen.lines().empty());
        }
        for (const char* kind :
             {"agents_killed", "scheduled_task_fire", "thinking_tokens", "task_progress", "control_request_progress",
              "plugin_install", "memory_recall", "ui_toast", "model_refusal_no_fallback"}) {
            CAPTURE(kind);
            CHECK(read(system_record(kind, R"("x":1)")).count(LineFate::ignored_kind) == 1);
        }
        CHECK(read(R"({"type":"hologram","sessionId":"s"})").count(LineFate::unknown_kind) == 1);
        CHECK(read(system_record("hologram", R"("x":1)")).count(LineFate::unknown_kind) == 1);
    }

    // ---- rewinds ----------------------------------------------------------------------------------------

    TEST_CASE("a second human message below the same record is a rewind to it") {
        const auto seen =
            read(user("a", "", "1") + assistant("b", "a", "") + user("c", "b", "2") + user("d", "b", "3"));
        CHECK(seen.those("Rewind") == Lines{"Rewind to b"});
    }

    TEST_CASE("a human message below a record the assistant had answered is a rewind") {
        CHECK(read(user("a", "", "1") + assistant("b", "a", "") + user("c", "a", "2")).those("Rewind") ==
              Lines{"Rewind to a"});
    }

    TEST_CASE(
        "parallel calls, their results, progress, attachments and system records look like branches and are none") {
        const std::string call = R"({"type":"tool_use","id":"t","name":"Bash","input":{}})";
        const auto seen = read(
            user("a", "", "1") + assistant("b", "a", call) + assistant("c", "b", call) +
            record("progress", "p", "b", R"("data":{"type":"bash_progress"})") +
            record("attachment", "q", "b", R"("attachment":{"type":"file"})") +
            record("user", "d", "b",
                   R"("message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]})") +
            record("user", "e", "c",
                   R"("message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]})") +
            record("system", "f", "b", R"("subtype":"turn_duration")") + assistant("g", "b", "") +
            user("h", "a", "reminder", R"("isMeta":true)") + user("i", "g", "2"));
        CHECK(seen.count("Rewind") == 0);
    }

    TEST_CASE("responses whose ids are one word are told apart by their requests, or by what they were sent") {
        const auto answer = [](std::string_view id, std::string_view request, int prompt, std::string_view text) {
            return fmt::format(R"({{"type":"assistant","uuid":"u{0}","sessionId":"s","message":{{"id":"{1}","role":)"
                               R"("assistant","content":[{{"type":"text","text":"{0}"}}],"usage":{{"input_tokens":{2},)"
                               R"("output_tokens":1}}}}{3}}})"
                               "\n",
                               text, id, prompt, request);
        };
        const std::string one = R"(,"requestId":"req_1")", two = R"(,"requestId":"req_2")";
        for (const auto& seen :
             {read(answer("REDACTED", one, 5, "a") + answer("REDACTED", one, 5, "b") + answer("REDACTED", two, 5, "c")),
              read(answer("gateway", "", 5, "a") + answer("gateway", "", 5, "b") + answer("gateway", "", 6, "c"))}) {
            std::vector<IdHash> responses;
            std::vector<std::uint64_t> keys;
            for (const EventHeader& head : seen.events.heads) {
                if (head.response != 0) responses.push_back(head.response);
            }
            for (const Usage& usage : seen.events.usages) keys.push_back(usage.message_key);
            REQUIRE(responses.size() == 6);
            CHECK(responses[0] == responses[3]);
            CHECK(responses[0] != responses[5]);
            REQUIRE(keys.size() == 3);
            CHECK(keys[0] == keys[1]);
            CHECK(keys[0] != keys[2]);
        }
    }

    TEST_CASE("where one word was put in for all ids nothing is a branch") {
        CHECK(read(user("x", "", "1") + assistant("x", "x", "") + user("x", "x", "2") + user("x", "x", "3"))
                  .count("Rewind") == 0);
    }

    TEST_CASE("a conversation begun anew without parent is no rewind") {
        CHECK(read(user("a", "", "1") + user("b", "", "2")).count("Rewind") == 0);
    }

    // ---- sub-agents -------------------------------------------------------------------------------------

    TEST_CASE("a sub-agent's own file is one session of that agent, with the parent's id") {
        const auto seen = fixture("sub-agent.jsonl");
        CHECK(seen.lines()[0] == "SessionStart id=c1a0-full parent=c1a0-full cwd=/home/ada/mill label=a7f3");
        CHECK(seen.count("LaneOpen") == 0);
        CHECK(seen.lines()[1] == "Message user/agent 'Find the stones'");
        for (const EventHeader& head : seen.events.heads) CHECK(head.lane == 0);
        CHECK(seen.events.usages.at(0).sidechain);
    }

    TEST_CASE("summariser and suggestion agents are housekeeping, others are not") {
        const auto start = [](std::string_view agent) {
            const auto seen = details(user("a", "", "x", fmt::format(R"("isSidechain":true,"agentId":"{}")", agent)));
            REQUIRE(seen.starts.size() == 1);
            CHECK(seen.starts[0].sub_agent);
            return seen.starts[0].housekeeping;
        };
        CHECK(start("acompact-efec99"));
        CHECK(start("aprompt_suggestion-12"));
        CHECK_FALSE(start("a7f3"));
    }

    TEST_CASE("a side record with an agent id inside the main file opens the lane of that agent once") {
        const std::string side = R"("isSidechain":true,"agentId":"a9")";
        const auto seen = details(user("a", "", "x") + user("b", "", "brief", side) + user("c", "b", "more", side) +
                                  user("d", "", "brief", R"("isSidechain":true,"agentId":"acompact-1")"));
        CHECK(seen.agents == Lines{"a9", "acompact-1"});
        CHECK(seen.lanes[0].purpose == LanePurpose::task);
        CHECK(seen.lanes[1].purpose == LanePurpose::compaction);
        CHECK(seen.numbers == std::vector<std::uint32_t>{1, 2});
    }

    TEST_CASE("interleaved side records without an agent id follow the chain of their parents") {
        const auto seen = fixture("inline-sidechain.jsonl");
        CHECK(seen.count("LaneOpen") == 2);
        std::vector<std::uint32_t> lanes;  // of records, in file order
        for (const EventHeader& head : seen.events.heads) {
            if (lanes.size() < head.where.line) lanes.push_back(head.lane);
        }
        CHECK(lanes == std::vector<std::uint32_t>{0, 0, 1, 2, 1, 2, 1, 2, 0, 0, 0});
        CHECK(seen.those("Message user/human") == Lines{"Message user/human 'find stones and sacks'"});
        CHECK(seen.those("Message user/agent") == Lines{"Message user/agent 'stones'", "Message user/agent 'sacks'"});
    }

    TEST_CASE("copies of a sub-agent's messages in progress records are a lane named after the agent") {
        const auto seen = details(slurp(test::source_dir() / "testdata/readers/claude-code/full.jsonl"));
        CHECK(seen.agents == Lines{"a7"});
        const auto lines = fixture("full.jsonl");
        for (std::size_t i = 0; i < lines.lines().size(); ++i) {
            const auto line = lines.events.heads[i].where.line;
            CHECK(lines.events.heads[i].lane == (line >= 30 && line <= 32 ? 1u : 0u));
        }
        const auto side = std::count_if(lines.events.usages.begin(), lines.events.usages.end(),
                                        [](const Usage& u) { return u.sidechain; });
        CHECK(side == 1);
    }

    TEST_CASE("whatever runs as a sub-agent and copies its messages is one; progress without a message is ignored") {
        const std::string copy =
            R"("data":{"type":"skill_progress","agentId":"k1","message":{"type":"assistant","message":{"role":"assistant","id":"msg_k","model":"x","content":[],"usage":{"input_tokens":4,"output_tokens":2}}}})";
        const auto seen = read(record("progress", "a", "", copy));
        CHECK(seen.those("Usage") == Lines{"Usage in=4 write=0 read=0 out=2 model=x"});
        CHECK(details(user("u", "", "go") + record("progress", "a", "", copy)).agents == Lines{"k1"});
        CHECK(read(record("progress", "a", "", R"("data":{"type":"hook_progress","message":"running"})"))
                  .lines()
                  .empty());
    }

    TEST_CASE("more agents than the cap share the last lane instead of growing without bound") {
        std::string text;
        for (int i = 0; i < 5000; ++i) {
            text += user(fmt::format("u{}", i), "", "x",
                         fmt::format(R"("isSidechain":true,"agentId":"{}")", i == 0 ? "" : fmt::format("b{}", i)));
        }
        const auto seen = details(user("m", "", "main") + text);
        CHECK(seen.numbers.size() == 4096);
        CHECK(std::set<std::uint32_t>(seen.numbers.begin(), seen.numbers.end()).size() == 4096);
    }

    // ---- damage -----------------------------------------------------------------------------------------

    TEST_CASE("fields of wrong types cost what they say and nothing else") {
        const auto seen = fixture("bad-fields.jsonl");
        CHECK(seen.fates.size() == 23);
        CHECK(seen.count(LineFate::malformed_json) == 0);
        CHECK(seen.lines().back() == "Message assistant/agent 'still here'");
        CHECK(seen.those("Message user/human 'flags") == Lines{"Message user/human 'flags of wrong types'"});
    }

    TEST_CASE("damaged lines are counted for what they are, and the lines around them are read") {
        const auto seen = fixture("bad-cut.jsonl");
        REQUIRE(seen.fates.size() == 10);
        CHECK(seen.fates[1] == LineFate::malformed_json);
        CHECK(seen.fates[2] == LineFate::blank);
        CHECK(seen.fates[3] == LineFate::understood);
        CHECK(seen.fates[5] == LineFate::repaired);
        CHECK(seen.fates[6] == LineFate::repaired);
        CHECK(seen.fates[7] == LineFate::malformed_json);
        CHECK(seen.fates[8] == LineFate::unknown_kind);
        CHECK(seen.fates[9] == LineFate::cut_at_end);
        CHECK(seen.those("ToolResult") == Lines{"ToolResult t1 ok 'red  [31mtext '", "ToolResult t2 ok 'latin ?t?'"});
    }

    TEST_CASE("two documents on one line are two records of that line") {
        const auto seen = read(
            R"({"type":"assistant","uuid":"a","sessionId":"s","message":{"content":[{"type":"text","text":"one"}]}})"
            R"( {"type":"assistant","uuid":"b","sessionId":"s","message":{"content":[{"type":"text","text":"two"}]}})"
            "\n");
        CHECK(seen.those("Message") == Lines{"Message assistant/agent 'one'", "Message assistant/agent 'two'"});
        CHECK(seen.events.heads.back().where.line == 1);
        CHECK(seen.fates == std::vector{LineFate::understood});
    }

    TEST_CASE("a complete document is read although what follows on its line is not JSON") {
        const std::string good =
            R"({"type":"assistant","uuid":"a","sessionId":"s","message":{"content":[{"type":"text","text":"one"}]}})";
        for (const std::string rest : {" garbage", "}", "{\"type\":3", "{\"a\":1,}"}) {
            CAPTURE(rest);
            const auto seen = read(good + rest + "\n");
            CHECK(seen.fates == std::vector{LineFate::partial});
            CHECK(seen.count("Message") == 1);
        }
    }

    TEST_CASE("a complete document is read although a second one is cut inside a string") {
        const auto seen = read(
            R"({"type":"assistant","uuid":"a","sessionId":"s","message":{"content":[{"type":"text","text":"one"}]}}{"type":"assi)"
            "\n");
        CHECK(seen.fates == std::vector{LineFate::partial});
        CHECK(seen.count("Message") == 1);
    }

    TEST_CASE("a record cut at any byte emits nothing") {
        const std::string line = assistant(
            "a", "",
            R"({"type":"text","text":"one"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}})",
            R"("id":"m","model":"x","usage":{"input_tokens":5})");
        const std::string whole = line.substr(0, line.size() - 1);
        for (std::size_t cut = 1; cut < whole.size(); ++cut) {
            const auto seen = read(whole.substr(0, cut) + "\n");
            CAPTURE(cut);
            CHECK(seen.fates == std::vector{LineFate::malformed_json});
            CHECK(seen.lines().empty());
            CHECK(read(whole.substr(0, cut)).fates == std::vector{LineFate::cut_at_end});
        }
        CHECK(read(whole).count("ToolCall") == 1);
    }

    TEST_CASE("a result cut behind one of its blocks is no result") {
        const std::string line = R"({"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":[)"
                                 R"({"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"})";
        CHECK(read(line).lines().empty());
        CHECK(read(line).fates == std::vector{LineFate::cut_at_end});
        CHECK(read(line + "]}]}}").count("ToolResult") == 1);
    }

    TEST_CASE("records without a type or a message lack a field") {
        CHECK(read(R"({"sessionId":"s","uuid":"a"})").fates == std::vector{LineFate::missing_field});
        CHECK(read(R"({"type":"user","sessionId":"s"})").fates == std::vector{LineFate::missing_field});
        CHECK(read(R"({"type":"attachment","sessionId":"s"})").fates == std::vector{LineFate::missing_field});
        CHECK(read(R"({"type":"system","subtype":"turn_duration"})").fates == std::vector{LineFate::missing_field});
    }

    TEST_CASE("times may be missing, odd or run backwards") {
        const auto seen = read(user("a", "", "1", R"("timestamp":"2026-03-02T10:00:05.000Z")") +
                               user("b", "a", "2", R"("timestamp":"2026-03-02T10:00:01.000Z")") +
                               user("c", "b", "3", R"("timestamp":"yesterday")") + user("d", "c", "4"));
        std::vector<std::int64_t> times;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if (seen.lines()[i].starts_with("Message")) times.push_back(seen.events.heads[i].time_ms);
        }
        REQUIRE(times.size() == 4);
        CHECK(times[0] - times[1] == 4000);
        CHECK(times[2] == kNoTime);
        CHECK(times[3] == kNoTime);
    }

    // ---- detection --------------------------------------------------------------------------------------

    TEST_CASE("a file is recognised by its first conversation record, whatever stands before it") {
        const ReaderSpec spec = readers::claude_code();
        const std::string title = R"({"type":"summary","summary":"x","leafUuid":"y"})"
                                  "\n";
        CHECK(score_text(spec, user("a", "", "x", R"("isSidechain":false)")) == kCertain);
        CHECK(score_text(spec, title + user("a", "", "x", R"("isSidechain":false)")) == kCertain);
        CHECK(score_text(spec, title) > 0);
        CHECK(score_text(spec, R"({"role":"user","content":"x"})") == 0);
        CHECK(score_text(spec, R"({"type":"message","id":"a","parentId":null})") == 0);
        CHECK(score_text(spec, R"([{"sessionId":"a","messageId":0,"type":"user","message":"hi"}])") == 0);
        CHECK(score_text(readers::claude_code_stream(), user("a", "", "x")) == 0);
    }
}

TEST_SUITE("claude-code-stream") {
    TEST_CASE("a printed stream becomes start, calls, results, cost and end") {
        const auto seen = stream(slurp(test::source_dir() / "testdata/readers/claude-code-stream/minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=st-1 cwd=/home/ada/mill model=claude-sonnet-4-5",
                                  "ContextChange model=claude-sonnet-4-5 cwd=/home/ada/mill",
                                  "Usage in=4 write=10 read=20 out=5 model=claude-sonnet-4-5",
                                  "ToolCall t1 Bash 'ls'",
                                  "ToolResult t1 ok 'todo.txt'",
                                  "Usage in=4 write=10 read=30 out=6 model=claude-sonnet-4-5",
                                  "Message assistant/agent 'One file.'",
                                  "Usage in=0 write=0 read=0 out=0 cost=12300",
                                  "TurnEnd completed",
                              });
        CHECK(seen.events.usages.back().mode == UsageMode::cumulative);
        CHECK(seen.events.usages.back().scope == UsageScope::session);
    }

    TEST_CASE(
        "what Qwen Code prints of a call through its tool for deferred ones is a call of the tool that was meant") {
        const auto said = [](std::string_view id, std::string_view name, std::string_view input) {
            return fmt::format(
                R"({{"type":"assistant","uuid":"{0}","session_id":"st","parent_tool_use_id":null,"message":{{"id":"{0}",)"
                R"("type":"message","role":"assistant","model":"toy","content":[{{"type":"tool_use","id":"c{0}",)"
                R"("name":"{1}","input":{2}}}],"stop_reason":"tool_use","usage":{{"input_tokens":9,"output_tokens":2}}}}}})"
                "\n",
                id, name, input);
        };
        const std::string wrapped = said("1", "tool_call", R"({"name":"mcp__shop__price","arguments":{"path":"tea"}})");
        const std::string direct = said("2", "mcp__shop__price", R"({"path":"tea"})");
        const auto seen = stream(wrapped + direct + said("3", "tool_call", R"({"name":"mcp__shop__price"})"));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall c1 mcp__shop__price 'tea'",
                                              "ToolCall c2 mcp__shop__price 'tea'",
                                              "ToolCall c3 tool_call 'mcp__shop__price'"});
        CHECK(seen.events.digests.at(0).canonical == seen.events.digests.at(1).canonical);
        CHECK(read(wrapped).those("ToolCall").at(0).starts_with("ToolCall c1 tool_call"));
    }

    TEST_CASE("the result tells what the responses, written while they began, had not told yet") {
        const auto said = [](std::string_view id, std::string_view model, int input, int output) {
            return fmt::format(
                R"({{"type":"assistant","session_id":"st","parent_tool_use_id":null,"message":{{"id":"{}",)"
                R"("model":"{}","role":"assistant","content":[{{"type":"text","text":"x"}}],)"
                R"("usage":{{"input_tokens":{},"output_tokens":{}}}}}}})"
                "\n",
                id, model, input, output);
        };
        const auto ends = [](std::string_view more) {
            return fmt::format(R"({{"type":"result","subtype":"success","num_turns":1,"session_id":"st",{}}})"
                               "\n",
                               more);
        };
        const auto model = [](std::string_view name, int input, int output) {
            return fmt::format(R"("{}":{{"inputTokens":{},"outputTokens":{},"cacheReadInputTokens":0}})", name, input,
                               output);
        };
        const std::string told = said("m1", "big", 100, 2) + said("m1", "big", 100, 2) + said("m2", "big", 200, 1);
        // The last response stands for all; the helper was never seen.
        const auto seen = stream(told + ends(R"("usage":{"input_tokens":9},"modelUsage":{)" + model("helper", 40, 4) +
                                             "," + model("big[1m]", 300, 90) + "}"));
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=100 write=0 read=0 out=2 model=big", "Usage in=100 write=0 read=0 out=2 model=big",
                    "Usage in=200 write=0 read=0 out=1 model=big", "Usage in=40 write=0 read=0 out=4 model=helper",
                    "Usage in=200 write=0 read=0 out=88 model=big"});
        CHECK(seen.events.usages[4].message_key == seen.events.usages[2].message_key);
        CHECK(seen.events.usages[4].scope == UsageScope::session);
        // Without models; nothing new; nothing told.
        CHECK(stream(told + ends(R"("usage":{"input_tokens":300,"output_tokens":50})")).those("Usage").back() ==
              "Usage in=200 write=0 read=0 out=48");
        CHECK(stream(told + ends(R"("usage":{"input_tokens":300,"output_tokens":3})")).count("Usage") == 3);
        CHECK(stream(ends(R"("usage":{"input_tokens":300,"output_tokens":3})")).those("Usage") ==
              Lines{"Usage in=300 write=0 read=0 out=3"});
        // Totals go on from one result to the next.
        const std::string first = ends("\"modelUsage\":{" + model("big", 300, 90) + "}");
        CHECK(stream(told + first + said("m3", "big", 50, 1) + ends("\"modelUsage\":{" + model("big", 350, 99) + "}"))
                  .those("Usage")
                  .back() == "Usage in=50 write=0 read=0 out=9 model=big");
        CHECK(stream(told + first + first).count("Usage") == 4);
        const auto more = details(
            ends(
                R"("modelUsage":{"big":{"inputTokens":1,"outputTokens":9,"thinkingTokens":7,"cacheCreationInputTokens":5,)"
                R"("cacheCreationEphemeral1hInputTokens":4}})"),
            readers::claude_code_stream());
        REQUIRE(more.usages.size() == 1);
        CHECK(more.usages[0].tokens.reasoning == 7);
        CHECK(more.usages[0].tokens.cache_write_1h == 4);
        // Under another name they are the same tokens.
        CHECK(stream(told + ends("\"modelUsage\":{" + model("region.big", 300, 90) + "}")).those("Usage").back() ==
              "Usage in=200 write=0 read=0 out=88");
        CHECK(
            stream(told + ends("\"modelUsage\":{" + model("helper", 40, 4) + "," + model("region.big", 300, 90) + "}"))
                .count("Usage") == 5);
    }

    TEST_CASE("the result tells the window of the model that the conversation was with") {
        const auto said = [](std::string_view parent, std::string_view model) {
            return fmt::format(
                R"({{"type":"assistant","session_id":"st","parent_tool_use_id":{},"message":{{"id":"m-{}",)"
                R"("model":"{}","role":"assistant","content":[{{"type":"text","text":"x"}}],)"
                R"("usage":{{"input_tokens":9,"output_tokens":1}}}}}})"
                "\n",
                parent, model, model);
        };
        const auto window_behind = [](const std::string& told, std::string_view models) {
            const std::string end = fmt::format(R"({{"type":"result","subtype":"success","session_id":"st",)"
                                                R"("modelUsage":{{{}}}}})"
                                                "\n",
                                                models);
            return details(told + end, readers::claude_code_stream()).usages.back().window_tokens;
        };
        const std::string helped = said("null", "big") + said("\"t1\"", "small");
        constexpr std::string_view kSmall = R"("small":{"inputTokens":9,"outputTokens":1,"contextWindow":200000})";
        const auto big = [](std::string_view name) {
            return fmt::format(R"(,"{}":{{"inputTokens":9,"outputTokens":1,"contextWindow":1000000}})", name);
        };
        CHECK(window_behind(helped, std::string(kSmall) + big("big")) == 1'000'000);
        CHECK(window_behind(helped, std::string(kSmall) + big("big[1m]")) == 1'000'000);
        CHECK(window_behind(said("null", "small"), std::string(kSmall) + big("big")) == 200'000);
        // Under another name it is one of them, unless there is one only.
        CHECK(window_behind(helped, std::string(kSmall) + big("region.big")) == 0);
        CHECK(window_behind(said("null", "other"), kSmall) == 200'000);
        // The tokens of the totals are told as they were.
        const auto seen = stream(said("null", "small") + R"({"type":"result","session_id":"st","modelUsage":{)" +
                                 std::string(kSmall) + "}}");
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=9 write=0 read=0 out=1 model=small", "Usage in=0 write=0 read=0 out=0"});
    }

    TEST_CASE("of a session that is resumed the result tells what is new, and what that cost") {
        const auto ends = [](int fresh, int cents) {
            return fmt::format(R"({{"type":"result","subtype":"success","session_id":"st","total_cost_usd":9.5,)"
                               R"("modelUsage":{{"big":{{"inputTokens":9000,"outputTokens":900,"costUSD":9.5}}}},)"
                               R"("model_usage_since_last_result":{{"big":{{"inputTokens":{},"outputTokens":40,)"
                               R"("costUSD":0.{:02}}}}}}})"
                               "\n",
                               fresh, cents);
        };
        const auto said = [](std::string_view id, int input) {
            return fmt::format(
                R"({{"type":"assistant","session_id":"st","message":{{"id":"{}","model":"big","role":"assistant",)"
                R"("content":[{{"type":"text","text":"x"}}],"usage":{{"input_tokens":{},"output_tokens":1}}}}}})"
                "\n",
                id, input);
        };
        CHECK(stream(said("m1", 70) + ends(70, 3)).those("Usage") ==
              Lines{"Usage in=70 write=0 read=0 out=1 model=big", "Usage in=0 write=0 read=0 out=0 cost=30000",
                    "Usage in=70 write=0 read=0 out=40 model=big"});
        // The next run of the stream has figures of its own, and the cost runs on.
        CHECK(stream(said("m1", 70) + ends(70, 3) + said("m2", 50) + ends(55, 2)).those("Usage").back() ==
              "Usage in=55 write=0 read=0 out=40 model=big");
        CHECK(stream(said("m1", 70) + ends(70, 3) + said("m2", 50) + ends(55, 2)).those("Usage")[4] ==
              "Usage in=0 write=0 read=0 out=0 cost=50000");
        // In front of the totals it is the same.
        CHECK(stream(said("m1", 70) + R"({"type":"result","session_id":"st","model_usage_since_last_result":)"
                                      R"({"big":{"inputTokens":70,"outputTokens":2}},)"
                                      R"("modelUsage":{"big":{"inputTokens":9000,"outputTokens":900}}})")
                  .those("Usage")
                  .back() == "Usage in=70 write=0 read=0 out=2 model=big");
    }

    TEST_CASE("a stream says which calls were refused, which words are the program's, and what the service refused") {
        const auto answer = [](std::string_view meta) {
            return stream(fmt::format(R"({{"type":"user","session_id":"s","message":{{"role":"user","content":[)"
                                      R"({{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}},)"
                                      R"({{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"no"}}]}})"
                                      R"({}}})",
                                      meta))
                .those("ToolResult");
        };
        CHECK(answer("") == Lines{"ToolResult t1 error 'no'", "ToolResult t2 error 'no'"});
        CHECK(answer(R"(,"tool_result_meta":[{"id":"t2","permission_decision":{"decision":"reject"}}])") ==
              Lines{"ToolResult t1 error 'no'", "ToolResult t2 denied 'no'"});
        CHECK(answer(R"(,"tool_result_meta":[{"id":"t2","non_execution_kind":"user-rejected",)"
                     R"("permission_decision":{"source":"config","decision":"reject"}}])") ==
              Lines{"ToolResult t1 error 'no'", "ToolResult t2 denied by=rule 'no'"});
        CHECK(answer(R"(,"tool_result_meta":[{"id":"t1","non_execution_kind":"user-rejected"}])") ==
              Lines{"ToolResult t1 denied 'no'", "ToolResult t2 error 'no'"});
        CHECK(answer(R"(,"tool_result_meta":[{"id":"t1","non_execution_kind":"interrupted"}])") ==
              Lines{"ToolResult t1 cancelled 'no'", "ToolResult t2 error 'no'"});
        CHECK(answer(R"(,"tool_result_meta":[{"id":"t1","permission_decision":{"decision":"accept"}}])") == answer(""));
        const auto words = [](std::string_view more) {
            return stream(fmt::format(R"({{"type":"user","session_id":"s",{}"message":{{"role":"user","content":)"
                                      R"([{{"type":"text","text":"Go on where it stopped."}}]}}}})",
                                      more))
                .those("Message");
        };
        CHECK(words(R"("isSynthetic":true,)") == Lines{"Message user/injected 'Go on where it stopped.'"});
        CHECK(words("") == Lines{"Message user/human 'Go on where it stopped.'"});
        CHECK(
            stream(R"({"type":"assistant","session_id":"s","error":"server_error","is_api_error_message":true,)"
                   R"("message":{"role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"529"}]}})")
                .those("Notice") == Lines{"Notice provider/error server_error '529'"});
    }

    TEST_CASE("messages below a task call are that sub-agent's lane") {
        const std::string text = slurp(test::source_dir() / "testdata/readers/claude-code-stream/full.jsonl");
        const auto seen = stream(text);
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            const auto line = seen.events.heads[i].where.line;
            CHECK(seen.events.heads[i].lane == (line >= 6 && line <= 8 ? 1u : 0u));
        }
        CHECK(details(text, readers::claude_code_stream()).agents == Lines{"task1"});
        CHECK(seen.those("Compaction") == Lines{"Compaction summary before=150000"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed"});
    }

    TEST_CASE("an agent that is called again goes on in its lane, and its kind is told") {
        const auto said = [](std::string_view call, std::string_view more) {
            return fmt::format(R"({{"type":"assistant","session_id":"st","parent_tool_use_id":"{}",{}"message":)"
                               R"({{"id":"m","role":"assistant","content":[{{"type":"text","text":"x"}}]}}}})"
                               "\n",
                               call, more);
        };
        constexpr std::string_view agent = R"("agent_id":"a7","subagent_type":"Explore",)";
        const auto lanes = [&](std::string_view more) {
            const auto seen = details(said("t1", more) + said("t2", more), readers::claude_code_stream());
            CHECK((more.empty() || seen.agent_types.at(0) == "Explore"));
            return seen.agents;
        };
        CHECK(lanes(agent) == Lines{"a7"});
        CHECK(lanes("") == Lines{"t1", "t2"});
    }

    TEST_CASE("a conversation that is cleared while the stream goes on begins anew") {
        const std::string hello = R"({"type":"system","subtype":"init","session_id":"s","tools":[]})"
                                  "\n";
        const auto seen = details(hello + R"({"type":"conversation_reset","trigger":"clear","session_id":"s"})",
                                  readers::claude_code_stream());
        REQUIRE(seen.compactions.size() == 1);
        CHECK(seen.compactions[0].kind == CompactionKind::reset);
        CHECK(seen.compactions[0].keep == Keep::none);
    }

    TEST_CASE("a run that failed says why") {
        const auto ends = [](std::string_view more) {
            return stream(fmt::format(R"({{"type":"result","is_error":true,"session_id":"s",{}}})", more))
                .those("Notice");
        };
        CHECK(ends(R"("subtype":"error_max_turns","errors":["Reached 5 turns","x"])") ==
              Lines{"Notice harness/warning error_max_turns 'Reached 5 turns'"});
        CHECK(ends(R"("subtype":"error_during_execution","terminal_reason":"rapid_refill_breaker","errors":[])") ==
              Lines{"Notice harness/warning rapid_refill_breaker"});
        CHECK(ends(R"("subtype":"success")").empty());
        CHECK(stream(R"({"type":"system","subtype":"session_writes_lost","error_code":"ENOSPC","session_id":"s"})")
                  .those("Notice") == Lines{"Notice harness/warning session-writes-lost 'ENOSPC'"});
    }

    TEST_CASE("a replayed human message is copied history") {
        const auto seen = stream(slurp(test::source_dir() / "testdata/readers/claude-code-stream/full.jsonl"));
        const auto at = static_cast<std::size_t>(
            std::find(seen.lines().begin(), seen.lines().end(), "Message user/human 'find the stones'") -
            seen.lines().begin());
        REQUIRE(at < seen.lines().size());
        CHECK((seen.events.heads[at].flags & kCopied) != 0);
    }

    TEST_CASE("a cost that is no amount of money is not recorded") {
        const auto seen = stream(slurp(test::source_dir() / "testdata/readers/claude-code-stream/bad-fields.jsonl"));
        CHECK(seen.count("Usage") == 0);
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd completed", "TurnEnd completed", "TurnEnd completed"});
    }

    TEST_CASE("the stream is recognised as a stream, a session file is not") {
        const ReaderSpec spec = readers::claude_code_stream();
        CHECK(score_text(spec, slurp(test::source_dir() / "testdata/readers/claude-code-stream/minimal.jsonl")) >= 95);
        CHECK(score_text(readers::claude_code(),
                         slurp(test::source_dir() / "testdata/readers/claude-code-stream/minimal.jsonl")) < kCertain);
        CHECK(score_text(spec, slurp(test::source_dir() / "testdata/readers/claude-code/minimal.jsonl")) == 0);
    }

    TEST_CASE("result records mean nothing in a session file") {
        CHECK(read(R"({"type":"result","sessionId":"s","total_cost_usd":1})").count(LineFate::unknown_kind) == 1);
    }
}
