#pragma once

#include <agent_audit/model/session_report.hpp>

#include <string>

namespace agent_audit {

/// What a limit needs and no recording tells. They stand beside the signals where a skipped rule says what it lacked.
namespace unmeasured {
inline constexpr Signals kPrice{1u << 11};   ///< of a model, to the last request
inline constexpr Signals kWindow{1u << 12};  ///< of a model
inline constexpr Signals kLimit{1u << 13};   ///< nobody set one: the rule had nothing to watch for
static_assert(kPrice.bits > static_cast<unsigned>(Signal::exit_codes),
              "behind the last signal that a recording may tell");
}  // namespace unmeasured

/// Names of all that is missing, comma separated, as JSON has them.
std::string missing_names(Signals missing);
/// And back.
Signals missing_named(std::string_view names);
/// Why the rule was skipped: "no timestamps in the recording", "no price known of some requests (--prices)".
std::string missing_words(Signals missing, SkipReason reason);

}  // namespace agent_audit
