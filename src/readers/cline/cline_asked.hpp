#pragma once

#include "readers/json/json_util.hpp"

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Tells what a tool of Cline or Roo Code was asked that does several things in one call.
class ClineAsked {
public:
    /// The argument worth quoting of `args`, an object as recorded: commands as the lines of one script, a file, a
    /// search or a page where there is one only. Empty where nothing stands out. Valid until the next call.
    RawText of(std::string_view args);

private:
    bool add_command(json::value& v);
    bool add_other(json::value& v);

    json::parser parser_;
    std::string padded_, script_;
    RawText other_;
    std::size_t others_ = 0;
};

}  // namespace agent_audit::readers
