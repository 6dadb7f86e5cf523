#include "detectors/commands/command_growth.hpp"

#include "detectors/words/words.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::uint32_t kShortest = 8;          // commands shorter than this begin many others
constexpr std::size_t kWordsBytes = 64u << 10;  // words are looked at only this far: it is about the share

// The first argument of a text, and the rest; operators between commands are none.
std::string_view take_argument(std::string_view& text) {
    constexpr std::string_view kBetween = " \t\n;|&\"";
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    const std::string_view argument = text.substr(0, text.find_first_of(kBetween));
    text.remove_prefix(argument.size());
    return argument;
}

// Is an argument appended that is there already? tests/test_b.py behind tests/test_a.py is another one, whatever words
// they share.
bool repeats_argument(std::string_view before, std::string_view added) {
    std::vector<std::string_view> known;
    for (std::string_view one = take_argument(before); !one.empty(); one = take_argument(before)) known.push_back(one);
    std::ranges::sort(known);
    for (std::string_view one = take_argument(added); !one.empty(); one = take_argument(added)) {
        if (std::ranges::binary_search(known, one)) return true;
    }
    return false;
}

std::uint8_t known_words(RawText before, RawText added) {
    before.bytes = before.bytes.substr(0, kWordsBytes);
    added.bytes = added.bytes.substr(0, kWordsBytes);
    if (!repeats_argument(before.bytes, added.bytes)) return 0;
    std::vector<std::uint32_t> known;
    word_set(before, known);
    std::size_t all = 0, met = 0;
    Words words(added);
    for (Word word; words.next(word); ++all) met += std::ranges::binary_search(known, word.hash);
    return all == 0 ? 0 : static_cast<std::uint8_t>(met * 100 / all);
}

}  // namespace

void CommandGrowth::see(RawText command, Step& step) {
    const auto size =
        static_cast<std::uint32_t>(std::min<std::size_t>(command.size(), std::numeric_limits<std::uint32_t>::max()));
    if (size_ >= kShortest && size > size_ && stable_hash(command.bytes.substr(0, size_)) == hash_) {
        step.grown_from = size_;
        step.known_words =
            known_words({command.bytes.substr(0, size_), command.form}, {command.bytes.substr(size_), command.form});
    }
    step.command_bytes = size;
    hash_ = stable_hash(command.bytes);
    size_ = size;
}

}  // namespace agent_audit::detectors
