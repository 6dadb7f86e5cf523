#include "advice/books/plan_book.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostAdded = 64;  // a list that is written as a whole is bounded where it is read

bool is_done(const PlanItem& item) { return item.state == PlanItem::State::done && !item.text.empty(); }

}  // namespace

std::vector<std::string> PlanBook::update(const PlanUpdate& update, const Place& at) {
    at_ = at;
    return update.replaces ? replace(update.items) : change(update.items);
}

// Of a list that is written anew only what was not done on the one before.
std::vector<std::string> PlanBook::replace(const std::vector<PlanItem>& items) {
    const std::vector<PlanItem> before = std::exchange(items_, items);
    std::vector<std::string> ticked;
    for (const PlanItem& item : items_) {
        const bool known = std::ranges::any_of(
            before, [&](const PlanItem& p) { return p.text == item.text && p.state == PlanItem::State::done; });
        if (!known && is_done(item)) ticked.push_back(item.text);
    }
    return ticked;
}

std::vector<std::string> PlanBook::change(const std::vector<PlanItem>& items) {
    std::vector<std::string> ticked;
    for (const PlanItem& item : items) {
        const auto known =
            std::ranges::find_if(items_, [&](const PlanItem& p) { return !item.id.empty() && p.id == item.id; });
        if (known != items_.end()) {
            known->state = item.state;
            if (!item.text.empty()) known->text = item.text;
            if (is_done(*known)) ticked.push_back(known->text);
        } else if (!item.text.empty() && items_.size() < kMostAdded) {
            items_.push_back(item);
            // Tasks are numbered in the order in which they are made.
            if (item.id.empty()) items_.back().id = std::to_string(items_.size());
        }
    }
    return ticked;
}

bool PlanBook::lists(std::string_view words) const {
    return std::ranges::any_of(items_, [&](const PlanItem& item) { return item.text == words; });
}

void PlanBook::tell(Checkpoint& out) const {
    for (const auto wanted : {PlanItem::State::active, PlanItem::State::open}) {
        for (const PlanItem& item : items_) {
            if (item.state == wanted) out.plan.push_back({item.text, at_.line, at_.turn});
        }
        if (wanted == PlanItem::State::active) out.plan_active = out.plan.size();
    }
}

}  // namespace agent_audit::advice
