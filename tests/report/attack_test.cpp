#include "report/html/html_comparison.hpp"
#include "support/attack_strings.hpp"
#include "support/format_checkers.hpp"
#include "support/report_builder.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace agent_audit;
using test::rendered;
using test::require;

namespace {

using Texts = std::span<const std::string>;

/// A part of the full report, with `text` wherever a transcript, a path or a damaged file could have put it.
Report saying(const std::string& text) {
    static const Report full = test::full_report();
    Report report = full;
    report.inputs.front().path = "logs/" + text;
    report.inputs.front().bad.front().reason = text;
    report.inputs.back().error = text;
    report.problems = {text};
    report.notes = {{Severity::info, text}};
    SessionReport s = report.sessions.front();
    for (std::string* field : {&s.id, &s.parent_id, &s.label, &s.product_version, &s.cwd, &s.model}) *field = text;
    for (LaneTokens& lane : s.tokens.by_lane) lane.label = text;
    for (ModelTokens& model : s.tokens.by_model) model.model = text;
    for (ToolStats& tool : s.tools) tool.tool = text;
    report.tools = s.tools;
    LaneContext lane;
    lane.tools = lane.files = {{text, 10, 1}};
    s.context.lanes = {lane};
    // A saved result says what it likes, also where only rules speak otherwise.
    for (ResetSuggestion& reset : s.resets) reset.rule = text;
    s.housekeeping = false;
    s.drift.points = {{1, 2, 0.1}, {2, 5, 0.9}};
    s.drift.turns = 2;
    s.drift.changes = {{5, 2, text, 0.1, 0.9}};
    s.drift.reflections = {{2, 5, 0.9, {text}, text}};
    s.courses = {{0, 2, {{1, 500}, {9, 1000}}, {{5, 900, 100, false}}, 0}};
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
    s.activity.segments = {{Activity::explore, 1, 4, 1, 2, 2, 3}, {Activity::edit, 5, 9, 3, 4, 2, 4}};
    s.similarity = {{text, text, 1, 4, 0.5, 0.25, 9, {{2, 0.75}, {9, 0.25}}, {9, 0.75, 0.25, 4.0}}};
    test::put(report, 0, s);
    report.limits = {{text, 10}, {"window-share", 80}};
    for (Finding& f : report.findings) {
        f.lane = 1;
        f.message = text;
        f.action = text;
        f.round = {text, text};
        for (Evidence& e : f.evidence) e.role = e.text = text;
        for (Fact& fact : f.because) fact.name = fact.value = text;
    }
    return report;
}

template <typename Values>
void append(Values& to, Values&& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// One report with a session, its findings and a damaged file for each of the texts: what all formats do once a report,
/// they do once for many texts.
Report saying(Texts texts) {
    Report all = saying(texts.front());
    for (const std::string& text : texts.subspan(1)) {
        Report next = saying(text);
        for (Finding& f : next.findings) f.session += static_cast<std::uint32_t>(all.sessions.size());
        for (std::size_t i = 0; i < next.sessions.size(); ++i) {
            next.sessions.change(i,
                                 [&](SessionReport& s) { s.input += static_cast<std::uint32_t>(all.inputs.size()); });
        }
        append(all.inputs, std::move(next.inputs));
        all.sessions.append(std::move(next.sessions));
        append(all.findings, std::move(next.findings));
        append(all.problems, std::move(next.problems));
        append(all.notes, std::move(next.notes));
        append(all.limits, std::move(next.limits));
        append(all.tools, std::move(next.tools));
        all.errors += next.errors;
        all.warnings += next.warnings;
        all.infos += next.infos;
    }
    return all;
}

using simdjson::dom::element;
using simdjson::dom::element_type;

// With every text emptied: what is left must not depend on what a transcript says.
void add_shape(std::string& shape, element value) {
    switch (value.type()) {
        case element_type::STRING: shape += '"'; return;
        case element_type::ARRAY:
            shape += '[';
            for (const element one : simdjson::dom::array(value)) add_shape(shape, one);
            shape += ']';
            return;
        case element_type::OBJECT:
            shape += '{';
            for (const auto& [key, one] : simdjson::dom::object(value)) {
                shape.append(key).append(":");
                add_shape(shape, one);
            }
            shape += '}';
            return;
        case element_type::NULL_VALUE: shape += '0'; return;
        case element_type::BOOL: shape += bool(value) ? 't' : 'f'; return;
        default: shape += 'n';
    }
}

element json_of(const std::string& out) {
    static simdjson::dom::parser parser;
    element read;
    require(!parser.parse(out).get(read), "simdjson cannot read it");
    return read;
}

std::string json_shape(const std::string& out) {
    std::string shape;
    add_shape(shape, json_of(out));
    return shape;
}

std::string ndjson_shape(const std::string& out) {
    std::string shape;
    for (const std::string& line : test::lines_of(out)) shape += json_shape(line) + "\n";
    return shape;
}

std::string_view text_at(element value, std::string_view pointer) {
    std::string_view text;
    require(!value.at_pointer(pointer).get(text), "no text at " + std::string(pointer));
    return text;
}

std::string sarif_shape(const std::string& out) {
    const element log = json_of(out);
    simdjson::dom::array artifacts, results;
    require(!log.at_pointer("/runs/0/artifacts").get(artifacts), "no artifacts");
    for (const element artifact : artifacts) {
        const std::string uri(text_at(artifact, "/location/uri"));
        require(
            uri.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/%") == uri.npos,
            "not a URI: " + uri);
    }
    require(!log.at_pointer("/runs/0/results").get(results), "no results");
    for (const element result : results) {
        const std::string_view message = text_at(result, "/message/text");
        for (std::size_t i = message.find("]("); i != message.npos; i = message.find("](", i + 1))
            require(i > 0 && message[i - 1] == '\\', "a link in: " + std::string(message));
    }
    std::string shape;
    add_shape(shape, log);
    return shape;
}

std::string junit_shape(const std::string& out) {
    pugi::xml_document document;
    test::load_xml(document, out);
    return test::xml_shape(document.document_element());
}

std::string tap_shape(const std::string& out) {
    std::string shape;
    for (const test::TapPoint& point : test::read_tap(out)) {
        shape += point.ok ? "ok" : "not";
        shape += point.skipped ? " skipped " : " ";
        shape += std::to_string(point.yaml.size()) + "\n";
    }
    return shape;
}

std::string csv_shape(const std::string& out) {
    std::string shape;
    for (const auto& row : test::read_csv(out)) {
        for (const std::string& cell : row) {
            require(cell.empty() || std::string("=+-@\t\r").find(cell[0]) == std::string::npos, "a formula: " + cell);
            shape += cell.empty() ? '.' : 'x';
        }
        shape += '\n';
    }
    return shape;
}

std::string github_shape(const std::string& out) {
    std::string shape;
    for (const test::Annotation& annotation : test::read_github(out)) {
        shape += annotation.command;
        for (const auto& [key, value] : annotation.properties) shape += " " + key;
        shape += '\n';
    }
    return shape;
}

std::string compact_shape(const std::string& out) {
    std::string shape;
    for (const test::Seen& seen : test::read_compact(out))
        shape += seen.rule + seen.severity + std::to_string(seen.line);
    return shape;
}

// Elements with the names of their attributes; scripts and styles end at their first end tag, as a browser has it.
std::string html_shape(const std::string& out) {
    std::string shape;
    for (std::size_t at = out.find('<'); at != out.npos; at = out.find('<', at)) {
        const std::size_t name_end = out.find_first_of(" \t\n/>", at + 2);
        const std::string tag = out.substr(at + 1, name_end - at - 1);
        shape += "<" + tag;
        at = name_end;
        while (at < out.size() && out[at] != '>') {
            if (out[at] == '"' || out[at] == '\'') {
                at = out.find(out[at], at + 1);
                require(at != out.npos, "an attribute without an end");
                shape += '=';
            } else if (out[at] != ' ' && out[at] != '\n' && out[at] != '=') {
                shape += out[at];
            }
            ++at;
        }
        if (tag != "script" && tag != "style") continue;
        at = out.find("</" + tag, at);
        require(at != out.npos, tag + " without an end");
    }
    return shape;
}

// Its lines are wrapped, so that their number depends on the text; what a terminal gets is checked for all formats.
std::string no_shape(const std::string&) { return {}; }

// Every format has an entry: a test sees to it.
const std::map<std::string, std::string (*)(const std::string&), std::less<>> kShapes{
    {"text", no_shape},     {"compact", compact_shape},
    {"json", json_shape},   {"ndjson", ndjson_shape},
    {"sarif", sarif_shape}, {"junit", junit_shape},
    {"tap", tap_shape},     {"github", github_shape},
    {"gitlab", json_shape}, {"csv", csv_shape},
    {"html", html_shape},   {"markdown", [](const std::string& out) { return test::markdown_shape(out); }},
};

constexpr std::size_t kBatch = 8;  // texts of a report: no format leaves out any of that many, a test sees to it

/// What is wrong with an output; empty when nothing is.
std::string fault(const RendererSpec& format, Texts attacks, const RenderOptions& options,
                  const std::string& expected) {
    try {
        const std::string out = rendered(saying(attacks), format.id, options);
        test::require_harmless(out);
        if (options.guard_ci && format.id != "github") test::require_no_ci_commands(out);
        const std::string seen = kShapes.at(std::string(format.id))(out);
        if (seen != expected)
            return "the structure depends on the text:\n" + seen.substr(0, 2'000) + "\ninstead of:\n" +
                   expected.substr(0, 2'000);
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

std::string shape_of(const RendererSpec& format, const RenderOptions& options, std::size_t texts) {
    REQUIRE(kShapes.contains(format.id));
    const std::vector<std::string> plain(texts, "plain");
    return kShapes.at(std::string(format.id))(rendered(saying(Texts(plain)), format.id, options));
}

/// Many texts at a time, and where that goes wrong one after the other, to name the one.
void check_all(const RendererSpec& format, Texts attacks, const RenderOptions& options) {
    const std::string whole = shape_of(format, options, kBatch);
    for (std::size_t at = 0; at < attacks.size(); at += kBatch) {
        const Texts batch = attacks.subspan(at, std::min(kBatch, attacks.size() - at));
        const std::string why =
            fault(format, batch, options, batch.size() == kBatch ? whole : shape_of(format, options, batch.size()));
        if (why.empty()) continue;
        bool named = false;
        const std::string alone = shape_of(format, options, 1);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const std::string reason = fault(format, batch.subspan(i, 1), options, alone);
            if (reason.empty()) continue;
            named = true;
            FAIL_CHECK(batch[i], ": ", reason);
        }
        if (!named) FAIL_CHECK("only together, from attack ", at, ": ", why);
    }
}

std::size_t count_of(std::string_view out, std::string_view word) {
    std::size_t n = 0;
    for (std::size_t at = out.find(word); at != out.npos; at = out.find(word, at + 1)) ++n;
    return n;
}

/// The page of a replay, with `text` wherever a session, a path or a policy file could have put it.
std::string comparison_saying(const std::string& text) {
    using namespace report;
    HtmlTable table(text, {{text, false}, {text}});
    table.row_of({{text}, {text, {}, 0.5}});
    Chart chart;
    chart.points = {{1, 10}, {5, 20}};
    chart.last_line = 9;
    chart.spans = {{2, 3, Severity::error, text}};
    chart.marks = {{ChartMark::Kind::stop, 4}, {ChartMark::Kind::compaction, 5}, {ChartMark::Kind::limit, 6}};
    chart.levels = {{15, text}};
    chart.work = {{1, 4, Activity::edit}};
    chart.similarity = {{text, {{1, 0.5}, {9, 0.25}}, 9, text}};
    chart.described = chart.work_described = text;
    ComparisonSection section;
    section.heading = section.facts = text;
    section.details = {{text, text}};
    section.tables = {table};
    section.charts = {{text, chart}};
    section.folded = {{text, {table}}};
    section.notes = {text};
    const ComparisonPage page{text, ComparisonPage::Tone::warning, text, {{text, text}}, {section}, text};
    std::string out;
    draw_comparison(page, "9.9", [&](std::string_view piece) {
        out += piece;
        return true;
    });
    return out;
}

}  // namespace

TEST_SUITE("attacks") {
    TEST_CASE("no text of a transcript is more than text in any format") {
        const std::vector<std::string> all = test::attack_strings();
        CHECK(all.size() >= 200);
        std::vector<std::string> attacks;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (test::looked_at(i)) attacks.push_back(all[i]);
        }
        for (const RendererSpec& format : all_renderers()) {
            CAPTURE(format.id);
            for (const bool guard_ci : {false, true}) {
                // With nothing taken out, every attack gets as far as it can.
                check_all(format, attacks,
                          {.guard_ci = guard_ci, .verbosity = 1, .redact = Redact::none, .tool_version = "9.9"});
            }
        }
    }

    TEST_CASE("nor is what redaction leaves of it") {
        const std::vector<std::string> all = test::attack_strings();
        std::vector<std::string> attacks;
        for (std::size_t i = 0; i < all.size(); i += 17) attacks.push_back(all[i]);
        for (const RendererSpec& format : all_renderers()) {
            CAPTURE(format.id);
            check_all(format, attacks, {.redact = Redact::strict, .tool_version = "9.9"});
        }
    }

    TEST_CASE("every text of a batch is in the output as often as it is alone") {
        std::vector<std::string> words;
        for (std::size_t i = 0; i < kBatch; ++i) words.push_back("word" + std::string(3, static_cast<char>('a' + i)));
        for (const RendererSpec& format : all_renderers()) {
            CAPTURE(format.id);
            const RenderOptions options{.verbosity = 1, .redact = Redact::none, .tool_version = "9.9"};
            const std::string together = rendered(saying(Texts(words)), format.id, options);
            for (const std::string& word : words) {
                CAPTURE(word);
                const std::size_t alone = count_of(rendered(saying(word), format.id, options), word);
                CHECK(alone > 0);
                CHECK(count_of(together, word) >= alone);
            }
        }
    }

    TEST_CASE("no text is more than text on the page of a replay") {
        const std::string expected = html_shape(comparison_saying("plain"));
        for (const std::string& attack : test::some_of(test::attack_strings())) {
            CAPTURE(attack);
            std::string why;
            try {
                const std::string out = comparison_saying(attack);
                test::require_harmless(out);
                if (html_shape(out) != expected) why = "the structure depends on the text";
            } catch (const std::exception& error) {
                why = error.what();
            }
            if (!why.empty()) FAIL_CHECK(why);
        }
    }

    TEST_CASE("the checkers notice what they are there for") {
        CHECK_THROWS(test::read_tap("TAP version 14\n1..1\nok 1 - a # SKIP\n b\n"));
        CHECK_THROWS(test::read_tap("TAP version 14\n1..2\nok 1 - a\n"));
        CHECK_THROWS(test::read_tap("TAP version 14\n1..1\nnot ok 1 - a\n  ---\n  message: !!x y\n  ...\n"));
        CHECK_THROWS(test::read_csv("a,b\r\n1\r\n"));
        CHECK_THROWS(test::read_csv("a\r\nx\"y\r\n"));
        CHECK_THROWS(test::read_github("::error title=a,b::c\n"));
        CHECK_THROWS(test::read_github("::error title=a::c\nd\n"));
        CHECK_THROWS(test::read_github("::error title=a::50%\n"));
        CHECK_THROWS(test::read_compact("no place: error: x [y]\n"));
        for (const char* bad : {"a <b>\n", "[a](b)\n", "see http://x\n", "``` x\n", "`a\n", "hello @you\n"}) {
            CAPTURE(bad);
            CHECK_THROWS(test::markdown_shape(bad));
        }
        CHECK_THROWS(test::require_harmless("\x1b[0m"));
        CHECK_THROWS(test::require_harmless("\u202E"));
        CHECK_THROWS(test::require_no_ci_commands("a\n  ::error::x\n"));
        pugi::xml_document document;
        CHECK_THROWS(test::load_xml(document, "<a><b></a>"));
    }
}
