#include "detectors/outcomes/screen_refs.hpp"

#include "detectors/words/opaque_ids.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kHead = 1024;  // bytes of a page in which its address stands

// e12, s3e54, f1e7: letters and digits, a digit last.
std::size_t ref_size(std::string_view text) {
    constexpr std::size_t kLongest = 12;
    const auto is_part = [](char c) { return is_digit(c) || is_lower(c); };
    const auto size = static_cast<std::size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
    const bool ends_with_digit = size > 0 && is_digit(text[size - 1]);
    return ends_with_digit && size <= kLongest ? size : 0;
}

// What pages say to machines; in lower case, but for the first letter of a line.
bool wants_a_human(std::string_view page) {
    constexpr std::string_view kWalls[] = {"you are human", "not a robot", "nusual traffic", "hecking your browser"};
    return std::ranges::any_of(kWalls, [page](std::string_view words) { return page.find(words) != page.npos; });
}

// 26188357206b65: few letters, but of no other use.
bool is_long_hex(std::string_view word) {
    constexpr std::size_t kShortest = 12;
    return word.size() >= kShortest &&
           std::ranges::all_of(word, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

// Such a page draws a number for each look.
std::string without_drawn_ids(std::string_view page) {
    const auto is_part = [](char c) { return is_word(c) || c == '-'; };
    std::string rest;
    for (std::size_t at = 0; at < page.size();) {
        std::size_t end = at;
        while (end < page.size() && is_part(page[end])) ++end;
        if (const std::string_view word = page.substr(at, end - at); !is_opaque_id(word) && !is_long_hex(word))
            rest += word;
        for (at = end; at < page.size() && !is_part(page[at]); ++at) rest += page[at];
    }
    return rest;
}

// "Clicked. Page: Shop …": what a tool says of the deed before it shows the page.
std::size_t told_of_deed(std::string_view page) {
    constexpr std::string_view kDeeds[] = {"Clicked", "Double-clicked", "Pressed", "Navigated", "Scrolled",
                                           "Waited",  "Reloaded",       "Typed",   "Hovered",   "Opened"};
    constexpr std::size_t kLongest = 80, kPage = 48;  // bytes
    const auto tells = [page](std::string_view deed) { return page.starts_with(deed); };
    if (std::ranges::none_of(kDeeds, tells)) return 0;
    const std::size_t end = page.substr(0, kLongest).find(". ");
    return end == page.npos || page.size() - end < kPage ? 0 : end + 2;
}

// What is left of it begins a line, or the page.
bool ends_line(std::string_view before) {
    return before.empty() || before.ends_with('\n') || before.ends_with("\\n") || before.ends_with(". ");
}

// Where the address of the page itself stands; npos = it is not told.
std::size_t own_address(std::string_view page) {
    constexpr std::string_view kAddress = "URL: ", kOwn[] = {"Page ", "Current "};
    const std::size_t at = page.substr(0, kHead).find(kAddress);
    if (at == page.npos) return at;
    const std::string_view before = page.substr(0, at);
    const bool own = std::ranges::any_of(kOwn, [&](std::string_view word) { return before.ends_with(word); });
    return own || ends_line(before) ? at + kAddress.size() : page.npos;
}

// [12] button "Save", on a line of its own.
bool numbers_element(std::string_view page, std::size_t digits, std::size_t close) {
    const bool begins = ends_line(page.substr(0, digits - 1));
    return begins && page.substr(close).starts_with("] ") && close + 2 < page.size() && is_lower(page[close + 2]);
}

std::string without_refs(std::string_view page) {
    constexpr std::string_view kRef = "[ref=";
    std::string rest;
    std::size_t done = 0;
    const auto leave_out = [&](std::size_t begin, std::size_t size) {
        rest.append(page, done, begin - done);
        done = begin + size;
    };
    if (const std::size_t deed = told_of_deed(page); deed > 0) leave_out(0, deed);
    if (const std::size_t at = own_address(page); at != page.npos) {
        const std::size_t end = std::min(page.find_first_of(" \\\n\"", at), page.size());
        const std::size_t query = page.substr(0, end).find_first_of("?#", at);
        if (query != page.npos) leave_out(query, end - query);
    }
    // [12]<button>, as browser-use numbers what can be clicked: anew on each look.
    for (std::size_t at = page.find(']', done); at != page.npos; at = page.find(']', at + 1)) {
        std::size_t digits = at;
        while (digits > done && is_digit(page[digits - 1])) --digits;
        if (digits == at || digits == 0 || page[digits - 1] != '[') continue;
        if (page.substr(at).starts_with("]<") || numbers_element(page, digits, at)) leave_out(digits, at - digits);
    }
    for (std::size_t at = page.find(kRef, done); at != page.npos; at = page.find(kRef, at + kRef.size())) {
        const std::size_t begin = at + kRef.size(), size = ref_size(page.substr(begin));
        if (size > 0) leave_out(begin, size);
    }
    return done == 0 ? rest : rest.append(page, done);
}

}  // namespace

std::string without_element_refs(std::string_view page) {
    const std::string rest = without_refs(page);
    if (!wants_a_human(page)) return rest;
    return without_drawn_ids(rest.empty() ? page : std::string_view(rest));
}

std::string without_ref_argument(std::string_view args) {
    constexpr std::string_view kKey = "\"ref", kWords = "\"element";  // the quote behind may be escaped
    const std::size_t at = args.find(kKey);
    if (at == args.npos || args.find(kWords) == args.npos) return {};
    const std::size_t begin = args.find_first_not_of("\\\": ", at + kKey.size());
    const std::size_t size = begin == args.npos ? 0 : ref_size(args.substr(begin));
    if (size == 0) return {};
    return std::string(args.substr(0, begin)).append(args, begin + size);
}

}  // namespace agent_audit::detectors
