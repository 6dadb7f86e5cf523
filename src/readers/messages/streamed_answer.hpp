#pragma once

#include "readers/json/json_util.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

struct StreamedEvent;

/// The events in which a model's API streams an answer, put together to the answer that it would have given in one
/// piece: Anthropic Messages, Chat Completions, Responses, Gemini, Ollama (as Chat Completions), and Bedrock's Converse
/// and streamed invocations. Texts are joined with their escapes, as they come; bounded.
class StreamedAnswer {
public:
    enum class Taken : std::uint8_t {
        yes,
        no,           ///< no event of a stream that is known here
        begins_next,  ///< the first event of another answer: take() this one, then add it again
    };
    /// One event, as JSON.
    Taken add(std::string_view event);
    /// All events of a text/event-stream, of lines of JSON, or of an array that was written instead; what follows a
    /// first answer is left out.
    void add_all(std::string_view body);

    bool empty() const { return api_ == Api::none; }
    /// The answer as a JSON object of its API; empty where nothing was streamed. What comes next is another answer.
    std::string take();

private:
    enum class Api : std::uint8_t { none, anthropic, chat, responses, gemini, converse, ollama };
    /// A block of the content, or a call. All strings are raw JSON: insides of strings, or values.
    struct Block {
        std::string key;         // what its pieces call it: an index, as written
        std::string type, text;  // `text` of a call: its arguments
        std::string id, name, signature;
        std::string whole;  // as it stood when it began
    };

    Taken take_event(const StreamedEvent& event);
    Taken anthropic(const StreamedEvent& event);
    Taken chat(const StreamedEvent& event);
    Taken responses(const StreamedEvent& event);
    Taken gemini(const StreamedEvent& event);
    Taken converse(const StreamedEvent& event);
    Taken ollama(const StreamedEvent& event);
    Taken wrapped(const StreamedEvent& event);

    void begin_block(std::string_view key, std::string_view block);
    void add_delta(std::string_view key, std::string_view delta);
    void add_usage(std::string_view object);
    bool chat_delta(json::value& delta);
    bool chat_call(json::value& call);
    void gemini_part(std::string_view part);
    Block* block_of(std::string_view key);
    Block* add_block(std::string_view key);
    void append(std::string& to, std::string_view piece);
    static std::string_view inside(std::string_view object);
    bool has_room() const { return size_ < kMostBytes; }

    static std::string block_json(const Block& block, bool converse);
    std::string content(bool converse) const;
    std::string chat_message() const;
    std::string in_one_piece() const;

    static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    static constexpr std::size_t kMostBlocks = 10'000;

    Api api_ = Api::none;
    json::parser parser_, inner_;
    std::string event_text_;
    std::string id_, model_, usage_;  // `usage_`: the fields of all usage objects, one behind the other
    std::string text_, reasoning_, refusal_;
    std::string final_;  // of Responses: the response as it stands at the end
    std::string error_;
    std::vector<Block> blocks_;
    std::vector<std::string> items_;
    std::size_t size_ = 0;
    bool over_ = false;  // the last event said so
};

}  // namespace agent_audit::readers
