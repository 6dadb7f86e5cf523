#pragma once

#include "readers/json/format_util.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What Cline and Roo Code write into the texts of their messages: calls as tags, results under a headline. All texts
// are the insides of JSON strings, escapes and all.

namespace agent_audit::readers::cline_text {

/// "[read_file for 'a.ts'] Result:\n…"
struct ResultText {
    std::string_view tool;
    std::string_view text;  ///< empty: it stands in the next block
};
std::optional<ResultText> result_in(std::string_view raw);

/// Whether the SDK did not run a call because nobody approved it, or because it only plans. `why` is what it says.
bool is_refusal(std::string_view why);

/// What a result's text says about its call.
ResultStatus status_in(std::string_view raw);

/// A result that says that the conversation before it was summed up, by itself or because a human wanted it.
std::optional<CompactionTrigger> compaction_in(std::string_view raw);

/// "The user denied this operation and provided the following feedback:\n<feedback>\n…\n</feedback>", also the tag
/// alone.
struct HumanWords {
    std::string_view before;  ///< the harness's
    std::string_view said;    ///< the human's
};
/// Only where `tag` closes at the end of the text.
std::optional<HumanWords> words_in(std::string_view raw, std::string_view tag);

/// `{\"status\":\"approved\",\"feedback\":\"…\"}`, in front of a result or alone: what Roo Code writes since it calls
/// tools by their ids.
struct Feedback {
    std::string said;         ///< the human's; escapes of one string are left
    std::string_view result;  ///< what stands behind it, or the word for a denial
};
std::optional<Feedback> feedback_in(std::string_view raw);

/// What was typed, without the tags in which the SDK sends it: `<user_input mode=\"act\">…</user_input>`, with a note
/// of the program in front when the mode was changed.
std::string_view typed_in(std::string_view raw);

enum class UserText : unsigned char {
    human,
    injected,  ///< surroundings, reminders, complaints about the answer
    not_run,   ///< a call was passed over because of another one
};
UserText kind_of(std::string_view raw);

/// <read_file><path>a.ts</path></read_file>, of a message without structured calls.
struct TagCall {
    std::string_view name;
    std::string args;  ///< JSON, made of the raw insides of the tags
};
/// A message holds one call, by the rules that the model was given; at most this many are read.
inline constexpr std::size_t kMaxTagCalls = 16;
std::vector<TagCall> tag_calls_in(std::string_view raw);

}  // namespace agent_audit::readers::cline_text
