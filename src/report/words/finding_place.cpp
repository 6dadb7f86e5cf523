#include "report/words/finding_place.hpp"

#include "report/words/line_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::report {
namespace {

FileLines own_lines(const Finding& f) {
    const std::uint64_t first = std::max<std::uint64_t>(f.first_line, 1);
    return {first, std::max(first, f.last_line)};
}

std::string span(FileLines lines) {
    return lines.first == lines.last ? fmt::format("{}", lines.first) : fmt::format("{}-{}", lines.first, lines.last);
}

bool counts_records(const Finding& f, const Report& report) {
    if (f.session >= report.sessions.size()) return false;
    const std::size_t input = report.sessions.input(f.session);
    return input < report.inputs.size() && report.inputs[input].counts_records;
}

}  // namespace

FindingPlace place_of(const Finding& f, const Report& report) {
    const FileLines own = own_lines(f);
    if (!counts_records(f, report)) return {own, false};
    // The only line of a log, or an array with a record a line.
    const bool same = f.file_lines && f.file_lines->first == own.first && f.file_lines->last == own.last;
    return {f.file_lines, !same};
}

std::string place_words(std::string_view path, FileLines own, const FindingPlace& place) {
    const std::string at = place.lines ? fmt::format("{}:{}", path, span(*place.lines)) : std::string(path);
    if (!place.counted) return at;
    return fmt::format("{} (record{} {})", at, own.first == own.last ? "" : "s", span(own));
}

std::string place_words(std::string_view path, const Finding& f, const FindingPlace& place) {
    return place_words(path, own_lines(f), place);
}

std::string line_place(std::string_view path, std::uint64_t line, const InputReport& input) {
    return input.counts_records ? fmt::format("{} (record {})", path, line) : fmt::format("{}:{}", path, line);
}

std::string line_words(std::uint64_t line, const FindingPlace& place) { return LineWords(place.counted).one(line); }

std::string own_reset_words(std::uint64_t reset_line, const FindingPlace& place) {
    if (reset_line == 0) return "from the start, as far as this finding goes";
    return fmt::format("after {}, as far as this finding goes", line_words(reset_line, place));
}

}  // namespace agent_audit::report
