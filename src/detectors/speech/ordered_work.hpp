#pragma once

#include <string_view>

/// Where a message orders work: whatever rules were said before.
namespace agent_audit::detectors {

/// Work in all places is ordered or allowed, or another task is set: "fix all modules", "change whatever you need",
/// "next task: …". Not "run all tests".
bool orders_widely(std::string_view message);

/// Some work is ordered by a sentence that names no file: "README.md is old. Also the app needs dark mode.", "Look at
/// round.ts, then make the server do the same". Not "make it strict", which goes on about the file, and no tests or
/// documents.
bool orders_elsewhere(std::string_view message);

/// The message places work in files that it names: "fix the rounding in round.ts", "in round.ts half is rounded down",
/// "round.ts should go up". Not "use the logger from log.ts", "our rounding is in round.ts" or "add tracing like in
/// round.ts".
bool works_in_files(std::string_view message);

/// What follows is ordered somewhere else, in however few words: "then the same in the server", "CI is red".
bool goes_elsewhere(std::string_view message);

/// The work is the same in each of many files, whatever they are about: "add a header to every source file", "jede
/// Datei".
bool works_in_every_file(std::string_view message);

/// One of the words of a sentence in lower case orders work, wherever it stands, and none denies it.
bool orders_anything(std::string_view lower);

/// The same as orders_widely() of one sentence in lower case, whatever rule it states.
bool is_wide_order(std::string_view lower);

}  // namespace agent_audit::detectors
