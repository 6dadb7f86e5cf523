#pragma once

#include "readers/json/format_util.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Answers that stream_mode="messages" of LangGraph writes in pieces, several at a time.

namespace agent_audit::readers {

/// What stands beside a message of such a stream.
struct StreamMetadata {
    std::string_view task, thread, model, agent;  ///< task: its checkpoint namespace, see graph_lanes.hpp
    std::uint64_t step = 0;
    bool known = false;  ///< it is the metadata of a graph

    bool collect(json::value& v);
};

/// A piece of a call; all strings are the insides of JSON strings.
struct CallPiece {
    std::string_view index, id, name, args;
    bool is_json = false;  ///< the arguments are all there, as a JSON value
};

/// What a piece of an answer holds.
struct AnswerPiece {
    std::string_view text;    ///< where the content is a string
    std::string_view blocks;  ///< the content as JSON, where it is none
    std::string_view thought, model;
    TokenCounts tokens;
};

/// An answer whose pieces are joined as they come.
struct OpenAnswer {
    struct Call {
        std::string index, id, name, args;
        bool is_json = false;
    };
    std::uint64_t key = 0;
    std::string id, task, thread, agent, model;
    std::uint64_t step = 0;
    std::string text, thought;
    std::vector<Call> calls;
    TokenCounts tokens;
    SourceSpan where;  // of its first piece
    std::size_t bytes = 0;

    bool says_something() const { return !text.empty() || !thought.empty() || !calls.empty() || tokens.total() > 0; }
};

/// Those that are open, bounded: parallel nodes and agents are a few dozen.
class OpenAnswers {
public:
    static constexpr std::size_t kMostOpen = 64;
    static constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of all texts; what is beyond it is left out

    /// What tells an answer from the others that are open.
    static std::uint64_t key_of(std::string_view id, const StreamMetadata& beside);

    /// The answer, which is new where no piece of it came before. Take one() first where it is full().
    OpenAnswer& open(std::uint64_t key, std::string_view id, const StreamMetadata& beside);
    void add(OpenAnswer& answer, const AnswerPiece& piece);
    void add_call(OpenAnswer& answer, const CallPiece& piece);

    bool empty() const { return open_.empty(); }
    bool full() const { return open_.size() >= kMostOpen; }
    bool has(std::uint64_t key) const;
    /// Takes out the one that is oldest.
    std::optional<OpenAnswer> one();
    std::optional<OpenAnswer> with_key(std::uint64_t key);
    /// The next one that is complete when a message comes, whole or a piece: its graph went on to another step, its
    /// task or one around it made a whole one, or `call` is one of its calls.
    std::optional<OpenAnswer> ended_by(std::uint64_t key, const StreamMetadata& beside, bool whole,
                                       std::string_view call);

private:
    void append(OpenAnswer& answer, std::string& to, std::string_view piece);
    void add_blocks(OpenAnswer& answer, std::string_view blocks);
    template <class Is>
    std::optional<OpenAnswer> take(Is&& is);

    static constexpr std::size_t kMostCalls = 1'000;

    std::deque<OpenAnswer> open_;
    std::size_t bytes_ = 0;
};

}  // namespace agent_audit::readers
