#include "detectors/outcomes/other_thing.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace agent_audit::detectors {
namespace {

bool in_name(char c) { return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80; }

// Bytes at the beginning of both that are the same, up to where a name ends in both.
std::size_t same_begin(std::string_view a, std::string_view b) {
    auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    const auto inside = [&](std::string_view text) { return at < text.size() && in_name(text[at]); };
    while (at > 0 && in_name(a[at - 1]) && (inside(a) || inside(b))) --at;
    return at;
}

std::size_t same_end(std::string_view a, std::string_view b) {
    std::size_t size = 0;
    while (size < std::min(a.size(), b.size()) && a[a.size() - 1 - size] == b[b.size() - 1 - size]) ++size;
    const auto inside = [&](std::string_view text) {
        return size < text.size() && in_name(text[text.size() - 1 - size]);
    };
    while (size > 0 && in_name(a[a.size() - size]) && (inside(a) || inside(b))) --size;
    return size;
}

std::string_view next_name(std::string_view& rest) {
    rest.remove_prefix(static_cast<std::size_t>(std::ranges::find_if(rest, in_name) - rest.begin()));
    const std::string_view name =
        rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, in_name) - rest.begin()));
    rest.remove_prefix(name.size());
    return name;
}

bool share_a_name(std::string_view a, std::string_view b) {
    constexpr std::size_t kShortest = 2;
    for (std::string_view name = next_name(a); !name.empty(); name = next_name(a)) {
        std::string_view rest = b;
        for (std::string_view other = next_name(rest); !other.empty(); other = next_name(rest)) {
            const bool part = name.find(other) != name.npos || other.find(name) != other.npos;
            if (part && std::min(name.size(), other.size()) >= kShortest) return true;
        }
    }
    return false;
}

// src/index.ts and lib/index.ts: one file is looked for in several places.
bool same_file_name(std::string_view one, std::string_view other) {
    const std::size_t a = one.rfind('/'), b = other.rfind('/');
    if (a == one.npos && b == other.npos) return false;
    return one.substr(a + 1) == other.substr(b + 1);  // npos + 1 = 0
}

std::string_view host_of(std::string_view text) {
    constexpr std::string_view kScheme = "://", kWww = "www.";
    const std::size_t at = text.find(kScheme);
    if (at == text.npos) return {};
    text.remove_prefix(at + kScheme.size());
    if (text.starts_with(kWww)) text.remove_prefix(kWww.size());
    return text.substr(0, text.find_first_of("/:?#\"' "));
}

}  // namespace

bool names_another(std::string_view one, std::string_view other) {
    if (same_but_numbers(one, other) || (host_of(one).empty() && same_file_name(one, other))) return false;
    const std::size_t begin = same_begin(one, other);
    one.remove_prefix(begin);
    other.remove_prefix(begin);
    const std::size_t end = same_end(one, other);
    one.remove_suffix(end);
    other.remove_suffix(end);
    const std::string a = lowered(one), b = lowered(other);
    return std::ranges::any_of(a, in_name) && std::ranges::any_of(b, in_name) && !share_a_name(a, b);
}

bool same_site(std::string_view one, std::string_view other) {
    const std::string_view host = host_of(one), next = host_of(other);
    // What all sites of a kind end in is no name of theirs.
    const auto named = [](std::string_view site) { return site.substr(0, site.rfind('.')); };
    return host.empty() || next.empty() || host == next || share_a_name(named(host), named(next));
}

}  // namespace agent_audit::detectors
