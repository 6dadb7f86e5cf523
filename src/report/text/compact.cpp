#include "report/all.hpp"
#include "report/escape/sanitize.hpp"
#include "report/words/finding_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::report {
namespace {

// A path may not look like a place of its own: who reads the line takes the first ":12:" for the end of the path.
std::string unambiguous(std::string_view path) {
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const std::size_t digits = std::min(path.find_first_not_of("0123456789", i + 1), path.size());
        const bool place = path[i] == ':' && digits > i + 1 && (digits == path.size() || path[digits] == ':');
        if (place)
            out += "\\x3a";
        else
            out += path[i];
    }
    return out;
}

// The form of a compiler's message: editors and problem matchers jump to it.
void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    FindingWords words(report, options);
    for (const Finding& f : report.findings) {
        const std::string line =
            fmt::format("{}:{}:1: {}: {} [{}]", unambiguous(words.path_of(f)), some_lines(f, report).first,
                        name(f.severity), words.told(f), words.line(f.rule));
        if (!out((options.guard_ci ? without_ci_commands(line) : line) + "\n")) return;
    }
}

}  // namespace

RendererSpec compact() {
    return {"compact", "one line a finding, path:line:1: severity: message [rule], as compilers do", render,
            Redact::secrets};
}

}  // namespace agent_audit::report
