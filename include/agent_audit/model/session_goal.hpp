#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// "In at most 10 turns": what a human allows for a request.
struct StatedLimit {
    enum class What : std::uint8_t { turns, tool_calls, seconds };

    What what = What::turns;
    std::uint64_t most = 0;
    std::uint64_t used = 0;         ///< until the next human message, or the end
    std::uint64_t line = 0;         ///< record in which it was said; 0 = in the goal given for the run
    std::uint64_t passed_line = 0;  ///< record with which it was passed; 0 = it was kept
    std::string sentence;           ///< as said, cut; decoded, not redacted
};
std::string_view name(StatedLimit::What what);

/// "Until the tests pass": how a human will know that it is done.
struct StatedMeasure {
    enum class What : std::uint8_t { tests, build, lint };

    What what = What::tests;
    std::uint64_t line = 0;
    std::string sentence;  ///< as said, cut; decoded, not redacted
};
std::string_view name(StatedMeasure::What what);

/// "Do not touch src/api/": what a human ruled out, as far as a step can be held against it.
struct StatedRule {
    enum class Kind : std::uint8_t { forbid_path, forbid_command, forbid_tool, only_path };

    Kind kind = Kind::forbid_path;
    std::string target;  ///< decoded, not redacted, like the sentence
    std::uint64_t line = 0;
    std::string sentence;
};
std::string_view name(StatedRule::Kind kind);

/// What the main conversation is for, as it was understood.
struct SessionGoal {
    static constexpr std::size_t kMostLimits = 16, kMostMeasures = 8, kMostRules = 96, kMostPaths = 32;

    std::string text;  ///< the first 160 bytes of the human message that says it, which no mere greeting does; decoded,
                       ///< not redacted
    std::uint64_t line = 0;  ///< its record; 0 = given for the run, or there is no goal
    std::string latest;  ///< the same of the last message that asks for something ("yes", "go on" and "thanks" do not),
                         ///< where it is another
    std::uint64_t latest_line = 0;
    bool given = false;          ///< by --goal or the configuration
    std::uint32_t messages = 0;  ///< human messages, the given goal included, without the reasons for which calls were
                                 ///< refused; 0 = no goal is known
    std::vector<std::string> paths;  ///< files and directories in scope when the session ended
    std::vector<StatedLimit> limits;
    std::vector<StatedMeasure> measures;
    std::vector<StatedRule> rules;  ///< still in force when the session ended

    bool known() const { return messages > 0; }
};

}  // namespace agent_audit
