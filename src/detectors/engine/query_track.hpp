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
    static constexpr std::size_t kKept = 1024;
    /// Longer texts are judged by their beginning.
    static constexpr std::size_t kLongest = 64u << 10;

    explicit WordSketch(RawText text);
    WordSketch() = default;

    /// How a page came to be a text.
    enum class Spelling : std::uint8_t {
        exact,    ///< from the page itself
        guessed,  ///< read off a picture: no two readings are alike
    };

    /// True when the two say the same but for noise: most words of the shorter stand in the other too. When they are
    /// spelled exactly, most words of each must, and some of each must not: a single word or nothing but numbers (the
    /// month of a calendar, a quantity) is what was changed, and so is what was only added. False when there are fewer
    /// words than `too_few`.
    bool same_but_noise(const WordSketch& other, Spelling spelling, std::size_t too_few) const;

private:
    std::vector<std::uint32_t> hashes_;  // ascending
    bool full_ = false;                  // there are words above the highest hash
};

/// "Here is a screenshot of …", and then what was recognised on it.
bool is_read_off_screen(std::string_view page);

/// Names the pages that clicks and typing lead to. Advertisements change, and some pages are written down by reading
/// them off the screen, no two times alike. The same action is said to have led to the same page when the two differ by
/// such noise, and the address that both tell, if they do, is the same: the next page of a list has the words of the
/// one before.
class PageMemory {
public:
    /// The name for this outcome of `call`: `name`, or that of an earlier outcome which is the same page. `led_on`: by
    /// a click, so that each word of a short page counts ("Format chosen", "Cover chosen").
    std::uint64_t name(std::uint64_t call, RawText text, std::uint64_t name, bool led_on);
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
    /// The name for documents that were found: `name`, or that of an answer before which has the same words, though in
    /// another order and with other scores.
    std::uint64_t name_of_documents(RawText text, std::uint64_t name);
    void clear() { words_.reset(); }

private:
    // One bit for each hash of a word. Full enough to be wrong only after many thousand distinct words; then words
    // count as known that are not, and the rule on top of it asks for much more than that.
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
    struct Found {
        std::uint64_t words = 0;  // the sum of their hashes
        std::uint64_t name = 0;
    };
    struct Words {
        WordSet<8192> asked;
        WordSet<65536> answered;
        std::array<Found, 8> found{};
        std::size_t next_found = 0;
    };
    Words& words() {
        if (!words_) words_ = std::make_unique<Words>();
        return *words_;
    }
    std::unique_ptr<Words> words_;
};

}  // namespace agent_audit::detectors
