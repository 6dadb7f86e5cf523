#include "support/format_checkers.hpp"
#include "support/report_builder.hpp"

#include <doctest/doctest.h>

#include <map>
#include <regex>

using namespace agent_audit;
using test::rendered;
using test::Seen;
using Json = nlohmann::json;

namespace {

constexpr RenderOptions kOptions{.redact = Redact::none, .tool_version = "9.9"};

/// Several inputs and sessions, rules and severities; two findings of one rule in one session, one about no line.
Report several() {
    test::ReportBuilder builder;
    builder.input("logs/a.jsonl").session("aaaa-1", 100);
    builder.finding(Severity::error, "loop/exact-repeat", 3, 9);
    builder.finding(Severity::warning, "loop/exact-repeat", 20, 29).finding_fingerprint = std::string(32, '2');
    builder.finding(Severity::info, "context/reread", 4, 4).finding_fingerprint = std::string(32, '3');
    builder.session("aaaa-2");
    builder.finding(Severity::error, "budget/limits", 0, 0).finding_fingerprint = std::string(32, '4');
    builder.input("logs/b.jsonl").session("bbbb-1", 100);
    builder.finding(Severity::warning, "loop/cycle", 7, 8).finding_fingerprint = std::string(32, '5');
    builder.input("logs/clean.jsonl").session("cccc-1", 100);
    Report report = std::move(builder.report());
    report.rules = {
        {"budget/limits", 1, 0}, {"context/reread", 1, 0}, {"loop/cycle", 1, 0}, {"loop/exact-repeat", 2, 0}};
    return report;
}

std::vector<Seen> expected(const Report& report) {
    std::vector<Seen> all;
    for (const Finding& f : report.findings) {
        all.push_back({f.rule, report.inputs[report.sessions[f.session].input].path, std::string(name(f.severity)),
                       std::max<std::uint64_t>(f.first_line, 1)});
    }
    return all;
}

std::string severity_of(const std::string& word) {
    static const std::map<std::string, std::string> words{{"note", "info"},     {"none", "info"},
                                                          {"notice", "info"},   {"major", "error"},
                                                          {"blocker", "error"}, {"minor", "warning"}};
    const auto found = words.find(word);
    return found == words.end() ? word : found->second;
}

std::vector<Seen> in_result(const std::vector<Json>& findings) {
    std::vector<Seen> all;
    for (const Json& f : findings) {
        all.push_back({f["rule"], f["path"], f["severity"],
                       std::max<std::uint64_t>(f["span"]["first_line"].get<std::uint64_t>(), 1)});
    }
    return all;
}

std::vector<Seen> in_json(const std::string& out) {
    const Json result = Json::parse(out);
    return in_result({result["findings"].begin(), result["findings"].end()});
}

std::vector<Seen> in_ndjson(const std::string& out) {
    std::vector<Json> findings;
    for (const std::string& line : test::lines_of(out)) {
        Json part = Json::parse(line);
        if (part["kind"] == "finding") findings.push_back(std::move(part));
    }
    return in_result(findings);
}

std::vector<Seen> in_sarif(const std::string& out) {
    std::vector<Seen> all;
    const Json sarif = Json::parse(out);
    const Json& run = sarif["runs"][0];
    for (const Json& r : run["results"]) {
        CHECK(run["tool"]["driver"]["rules"][r["ruleIndex"].get<std::size_t>()]["id"] == r["ruleId"]);
        const Json& place = r["locations"][0]["physicalLocation"];
        all.push_back(
            {r["ruleId"], place["artifactLocation"]["uri"], severity_of(r["level"]), place["region"]["startLine"]});
    }
    return all;
}

// The place and severity of each finding stand in the text of its test.
std::vector<Seen> in_block(const std::string& text) {
    static const std::regex form(R"((.+?):(\d+)(?:-\d+)?: (error|warning|info) \[(.+)\])");
    std::vector<Seen> all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (!line.starts_with(' ') && std::regex_match(line, match, form))
            all.push_back({match[4], match[1], match[3], std::stoull(match[2])});
    }
    return all;
}

std::vector<Seen> in_junit(const std::string& out) {
    pugi::xml_document document;
    test::load_xml(document, out);
    std::vector<Seen> all;
    for (const auto& test : document.select_nodes("//testcase")) {
        for (const char* part : {"failure", "system-out"}) {
            for (Seen& seen : in_block(test.node().child(part).text().get())) {
                CHECK(seen.rule == test.node().attribute("name").value());
                all.push_back(std::move(seen));
            }
        }
    }
    return all;
}

std::vector<Seen> in_tap(const std::string& out) {
    std::vector<Seen> all;
    for (const test::TapPoint& point : test::read_tap(out)) {
        const std::string rule = point.description.substr(point.description.rfind(": ") + 2);
        std::string level;
        for (const std::string& line : point.yaml) {
            if (line.starts_with("      level: ")) level = line.substr(13);
            if (!line.starts_with("      at: ")) continue;
            const std::string place = Json::parse(line.substr(10));
            const std::size_t colon = place.rfind(':');
            all.push_back({rule, place.substr(0, colon), level, std::stoull(place.substr(colon + 1))});
        }
    }
    return all;
}

std::vector<Seen> in_github(const std::string& out) {
    std::vector<Seen> all;
    for (const test::Annotation& a : test::read_github(out)) {
        const std::string title = a.property("title");
        all.push_back({title.substr(0, title.find(" (")), a.property("file"), severity_of(a.command),
                       std::stoull(a.property("line"))});
    }
    return all;
}

std::vector<Seen> in_gitlab(const std::string& out) {
    std::vector<Seen> all;
    for (const Json& e : Json::parse(out)) {
        all.push_back(
            {e["check_name"], e["location"]["path"], severity_of(e["severity"]), e["location"]["lines"]["begin"]});
    }
    return all;
}

std::vector<Seen> in_csv(const std::string& out) {
    std::vector<Seen> all;
    const auto rows = test::read_csv(out);
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
    };
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const auto& row = rows[i];
        all.push_back({row[column("rule")], row[column("path")], row[column("severity")],
                       std::stoull(row[column("first_line")])});
    }
    return all;
}

std::vector<Seen> in_markdown(const std::string& out) {
    static const std::regex heading(R"(#### (error|warning|info): ([^ ]+) \(AA\d+\))");
    static const std::regex place(R"(At ` (.+):(\d+)(?:-\d+)? `, .*)");
    std::vector<Seen> all;
    for (const std::string& line : test::lines_of(out)) {
        std::smatch match;
        if (std::regex_match(line, match, heading)) all.push_back({match[2], "", match[1], 0});
        if (!std::regex_match(line, match, place)) continue;
        all.back().path = match[1];
        all.back().line = std::stoull(match[2]);
    }
    return all;
}

std::vector<Seen> in_text(const std::string& out) {
    static const std::regex heading(R"((error|warning|info)  ([^ ]+) \(AA\d+\).*)");
    static const std::regex place(R"(  (logs/[^ ]+):(\d+)(?:-\d+)?(?:, .*)?)");
    std::vector<Seen> all;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_match(line, match, heading)) all.push_back({match[2], "", match[1], 0});
        if (all.empty() || all.back().line != 0 || !std::regex_match(line, match, place)) continue;
        all.back().path = match[1];
        all.back().line = std::max<std::uint64_t>(std::stoull(match[2]), 1);
    }
    return all;
}

const std::map<std::string, std::vector<Seen> (*)(const std::string&), std::less<>> kReaders{
    {"text", in_text},
    {"json", in_json},
    {"ndjson", in_ndjson},
    {"sarif", in_sarif},
    {"junit", in_junit},
    {"tap", in_tap},
    {"github", in_github},
    {"gitlab", in_gitlab},
    {"csv", in_csv},
    {"markdown", in_markdown},
    {"compact", [](const std::string& out) { return test::read_compact(out); }},
};

}  // namespace

TEST_SUITE("agreement") {
    TEST_CASE("every format tells the same findings, at the same places, as bad as they are") {
        const Report report = several();
        std::vector<Seen> all = expected(report);
        std::ranges::sort(all);
        int read = 0;
        for (const RendererSpec& format : all_renderers()) {
            CAPTURE(format.id);
            const auto reader = kReaders.find(format.id);
            if (reader == kReaders.end()) continue;  // read by a test of its own
            std::vector<Seen> seen =
                reader->second(rendered(report, format.id, {.verbosity = 1, .redact = Redact::none}));
            std::ranges::sort(seen);
            CHECK(seen == all);
            ++read;
        }
        CHECK(read == static_cast<int>(kReaders.size()));
    }

    TEST_CASE("a clean run is told in every format, without a finding") {
        test::ReportBuilder builder;
        builder.input("logs/a.jsonl").session("aaaa-1", 100);
        builder.report().rules = {{"loop/cycle", 0, 0}};
        for (const auto& entry : kReaders) {
            CAPTURE(entry.first);
            CHECK(entry.second(rendered(builder.report(), entry.first, kOptions)).empty());
        }
    }
}
