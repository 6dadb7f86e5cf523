#include "report/all.hpp"
#include "report/escape/sanitize.hpp"
#include "report/words/finding_words.hpp"
#include "report/words/human.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <array>

namespace agent_audit::report {
namespace {

constexpr std::size_t kShown = 10;  // annotations of one kind that GitHub shows for a step

// Inside a command nothing may end the line, and the old "##[" form is looked for anywhere in it.
std::string escape(std::string_view text, bool property) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '%': out += "%25"; break;
            case '\r': out += "%0D"; break;
            case '\n': out += "%0A"; break;
            case ':': out += property ? "%3A" : ":"; break;
            case ',': out += property ? "%2C" : ","; break;
            default: out += c;
        }
    }
    return without_ci_commands(out);
}

std::string_view command(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::info: return "notice";
    }
    return "notice";
}

std::string annotation(const Finding& f, FindingWords& words) {
    const Report& report = words.report();
    std::string out = fmt::format("::{} ", command(f.severity));
    const bool known = f.session < report.sessions.size() && report.sessions.input(f.session) < report.inputs.size();
    if (known && report.inputs[report.sessions.input(f.session)].path != "-") {
        out += fmt::format("file={},", escape(words.path_of(f), true));
        if (const auto lines = place_of(f, report).lines)
            out += fmt::format("line={},endLine={},", lines->first, lines->last);
    }
    const std::string title = f.code.empty() ? f.rule : fmt::format("{} ({})", f.rule, f.code);
    out += fmt::format("title={}::", escape(words.line(title), true));
    out += escape(words.told(f), false);
    if (!f.action.empty()) out += "%0A" + escape(words.line(f.action), false);
    return out + "\n";
}

// What could not be read is no finding, and yet the step must say why it failed: in one annotation, for there is room
// for few. Empty: everything could be read.
std::string problems(const Report& report, FindingWords& words) {
    constexpr std::size_t kNamed = 100;
    const std::size_t all = input_problems(report);
    std::size_t named = 0;
    std::string lines;
    const auto name = [&](const std::string& text) {
        if (++named <= kNamed) lines += (lines.empty() ? "" : "%0A") + escape(text, false);
    };
    for (const std::string& problem : report.problems) name(words.line(problem));
    for (std::size_t i = 0; i < report.inputs.size(); ++i) {
        if (const auto& error = report.inputs[i].error) name(words.path(i) + ": " + words.line(*error));
    }
    if (all == 0) return {};
    if (all > kNamed) lines += "%0Aand " + count_of(all - kNamed, "more input") + " like these";
    return fmt::format("::error title=agent-audit (input)::{}\n", lines);
}

// What the run says of itself, in one annotation: a gate that did not check what it was asked to must say so.
std::string warnings(const Report& report, FindingWords& words) {
    std::string lines;
    for (const Note& note : report.notes) {
        if (note.severity == Severity::warning)
            lines += (lines.empty() ? "" : "%0A") + escape(words.line(note.text), false);
    }
    return lines.empty() ? lines : fmt::format("::warning title=agent-audit::{}\n", lines);
}

// Of each kind as many as are shown; the place of the last notice is for the count of the rest.
void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    FindingWords words(report, options, FindingWords::From::checkout);
    const std::array<std::uint64_t, 3> total = counted_findings(report);
    std::array<std::size_t, 3> room{kShown, kShown, kShown};
    if (const std::string unread = problems(report, words); !unread.empty()) {
        if (!out(unread)) return;
        --room[static_cast<std::size_t>(Severity::error)];
    }
    if (const std::string said = warnings(report, words); !said.empty()) {
        if (!out(said)) return;
        --room[static_cast<std::size_t>(Severity::warning)];
    }
    bool cut = false;
    for (std::size_t kind = 0; kind < total.size(); ++kind) cut |= total[kind] > room[kind];
    const auto notices = static_cast<std::size_t>(Severity::info);
    if (cut) room[notices] = kShown - 1;

    std::array<std::uint64_t, 3> left = total;
    for (const Finding* f : worst_first(report)) {
        const auto kind = static_cast<std::size_t>(f->severity);
        if (room[kind] == 0) continue;
        --room[kind];
        --left[kind];
        if (!out(annotation(*f, words))) return;
    }
    const std::uint64_t rest = left[0] + left[1] + left[2];
    if (rest == 0) return;
    out(fmt::format("::notice title=agent-audit::{} not shown here ({}, {}, {})\n", count_of(rest, "more finding"),
                    count_of(left[2], "error"), count_of(left[1], "warning"), count_of(left[0], "note")));
}

}  // namespace

RendererSpec github() {
    return {"github", "GitHub Actions annotations: at most 10 of a kind, the rest is counted", render};
}

}  // namespace agent_audit::report
