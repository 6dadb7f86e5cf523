#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/simulator/cache.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

/// The cache model under the recorded history: what it says of requests whose bill is known.
namespace agent_audit::simulator {

/// One recorded request beside what the model says of it.
struct RecordedCacheUse {
    std::uint64_t line = 0;
    std::uint32_t lane = 0, turn = 0;
    std::int64_t time_ms = kNoTime;  ///< when it was sent, as far as known
    TokenCounts billed;
    CacheUse simulated;
    std::uint64_t reusable = 0;          ///< what the request before had sent, as far as this one could read it at best
    bool missed = false;                 ///< the record has read clearly less than that
    CacheMiss reason = CacheMiss::none;  ///< of a recorded miss; unknown where the model would have read
    bool first = false;                  ///< of its lane: what lived in the cache before is not in the recording
};

/// Follows the conversations of one session (each lane by itself) and asks the model about every billed request. Of a
/// request the model is told when it was sent and how long its prompt was, never what was read or written. The
/// life that was bought for entries is the shorter one until a recorded read after a much longer pause proves the
/// other, for the requests after that one.
class RecordedCache {
public:
    using Listener = std::function<void(const RecordedCacheUse&)>;

    explicit RecordedCache(const ModelTable& models, Listener listener = {});

    struct Summary {
        CacheAgreement all;
        CacheAgreement first;  ///< the part of it that first requests of lanes have
        std::array<std::uint64_t, kCacheMisses> misses{}, missed_tokens{};  ///< of the record, by CacheMiss
        bool long_life = false;  ///< a recorded read proved that entries lived longer
    };

    void on_event(const Event& event);
    /// Ends the session; the object can then serve the next one.
    Summary finish();

private:
    struct Piece {
        std::uint64_t hash = 0, estimate = 0;
    };
    struct Lane {
        CacheModel model;
        PromptPrefixes prompt;
        CacheRules rules;
        std::vector<Piece> sent, pending;  // since the request before: of the open request, after it began
        std::uint64_t serial = 0, setting = 0, last_prompt = 0;
        std::unordered_map<std::uint64_t, std::size_t> place_of_record, place_of_result;
        IdHash response = 0;
        std::uint32_t unbilled = 0;
        bool open = false, answering = false, long_life = false, started = false;
        RecordedCacheUse request;
        std::int64_t input_ms = kNoTime;                                 // when what the model answers to was written
        std::int64_t answered_ms = kNoTime, last_answered_ms = kNoTime;  // of the open request, of the one before
    };
    static constexpr std::size_t kMaxLanes = 1000;

    Lane& lane(std::uint32_t id);
    void add(Lane& lane, const Event& event, std::uint64_t hash, std::uint64_t estimate);
    void begin_response(Lane& lane, const Event& event);
    void on_usage(Lane& lane, const Event& event, const Usage& usage);
    void on_compaction(Lane& lane, const Compaction& compaction);
    void on_rewind(Lane& lane, const Rewind& rewind);
    void close(Lane& lane);
    void place_pieces(Lane& lane, std::uint64_t prompt);
    void judge(Lane& lane);
    void forget_places(Lane& lane);

    const ModelTable* models_;
    Listener listener_;
    std::map<std::uint32_t, Lane> lanes_;
    Summary summary_;
    TokenCounts cumulative_;
};

}  // namespace agent_audit::simulator
