#include "report/all.hpp"
#include "report/escape/sanitize.hpp"
#include "report/exchange/test_points.hpp"
#include "report/json/json_writer.hpp"

#include <fmt/format.h>

namespace agent_audit::report {
namespace {

// In a description a # begins a directive and a \ escapes.
std::string description(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '#' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

// A JSON string is a YAML scalar in which nothing has a meaning of its own.
std::string yaml_text(std::string_view text) {
    std::string out;
    const ByteSink sink = [&](std::string_view piece) {
        out += piece;
        return true;
    };
    JsonWriter json(sink, true);
    json.text(text);
    json.flush();
    return out;
}

class Points {
public:
    Points(const Report& report, const RenderOptions& options, const ByteSink& out)
        : report_(report), options_(options), words_(report, options), out_(out) {}

    void draw() {
        const auto found = findings_by_session(report_);
        const std::vector<BrokenInput> broken = broken_inputs(report_);
        std::size_t plan = broken.size() + report_.problems.size();
        for (std::size_t i = 0; i < report_.sessions.size(); ++i) plan += points(i, found[i]).size();
        put(fmt::format("TAP version 14\n1..{}{}\n", plan, plan == 0 ? " # SKIP no session found" : ""));
        for (std::size_t i = 0; i < report_.sessions.size() && !gone_; ++i) {
            for (const TestPoint& point : points(i, found[i])) one(words_.session_name(i), point);
        }
        for (const BrokenInput& input : broken) unreadable(words_.path(input.input), words_.line(input.error));
        for (const std::string& problem : report_.problems) unreadable("input", words_.line(problem));
    }

private:
    std::vector<TestPoint> points(std::size_t session, const std::vector<const Finding*>& found) const {
        return test_points(report_, session, found, options_);
    }

    void one(const std::string& session, const TestPoint& point) {
        const bool failed = point.outcome == TestPoint::Outcome::failed;
        std::string line = head(failed, session + ": " + words_.line(point.rule));
        if (point.outcome == TestPoint::Outcome::skipped) line += " # SKIP " + skip_reason(*point.skipped);
        put(line + "\n");
        const std::uint64_t not_shown = point.failing_not_shown + point.told_not_shown;
        if (point.findings.empty() && not_shown == 0) return;
        std::string yaml = "  ---\n";
        const std::string rest = not_shown_words(not_shown, point.findings.empty());
        // What made it fail, where something did.
        const auto failing =
            std::ranges::find_if(point.findings, [this](const Finding* f) { return fails(*f, options_); });
        const Finding* told = failing != point.findings.end() ? *failing
                              : point.findings.empty()        ? nullptr
                                                              : point.findings.front();
        yaml += fmt::format("  message: {}\n", yaml_text(told ? words_.message(*told) : rest));
        yaml += fmt::format("  severity: {}\n", failed ? "fail" : "comment");
        if (!point.findings.empty()) yaml += "  findings:\n";
        for (const Finding* f : point.findings) yaml += entry(*f);
        if (not_shown > 0 && !point.findings.empty()) yaml += fmt::format("  rest: {}\n", yaml_text(rest));
        put(yaml + "  ...\n");
    }

    std::string entry(const Finding& f) {
        std::string out =
            fmt::format("    - message: {}\n      level: {}\n      confidence: {}\n      at: {}\n",
                        yaml_text(words_.message(f)), name(f.severity), f.confidence, yaml_text(words_.place(f)));
        out += "      facts:\n";
        for (const FactWords& fact : words_.facts(f)) {
            out += fmt::format("        - {}\n", yaml_text(fact.label + ": " + fact.text));
        }
        return out;
    }

    void unreadable(const std::string& name, const std::string& error) {
        put(head(true, name + ": input/readable") +
            fmt::format("\n  ---\n  message: {}\n  severity: fail\n  ...\n", yaml_text(error)));
    }

    std::string head(bool failed, const std::string& text) {
        return fmt::format("{} {} - {}", failed ? "not ok" : "ok", ++number_, description(text));
    }

    void put(std::string_view text) {
        if (gone_) return;
        gone_ = !out_(options_.guard_ci ? without_ci_commands(text) : std::string(text));
    }

    const Report& report_;
    const RenderOptions& options_;
    FindingWords words_;
    const ByteSink& out_;
    std::size_t number_ = 0;
    bool gone_ = false;
};

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    Points(report, options, out).draw();
}

}  // namespace

RendererSpec tap() { return {"tap", "TAP 14: a test point each session and rule", render}; }

}  // namespace agent_audit::report
