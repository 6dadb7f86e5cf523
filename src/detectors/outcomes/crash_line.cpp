#include "detectors/outcomes/crash_line.hpp"

#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 400;  // bytes of a line

// NoMethodError, Errno::ENOENT, Ecto.NoResultsError
bool is_class_name(std::string_view text) {
    return !text.empty() && is_upper(text[0]) &&
           std::ranges::all_of(text, [](char c) { return is_word(c) || c == ':' || c == '.'; });
}

// "** (RuntimeError) no such shop". Who writes "** (Note) …" means nothing of the kind.
bool is_of_elixir(std::string_view line) {
    constexpr std::string_view kOpen = "** (", kOthers[] = {"EXIT from #PID<", "exit) ", "throw) ", "Mix) "};
    if (!line.starts_with(kOpen)) return false;
    line.remove_prefix(kOpen.size());
    if (std::ranges::any_of(kOthers, [line](std::string_view other) { return line.starts_with(other); })) return true;
    const std::string_view name = line.substr(0, line.find(')'));
    return is_class_name(name) && name.find(':') == name.npos && name.ends_with("Error");
}

// "bin/report:4:in 'Object#total': undefined method 'price' for nil (NoMethodError)"
bool is_of_ruby(std::string_view line) {
    constexpr std::string_view kIn = ":in ", kQuotes = "`'";
    const std::size_t in = line.find(kIn), quote = in + kIn.size();
    if (in == line.npos || in == 0 || quote >= line.size() || !is_digit(line[in - 1]) ||
        kQuotes.find(line[quote]) == kQuotes.npos || line.substr(0, in).find(' ') != line.npos)
        return false;
    if (line.find("': ", quote + 1) == line.npos || !line.ends_with(')')) return false;
    line.remove_suffix(1);
    const std::size_t open = line.rfind(" (");
    return open != line.npos && is_class_name(line.substr(open + 2));
}

}  // namespace

bool begins_with_crash(std::string_view text) {
    constexpr std::string_view kElixir = "** (", kIn = ":in ";
    text = text.substr(0, kLongest);
    // Nearly all answers are told by their first word: that of Ruby names a line.
    std::size_t at = 0;
    while (at < text.size() && text[at] != ' ' && text[at] != ':') ++at;
    const std::size_t line = at;
    while (at + 1 < text.size() && is_digit(text[at + 1])) ++at;
    const bool of_line = at > line && text.substr(at + 1).starts_with(kIn);
    if (!of_line && !text.starts_with(kElixir)) return false;
    text = text.substr(0, text.find('\n'));
    text = text.substr(0, text.find("\\n"));
    return of_line ? is_of_ruby(text) : is_of_elixir(text);
}

}  // namespace agent_audit::detectors
