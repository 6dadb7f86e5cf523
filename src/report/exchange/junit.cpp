#include "report/all.hpp"
#include "report/escape/sanitize.hpp"
#include "report/escape/xml_text.hpp"
#include "report/exchange/test_points.hpp"
#include "report/words/reset_words.hpp"

#include <agent_audit/support/time.hpp>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>

namespace agent_audit::report {
namespace {

struct Counts {
    std::uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;

    Counts& operator+=(const Counts& o) {
        tests += o.tests;
        failures += o.failures;
        errors += o.errors;
        skipped += o.skipped;
        seconds += o.seconds;
        return *this;
    }
};

class StringWriter final : public pugi::xml_writer {
public:
    void write(const void* data, std::size_t size) override { text.append(static_cast<const char*>(data), size); }
    std::string text;
};

void set(pugi::xml_node node, const char* name, std::string_view value) {
    node.append_attribute(name) = xml_text(value).c_str();
}

void set_counts(pugi::xml_node node, const Counts& counts) {
    node.append_attribute("tests") = static_cast<unsigned long long>(counts.tests);
    node.append_attribute("failures") = static_cast<unsigned long long>(counts.failures);
    node.append_attribute("errors") = static_cast<unsigned long long>(counts.errors);
    node.append_attribute("skipped") = static_cast<unsigned long long>(counts.skipped);
    node.append_attribute("time") = fmt::format("{:.3f}", counts.seconds).c_str();
}

// How long the session took, by its own clock: that is what was tested.
double seconds_of(const SessionReport& session) {
    if (session.first_time_ms == kNoTime || session.last_time_ms <= session.first_time_ms) return 0;
    return static_cast<double>(session.last_time_ms - session.first_time_ms) / 1000.0;
}

// "loop/exact-repeat" is a test of the class agent-audit.loop.
std::string class_of(std::string_view rule) {
    return "agent-audit." + std::string(rule.substr(0, std::min(rule.find('/'), rule.size())));
}

class Suites {
public:
    Suites(const Report& report, const RenderOptions& options, const ByteSink& out)
        : report_(report), options_(options), words_(report, options, FindingWords::From::checkout), out_(out) {}

    // One suite in memory at a time. The sums of the first line need a look at all sessions before.
    void draw() {
        const auto found = findings_by_session(report_);
        const std::vector<BrokenInput> broken = broken_inputs(report_);
        Counts all;
        for (std::size_t i = 0; i < report_.sessions.size(); ++i) all += counts(i, points(i, found[i]));
        all.tests += broken.size() + report_.problems.size();
        all.errors += broken.size() + report_.problems.size();

        std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        pugi::xml_document document;
        pugi::xml_node suites = document.append_child("testsuites");
        suites.append_attribute("name") = "agent-audit";
        set_counts(suites, all);
        StringWriter opening;
        document.print(opening, "  ", pugi::format_default | pugi::format_no_declaration);
        // An empty element as the XML writer has it; what comes between goes before its end.
        head += opening.text.substr(0, opening.text.rfind("/>"));
        while (head.ends_with(' ')) head.pop_back();
        if (!out_(head + ">\n")) return;
        for (std::size_t i = 0; i < report_.sessions.size(); ++i) {
            if (!session(i, points(i, found[i]))) return;
        }
        for (const BrokenInput& input : broken) {
            if (!broken_input(words_.raw_path(input.input), words_.raw(input.error))) return;
        }
        for (const std::string& problem : report_.problems) {
            if (!broken_input("input", words_.raw(problem))) return;
        }
        out_("</testsuites>\n");
    }

private:
    std::vector<TestPoint> points(std::size_t session, const std::vector<const Finding*>& found) const {
        return test_points(report_, session, found, options_);
    }

    Counts counts(std::size_t session, const std::vector<TestPoint>& points) const {
        Counts sum{.tests = points.size()};
        for (const TestPoint& point : points) {
            sum.failures += point.outcome == TestPoint::Outcome::failed;
            sum.skipped += point.outcome == TestPoint::Outcome::skipped;
        }
        sum.seconds = seconds_of(report_.sessions[session]);
        return sum;
    }

    bool session(std::size_t index, const std::vector<TestPoint>& points) {
        const SessionReport& s = report_.sessions[index];
        pugi::xml_document document;
        pugi::xml_node suite = document.append_child("testsuite");
        set(suite, "name", words_.session_name(index));
        set_counts(suite, counts(index, points));
        if (options_.with_timing && s.first_time_ms != kNoTime) {
            constexpr std::size_t kFull = 24;  // longer: a year beyond 9999, which the schema's dates do not have
            const std::string time = format_time_ms(s.first_time_ms);
            if (time.size() == kFull && time[0] != '-') set(suite, "timestamp", std::string_view(time).substr(0, 19));
        }
        properties(suite, s);
        for (const TestPoint& point : points) test_case(suite, s, point);
        return put(document);
    }

    void properties(pugi::xml_node suite, const SessionReport& s) {
        pugi::xml_node list = suite.append_child("properties");
        const auto add = [&](const char* name, std::string_view value) {
            if (value.empty()) return;
            pugi::xml_node property = list.append_child("property");
            property.append_attribute("name") = name;
            set(property, "value", value);
        };
        add("session", words_.raw(s.id));
        add("format", words_.raw(s.format));
        add("model", words_.raw(s.model));
        add("steps", std::to_string(s.counts.steps));
        add("tokens_source", name(s.tokens.source));
        if (s.tokens.source != TokensSource::none) add("tokens", std::to_string(s.tokens.total.total()));
        if (const auto cost = s.tokens.cost.micro_dollars()) add("cost_microusd", std::to_string(*cost));
        for (const ResetSuggestion& reset : s.resets) {
            add("suggested_reset",
                fmt::format("{}; {}", reset_place(reset, LineWords(s)), words_.raw(reset_reason(reset, LineWords(s)))));
        }
    }

    void test_case(pugi::xml_node suite, const SessionReport& s, const TestPoint& point) {
        pugi::xml_node test = suite.append_child("testcase");
        set(test, "classname", class_of(point.rule));
        set(test, "name", point.rule);
        if (s.input < report_.inputs.size()) set(test, "file", words_.raw_path(s.input));
        if (!point.findings.empty()) {
            const auto lines = place_of(*point.findings.front(), report_).lines;
            if (lines) test.append_attribute("line") = static_cast<unsigned long long>(lines->first);
        }
        if (point.outcome == TestPoint::Outcome::skipped) {
            set(test.append_child("skipped"), "message", skip_reason(*point.skipped));
        }
        std::string failed;
        std::string told;
        const Finding* first_failure = nullptr;
        for (const Finding* f : point.findings) {
            const bool failing = fails(*f, options_);
            if (failing && !first_failure) first_failure = f;
            (failing ? failed : told) += block(*f);
        }
        if (point.failing_not_shown > 0) failed += not_shown_words(point.failing_not_shown, !first_failure) + "\n";
        if (point.told_not_shown > 0) told += not_shown_words(point.told_not_shown, told.empty()) + "\n";
        if (!failed.empty()) {
            pugi::xml_node failure = test.append_child("failure");
            set(failure, "type", point.rule);
            set(failure, "message",
                first_failure ? words_.raw(first_failure->message) : not_shown_words(point.failing_not_shown, true));
            failure.text() = xml_text(failed).c_str();
        }
        if (!told.empty()) test.append_child("system-out").text() = xml_text(told).c_str();
    }

    // Plain text: where, what, and everything that shows it. The XML writer and xml_text() make it safe.
    std::string block(const Finding& f) {
        std::string out =
            fmt::format("{}: {} [{}]\n  {}\n", words_.place(f), name(f.severity), f.rule, words_.raw(f.message));
        for (const FactWords& fact : words_.facts(f)) out += fmt::format("  {}: {}\n", fact.label, fact.text);
        return out;
    }

    // Some sessions of the input may have been read, and have suites with its name.
    bool broken_input(const std::string& name, const std::string& error) {
        pugi::xml_document document;
        pugi::xml_node suite = document.append_child("testsuite");
        set(suite, "name", name + fmt::format(" (input {})", ++broken_));
        set_counts(suite, {.tests = 1, .errors = 1});
        pugi::xml_node test = suite.append_child("testcase");
        test.append_attribute("classname") = "agent-audit.input";
        test.append_attribute("name") = "input/readable";
        set(test, "file", name);
        set(test.append_child("error"), "message", error);
        return put(document);
    }

    bool put(const pugi::xml_document& document) {
        StringWriter writer;
        document.first_child().print(writer, "  ", pugi::format_default, pugi::encoding_utf8, 1);
        return out_(options_.guard_ci ? guarded(writer.text) : writer.text);
    }

    static std::string guarded(std::string_view text) {
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            out += without_ci_commands(text.substr(at, end - at)) + "\n";
            at = end + 1;
        }
        return out;
    }

    const Report& report_;
    const RenderOptions& options_;
    FindingWords words_;
    const ByteSink& out_;
    std::size_t broken_ = 0;
};

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    Suites(report, options, out).draw();
}

}  // namespace

RendererSpec junit() { return {"junit", "JUnit XML: a suite each session, a test each rule", render}; }

}  // namespace agent_audit::report
