#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace agent_audit::simulator {

/// What in a text names one particular thing: paths and file names, hexadecimal hashes, numbers of at least four digits
/// and words of at least eight letters. Appends the hash of each. `escaped`: JSON, in which the character behind a
/// backslash belongs to no word.
void append_identifiers(std::vector<std::uint64_t>& out, std::string_view text, bool escaped = false);

/// Takes repetitions out of the identifiers of one message after the other, in order: nearly all of them, in a quarter
/// of the time that sorting takes. Fixed memory, 32 KiB.
class NewIdentifiers {
public:
    void keep(std::vector<std::uint64_t>& identifiers);

private:
    static constexpr unsigned kBits = 12, kShift = 64 - kBits;
    std::array<std::uint64_t, std::size_t{1} << kBits> seen_{};  // where an identifier falls: the last one, marked
    std::uint64_t mark_ = 0;                                     // another for each message
};

inline constexpr std::size_t kMostIdentifiers = 8192;  ///< of one message; what comes after is left out

/// Where identifiers occur: for each in how many messages, and in which as long as they are no more than two. Constant
/// time and at most 43 bytes an identifier; beyond kMost nothing new is taken in. The same for every policy that sees
/// the same messages.
class IdentifierIndex {
public:
    static constexpr std::size_t kMost = 1u << 20;
    static constexpr std::uint32_t kRare = 2;

    /// Four to a cache line: looking them up is mostly waiting for memory.
    struct Entry {
        std::uint64_t hash = 0;
        std::uint64_t first : 31 = 0, second : 31 = 0;  ///< messages that have it
        std::uint64_t frequency : 2 = 0;  ///< how many have it, at most kRare + 1: then it is not rare any more
        bool rare() const { return frequency > 0 && frequency <= kRare; }
        std::uint32_t message(std::uint32_t i) const { return static_cast<std::uint32_t>(i == 0 ? first : second); }
    };

    void add(std::uint64_t hash, std::uint32_t message);
    void add(std::span<const std::uint64_t> hashes, std::uint32_t message);
    /// nullptr: never seen. Valid until the next add.
    const Entry* find(std::uint64_t hash) const;
    /// Those of the hashes that are rare, in their order.
    void find_rare(std::span<const std::uint64_t> hashes, std::vector<Entry>& out) const;
    std::size_t size() const { return used_; }
    bool full() const { return used_ >= kMost; }

private:
    std::size_t home(std::uint64_t hash) const { return static_cast<std::size_t>(hash * kOdd >> shift_); }
    std::size_t slot(std::uint64_t hash) const;
    template <class Visit>
    void for_each(std::span<const std::uint64_t> hashes, Visit visit) const;
    void put(std::uint64_t hash, std::uint32_t message);
    void grow();

    static constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
    std::vector<Entry> slots_;  // open addressing, a power of two
    std::size_t used_ = 0;
    unsigned shift_ = 0;  // leaves as many bits as places have
};

}  // namespace agent_audit::simulator
