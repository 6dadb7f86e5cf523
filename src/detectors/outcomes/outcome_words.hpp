#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// What makes two answers to one call different although only volatile parts of them differ: the words around what
/// differs. Raw texts, either escaped both or neither. Asked only where a call came back with another answer.

/// The time is what was asked for: "replica lag 62 s", "ETA 40 min", "p95=340ms", "took 9.4 s, must be below 1 s". A
/// time stamp elsewhere in the answer is none.
bool differs_in_measure(std::string_view before, std::string_view now);

/// Something was done to one thing, and then to another: "deleted session 3f2a…", "killed worker pid 4003". When it was
/// done, or how long that took, is no thing.
bool differs_in_deed(std::string_view before, std::string_view now);

/// A figure that says that nothing came of it: "loss nan", "mean reward 0.0", "accuracy: 0 %". Whoever turns a number
/// and gets that again has not found another answer.
bool says_nothing_came(std::string_view answer);
/// Does such a figure stand in the answer, whatever it is?
bool names_figure(std::string_view answer);

/// What a browser or a driver says in a few words of an element that is there, and cannot be pressed or filled.
bool says_out_of_reach(std::string_view answer);

/// OpenHands tells behind what a command printed how it ended and where: it ended with 1, and printed nothing.
bool says_only_code(std::string_view answer);

/// There is no such program or file, or it is forbidden: also as the shells of other systems and languages say it.
bool says_no_program(std::string_view answer);

/// A command that works on so many at most, and says that it did: "UPDATE 1000" of `… limit 1000`. The next ones
/// follow.
bool filled_batch(std::string_view command, std::string_view answer);

/// The same of any call, whose answer tells how much it did: "replayed 50, failed 0" of `replay --max 50`, "moved 25
/// messages". What does the same again ("indexed 40 files") must have been told how much, and that something is left
/// which gets no less is no progress.
bool did_a_part(std::string_view call, std::string_view answer);

/// "moved 0", "50 moved, 300 remaining": where every answer says so, nothing gets done.
bool moves_nothing(std::string_view answer);

/// What was waited for will not come: "cancelled", "Killed", "angehalten".
bool says_given_up(std::string_view answer);

/// Did what was broken off get further than before, by the share or the bytes that it tells: "9 %" and "18 %"?
bool came_further(std::string_view before, std::string_view now);

/// A verdict and nothing else, but for the exit code: "FAIL", "Exit code 1\nnot ok". It cannot say what is wrong.
bool is_bare_verdict(std::string_view answer);

/// A command that was stopped while it waited for a lock that another one holds, and did nothing so far: "Blocking
/// waiting for file lock on build directory".
bool only_waited_for_lock(std::string_view answer);

/// What was asked for is not there.
bool says_absent(std::string_view answer);

}  // namespace agent_audit::detectors
