#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// What a tool does with a screen, a page in a browser or a device.
enum class ScreenUse : std::uint8_t {
    none,
    look,  ///< takes a picture of it
    act,   ///< presses, clicks, scrolls, goes elsewhere
    any,   ///< either, as its arguments say, or goes to an address: browser, open_page
};

/// Told by the words of the tool's name: browser_take_screenshot, mcp__phone__swipe, pressKey.
ScreenUse screen_use(std::string_view raw_name);

/// What a step does, as a name: the tool's, or the first words of the argument where the tool only says that something
/// is done (act `put the mug down` → put_the). In snake_case.
std::string deed_of(const Step& step);

/// True when the step presses, clicks, scrolls, turns or moves something.
bool is_act(const Step& step);

/// The same of a thing on the screen: what goes to an address finds another page there.
bool acts_on_element(const Step& step);

/// Texts of a screen up to this many bytes show little besides what is worked on.
inline constexpr std::size_t kSmallScreen = 160;

/// True for an answer of a look that says only that it was taken: what was seen is a picture.
bool is_picture_taken(RawText answer);

/// The same of a tool that does other things as well: "screenshot taken".
bool says_picture_taken(RawText answer);

/// Does an answer, raw, have more than one line?
bool has_lines(std::string_view answer);

/// True for an act on a screen whose answer only says that it was done: a key that is pressed ten times, a page that is
/// scrolled on. Looks at texts: ask only when something repeats.
bool is_screen_act(const Step& step);

}  // namespace agent_audit::detectors
