#include "advice/books/deed_book.hpp"

#include "advice/words/text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostDeeds = 32;

bool is_small_step(const Deed& deed) {
    return deed.kind == DeedKind::item || deed.kind == DeedKind::report || deed.kind == DeedKind::branch;
}

// Ticked off turns ago on a list that is gone: the steps of another request say nothing any more.
bool is_past(const Deed& item, const PlanBook& plan, std::uint32_t turn) {
    constexpr std::uint32_t kRecent = 3;  // turns
    return !plan.lists(item.words) && item.turn > 0 && item.turn + kRecent < turn;
}

std::uint64_t last_merge_line(const std::vector<Deed>& deeds) {
    std::uint64_t line = 0;
    for (const Deed& deed : deeds) {
        if (deed.kind == DeedKind::merged) line = std::max(line, deed.line);
    }
    return line;
}

}  // namespace

void DeedBook::note(Deed deed) {
    std::erase_if(deeds_, [&](const Deed& known) { return known.kind == deed.kind && known.words == deed.words; });
    if (deeds_.size() == kMostDeeds) {
        const auto step = std::ranges::find_if(deeds_, is_small_step);
        deeds_.erase(step == deeds_.end() ? deeds_.begin() : step);
    }
    deeds_.push_back(std::move(deed));
}

void DeedBook::take_back_reports(std::uint64_t from) {
    std::erase_if(deeds_, [&](const Deed& deed) { return deed.kind == DeedKind::report && deed.line >= from; });
}

void DeedBook::drop_branch(std::string_view name) {
    std::erase_if(deeds_,
                  [&](const Deed& deed) { return deed.kind == DeedKind::branch && has_word(deed.words, name); });
}

std::uint64_t DeedBook::last_sent_line() const {
    std::uint64_t line = 0;
    for (const Deed& deed : deeds_) {
        const bool sent =
            deed.kind == DeedKind::pushed || deed.kind == DeedKind::merged || deed.kind == DeedKind::pull_request;
        if (sent) line = std::max(line, deed.line);
    }
    return line;
}

void DeedBook::tell(Checkpoint& out, const PlanBook& plan) const {
    // What was begun on a branch of its own and merged since is told by the merge.
    const std::uint64_t merged_line = last_merge_line(deeds_);
    for (auto deed = deeds_.rbegin(); deed != deeds_.rend(); ++deed) {
        if (deed->kind == DeedKind::item && is_past(*deed, plan, out.turn)) continue;
        if (deed->kind == DeedKind::branch && deed->line < merged_line) continue;
        out.deeds.push_back(*deed);
    }
}

std::string address_in(std::string_view output) {
    constexpr std::size_t kLongest = 160;
    const std::size_t at = output.rfind("https://");
    if (at == output.npos) return {};
    std::size_t end = at;
    while (end < output.size() && end - at < kLongest && output[end] > ' ' && output[end] < 0x7F &&
           output[end] != '"' && output[end] != '\'' && output[end] != ')' && output[end] != '>' && output[end] != '\\')
        ++end;
    return std::string(output.substr(at, end - at));
}

}  // namespace agent_audit::advice
