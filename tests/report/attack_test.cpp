#include "support/attack_strings.hpp"
#include "support/format_checkers.hpp"
#include "support/report_builder.hpp"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <functional>
#include <map>

using namespace agent_audit;
using test::rendered;
using test::require;

namespace {

/// The full report, with `text` wherever a transcript, a path or a damaged file could have put it.
Report saying(const std::string& text) {
    Report report = test::full_report();
    report.inputs.front().path = "logs/" + text;
    report.inputs.front().bad.front().reason = text;
    report.inputs.back().error = text;
    report.problems = {text};
    report.notes = {{Severity::info, text}};
    SessionReport& s = report.sessions.front();
    for (std::string* field : {&s.id, &s.parent_id, &s.label, &s.product_version, &s.cwd, &s.model}) *field = text;
    for (LaneTokens& lane : s.tokens.by_lane) lane.label = text;
    for (ModelTokens& model : s.tokens.by_model) model.model = text;
    for (ToolStats& tool : s.tools) tool.tool = text;
    LaneContext lane;
    lane.tools = lane.files = {{text, 10, 1}};
    s.context.lanes = {lane};
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

std::string json_shape(const std::string& out) {
    simdjson::dom::parser parser;
    simdjson::dom::element ignored;
    require(!parser.parse(out).get(ignored), "simdjson cannot read it");
    return test::without_texts(nlohmann::json::parse(out)).dump();
}

std::string ndjson_shape(const std::string& out) {
    std::string shape;
    for (const std::string& line : test::lines_of(out)) shape += json_shape(line) + "\n";
    return shape;
}

std::string sarif_shape(const std::string& out) {
    const nlohmann::json run = nlohmann::json::parse(out)["runs"][0];
    for (const auto& artifact : run["artifacts"]) {
        const std::string uri = artifact["location"]["uri"];
        require(uri.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/%") == uri.npos,
                "not a URI: " + uri);
    }
    for (const auto& result : run["results"]) {
        const std::string message = result["message"]["text"];
        for (std::size_t i = 0; i + 1 < message.size(); ++i) {
            const bool link = message[i] == ']' && message[i + 1] == '(';
            require(!link || (i > 0 && message[i - 1] == '\\'), "a link in: " + message);
        }
    }
    return json_shape(out);
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
    for (const test::Seen& seen : test::read_compact(out)) shape += seen.rule + seen.severity + std::to_string(seen.line);
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
    {"text", no_shape},          {"compact", compact_shape}, {"json", json_shape},     {"ndjson", ndjson_shape},
    {"sarif", sarif_shape},      {"junit", junit_shape},     {"tap", tap_shape},       {"github", github_shape},
    {"gitlab", json_shape},      {"csv", csv_shape},         {"html", html_shape},
    {"markdown", [](const std::string& out) { return test::markdown_shape(out); }},
};

/// What is wrong with an output; empty when nothing is.
std::string fault(const RendererSpec& format, const std::string& attack, const RenderOptions& options,
                  const std::string& expected) {
    try {
        const std::string out = rendered(saying(attack), format.id, options);
        test::require_harmless(out);
        if (options.guard_ci && format.id != "github") test::require_no_ci_commands(out);
        const std::string seen = kShapes.at(std::string(format.id))(out);
        if (seen != expected) return "the structure depends on the text:\n" + seen + "\ninstead of:\n" + expected;
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

std::string shape_of(const RendererSpec& format, const RenderOptions& options) {
    REQUIRE(kShapes.contains(format.id));
    return kShapes.at(std::string(format.id))(rendered(saying("plain"), format.id, options));
}

}  // namespace

TEST_SUITE("attacks") {
    TEST_CASE("no text of a transcript is more than text in any format") {
        const std::vector<std::string> attacks = test::attack_strings();
        CHECK(attacks.size() >= 200);
        for (const RendererSpec& format : all_renderers()) {
            CAPTURE(format.id);
            for (const bool guard_ci : {false, true}) {
                // With nothing taken out, every attack gets as far as it can.
                const RenderOptions options{.guard_ci = guard_ci, .redact = Redact::none, .tool_version = "9.9"};
                const std::string expected = shape_of(format, options);
                for (const std::string& attack : attacks) {
                    const std::string why = fault(format, attack, options, expected);
                    if (!why.empty()) FAIL_CHECK(attack, ": ", why);
                }
            }
        }
    }

    TEST_CASE("nor is what redaction leaves of it") {
        for (const RendererSpec& format : all_renderers()) {
            CAPTURE(format.id);
            const RenderOptions options{.redact = Redact::strict, .tool_version = "9.9"};
            const std::string expected = shape_of(format, options);
            for (std::size_t i = 0; i < test::attack_strings().size(); i += 17) {
                const std::string attack = test::attack_strings()[i];
                const std::string why = fault(format, attack, options, expected);
                if (!why.empty()) FAIL_CHECK(attack, ": ", why);
            }
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
