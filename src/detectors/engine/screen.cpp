#include "detectors/engine/screen.hpp"

#include "detectors/engine/answers.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kLooks[] = {"screenshot", "snapshot", "screencap", "screen"};
// A tool whose name begins so asks, whatever follows: get_key, find_next.
constexpr std::string_view kAsks[] = {"check", "fetch", "find", "get", "list", "load", "lookup", "query", "read", "search", "show", "view"};
constexpr std::string_view kActs[] = {"click", "dblclick", "doubleclick", "drag", "goto",   "hover", "key", "keyboard", "keypress", "keys", "mouse",
                                      "navigate", "press", "redo",        "scroll", "swipe", "tap", "touch", "type",     "undo",     "zoom"};
constexpr std::string_view kNexts[] = {"next", "prev", "previous"}, kPages[] = {"page", "screen", "slide", "tab"};
// The same where the name says no more, or only whose page it is.
constexpr std::string_view kMoves[] = {"back", "computer", "down", "forward", "left", "move", "right", "up"};

template <std::size_t N>
bool is_any(std::string_view word, const std::string_view (&words)[N]) {
    return std::ranges::find(words, word) != std::end(words);
}

}  // namespace

ScreenUse screen_use(std::string_view raw_name) {
    const std::string name = snake_case(bare_tool_name(raw_name));
    bool looks = false, acts = false, asks = false;
    std::size_t count = 0;
    std::string_view first, last;
    for (std::string_view rest = name; !rest.empty(); ++count) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        asks = asks || (count == 0 && is_any(word, kAsks));
        looks = looks || is_any(word, kLooks);
        acts = acts || is_any(word, kActs);
        if (count == 0) first = word;
        last = word;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    if (looks) return ScreenUse::look;
    if (asks) return ScreenUse::none;
    const bool moves = is_any(last, kMoves) && (count == 1 || name.starts_with("page_") || name.starts_with("browser_") || name.starts_with("go_"));
    const bool turns = is_any(first, kNexts) && is_any(last, kPages);
    return acts || moves || turns ? ScreenUse::act : ScreenUse::none;
}

namespace {

// What is longer shows what came of it, but for the code that a browser server says it ran.
bool is_short_answer(const Step& step) {
    constexpr std::uint32_t kDone = 64, kWithCode = 200;
    if (step.outcome_bytes <= kDone) return true;
    const std::string_view words = step.text.outcome().bytes;
    return step.outcome_bytes <= kWithCode && words.find("Ran Playwright code") != words.npos && words.find("Page ") == words.npos;
}

}  // namespace

bool is_screen_act(const Step& step) {
    return step.tool_class == ToolClass::other && is_short_answer(step) && screen_use(step.text.tool()) == ScreenUse::act &&
           is_acknowledgement(step);
}

}  // namespace agent_audit::detectors
