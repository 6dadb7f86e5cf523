#pragma once

#include <agent_audit/model/text.hpp>

#include <string>

namespace agent_audit::detectors {

/// What is wanted so often, in a person's words.
struct TimesOrder {
    std::string words;    ///< of all that may say it, in lower case; bounded
    bool things = false;  ///< a number of things, each of which takes a call: "start 8 workers", "send 10 mails"

    bool operator==(const TimesOrder&) const = default;
};

/// Asked of a request in which asked_times() found a number.
TimesOrder times_order(RawText request);

}  // namespace agent_audit::detectors
