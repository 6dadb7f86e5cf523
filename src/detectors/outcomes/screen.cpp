#include "detectors/outcomes/screen.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/asking_verbs.hpp"
#include "support/ascii.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kLooks[] = {"screenshot", "snapshot", "screencap", "screen"};
constexpr std::string_view kActs[] = {"click", "dblclick", "doubleclick", "drag",     "fill",     "goto",
                                      "hover", "input",    "key",         "keyboard", "keypress", "keys",
                                      "mouse", "navigate", "press",       "redo",     "scroll",   "swipe",
                                      "tap",   "touch",    "type",        "undo",     "zoom"};
// Whatever follows, each time it is one further on. Alone they may be a debugger's.
constexpr std::string_view kSteps[] = {"advance", "decrease", "decrement", "increase", "increment",
                                       "next",    "prev",     "previous",  "rotate",   "skip"};
// The same where the name says no more, or what it is that moves: volume_up, go_back, turn_left.
constexpr std::string_view kMoves[] = {"back", "backward", "computer", "down", "forward",
                                       "left", "move",     "right",    "up",   "walk"};
constexpr std::string_view kMoved[] = {"arrow", "browser", "camera", "cursor", "go",   "move",  "page",
                                       "pan",   "robot",   "step",   "tilt",   "turn", "volume"};
// Tools of a world with one way in: what is done stands in the argument.
constexpr std::string_view kDoers[] = {"act",
                                       "action",
                                       "computer",
                                       "do",
                                       "do_action",
                                       "browser",
                                       "browser_action",
                                       "env_step",
                                       "execute_action",
                                       "game_action",
                                       "game_step",
                                       "interact",
                                       "mouse",
                                       "perform",
                                       "perform_action",
                                       "step",
                                       "take_action"};
// Tools of a browser whose name does not say what is done with it.
constexpr std::string_view kBrowsers[] = {"browser",   "browser_action", "go_to_url",    "open_link",
                                          "open_page", "open_url",       "open_website", "visit_page",
                                          "visit_url", "visit_website",  "webpage_open"};

template <std::size_t N>
bool is_any(std::string_view word, const std::string_view (&words)[N]) {
    return std::ranges::find(words, word) != std::end(words);
}

ScreenUse use_of(std::string_view name) {
    bool looks = false, acts = false;
    std::size_t count = 0;
    std::string_view first, last;
    for (std::string_view rest = name; !rest.empty(); ++count) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        looks = looks || is_any(word, kLooks);
        acts = acts || is_any(word, kActs);
        if (count == 0) first = word;
        last = word;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    if (is_any(name, kBrowsers)) return ScreenUse::any;
    if (looks) return ScreenUse::look;
    const bool moves = is_any(last, kMoves) && (count == 1 || is_any(first, kMoved));
    if (!acts && !moves && !(count > 1 && is_any(first, kSteps))) return ScreenUse::none;
    return is_any(first, kAskingVerbs) ? ScreenUse::none : ScreenUse::act;
}

}  // namespace

ScreenUse screen_use(std::string_view raw_name) { return use_of(snake_case(bare_tool_name(raw_name))); }

namespace {

// {"action": "left_click", "coordinate": …}: what stands behind the name.
std::string_view action_in(std::string_view arguments) {
    constexpr std::string_view kAction = "action\"";
    if (!arguments.starts_with('{')) return arguments;
    const std::size_t key = arguments.find(kAction);
    if (key == arguments.npos) return {};
    const std::size_t value = arguments.find_first_not_of("\\\": ", key + kAction.size());
    return value == arguments.npos ? std::string_view{} : arguments.substr(value);
}

}  // namespace

std::string deed_of(const Step& step) {
    constexpr std::size_t kWords = 2;  // "scroll down", "go to"
    std::string name = snake_case(bare_tool_name(step.text.tool()));
    if (!is_any(name, kDoers)) return name;
    std::string_view said = action_in(step.text.argument().bytes);
    std::string deed;
    for (std::size_t word = 0; word < kWords; ++word) {
        std::size_t end = 0;
        while (end < said.size() && (is_letter(said[end]) || said[end] == '_')) ++end;
        if (end == 0) break;
        deed += (word > 0 ? "_" : "") + snake_case(said.substr(0, end));
        if (end == said.size() || said[end] != ' ') break;
        said.remove_prefix(end + 1);
    }
    return deed.empty() ? name : deed;
}

bool is_picture_taken(RawText answer) {
    constexpr std::size_t kLongest = 160, kNothingSaid = 24;
    constexpr std::string_view kWords[] = {"screenshot", "snapshot", "picture",  "image",   "captured",
                                           "taken",      "saved",    "attached", "omitted", "viewport"};
    if (answer.size() > kLongest) return false;
    const std::string words = lowered(answer.bytes);
    return words.size() <= kNothingSaid ||
           std::ranges::any_of(kWords, [&](std::string_view word) { return words.find(word) != words.npos; });
}

bool says_picture_taken(RawText answer) {
    constexpr std::size_t kLongest = 64;  // bytes
    constexpr std::string_view kPicture = "creenshot", kDone[] = {"taken", "captured", "saved", "attached", "omitted"};
    return answer.size() <= kLongest && answer.bytes.find(kPicture) != std::string_view::npos &&
           std::ranges::any_of(kDone, [&](std::string_view word) { return answer.bytes.find(word) != word.npos; });
}

bool is_act(const Step& step) { return step.tool_class == ToolClass::other && use_of(deed_of(step)) == ScreenUse::act; }

bool acts_on_element(const Step& step) {
    return is_act(step) && step.text.argument().bytes.find("://") == std::string_view::npos;
}

namespace {

// What is longer shows what came of it, and so do several lines; but for the code that a browser server says it ran.
bool is_short_answer(const Step& step) {
    constexpr std::uint32_t kDone = 64, kWithCode = 200;
    const std::string_view words = step.text.outcome().bytes;
    const bool code = words.find("Ran Playwright code") != words.npos && words.find("Page ") == words.npos;
    return code ? step.outcome_bytes <= kWithCode : step.outcome_bytes <= kDone && !has_lines(words);
}

}  // namespace

bool has_lines(std::string_view answer) {
    while (answer.ends_with("\\n") || answer.ends_with('\n')) answer.remove_suffix(answer.ends_with('\n') ? 1 : 2);
    return answer.find('\n') != answer.npos || answer.find("\\n") != answer.npos;
}

bool is_screen_act(const Step& step) {
    return step.tool_class == ToolClass::other && is_short_answer(step) && is_act(step) && is_acknowledgement(step);
}

}  // namespace agent_audit::detectors
