#include "convert/converted.hpp"
#include "support/sanitized.hpp"

#include <map>
#include <set>

using namespace agent_audit;
using namespace agent_audit::test;
using Json = nlohmann::json;

// ATIF and Chat Completions are read back by their own readers: the same calls, results and tokens must be in them.

namespace {

struct Sums {
    std::uint64_t calls = 0, results = 0, paired = 0, tokens = 0, cost = 0;
    friend bool operator==(const Sums&, const Sums&) = default;
};

doctest::String toString(const Sums& s) {
    std::ostringstream out;
    out << s.calls << " calls, " << s.results << " results, " << s.paired << " pairs, " << s.tokens << " tokens, "
        << s.cost;
    return out.str().c_str();
}

Sums sums_of(const Report& report) {
    const bool recorded = report.tokens.source == TokensSource::reported;
    return {report.counts.calls, report.counts.results, report.counts.paired,
            recorded ? report.tokens.total.total() : 0, report.tokens.cost_microusd.value_or(0)};
}

std::uint64_t hidden_calls_of_scripts(const std::string& events) {
    std::istringstream lines(events);
    std::uint64_t n = 0;
    for (std::string line; std::getline(lines, line);)
        n += line.find(R"("caller":"code")") != line.npos && line.find(R"("hidden")") != line.npos;
    return n;
}

// What stands in copied history counts elsewhere; Chat Completions cannot say that it is copied.
std::uint64_t copied(const std::string& events, std::string_view kind) {
    std::istringstream lines(events);
    std::uint64_t n = 0;
    for (std::string line; std::getline(lines, line);)
        n += line.find(R"("kind":")" + std::string(kind) + '"') != line.npos && line.find(R"("copied")") != line.npos;
    return n;
}

std::size_t check_folder(std::string_view to, std::string_view format, const fs::path& folder) {
    const Folder scratch;
    std::size_t files = 0;
    for (const fs::path& file : some_of(all_files(folder))) {
        CAPTURE(file.string());
        const Report before = report_of({file.string()});
        const std::string text = converted(to, {file.string()});
        if (before.sessions.empty() || text.empty()) {
            CHECK(before.counts.calls + before.counts.results == 0);
            continue;
        }
        const Report after = report_of({scratch.write("converted", text)});
        CHECK(after.inputs.at(0).format == format);
        CHECK(after.ingest.bad() == 0);
        // What refines an earlier result is a result of its own there.
        const bool updates = converted("events", {file.string()}).find("\"update\":true") != std::string::npos;
        Sums expected = sums_of(before);
        // What a script of the model's called is no part of its conversation.
        const std::uint64_t of_scripts = hidden_calls_of_scripts(converted("events", {file.string()}));
        expected.calls -= of_scripts;
        expected.results -= of_scripts;
        expected.paired -= of_scripts;
        if (to == "chat") {
            const std::string events = converted("events", {file.string()});
            expected.calls += copied(events, "tool_call");
            expected.results += copied(events, "tool_result");
            expected.paired += copied(events, "tool_result");
        }
        if (updates) expected.results = after.counts.results;
        CHECK(sums_of(after) == expected);
        ++files;
    }
    return files;
}

// One recording of a few lines in a format that says everything.
std::string spoken(const Folder& folder) {
    return folder.write("spoken.jsonl",
                        R"({"agent_audit_events":1}
{"kind":"session_start","seq":1,"line":1,"session_id":"s-1","cwd":"/home/ada/x","model":"m-1","product_version":"9"}
{"kind":"message","seq":2,"line":2,"turn":1,"role":"user","origin":"human","text":"say \"hi\" \ud800\u00e9"}
{"kind":"message","seq":3,"line":3,"turn":1,"role":"user","origin":"hook","text":"remember"}
{"kind":"thinking","seq":4,"line":4,"turn":1,"response":"0a","text":"Let me see."}
{"kind":"message","seq":5,"line":5,"turn":1,"response":"0a","role":"assistant","text":"On it."}
{"kind":"tool_call","seq":6,"line":6,"turn":1,"response":"0a","call_id":"c1","name":"bash","args":{"command":"export API_TOKEN=Zx81kQ72mmP0aa"}}
{"kind":"tool_call","seq":7,"line":7,"turn":1,"response":"0a","name":"patch","args":"one\ntwo","args_form":"plain"}
{"kind":"usage","seq":8,"line":8,"turn":1,"response":"0a","input":10,"cache_write":3,"cache_read":4,"output":5,"reasoning":2,"cost_microusd":1500}
{"kind":"lane_open","seq":9,"line":9,"lane":1,"purpose":"task","agent_id":"a-1","agent_type":"scout"}
{"kind":"message","seq":10,"line":10,"lane":1,"role":"user","origin":"agent","text":"look around"}
{"kind":"tool_call","seq":11,"line":11,"lane":1,"response":"0b","call_id":"c1","name":"ls"}
{"kind":"tool_result","seq":12,"line":12,"lane":1,"call_id":"c1","status":"ok","text":["a","b"]}
{"kind":"tool_result","seq":13,"line":13,"turn":1,"call_id":"c1","status":"error","exit_code":2,"text":"no"}
{"kind":"tool_result","seq":14,"line":14,"turn":1,"status":"unknown","text":"patched"}
{"kind":"message","seq":15,"line":15,"turn":1,"response":"0c","role":"assistant","text":"Done."}
{"kind":"tool_result","seq":16,"line":16,"turn":1,"call_id":"never-called","text":"?"}
{"kind":"session_start","seq":17,"line":17,"session_id":"s-2"}
{"kind":"message","seq":18,"line":18,"turn":1,"role":"user","origin":"human","text":"next"}
)");
}

}  // namespace

TEST_SUITE("convert to other formats") {
    TEST_CASE("every sample has the same calls, results and tokens as ATIF") {
        CHECK(check_folder("atif", "atif", project() / "testdata/readers") > rounds(50));
        CHECK(check_folder("atif", "atif", project() / "testdata/scenarios") > rounds(100));
    }

    TEST_CASE("every sample has the same calls, results and tokens as Chat Completions") {
        CHECK(check_folder("chat", "chat-completions", project() / "testdata/readers") > rounds(50));
        CHECK(check_folder("chat", "chat-completions", project() / "testdata/scenarios") > rounds(100));
    }

    TEST_CASE("every recording of the corpus has the same calls, results and tokens") {
        if (!fs::exists(corpus())) {
            MESSAGE("skipped: ../shared/corpus is not there");
            return;
        }
        CHECK(check_folder("atif", "atif", corpus()) > rounds(50));
        CHECK(check_folder("chat", "chat-completions", corpus()) > rounds(50));
    }

    TEST_CASE("a conversation as Chat Completions") {
        const Folder scratch;
        const std::string text = converted("chat", {spoken(scratch)});
        CHECK(text.find(R"(say \"hi\" \ud800\u00e9)") != text.npos);  // as it stands in the recording
        const auto lines = json_lines(text);
        REQUIRE(lines.size() == 3);  // the session, its sub-agent, the next session
        CHECK(lines[0]["model"] == "m-1");
        CHECK(lines[0]["metadata"]["session_id"] == "s-1");
        const Json& messages = lines[0]["messages"];
        std::string roles;
        for (const Json& m : messages) roles += m["role"].get<std::string>() + " ";
        CHECK(roles == "user system assistant tool tool assistant tool ");
        const Json& spoke = messages[2];
        CHECK(spoke["content"] == "On it.");
        CHECK(spoke["reasoning_content"] == "Let me see.");
        CHECK(spoke["tool_calls"][0]["function"]["arguments"] == R"({"command":"export API_TOKEN=Zx81kQ72mmP0aa"})");
        CHECK(spoke["tool_calls"][1]["custom"]["input"] == "one\ntwo");
        CHECK(spoke["usage"]["prompt_tokens"] == 17);
        CHECK(spoke["usage"]["prompt_tokens_details"]["cached_tokens"] == 4);
        CHECK(messages[3]["is_error"] == true);
        CHECK(messages[4]["tool_call_id"] == spoke["tool_calls"][1]["id"]);
        CHECK_FALSE(messages[4].contains("is_error"));
        CHECK(lines[1]["metadata"]["agent_type"] == "scout");
        CHECK(lines[1]["messages"].size() == 3);
        CHECK(lines[2]["messages"][0]["content"] == "next");
    }

    TEST_CASE("a conversation as ATIF") {
        const Folder scratch;
        std::istringstream in(without_lone_surrogates(converted("atif", {spoken(scratch)})));
        Json first, second;
        in >> first >> second;
        CHECK(first["schema_version"] == "ATIF-v1.7");
        CHECK(first["session_id"] == "s-1");
        CHECK(first["agent"] == Json{{"name", "agent-audit-events"}, {"version", "9"}, {"model_name", "m-1"}});
        const Json& steps = first["steps"];
        std::string sources;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            CHECK(steps[i]["step_id"] == i + 1);
            sources += steps[i]["source"].get<std::string>() + " ";
        }
        CHECK(sources == "user system agent agent agent ");
        const Json& spoke = steps[2];
        CHECK(spoke["tool_calls"].size() == 2);
        CHECK(spoke["tool_calls"][1]["arguments"]["input"] == "one\ntwo");
        CHECK(spoke["observation"]["results"][1]["source_call_id"] == spoke["tool_calls"][1]["tool_call_id"]);
        CHECK(spoke["metrics"]["prompt_tokens"] == 17);
        CHECK(spoke["metrics"]["cost_usd"] == 0.0015);
        // A source_call_id names calls of its own step only.
        CHECK_FALSE(steps[4]["observation"]["results"][0].contains("source_call_id"));
        CHECK(steps[4]["observation"]["results"][0]["extra"]["source_call_id"] == "never-called");
        CHECK(first["final_metrics"]["total_prompt_tokens"] == 17);
        CHECK(first["subagent_trajectories"][0]["trajectory_id"] == "a-1");
        CHECK(first["subagent_trajectories"][0]["steps"].size() == 2);
        CHECK(second["session_id"] == "s-2");
    }

    TEST_CASE("an answer that is recorded several times, or in several recordings, was paid once") {
        const Folder scratch;
        const std::string recording = R"({"agent_audit_events":1}
{"kind":"session_start","seq":1,"line":1,"session_id":"s-1"}
{"kind":"message","seq":2,"line":2,"turn":1,"response":"0a","role":"assistant","text":"one"}
{"kind":"usage","seq":3,"line":3,"turn":1,"response":"0a","mode":"replace","input":10,"output":5,"message_key":"aa","cost_microusd":1000}
{"kind":"usage","seq":4,"line":4,"turn":1,"response":"0a","mode":"replace","input":10,"output":6,"message_key":"aa","cost_microusd":1200}
{"kind":"usage","seq":5,"line":5,"turn":1,"response":"0a","mode":"replace","input":10,"output":6,"message_key":"aa","cost_microusd":1200}
{"kind":"usage","seq":6,"line":6,"turn":1,"response":"0b","input":20,"output":5,"message_key":"bb","cost_microusd":300}
)";
        const std::vector<std::string> files{scratch.write("a.jsonl", recording), scratch.write("b.jsonl", recording)};
        const auto paid = [](const std::vector<std::string>& of) {
            return report_of(of).tokens.cost_microusd.value_or(0);
        };
        REQUIRE(paid(files) == 1500);
        for (const char* to : {"atif", "chat"}) {
            CAPTURE(to);
            CHECK(paid({scratch.write("converted", converted(to, files))}) == 1500);
        }
    }

    TEST_CASE("each answer is paid to the model that gave it, also where the bill comes first") {
        const Folder scratch;
        const std::string recording = scratch.write("models.jsonl",
                                                    R"({"agent_audit_events":1}
{"kind":"session_start","seq":1,"line":1,"session_id":"s-1"}
{"kind":"message","seq":2,"line":2,"turn":1,"role":"user","origin":"human","text":"go"}
{"kind":"usage","seq":3,"line":3,"turn":1,"response":"0a","input":10,"cache_write":8,"cache_write_1h":6,"output":5,"model":"claude-opus-4-6"}
{"kind":"message","seq":4,"line":4,"turn":1,"response":"0a","role":"assistant","text":"one"}
{"kind":"message","seq":5,"line":5,"turn":2,"role":"user","origin":"human","text":"on"}
{"kind":"message","seq":6,"line":6,"turn":2,"response":"0b","role":"assistant","text":"two"}
{"kind":"usage","seq":7,"line":7,"turn":2,"response":"0b","input":20,"output":7,"model":"claude-sonnet-4-5-20250929"}
{"kind":"context_change","seq":8,"line":8,"turn":2,"model":"claude-haiku-4-5-20251001"}
{"kind":"message","seq":9,"line":9,"turn":3,"role":"user","origin":"human","text":"and on"}
{"kind":"message","seq":10,"line":10,"turn":3,"response":"0c","role":"assistant","text":"three"}
{"kind":"usage","seq":11,"line":11,"turn":3,"response":"0c","input":30,"output":9}
)");
        const auto models = [](const std::string& file) {
            std::string out;
            for (const ModelTokens& m : report_of({file}).tokens.by_model) {
                out += m.model + " " + std::to_string(m.tokens.total()) + " " +
                       std::to_string(m.tokens.cache_write_1h) + " " +
                       std::to_string(m.cost.micro_dollars().value_or(0)) + "\n";
            }
            return out;
        };
        const std::string before = models(recording);
        REQUIRE(before.find("claude-haiku-4-5-20251001 39 0 ") != before.npos);
        REQUIRE(before.find("claude-opus-4-6 23 6 ") != before.npos);
        for (const char* to : {"atif", "chat"}) {
            CAPTURE(to);
            CHECK(models(scratch.write("converted", converted(to, {recording}))) == before);
        }
    }

    TEST_CASE("requests without ids stay apart, whether the bill comes behind an answer or behind its results") {
        const Folder scratch;
        const auto requests = [&](const std::string& events) {
            const std::string recording = scratch.write("s.jsonl", "{\"agent_audit_events\":1}\n" + events);
            return report_of({scratch.write("converted", converted("chat", {recording}))}).tokens.requests;
        };
        constexpr const char* kBehind = R"({"kind":"session_start","seq":1,"line":1,"session_id":"s-1"}
{"kind":"tool_call","seq":2,"line":2,"call_id":"c1","name":"bash","args":{"command":"x"}}
{"kind":"tool_result","seq":3,"line":3,"call_id":"c1","text":"1"}
{"kind":"usage","seq":4,"line":4,"input":10,"output":5}
{"kind":"message","seq":5,"line":5,"role":"assistant","text":"one"}
{"kind":"usage","seq":6,"line":6,"input":20,"output":5}
{"kind":"message","seq":7,"line":7,"role":"assistant","text":"two"}
{"kind":"usage","seq":8,"line":8,"input":30,"output":5}
)";
        CHECK(requests(kBehind) == 3);
        constexpr const char* kBefore = R"({"kind":"session_start","seq":1,"line":1,"session_id":"s-1"}
{"kind":"usage","seq":2,"line":2,"input":10,"output":5}
{"kind":"tool_call","seq":3,"line":3,"call_id":"c1","name":"bash","args":{"command":"x"}}
{"kind":"tool_result","seq":4,"line":4,"call_id":"c1","text":"1"}
{"kind":"usage","seq":5,"line":5,"input":20,"output":5}
{"kind":"message","seq":6,"line":6,"role":"assistant","text":"one"}
)";
        CHECK(requests(kBefore) == 2);
    }

    TEST_CASE("the calls of one response are one step, also where results stand between them") {
        const Folder scratch;
        const std::string recording = scratch.write("s.jsonl",
                                                    R"({"agent_audit_events":1}
{"kind":"session_start","seq":1,"line":1,"session_id":"s-1"}
{"kind":"tool_call","seq":2,"line":2,"response":"0a","call_id":"c1","name":"bash","args":{"command":"x"}}
{"kind":"tool_result","seq":3,"line":3,"call_id":"c1","text":"1"}
{"kind":"tool_call","seq":4,"line":4,"response":"0a","call_id":"c2","name":"bash","args":{"command":"y"}}
{"kind":"tool_result","seq":5,"line":5,"call_id":"c2","text":"2"}
{"kind":"tool_call","seq":6,"line":6,"response":"0b","call_id":"c3","name":"bash","args":{"command":"z"}}
)");
        const Json steps = Json::parse(converted("atif", {recording}))["steps"];
        REQUIRE(steps.size() == 2);
        CHECK(steps[0]["tool_calls"].size() == 2);
        CHECK(steps[0]["observation"]["results"][1]["source_call_id"] == "c2");
        const Json messages = Json::parse(converted("chat", {recording}))["messages"];
        REQUIRE(messages.size() == 4);
        CHECK(messages[0]["tool_calls"].size() == 2);
        CHECK(messages[1]["tool_call_id"] == "c1");
        CHECK(messages[2]["tool_call_id"] == "c2");
        CHECK(messages[3]["tool_calls"].size() == 1);
    }

    TEST_CASE("however many calls a step has, in whatever order they are answered, each result names its own") {
        const Folder scratch;
        std::string text = "{\"agent_audit_events\":1}\n";
        constexpr int kCalls = 2'000;
        const auto line = [&text](const std::string& fields) { text += "{\"seq\":1,\"line\":1," + fields + "}\n"; };
        const auto id = [](int i) { return "c" + std::to_string(i % (kCalls - 1)); };  // one is used twice
        for (int i = 0; i < kCalls; ++i)
            line(R"("kind":"tool_call","response":"0a","name":"ls","call_id":")" + id(i) + '"');
        for (int i = kCalls; i-- > 0;) line(R"("kind":"tool_result","text":"a","call_id":")" + id(i) + '"');
        const Json steps = Json::parse(converted("atif", {scratch.write("s.jsonl", text)}))["steps"];
        REQUIRE(steps.size() == 1);
        const Json& results = steps[0]["observation"]["results"];
        REQUIRE(results.size() == kCalls);
        for (int i = 0; i < kCalls; ++i)
            CHECK(results[static_cast<std::size_t>(i)]["source_call_id"] == id(kCalls - 1 - i));
    }

    TEST_CASE("a trajectory and a conversation say how a call ended, and are read so") {
        for (const char* status : {"ok", "error", "denied", "cancelled", "running"}) {
            CAPTURE(status);
            const Folder scratch;
            const std::string recording = scratch.write("s.jsonl", std::string(R"({"agent_audit_events":1}
{"kind":"session_start","seq":1,"line":1,"session_id":"s-1"}
{"kind":"tool_call","seq":2,"line":2,"response":"0a","call_id":"c1","name":"bash","args":{"command":"x"}}
{"kind":"tool_result","seq":3,"line":3,"call_id":"c1","text":"y","exit_code":7,"status":")") +
                                                                       status + "\"}\n");
            const std::string said = std::string("\"status\":\"") + status + "\"";
            for (const char* to : {"atif", "chat"}) {
                CAPTURE(to);
                const std::string events = converted("events", {scratch.write("t.json", converted(to, {recording}))});
                CHECK(events.find(said) != events.npos);
                CHECK(events.find("\"exit_code\":7") != events.npos);
            }
        }
    }

    TEST_CASE("no secret and no home directory is left where they are to be taken out") {
        const Folder scratch;
        ConverterOptions options;
        options.redact = [](std::string_view raw) {
            std::string out(raw);
            for (const char* secret : {"Zx81kQ72mmP0aa", "/home/ada", "two"}) {
                for (auto at = out.find(secret); at != out.npos; at = out.find(secret))
                    out.replace(at, std::string(secret).size(), "[gone]");
            }
            return out;
        };
        for (const ConverterSpec& spec : all_converters()) {
            CAPTURE(spec.id);
            const std::string text = converted(spec.id, {spoken(scratch)}, options);
            CHECK(text.find("Zx81") == text.npos);
            CHECK(text.find("/home/ada") == text.npos);
            CHECK(text.find("ntwo") == text.npos);
            CHECK(text.find("[gone]") != text.npos);
            CHECK(report_of({scratch.write("redacted", text)}).counts.calls == 3);
        }
        const std::string events = converted("events", {spoken(scratch)}, options);
        CHECK(events.find("digest") == events.npos);  // a hash of a weak secret gives it away
    }

    TEST_CASE("a call keeps what it acted on, however that was recorded") {
        const Folder scratch;
        const std::string file = scratch.write("told.jsonl", R"({"agent_audit_events":1}
{"kind":"session_start","seq":1,"line":1,"session_id":"s"}
{"kind":"tool_call","seq":2,"line":2,"response":"0a","call_id":"c1","name":"click","primary":"Next \"page\"","primary_form":"plain"}
{"kind":"tool_call","seq":3,"line":3,"response":"0a","call_id":"c2","name":"look"}
{"kind":"tool_call","seq":4,"line":4,"response":"0a","call_id":"c3","name":"think","args":"{\n  \"thought\": \"a\\nb\"\n}","args_form":"plain"}
{"kind":"tool_call","seq":5,"line":5,"response":"0a","call_id":"c4","name":"think","args":"{\"thought\": \"a\nb\"}","args_form":"plain"}
)");
        const auto calls = json_lines(converted("chat", {file}))[0]["messages"][0]["tool_calls"];
        CHECK(calls[0]["function"]["arguments"] == R"({"input":"Next \"page\""})");
        CHECK(calls[1]["function"]["arguments"] == "{}");
        CHECK(calls[2]["function"]["arguments"] == "{\n  \"thought\": \"a\\nb\"\n}");
        const Json steps = Json::parse(converted("atif", {file}))["steps"][0]["tool_calls"];
        CHECK(steps[0]["arguments"] == Json{{"input", "Next \"page\""}});
        CHECK(steps[1]["arguments"] == Json::object());
        CHECK(steps[2]["arguments"] == Json{{"thought", "a\nb"}});
        CHECK(steps[3]["arguments"] == Json{{"input", "{\"thought\": \"a\nb\"}"}});  // no JSON
    }

    TEST_CASE("a step waits for its results, but not for ever") {
        const Folder scratch;
        std::string text = "{\"agent_audit_events\":1}\n";
        const auto line = [&text](const std::string& fields) { text += "{\"seq\":1,\"line\":1," + fields + "}\n"; };
        line(R"("kind":"tool_call","response":"01","call_id":"slow","name":"wait")");
        for (int i = 0; i < 200; ++i) {
            const std::string id = std::to_string(i);
            line(R"("kind":"tool_call","response":"1)" + id + R"(","call_id":"c)" + id + R"(","name":"ls")");
            line(R"("kind":"tool_result","call_id":"c)" + id + R"(","text":"a")");
        }
        line(R"("kind":"tool_result","call_id":"slow","text":"at last")");
        const Report after = report_of({scratch.write("a.json", converted("atif", {scratch.write("e.jsonl", text)}))});
        CHECK(after.counts.calls == 201);
        CHECK(after.counts.paired == 201);
    }

    TEST_CASE("sub-agents that do not fit into memory are written all the same") {
        const Folder scratch;
        std::string text = "{\"agent_audit_events\":1}\n";
        const std::string filler(100'000, 'x');
        for (int i = 0; i < 200; ++i) {
            text += R"({"kind":"message","seq":1,"line":1,"lane":)" + std::to_string(i % 3) +
                    R"(,"role":"user","origin":"human","text":")" + std::to_string(i) + filler + "\"}\n";
        }
        const auto lines = json_lines(converted("chat", {scratch.write("e.jsonl", text)}));
        REQUIRE(lines.size() == 3);
        for (std::size_t lane = 0; lane < 3; ++lane) {
            const Json& messages = lines[lane]["messages"];
            REQUIRE(messages.size() == (lane < 2 ? 67 : 66));
            for (std::size_t i = 0; i < messages.size(); ++i)
                CHECK(messages[i]["content"] == std::to_string(3 * i + lane) + filler);
        }
    }
}
