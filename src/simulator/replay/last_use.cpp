#include "simulator/replay/last_use.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace agent_audit::simulator {

void LastUse::use(std::size_t place, std::size_t request) {
    if (last_use_[place] < request) last_use_[place] = static_cast<std::uint32_t>(request);
}

void LastUse::add(const Recorded& message, std::size_t request) {
    const std::uint32_t place = message.place;
    const Role role = message.message->role;
    constexpr std::uint32_t kAlways = std::numeric_limits<std::uint32_t>::max();
    last_use_.resize(place + 1, 0);
    asker_.resize(place + 1, place);
    // Everything is seen by the next request at least.
    const bool kept = role != Role::assistant && role != Role::tool_result;
    last_use_[place] = kept ? kAlways : static_cast<std::uint32_t>(role == Role::assistant ? request + 1 : request);
    if (role == Role::assistant) {
        answer_ = place;
        any_answer_ = true;
        for (const std::uint64_t id : message.identifiers) {
            if (const auto at = newest_.find(id); at != newest_.end()) use(at->second, request);
        }
        for (const CallFacts& call : message.calls) {
            if (const auto at = answered_.find(call.digest); call.digest != 0 && at != answered_.end())
                use(at->second, request);
        }
    } else if (role == Role::tool_result && any_answer_) {
        asker_[place] = answer_;
        if (!message.calls.empty() && message.calls[0].digest != 0) answered_[message.calls[0].digest] = place;
    }
    if (newest_.size() > kMaxRemembered) newest_.clear();
    for (const std::uint64_t id : message.identifiers) newest_[id] = place;
}

void LastUse::finish() {
    for (std::size_t i = 0; i < asker_.size(); ++i) {
        if (asker_[i] != i) use(asker_[i], last_use_[i]);
    }
    for (std::size_t i = 0; i < asker_.size(); ++i) {
        if (asker_[i] != i) last_use_[i] = std::max(last_use_[i], last_use_[asker_[i]]);
    }
    by_use_.resize(last_use_.size());
    std::iota(by_use_.begin(), by_use_.end(), 0u);
    std::stable_sort(by_use_.begin(), by_use_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return last_use_[a] < last_use_[b]; });
}

std::span<const std::uint32_t> LastUse::gone_after(std::size_t request) const {
    const auto before = [&](std::uint32_t place, std::size_t when) { return last_use_[place] < when; };
    const auto first = std::lower_bound(by_use_.begin(), by_use_.end(), request, before);
    const auto last = std::lower_bound(first, by_use_.end(), request + 1, before);
    return {by_use_.data() + (first - by_use_.begin()), static_cast<std::size_t>(last - first)};
}

}  // namespace agent_audit::simulator
