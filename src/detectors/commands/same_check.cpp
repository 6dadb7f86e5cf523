#include "detectors/commands/same_check.hpp"

#include "detectors/outcomes/other_thing.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::detectors {
namespace {

// They only lead to what is run, and so do the words behind some of them: `bundle exec`, `uv run`, `sh -c`.
constexpr std::string_view kLeads[] = {"sudo",    "doas",   "env",    "time",   "timeout", "nohup", "nice", "exec",
                                       "command", "bundle", "npx",    "bunx",   "uv",      "uvx",   "run",  "poetry",
                                       "pipenv",  "pdm",    "hatch",  "python", "python3", "py",    "sh",   "bash",
                                       "zsh",     "dash",   "source", ".",      "winpty"};
// `--tb=short`, `--maxfail=1`: of these the value says how it is run. Of all others it may say what is: `-run=TestA`.
constexpr std::string_view kOfManner[] = {
    "tb",       "maxfail",     "color",     "colour",        "timeout", "j",         "jobs",     "n",
    "reporter", "verbosity",   "log-level", "loglevel",      "format",  "durations", "count",    "cov",
    "workers",  "max-workers", "retries",   "progress",      "output",  "pretty",    "junitxml", "seed",
    "parallel", "threads",     "verbose",   "log-cli-level", "capture", "cache"};

// What ends a word: 1, and a command: 2; what words stand between: 4.
constexpr auto kEnds = [] {
    std::array<std::uint8_t, 256> ends{};
    for (const char c : std::string_view(" \t")) ends[static_cast<unsigned char>(c)] = 1;
    for (const char c : std::string_view("|;&\n")) ends[static_cast<unsigned char>(c)] = 2;
    for (const char c : std::string_view("\"'`()")) ends[static_cast<unsigned char>(c)] = 4;
    return ends;
}();
bool ends_word(char c) { return (kEnds[static_cast<unsigned char>(c)] & 3) != 0; }
bool is_quote(char c) { return kEnds[static_cast<unsigned char>(c)] == 4; }
bool ends_command(char c) { return kEnds[static_cast<unsigned char>(c)] == 2; }

std::size_t word_end(std::string_view line, std::size_t at) {
    while (at < line.size() && !ends_word(line[at])) ++at;
    return at;
}

std::string_view base_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }  // npos + 1 = 0

bool leads(std::string_view word) {
    constexpr std::size_t kLongest = 7;
    const std::string_view name = base_name(word);
    return name.size() <= kLongest && std::ranges::any_of(kLeads, [name](std::string_view lead) {
               return lead.size() == name.size() && lead.front() == name.front() && lead == name;
           });
}

// A=1, V=1
bool is_setting(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != word.npos && equals > 0 && !is_digit(word[0]) &&
           std::ranges::all_of(word.substr(0, equals), is_word);
}

// 60, 5m: how long.
bool is_amount(std::string_view word) {
    const std::size_t digits = std::min(word.find_first_not_of("0123456789."), word.size());
    return digits > 0 && word.size() - digits <= 1;
}

/// What a command line runs and what it hands to that.
struct Run {
    static constexpr std::size_t kMost = 12;

    std::array<std::string_view, kMost> programs, things;
    std::size_t program_count = 0, thing_count = 0;
    bool whole = true;

    explicit Run(std::string_view line);

private:
    void add(std::string_view word, bool program) {
        std::size_t& count = program ? program_count : thing_count;
        whole = whole && count < kMost;
        if (whole) (program ? programs : things)[count++] = word;
    }
    void add_flag(std::string_view word);
};

// The value of a flag that says what is checked is a thing like others: `--workspace=a`.
void Run::add_flag(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return;
    std::string_view name = word.substr(0, equals);
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    const bool of_manner = std::ranges::any_of(kOfManner, [name](std::string_view one) { return name == one; });
    if (!of_manner) add(word.substr(equals + 1), false);
}

// "./d.sh", "$PWD/d.sh", "app:v4" are d.sh and app.
std::string_view bare(std::string_view word) {
    constexpr std::string_view kHere[] = {"./", "$PWD/", "${PWD}/"};
    while (!word.empty() && is_quote(word.front())) word.remove_prefix(1);
    while (!word.empty() && is_quote(word.back())) word.remove_suffix(1);
    if (word.empty()) return word;
    if (word.front() == '.' || word.front() == '$') {
        for (const std::string_view here : kHere) {
            if (word.starts_with(here) && word.size() > here.size()) word.remove_prefix(here.size());
        }
    }
    const std::size_t colon = word.rfind(':');
    if (colon == word.npos || colon == 0) return word;
    std::string_view version = word.substr(colon + 1);
    if (version.starts_with('v')) version.remove_prefix(1);
    const bool tag = version == "latest" || (!version.empty() && std::ranges::all_of(version, is_digit));
    return tag ? word.substr(0, colon) : word;
}

Run::Run(std::string_view line) {
    bool begins = true, printed = false;
    for (std::size_t at = 0; at < line.size();) {
        if (ends_command(line[at])) {
            // What is piped into `tail` is shown, not run; what stands behind `&&` is.
            printed = line[at] == '|' && (at + 1 == line.size() || line[at + 1] != '|');
            begins = true;
            while (at < line.size() && ends_command(line[at])) ++at;
            continue;
        }
        const std::size_t end = word_end(line, at);
        const std::string_view raw = line.substr(at, end - at);
        const bool redirects = std::ranges::find(raw, '>') != raw.end();
        at = std::max(end, at + 1);
        if (redirects && at < line.size() && line[at] == '&') at = word_end(line, at + 1);  // 2>&1
        if (redirects && raw.back() == '>' && at < line.size() && line[at] == ' ') at = word_end(line, at + 1);
        if (raw.empty()) continue;
        const std::string_view word = bare(raw);
        if (word.empty() || printed || redirects) continue;
        if (word.front() == '-') {
            add_flag(word);
        } else if (begins && leads(word)) {
            continue;
        } else if (!is_setting(word) && !(begins && is_amount(word))) {
            add(word, begins);
            begins = false;
        }
    }
}

// thesis and thesis.tex; test and test:unit; MillTest and MillTest#grinds; mill.py in a folder that was gone to.
bool is_same(std::string_view a, std::string_view b) {
    constexpr std::size_t kLongestEnding = 5;  // bytes, with the dot
    if (a.size() < b.size()) std::swap(a, b);
    if (a == b) return true;
    if (b.size() < 3) return false;
    const std::string_view rest = a.substr(b.size());
    if (a.starts_with(b))
        return rest.front() == ':' || rest.front() == '#' || (rest.front() == '.' && rest.size() <= kLongestEnding);
    return b.find('/') == b.npos && a.ends_with(b) && a[a.size() - b.size() - 1] == '/';
}

using Words = std::array<std::string_view, Run::kMost>;

bool holds(const Words& words, std::size_t count, std::string_view word) {
    return std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count),
                       [word](std::string_view one) { return is_same(one, word); });
}

// All words of the one stand in the other.
bool within(const Words& few, std::size_t few_count, const Words& many, std::size_t many_count) {
    return std::all_of(few.begin(), few.begin() + static_cast<std::ptrdiff_t>(few_count),
                       [&](std::string_view word) { return holds(many, many_count, word); });
}

bool is_cut(const Step& step) { return step.text.argument_size == StepText::kArgument; }

bool are_nested(const Run& x, const Run& y) {
    return within(x.things, x.thing_count, y.things, y.thing_count) ||
           within(y.things, y.thing_count, x.things, x.thing_count);
}

std::string line_of(RawText command) { return decoded(command, StepText::kArgument); }

}  // namespace

bool run_the_same(const Step& a, const Step& b) {
    if (a.command_bytes == 0 || b.command_bytes == 0 || is_cut(a) || is_cut(b)) return false;
    const std::string one = line_of(a.text.argument()), other = line_of(b.text.argument());
    const Run x(one), y(other);
    if (!x.whole || !y.whole || x.program_count == 0 || y.program_count == 0) return false;
    const bool same_program =
        x.program_count == y.program_count && within(x.programs, x.program_count, y.programs, y.program_count);
    return are_nested(x, y) && (same_program || std::min(x.thing_count, y.thing_count) > 0);
}

bool run_other_things(const Step& a, const Step& b) {
    if (a.command_bytes == 0 || b.command_bytes == 0 || is_cut(a) || is_cut(b)) return false;
    const std::string one = line_of(a.text.argument()), other = line_of(b.text.argument());
    if (same_but_numbers(one, other)) return false;  // the next run: `gh run view 4711`
    const Run x(one), y(other);
    return x.whole && y.whole && !are_nested(x, y);
}

std::uint64_t identity_of_run(RawText command) {
    if (command.size() >= StepText::kArgument) return 0;
    const std::string line = line_of(command);
    Run run(line);
    if (!run.whole || run.program_count == 0) return 0;
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < run.program_count; ++i) key = mix_hash(key, stable_hash(run.programs[i]));
    // In any order: flags with values stand anywhere between.
    std::sort(run.things.begin(), run.things.begin() + static_cast<std::ptrdiff_t>(run.thing_count));
    for (std::size_t i = 0; i < run.thing_count; ++i) key = mix_hash(key, stable_hash(run.things[i], 1));
    return key | 1;
}

bool names_what_runs(const Step& a, const Step& b) {
    constexpr std::size_t kShortest = 4;
    const std::string one = line_of(a.text.argument()), other = line_of(b.text.argument());
    const Run x(one), y(other);
    const std::string_view said = b.text.outcome().bytes;
    const auto named = [&](const Words& words, std::size_t count, const Words& others, std::size_t other_count) {
        return std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](std::string_view word) {
                               return word.size() >= kShortest && holds(others, other_count, word) &&
                                      said.find(base_name(word)) != said.npos;
                           });
    };
    return named(x.programs, x.program_count, y.programs, y.program_count) ||
           named(x.things, x.thing_count, y.things, y.thing_count);
}

}  // namespace agent_audit::detectors
