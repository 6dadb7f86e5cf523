#pragma once

#include <span>
#include <string_view>

namespace agent_audit::detectors {

/// Does a text say plainly that what a tool is named for was done: "I have refunded order 17" of issue_refund, "the
/// email was sent" of send_email, "the load test passes" of run_load_test? Not where the sentence asks, denies,
/// promises or sets a condition.
bool claims_deed(std::string_view text, std::string_view tool);

/// The same of words for what was done ("pushed"), in the short forms in which people tell of commands: "Committed and
/// pushed", "everything is pushed". Where `about` has words, the sentence must have one of them. Empty words are none.
bool claims_done(std::string_view text, std::span<const std::string_view> done,
                 std::span<const std::string_view> about);

/// Does a text have the word for what a tool is named for as done, whoever did it: "and created the task" of
/// create_task?
bool names_deed(std::string_view text, std::string_view tool);

/// Have two tools a word of their names in common, so that one may do what the other was to do: send_mail, send_sms?
bool named_alike(std::string_view tool, std::string_view other);

/// Does an answer have the word for what a tool is named for as done: "refunded" for issue_refund?
bool shows_deed(std::string_view answer, std::string_view tool);

}  // namespace agent_audit::detectors
