#pragma once

#include <span>
#include <string_view>

namespace agent_audit::detectors {

/// Does a text say plainly that what a tool is named for was done: "I have refunded order 17" of issue_refund, "the
/// email was sent" of send_email, "the load test passes" of run_load_test? Not where the sentence asks, denies,
/// promises or sets a condition.
bool claims_deed(std::string_view text, std::string_view tool);

/// The same of words for what was done ("pushed"), in the short forms in which people tell of commands: "Committed and
/// pushed", "the fix is pushed". Behind the word nothing stands, or one of `objects`; or one of `nouns` stands before
/// it: "the PR was opened". Empty words are none. For the last words of an agent, of which a few hundred bytes are
/// kept.
bool claims_done(std::string_view text, std::span<const std::string_view> done,
                 std::span<const std::string_view> objects, std::span<const std::string_view> nouns);

/// "The push succeeded", "the pull request is up": of what one of these nouns names.
bool claims_success(std::string_view text, std::span<const std::string_view> nouns);

/// "Der Fix ist gepusht", "已推送": one of these words in a sentence that denies nothing, in another language.
bool claims_abroad(std::string_view text, std::span<const std::string_view> done);

/// Does a text have the word for what a tool is named for as done, whoever did it: "and created the task" of
/// create_task?
bool names_deed(std::string_view text, std::string_view tool);

/// Have two tools a word of their names in common, so that one may do what the other was to do: send_mail, send_sms?
bool named_alike(std::string_view tool, std::string_view other);

/// Does an answer have the word for what a tool is named for as done: "refunded" for issue_refund?
bool shows_deed(std::string_view answer, std::string_view tool);

/// Does a last message tell of trouble: "could not", "rejected", "✘"? Then whoever reads it knows that not all went
/// well.
bool tells_of_trouble(std::string_view text);
/// "It was not sent"; but "I did not change the tests" as well.
bool denies_something(std::string_view text);
/// The same where the sentence is about what commands do: pushes, releases, pull requests.
bool denies_command(std::string_view text);

}  // namespace agent_audit::detectors
