#include "detectors/outcomes/run_names.hpp"

#include "detectors/outcomes/retry_names.hpp"
#include "detectors/words/tokens.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 8192;  // bytes

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_number(std::string_view t) { return !t.empty() && std::ranges::all_of(t, is_digit); }

// Digits and letters from a to f. Where it stands must show that it is a hash: one in forty that are short has no
// letter.
bool is_hash(std::string_view t) {
    return std::ranges::all_of(t, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

// The letters that Kubernetes draws names from: no vowels, and no digits that look like letters.
bool is_drawn(std::string_view t) {
    static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
    return std::ranges::all_of(t, [](char c) { return kLetters.find(c) != std::string_view::npos; });
}

// shop-7d9f8c6b5d-x2x4z is a pod of shop; so is the next one, of the same rollout or another. Empty = no such name.
std::string_view owner_of_pod(std::string_view name) {
    constexpr std::size_t kOwn = 5, kShortest = 6, kLongestHash = 10;
    const std::size_t last = name.rfind('-');
    if (last == name.npos || name.size() - last - 1 != kOwn || !is_drawn(name.substr(last + 1))) return {};
    name = name.substr(0, last);
    const std::size_t hash = name.rfind('-');
    if (hash == name.npos) return {};
    const std::string_view rollout = name.substr(hash + 1);
    const bool drawn = rollout.size() >= kShortest && rollout.size() <= kLongestHash && is_drawn(rollout) &&
                       std::ranges::any_of(rollout, is_digit);
    return drawn ? name.substr(0, hash) : std::string_view{};
}

bool keeps_failing(std::string_view status) {
    constexpr std::string_view kStatus[] = {"CrashLoopBackOff", "ImagePullBackOff",  "ErrImagePull",
                                            "OOMKilled",        "RunContainerError", "CreateContainerConfigError"};
    return std::ranges::find(kStatus, status) != std::end(kStatus);
}

/// A token where it stands.
struct Place {
    std::string_view text, token;
    std::size_t at = 0;
    std::string_view before;  // the token before it

    char left() const { return at > 0 ? text[at - 1] : '\n'; }
    std::string_view rest() const { return text.substr(at + token.size()); }
    char right() const { return rest().empty() ? '\n' : rest()[0]; }
    // An escaped line end is two bytes.
    bool begins_line() const { return left() == '\n' || (left() == 'n' && at > 1 && text[at - 2] == '\\'); }
    bool ends_line() const { return right() == '\n' || right() == '\\'; }
    // "[main 1f0c2ab] ": the last word between brackets at the beginning of a line, and not the first.
    bool ends_head() const {
        const std::size_t head = text.substr(0, at).rfind('[');
        if (head == text.npos || left() != ' ' || !rest().starts_with("] ")) return false;
        return Place{text, {}, head, {}}.begins_line();
    }
    // The line above is one name and nothing else.
    bool stands_below_name() const {
        std::string_view above = text.substr(0, at);
        if (!take_line_end(above)) return false;
        const std::size_t name = above.find_last_not_of(kNameBytes) + 1;  // npos + 1 = 0
        if (name == above.size()) return false;
        above = above.substr(0, name);
        // The letter of an escaped line end looks like the first of the name.
        return above.empty() || above.ends_with('\n') || above.ends_with('\\');
    }

private:
    static constexpr std::string_view kNameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    static bool take_line_end(std::string_view& text) {
        const std::size_t size = text.ends_with('\n') ? 1 : text.ends_with("\\n") ? 2 : 0;
        text.remove_suffix(size);
        return size > 0;
    }
};

// A server that found its port taken went to the next one.
bool is_port_of_this_machine(const Place& at) {
    return at.left() == ':' && (at.before == "localhost" || at.text.substr(0, at.at - 1).ends_with("127.0.0.1"));
}

// Without the lines that tell which ports were taken; false = there are none.
bool take_busy_ports(std::string& text) {
    constexpr std::string_view kBusy = " is in use";
    static constexpr PhraseSet busy(std::array{kBusy});
    if (!busy.in(text)) return false;
    bool any = false;
    for (std::size_t at = text.find(kBusy); at != text.npos; at = text.find(kBusy)) {
        const auto line_end = [&](std::size_t from) {
            return std::min({text.find('\n', from), text.find("\\n", from), text.size()});
        };
        std::size_t begin = 0;
        for (std::size_t end = line_end(0); end < at; end = line_end(end + 1))
            begin = end + (text[end] == '\n' ? 1 : 2);
        const std::size_t end = line_end(at);
        text.erase(begin, std::min(end + (end < text.size() && text[end] == '\\' ? 2 : 1), text.size()) - begin);
        any = true;
    }
    return any;
}

bool given_anew(const Place& a, const Place& b) {
    constexpr std::size_t kShortId = 12, kLongId = 64, kShortestCommit = 7;
    const std::string_view x = a.token, y = b.token;
    const bool both_numbers = is_number(x) && is_number(y);
    if (both_numbers && keeps_failing(a.before)) return true;
    if (both_numbers && a.left() == '[' && a.rest().starts_with("]:") && b.rest().starts_with("]:"))
        return true;  // shopd[4011]:
    if (both_numbers && (a.before == "PID" || (a.before == "Process" && a.rest().starts_with(" Exec"))))
        return true;  // of systemctl
    if (const std::string_view owner = owner_of_pod(x); !owner.empty()) return owner == owner_of_pod(y);
    if (x.size() != y.size() || !is_hash(x) || !is_hash(y)) return false;
    // docker rm -f api && docker run -d --name api. Alone it is another container.
    if (x.size() == kLongId) return a.ends_line() && a.stands_below_name();
    if (x.size() == kShortId && a.begins_line() && is_blank(a.right())) return true;  // docker ps
    return x.size() >= kShortestCommit && x.size() <= kShortId && a.ends_head() &&
           b.ends_head();  // [main 1f0c2ab] Add it
}

// Columns shift with what stands in them.
std::size_t past_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && is_blank(text[at])) ++at;
    return at;
}

// `moved`: a server went to another port.
bool same_tokens(std::string_view a, std::string_view b, bool moved) {
    std::string_view before;
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_blank(a[i]) && is_blank(b[j])) {
            i = past_blanks(a, i);
            j = past_blanks(b, j);
            continue;
        }
        // The letter of an escape belongs to no word.
        const std::size_t escape = a[i] == '\\' ? 2 : 1;
        const std::string_view x = token_at(a, i), y = token_at(b, j);
        if (x.empty() || y.empty()) {
            if (a.substr(i, escape) != b.substr(j, escape)) return false;
            i += escape;
            j += escape;
            continue;
        }
        const Place here{a, x, i, before}, there{b, y, j, before};
        const bool port = moved && is_port_of_this_machine(here) && is_port_of_this_machine(there);
        if (x != y && !port && !given_anew(here, there)) return false;
        before = x;
        i += x.size();
        j += y.size();
    }
    return past_blanks(a, i) >= a.size() && past_blanks(b, j) >= b.size();
}

}  // namespace

bool same_but_run_names(std::string_view a, std::string_view b) {
    if (a.size() > kLongest || b.size() > kLongest) return false;
    std::string one = settled(a), other = settled(b);
    const bool in_first = take_busy_ports(one), moved = take_busy_ports(other) || in_first;
    return same_tokens(one, other, moved);
}

}  // namespace agent_audit::detectors
