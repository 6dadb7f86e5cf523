#pragma once

// How two calls, or their arguments, differ: by the thing that is asked of, or only by how it is asked.

#include <agent_audit/detectors/step.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace agent_audit::detectors {

/// Whether two calls differ by the place they look at and by nothing else: "grep -c TODO a.c" and "grep -c TODO b.c",
/// one host and another. `file` = by the name of a file; `thing` = two commands that differ as other_word() says.
enum class Elsewhere : std::uint8_t { no, thing, place, file };
Elsewhere elsewhere(const Step& a, const Step& b);

/// The word by which two commands differ when they differ in one word alone, as its place among the words: `cargo test
/// -p a` and `cargo test -p b`, `./run --x` and `./run --y`, `ssh web1` and `ssh web2`. None when more differs, when a
/// number only counts on, or when the word is a pattern, which says the same in other words.
std::optional<std::size_t> other_word(const Step& a, const Step& b);

/// True for calls that ask the same of two people, each of whom is called by a full name: "Rosa Tran", "Jean-Luc
/// Petit".
bool of_other_person(const Step& a, const Step& b);

/// Whether two calls ask the same of two things that have nothing to do with each other: they differ in one word alone,
/// which is a name, a file or a date, and the names have no part in common. What only spells a name anew, or guesses
/// it, is no other thing; nor are a switch, a pattern and a number that counts on. Pods of one deployment are.
bool of_another_thing(const Step& a, const Step& b);

/// Two commands that differ in the value of one option and in nothing else: -march=haswell, -march=znver3. Not in a
/// path, which is a guess where something lies, nor in a number, which is raised.
bool of_another_setting(const Step& a, const Step& b);

/// Whether two arguments differ in one name alone that is a whole value: {"invoice":"INV-811"} and "INV-645",
/// service="cart" and service="mail". A word of a question is none, nor is a plain number.
bool differ_in_one_name(std::string_view one, std::string_view other);

/// Does a date stand in a text: 2024-05-20, app-2024-05.log, https://mill.example/2024/05?
bool holds_date(std::string_view text);

/// Whether the one word in which two calls differ is a date or a time, or is told from the other by one.
bool differ_in_date(const Step& a, const Step& b);

/// Whether two calls ask for two days, or months, of a path by date: /archive/2025/01/03 and /archive/2025/01/04.
bool differ_in_dated_path(const Step& a, const Step& b);

/// Whether two failures of calls that ask of another thing are the same, but for the name of the thing.
bool fail_alike(const Step& a, const Step& b);

/// Whether two texts differ in digits alone: page=7 and page=8.
bool same_but_numbers(std::string_view a, std::string_view b);

/// Do two arguments name things that have nothing to do with each other, in whatever is not the same in both: docs/a.md
/// and README.md, repos/acme/pump and repos/delta/valve? Not manual.pdf and manual-x2.pdf, which are guesses at one
/// thing, and not numbers that count on.
bool name_unrelated_things(std::string_view one, std::string_view other);

/// Two addresses of one site, or of guesses at its name: docs.acme.example, acme.test. Also where one of them is none.
bool same_site(std::string_view one, std::string_view other);

}  // namespace agent_audit::detectors
