#include "simulator/cache/observer.hpp"
#include "simulator/regret/observer.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::simulator {
namespace {

constexpr std::size_t kTells = 200;  // bytes of a result that say how it failed

// Failures of one kind differ in numbers and quoted names: the letters of the first line tell them apart.
std::uint64_t failure_of(std::string_view words) {
    words = words.substr(0, kTells);
    words = words.substr(0, words.find('\n'));
    std::uint64_t hash = 1;
    for (const char c : words) {
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) hash = mix_hash(hash, static_cast<unsigned char>(c));
    }
    return hash | 1;
}

}  // namespace

std::span<const std::uint64_t> RegretObserver::identifiers_of(const Msg& message) {
    identifiers_.clear();
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::redacted_thinking || block.text.empty()) continue;
        append_identifiers(identifiers_, block.text.read(scratch_), block.kind == BlockKind::tool_call);
    }
    return identifiers_;
}

void RegretObserver::shorten(std::uint32_t message, const Leaving& leaving) {
    if (!leaving.for_now) {
        tracker_.leaves(message, leaving.tokens, identifiers_of(*leaving.replacement));
        return;
    }
    if (message >= replaced_.size()) replaced_.resize(std::size_t{message} + 1);
    auto& [newer, older] = replaced_[message];
    if (newer == leaving.replacement || older == leaving.replacement) {
        tracker_.shortens_again(message, leaving.tokens);
        return;
    }
    tracker_.leaves(message, leaving.tokens, identifiers_of(*leaving.replacement));
    older = std::exchange(newer, leaving.replacement);
}

/// With the words of those that could do what is prohibited.
std::span<const CallFacts> RegretObserver::calls_of(const SourceMessage& message) {
    if (!tracker_.minds_calls()) return message.calls;
    calls_.assign(message.calls.begin(), message.calls.end());
    if (words_.size() < calls_.size()) words_.resize(calls_.size());
    auto call = calls_.begin();
    for (const Block& block : message.message->blocks) {
        if (block.kind != BlockKind::tool_call || call == calls_.end()) continue;
        const bool changes = call->kind == CallKind::write || call->kind == CallKind::command;
        if (changes) call->arguments = block.text.read(words_[static_cast<std::size_t>(call - calls_.begin())]);
        ++call;
    }
    return calls_;
}

void RegretObserver::result(const SourceMessage& message) {
    std::uint64_t failure = 0;
    if (message.message->is_error) {
        failure = 1;
        for (const Block& block : message.message->blocks) {
            if (block.kind != BlockKind::text || block.text.empty()) continue;
            failure = failure_of(block.text.front(kTells, scratch_));
            break;
        }
    }
    if (!message.calls.empty()) tracker_.result(message.place, message.turn, message.calls[0].id, failure);
}

void RegretObserver::on_message(const SourceMessage& message) {
    const std::span<const std::uint64_t> identifiers =
        message.identified ? std::span<const std::uint64_t>(message.identifiers) : identifiers_of(*message.message);
    const bool shared = message.before && !own_index_;
    if (shared) tracker_.use_index(*message.before);
    if (message.message->role == Role::assistant) {
        const std::span<const CallFacts> calls = calls_of(message);
        shared ? tracker_.answers(message.turn, message.rare, calls)
               : tracker_.answers(message.turn, identifiers, calls);
    }
    tracker_.arrives(message.place, identifiers);
    if (message.message->role == Role::tool_result) result(message);
    if (!message.human || !message.may_prohibit) return;
    for (const Block& block : message.message->blocks) {
        if (block.kind == BlockKind::text) tracker_.instructs(message.place, block.text.read(scratch_));
    }
}

void RegretObserver::on_return(const SourceMessage& message) { tracker_.returns(message.place); }

std::uint32_t RegretObserver::summary(const MsgPtr& made) {
    const auto at = std::ranges::find(summaries_, made, &std::pair<MsgPtr, std::uint32_t>::first);
    if (at != summaries_.end()) return at->second;
    const std::span<const std::uint64_t> identifiers = identifiers_of(*made);
    if (made->blocks.size() == 1) {
        return summaries_.emplace_back(made, tracker_.summary_arrives(identifiers, made->blocks[0].text.read(scratch_)))
            .second;
    }
    std::string words;
    for (const Block& block : made->blocks) words += block.text.read(scratch_);
    return summaries_.emplace_back(made, tracker_.summary_arrives(identifiers, words)).second;
}

void RegretObserver::on_leave(const Leaving& leaving) {
    const bool summarised = leaving.action == Action::summarise;
    if (summarised && leaving.replacement) summary(leaving.replacement);
    if (leaving.source == nullptr) {
        const auto at = std::ranges::find(summaries_, leaving.as_sent, &std::pair<MsgPtr, std::uint32_t>::first);
        if (at == summaries_.end()) return;
        tracker_.summary_leaves(at->second);
        summaries_.erase(at);
        return;
    }
    const std::uint32_t message = leaving.source->place;
    if (leaving.replacement && !summarised) {
        shorten(message, leaving);
    } else {
        tracker_.leaves(message, leaving.tokens);
        if (message < replaced_.size()) replaced_[message] = {};
    }
}

void RegretObserver::on_request(const RequestView& request, TurnRow& row) {
    if (!tracker_.found_anything()) return;
    // Results that were asked for again came after the request before: they stand near the end.
    row.regret = tracker_.take([&request](std::uint32_t message) {
        for (std::size_t i = request.slots.size(); i-- > request.unchanged;) {
            const Slot& slot = request.slots[i];
            if (slot.source != nullptr && slot.source->place == message) return slot.tokens;
        }
        return 0.0;
    });
}

void RegretObserver::on_end(PolicyOutcome& outcome) {
    tracker_.take([](std::uint32_t) { return 0.0; });  // asked for again, but the result was never sent
    outcome.regret = tracker_.totals();
}

std::unique_ptr<RequestObserver> make_regret_observer(std::string_view policy) {
    return std::make_unique<RegretObserver>(policy == kRecordedPolicy);
}

}  // namespace agent_audit::simulator
