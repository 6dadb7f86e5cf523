#include "detectors/engine/read_lists.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kShortestName = 3, kShortestNumber = 4;  // bytes
constexpr std::size_t kFewest = 3;                             // names; so few by their order and their place

bool in_word(char c) { return is_digit(c) || is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_name_byte(char c) { return in_word(c) || c == '_' || c == '-'; }
// What a path, an address, a host or an image is written with.
bool is_word_byte(char c) { return is_name_byte(c) || c == '.' || c == '/' || c == ':' || c == '@' || c == '\\'; }

// The escape of a line's end or the like, raw, ends in front of a name with a letter.
bool begins_name(std::string_view text, std::size_t at) {
    if (at == 0 || !is_name_byte(text[at - 1])) return true;
    constexpr std::string_view kEscapes = "ntr";
    return at > 1 && text[at - 2] == '\\' && kEscapes.find(text[at - 1]) != kEscapes.npos;
}
bool ends_name(std::string_view text, std::size_t end) { return end >= text.size() || !is_name_byte(text[end]); }

std::size_t find_name(std::string_view text, std::string_view name, std::size_t from) {
    for (std::size_t at = text.find(name, from); at != text.npos; at = text.find(name, at + 1)) {
        if (begins_name(text, at) && ends_name(text, at + name.size())) return at;
    }
    return text.npos;
}

// Numbers count, flags and short words say nothing.
bool may_name(std::string_view word) {
    if (word.size() < kShortestName || word.front() == '-') return false;
    return word.size() >= kShortestNumber || !std::ranges::all_of(word, is_digit);
}

using Words = std::vector<std::string_view>;

Words words_of(std::string_view argument) {
    constexpr std::string_view kMarks = ".:/\\@";
    Words words;
    while (!argument.empty()) {
        const auto begin = static_cast<std::size_t>(std::ranges::find_if(argument, is_word_byte) - argument.begin());
        argument.remove_prefix(begin);
        std::string_view word = argument.substr(
            0, static_cast<std::size_t>(std::ranges::find_if_not(argument, is_word_byte) - argument.begin()));
        argument.remove_prefix(word.size());
        while (!word.empty() && kMarks.find(word.front()) != kMarks.npos) word.remove_prefix(1);
        while (!word.empty() && kMarks.find(word.back()) != kMarks.npos) word.remove_suffix(1);
        if (may_name(word) && std::ranges::find(words, word) == words.end()) words.push_back(word);
    }
    return words;
}

// A list may have only the last part of a path, or a host without its port.
Words spellings_of(std::string_view word) {
    Words forms;
    for (const std::string_view form :
         {word, word.substr(word.find_last_of("/\\") + 1), word.substr(0, word.rfind(':'))}) {
        if (may_name(form) && std::ranges::find(forms, form) == forms.end()) forms.push_back(form);
    }
    return forms;
}

// The words of each call that few of the others have, those that fewest have first: several questions may be asked of
// each thing.
std::vector<Words> telling_words(const std::vector<std::string_view>& calls) {
    std::vector<Words> all;
    for (const std::string_view call : calls) all.push_back(words_of(call));
    const auto users = [&all](std::string_view word) {
        return std::ranges::count_if(all,
                                     [&](const Words& words) { return std::ranges::find(words, word) != words.end(); });
    };
    std::vector<Words> telling;
    for (const Words& words : all) {
        std::vector<std::pair<std::ptrdiff_t, std::string_view>> ranked;
        for (const std::string_view word : words) {
            const std::ptrdiff_t n = users(word);
            if (2 * n <= static_cast<std::ptrdiff_t>(calls.size())) ranked.emplace_back(n, word);
        }
        std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : a.second.size() > b.second.size();
        });
        Words& best = telling.emplace_back();
        for (const auto& [n, word] : ranked) best.push_back(word);
    }
    return telling;
}

// A name as it stands in the text: of several words the one that stands there least often.
std::string_view name_in(std::string_view text, const Words& words) {
    constexpr std::size_t kOften = 16;
    std::string_view name;
    std::size_t fewest = kOften;
    for (const std::string_view word : words) {
        for (const std::string_view form : spellings_of(word)) {
            std::size_t times = 0;
            for (std::size_t at = find_name(text, form, 0); at != text.npos && times < fewest;
                 at = find_name(text, form, at + form.size()))
                ++times;
            if (times == 0 || times >= fewest) continue;
            name = form;
            fewest = times;
            break;
        }
    }
    return name;
}

// What stands around a name in its entry of the list: the beginning of the line, or a few bytes in which numbers count
// alike; and the byte behind it.
std::string entry_around(std::string_view text, std::size_t at, std::size_t size) {
    constexpr std::size_t kBytes = 4;
    std::string around(1, at + size < text.size() ? text[at + size] : '\n');
    while (at > 0 && around.size() < kBytes) {
        const char c = is_digit(text[at - 1]) ? '0' : text[at - 1];
        if (c == '\n') break;
        if ((c != '0' && c != ' ') || around.size() == 1 || around.back() != c) around += c;
        --at;
    }
    return around;
}

bool is_counted_on(const std::vector<std::string_view>& names) {
    const auto number = [](std::string_view name) {
        std::uint64_t n = 0;
        for (const char c : name)
            n = is_digit(c) && n < 1'000'000'000'000 ? n * 10 + static_cast<std::uint64_t>(c - '0')
                                                     : ~std::uint64_t{0} / 20;
        return n;
    };
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (!std::ranges::all_of(names[i], is_digit) || number(names[i]) != number(names[i - 1]) + 1) return false;
    }
    return true;
}

// A list with a line for each entry is over once they are gone through, and whoever goes on begins anew.
bool is_more_than_once(std::uint64_t names, std::string_view text) {
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(text, '\n')) + 1;
    return lines >= kFewest && names > lines + lines / 4;
}

}  // namespace

bool goes_through(const std::vector<std::string_view>& calls, std::uint64_t steps, std::string_view text, bool whole) {
    std::vector<std::string_view> names;
    std::size_t missing = 0;
    const std::vector<Words> telling = telling_words(calls);
    const std::size_t spare = calls.size() > kFewest + 2 ? 1 : 0;
    for (std::size_t i = 0; i < telling.size() && missing <= spare; ++i) {
        const std::string_view name = name_in(text, telling[i]);
        const bool end_of_row = i == kFindingCalls;
        if (name.empty() && end_of_row && whole) return false;
        if (name.empty())
            missing += !end_of_row;  // far down the list
        else if (std::ranges::find(names, name) == names.end())
            names.push_back(name);
    }
    if (missing > spare || names.size() < kFewest || is_counted_on(names)) return false;
    if (whole && is_more_than_once(steps * names.size() / calls.size(), text)) return false;
    // In order?
    std::size_t from = 0, left_out = missing;
    std::vector<std::pair<std::string, std::size_t>> entries;
    for (const std::string_view name : names) {
        const std::size_t first = find_name(text, name, 0);
        const std::size_t next = first >= from ? first : find_name(text, name, from);
        if (next == text.npos)
            ++left_out;
        else
            from = next;
        const std::string around = entry_around(text, first, name.size());
        const auto known = std::ranges::find(entries, around, &std::pair<std::string, std::size_t>::first);
        if (known == entries.end())
            entries.emplace_back(around, 1);
        else
            ++known->second;
    }
    const std::size_t alike = std::ranges::max(entries, {}, &std::pair<std::string, std::size_t>::second).second;
    const bool in_order = left_out <= spare, same_entry = alike + spare >= names.size() + missing;
    return names.size() == kFewest ? in_order && same_entry : in_order || same_entry;
}

// A row goes on with every step that tells nothing new of another thing, and may be parted by a few others.
void ReadLists::see_row(const Step& step, const LaneTrack& lane) {
    constexpr std::uint64_t kApart = 4;
    if (step.ordinal > last_ + kApart) {
        row_ = 0;
        wanted_ = kRow;
    }
    last_ = step.ordinal;
    if (++row_ < wanted_ || !store_) return;
    wanted_ *= 2;
    const Step* before = nullptr;
    for (std::uint64_t back = 1; !before && back <= kApart && back < step.ordinal; ++back) {
        const Step* other = lane.step(step.ordinal - back);
        if (other && other->tool == step.tool && other->call != step.call) before = other;
    }
    if (!before) return;
    const Words known = words_of(before->text.argument().bytes);
    Words fresh;
    for (const std::string_view word : words_of(step.text.argument().bytes)) {
        if (std::ranges::find(known, word) == known.end()) fresh.push_back(word);
    }
    std::ranges::stable_sort(fresh, std::ranges::greater{}, &std::string_view::size);
    constexpr std::size_t kTried = 1;  // words
    for (std::size_t i = 0; i < std::min(fresh.size(), kTried); ++i) {
        for (const std::string_view form : spellings_of(fresh[i])) pin_texts_with(form, step.call_at.seq);
    }
}

void ReadLists::pin_texts_with(std::string_view name, std::uint64_t before_seq) {
    for (const Kept& kept : std::span(store_->texts).first(std::min<std::uint64_t>(kept_, kTexts))) {
        if (kept.seq >= before_seq || end_ - kept.at > kRing) continue;
        const std::string_view text(store_->bytes.data() + kept.at % kRing, kept.size);
        if (find_name(text, name, 0) == text.npos || std::ranges::find(lists_, kept.seq, &List::seq) != lists_.end())
            continue;
        if (lists_.size() == kLists) lists_.erase(lists_.begin());
        lists_.push_back({kept.seq, kept.form, kept.size < kLongest, std::string(text)});
    }
}

bool ReadLists::hold_list_of(const Finding& f) {
    if (lists_.empty() || f.calls.size() < kFewest || ++looks_ > kMostLooks) return false;
    std::vector<std::string_view> calls;
    for (const FindingCall& call : f.calls) calls.push_back(call.argument);
    // Of a longer row the last one tells whether it still goes through the list.
    const auto last = std::ranges::find(f.evidence, std::string_view("last"), &Evidence::role);
    if (last != f.evidence.end() && f.calls.size() == kFindingCalls) {
        const std::string_view words = last->text;  // "Bash `nc -z …`"
        calls.push_back(words.substr(std::min(words.find('`'), words.size())));
    }
    return std::ranges::any_of(lists_, [&](const List& list) {
        if (list.seq >= f.first_seq) return false;
        return goes_through(calls, f.repeats * std::max<std::uint64_t>(f.period, 1),
                            decoded({list.text, list.form}, kLongest), list.whole);
    });
}

void ReadLists::clear() {
    end_ = 0;
    kept_ = 0;
    last_out_ = out_before_ = 0;
    row_ = last_ = 0;
    wanted_ = kRow;
    lists_.clear();
    looks_ = 0;
}

}  // namespace agent_audit::detectors
