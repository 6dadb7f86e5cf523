#include "support/html_checker.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

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

}  // namespace

TEST_SUITE("replay pages") {
    TEST_CASE("a page of contexts has a row and a picture for each, with the figures of the JSON") {
        const std::string what = "replay --context none,codex,openhands-recent --window 16000 stuck-session.jsonl";
        const test::Finished page = run(what + " -f html");
        const test::Finished json = run(what + " -f json");
        CHECK(page.status == json.status);
        const test::HtmlFacts facts = checked(page.out);
        for (const std::string_view part : {"Contexts compared", "stuck-session.jsonl", "none", "codex", "openhands-recent"})
            CHECK(holds(facts.text, part));
        CHECK(count_of(page.out, "<figure class=\"chart\"") == 3);
        CHECK(count_of(page.out, "class=\"curve\"") == 3);
        CHECK(holds(facts.text, "mean prompt"));
        const Json contexts = Json::parse(json.out)["sessions"][0];
        CHECK(holds(facts.text, std::to_string(contexts["requests"].get<std::uint64_t>()) + " requests"));
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
            for (const Json& decision : one["decisions"]) CHECK(holds(facts.text, decision["reason"].get<std::string>()));
        }
    }

    TEST_CASE("pages over several sessions have a table over all of them") {
        const test::Finished page = run("replay --policy balanced -f html stuck-session.jsonl ../golden/clean/session.jsonl");
        const test::HtmlFacts facts = checked(page.out);
        CHECK(holds(facts.text, "Policies compared over all sessions"));
    }

    TEST_CASE("the same run gives the same page, whatever --jobs says") {
        const test::Finished one = run("replay --policy permissive,balanced,strict -j 1 -f html stuck-session.jsonl ../golden");
        const test::Finished four = run("replay --policy permissive,balanced,strict -j 4 -f html stuck-session.jsonl ../golden");
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
