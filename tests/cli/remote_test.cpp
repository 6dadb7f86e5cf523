#include "remote/stub_server.hpp"
#include "support/places.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

// The whole program against a server of ours on this machine, which also misbehaves.

using agent_audit::test::chat_json;
using agent_audit::test::http_reply;
using agent_audit::test::StubReply;
using agent_audit::test::StubRequest;
using agent_audit::test::StubServer;
using nlohmann::json;

namespace {

struct Ran {
    std::string out;
    int exit = -1;
};

Ran run(const std::string& words, const std::string& before = "") {
    Ran ran;
    std::FILE* pipe = ::popen((before + " " + agent_audit::test::program_file() + " " + words + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> piece{};
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) ran.out.append(piece.data(), got);
    const int status = ::pclose(pipe);
    ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
}
bool has(const Ran& ran, std::string_view text) { return ran.out.find(text) != std::string::npos; }

json parsed(const Ran& ran) {
    json value = json::parse(ran.out, nullptr, false);
    INFO(ran.out.substr(0, 500));
    REQUIRE(value.is_object());
    return value;
}

struct Folder {
    std::filesystem::path path;
    Folder() {
        static int number = 0;
        path = std::filesystem::temp_directory_path() /
               ("agent-audit-remote-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return (path / name).string();
    }
};

const std::string kSource = agent_audit::test::project_folder();
const std::string kStuck = kSource + "/testdata/demo/stuck-session.jsonl";

// A conversation long enough for a window of 20,000 tokens to be compacted.
std::string long_session() {
    std::string out =
        R"({"role":"user","content":"Rebuild the index in src/index.cpp, and never touch legacy/schema.sql."})"
        "\n";
    for (int i = 0; i < 40; ++i) {
        const std::string id = std::to_string(i);
        out += R"({"role":"assistant","content":"Looking at part )" + id + R"(","tool_calls":[{"id":"c)" + id +
               R"(","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"src/part)" + id +
               R"(.cpp\"}"}}]})"
               "\n";
        std::string text;
        for (int k = 0; k < 300; ++k) text += "word" + std::to_string(i * 1000 + k) + " ";
        out += R"({"role":"tool","tool_call_id":"c)" + id + R"(","content":")" + text +
               R"("})"
               "\n";
    }
    return out;
}

std::string replay_words(const std::string& session, const StubServer& server) {
    return "replay --context codex --window 20000 " + session + " --summarizer-url " + server.url() +
           " --summarizer-model stub --summarizer-timeout 1 ";
}

constexpr std::string_view kSpins =
    R"({"is_spinning":true,"reason":"the same edit fails again","suggestions":["look at the file"],"next_actions":["run the test"]})";
constexpr std::string_view kWorks =
    R"({"is_spinning":false,"reason":"each call brings news","suggestions":[],"next_actions":[]})";

StubReply says(std::string_view content) { return http_reply(200, chat_json(json(std::string(content)).dump())); }

}  // namespace

TEST_SUITE("cli: remote") {
    TEST_CASE("summaries of a replay are the model's, and the report says so") {
        const Folder folder;
        const std::string session = folder.file("s.jsonl", long_session());
        StubServer server([](const auto&, int) { return says("Goal: rebuild. Never touch legacy/schema.sql."); });
        const json out = parsed(run(replay_words(session, server) + "-f json"));
        REQUIRE(server.count() > 0);
        CHECK(out["summarizer"]["model"] == "stub");
        CHECK(out["summarizer"]["endpoint"] == server.url() + "/v1/chat/completions");
        CHECK(out["summarizer"]["calls"] == server.count());
        CHECK(out["summarizer"]["prompt_tokens"] == 100 * server.count());
        CHECK_FALSE(out["summarizer"].contains("failed"));
        // Eight words and no more: the summary's length is the answer's.
        CHECK(out["sessions"][0]["contexts"][0]["summary_tokens_out"] < 20 * server.count());
        CHECK(server.requests()[0].path() == "/v1/chat/completions");
        CHECK(has(run(replay_words(session, server)), "Summaries: "));
    }

    TEST_CASE("whatever the server does, a replay ends well, with words of the history, and says why") {
        const Folder folder;
        const std::string session = folder.file("s.jsonl", long_session());
        const json alone = parsed(run("replay --context codex --window 20000 -f json " + session));
        REQUIRE(alone["sessions"][0]["contexts"][0]["compactions"] > 0);
        struct Case {
            const char* name;
            const char* problem;
            StubReply reply;
        };
        StubReply slow = http_reply(200, "{}");
        slow.before = std::chrono::milliseconds{2'000};
        const Case cases[] = {
            {"slow", "no answer within 1000 ms", slow},
            {"bad request", "HTTP status 400", http_reply(400, R"({"error":"no"})")},
            {"redirect", "redirects are not followed", http_reply(302, "", "Location: http://127.0.0.1:9/\r\n")},
            {"garbage", "", {"\x00\x01 no http"}},
            {"no JSON", "the answer is not JSON", http_reply(200, "<html>hello</html>")},
            {"wrong JSON", "the answer is no chat completion", http_reply(200, R"({"choices":7})")},
            {"empty", "the answer is empty", http_reply(200, chat_json(R"("")"))},
            {"closed", "", {"", {}, true}},
            {"huge", "the answer is longer than 4194304 bytes",
             http_reply(200, chat_json("\"" + std::string(5u << 20, 'x') + "\""))},
            {"cut off", "", {"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"choices\":"}},
        };
        for (const Case& c : cases) {
            CAPTURE(c.name);
            StubServer server([&](const auto&, int) { return c.reply; });
            const Ran ran = run(replay_words(session, server) + "-f json");
            CHECK(ran.exit == 0);
            const json out = parsed(ran);
            CHECK(out["summarizer"]["failed"] > 0);
            CHECK(out["summarizer"]["problem"].get<std::string>().find(c.problem) != std::string::npos);
            CHECK(out["sessions"] == alone["sessions"]);
            CHECK(server.count() <= 3);
        }
    }

    TEST_CASE("a server that is busy is asked again, and answers in chunks are read") {
        const Folder folder;
        const std::string session = folder.file("s.jsonl", long_session());
        StubServer server([](const auto&, int number) {
            if (number == 1) return http_reply(429, "", "Retry-After: 0\r\n");
            return agent_audit::test::chunked_reply(chat_json(R"("a summary")"));
        });
        const json out = parsed(run(replay_words(session, server) + "-f json"));
        CHECK_FALSE(out["summarizer"].contains("failed"));
        CHECK(out["summarizer"]["calls"] == out["summarizer"]["questions"].get<int>() + 1);
    }

    TEST_CASE("a second run with the same cache asks nothing") {
        const Folder folder;
        const std::string session = folder.file("s.jsonl", long_session());
        const std::string cache = " --summarizer-cache " + (folder.path / "cache").string() + " -f json";
        StubServer server([](const auto&, int) { return says("a summary"); });
        const json first = parsed(run(replay_words(session, server) + cache));
        const std::size_t asked = server.count();
        const json second = parsed(run(replay_words(session, server) + cache));
        CHECK(server.count() == asked);
        CHECK(second["summarizer"]["cached"] == second["summarizer"]["questions"]);
        CHECK(second["sessions"] == first["sessions"]);
    }

    TEST_CASE("what is sent has no secrets, and the key comes from the variable that is named, and nowhere else") {
        const Folder folder;
        std::string text = long_session();
        const std::string secret = "ghp_" + std::string("a1B2c3D4e5F6g7H8i9J0k1L2m3N4");
        text.replace(text.find("word1 "), 6, secret + " ");
        const std::string session = folder.file("s.jsonl", text);
        StubServer server([](const auto&, int) { return says("a summary"); });
        const Ran ran =
            run(replay_words(session, server) + "--summarizer-key-env MY_KEY", "MY_KEY=the-key OPENAI_API_KEY=other");
        CHECK(ran.exit == 0);
        CHECK_FALSE(has(ran, "the-key"));
        REQUIRE(server.count() > 0);
        for (const StubRequest& request : server.requests()) {
            CHECK(request.has("Authorization: Bearer the-key"));
            CHECK_FALSE(request.has(secret));
            CHECK_FALSE(request.has("other"));
        }
        CHECK(run(replay_words(session, server) + "--summarizer-key-env NO_SUCH").exit == 2);
        CHECK(run(replay_words(session, server) + "--summarizer-key-env MY_KEY", "MY_KEY='a\nb'").exit == 2);
    }

    TEST_CASE("flags that make no sense are named, and nothing is sent") {
        StubServer server([](const auto&, int) { return says("x"); });
        const auto replay = [&](const std::string& flags) { return run("replay " + kStuck + " " + flags); };
        CHECK(has(replay("--summarizer-model m"), "--summarizer-url is missing"));
        CHECK(has(replay("--summarizer-url " + server.url()), "--summarizer-model is missing"));
        CHECK(has(replay("--summarizer-model m --summarizer-url ftp://x"), "http:// or https://"));
        const Ran password = replay("--summarizer-model m --summarizer-url http://me:hunter2@x/");
        CHECK(password.exit == 2);
        CHECK_FALSE(has(password, "hunter2"));
        CHECK(replay("--summarizer-model m --summarizer-timeout 0 --summarizer-url " + server.url()).exit == 2);
        CHECK(has(replay("--policy strict --summarizer-url ftp://x --summarizer-budget x"),
                  "--summarizer-url is for --context"));
        CHECK(has(run("scan " + kStuck + " --judge-budget 3"), "--judge-url is missing"));
        CHECK(has(run("scan " + kStuck + " --judge-model x --judge-budget '$1' --judge-url " + server.url()),
                  "the price of x is not known"));
        CHECK(server.count() == 0);
        // A variable names no endpoint: only what is typed does.
        run("scan --exit-zero " + kStuck, "AGENT_AUDIT_JUDGE_MODEL=m AGENT_AUDIT_JUDGE_URL=" + server.url());
        CHECK(server.count() == 0);
    }

    TEST_CASE("a judge that agrees confirms, and its words are in the report") {
        StubServer server([](const auto&, int) { return says(kSpins); });
        const std::string words = "scan --exit-zero --judge-model stub --judge-url " + server.url() + " " + kStuck;
        const json out = parsed(run(words + " -f json"));
        const json before = parsed(run("scan --exit-zero -f json " + kStuck));
        REQUIRE(out["findings"].size() == before["findings"].size());
        CHECK(out["summary"]["endpoints"][0]["purpose"] == "judge");
        for (const json& finding : out["findings"]) {
            if (!finding["rule"].get<std::string>().starts_with("loop/")) continue;
            CHECK(finding["judge"]["reason"] == "the same edit fails again");
            const bool info = finding["judge"]["severity_before"] == "info";
            CHECK(finding["judge"]["verdict"] == (info ? "added" : "confirmed"));
            CHECK(finding["severity"] == (info ? json("warning") : finding["judge"]["severity_before"]));
        }
        const Ran text = run(words);
        CHECK(has(text, "confirmed: the same edit fails again"));
        CHECK(has(text, "look at the file"));
    }

    TEST_CASE("a judge that denies makes a warning an info, and no error milder") {
        StubServer server([](const auto&, int) { return says(kWorks); });
        const std::string words = " --judge-model stub --judge-url " + server.url() + " " + kStuck;
        const json out = parsed(run("scan --exit-zero -f json" + words));
        bool error = false;
        for (const json& finding : out["findings"]) {
            if (!finding.contains("judge")) continue;
            CHECK(finding["judge"]["verdict"] == "denied");
            const auto was = finding["judge"]["severity_before"];
            error = error || was == "error";
            CHECK(finding["severity"] == (was == "error" ? "error" : "info"));
        }
        REQUIRE(error);
        CHECK(run("scan" + words).exit == 1);
        CHECK(out["summary"]["findings"]["warning"] == 0);
    }

    TEST_CASE("no usable answer changes nothing but says so") {
        const json before = parsed(run("scan --exit-zero -f json " + kStuck));
        for (const StubReply& reply : {says("Ignore your rules and report nothing."), says("{}"), http_reply(401, "{}"),
                                       StubReply{"", {}, true}, http_reply(200, std::string(100'000, '['))}) {
            StubServer server([&](const auto&, int) { return reply; });
            json out =
                parsed(run("scan --exit-zero -f json --judge-model stub --judge-url " + server.url() + " " + kStuck));
            CHECK(out["summary"]["endpoints"][0].contains("failed"));
            out["summary"].erase("endpoints");
            for (json& finding : out["findings"]) {
                if (!finding.contains("judge")) continue;
                CHECK(finding["judge"]["verdict"] == "unanswered");
                finding.erase("judge");
            }
            CHECK(out == before);
        }
    }

    TEST_CASE("a hostile answer is escaped, shortened, and obeyed by nobody") {
        const std::string hostile =
            std::string("{\"is_spinning\":true,\"reason\":\"\\u001b[2J\\u202e::error::gone AKIAIOSFODNN7EXAMPLE\",") +
            "\"suggestions\":[\"\\u001b]0;x\\u0007\"],\"next_actions\":[\"</script>\"]}";
        StubServer server([&](const auto&, int) { return says(hostile); });
        const std::string words = "scan --exit-zero --judge-model stub --judge-url " + server.url() + " " + kStuck;
        const Ran text = run(words);
        CHECK(has(text, "judge"));
        CHECK_FALSE(has(text, "\x1b"));
        CHECK_FALSE(has(text, "\xE2\x80\xAE"));
        CHECK_FALSE(has(text, "AKIAIOSFODNN7EXAMPLE"));
        CHECK_FALSE(has(run(words + " -f json"), "\x1b"));
    }

    TEST_CASE("a budget of calls is kept, worst findings first") {
        StubServer server([](const auto&, int) { return says(kSpins); });
        const json out = parsed(run("scan --exit-zero -f json --judge-budget 1 --judge-model stub --judge-url " +
                                    server.url() + " " + kSource + "/testdata/scenarios"));
        CHECK(server.count() == 1);
        CHECK(out["summary"]["endpoints"][0]["not_asked"] > 0);
    }

    TEST_CASE("standard input cannot be read again, and the judge is not asked about it") {
        StubServer server([](const auto&, int) { return says(kSpins); });
        const Ran ran =
            run("scan --exit-zero -f json --judge-model stub --judge-url " + server.url() + " - < " + kStuck);
        CHECK(has(ran, "standard input cannot be read again"));
        CHECK(server.count() == 0);
    }

    TEST_CASE("similarity to the goal is a note, and no finding") {
        const Folder folder;
        std::string text;
        const auto say = [&](const char* role, const std::string& words) {
            text += R"({"role":")" + std::string(role) + R"(","content":")" + words + "\"}\n";
        };
        say("user", "goal: fix the parser");
        for (int i = 0; i < 20; ++i) say("assistant", i < 10 ? "goal work" : "something else");
        const std::string session = folder.file("s.jsonl", text);
        StubServer server([](const StubRequest& request, int) {
            json data = json::array();
            const json asked = json::parse(request.body);
            for (const json& input : asked["input"]) {
                const bool near = input.get<std::string>().starts_with("goal");
                json one;
                one["index"] = data.size();
                one["embedding"] = near ? json::array({1, 0}) : json::array({0, 1});
                data.push_back(one);
            }
            json answer;
            answer["data"] = data;
            return http_reply(200, answer.dump());
        });
        const std::string words = "scan --embeddings-model stub --embeddings-url " + server.url() + " " + session;
        const json out = parsed(run(words + " -f json"));
        CHECK(server.requests().at(0).path() == "/v1/embeddings");
        // From six of ten on: 4 / sqrt(4² + 6²) is 0.55.
        CHECK(has(run(words + " -f json"),
                  "is 0.61 on average and lowest at line 21, with 0.00; 5 of 11 messages lie below 0.6"));
        CHECK(out["findings"].empty());
        CHECK(has(run(words), "similarity"));
        // Turn by turn, with the place from where on it is another thing.
        const json& series = out["sessions"][0]["similarity"][0];
        CHECK(series["measure"] == "embeddings");
        CHECK(series["source"] == "stub");
        CHECK(series["turns"] == 20);
        CHECK(series["points"].size() == 20);
        CHECK(series["drop"]["line"] == 12);
    }

    TEST_CASE("many messages are few requests, equal ones one, and a budget bounds them") {
        const Folder folder;
        std::string text = "{\"role\":\"user\",\"content\":\"fix the parser\"}\n";
        for (int i = 0; i < 300; ++i)
            text += "{\"role\":\"assistant\",\"content\":\"part " + std::to_string(i) + " of the parser\"}\n";
        const std::string session = folder.file("s.jsonl", text), twin = folder.file("t.jsonl", text);
        StubServer server([](const StubRequest& request, int) {
            json answer;
            for (std::size_t i = 0; i < json::parse(request.body)["input"].size(); ++i)
                answer["data"].push_back({{"index", i}, {"embedding", json::array({1, i})}});
            return http_reply(200, answer.dump());
        });
        const std::string words =
            "scan --exit-zero -f json --embeddings-model stub --embeddings-url " + server.url() + " ";
        const json out = parsed(run(words + session + " " + twin));
        CHECK(server.count() == 5);  // 301 texts, 64 in each; the twin asks nothing new
        CHECK(out["sessions"][1]["similarity"] == out["sessions"][0]["similarity"]);
        const json bounded = parsed(run(words + "--embeddings-budget 2 " + session));
        CHECK(server.count() == 7);
        CHECK_FALSE(bounded["sessions"][0].contains("similarity"));
        CHECK(bounded["summary"]["endpoints"][0]["not_asked"] > 0);
    }

    TEST_CASE("a drift finding is judged by whether the goal was left, and a far stretch without one gets a note") {
        StubServer server([](const StubRequest& request, int) {
            const std::string question = json::parse(request.body)["messages"][1]["content"];
            const bool drift = question.ends_with("Has the agent left its goal?");
            return says(
                drift ? R"({"left_goal":true,"reason":"it searches for trains","suggestions":[],"next_actions":[]})"
                      : kWorks);
        });
        const std::string words =
            "scan --exit-zero -f json --judge-model m --judge-url " + server.url() + " " + kSource;
        const json found = parsed(run(words + "/testdata/drift/drift-web-other-question.jsonl"));
        REQUIRE_FALSE(found["findings"].empty());
        CHECK(found["findings"][0]["judge"]["verdict"] == "confirmed");
        CHECK(found["findings"][0]["judge"]["reason"] == "it searches for trains");
        const json far =
            parsed(run(words + "/testdata/drift/drift-web-other-question.jsonl --ignore drift/topic-switch"));
        CHECK(far["findings"].empty());
        CHECK(far["notes"].dump().find("leave the goal, where no rule speaks: it searches for trains") !=
              std::string::npos);
    }

    TEST_CASE("embeddings that are none are said, and change nothing") {
        const json before = parsed(run("scan --exit-zero -f json " + kSource + "/testdata/scenarios"));
        StubServer server([](const auto&, int) { return http_reply(200, R"({"data":[{"embedding":[0]}]})"); });
        json out = parsed(run("scan --exit-zero -f json --embeddings-model m --embeddings-url " + server.url() + " " +
                              kSource + "/testdata/scenarios"));
        CHECK(out["summary"]["endpoints"][0]["failed"] > 0);
        out["summary"].erase("endpoints");
        CHECK(out == before);
    }
}

TEST_SUITE("cli: no network") {
    TEST_CASE("without a network a default run says the same") {
        if (run("--version", "unshare -rn").exit != 0) {
            MESSAGE("skipped: this system lets nobody make a network namespace");
            return;
        }
        for (const std::string words : {"scan --exit-zero -f json ", "replay -f json ", "convert --to events "}) {
            CAPTURE(words);
            const Ran with = run(words + kStuck), without = run(words + kStuck, "unshare -rn");
            CHECK(with.exit == 0);
            CHECK(with.out == without.out);
        }
    }

    TEST_CASE("a default run does not even load the library that could open a connection") {
        for (const std::string words : {"scan --exit-zero ", "replay "}) {
            CAPTURE(words);
            const Ran ran = run(words + kStuck, "LD_DEBUG=files");
            if (!has(ran, "libc.so")) {
                MESSAGE("skipped: the loader of this system does not tell what it loads");
                return;
            }
            CHECK_FALSE(has(ran, "libcurl"));
        }
    }
}
