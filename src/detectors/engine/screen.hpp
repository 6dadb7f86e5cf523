#pragma once

#include <agent_audit/detectors/step.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What a tool does with a screen, a page in a browser or a device.
enum class ScreenUse : std::uint8_t {
    none,
    look,  ///< takes a picture of it
    act,   ///< presses, clicks, scrolls, goes elsewhere
};

/// Told by the words of the tool's name: browser_take_screenshot, mcp__phone__swipe, pressKey.
ScreenUse screen_use(std::string_view raw_name);

/// Answers of a look, in bytes, that say only that it was taken: what was seen is a picture.
inline constexpr std::uint32_t kPictureWords = 160;

/// True for an act on a screen whose answer only says that it was done: a key that is pressed ten times, a page that is
/// scrolled on. Looks at texts: ask only when something repeats.
bool is_screen_act(const Step& step);

}  // namespace agent_audit::detectors
