#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/simulator/identifiers.hpp>
#include <agent_audit/simulator/observer.hpp>
#include <agent_audit/simulator/text.hpp>
#include <agent_audit/support/hash_map.hpp>
#include <agent_audit/tokens/text_tally.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// From the events of any format to the messages and requests that a policy sees.
namespace agent_audit::simulator {

/// How the words of a recorded text are told from its bytes.
enum class WordsAs : std::uint8_t {
    text,       ///< the text itself
    content,    ///< the texts of content blocks, one to a line; else as `text`
    arguments,  ///< JSON.stringify of a call's arguments
};
/// The words as WTF-8.
std::string words_of(RawText raw, WordsAs as);

/// Keeps a text's sizes and remembers, if it wants, where its words can be read again.
class WordKeeper {
public:
    virtual ~WordKeeper() = default;
    /// `raw` is valid only during the call; `counted` is tally(raw).
    virtual Text keep(RawText raw, WordsAs as, const TextTally& counted) = 0;
    Text keep(RawText raw, WordsAs as) { return keep(raw, as, tally(raw)); }
};
/// Words stay in memory.
class WordsInMemory final : public WordKeeper {
public:
    using WordKeeper::keep;
    Text keep(RawText raw, WordsAs as, const TextTally& counted) override;
};

/// What a token counts under Feature::reasoning where the bill says how many there were: its weight begins at one half
/// (kFeatureDocs), and that is exact then.
inline constexpr std::uint64_t kReasoningPerToken = 2;

using FeatureCounts = std::array<std::uint32_t, kFeatures>;  ///< of one message, in hundredths

/// A message with what its tokens are told from.
struct Recorded : SourceMessage {
    FeatureCounts features{};
    IdHash record = 0;  ///< hash of the record's id; of an answer that of its first record
};

/// One answer of the model, and what is known of its prompt.
struct RecordedRequest {
    std::uint64_t line = 0;
    std::uint32_t turn = 0;
    double now_ms = 0;  ///< 0: unknown
    TokenCounts billed;
    std::uint64_t prompt = 0;  ///< tokens billed; 0: unknown
    std::string_view model;    ///< lives as long as the session; empty: unknown
    std::uint64_t window_tokens = 0;
    bool window_usual = false;       ///< the recording does not say it: it is that of the agent's version
    std::uint64_t system_bytes = 0;  ///< of system prompt and tools, as far as recorded
    bool restart = false;            ///< since the request before, the model changed
};

/// What the session's own agent did to its context.
struct RecordedCompaction {
    CompactionKind kind = CompactionKind::summary;
    Keep keep = Keep::unknown;
    std::size_t kept_from = 0;  ///< place of the first message kept; those before it give way
    FeatureCounts summary{};
    std::uint64_t tokens_before = 0, tokens_after = 0;  ///< 0: unknown
    std::vector<std::string> cleared;                   ///< ids of calls whose results were cleared
};

/// Whoever wants the messages and requests of a session, in order.
class SessionSink {
public:
    virtual ~SessionSink() = default;
    /// `recorded_only`: the recorded agent's own summary, which no other policy sees. What is handed over lives as long
    /// as the session; after let_go() without its message and its calls.
    virtual void on_message(const Recorded& message, bool recorded_only) = 0;
    virtual void on_request(const RecordedRequest& request) = 0;
    virtual void on_compaction(const RecordedCompaction& compaction) = 0;
    /// Messages from this place on were taken back.
    virtual void on_rewind(std::size_t first_gone) = 0;
};

/// Builds the messages of one lane of a session: one for each answer, its results, its users. An answer is handed on
/// when the next one begins, because usage may stand behind it; events are never looked ahead at further than that.
class SessionMessages {
public:
    SessionMessages(WordKeeper& words, SessionSink& sink, std::uint32_t lane = 0);

    void collect_identifiers() { collect_identifiers_ = true; }
    /// Nobody will look into messages: of each there is what its SourceMessage says without calls, and the message
    /// itself has a role and no more.
    void leave_words() { keep_words_ = false; }
    /// Nobody will ask messages() for what a message or its calls are: they live as long as a view shows them.
    void let_go() { let_go_ = true; }
    void on_event(const Event& event);
    void finish();

    const std::deque<Recorded>& messages() const { return messages_; }
    std::uint64_t other_lanes() const { return other_lanes_; }  ///< events of other lanes that were left out
    std::uint64_t copied_answers() const { return copied_; }    ///< answers carried over from another session

private:
    struct Call {
        std::string id, name;
        CallFacts facts;
    };
    /// A message while it is built.
    struct Draft {
        Msg message;
        Recorded facts;
        TextFeatures features;
        bool recorded_only = false;
    };
    struct Undo {
        Rewind rewind;
        IdHash record = 0;
    };
    struct Shrunk {
        RecordedCompaction facts;
        IdHash keep_record = 0;
        std::uint64_t keep_index = 0;
    };
    using Step = std::variant<Draft, Shrunk, Undo>;

    void on(const Event& event, const Message& message);
    void on(const Event& event, const Thinking& thinking);
    void on(const Event& event, const ToolCall& call);
    void on(const Event& event, const ToolResult& result);
    void on(const Event& event, const agent_audit::Usage& usage);
    void on(const Event& event, const Compaction& compaction);
    void on(const Event& event, const Rewind& rewind);
    void on(const Event& event, const ContextChange& change);
    void on(const Event& event, const SessionStart& start);
    void on(const Event& event, const TurnEnd& end);
    template <class Other>
    void on(const Event&, const Other&) {}

    Draft draft(const Event& event, simulator::Role role);
    void add_text(Draft& draft, BlockKind kind, RawText raw, WordsAs as, const TextTally& counted);
    void note_identifiers(Draft& draft, std::string_view raw) const;
    CallFacts facts_of(const ToolCall& call, const Call& names, const Text& arguments);
    CallKind kind_of(const std::string& tool);
    void add_signature(Draft& draft, const Thinking& thinking) const;
    void add_images(Draft& draft, std::uint32_t count);
    void begin_answer(const Event& event);
    void queue(Step step);
    void flush_answer();
    MsgPtr finished(Draft& draft);
    void hand_on(Draft& draft);
    void hand_on(Shrunk& shrunk);
    void hand_on(Undo& undo);
    std::size_t first_gone(const Undo& undo);
    const std::size_t* place_of_record(IdHash record);
    void use_model(RawText model);
    Call take_call(RawText id);

    WordKeeper& words_;
    SessionSink& sink_;
    std::uint32_t lane_;
    bool collect_identifiers_ = false, keep_words_ = true, let_go_ = false;
    std::deque<Recorded> messages_;
    std::vector<MsgPtr> blank_;  // messages that have a role only
    std::deque<std::string> models_;
    std::string_view model_;
    std::uint64_t window_ = 0, system_bytes_ = 0;
    bool window_usual_ = false;

    std::optional<Draft> answer_;  // the answer being collected
    RecordedRequest request_;      // whose prompt is everything handed on
    bool copied_answer_ = false;
    std::vector<Step> after_;      // what followed it
    std::vector<Step> handed_on_;  // what followed the answer before: its memory
    bool answering_ = false;       // the last event was the model's
    IdHash response_ = 0;
    std::uint32_t unbilled_ = 0;  // answers begun since the last usage
    bool restart_ = false;
    TokenCounts cumulative_;
    std::deque<Call> open_calls_;
    std::vector<std::pair<std::string, CallKind>> kinds_;  // of the tools met first
    HashMap<std::size_t> place_of_record_;                 // of the first `looked_up_` messages: few sessions ever ask
    std::size_t looked_up_ = 0;
    IdentifierIndex identifiers_;               // of what every context sees
    std::vector<IdentifierIndex::Entry> rare_;  // of the message at hand
    NewIdentifiers new_identifiers_;
    std::vector<std::vector<std::uint64_t>> spare_;  // memory for the identifiers of messages to come
    std::uint64_t other_lanes_ = 0, copied_ = 0;
    std::vector<std::size_t> live_;  // places of messages that were not taken back
};

}  // namespace agent_audit::simulator
