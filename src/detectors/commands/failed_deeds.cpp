#include "detectors/commands/failed_deeds.hpp"

#include "detectors/commands/shell_words.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// Words that only say that the next one is run.
constexpr std::array<std::string_view, 8> kRuns{"run", "exec", "npx", "-m", "x", "dlx", "bunx", "tool"};

std::string_view take_word(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
}

// /usr/bin/python3.11 and python3 are one.
std::string_view program_of(std::string_view word) {
    word.remove_prefix(word.find_last_of('/') + 1);
    while (!word.empty() && ((word.back() >= '0' && word.back() <= '9') || word.back() == '.')) word.remove_suffix(1);
    return word;
}

bool ends_command(char c) { return c == '|' || c == '&' || c == ';' || c == '<' || c == '>'; }

// What a line is for stands at its end: cd web && npm install && npm run build.
std::string_view last_of_chain(std::string_view line) {
    if (line.find("&&") == line.npos) return line;  // most lines are no chain, and a search from the end is slow
    for (;;) {
        const std::size_t last = line.rfind("&&");
        if (last == line.npos) return line;
        const std::string_view end = without_runners(line.substr(last + 2));
        if (!end.starts_with("echo ")) return end;  // "… && echo done"
        line = line.substr(0, last);
    }
}

// 0 = the end of the line was cut off.
std::uint64_t command_name(const Step& step) {
    const std::string_view line = step.text.argument().bytes;
    if (line.size() == StepText::kArgument) return 0;
    std::string_view rest = without_runners(last_of_chain(line));
    std::uint64_t name = stable_hash(program_of(take_word(rest)));
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
        const bool runs = std::ranges::find(kRuns, word) != kRuns.end();
        if (word.front() == '-' && !runs) continue;
        if (std::ranges::any_of(word, ends_command)) break;
        name = mix_hash(name, stable_hash(word));
        if (!runs) break;
    }
    return name | 1;
}

// What goes on in the background has not worked yet.
bool worked(const Step& step) {
    return !step.failed && (step.tool_class != ToolClass::poll || step.work_class == ToolClass::poll);
}

}  // namespace

DeedNames deeds_of(const Step& step) {
    if (step.command_bytes > 0) {
        const std::uint64_t name = command_name(step);
        return {name, name == 0 ? 0 : step.call | 1};
    }
    const bool edits = step.tool_class == ToolClass::mutate && step.touch.file != 0;
    return {step.tool | 1, edits ? mix_hash(step.touch.file, 1) | 1 : 0};
}

void FailedDeeds::see(const Step& step) {
    if (step.failed) {
        for (const std::uint64_t name : deeds_of(step)) failed(name);
        return;
    }
    if (deeds_.empty() || !worked(step)) return;
    for (const std::uint64_t name : deeds_of(step)) {
        if (const std::size_t at = place_of(name); at < deeds_.size()) deeds_[at].worked = step.ordinal;
    }
}

std::size_t FailedDeeds::place_of(std::uint64_t name) const {
    if (named_[slot(name)] == 0) return deeds_.size();
    return static_cast<std::size_t>(std::ranges::find(deeds_, name, &Deed::name) - deeds_.begin());
}

void FailedDeeds::failed(std::uint64_t name) {
    if (name == 0) return;
    if (const std::size_t at = place_of(name); at < deeds_.size()) {
        const auto known = deeds_.begin() + static_cast<std::ptrdiff_t>(at);
        std::rotate(known, known + 1, deeds_.end());
        return;
    }
    if (deeds_.size() == kMost) {
        --named_[slot(deeds_.front().name)];
        deeds_.erase(deeds_.begin());
    }
    ++named_[slot(name)];
    deeds_.push_back({name, 0});
}

bool FailedDeeds::never_again(const DeedNames& deeds, std::uint64_t ordinal) const {
    bool known = false;
    for (const std::uint64_t name : deeds) {
        const std::size_t at = place_of(name);
        if (at == deeds_.size()) continue;
        if (deeds_[at].worked > ordinal) return false;
        known = true;
    }
    return known;
}

}  // namespace agent_audit::detectors
