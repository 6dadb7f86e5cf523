#include "detectors/engine/thoughts.hpp"

#include "detectors/words/phrases.hpp"
#include "detectors/words/words.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 16u << 10;  // bytes of a call that are read

std::vector<std::uint32_t> figures_in(std::string_view text) {
    std::vector<std::uint32_t> figures;
    Words words({text, TextForm::plain});
    for (Word word; words.next(word);)
        if (is_digit(text[word.begin])) figures.push_back(word.hash);
    std::ranges::sort(figures);
    return figures;
}

// The inside of the longest string of a JSON text. Keys are short.
std::string_view longest_string(std::string_view json) {
    std::string_view longest;
    for (std::size_t at = json.find('"'); at < json.size(); at = json.find('"', at)) {
        const std::size_t begin = ++at;
        while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
        const std::string_view inside = json.substr(begin, std::min(at, json.size()) - begin);
        if (inside.size() > longest.size()) longest = inside;
        if (++at >= json.size()) break;
    }
    return longest;
}

}  // namespace

std::string thought_in(RawText args) {
    const std::string_view bytes = args.bytes.substr(0, kLongest);
    if (args.form != TextForm::json_string) return decode_json_string(longest_string(bytes));
    return decode_json_string(longest_string(decode_json_string(bytes)));
}

std::uint64_t Thoughts::name(std::string_view thought) {
    Thought now{stable_hash(trimmed(thought)) | 1, {}, figures_in(thought)};
    word_set({thought, TextForm::plain}, now.words);
    if (const Thought* before = like(now)) return before->name;
    const std::uint64_t name = now.name;
    keep(std::move(now));
    return name;
}

void Thoughts::forget() {
    row_.clear();
    said_.clear();
    next_ = 0;
}

const Thoughts::Thought* Thoughts::like(const Thought& now) const {
    constexpr std::size_t kFewest = 5;     // different words: short thoughts are alike by accident
    constexpr double kShareAtLeast = 0.8;  // of the words of both
    const auto same = std::ranges::find(row_, now.name, &Thought::name);
    if (same != row_.end()) return &*same;
    if (now.words.size() < kFewest || !std::ranges::includes(said_, now.words)) return nullptr;
    const auto near = std::ranges::find_if(row_, [&](const Thought& before) {
        return before.figures == now.figures && jaccard(before.words, now.words) >= kShareAtLeast;
    });
    return near == row_.end() ? nullptr : &*near;
}

void Thoughts::keep(Thought now) {
    std::vector<std::uint32_t> all;
    std::ranges::set_union(said_, now.words, std::back_inserter(all));
    said_ = std::move(all);
    if (row_.size() < kMost)
        row_.push_back(std::move(now));
    else
        row_[next_++ % kMost] = std::move(now);
}

}  // namespace agent_audit::detectors
