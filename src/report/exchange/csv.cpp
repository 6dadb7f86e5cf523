#include "report/all.hpp"
#include "report/escape/sanitize.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/finding_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace agent_audit::report {
namespace {

constexpr std::string_view kHeader =
    "rule,code,severity,confidence,path,first_line,last_line,session_id,lane,message,repeats,wasted_steps,"
    "wasted_tokens,tokens_source,wasted_cost_microusd,reset_line,action,finding_fingerprint,pattern_fingerprint,"
    "session,first_file_line,last_file_line\r\n";

// What a spreadsheet would take for a formula; the wide forms count as well where they are typed every day.
bool starts_a_formula(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\xC2\xA0"), text.size()));
    for (const std::string_view mark : {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
        if (text.starts_with(mark)) return true;
    }
    return false;
}

// Always quoted: a separator of another country's spreadsheet is data as well.
void text(std::string& row, std::string_view value) {
    row += '"';
    if (starts_a_formula(value)) row += '\'';
    for (const char c : value) row.append(c == '"' ? 2 : 1, c);
    row += "\",";
}

void number(std::string& row, std::uint64_t value) { row += fmt::format("{},", value); }

// Unknown is an empty cell, never 0.
void known(std::string& row, bool is_known, std::uint64_t value) {
    if (is_known)
        number(row, value);
    else
        row += ',';
}

std::string row_of(const Finding& f, FindingWords& words) {
    const Report& report = words.report();
    const bool counted = f.wasted_tokens && f.tokens_source != TokensSource::none;
    std::string row;
    text(row, words.line(f.rule));
    text(row, words.line(f.code));
    text(row, name(f.severity));
    row += fmt::format("{},", f.confidence);
    text(row, words.path_of(f));
    number(row, std::max<std::uint64_t>(f.first_line, 1));
    number(row, std::max<std::uint64_t>({f.first_line, f.last_line, 1}));
    text(row, f.session < report.sessions.size() ? words.line(report.sessions.id(f.session)) : std::string());
    number(row, f.lane);
    text(row, words.message(f));
    known(row, f.repeats > 0, f.repeats);
    known(row, f.wasted_steps > 0, f.wasted_steps);
    known(row, counted, counted ? f.wasted_tokens->total() : 0);
    text(row, counted ? name(f.tokens_source) : "");
    known(row, f.wasted_cost_microusd.has_value(), f.wasted_cost_microusd.value_or(0));
    known(row, f.reset_line.has_value(), f.reset_line.value_or(0));
    text(row, words.line(f.action));
    text(row, words.line(identity(f, report)));
    text(row, words.line(f.pattern_fingerprint));
    known(row, f.session < report.sessions.size(), f.session);
    // Where records are counted, the lines of the file.
    const FindingPlace place = place_of(f, report);
    known(row, place.lines.has_value(), place.lines ? place.lines->first : 0);
    known(row, place.lines.has_value(), place.lines ? place.lines->last : 0);
    row.pop_back();
    return row;
}

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    FindingWords words(report, options);
    if (!out(kHeader)) return;
    for (const Finding& f : report.findings) {
        std::string row = row_of(f, words);
        if (options.guard_ci) row = without_ci_commands(row);
        if (!out(row + "\r\n")) return;
    }
}

}  // namespace

RendererSpec csv() { return {"csv", "one finding a row (RFC 4180), no cell is a formula", render}; }

}  // namespace agent_audit::report
