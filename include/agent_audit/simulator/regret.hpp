#pragma once

#include <agent_audit/simulator/identifiers.hpp>
#include <agent_audit/simulator/outcome.hpp>
#include <agent_audit/support/hash_map.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::simulator {

/// How it showed that something lost was needed.
enum class RegretKind : std::uint8_t { reread, used_lost, repeated_failure, instruction_lost };
std::string_view name(RegretKind kind);

/// What a call does, as far as regret is concerned.
enum class CallKind : std::uint8_t { other, read, write, command };
/// By the tool's name, as agents commonly call them.
CallKind call_kind(std::string_view tool);

/// Half-open range of lines, or of whatever the tool counts.
struct LineRange {
    std::uint64_t from = 0, to = UINT64_MAX;
    bool overlaps(const LineRange& other) const { return from < other.to && other.from < to; }
};
/// What a read's JSON arguments ask for; the whole file when they do not say.
LineRange line_range(std::string_view arguments);

/// One tool call of an answer.
struct CallFacts {
    std::uint64_t id = 0;       ///< hash of the id by which its result names it
    std::uint64_t digest = 0;   ///< equal for equal tool and arguments; 0: equal to nothing
    std::uint64_t subject = 0;  ///< hash of the path, command or query; 0: unknown
    CallKind kind = CallKind::other;
    LineRange range;             ///< of a read
    std::string_view arguments;  ///< their words, JSON; of writes and commands, where anything is prohibited
};

/// Whether words, as they stand in JSON or not, may prohibit something: false where RegretTracker::instructs() finds
/// nothing.
bool may_prohibit(std::string_view words);

/// What of a conversation was needed again after it had left the view. It is told what comes and what leaves, in order;
/// answers are judged by the view of the request that they answer. Messages are numbered as in the recording.
///
/// Memory: a few words a message, and tables of a fixed size; each identifier costs constant time.
class RegretTracker {
public:
    /// From now on identifiers are looked up there; whoever keeps it adds those of a message after every tracker has
    /// been told of it.
    void use_index(const IdentifierIndex& shared) { shared_ = &shared; }

    // --- what comes: stands in the view until it leaves
    void arrives(std::uint32_t message, std::span<const std::uint64_t> identifiers);
    /// A message that a person wrote, besides arrives(): its prohibitions are remembered.
    void instructs(std::uint32_t message, std::string_view words);
    /// An answer, before its own arrives(). `turn` is the human turn.
    void answers(std::uint32_t turn, std::span<const std::uint64_t> identifiers, std::span<const CallFacts> calls);
    /// The same by what the shared index says of its identifiers.
    void answers(std::uint32_t turn, std::span<const IdentifierIndex::Entry> rare, std::span<const CallFacts> calls);
    /// A result, besides arrives(). `failure` tells kinds of failure apart; 0: it did not fail.
    void result(std::uint32_t message, std::uint32_t turn, std::uint64_t call_id, std::uint64_t failure);

    // --- what leaves
    /// All of it, or all but what `left` are the identifiers of.
    void leaves(std::uint32_t message, double tokens, std::optional<std::span<const std::uint64_t>> left = {});
    /// What is left of it is what was left of it before.
    void shortens_again(std::uint32_t message, double tokens);
    /// It stands in the view again as it came.
    void returns(std::uint32_t message);
    /// Something that takes the place of several messages. Its number, from 1.
    std::uint32_t summary_arrives(std::span<const std::uint64_t> identifiers, std::string_view words);
    void summary_leaves(std::uint32_t summary);

    /// Whether it minds what calls do, besides what they read: something was prohibited and cannot be seen any more.
    bool minds_calls() const;

    bool found_anything() const { return !found_.empty(); }
    /// What was found since the last call. `tokens_of` knows the size of a result that came meanwhile.
    std::vector<RegretRow> take(const std::function<double(std::uint32_t message)>& tokens_of);
    const PolicyOutcome::RegretTotals& totals() const { return totals_; }

    static constexpr std::size_t kMaxCalls = 1u << 17, kMaxPaths = 1u << 16, kMaxOpen = 4096, kMaxProhibitions = 256;

private:
    enum class State : std::uint8_t { visible, shortened, gone };
    struct Place {
        float tokens = 0;
        State state = State::visible;
        bool charged = false;
    };
    struct Done {  // a call that has been answered
        std::uint32_t message = 0;
        std::uint32_t writes = 0;  // changes made before it, to its path or, where it has none, to anything
    };
    struct Read {
        LineRange range;
        Done done;
    };
    struct Open {
        std::uint64_t digest = 0, subject = 0;
        CallKind kind = CallKind::other;
        LineRange range;
        std::optional<std::uint32_t> again;  // the earlier result that this call asks for once more
    };
    struct Failure {
        std::uint64_t failure = 0;
        std::uint32_t message = 0;
    };
    struct Prohibition {
        std::uint32_t message = 0, summary = 0;
        bool path = false, broken = false;
        std::string what;
    };
    struct Found {
        RegretKind kind = RegretKind::used_lost;
        std::uint32_t message = 0;
        std::optional<std::uint32_t> result;  // whose tokens count
        double tokens = 0;
    };

    struct Remains {                // of an identifier, under this policy
        std::uint32_t summary = 0;  // the last summary that has it, 0: none
        std::uint8_t kept = 0;      // bit i: what is left of messages[i] still has it
        bool lost = false;          // was needed when it was not to be seen
    };

    const IdentifierIndex& index() const { return shared_ ? *shared_ : index_; }
    std::span<const IdentifierIndex::Entry> rare_among(std::span<const std::uint64_t> identifiers);
    Place& place(std::uint32_t message);
    bool visible(std::uint32_t message) const;
    bool stands_whole(const IdentifierIndex::Entry& entry) const;
    bool stands_in_part(const IdentifierIndex::Entry& entry, const Remains& remains) const;
    bool summary_lives(std::uint32_t summary) const;
    void find(Found found, std::uint32_t turn);
    void use(const IdentifierIndex::Entry& entry, std::uint32_t turn);
    void begin_call(const CallFacts& call, std::uint32_t turn);
    std::optional<std::uint32_t> lost_result(const Open& call) const;
    std::uint32_t writes_of(std::uint64_t path) const;
    bool forgotten(const Prohibition& prohibition) const;
    void check_prohibitions(const CallFacts& call, std::uint32_t turn);
    void add_prohibitions(std::uint32_t message, std::string_view sentence);

    const IdentifierIndex* shared_ = nullptr;
    IdentifierIndex index_;                     // where none is shared
    std::vector<IdentifierIndex::Entry> rare_;  // what rare_among() found last
    HashMap<Remains> remains_;                  // where there is something to say
    std::vector<Place> places_;
    std::vector<std::uint32_t> summaries_;  // those in the view
    std::uint32_t last_summary_ = 0, writes_ = 0;
    bool any_left_ = false;             // a message: until then all there is can be seen
    HashMap<Done> calls_;               // by digest
    HashMap<std::vector<Read>> reads_;  // by path
    HashMap<std::uint32_t> written_;    // by path: number of changes
    HashMap<Failure> failures_;         // by digest: the first
    HashMap<Open> open_;                // by hash of the id
    std::vector<Prohibition> prohibitions_;
    std::vector<Found> found_;
    PolicyOutcome::RegretTotals totals_;
};

}  // namespace agent_audit::simulator
