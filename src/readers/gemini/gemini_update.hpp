#pragma once

#include "readers/json/format_util.hpp"

#include <agent_audit/support/hash.hpp>

#include <string_view>

namespace agent_audit::readers {

/// An update of Gemini CLI with messages: the whole history as it is sent now. It is looked through before any of it is
/// told, for only the messages say whether it takes the place of what was told, or repeats it.
class GeminiUpdate {
public:
    /// `known`: messages that were told lately; `first`: the one with which the conversation began.
    GeminiUpdate(const RecentIds& known, IdHash first) : known_(known), first_(first) {}

    /// The record that holds it. False for broken JSON.
    bool look_through(json::object& object);

    /// It begins with something else than the history did.
    bool replaces() const { return replaces_; }
    /// The id of the last of its messages that was known before.
    std::string_view last() const { return last_; }

private:
    bool look_at(json::value& message);

    const RecentIds& known_;
    IdHash first_;
    bool begun_ = false;  // a message behind the setting was met
    bool replaces_ = false;
    std::string_view last_;
};

}  // namespace agent_audit::readers
