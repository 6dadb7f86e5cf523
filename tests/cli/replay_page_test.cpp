#include "support/html_checker.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>
#include <string_view>

using Json = nlohmann::json;

namespace {

using namespace agent_audit;

/// Runs the program with these arguments beside the demo session.
test::Finished run(const std::string& arguments) {
    const test::Scratch scratch;
    return scratch.run("cd \"$source_dir/testdata/demo\"\naa " + arguments);
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

// The page as any page of ours has to be.
test::HtmlFacts checked(const std::string& page) {
    const test::HtmlFacts facts = test::check_html(page);
    CHECK(facts.problems == std::vector<std::string>{});
    CHECK(facts.links_out.empty());
    CHECK(facts.handlers.empty());
    CHECK(facts.dangling_anchors.empty());
    CHECK(holds(facts.policy, "default-src 'none'"));
    return facts;
}

/// A session of Claude Code with ten reads; `usage` is what stands beside answer i.
template <class Usage>
std::string ten_reads(Usage usage) {
    std::string out =
        R"({"type":"user","uuid":"u0","sessionId":"s","version":"2.1.200","message":{"role":"user","content":"read them"}})"
        "\n";
    for (int i = 1; i <= 10; ++i) {
        const std::string n = std::to_string(i);
        Json answer{{"type", "assistant"},
                    {"uuid", "a" + n},
                    {"sessionId", "s"},
                    {"version", "2.1.200"},
                    {"requestId", "r" + n}};
        answer["message"] = {{"id", "m" + n}, {"role", "assistant"}, {"model", "claude-sonnet-4-5"}};
        answer["message"]["content"] = {
            {{"type", "tool_use"}, {"id", "t" + n}, {"name", "Read"}, {"input", {{"file_path", "/w/" + n}}}}};
        if (const Json billed = usage(i); !billed.is_null()) answer["message"]["usage"] = billed;
        Json result{{"type", "user"}, {"uuid", "x" + n}, {"sessionId", "s"}, {"version", "2.1.200"}};
        result["message"] = {
            {"role", "user"},
            {"content", {{{"type", "tool_result"}, {"tool_use_id", "t" + n}, {"content", std::string(400, 'a') + n}}}}};
        out += answer.dump() + "\n" + result.dump() + "\n";
    }
    return out;
}
std::string unbilled() {
    return ten_reads([](int) { return Json(); });
}
/// Half of the prompts hold something that the recording does not show.
std::string grown() {
    return ten_reads([](int i) {
        return Json{{"input_tokens", i < 6 ? 10'000 + i : 30'000 + i}, {"output_tokens", 20}};
    });
}

/// All of every prompt was read from the cache, the first one, too: no replay can tell where that came from.
std::string begun_before() {
    return ten_reads([](int i) {
        return Json{{"input_tokens", 3}, {"cache_read_input_tokens", 40'000 + 150 * i}, {"output_tokens", 2}};
    });
}

}  // namespace

TEST_SUITE("replay pages") {
    TEST_CASE("a page of contexts has a row and a picture for each, with the figures of the JSON") {
        const std::string what = "replay --context none,codex,openhands-recent --window 16000 stuck-session.jsonl";
        const test::Finished page = run(what + " -f html");
        const test::Finished json = run(what + " -f json");
        CHECK(page.status == json.status);
        const test::HtmlFacts facts = checked(page.out);
        for (const std::string_view part :
             {"Contexts compared", "stuck-session.jsonl", "none", "codex", "openhands-recent"})
            CHECK(holds(facts.text, part));
        CHECK(count_of(page.out, "<figure class=\"chart\"") == 3);
        CHECK(count_of(page.out, "class=\"curve\"") == 3);
        CHECK(holds(facts.text, "mean prompt"));
        const Json contexts = Json::parse(json.out)["sessions"][0];
        CHECK(holds(facts.text, std::to_string(contexts["requests"].get<std::uint64_t>()) + " requests"));
    }

    TEST_CASE("a window is given as windows are written, and not one that no model has") {
        for (const char* size : {"16000", "16k", "16K"}) {
            const test::Finished said = run(std::string("replay --context none stuck-session.jsonl --window ") + size);
            CHECK(said.status == 0);
            CHECK(holds(said.out, "16.0 k tokens"));
        }
        CHECK(holds(run("replay --context none stuck-session.jsonl --window 1M").out, "1.0 M tokens"));
        for (const char* size : {"0", "-5", "20", "999", "k", "1.5", "2kk", "2000M", "1001000k", "99999999999999999999",
                                 "18446744073709552k"}) {
            CAPTURE(size);
            const test::Finished said = run(std::string("replay --context none stuck-session.jsonl --window ") + size);
            CHECK(said.status == 2);
            CHECK(holds(said.err, "expected tokens, from 1000"));
        }
    }

    TEST_CASE(
        "without --context what the recording did stands beside what others would have done, and what it is off is "
        "said") {
        const std::string said =
            test::Scratch().run("cat > s.jsonl <<'END'\n" + grown() + "END\naa replay s.jsonl").out;
        CAPTURE(said);
        CHECK(holds(said, "\nrecorded "));
        CHECK(holds(said, "the row 'recorded' is"));
    }

    TEST_CASE("costs that are off by more than the whole are told as they are") {
        const test::Finished said = test::Scratch().run("cat > s.jsonl <<'END'\n" + begun_before() +
                                                        "END\naa replay --context recorded s.jsonl");
        CAPTURE(said.out);
        CHECK(holds(said.out, "the row 'recorded' is 116 % above the $0.12 for what was billed"));
    }

    TEST_CASE("that a recording shows no cache is said where it has no usage at all, too") {
        const test::Finished said =
            test::Scratch().run("cat > s.jsonl <<'END'\n" + unbilled() + "END\naa replay --context none s.jsonl");
        CAPTURE(said.out);
        CHECK(holds(said.out, "the recording shows no reads and no writes"));
    }

    TEST_CASE("what was billed is what a scan says, and how much of it is replayed is said where it is not all") {
        // Two answers, and the bill of a third request of which nothing else was recorded.
        const std::string events = R"({"agent_audit_events":1}
{"kind":"session_start","seq":1,"line":1,"session_id":"s-1"}
{"kind":"message","seq":2,"line":2,"role":"user","origin":"human","text":"go"}
{"kind":"message","seq":3,"line":3,"response":"0a","role":"assistant","text":"one"}
{"kind":"usage","seq":4,"line":4,"response":"0a","input":100000,"output":5,"model":"claude-sonnet-4-5","message_key":"0a"}
{"kind":"message","seq":5,"line":5,"response":"0b","role":"assistant","text":"two"}
{"kind":"usage","seq":6,"line":6,"response":"0b","input":100000,"output":5,"model":"claude-sonnet-4-5","message_key":"0b"}
)";
        const std::string sum =
            R"({"kind":"usage","seq":7,"line":7,"scope":"session","input":100000,"output":5,"model":"claude-sonnet-4-5"})"
            "\n";
        const auto replayed = [](const std::string& recording, const std::string& command) {
            return test::Scratch().run("cat > s.jsonl <<'END'\n" + recording + "END\naa " + command + " s.jsonl").out;
        };
        CHECK_FALSE(holds(replayed(events, "replay --context none"), "\n  billed"));
        const std::string told = replayed(events + sum, "replay --context none");
        CAPTURE(told);
        CHECK(holds(told, "$0.90 for what was billed"));
        CHECK(holds(told, "3 requests, 300,015 tokens, $0.90 in all"));
        CHECK(holds(told, "$0.60"));
        const Json recorded =
            Json::parse(replayed(events + sum, "replay --context none -f json"))["sessions"][0]["recorded"];
        const Json scanned = Json::parse(replayed(events + sum, "--exit-zero -f json"))["summary"]["tokens"];
        CHECK(recorded["cost_microusd"] == scanned["micro_dollars"]);
        CHECK(recorded["requests"] == scanned["requests"]);
        CHECK(recorded["replayed_cost_microusd"] < recorded["cost_microusd"]);
    }

    TEST_CASE("a model that is named for a sum alone is named, and prices the run under a policy") {
        const std::string events = R"({"agent_audit_events":1}
{"kind":"session_start","seq":1,"line":1,"session_id":"s-1"}
{"kind":"message","seq":2,"line":2,"role":"user","origin":"human","text":"go"}
{"kind":"message","seq":3,"line":3,"response":"0a","role":"assistant","text":"one"}
{"kind":"usage","seq":4,"line":4,"response":"0a","mode":"replace","output":5,"message_key":"0a"}
{"kind":"usage","seq":5,"line":5,"scope":"session","mode":"replace","input":100000,"output":5,"model":"claude-sonnet-4-5","message_key":"0a","rest":true}
)";
        const test::Finished said =
            test::Scratch().run("cat > s.jsonl <<'END'\n" + events +
                                "END\naa replay --context none s.jsonl; aa replay --policy strict s.jsonl");
        CAPTURE(said.out);
        CHECK(holds(said.out, "claude-sonnet-4-5 is named for a sum and for no"));
        CHECK_FALSE(holds(said.out, "the session has no usage"));
        CHECK(holds(said.out, "tokens, $0.30"));
    }

    TEST_CASE("what a context costs has its summaries in it, in text and page alike") {
        const std::string what = "replay --context codex --window 16000 stuck-session.jsonl";
        const Json context = Json::parse(run(what + " -f json").out)["sessions"][0]["contexts"][0];
        REQUIRE(context["summary_cost_microusd"].get<std::uint64_t>() > 10'000);
        const std::uint64_t sum =
            context["cost_microusd"].get<std::uint64_t>() + context["summary_cost_microusd"].get<std::uint64_t>();
        char words[32];
        std::snprintf(words, sizeof words, "$0.%02u", static_cast<unsigned>((sum + 5'000) / 10'000));
        CHECK(holds(run(what).out, words));
        const std::string page = run(what + " -f html").out;
        CHECK(holds(page, words));
        CHECK(holds(page, "of it summaries"));
    }

    TEST_CASE("the name of a policy file is shown, not obeyed, and is no word of the command") {
        const auto named = [](const std::string& name, const std::string& more) {
            return test::Scratch().run("cd \"$source_dir/testdata/demo\"\nprintf '%s\\n' 'name = \"" + name +
                                       "\"' '[[stage]]' 'kind = \"turn_limit\"' > \"$OLDPWD/mine.toml\"\naa replay "
                                       "--context \"$OLDPWD/mine.toml\" " +
                                       "stuck-session.jsonl" + more);
        };
        const test::Finished shown = named("a\\u001b[31mb\\nc", "");
        CHECK(shown.out.find('\x1b') == std::string::npos);
        CHECK(holds(shown.out, "a\\x1b[31mb\\nc"));
        CHECK(named("all", " 2>&1").status == 2);
    }

    TEST_CASE("sessions without an id are told apart by what the recording calls them") {
        const std::string file =
            "printf '%s\\n%s\\n' '# aider chat started at 2026-07-07 12:11:05' '#### hello' > "
            "\"$OLDPWD/.aider.chat.history.md\"\n";
        const test::Finished text = test::Scratch().run("cd \"$source_dir\"\n" + file +
                                                        "aa replay --context none \"$OLDPWD/.aider.chat.history.md\"");
        CHECK(holds(text.out, "aider session 2026-07-07 12:11:05: 1 message"));
    }

    TEST_CASE("a page of policies has a table of them, each decision, and the exit status of the text") {
        const std::string what = "replay --policy permissive,strict stuck-session.jsonl";
        const test::Finished page = run(what + " -f html");
        const test::Finished json = run(what + " -f json");
        const test::Finished text = run(what);
        CHECK(page.status == text.status);
        CHECK(page.status == 1);
        const test::HtmlFacts facts = checked(page.out);
        CHECK(holds(facts.text, "Policies compared"));
        std::size_t decisions = 0;
        const Json replay = Json::parse(json.out);
        for (const Json& one : replay["sessions"][0]["runs"]) decisions += one["decisions"].size();
        REQUIRE(decisions > 0);
        for (const Json& one : replay["sessions"][0]["runs"]) {
            for (const Json& decision : one["decisions"])
                CHECK(holds(facts.text, decision["reason"].get<std::string>()));
        }
    }

    TEST_CASE("pages over several sessions have a table over all of them") {
        const test::Finished page =
            run("replay --policy balanced -f html stuck-session.jsonl ../golden/clean/session.jsonl");
        const test::HtmlFacts facts = checked(page.out);
        CHECK(holds(facts.text, "Policies compared over all sessions"));
    }

    TEST_CASE("the same run gives the same page, whatever --jobs says") {
        const test::Finished one =
            run("replay --policy permissive,balanced,strict -j 1 -f html stuck-session.jsonl ../golden");
        const test::Finished four =
            run("replay --policy permissive,balanced,strict -j 4 -f html stuck-session.jsonl ../golden");
        CHECK(one.out.size() > 1000);
        CHECK(one.out == four.out);
    }

    TEST_CASE("a page with rows of requests, or with a redaction nobody knows, is a mistake") {
        CHECK(run("replay --turns -f html stuck-session.jsonl").status == 2);
        CHECK(run("replay --redact some -f html stuck-session.jsonl").status == 2);
        CHECK(run("replay --policy strict --redact some -f html stuck-session.jsonl").status == 2);
        const test::Finished nothing = run("replay -f html missing.jsonl");
        CHECK(nothing.status == 3);
        CHECK(nothing.out.empty());
    }
}
