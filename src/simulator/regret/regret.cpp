#include <agent_audit/simulator/regret.hpp>

#include <algorithm>
#include <array>

namespace agent_audit::simulator {

std::string_view name(RegretKind kind) {
    constexpr std::array<std::string_view, 4> kNames{"reread", "used_lost", "repeated_failure", "instruction_lost"};
    return kNames[static_cast<std::size_t>(kind)];
}

RegretTracker::Place& RegretTracker::place(std::uint32_t message) {
    if (message >= places_.size()) places_.resize(std::size_t{message} + 1);
    return places_[message];
}

bool RegretTracker::visible(std::uint32_t message) const {
    return message >= places_.size() || places_[message].state == State::visible;
}

bool RegretTracker::summary_lives(std::uint32_t summary) const {
    return summary != 0 && std::ranges::find(summaries_, summary) != summaries_.end();
}

bool RegretTracker::stands_whole(const IdentifierIndex::Entry& entry) const {
    for (std::uint32_t i = 0; i < entry.frequency; ++i) {
        if (visible(entry.message(i))) return true;
    }
    return false;
}

bool RegretTracker::stands_in_part(const IdentifierIndex::Entry& entry, const Remains& remains) const {
    for (std::uint32_t i = 0; i < entry.frequency; ++i) {
        if (places_[entry.message(i)].state == State::shortened && (remains.kept >> i & 1) != 0) return true;
    }
    return summary_lives(remains.summary);
}

// --- what comes

void RegretTracker::arrives(std::uint32_t message, std::span<const std::uint64_t> identifiers) {
    place(message);
    if (shared_) return;
    for (const std::uint64_t identifier : identifiers) index_.add(identifier, message);
}

void RegretTracker::find(Found found, std::uint32_t turn) {
    if (!totals_.first_loss_turn) totals_.first_loss_turn = turn;
    found_.push_back(found);
}

// The smallest of the removed messages that have it would have been enough.
void RegretTracker::use(const IdentifierIndex::Entry& entry, std::uint32_t turn) {
    if (stands_whole(entry)) return;
    Remains& remains = remains_[entry.hash];
    if (remains.lost || stands_in_part(entry, remains)) return;
    remains.lost = true;
    ++totals_.lost_identifiers;
    std::uint32_t smallest = entry.message(0);
    if (entry.frequency == 2 && places_[entry.message(1)].tokens < places_[smallest].tokens) {
        smallest = entry.message(1);
    }
    Place& removed = places_[smallest];
    if (!totals_.first_loss_turn) totals_.first_loss_turn = turn;
    if (removed.charged) return;
    removed.charged = true;
    find({RegretKind::used_lost, smallest, {}, removed.tokens}, turn);
}

std::span<const IdentifierIndex::Entry> RegretTracker::rare_among(std::span<const std::uint64_t> identifiers) {
    rare_.clear();
    index().find_rare(identifiers, rare_);
    return rare_;
}

void RegretTracker::answers(std::uint32_t turn, std::span<const std::uint64_t> identifiers,
                            std::span<const CallFacts> calls) {
    answers(turn, any_left_ ? rare_among(identifiers) : std::span<const IdentifierIndex::Entry>(), calls);
}

void RegretTracker::answers(std::uint32_t turn, std::span<const IdentifierIndex::Entry> rare,
                            std::span<const CallFacts> calls) {
    if (any_left_) {
        for (const IdentifierIndex::Entry& entry : rare) use(entry, turn);
    }
    for (const CallFacts& call : calls) begin_call(call, turn);
}

std::uint32_t RegretTracker::writes_of(std::uint64_t path) const {
    const std::uint32_t* writes = written_.find(path);
    return writes ? *writes : 0;
}

// A read asks again for what any read of those lines gave, another call for what the same call gave; unless the path,
// or where there is none anything at all, was changed meanwhile.
std::optional<std::uint32_t> RegretTracker::lost_result(const Open& call) const {
    if (call.kind == CallKind::write || !any_left_) return {};
    if (call.kind == CallKind::read && call.subject != 0) {
        const std::vector<Read>* reads = reads_.find(call.subject);
        if (!reads) return {};
        std::optional<std::uint32_t> lost;
        for (const Read& read : *reads) {
            if (!read.range.overlaps(call.range) || read.done.writes != writes_of(call.subject)) continue;
            if (visible(read.done.message)) return {};
            lost = read.done.message;
        }
        return lost;
    }
    const Done* done = calls_.find(call.digest);
    if (call.digest == 0 || !done || done->writes != writes_ || visible(done->message)) return {};
    return done->message;
}

void RegretTracker::begin_call(const CallFacts& call, std::uint32_t turn) {
    check_prohibitions(call, turn);
    Open open{call.digest, call.subject, call.kind, call.range, {}};
    open.again = lost_result(open);
    if (call.kind == CallKind::write) {
        ++writes_;
        if (call.subject != 0 && (written_.size() < kMaxPaths || written_.contains(call.subject)))
            ++written_[call.subject];
    }
    if (open_.size() >= kMaxOpen) open_.clear();  // calls that never had a result
    open_[call.id] = open;
}

void RegretTracker::result(std::uint32_t message, std::uint32_t turn, std::uint64_t call_id, std::uint64_t failure) {
    const Open* const open = open_.find(call_id);
    if (!open) return;
    const Open call = *open;
    open_.erase(call_id);
    if (failure != 0) {
        if (call.digest == 0) return;
        Failure* const first = failures_.find(call.digest);
        if (!first) {
            if (failures_.size() < kMaxCalls) failures_[call.digest] = {failure, message};
        } else if (first->failure == failure && !visible(first->message)) {
            ++totals_.repeated_failures;
            find({RegretKind::repeated_failure, first->message, message, 0}, turn);
            first->message = message;
        }
        return;
    }
    if (call.again) {
        ++totals_.rereads;
        find({RegretKind::reread, *call.again, message, 0}, turn);
    }
    if (call.kind == CallKind::read && call.subject != 0) {
        constexpr std::size_t kRanges = 8;  // of one file, the latest
        if (reads_.size() >= kMaxPaths && !reads_.contains(call.subject)) return;
        std::vector<Read>& reads = reads_[call.subject];
        if (reads.size() >= kRanges) reads.erase(reads.begin());
        reads.push_back({call.range, {message, writes_of(call.subject)}});
    } else if (call.digest != 0 && (calls_.size() < kMaxCalls || calls_.contains(call.digest))) {
        calls_[call.digest] = {message, writes_};
    }
}

// --- what leaves

void RegretTracker::leaves(std::uint32_t message, double tokens, std::optional<std::span<const std::uint64_t>> left) {
    any_left_ = true;
    Place& removed = place(message);
    if (removed.state == State::visible) removed.tokens = static_cast<float>(tokens);
    removed.state = left ? State::shortened : State::gone;
    if (!left) return;
    for (const IdentifierIndex::Entry& entry : rare_among(*left)) {
        for (std::uint32_t i = 0; i < entry.frequency; ++i) {
            if (entry.message(i) != message) continue;
            Remains& remains = remains_[entry.hash];
            remains.kept = static_cast<std::uint8_t>(remains.kept | 1U << i);
        }
    }
}

void RegretTracker::shortens_again(std::uint32_t message, double tokens) {
    any_left_ = true;
    Place& removed = place(message);
    if (removed.state == State::visible) removed.tokens = static_cast<float>(tokens);
    removed.state = State::shortened;
}

void RegretTracker::returns(std::uint32_t message) { place(message).state = State::visible; }

std::uint32_t RegretTracker::summary_arrives(std::span<const std::uint64_t> identifiers, std::string_view words) {
    const std::uint32_t summary = ++last_summary_;
    summaries_.push_back(summary);
    constexpr std::size_t kMostSummaries = 64;
    if (summaries_.size() > kMostSummaries) summaries_.erase(summaries_.begin());
    // What is not rare will never be asked for.
    for (const IdentifierIndex::Entry& entry : rare_among(identifiers)) remains_[entry.hash].summary = summary;
    for (Prohibition& p : prohibitions_) {
        if (words.find(p.what) != std::string_view::npos) p.summary = summary;
    }
    return summary;
}

void RegretTracker::summary_leaves(std::uint32_t summary) { std::erase(summaries_, summary); }

std::vector<RegretRow> RegretTracker::take(const std::function<double(std::uint32_t message)>& tokens_of) {
    // By message: the order in which identifiers stand in a text says nothing.
    std::ranges::stable_sort(found_, {}, &Found::message);
    std::vector<RegretRow> rows;
    rows.reserve(found_.size());
    for (const Found& found : found_) {
        const double tokens = found.result ? tokens_of(*found.result) : found.tokens;
        RegretRow& row = rows.emplace_back();
        row.kind = name(found.kind);
        row.source_index = found.message;
        row.tokens = tokens > 0 ? static_cast<std::uint64_t>(tokens + 0.5) : 0;
        totals_.tokens += row.tokens;
    }
    found_.clear();
    return rows;
}

}  // namespace agent_audit::simulator
