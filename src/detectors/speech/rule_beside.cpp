#include "detectors/speech/rule_beside.hpp"

#include "detectors/speech/unnamed_rules.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kAnd[] = {" and ", ", and ", " plus ", " as well as ", " + ", " & ",
                                     "和",    "以及",   "及",     "与",           "跟",  "还有"};
constexpr std::string_view kLoose[] = {", ", "、", "，", " or ", ", or "};  // "only a.py, please", "or it breaks"
constexpr std::string_view kWhose[] = {"its ",           "their ",   "the ",      "any ",        "all ",
                                       "corresponding ", "related ", "matching ", "associated ", "relevant ",
                                       "existing ",      "own ",     "it's ",     "our ",        "my ",
                                       "它的",           "它们的",   "其",        "对应的",      "相应的",
                                       "相关的",         "相关"};

constexpr std::string_view kThings[] = {"the ", "its ", "their ", "our ", "my ", "any ", "all "};
constexpr std::string_view kWideThings[] = {"它的", "它们的", "其", "相关", "对应"};

std::string_view without_whose(std::string_view member) {
    for (bool again = true; again;) {
        member = trimmed(member);
        const auto whose =
            std::ranges::find_if(kWhose, [&](std::string_view word) { return member.starts_with(word); });
        again = whose != std::end(kWhose);
        if (again) member.remove_prefix(whose->size());
    }
    return member;
}

// "tests", "test suite", "test": but not "test data".
bool names_tests(std::string_view noun) {
    constexpr std::string_view kTests[] = {"tests",      "test file", "unit test", "test case",
                                           "test suite", "specs",     "测试"};
    constexpr std::string_view kTest[] = {"test", "spec"};
    if (starts_with_any(noun, kTests)) return true;
    return std::ranges::any_of(kTest, [&](std::string_view word) {
        if (!noun.starts_with(word)) return false;
        const std::string_view rest = noun.substr(word.size());
        return rest.empty() || std::string_view(",.;:!?)").find(rest[0]) != std::string_view::npos ||
               rest.starts_with(" please") || rest.starts_with(" for ");
    });
}

// A member of the list that is no path. Says whether it is known.
bool take_member(std::string_view member, Beside& beside) {
    const std::string_view noun = without_whose(member);
    if (names_tests(noun)) {
        beside.rules.push_back(only_the_tests());
        return true;
    }
    const std::string_view file = file_known_as(noun);
    if (file.empty()) return false;
    beside.rules.push_back(make_rule(Constraint::Kind::only_path, std::string(file)));
    return true;
}

struct Joint {
    std::size_t at = 0, end = 0;
    bool is_and = false;
};

Joint first_joint(std::string_view text) {
    Joint found{text.size(), text.size(), false};
    const auto look = [&](std::span<const std::string_view> words, bool is_and) {
        for (const std::string_view word : words) {
            const std::size_t at = text.find(word);
            if (at < found.at || (at == found.at && at + word.size() > found.end))
                found = {at, at + word.size(), is_and};
        }
    };
    look(kAnd, true);
    look(kLoose, false);
    return found;
}

// Behind the last path, whatever stands there with "and" before it is meant; with a comma or "or", what is known.
void take_tail(std::string_view rest, Beside& beside) {
    // "and run the tests" asks for no change; "and nothing else", "and leave the rest" allow none.
    constexpr std::string_view kOther[] = {"run ",  "nothing", "no ",   "not ",   "never ",   "leave ", "the rest",
                                           "keep ", "do ",     "don",   "then ",  "make ",    "commit", "不",
                                           "push",  "report ", "tell ", "check ", "explain ", "stop",   "别"};
    while (!rest.empty() && std::string_view("`'\"/").find(rest.front()) != std::string_view::npos)
        rest.remove_prefix(1);
    const auto is_next = [&](const Joint& joint) {
        return joint.end > joint.at && trimmed(rest.substr(0, joint.at)).empty();
    };
    constexpr std::ptrdiff_t kFewWords = 2;  // "migrations and tests"
    for (Joint joint = first_joint(rest); is_next(joint); joint = first_joint(rest)) {
        rest.remove_prefix(joint.end);
        if (starts_with_any(rest, kOther)) return;
        const Joint next = first_joint(rest);
        const std::string_view member = rest.substr(0, next.at);
        if (!take_member(member, beside)) {
            beside.unnamed |= joint.is_and || starts_with_any(member, kThings) ||
                              starts_with_any(member, kWideThings) ||
                              (next.is_and && std::ranges::count(trimmed(member), ' ') < kFewWords);
            return;
        }
        rest.remove_prefix(next.at);
    }
}

// Before a path stands what is known, or what begins as a thing does: "the docs and src/b.py". Anything else may be a
// word about the path: "the code in", "the file".
void take_members_before(std::string_view text, bool at_front, Beside& beside) {
    bool member = at_front;  // otherwise what stands first belongs to the path before it
    for (Joint joint = first_joint(text); joint.at < text.size(); joint = first_joint(text)) {
        const std::string_view said = trimmed(text.substr(0, joint.at));
        if (member && !said.empty() && !take_member(said, beside))
            beside.unnamed |= joint.is_and || starts_with_any(said, kThings);
        text.remove_prefix(joint.end);
        member = true;
    }
}

}  // namespace

Beside beside_places(std::string_view lower, const std::vector<std::string>& places) {
    Beside beside;
    std::size_t from = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::string place = lowered(places[i]);
        if (place.ends_with('/')) place.pop_back();  // that of a folder may not have been said
        const std::size_t at = lower.find(place, from);
        if (at == lower.npos) continue;
        take_members_before(lower.substr(from, at - from), i == 0, beside);
        from = at + place.size();
    }
    if (from > 0) take_tail(lower.substr(from), beside);
    return beside;
}

}  // namespace agent_audit::detectors
