#include "cli/replays/output_targets.hpp"

#include "cli/terminal/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>

namespace agent_audit::cli {
namespace {

// "text, json or html"
std::string one_of(std::span<const std::string_view> words) {
    return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

}  // namespace

Result<std::vector<Target>> output_targets(std::span<const FlagValue> format_flag, std::span<const FlagValue> outputs,
                                           std::span<const std::string_view> formats) {
    const auto is_format = [&](std::string_view word) { return std::ranges::find(formats, word) != formats.end(); };
    const std::string format = format_flag.empty() ? "text" : format_flag.back().text;
    if (!is_format(format)) return Error{"--format = \"" + format + "\": expected " + one_of(formats)};
    std::vector<Target> targets;
    bool to_stdout = outputs.empty() || !format_flag.empty();
    for (const FlagValue& value : outputs) {
        const std::size_t equals = value.text.find('=');
        const std::string_view word = std::string_view(value.text).substr(0, equals);
        const bool named = equals != std::string::npos && equals > 0 &&
                           word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == word.npos;
        if (named && !is_format(word))
            return Error{"--output = \"" + value.text + "\": expected " + one_of(formats) + " before the ="};
        Target target{named ? std::string(word) : format, named ? value.text.substr(equals + 1) : value.text};
        if (target.path.empty()) return Error{"--output = \"" + value.text + "\": expected FILE or FORMAT=FILE"};
        if (std::ranges::find(targets, target.path, &Target::path) != targets.end())
            return Error{"--output = \"" + value.text + "\": expected each file once"};
        if (!named || target.path == "-") to_stdout = false;
        targets.push_back(std::move(target));
    }
    if (to_stdout) targets.push_back({format, "-"});
    return targets;
}

RenderOptions drawing_of(const Target& target, When color) {
    const bool on_stdout = target.path == "-";
    const Stream stream = on_stdout ? inspect_stream(STDOUT_FILENO, color) : inspect_file(color);
    return {.width = stream.width,
            .color = stream.color,
            .unicode = stream.unicode,
            .guard_ci = on_stdout && output_is_read_by_ci()};
}

ExitStatus written(Output& out) {
    const auto problem = out.finish();
    if (!problem) return ExitStatus::clean;
    if (out.broken_pipe()) return ExitStatus::broken_pipe;
    complain(problem->message);
    return ExitStatus::internal;
}

ExitStatus write_output(const Target& target, const std::string& text) {
    if (target.path == "-") return print(text);
    if (text.empty()) return ExitStatus::clean;
    Result<Output> out = Output::to_file(target.path);
    if (!out) {
        complain(out.error().message);
        return ExitStatus::internal;
    }
    out->write(text);
    return written(*out);
}

}  // namespace agent_audit::cli
