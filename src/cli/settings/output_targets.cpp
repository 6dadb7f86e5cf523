#include "cli/settings/output_targets.hpp"

#include "cli/settings/flag_values.hpp"
#include "cli/terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace agent_audit::cli {
namespace {

// The format that the ending of a file name speaks of; null: none, or several.
const RendererSpec* format_of_ending(std::string_view path) {
    constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
        {".sarif", "sarif"}, {".xml", "junit"}, {".json", "json"},   {".ndjson", "ndjson"}, {".jsonl", "ndjson"},
        {".csv", "csv"},     {".tap", "tap"},   {".md", "markdown"}, {".html", "html"}};
    for (const auto& [ending, format] : kEndings) {
        if (path.ends_with(ending)) return find_renderer(format);
    }
    return nullptr;
}

// Who names a file result.json and no format gets text, and another step would be the first to notice.
void say_surprising_text(const OutputTarget& target) {
    const RendererSpec* meant = format_of_ending(target.path);
    if (meant)
        hint(fmt::format("agent-audit: {} will hold text; '-o {}={}' writes {}", target.path, meant->id, target.path,
                         meant->id));
}

}  // namespace

Problem format_value(const FlagValue& value, const RendererSpec*& out) {
    out = find_renderer(value.text);
    if (out) return std::nullopt;
    std::vector<std::string_view> ids;
    std::string all;
    for (const RendererSpec& spec : all_renderers()) {
        ids.push_back(spec.id);
        all += (all.empty() ? "" : ", ") + std::string(spec.id);
    }
    return expected(value, "one of " + all, ids);
}

Problem output_value(const FlagValue& value, std::vector<OutputTarget>& out) {
    const std::size_t equals = value.text.find('=');
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    OutputTarget target{nullptr, value.text};
    if (equals != value.text.npos && equals > 0 &&
        std::all_of(value.text.begin(), value.text.begin() + static_cast<std::ptrdiff_t>(equals), is_letter)) {
        if (auto problem = format_value({value.text.substr(0, equals), value.origin}, target.format)) return problem;
        target.path = value.text.substr(equals + 1);
    }
    if (target.path.empty()) return expected(value, "FILE or FORMAT=FILE");
    const auto same = [&](const OutputTarget& other) { return other.path == target.path; };
    if (std::ranges::any_of(out, same)) return expected(value, "each file once");
    out.push_back(std::move(target));
    return std::nullopt;
}

Problem two_formats(std::span<const OutputTarget> outputs, const RendererSpec& format) {
    if (std::ranges::any_of(outputs, [](const OutputTarget& target) { return !target.format; })) return std::nullopt;
    for (const OutputTarget& target : outputs) {
        if (target.path != "-" || target.format == &format) continue;
        return Error{
            fmt::format("--format {} and --output {}=-: which goes to standard output?", format.id, target.format->id)};
    }
    return std::nullopt;
}

void settle_outputs(std::vector<OutputTarget>& outputs, const RendererSpec* format) {
    const bool replaced =
        std::ranges::any_of(outputs, [](const OutputTarget& target) { return !target.format || target.path == "-"; });
    if (outputs.empty() || (format && !replaced)) outputs.push_back({format, "-"});
    for (OutputTarget& target : outputs) {
        if (!target.format && !format) say_surprising_text(target);
        if (!target.format) target.format = format ? format : find_renderer("text");
    }
}

}  // namespace agent_audit::cli
