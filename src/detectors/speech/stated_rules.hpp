#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Something a human said must, or must not, be done, in a form that a step can be held against.
struct Constraint {
    enum class Kind : std::uint8_t {
        forbid_path,     ///< "do not change src/api/"
        forbid_command,  ///< "never run git push"
        forbid_tool,     ///< "do not use WebSearch"
        only_path,       ///< "only touch src/parser.cpp"; several in one sentence allow each of them
    };

    /// What a forbidden path is: the one that was named, every file, every file of code, or the tests, whatever their
    /// names.
    enum class Which : std::uint8_t { named, all_files, code, tests };

    Kind kind = Kind::forbid_path;
    Which which = Which::named;
    bool deletes = false;   ///< of paths: only removing breaks it ("do not delete any files")
    bool existing = false;  ///< of paths: a new file breaks nothing ("do not change existing tests"); of commands that
                            ///< install: what is listed already does not ("no new packages")
    bool adds = false;      ///< of paths: only a file that is made there breaks it ("do not create new files")
    bool any_access = false;    ///< of paths: reading breaks it as well ("do not open", "do not read")
    bool for_now = false;       ///< "yet", "for the moment": until the human speaks again
    bool spares_tests = false;  ///< of all code: not that of the tests, which the same text orders
    bool lost = false;          ///< the context was compacted and what remained does not name it
    bool at_root = false;       ///< of a named path: a file or folder of that name was met in the work folder
    std::string target;         ///< path, command or tool, as written
    std::string onto;  ///< of `git merge`: only where this branch is checked out; of tools: what the arguments are
                       ///< asked for, see word_rules.hpp; empty = anywhere
    std::vector<std::string> allowed;  ///< of paths: what of them may be changed ("… except src/api/types.ts")
    std::string sentence;              ///< as said, cut
    bool cut = false;                  ///< the sentence went on
    std::uint64_t line = 0;            ///< record in which it was said
    std::uint64_t spoken_of =
        0;  ///< record of a later message that speaks of the same thing and may have meant to allow it

    /// The sentence with a mark where it was cut: what stands before the mark may be half a word.
    std::string told() const { return cut ? sentence + "\xE2\x80\xA6" : sentence; }
};

/// The rules that a human states in a message, in the order in which they stand there; Constraint::line is left open.
/// Quotes, fenced code and prohibitions with a condition state none.
std::vector<Constraint> stated_rules(std::string_view said);

/// "Don't commit, I want to review it first": what is ruled out in such words is so until the human speaks again.
bool waits_for_review(std::string_view sentence);

}  // namespace agent_audit::detectors
