#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// Whether two calls differ by the place they look at and by nothing else: "grep -c TODO a.c" and "grep -c TODO b.c",
/// one host and another. `file` = by the name of a file; `thing` = two commands that differ as other_word() says.
enum class Elsewhere : std::uint8_t { no, thing, place, file };
Elsewhere elsewhere(const Step& a, const Step& b);

/// The word by which two commands differ when they differ in one word alone, as its place among the words: `cargo test
/// -p a` and `cargo test -p b`, `./run --x` and `./run --y`, `ssh web1` and `ssh web2`. None when more differs, when a
/// number only counts on, or when the word is a pattern, which says the same in other words.
std::optional<std::size_t> other_word(const Step& a, const Step& b);

/// Whether two calls ask the same of two things that have nothing to do with each other: they differ in one word alone,
/// which is a name, a file or a date, and the names have no part in common. What only spells a name anew, or guesses
/// it, is no other thing; nor are a switch, a pattern and a number that counts on. Pods of one deployment are.
bool of_another_thing(const Step& a, const Step& b);

/// Whether two arguments differ in one name alone that is a whole value: {"invoice":"INV-811"} and "INV-645",
/// service="cart" and service="mail". A word of a question is none, nor is a plain number.
bool name_another_thing(std::string_view before, std::string_view now);

/// Does a date stand in a text: 2024-05-20, app-2024-05.log?
bool holds_date(std::string_view text);

/// Whether the one word in which two calls differ is a date or a time, or is told from the other by one.
bool differ_in_date(const Step& a, const Step& b);

/// Whether two failures of calls that ask of another thing are the same, but for the name of the thing.
bool fail_alike(const Step& a, const Step& b);

/// True for a short verdict that says no more of a guess than that it is wrong: "Incorrect. Try again."
bool says_wrong_guess(RawText outcome);

/// True for a check that passed and has no word of refusal in its answer.
bool is_passed_check(const Step& step);

/// Whether two texts differ in digits alone: page=7 and page=8.
bool same_but_numbers(std::string_view a, std::string_view b);

/// Share of words that the arguments of two steps have in common, 0 to 1 (shared words / all words; letters and digits
/// make a word).
double shared_words(const Step& a, const Step& b);

}  // namespace agent_audit::detectors
