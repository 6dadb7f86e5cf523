#include <agent_audit/model/session_list.hpp>

#include <array>
#include <concepts>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// A session is packed field by field: numbers as long as they need to be (seven bits a byte, the lowest first), texts
// and lists with their length before them. Each structure names its fields below; one that gets another field does not
// compile until it is named there too.

namespace agent_audit {
namespace {

template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

template <Is<TokenCounts> T>
void fields(T& x, auto&& use) {
    auto& [input, cache_write, cache_read, output, reasoning, cache_write_1h] = x;
    use(input, cache_write, cache_read, output, reasoning, cache_write_1h);
}
template <Is<RequestCost> T>
void fields(T& x, auto&& use) {
    auto& [known, priced, unpriced] = x;
    use(known, priced, unpriced);
}
template <Is<CostParts> T>
void fields(T& x, auto&& use) {
    auto& [input, cache_write, cache_read, output] = x;
    use(input, cache_write, cache_read, output);
}
template <Is<ModelTokens> T>
void fields(T& x, auto&& use) {
    auto& [model, tokens, requests, cost] = x;
    use(model, tokens, requests, cost);
}
template <Is<LaneTokens> T>
void fields(T& x, auto&& use) {
    auto& [lane, label, tokens, requests, cost] = x;
    use(lane, label, tokens, requests, cost);
}
template <Is<TurnTokens> T>
void fields(T& x, auto&& use) {
    auto& [lane, turn, first_line, tokens, requests, cost] = x;
    use(lane, turn, first_line, tokens, requests, cost);
}
template <Is<TokenLedgerTotals> T>
void fields(T& x, auto&& use) {
    auto& [source, total, requests, copied, recorded, cost, parts, peak, peak_line, window, by_model, by_lane,
           top_turns, by_cost] = x;
    use(source, total, requests, copied, recorded, cost, parts, peak, peak_line, window, by_model, by_lane, top_turns,
        by_cost);
}
template <Is<SessionCounts> T>
void fields(T& x, auto&& use) {
    auto& [events, human, assistant, responses, turns, calls, results, paired, unanswered, at_end, stopped, compacted,
           orphans, errors, denied, steps, compactions, rewinds, aborted, provider_errors, lanes] = x;
    use(events, human, assistant, responses, turns, calls, results, paired, unanswered, at_end, stopped, compacted,
        orphans, errors, denied, steps, compactions, rewinds, aborted, provider_errors, lanes);
}
template <Is<ProviderErrors::Kind> T>
void fields(T& x, auto&& use) {
    auto& [code, count] = x;
    use(code, count);
}
template <Is<ProviderErrors> T>
void fields(T& x, auto&& use) {
    auto& [first_line, last_line, kinds, other] = x;
    use(first_line, last_line, kinds, other);
}
template <Is<ToolStats> T>
void fields(T& x, auto&& use) {
    auto& [tool, calls, failures, streak] = x;
    use(tool, calls, failures, streak);
}
template <Is<SkippedRule> T>
void fields(T& x, auto&& use) {
    auto& [rule, missing, reason] = x;
    use(rule, missing, reason);
}
template <Is<Signals> T>
void fields(T& x, auto&& use) {
    auto& [bits] = x;
    use(bits);
}
template <Is<NotShown> T>
void fields(T& x, auto&& use) {
    auto& [rule, by_severity] = x;
    use(rule, by_severity);
}
template <Is<ContextUser> T>
void fields(T& x, auto&& use) {
    auto& [name, tokens, results] = x;
    use(name, tokens, results);
}
template <Is<LaneContext> T>
void fields(T& x, auto&& use) {
    auto& [lane, requests, window, first, last, peak, peak_line, grown, parts, shrank_untold, tools, files, rereads,
           reread_tokens, compactions, freed, prompt, cache_read, misses, missed_tokens, course] = x;
    use(lane, requests, window, first, last, peak, peak_line, grown, parts, shrank_untold, tools, files, rereads,
        reread_tokens, compactions, freed, prompt, cache_read, misses, missed_tokens, course);
}
template <Is<DearRequest> T>
void fields(T& x, auto&& use) {
    auto& [lane, line, tokens, cost] = x;
    use(lane, line, tokens, cost);
}
template <Is<ContextReport> T>
void fields(T& x, auto&& use) {
    auto& [lanes, dearest] = x;
    use(lanes, dearest);
}
template <Is<CoursePoint> T>
void fields(T& x, auto&& use) {
    auto& [line, tokens] = x;
    use(line, tokens);
}
template <Is<CourseMark> T>
void fields(T& x, auto&& use) {
    auto& [line, before, after, by_hand] = x;
    use(line, before, after, by_hand);
}
template <Is<LaneCourse> T>
void fields(T& x, auto&& use) {
    auto& [lane, requests, points, marks, more] = x;
    use(lane, requests, points, marks, more);
}
template <Is<ResetSuggestion> T>
void fields(T& x, auto&& use) {
    auto& [trigger, rule, line, verified, turn, first_line, known_line, before, after, source, break_even, saved,
           confidence] = x;
    use(trigger, rule, line, verified, turn, first_line, known_line, before, after, source, break_even, saved,
        confidence);
}
template <Is<StatedLimit> T>
void fields(T& x, auto&& use) {
    auto& [what, most, used, line, passed_line, sentence] = x;
    use(what, most, used, line, passed_line, sentence);
}
template <Is<StatedMeasure> T>
void fields(T& x, auto&& use) {
    auto& [what, line, sentence] = x;
    use(what, line, sentence);
}
template <Is<StatedRule> T>
void fields(T& x, auto&& use) {
    auto& [kind, target, line, sentence] = x;
    use(kind, target, line, sentence);
}
template <Is<SessionGoal> T>
void fields(T& x, auto&& use) {
    auto& [text, line, latest, latest_line, given, messages, paths, limits, measures, rules] = x;
    use(text, line, latest, latest_line, given, messages, paths, limits, measures, rules);
}
template <Is<ActivitySegment> T>
void fields(T& x, auto&& use) {
    auto& [activity, first_line, last_line, first_turn, last_turn, turns, calls] = x;
    use(activity, first_line, last_line, first_turn, last_turn, turns, calls);
}
template <Is<ActivityCourse> T>
void fields(T& x, auto&& use) {
    auto& [segments, more] = x;
    use(segments, more);
}
template <Is<DriftPoint> T>
void fields(T& x, auto&& use) {
    auto& [turn, line, score] = x;
    use(turn, line, score);
}
template <Is<DriftChange> T>
void fields(T& x, auto&& use) {
    auto& [line, turn, rule, before, after] = x;
    use(line, turn, rule, before, after);
}
template <Is<ReflectionPoint> T>
void fields(T& x, auto&& use) {
    auto& [turn, line, score, recent, prompt] = x;
    use(turn, line, score, recent, prompt);
}
template <Is<DriftSeries> T>
void fields(T& x, auto&& use) {
    auto& [points, changes, reflections, turns, peak, last] = x;
    use(points, changes, reflections, turns, peak, last);
}
template <Is<SimilarityPoint> T>
void fields(T& x, auto&& use) {
    auto& [line, value] = x;
    use(line, value);
}
template <Is<SimilarityDrop> T>
void fields(T& x, auto&& use) {
    auto& [line, before, after, weight] = x;
    use(line, before, after, weight);
}
template <Is<SimilaritySeries> T>
void fields(T& x, auto&& use) {
    auto& [measure, source, goal_line, turns, mean, lowest, lowest_line, points, drop] = x;
    use(measure, source, goal_line, turns, mean, lowest, lowest_line, points, drop);
}
template <Is<PeerReaction> T>
void fields(T& x, auto&& use) {
    auto& [rule, line, seq, step, lane] = x;
    use(rule, line, seq, step, lane);
}
template <Is<PeerOutcome> T>
void fields(T& x, auto&& use) {
    auto& [profile, warned, stopped, verdict] = x;
    use(profile, warned, stopped, verdict);
}
template <Is<SessionSummary> T>
void fields(T& x, auto&& use) {
    auto& [input, id, counts, tools, skipped_rules, peers] = x;
    use(input, id, counts, tools, skipped_rules, peers);
}
// The summary's fields come first and in its order, so that it can be read alone; the tokens, which are known last, are
// put behind all that is named here.
template <Is<SessionReport> T>
void fields(T& x, auto&& use) {
    auto& [input, id, parent_id, label, format, product_version, cwd, model, sub_agent, housekeeping, output_incomplete,
           counts_records, first_line, last_line, first_time, last_time, counts, provider_errors, tools, tokens,
           context, courses, resets, goal, activity, drift, similarity, skipped_rules, not_shown, peers] = x;
    use(input, id, counts, tools, skipped_rules, peers, parent_id, label, format, product_version, cwd, model,
        sub_agent, housekeeping, output_incomplete, counts_records, first_line, last_line, first_time, last_time,
        provider_errors, context, courses, resets, goal, activity, drift, similarity, not_shown);
    static_cast<void>(tokens);
}

/// Writes what it is given behind what it wrote before.
class Packer {
public:
    explicit Packer(std::string& out) : out_(out) {}

    void operator()(const auto&... values) { (put(values), ...); }

private:
    void number(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
        out_ += static_cast<char>(value);
    }
    template <class T>
    void raw(const T& value) {
        out_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }

    template <std::unsigned_integral T>
    void put(T value) {
        number(value);
    }
    template <class T>
    requires std::is_enum_v<T>
    void put(T value) { number(static_cast<std::uint64_t>(value)); }
    void put(std::int64_t value) {
        number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    }
    void put(double value) { raw(value); }
    void put(Money value) { number(value.parts()); }
    void put(const std::string& text) {
        number(text.size());
        out_ += text;
    }
    void put(std::string_view kept_elsewhere) { raw(kept_elsewhere); }
    template <class T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) put(*value);
    }
    template <class T, std::size_t N>
    void put(const std::array<T, N>& values) {
        for (const T& value : values) put(value);
    }
    template <class T>
    void put(const std::vector<T>& values) {
        number(values.size());
        for (const T& value : values) put(value);
    }
    template <class T>
    requires std::is_aggregate_v<T>
    void put(const T& value) { fields(value, *this); }

    std::string& out_;
};

/// Reads the same in the same order.
class Unpacker {
public:
    explicit Unpacker(const std::string& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

    bool at_end() const { return at_ == end_; }

    void operator()(auto&... values) { (get(values), ...); }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(*at_++);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) return value;
        }
    }

private:
    template <class T>
    void raw(T& value) {
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
    }

    template <std::unsigned_integral T>
    void get(T& value) {
        value = static_cast<T>(number());
    }
    template <class T>
    requires std::is_enum_v<T>
    void get(T& value) { value = static_cast<T>(number()); }
    void get(std::int64_t& value) {
        const std::uint64_t folded = number();
        value = static_cast<std::int64_t>(folded >> 1 ^ (0 - (folded & 1)));
    }
    void get(double& value) { raw(value); }
    void get(Money& value) { value = Money(number()); }
    void get(std::string& text) {
        const auto size = static_cast<std::size_t>(number());
        text.assign(at_, size);
        at_ += size;
    }
    void get(std::string_view& kept_elsewhere) { raw(kept_elsewhere); }
    template <class T>
    void get(std::optional<T>& value) {
        bool has = false;
        get(has);
        if (has) get(value.emplace());
    }
    template <class T, std::size_t N>
    void get(std::array<T, N>& values) {
        for (T& value : values) get(value);
    }
    template <class T>
    void get(std::vector<T>& values) {
        values.resize(static_cast<std::size_t>(number()));
        for (T& value : values) get(value);
    }
    template <class T>
    requires std::is_aggregate_v<T>
    void get(T& value) { fields(value, *this); }

    const char* at_;
    const char* end_;
};

// Without room to spare.
std::string packed(const auto& value) {
    constexpr std::size_t kUsual = 2048;  // bytes of a packed session
    std::string bytes;
    bytes.reserve(kUsual);
    Packer{bytes}(value);
    return {bytes.data(), bytes.size()};
}

}  // namespace

PackedTotals::PackedTotals(const TokenLedgerTotals& tokens) : bytes_(packed(tokens)) {}

TokenLedgerTotals PackedTotals::unpack() const {
    TokenLedgerTotals tokens;
    if (!bytes_.empty()) Unpacker{bytes_}(tokens);
    return tokens;
}

PackedSession PackedSession::before_billing(const SessionReport& session) {
    PackedSession made;
    made.bytes_ = packed(session);
    return made;
}

void PackedSession::bill(const PackedTotals& tokens) {
    std::string bytes;
    bytes.reserve(bytes_.size() + tokens.bytes_.size());  // without room to spare
    bytes_ = std::move(bytes.append(bytes_).append(tokens.bytes_));
}

SessionReport PackedSession::unpack() const {
    SessionReport session;
    Unpacker from(bytes_);
    from(session);
    if (!from.at_end()) from(session.tokens);
    return session;
}

SessionSummary PackedSession::summary() const {
    SessionSummary summary;
    Unpacker{bytes_}(summary);
    return summary;
}

std::string PackedSession::id() const {
    std::uint32_t input = 0;
    std::string id;
    Unpacker{bytes_}(input, id);
    return id;
}

std::uint32_t PackedSession::input() const { return static_cast<std::uint32_t>(Unpacker{bytes_}.number()); }

}  // namespace agent_audit
