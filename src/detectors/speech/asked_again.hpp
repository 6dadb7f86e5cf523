#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What a person wants done again and again without saying how often, or of one thing after the other.
enum class AskedAgain : std::uint8_t {
    no,
    trials,      ///< to run something until it is known how often it works: is the test flaky?
    watch,       ///< to look at something from time to time: keep an eye on it, check it every minute
    absence,     ///< to make sure that nothing is left of many things: none of these is used any more
    waiting,     ///< to wait until something is there
    failures,    ///< to see things fail or be refused as they should: each must be answered with 401
    survey,      ///< to look at each of many things, or to find out which of them: check all 60 addresses
    red_tests,   ///< to see tests fail: they are written first
    known_red,   ///< nothing, of what fails already: "the export test is red on main, ignore it"
    until_done,  ///< to do the same until nothing is left to do: call POST /batch/next until it is empty
};

/// The same, as far as the words say it. What is told of a program ("a job that runs every minute") and of what was
/// tried is no wish.
AskedAgain asked_again(std::string_view text);

/// The same of a raw text, escaped or not.
AskedAgain asked_again(RawText text);

/// False for a raw text in which no word stands by which asked_again() tells `known_red`.
bool may_leave_red(RawText text);

}  // namespace agent_audit::detectors
