#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// Calls and answers that a log writes into the texts of its messages. Everything here works on decoded text and only
/// proposes: a call counts when the next message answers it, so prose that merely mentions one becomes none.
struct TextCall {
    enum class Form : unsigned char {
        tagged,    ///< <tool_call>{"name": …, "arguments": …}</tool_call>, or words between the tags
        react,     ///< Action: … and Action Input: …, Action: tool[words], Action: with a fenced block, or behind a
                   ///< thought words
        code,      ///< fenced blocks of a shell or of Python
        function,  ///< lines that are nothing but name(arguments)
    };
    Form form = Form::tagged;
    std::string tool;
    std::string args;   ///< as written
    bool json = false;  ///< `args` is a JSON object: the arguments, or with form tagged {"name", "arguments"}
    /// A thought stands before it and nothing behind it: whatever the world says next is its answer. Not of a call that
    /// ends the task: what follows that is the next one.
    bool awaited = false;
};

/// The tool of an action that is a sentence: Action: go to shelf 1
inline constexpr std::string_view kActTool = "act";

/// At most this many calls of one message are kept: a list of a thousand is a listing.
inline constexpr std::size_t kMaxTextCalls = 32;

/// Cheap test on raw or decoded text: false when calls_in() would find nothing.
bool may_hold_calls(std::string_view text);
std::vector<TextCall> calls_in(std::string_view text);

/// The texts with which a message answers calls of this form, in order; empty when it bears no mark of an answer.
/// `speaker` is the role or name of who says it.
std::vector<std::string_view> answers_in(std::string_view speaker, std::string_view text, TextCall::Form form);

/// What an acting member of a browsing team reports in one message: what was done, and what was seen then.
struct Report {
    std::string_view tool;
    std::string_view action;   ///< the words that say what was done
    std::string_view subject;  ///< what it was done to: the quoted words, the address
    std::string_view result;
    bool failed = false;  ///< the page that was asked for is one about an error
};
std::optional<Report> report_in(std::string_view text);

/// True when a text begins by saying that the step before it failed. For logs that keep no outcomes.
bool tells_failure(std::string_view text);

/// A tool that writes, by the words of its name.
bool writes(std::string_view tool);

/// A tool that only looks, by the words of its name: what it shows changes only when something was written.
bool only_looks(std::string_view tool);

}  // namespace agent_audit::readers
