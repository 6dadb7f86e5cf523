#include "report/html/html_assets.hpp"
#include "report/html/html_inspected.hpp"
#include "support/html_checker.hpp"
#include "support/report_builder.hpp"
#include "support/sha256.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace agent_audit;
using test::check_html;
using test::HtmlFacts;
using test::rendered;
using test::ReportBuilder;

namespace {

std::string html(const Report& report, RenderOptions options = {}) { return rendered(report, "html", options); }

bool holds(std::string_view out, std::string_view part) { return out.find(part) != out.npos; }

// What a page says where people look: without its style and its scripts.
std::string body_of(const std::string& page) {
    const std::size_t begin = page.find("<body>"), end = page.find("<script");
    return page.substr(begin, end - begin);
}

constexpr std::array<std::string_view, 30> kAttacks{
    "</script><script>alert(1)</script>",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "<svg/onload=alert(1)>",
    "-->",
    "--!><script>alert(1)</script>",
    "<!--",
    "]]>",
    "<![CDATA[",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</details></article></section></main>",
    "</td></tr></table>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<iframe src=\"http://example.invalid/\"></iframe>",
    "<base href=\"http://example.invalid/\">",
    "<meta http-equiv=refresh content=\"0;url=http://example.invalid/\">",
    "<link rel=stylesheet href=http://example.invalid/>",
    "<form action=http://example.invalid/><input name=x>",
    "<object data=http://example.invalid/></object>",
    "\xE2\x80\xAE"
    "fdp.exe",
    "\xE2\x81\xA6hidden\xE2\x81\xA9",
    "\xE2\x80\xA8line\xE2\x80\xA9paragraph",
    "\x1b[31mred\x1b]0;title\x07",
    "\xff\xfe broken \xc3( utf-8 \xf0\x9f",
    "\r\n::error::pwned",
    "##[command]rm -rf",
    "{{constructor.constructor('alert(1)')()}}",
    "&lt;script&gt; &#x3c;script&#x3e;",
};

// The same text wherever a transcript, a file name or, with `everywhere`, a forged result could put one.
Report attacked(const std::string& text, bool everywhere = true) {
    Report report = test::full_report();
    for (InputReport& in : report.inputs) {
        in.path = text + in.path;
        if (!in.format.empty()) in.format = text;
        if (in.error) in.error = text;
        for (BadRecord& bad : in.bad) bad.reason = text;
    }
    SessionReport s = report.sessions.front();
    for (std::string* field : {&s.id, &s.parent_id, &s.label, &s.format, &s.product_version, &s.cwd, &s.model})
        *field = text;
    for (LaneTokens& lane : s.tokens.by_lane) lane.label = text;
    for (TokenLedgerTotals* ledger : {&s.tokens, &report.tokens}) {
        for (ModelTokens& model : ledger->by_model) model.model = text;
    }
    for (std::vector<ToolStats>* tools : {&s.tools, &report.tools}) {
        for (ToolStats& tool : *tools) tool.tool = text;
    }
    for (PeerOutcome& peer : s.peers) {
        if (!everywhere) break;
        peer.profile = text;
        if (peer.warned) peer.warned->rule = text;
        if (peer.stopped) peer.stopped->rule = text;
    }
    LaneContext lane;
    lane.requests = 2;
    lane.peak = 1000;
    lane.parts[static_cast<std::size_t>(ContextPart::results)] = 800;
    lane.tools = {{text, 500, 1}};
    lane.files = {{text, 300, 1}};
    s.context.lanes = {lane};
    s.housekeeping = false;
    s.drift.points = {{1, 2, 0.1}, {2, 5, 0.9}};
    s.drift.turns = 2;
    s.drift.changes = {{5, 2, everywhere ? text : "drift/goal-lost", 0.1, 0.9}};
    s.drift.reflections = {{2, 5, 0.9, {text}, text}};
    s.goal = {text,
              1,
              text,
              3,
              false,
              2,
              {text},
              {{StatedLimit::What::turns, 1, 2, 1, 4, text}},
              {{StatedMeasure::What::tests, 1, text}},
              {{StatedRule::Kind::forbid_path, text, 1, text}}};
    s.similarity = {
        {everywhere ? text : "tf-idf", text, 1, 4, 0.5, 0.25, 9, {{2, 0.75}, {9, 0.25}}, {9, 0.75, 0.25, 4.0}}};
    if (everywhere) report.limits.front().what = text;
    if (everywhere) s.resets.front().rule = text;
    s.courses = {{0, 2, {{1, 500}, {9, 1000}}, {{5, 900, 100, false}}, 0}};
    test::put(report, 0, s);
    for (Finding& f : report.findings) {
        for (std::string* field : {&f.message, &f.action}) *field = text;
        for (Evidence& e : f.evidence) e.text = text;
        for (Fact& fact : f.because) fact.value = text;
        for (std::string& step : f.round) step = text;
        f.lane = 1;
        if (!everywhere) continue;
        for (std::string* field : {&f.rule, &f.code, &f.finding_fingerprint}) *field = text;
        for (Evidence& e : f.evidence) e.role = text;
        for (Fact& fact : f.because) fact.name = text;
        f.also = {text};
    }
    if (!everywhere) return report;
    for (PeerTotals& peer : report.peers) peer.profile = text;
    for (RuleRun& rule : report.rules) rule.id = text;
    for (Note& note : report.notes) note.text = text;
    report.problems = {text};
    return report;
}

Report with_course(std::size_t requests) {
    ReportBuilder builder;
    builder.input("a.jsonl").session("s1", 1'000'000);
    builder.finding(Severity::error, "loop/cycle");
    SessionReport s = builder.report().sessions.back();
    LaneCourse& course = s.courses.emplace_back();
    course.requests = requests;
    for (std::size_t i = 0; i < requests; ++i) course.points.push_back({i + 1, 1000 * (i + 1)});
    s.last_line = requests;
    builder.change_last_session([&](SessionReport& last) { last = s; });
    return std::move(builder.report());
}

}  // namespace

TEST_SUITE("html report") {
    TEST_CASE("the page is well formed and loads nothing, with everything in it and with nothing in it") {
        for (const Report& report : {test::full_report(), with_course(20), Report{}}) {
            const HtmlFacts facts = check_html(html(report));
            CHECK(facts.problems == std::vector<std::string>{});
            CHECK(facts.links_out.empty());
            CHECK(facts.handlers.empty());
            CHECK(facts.dangling_anchors.empty());
        }
    }

    TEST_CASE("no address of another place stands anywhere in the page, library and licence included") {
        const std::string page = html(with_course(20));
        for (const std::string_view part :
             {"http:", "https:", "ftp:", "@import", "url(", "sourceMappingURL", "//cdn"}) {
            CAPTURE(part);
            CHECK_FALSE(holds(page, part));
        }
    }

    TEST_CASE("our own script makes no markup out of text and asks nobody for anything") {
        for (const std::string_view part :
             {"innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch(",
              "XMLHttpRequest", "WebSocket", "sendBeacon", "import(", "localStorage", "cookie"}) {
            CAPTURE(part);
            CHECK_FALSE(holds(report::html_assets().script.text, part));
        }
    }

    TEST_CASE("the security policy allows the page's own scripts, by hashes that are right, and no others") {
        for (const Report& report : {with_course(20), Report{}}) {
            const std::string page = html(report);
            const HtmlFacts facts = check_html(page);
            REQUIRE(facts.policy.size() > 0);
            CHECK(
                facts.policy.starts_with("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"));
            CHECK(holds(facts.policy, "base-uri 'none'"));
            CHECK(facts.scripts.size() >= 1);
            for (const std::string& script : facts.scripts) {
                CHECK(holds(facts.policy, "'sha256-" + test::sha256_base64(script) + "'"));
            }
            std::size_t hashes = 0;
            for (std::size_t at = facts.policy.find("'sha256-"); at != facts.policy.npos;
                 at = facts.policy.find("'sha256-", at + 1))
                ++hashes;
            CHECK(hashes == facts.scripts.size());
        }
    }

    TEST_CASE("the hash function of these tests is the one everybody knows") {
        CHECK(test::sha256_base64("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        CHECK(test::sha256_base64("") == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    TEST_CASE("the chart library and its licence come only with a curve to draw") {
        const std::string with = html(with_course(20)), without = html(test::full_report());
        CHECK_FALSE(holds(without, "Dygraph="));
        CHECK_FALSE(holds(without, "id=\"charts\""));
        if (report::html_assets().chart_script.text.empty()) return;
        CHECK(holds(with, report::html_assets().chart_script.text));
        CHECK(holds(with, "Permission is hereby granted"));
        CHECK(without.size() * 2 < with.size());
    }

    TEST_CASE("an attack in any field stays text: the page has the elements it has with a harmless word there") {
        const HtmlFacts harmless = check_html(html(attacked("a harmless word"), {.redact = Redact::none}));
        REQUIRE(harmless.problems == std::vector<std::string>{});
        CHECK(harmless.elements.at("td") > 20);
        for (const std::string_view attack : kAttacks) {
            CAPTURE(attack);
            for (const Redact level : {Redact::none, Redact::secrets, Redact::strict}) {
                const std::string page = html(attacked(std::string(attack)), {.guard_ci = true, .redact = level});
                const HtmlFacts facts = check_html(page);
                CHECK(facts.problems == std::vector<std::string>{});
                CHECK(facts.elements == harmless.elements);
                CHECK(facts.links_out.empty());
                CHECK(facts.handlers.empty());
                CHECK(facts.dangling_anchors.empty());
                CHECK(facts.policy == harmless.policy);
                CHECK(facts.scripts == harmless.scripts);
                CHECK_FALSE(holds(page, "##["));
                CHECK_FALSE(holds(page, "\n::"));
                CHECK_FALSE(holds(page, "\xE2\x80\xAE"));
                CHECK_FALSE(holds(page, "\x1b"));
            }
        }
    }

    TEST_CASE("what was attacked with can still be read") {
        const HtmlFacts facts = check_html(html(attacked("<b>&amp; \"x\" 'y'"), {.redact = Redact::none}));
        CHECK(holds(facts.text, "<b>&amp; \"x\" 'y'"));
        const HtmlFacts bidi = check_html(html(attacked("\xE2\x80\xAE"
                                                        "fdp.exe"),
                                               {.redact = Redact::none}));
        CHECK(holds(bidi.text, "\\u202efdp.exe"));
    }

    TEST_CASE("secrets of a transcript are in no part of the page, neither in tables nor in data") {
        const std::string key = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", home = "/home/alice/work/plan.md";
        const std::string page =
            html(attacked("key " + key + " in " + home + " of bob@example.org", false), {.redact = Redact::strict});
        CHECK_FALSE(holds(page, key));
        CHECK_FALSE(holds(page, "alice"));
        CHECK_FALSE(holds(page, "bob@example.org"));
        CHECK(holds(page, "[redacted anthropic key]"));
    }

    TEST_CASE("every finding is there once, by its fingerprint, in full or in a row, however many there are") {
        ReportBuilder builder;
        std::vector<std::string> expected;
        for (int session = 0; session < 90; ++session) {
            builder.input("s" + std::to_string(session) + ".jsonl").session("id" + std::to_string(session));
            const int findings = session == 3 ? 120 : session % 3;
            for (int n = 0; n < findings; ++n) {
                Finding& f = builder.finding(n % 2 ? Severity::info : Severity::error, "loop/cycle");
                f.finding_fingerprint = std::to_string(session) + "-" + std::to_string(n);
                expected.push_back(f.finding_fingerprint);
            }
        }
        HtmlFacts facts = check_html(html(builder.report()));
        CHECK(facts.problems == std::vector<std::string>{});
        std::ranges::sort(facts.fingerprints);
        std::ranges::sort(expected);
        CHECK(facts.fingerprints == expected);
    }

    TEST_CASE("the same report and options give the same bytes, in whatever pieces they are taken") {
        const Report report = with_course(500);
        std::string pieces;
        std::size_t most = 0;
        find_renderer("html")->render(report, {}, [&](std::string_view piece) {
            pieces += piece;
            most = std::max(most, piece.size());
            return true;
        });
        CHECK(pieces == html(report));
        CHECK(most < 400'000);
    }

    TEST_CASE("a sink that refuses is not asked again") {
        std::size_t asked = 0;
        find_renderer("html")->render(with_course(50'000), {}, [&](std::string_view) {
            ++asked;
            return false;
        });
        CHECK(asked == 1);
    }

    TEST_CASE(
        "a finding says what, where, how sure, what it cost, what to do and how to silence it, and its loop is drawn") {
        const HtmlFacts facts = check_html(html(test::full_report(), {.redact = Redact::none}));
        for (const std::string_view part :
             {"loop/exact-repeat", "AA101 \u00B7 98 % sure", "logs/stuck.jsonl:3-9", "Bash was called 4 times",
              "Bash `npm test`: 1 failing", "4 times, other steps in between", "Evidence: 2 lines", "call",
              "3 steps, 30 tokens reported, $0.0090", "went on after a notice", "Stop the session",
              "after line 2, as far as this finding goes", "--ignore loop/exact-repeat"}) {
            CAPTURE(part);
            CHECK(holds(facts.text, part));
        }
    }

    TEST_CASE("the drift score is drawn below the course, over the same lines, with its departures marked and told") {
        Report report = with_course(40);
        SessionReport s = report.sessions.front();
        DriftSeries& drift = s.drift;
        drift.turns = 40;
        for (std::uint64_t turn = 1; turn <= 40; ++turn)
            drift.points.push_back(drift_point(turn, turn, turn < 30 ? 0.1 : 0.8));
        drift.changes = {{30, 30, "drift/goal-lost", 0.1, 0.8}};
        drift.peak = drift.last = 0.8;
        test::put(report, 0, s);
        const std::string page = html(report), body = body_of(page);
        CHECK(check_html(page).problems == std::vector<std::string>{});
        CHECK(holds(body, "<div class=\"lane drift\">"));
        // Line 30 of 1 to 40, on 960 columns.
        CHECK(holds(body, "<line class=\"departure\" x1=\"713.8\" x2=\"713.8\""));
        const HtmlFacts facts = check_html(page);
        for (const std::string_view part :
             {"Context and drift over time", "Drift score over 40 responses: 0.80 at most (line 30)",
              "1 departure marked", "Where the work left its goal", "drift/goal-lost"}) {
            CAPTURE(part);
            CHECK(holds(facts.text, part));
        }
        report.sessions.change(0, [](SessionReport& session) { session.drift = {}; });
        const std::string without = body_of(html(report));
        CHECK_FALSE(holds(without, "<div class=\"lane drift\">"));
        CHECK_FALSE(holds(without, "Drift"));
    }

    TEST_CASE("a score without a course is drawn too, and the summariser's is not") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1");
        builder.change_last_session([&](SessionReport& s) { s.drift.points = {{1, 2, 0.1}, {2, 9, 0.9}}; });
        builder.change_last_session([&](SessionReport& s) { s.drift.turns = 2; });
        CHECK(holds(body_of(html(builder.report())), "<path class=\"score\""));
        builder.change_last_session([&](SessionReport& s) { s.housekeeping = true; });
        CHECK_FALSE(holds(body_of(html(builder.report())), "<path class=\"score\""));
    }

    TEST_CASE(
        "the goal, the stretches of work and the similarity to the goal are told, and drawn over the same lines") {
        Report report = with_course(40);
        SessionReport s = report.sessions.front();
        s.goal = test::full_report().sessions.front().goal;
        s.activity.segments = {{Activity::explore, 1, 19, 1, 9, 9, 12}, {Activity::edit, 20, 40, 10, 12, 3, 4}};
        s.similarity = {{"tf-idf", "", 1, 40, 0.5, 0.25, 39, {{2, 0.75}, {39, 0.25}}, {30, 0.75, 0.25, 4.0}}};
        test::put(report, 0, s);
        const std::string page = html(report), body = body_of(page);
        const HtmlFacts facts = check_html(page);
        CHECK(facts.problems == std::vector<std::string>{});
        for (const std::string_view part :
             {"What it was for", "Make the tests of the parser pass (line 1, 2 human messages)",
              "and keep the old names (line 7)", "src/parser", "at most 10 turns (line 1): 12 used, passed at line 8",
              "tests: until the tests pass (line 1)", "forbid-path src/api/ (line 1)",
              "What was done: explore 75 %, edit 25 %", "in 2 stretches", "tf-idf", "line 30: 0.75 to 0.25",
              "nearness to the goal"}) {
            CAPTURE(part);
            CHECK(holds(facts.text, part));
        }
        // Lines 1 to 19 of 40, on 960 columns; line 30 is where it falls.
        CHECK(holds(body, "<rect class=\"explore\" x=\"0.0\" y=\"0\" width=\"443.1\""));
        CHECK(holds(body, "<div class=\"lane near\">"));
        CHECK(holds(body, "<line class=\"departure\" x1=\"713.8\" x2=\"713.8\""));
        CHECK(holds(body, "aria-label=\"What was done, in 2 stretches: explore 75 %, edit 25 %.\""));
        s.housekeeping = true;
        test::put(report, 0, s);
        const std::string without = body_of(html(report));
        for (const std::string_view part : {"What it was for", "<div class=\"lane", "What was done"})
            CHECK_FALSE(holds(without, part));
    }

    TEST_CASE(
        "limits of the run are told with what was used of them, and the one on the window is a line of the picture") {
        Report report = with_course(40);
        report.sessions.change(0, [](SessionReport& session) {
            session.context.lanes.resize(1);
            session.context.lanes.front().window = 50'000;
            session.context.lanes.front().peak = 31'000;
        });
        CHECK_FALSE(holds(body_of(html(report)), "Limits set for the run"));
        report.limits = {{"tokens", 10'000'000}, {"tool-calls", 5}, {"window-share", 80}};
        Finding crossing = report.findings.front();
        crossing.rule = "budget/limits";
        crossing.first_line = crossing.last_line = 33;
        crossing.because = {{"limit", "5"}, {"value", "7"}, {"unit", "tool calls"}};
        report.findings.push_back(crossing);
        const std::string page = html(report), body = body_of(page);
        const HtmlFacts facts = check_html(page);
        CHECK(facts.problems == std::vector<std::string>{});
        for (const std::string_view part :
             {"Limits set for the run", "10,000,000", "62 %", "limit of 80 % of the window, 40,000", "limit passed"}) {
            CAPTURE(part);
            CHECK(holds(facts.text, part));
        }
        CHECK(holds(body, "<line class=\"level\""));
        CHECK(holds(body, "<line class=\"limit\" x1=\"787.7\""));
    }

    TEST_CASE(
        "suggested resets are told with their reason and their gain, also in sessions without a part of their own") {
        const HtmlFacts facts = check_html(html(test::full_report(), {.redact = Redact::none}));
        for (const std::string_view part :
             {"Suggested resets", "after line 2, where a check had passed on all changes",
              "going in circles: loop/exact-repeat, lines 3-9", "154,000", "about 32,000"}) {
            CAPTURE(part);
            CHECK(holds(facts.text, part));
        }
        CHECK_FALSE(holds(facts.text, "(90 % sure)"));  // it has a column of its own
        ReportBuilder many;
        for (int i = 0; i < 70; ++i) {
            many.input("s" + std::to_string(i) + ".jsonl").session("id" + std::to_string(i));
            ResetSuggestion reset;
            reset.line = 1000 + static_cast<std::uint64_t>(i);
            many.change_last_session([&](SessionReport& s) { s.resets = {reset}; });
        }
        const HtmlFacts all = check_html(html(many.report()));
        for (int i = 0; i < 70; ++i) CHECK(holds(all.text, "after line " + std::to_string(1000 + i)));
        CHECK(holds(all.text, "Suggested resets in further sessions"));
    }

    TEST_CASE("the verdict is the first thing, in words that do not need colour") {
        const std::string page = html(test::full_report());
        CHECK(holds(page, "<title>agent-audit: stuck: 1 error, 1 warning in 1 session"));
        CHECK(holds(body_of(page), "<strong>stuck: 1 error, 1 warning in 1 session"));
        ReportBuilder clean;
        clean.input("a.jsonl").session("s1");
        CHECK(holds(body_of(html(clean.report())), "<strong>clean: nothing found in 1 session"));
        CHECK(holds(body_of(html(Report{})), "<strong>nothing audited: no session found"));
    }

    TEST_CASE("a clean page says what was inspected, what was skipped and what could not be read") {
        const HtmlFacts facts = check_html(html(test::full_report()));
        for (const std::string_view part :
             {"no token_usage in the recording", "missing.jsonl: no such file", "malformed_json",
              "line 4: unclosed string", "binary data: no session", "policy balanced"}) {
            CAPTURE(part);
            CHECK(holds(facts.text, part));
        }
    }

    TEST_CASE("why nothing was audited is there without unfolding anything") {
        ReportBuilder builder;
        builder.unreadable("empty.jsonl", "empty input");
        CHECK(holds(body_of(html(builder.report())), "<li>unread: empty.jsonl: empty input</li>"));
    }

    TEST_CASE("a cost that is not known says what is not known, where no column does") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1", 1000);
        SessionReport s = builder.report().sessions.back();
        s.tokens.cost = {Money(), 0, 3};
        test::put(builder.report(), 0, s);
        CHECK(holds(body_of(html(builder.report())), " \u00B7 cost unknown"));
    }

    TEST_CASE("one record is one") {
        ReportBuilder builder;
        builder.input("whole.json").session("s");
        builder.report().ingest.fates[static_cast<std::size_t>(LineFate::understood)] = 1;
        CHECK(holds(check_html(html(builder.report())).text, "1 record, 1 understood"));
    }

    TEST_CASE("nothing is there for what the report does not have") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1");
        const std::string body = body_of(html(builder.report()));
        for (const std::string_view part : {"<figure", "treemap", "Other agents", "Failures", "<h2>Sessions",
                                            "Where the tokens went", "About these rules", "Findings in further"}) {
            CAPTURE(part);
            CHECK_FALSE(holds(body, part));
        }
        CHECK(holds(body, "No token counts are recorded"));
    }

    TEST_CASE("a page of a rule keeps its headings, lists, code and fences, and nothing of it is markup of its own") {
        std::string out;
        const ByteSink sink = [&](std::string_view piece) {
            out += piece;
            return true;
        };
        {
            report::Html writer(sink);
            report::draw_rule_page(
                writer, "## What\nFirst `a<b`\nsecond\n\n- one `x`\n  more\n- two\n```\n<i> - # x\n```\nlast ` tick\n");
        }
        CHECK(out ==
              "<h3>What</h3><p>First <code>a&lt;b</code> second</p>\n<ul><li>one <code>x</code> "
              "more</li><li>two</li></ul>\n"
              "<pre><code>&lt;i&gt; - # x\n</code></pre>\n<p>last ` tick</p>\n");
    }

    TEST_CASE("what is known of a rule is told once, and its findings lead there") {
        const std::array<RuleDoc, 1> docs{
            {{"loop/cycle", "AA102", "a round that comes back", "## What it finds\nA round.\n"}}};
        RenderOptions options;
        options.rules = docs;
        const HtmlFacts facts = check_html(html(test::full_report(), options));
        CHECK(facts.problems == std::vector<std::string>{});
        CHECK(facts.dangling_anchors.empty());
        CHECK(holds(facts.text, "a round that comes back"));
        CHECK(facts.elements.at("a") == 1);
    }
}
