#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// True when an outcome says that there is nothing: no text at all, "no matches found", an empty list.
bool is_no_result(RawText outcome);

/// True for a short answer that says that the thing asked for is not there: "customer not found". About other things it
/// says nothing.
bool says_missing(RawText outcome);

/// True for a query of a database, which is answered and not carried out, whatever the tool is called.
bool asks_for_rows(std::string_view query);

/// The table that a query of a database asks first, in lower case: orders of "SELECT id FROM public.orders WHERE …".
/// Empty = it stands nowhere in the text, which may be cut, or another query does.
std::string asked_table(std::string_view query);

/// True when the thing that is not there is the tool itself.
bool says_no_tool(RawText outcome);

/// True when a word of refusal or failure stands in the answer that is not taken back ("0 errors", "isError": false).
bool says_refusal(std::string_view answer);

/// `kubectl auth can-i` says "no", and `systemctl is-active` "inactive", by one word and by their exit code as well: an
/// answer, and no failure of the command. A state may be that of a thing which is not there, and was made up; the
/// verdict of a solver ("s UNSATISFIABLE") is about the numbers it was given.
enum class WordOfNo : std::uint8_t { none, no, verdict, state };
WordOfNo word_of_no(const Step& step);

/// True for an answer that may say only that the call was carried out: a success of anything but a read or a search
/// that fits on a short line, or comes from a tool of unknown kind, and has no word of refusal in it. A tool gives the
/// same one for every item of a batch, so equal ones prove nothing. Looks at the text: ask only when something repeats.
bool is_acknowledgement(const Step& step);

/// True for an answer of a tool of unknown kind that is nothing but "ok", "done", {"success": true}: it says nothing of
/// what it was given again for.
bool says_only_done(const Step& step);

/// True for a tool of unknown kind that says no in a few words without calling it a failure: "Grasp failed: gripper
/// closed without contact". That a thing is not there, or a guess wrong, is an answer.
bool turns_down(const Step& step);

/// True for such a tool whose short answer denies by a field that it went well: {"deliverable": false, "code":
/// "AV-12"}.
bool denies_by_field(const Step& step);

/// True for a short verdict that says no more of a guess than that it is wrong: "Incorrect. Try again."
bool says_wrong_guess(RawText outcome);

/// True for a check that passed and has no word of refusal in its answer.
bool is_passed_check(const Step& step);

/// Share of words that the arguments of two steps have in common, 0 to 1 (shared words / all words; letters and digits
/// make a word).
double shared_words(const Step& a, const Step& b);

}  // namespace agent_audit::detectors
