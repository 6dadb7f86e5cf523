#include "report/escape/utf8.hpp"
#include "support/report_builder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace agent_audit;
using test::rendered;
using test::ReportBuilder;

namespace {

std::string text(const Report& report, RenderOptions options = {}) { return rendered(report, "text", options); }

std::string first_line(const std::string& out) { return out.substr(0, out.find('\n')); }

bool holds(const std::string& out, std::string_view part) { return out.find(part) != out.npos; }

int widest(const std::string& out) {
    std::istringstream in(out);
    int columns = 0;
    for (std::string line; std::getline(in, line);) columns = std::max(columns, report::column_width(line));
    return columns;
}

Report one_session(Severity severity, std::string rule) {
    ReportBuilder builder;
    builder.input("a.jsonl").session("s1", 1'000'000);
    builder.finding(severity, std::move(rule));
    return builder.report();
}

}  // namespace

TEST_SUITE("text report") {
    TEST_CASE("names of a megabyte are cut from the front, in time that grows with their length and not its square") {
        Report report = test::full_report();
        const std::string name(1'000'000, 'x');
        SessionReport s = report.sessions.front();
        s.label = s.id = name + "-the-end";
        s.tools.front().tool = report.tools.front().tool = name + "-tool-end";
        test::put(report, 0, s);
        const std::string out = test::rendered(report, "text", {.verbosity = 1, .redact = Redact::none});
        CHECK(out.find("-tool-end") != out.npos);
        CHECK(out.find("\u2026xx") != out.npos);
    }

    TEST_CASE("the first line is the verdict, in words that do not need colour") {
        CHECK(first_line(text(one_session(Severity::error, "loop/cycle"))) ==
              "\u2717 stuck: 1 error in 1 session (7 steps, 4.8 M tokens)");
        CHECK(first_line(text(one_session(Severity::error, "budget/limits"))).starts_with("\u2717 failed: 1 error"));
        CHECK(first_line(text(one_session(Severity::warning, "loop/cycle"))).starts_with("! suspicious: 1 warning"));
        CHECK(first_line(text(one_session(Severity::info, "loop/cycle"))).starts_with("\u2713 no problem: 1 note"));
    }

    TEST_CASE("a session that cost a dollar or more says which turns took most, and a cheaper one does not") {
        const TokenCounts large{.input = 200'000, .output = 76};
        Report report = one_session(Severity::error, "loop/cycle");
        SessionReport s = report.sessions.front();
        const RequestCost dollar{Money(1'000'000'000'000), 4, 0};
        s.tokens.cost = dollar;
        s.tokens.top_turns = {{0, 7, 120, s.tokens.total, 4, dollar}, {0, 2, 31, s.tokens.total, 2}};
        test::put(report, 0, s);
        const std::string asked = text(report);
        CHECK(holds(asked, "  turn 7        "));
        CHECK(holds(asked, "4 requests, $1.00, from line 120\n"));
        CHECK(!holds(asked, "more with -v"));
        CHECK(!holds(asked, "the dearest"));
        s.context.dearest = {{0, 945, large, Money(610'000'000'000)}};
        test::put(report, 0, s);
        CHECK(holds(text(report), "  request         the dearest: $0.61 at line 945: 200,000 tokens in, 76 out\n"));
        s.tokens.top_turns.resize(1);  // a headless run
        test::put(report, 0, s);
        CHECK(!holds(text(report), "  turn 7"));
        CHECK(holds(text(report), "the dearest: $0.61"));
        s.tokens.cost.known = Money(999'000'000'000);
        test::put(report, 0, s);
        CHECK(!holds(text(report), "  turn 7"));
    }

    TEST_CASE("the verdict has the price of the requests, as far as it is known") {
        Report report = one_session(Severity::error, "loop/cycle");
        report.tokens.cost = {Money(42'600'000'000'000), 471, 0};
        CHECK(first_line(text(report)) == "\u2717 stuck: 1 error in 1 session (7 steps, 4.8 M tokens, $42.60)");
        report.tokens.cost.unpriced_requests = 2;
        CHECK(holds(first_line(text(report)), "(7 steps, 4.8 M tokens, $42.60+)"));
        report.tokens.cost = {Money(), 0, 2};
        CHECK(holds(first_line(text(report)), "(7 steps, 4.8 M tokens)"));
    }

    TEST_CASE("a sub-agent has its price beside its tokens") {
        Report report = test::full_report();
        SessionReport session = report.sessions.front();
        REQUIRE(session.tokens.by_lane.size() == 2);
        session.tokens.by_lane[1] = {1, "explorer", {1'000, 0, 0, 20, 0}, 3, {Money(1'250'000'000'000), 3, 0}};
        test::put(report, 0, session);
        CHECK(holds(text(report, {.width = 0, .verbosity = 1}), "explorer: 1,020 tokens, 3 requests, $1.25"));
        const std::string json = test::rendered(report, "json", {});
        CHECK(holds(
            json,
            R"("label":"explorer","input":1000,"cache_write":0,"cache_read":0,"output":20,"total":1020,"requests":3,"micro_dollars":1250000)"));
    }

    TEST_CASE("a cost is told by what it was paid for, dearest first, on every page") {
        const auto dollars = [](std::uint64_t n) { return Money(n * 1'000'000'000'000); };
        Report report = test::full_report();
        report.tokens.cost = {dollars(100), 3, 0};
        report.tokens.cost_parts = {Money(1'000'000), dollars(30), dollars(64), dollars(6)};
        CHECK(holds(text(report, {.width = 0}),
                    "cache reads $64.00 (64 %) \u00B7 cache writes $30.00 (30 %) \u00B7 output "
                    "$6.00 (6 %)\n"));
        CHECK(holds(test::rendered(report, "html", {}), "cache reads $64.00 (64 %)"));
        CHECK(holds(test::rendered(report, "markdown", {}), "00 by list price: cache reads "));
        CHECK(holds(test::rendered(report, "json", {}),
                    R"("cost_parts":{"input":1,"cache_write":30000000,"cache_read":64000000,"output":6000000})"));
        // One thing alone says nothing that the sum does not say.
        report.tokens.cost_parts = {{}, {}, {}, dollars(100)};
        CHECK_FALSE(holds(text(report, {.width = 0}), "paid for"));
    }

    TEST_CASE("what one sentence rules out by many names is one line, on the page as well") {
        Report report = one_session(Severity::error, "loop/cycle");
        report.sessions.change(0, [](SessionReport& session) {
            session.goal.messages = 1;
            session.goal.line = 2;
            session.goal.text = "Fix it";
            for (const char* command : {"npm test", "yarn test", "pytest", "ctest", "make test"}) {
                session.goal.rules.push_back({StatedRule::Kind::forbid_command, command, 2, "Don't run the tests"});
            }
            session.goal.rules.push_back({StatedRule::Kind::forbid_path, "src/b.py", 2, "src/b.py is read-only"});
        });
        for (const char* format : {"text", "html"}) {
            CAPTURE(format);
            const std::string out = rendered(report, format, {.width = 0, .verbosity = 1, .redact = Redact::none});
            CHECK(holds(out, "forbid-command npm test, yarn test, pytest and 2 more (line 2)"));
            CHECK(holds(out, "forbid-path src/b.py (line 2)"));
        }
        CHECK(holds(rendered(report, "json", {}), "make test"));  // programs get all of them
    }

    TEST_CASE("what is counted in responses is called so, and of which conversation they are where there are several") {
        for (const std::uint64_t lanes : {1, 3}) {
            CAPTURE(lanes);
            ReportBuilder builder;
            builder.input("a.jsonl").session("s1", 1'000'000);
            builder.change_last_session([&](SessionReport& s) {
                s.counts.lanes = lanes;
                s.activity.segments = {{Activity::explore, 3, 9, 1, 4, 4, 5}};
                s.drift.points = {{1, 2, 0.1}, {2, 5, 0.9}};
                s.drift.changes = {{5, 2, "drift/goal-lost", 0.1, 0.9}};
                s.drift.turns = 2;
            });
            const std::string out = text(builder.report(), {.verbosity = 1});
            CHECK(holds(out, "line 5 (response 2): 0.10 to 0.90"));
            CHECK(holds(out, lanes == 1 ? "2 responses\n" : "2 responses of the main"));
            CHECK(holds(out, lanes == 1 ? "explore 3-9 (4 responses)\n"
                                        : "explore 3-9 (4 responses), all of the main conversation\n"));
            CHECK_FALSE(holds(out, "turn"));
        }
    }

    TEST_CASE("a departure that does not move the score is dated without figures") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1", 1'000'000);
        builder.change_last_session([](SessionReport& s) {
            s.drift.points = {{1, 2, 0.0}, {2, 5, 0.0}};
            s.drift.changes = {{5, 2, "drift/user-correction", 0.001, 0.002}};
        });
        const std::string out = text(builder.report());
        CHECK(holds(out, "line 5 (response 2): drift/user-correction"));
        CHECK_FALSE(holds(out, "0.00 to"));
    }

    TEST_CASE("a place too long for the page stays whole, in short findings and in full ones") {
        ReportBuilder builder;
        const std::string path = "logs/" + std::string(70, 'a') + "/agent-aabf2dd.jsonl";
        builder.input(path).session("s1");
        builder.finding(Severity::error, "loop/cycle", 63, 95);
        for (const int verbosity : {-1, 0}) {
            for (const int width : {40, 60, 80, 97, 98, 99, 100}) {
                CAPTURE(width);
                CHECK(holds(text(builder.report(), {.width = width, .verbosity = verbosity}),
                            "\n  " + path + ":63-95\n"));
            }
        }
    }

    TEST_CASE("a session without a name is told by where it begins, by all formats") {
        ReportBuilder builder;
        builder.input("many.jsonl").session("").session("").finding(Severity::error, "loop/cycle", 19, 25);
        builder.change_last_session([&](SessionReport& s) { s.first_line = 12; });
        CHECK(holds(text(builder.report()), "many.jsonl:19-25, session :12\n"));
        CHECK(holds(rendered(builder.report(), "junit", {}), "many.jsonl:12"));
    }

    TEST_CASE("a clean result still says what was inspected") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1").report().rules = {{"loop/cycle", 0, 0}};
        const std::string out = text(builder.report());
        CHECK(first_line(out) == "\u2713 clean: nothing found in 1 session (7 steps)");
        CHECK(holds(out, "files     1 file (claude-code), 1.0 kB"));
        CHECK(holds(out, "rules     1 run, policy balanced: loop/cycle"));
        CHECK(holds(out, "records   10: 10 understood"));
    }

    TEST_CASE("tools that failed are a table that fits 80 columns, with the classes that occurred and no other tool") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1");
        ToolStats shell{"mcp__a_server_with_a_long_name__run_command", 1'204'331, {}, 12'345}, edit{"Edit", 9, {}, 2};
        shell.failures = {0, 1'000, 2'000, 3'000, 4'000, 5'000};
        edit.failures = {0, 0, 2, 0, 0, 0};
        builder.report().tools = {shell, {"Read", 100, {}, 0}, edit};
        const std::string out = text(builder.report());
        CHECK(widest(out) <= 80);
        CHECK(holds(out, "Failures"));
        CHECK(holds(out, "run_command"));
        CHECK_FALSE(holds(out, "Read"));
        CHECK(out.find("run_command") < out.find("Edit "));
        builder.report().tools = {edit};
        const std::string few = text(builder.report());
        CHECK(holds(few, "  tool  calls  failed  persistent  streak\n  Edit      9       2           2       2\n"));
        builder.report().tools = {{"Read", 100, {}, 0}};
        CHECK_FALSE(holds(text(builder.report()), "Failures"));
    }

    TEST_CASE(
        "requests that the provider refused are told with their codes and places, escaped, and where there are several "
        "with their session") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1");
        SessionReport s = builder.report().sessions.back();
        s.counts.provider_errors = builder.report().counts.provider_errors = 372;
        s.provider_errors = {77, 1327, {{"429", 365}, {"idle \x1b[31m timeout", 6}, {"terminated", 1}}, 0};
        builder.change_last_session([&](SessionReport& last) { last = s; });
        const std::string words = "372 errors, lines 77 to 1327: 429 (365 times), idle ";
        CHECK(holds(text(builder.report(), {.width = 0}), "provider  " + words));
        CHECK_FALSE(holds(text(builder.report()), "\x1b[31m"));
        CHECK(holds(rendered(builder.report(), "markdown", {}), "Provider: 372 errors, lines 77 to 1327"));
        CHECK(holds(rendered(builder.report(), "html", {}), words));
        builder.input("b.jsonl").session("s2");
        CHECK(holds(text(builder.report(), {.width = 0}), "provider  a.jsonl: " + words));
        builder.change_last_session([&](SessionReport& last) { last.counts.provider_errors = 1; });
        builder.change_last_session([&](SessionReport& last) { last.provider_errors = {5, 5, {{"", 1}}, 0}; });
        CHECK(holds(text(builder.report(), {.width = 0}), "provider  b.jsonl: 1 error at line 5\n"));
    }

    TEST_CASE("nothing audited is not called clean") {
        ReportBuilder builder;
        builder.unreadable("a.bin", "binary data");
        const std::string out = text(builder.report());
        CHECK(first_line(out) == "\u2717 nothing audited: no session found; 1 input problem");
        CHECK(holds(out, "unread    a.bin: binary data"));
    }

    TEST_CASE("tokens that nobody recorded are not printed as zero") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1");
        CHECK(holds(text(builder.report()), "Tokens  not recorded"));
    }

    TEST_CASE("where no request is recorded there is no column of zeros") {
        Report report = test::full_report();
        for (const std::uint64_t requests : {0ul, 8ul}) {
            CAPTURE(requests);
            report.tokens.requests = requests;
            CHECK(holds(text(report), "requests  input") == (requests > 0));
            CHECK(holds(rendered(report, "html", {}), ">requests</th><th scope=\"col\" class=\"figures\">input") ==
                  (requests > 0));
        }
    }

    TEST_CASE("estimated tokens are called estimated, in the verdict too") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s1", 1000);
        builder.report().tokens.source = TokensSource::estimated;
        const std::string out = text(builder.report());
        CHECK(holds(first_line(out), "about 4,750 tokens"));
        CHECK(holds(out, "estimated, each text once"));
    }

    TEST_CASE("a finding says what, where, how sure, what it cost, what to do and how to silence it") {
        const std::string out = text(test::full_report(), {.width = 0});
        for (const std::string_view part :
             {"error  loop/exact-repeat (AA101)  98 % sure", "logs/stuck.jsonl:3-9", "Bash was called 4 times",
              "round     Bash `npm test`: 1 failing", "line 3    call Bash `npm test`", "line 9    result 1 failing",
              "cost      3 steps, 30 tokens reported, $0.0090", "went on after a notice",
              "also seen by loop/same-error", "do        Stop the session", "reset     after line 2",
              "silence   --ignore loop/exact-repeat"}) {
            CAPTURE(part);
            CHECK(holds(out, part));
        }
    }

    TEST_CASE(
        "figures about windows and limits are written like those of the tables, words of the recording are not "
        "touched") {
        Report report = test::full_report();
        report.findings[0].because = {{"tokens", "3774287"}, {"outcome", "1700000000"}};
        CHECK(holds(text(report, {.width = 0}), "tokens 3774287"));
        report.findings[0].rule = "context/cache-miss";
        CHECK(holds(text(report, {.width = 0}), "tokens 3,774,287"));
        report.findings[0].rule = "budget/limits";
        report.findings[0].because = {{"limit", "2000000"}, {"value", "137790806"}, {"unit", "micro-dollars"}};
        const std::string money = text(report, {.width = 0});
        CHECK(holds(money, "limit $2.00"));
        CHECK(holds(money, "value $137.79"));
        CHECK_FALSE(holds(money, "micro-dollars"));
    }

    TEST_CASE("bad records, skipped rules and unread inputs are named with their reason") {
        const std::string out = text(test::full_report(), {.width = 0});
        CHECK(holds(out, "bad       logs/stuck.jsonl:4 malformed_json: line 4: unclosed string"));
        CHECK(holds(out, "skipped   budget/limits in 1 session: no token_usage in the recording"));
        CHECK(holds(out, "unread    missing.jsonl: no such file"));
        CHECK(holds(out, "unread    logs/broken.bin: binary data: no session"));
    }

    TEST_CASE("no line is wider than the page") {
        Report report = test::full_report();
        report.findings[0].message += std::string(300, 'x') + " \u6F22\u5B57\u6F22\u5B57 end";
        for (const int width : {40, 60, 80, 120}) {
            CAPTURE(width);
            CHECK(widest(text(report, {.width = width})) <= width);
        }
    }

    TEST_CASE("all parts of a sum stand on a usual page, whatever else has to go") {
        Report report = test::full_report();
        CHECK(holds(text(report, {.width = 120}), "cache write"));
        for (ModelTokens& model : report.tokens.by_model) {
            model.model = "claude-opus-4-5-20251101";
            model.tokens = {13'818, 1'618'146, 24'013'662, 70'618, 0};
        }
        const std::string usual = text(report, {.width = 80});
        CHECK(holds(usual, "1,618,146"));
        CHECK(holds(usual, "13,818"));
        CHECK(holds(usual, "24,013,662"));
        CHECK(holds(text(report, {.width = 120}), "25,716,244"));
    }

    TEST_CASE("where the figures leave no room for a part of a sum, the sum is there instead") {
        Report report = test::full_report();
        report.tokens.total = {3'039'563'548, 3'016'662'553, 8'538'866'715, 1'001'624'378, 0};
        for (ModelTokens& model : report.tokens.by_model) {
            model.model = "a-name-of-a-model-with-many-letters";
            model.tokens = report.tokens.total;
        }
        CHECK(holds(text(report, {.width = 80}), "15,596,717,194"));
        const std::string wide = text(report, {.width = 100});
        for (const char* part : {"3,039,563,548", "3,016,662,553", "8,538,866,715"}) CHECK(holds(wide, part));
    }

    TEST_CASE("a part of which nothing was recorded has no column, and answers alone have no price") {
        Report report = test::full_report();
        report.tokens.total = {500, 0, 0, 20, 0};
        for (ModelTokens& model : report.tokens.by_model) model.tokens = report.tokens.total;
        const std::string plain = text(report, {.width = 120});
        CHECK(holds(plain, "input"));
        CHECK(holds(plain, "requests"));
        CHECK_FALSE(holds(plain, "cache write"));
        CHECK_FALSE(holds(plain, "cache read"));
        report.tokens.total = {0, 0, 0, 39'467, 0};
        for (ModelTokens& model : report.tokens.by_model) model.tokens = report.tokens.total;
        const std::string answers = text(report, {.width = 120});
        CHECK(holds(answers, "prompts are not told"));
        CHECK(holds(answers, "39,467"));
        CHECK_FALSE(holds(answers, "  input  "));
    }

    TEST_CASE("a narrow page drops token columns but never the total") {
        const Report report = test::full_report();
        const std::string narrow = text(report, {.width = 40});
        CHECK_FALSE(holds(narrow, "cache write"));
        CHECK(holds(narrow, "19,000"));
    }

    TEST_CASE("without unicode, nothing beyond ASCII is drawn") {
        const std::string out = text(test::full_report(), {.unicode = false});
        CHECK(std::all_of(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    }

    TEST_CASE("colour adds escapes and changes no word") {
        const Report report = test::full_report();
        std::string colored = text(report, {.color = true});
        CHECK(holds(colored, "\x1b["));
        for (std::size_t at = colored.find('\x1b'); at != colored.npos; at = colored.find('\x1b')) {
            colored.erase(at, colored.find('m', at) - at + 1);
        }
        CHECK(colored == text(report));
    }

    TEST_CASE("escape sequences of a transcript reach no terminal") {
        Report report = one_session(Severity::error, "loop/cycle");
        report.findings[0].evidence[0].text = "\x1b]0;owned\x07\x1b[2J \u202Ereversed \xff";
        report.inputs[0].path = "a\x1b[31m.jsonl";
        const std::string out = text(report);
        CHECK_FALSE(holds(out, "\x1b"));
        CHECK_FALSE(holds(out, "\x07"));
        CHECK(holds(out, "\\x1b]0;owned\\x07\\x1b[2J \\u202ereversed \\xff"));
        CHECK(holds(out, "a\\x1b[31m.jsonl:3-9"));
    }

    TEST_CASE("a transcript cannot start a workflow command on a CI runner") {
        Report report = one_session(Severity::error, "loop/cycle");
        report.findings[0].message = "::error::owned";
        report.findings[0].action = "##[error]owned";
        const std::string guarded = text(report, {.guard_ci = true});
        CHECK_FALSE(holds(guarded, "  ::error"));
        CHECK_FALSE(holds(guarded, "##["));
        CHECK(holds(text(report), "  ::error"));
    }

    TEST_CASE("secrets in evidence are taken out unless that is turned off") {
        Report report = one_session(Severity::error, "loop/cycle");
        const std::string key = "sk-ant-api03-" + std::string(30, 'Q');
        report.findings[0].evidence[0].text = "curl -H 'x-api-key: " + key + "'";
        CHECK_FALSE(holds(text(report), key));
        CHECK(holds(text(report, {.width = 0, .redact = Redact::none}), key));
    }

    TEST_CASE("two thousand sessions do not flood the page, and are all there with -v") {
        ReportBuilder builder;
        for (int i = 0; i < 2000; ++i)
            builder.input("s" + std::to_string(i) + ".jsonl").session("id", 1000u + unsigned(i));
        const std::string out = text(builder.report());
        CHECK(std::count(out.begin(), out.end(), '\n') < 40);
        CHECK(holds(out, "s1999.jsonl"));
        CHECK(holds(out, "the 10 largest of 2,000 sessions"));
        CHECK_FALSE(holds(out, "s12.jsonl"));
        CHECK(holds(text(builder.report(), {.verbosity = 1}), "s12.jsonl"));
    }

    TEST_CASE("sessions of files with one name are told apart by their folders, and others need none") {
        ReportBuilder builder;
        builder.input("logs/rye/1/wire.jsonl").session("", 3000).input("logs/oat/1/wire.jsonl").session("", 2000);
        builder.input("logs/oat/2/wire.jsonl").session("", 1000).input("logs/oat/2/corn.jsonl").session("", 500);
        const std::string out = text(builder.report());
        CHECK(holds(out, " rye/1/wire.jsonl "));
        CHECK(holds(out, " oat/1/wire.jsonl "));
        CHECK(holds(out, " 2/wire.jsonl "));
        CHECK(holds(out, " corn.jsonl "));
    }

    TEST_CASE("where a session counts records, no report calls them lines") {
        for (const bool records : {false, true}) {
            Report report = one_session(Severity::error, "loop/cycle");
            report.sessions.change(0, [&](SessionReport& s) {
                s.counts_records = records;
                s.counts.provider_errors = 2;
                s.provider_errors.first_line = 77;
                s.provider_errors.last_line = 88;
                s.goal.text = "mend the mill";
                s.goal.line = 66;
                s.goal.messages = 1;
                ResetSuggestion& reset = s.resets.emplace_back();
                reset.line = 55;
                reset.first_line = 56;
                reset.known_line = 60;
            });
            report.counts.provider_errors = 2;
            const std::string noun = records ? "record" : "line", other = records ? "line" : "record";
            for (const char* format : {"text", "html", "markdown"}) {
                CAPTURE(format);
                const std::string out = rendered(report, format, {.verbosity = 1});
                CHECK(holds(out, "after " + noun + " 55"));
                CHECK(holds(out, noun + "s 56-60"));
                CHECK(holds(out, noun + "s 77 to 88"));
                CHECK(holds(out, noun + " 66") == (format != std::string_view("markdown")));
                for (const char* number : {" 55", " 66", "s 56", "s 77"}) CHECK_FALSE(holds(out, other + number));
            }
        }
    }

    TEST_CASE("sessions of one file are told apart by label, id or first line") {
        ReportBuilder builder;
        builder.input("runs.json").session("0123456789abcdef", 3000).session("", 2000).session("", 1000);
        Report report = builder.report();
        report.sessions.change(1, [](SessionReport& s) { s.label = "task 7"; });
        report.sessions.change(2, [](SessionReport& s) {
            s.id.clear();
            s.first_line = 41;
        });
        const std::string out = text(report);
        CHECK(holds(out, "runs.json 01234567 "));
        CHECK(holds(out, "runs.json task 7 "));
        CHECK(holds(out, "runs.json:41 "));
    }

    TEST_CASE("more rules than a line holds are counted, and named with -v") {
        Report report = one_session(Severity::error, "loop/cycle");
        report.rules.clear();
        for (const char* id : {"a/a", "a/b", "a/c", "a/d", "a/e", "a/f", "a/g"}) report.rules.push_back({id, 0, 0});
        CHECK(holds(text(report), "7 run, policy balanced (names with -v)"));
        CHECK_FALSE(holds(text(report), "a/g"));
        CHECK(holds(text(report, {.verbosity = 1}), "a/g"));
    }

    TEST_CASE("many notes are counted by rule instead of listed") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        for (int i = 0; i < 100; ++i) builder.finding(Severity::info, "loop/same-error");
        const std::string out = text(builder.report());
        CHECK(holds(out, "80 more: loop/same-error 80 (all with -v)"));
        CHECK(std::count(out.begin(), out.end(), '\n') < 100);
    }

    TEST_CASE("errors come before warnings, wherever they stand") {
        ReportBuilder builder;
        builder.input("a.jsonl").session("s");
        builder.finding(Severity::warning, "loop/cycle", 3, 9);
        builder.finding(Severity::error, "loop/exact-repeat", 20, 30);
        const std::string out = text(builder.report());
        CHECK(out.find("loop/exact-repeat") < out.find("loop/cycle"));
    }

    TEST_CASE("quiet is the verdict, one line a finding, and what was skipped or not read") {
        Report report = test::full_report();
        report.peers.clear();  // nobody asked for other agents
        const std::string out = text(report, {.width = 0, .verbosity = -1});
        CHECK(std::count(out.begin(), out.end(), '\n') == 5);
        CHECK(holds(out, "skipped  budget/limits in 1 session: no token_usage in the recording"));
        CHECK(holds(out, "unread   1 of "));
        CHECK(holds(out, "error  loop/exact-repeat  logs/stuck.jsonl:3-9  Bash was called"));
    }

    TEST_CASE("quiet says how many records were not read: a log that is cut is not clean as a whole") {
        ReportBuilder builder;
        builder.input("a.jsonl")
            .bad(11, LineFate::malformed_json, "torn")
            .bad(12, LineFate::malformed_json, "torn")
            .session("s");
        CHECK(holds(text(builder.report(), {.width = 0, .verbosity = -1}), "\nunread   2 of 12 records\n"));
        builder = {};
        builder.input("a.jsonl").session("s");
        CHECK_FALSE(holds(text(builder.report(), {.width = 0, .verbosity = -1}), "unread"));
    }

    TEST_CASE("a sink that refuses stops the renderer") {
        ReportBuilder builder;
        for (int i = 0; i < 3000; ++i) builder.input("s" + std::to_string(i)).session("id", 1000);
        int pieces = 0;
        find_renderer("text")->render(builder.report(), {.verbosity = 1},
                                      [&](std::string_view) { return ++pieces < 2; });
        CHECK(pieces == 2);
    }

    TEST_CASE("other agents are shown only when they were asked for, and fit 80 columns") {
        CHECK_FALSE(holds(text(one_session(Severity::error, "loop/cycle")), "Other agents"));
        const Report report = test::full_report();
        const std::string out = text(report);
        const std::string table = out.substr(out.find("Other agents"), out.find("Tokens") - out.find("Other agents"));
        CHECK(holds(table, "gemini-cli              right          chanting"));
        CHECK(holds(table, "last3-equals-previous3  false alarm    last 3 = 3 before      -  123456  1,234\n"));
        CHECK(holds(table, "qwen-code+heuristics    missed         -"));
        CHECK(holds(table, "roo                     silent, right  -"));
        CHECK(widest(table) <= 80);
        CHECK_FALSE(holds(text(report, {.verbosity = -1}), "Other agents"));
    }

    TEST_CASE("of several sessions the totals are shown, and each session with -v") {
        Report report = test::full_report();
        report.sessions.push_back(report.sessions.front());
        for (PeerTotals& totals : report.peers) totals.sessions = 2;
        const std::string out = text(report);
        CHECK(holds(out, "  profile                 warned  stopped  right  false  missed  silent\n"));
        CHECK(holds(out, "by our findings in 2 sessions"));
        CHECK_FALSE(holds(out, "chanting"));
        CHECK(holds(text(report, {.verbosity = 1}), "chanting"));
    }
}
