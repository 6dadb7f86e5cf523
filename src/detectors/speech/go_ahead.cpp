#include "detectors/speech/go_ahead.hpp"

#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

bool only_says_go_on(RawText text) {
    constexpr std::size_t kLongest = 32;  // bytes
    constexpr std::string_view kYes[] = {"yes", "ok", "okay", "sure", "please", "ja", "oui", "just", "then"};
    constexpr std::string_view kGoOn[] = {"continue", "go on",    "go ahead", "proceed",    "keep going",  "carry on",
                                          "do it",    "yes",      "go",       "weiter",     "mach weiter", "continuez",
                                          "sigue",    "continua", "keep on",  "yes please", "resume"};
    constexpr std::string_view kBetween = " ,.!\n";
    if (text.size() > kLongest) return false;
    const std::string lower = lowered(text.bytes);
    std::string_view said = lower;
    const auto trim = [&] {
        said.remove_prefix(std::min(said.find_first_not_of(kBetween), said.size()));
        said = said.substr(0, said.find_last_not_of(kBetween) + 1);
    };
    trim();
    if (std::ranges::find(kGoOn, said) != std::end(kGoOn)) return true;
    for (const std::string_view yes : kYes) {
        if (!said.starts_with(yes) || said.size() == yes.size() || kBetween.find(said[yes.size()]) == kBetween.npos)
            continue;
        said.remove_prefix(yes.size());
        trim();
    }
    constexpr std::string_view kPlease = " please";
    if (said.ends_with(kPlease)) said.remove_suffix(kPlease.size());
    trim();
    return std::ranges::find(kGoOn, said) != std::end(kGoOn);
}

}  // namespace agent_audit::detectors
