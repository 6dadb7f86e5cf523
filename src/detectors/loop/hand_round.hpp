#pragma once

#include "detectors/engine/message_track.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/words.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A task that goes round in a group: each member names another one who is to do it, or waits for them, and says
/// little that was not said before. A number that is new, a long text, or a message that names nobody ends it.
class HandRound {
public:
    struct Row {
        int messages = 0;
        int stuck = 0;  // of them, those that say what cannot be done, or is waited for
        TextPlace first, last;
        std::vector<std::uint64_t> speakers;
    };

    /// A message of the group. `close` is given the row that is over.
    template <class Close>
    void hear(const SaidMessage& said, Close&& close) {
        const std::string text = lowered(decoded({said.text, said.form}, kLongest));
        const bool known = learn(text) && said.text.size() < kLongest;
        const bool handed = known && names_other(text, said.speaker);
        if (std::ranges::find(members_, said.speaker) == members_.end() && members_.size() < kMembers)
            members_.push_back(said.speaker);
        if (!handed) return end(close);
        if (row_.messages++ == 0) row_.first = said.place;
        row_.last = said.place;
        row_.stuck += says_stuck(text);
        const bool is_new = std::ranges::find(row_.speakers, said.speaker) == row_.speakers.end();
        if (is_new && row_.speakers.size() < kMembers) row_.speakers.push_back(said.speaker);
    }

    /// A human spoke, or something was done.
    template <class Close>
    void start_afresh(Close&& close) {
        end(close);
        said_.clear();
    }

private:
    static constexpr std::size_t kLongest = 480;  // bytes: what is longer is work
    static constexpr std::size_t kMembers = 32, kWords = 1024;

    template <class Close>
    void end(Close&& close) {
        constexpr int kTurns = 3;  // of each
        const auto speakers = static_cast<int>(row_.speakers.size());
        if (speakers > 1 && row_.messages >= kTurns * speakers && 2 * row_.stuck >= row_.messages) close(row_);
        row_.messages = row_.stuck = 0;
        row_.speakers.clear();
    }

    // Calls take(word) for each word of letters, digits and what joins the parts of a name.
    template <class Take>
    static void each_word(std::string_view text, Take&& take) {
        const auto is_of_word = [](char c) { return is_alnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; };
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at;
            while (end < text.size() && is_of_word(text[end])) ++end;
            if (end > at) take(text.substr(at, end - at));
            at = end + 1;
        }
    }

    // Whether most of it was said before, and no number is new: "collects" is "collect".
    bool learn(std::string_view text) {
        constexpr std::size_t kShortest = 4, kStem = 5;
        std::size_t words = 0, fresh = 0;
        bool number = false;
        each_word(text, [&](std::string_view word) {
            const bool digit = std::ranges::any_of(word, is_digit);
            if (!digit && word.size() < kShortest) return;
            ++words;
            const std::uint64_t stem = stable_hash(digit ? word : word.substr(0, kStem));
            if (std::ranges::find(said_, stem) != said_.end()) return;
            ++fresh;
            number = number || digit;
            if (said_.size() < kWords)
                said_.push_back(stem);
            else
                said_[next_said_++ % kWords] = stem;
        });
        return words > 0 && !number && 2 * fresh <= words;
    }

    // The names are known by their hashes: as they are written, in small letters, or with a capital.
    bool names_other(std::string_view text, std::uint64_t speaker) const {
        bool names = false;
        each_word(text, [&](std::string_view word) {
            std::string name(word);
            const auto is_named = [&] {
                const std::uint64_t member = stable_hash(name) | 1;
                return member != speaker && std::ranges::find(members_, member) != members_.end();
            };
            names = names || is_named();
            name.front() = upper(name.front());
            names = names || is_named();
            for (std::size_t i = 1; i < name.size(); ++i) {
                if (name[i - 1] == '_') name[i] = upper(name[i]);
            }
            names = names || is_named();
        });
        return names;
    }

    static char upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

    static bool says_stuck(std::string_view text) {
        constexpr std::string_view kStuck[] = {
            "can't",     "cannot",     "can not",    "n't have",       "no access",      "not access", "not able",
            "unable",    "waiting",    "kann nicht", "kann ich nicht", "keinen zugriff", "warte",      "no puedo",
            "no tengo",  "espero a",   "espero que", "ne peux pas",    "pas accès",      "j'attends",  "não posso",
            "não tenho", "aguard",     "non posso",  "non ho",         "не могу",        "жду",        "无法",
            "等待",      "できません", "待って"};
        return contains_any(text, kStuck);
    }

    Row row_;
    std::vector<std::uint64_t> members_;
    std::vector<std::uint64_t> said_;  // a ring
    std::size_t next_said_ = 0;
};

}  // namespace agent_audit::detectors
