#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace agent_audit::detectors {

/// The words of a text as the lowest of their hashes: enough to tell how much two texts share, in bounded memory.
/// Words are runs of three letters or more, whatever their case; numbers are left out, for they count and date things.
class WordSketch {
public:
    static constexpr std::size_t kKept = 64;
    /// Longer texts are judged by their beginning.
    static constexpr std::size_t kLongest = 64u << 10;

    explicit WordSketch(RawText text);
    WordSketch() = default;

    /// Share of the words of the shorter text that stand in the other too, 0 to 1; 0 when there are too few to tell.
    double shared_with(const WordSketch& other) const;

private:
    std::array<std::uint32_t, kKept> hashes_{};  // ascending
    std::size_t used_ = 0;
    bool full_ = false;  // there are words above the highest hash
};

/// Names the pages that clicks and typing lead to. A page is written down by reading it off the screen: advertisements
/// change and no two readings are spelled alike. The same action is said to have led to the same page when most words
/// of the shorter page stand in the other, and the address that both tell, if they do, is the same: the next page of a
/// list has the words of the one before.
class PageMemory {
public:
    /// The name for this outcome of `call`: `name`, or that of an earlier outcome which is the same page.
    std::uint64_t name(std::uint64_t call, RawText text, std::uint64_t name);
    void clear() { pages_.clear(); }

private:
    static constexpr std::size_t kPages = 16;
    struct Page {
        std::uint64_t call = 0;
        std::uint64_t name = 0;
        std::uint64_t address = 0;  // 0 = not told
        WordSketch words;
    };
    std::vector<Page> pages_;  // oldest first
};

/// Knows which words earlier queries and their answers held, so that a query can be told from one that only rewords
/// them, and an answer from one that only says them again. 16 KB once a lane searches, nothing before.
class QueryTrack {
public:
    /// Fills in what the query shares with earlier ones, and remembers it.
    void ask(RawText query, QueryLook& look);
    /// Fills in what the answer says anew, and remembers it.
    void answer(RawText text, QueryLook& look);
    void clear() { words_.reset(); }

private:
    // One bit for each hash of a word. Full enough to be wrong only after many thousand distinct words; then words count
    // as known that are not, and the rule on top of it asks for much more than that.
    template <std::size_t kBits>
    class WordSet {
    public:
        /// True when the word was not in the set; it is now.
        bool add(std::uint32_t hash) {
            std::uint64_t& word = bits_[hash % kBits / 64];
            const std::uint64_t bit = std::uint64_t{1} << (hash % 64);
            const bool is_new = (word & bit) == 0;
            word |= bit;
            return is_new;
        }

    private:
        std::array<std::uint64_t, kBits / 64> bits_{};
    };
    struct Words {
        WordSet<8192> asked;
        WordSet<65536> answered;
    };
    Words& words() {
        if (!words_) words_ = std::make_unique<Words>();
        return *words_;
    }
    std::unique_ptr<Words> words_;
};

}  // namespace agent_audit::detectors
