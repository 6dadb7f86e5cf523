#pragma once

#include <agent_audit/model/error_class.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace agent_audit::detectors {

/// The phrases and codes by which errors of one class are known. One table: the classifier and the reference page read
/// it.
struct ErrorDefaults {
    ErrorClass error;
    std::string_view key;  ///< settings: errors.<key> takes patterns, errors.<key>-codes takes codes
    std::string_view what;
    /// In lower case; words may be apart by blanks, marks or an underscore. * stands for anything without a blank, #
    /// for the same with a digit first.
    std::span<const std::string_view> phrases;
    std::span<const std::uint16_t> codes;  ///< as in HTTP
};

/// In the order in which classes are asked: a denial is the most telling and an error of the machine the next; what
/// goes away by itself comes before what does not, because a wrong "transient" makes the rules wait longer and a wrong
/// "persistent" raises a false alarm.
std::span<const ErrorDefaults> error_defaults();

/// In what phrases_in() says: a transient phrase names what was not reached (a connection, a server, a lock), and says
/// not only that the time was up.
inline constexpr std::uint8_t kNamesTrouble = 0x80;

/// Which classes have a phrase in `text`: bit i for row i of error_defaults(), and kNamesTrouble. Whole words only,
/// whatever the case. Looks at each byte once and at a phrase only where its first word stands.
std::uint8_t phrases_in(std::string_view text);

}  // namespace agent_audit::detectors
