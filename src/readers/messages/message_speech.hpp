#pragma once

#include "readers/json/json_reader.hpp"
#include "readers/messages/message_parts.hpp"
#include "readers/messages/text_call_args.hpp"
#include "readers/messages/text_calls.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// How far a conversation has come.
struct MessageScene {
    std::uint32_t turn = 0;
    bool someone_spoke = false;
    bool group_chat = false;          ///< assistants have names: then a named "user" is just another agent
    bool structured = false;          ///< calls have fields of their own: what looks like one in a text is talk
    bool outcomes_kept_back = false;  ///< actions are logged, what came of them is not
    bool flags_results = false;       ///< results have said whether they are errors
    bool calling = false;             ///< the last message was an answer whose calls have no result yet
    bool waits = false;               ///< it was no answer, or one with calls: the conversation has not come to its end
};

/// Calls found in a text, until the next message shows whether they were made. One message at most.
struct HeldCalls {
    std::vector<TextCall> calls;
    EventHeader head;
};

/// What one message of a conversation says, told as events under the header of its record: who speaks, what is called
/// in fields or in words, what it took. Which messages are new, and to which session they belong, is for the reader
/// that derives from it to know (message_log.cpp).
class MessageSpeech : public JsonReader {
protected:
    /// Of a history: of a team of agents, whose machinery speaks among them.
    explicit MessageSpeech(bool team) : team_(team) {}

    void speak(const Parts& m);
    /// Nothing follows: what is held back is told as far as it is known.
    void speak_last();
    void usage(const Parts& m);
    void complain(std::string_view code, std::string_view text);
    /// A call in words that nobody has told us of must not look like an agent that calls nothing.
    void complain_of_unknown(const Parts& m);
    std::uint64_t next_response();

    static constexpr std::uint64_t kWholeFile = ~std::uint64_t{0};

    const bool team_;
    MessageScene scene_;  // of the conversation that is told
    HeldCalls held_;
    std::uint32_t lane_ = 0;
    IdHash last_response_ = 0;

private:
    bool is_of_machinery(const Parts& m);
    void noted(const Parts& m);
    void logged(const Parts& m);
    void say(const Parts& m, RawText text);
    void speech(const Parts& m, RawText text);
    bool reported(const Parts& m, RawText text);
    bool settle(const Parts& m);
    void settle_held(std::string_view next);
    void make_call(const HeldCalls& held, const TextCall& call);
    void human(const Parts& m);
    void human(const Parts& m, RawText text);
    void user(const Parts& m);
    void human_among_reminders(const Parts& m);
    void assistant(const Parts& m);
    void assistant_block(const Parts& m, const Block& b);
    void tool_call(const Block& b);
    void result_block(const Block& b);
    void tool_result(const Parts& m);
    RawText joined_text(const Parts& m);

    TextCallArgs text_call_args_;
    std::string joined_;
    std::uint64_t responses_ = 0;
};

}  // namespace agent_audit::readers
