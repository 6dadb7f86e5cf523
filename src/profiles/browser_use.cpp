#include "profiles/all.hpp"
#include "profiles/rule.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kWindow = 20;
constexpr std::ptrdiff_t kNudge = 5;

// A search is the set of its words: order, case and punctuation do not count.
std::uint64_t words_hash(std::string_view query) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : lowered(query) + " ") {
        const bool letter = is_word(c) || static_cast<unsigned char>(c) >= 0x80;
        if (letter)
            word += c;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    }
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::uint64_t hash = 0;
    for (const std::string& w : words) hash = mix_hash(hash, stable_hash(w));
    return hash;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::uint64_t action_key(const PeerCall& call, const Arguments& a) {
    const std::uint64_t index = a.value_hash("index");
    if (call.name == "search") {
        return call.with_name(
            mix_hash(words_hash(a.text("query").value_or("")), stable_hash(a.text("engine").value_or("google"))));
    }
    if (call.name == "click") return call.with_name(index);
    if (call.name == "input")
        return call.with_name(mix_hash(index, stable_hash(lowered(trimmed(a.text("text").value_or(""))))));
    if (call.name == "navigate") return call.with_name(stable_hash(a.text("url").value_or("")));
    if (call.name == "scroll") return call.with_name(mix_hash(index, a.flag("down").value_or(true) ? 1 : 0));
    return call.with_name(a.hash_without_nulls());
}

class BrowserUse final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments& arguments) override {
        // The nudge is part of the prompt for the next step.
        if (call.response != response_ && most_repeated() >= kNudge) warn("same action 5 of 20", call.at);
        response_ = call.response;
        if (call.name == "wait" || call.name == "done" || call.name == "go_back") return;
        actions_.push_back(action_key(call, arguments));
        if (actions_.size() > kWindow) actions_.pop_front();
    }

private:
    std::ptrdiff_t most_repeated() const {
        std::ptrdiff_t most = 0;
        for (const std::uint64_t action : actions_) most = std::max(most, std::ranges::count(actions_, action));
        return most;
    }

    std::deque<std::uint64_t> actions_;
    std::uint64_t response_ = 0;
};

}  // namespace

ProfileSpec browser_use() {
    return {"browser-use",
            "browser-use, August 2026",
            "one action 5 times in the last 20 (searches by their words, clicks and inputs by element index; wait, "
            "done and "
            "go_back do not count)",
            "a nudge in the next prompt, stronger at 8 and 12",
            "",
            "page fingerprints, which recordings do not hold",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<BrowserUse>(); }};
}

}  // namespace agent_audit::profiles
