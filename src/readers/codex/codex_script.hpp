#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// A call that a script makes, as far as its text tells.
struct ScriptCall {
    std::string tool;
    std::string args;  ///< a JSON object; room for a parser's padding is behind it (see json())
    std::size_t args_size = 0;

    std::string_view json() const { return std::string_view(args).substr(0, args_size); }
};

/// The calls `tools.NAME({…})` in a script in JavaScript, in the order of the text, whose argument is an object that
/// stands there as it is: of strings, numbers, words, lists and objects. What is computed is not told, nor is what
/// stands in strings and comments. At most `most`.
std::vector<ScriptCall> calls_of_script(std::string_view javascript, std::size_t most);

}  // namespace agent_audit::readers
