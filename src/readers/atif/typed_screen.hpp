#pragma once

#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// Cuts the screen of a terminal into which several command lines were typed one after the other, each ended with the
/// return key: what each of them printed stands between its echo, at a prompt, and that of the next one.
class TypedScreen {
public:
    void clear() { keys_.clear(); }
    /// Keys as the recording has them, in their order.
    void typed(RawText keys) { keys_.push_back(keys); }
    /// True when the screen shows the echo of each; then part() tells what belongs to which.
    bool cut(RawText screen);
    /// From the prompt on; the first begins with the screen. Views into it.
    RawText part(std::size_t i) const;

private:
    RawText screen_;
    std::vector<RawText> keys_;
    std::vector<std::size_t> begins_;
};

}  // namespace agent_audit::readers
