#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace agent_audit::detectors {

/// Remembers keys with a small value, bounded: two generations of at most kGeneration entries each. When the young
/// one is full it becomes the old one and the former old one is forgotten, so what was met in the last kGeneration
/// distinct keys is always known and memory never exceeds 2 MB.
class SeenTable {
public:
    static constexpr std::size_t kGeneration = 32'768;

    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t epoch = 0;
        std::uint32_t count = 0;
    };

    /// The entry of `key`, created with count 0 when unknown. Valid until the next call.
    Entry& at(std::uint64_t key) {
        key |= 1;  // 0 marks a free slot
        if (Entry* found = find(young_, key)) return *found;
        Entry carried{key, 0, 0};
        if (const Entry* old = find(old_, key)) carried = *old;
        return insert(carried);
    }

    void clear() {
        young_.clear();
        old_.clear();
        used_ = 0;
    }

private:
    static Entry* find(std::vector<Entry>& table, std::uint64_t key) {
        if (table.empty()) return nullptr;
        const std::size_t mask = table.size() - 1;
        for (std::size_t i = key >> 1 & mask;; i = (i + 1) & mask) {
            if (table[i].key == key) return &table[i];
            if (table[i].key == 0) return nullptr;
        }
    }

    Entry& insert(const Entry& entry) {
        if (used_ >= kGeneration) {
            old_ = std::move(young_);
            young_ = {};
            used_ = 0;
        }
        if (young_.empty()) young_.resize(64);
        if ((used_ + 1) * 4 > young_.size() * 3) grow();
        ++used_;
        return place(young_, entry);
    }

    static Entry& place(std::vector<Entry>& table, const Entry& entry) {
        const std::size_t mask = table.size() - 1;
        std::size_t i = entry.key >> 1 & mask;
        while (table[i].key != 0) i = (i + 1) & mask;
        return table[i] = entry;
    }

    void grow() {
        std::vector<Entry> larger(young_.size() * 2);
        for (const Entry& entry : young_) {
            if (entry.key != 0) place(larger, entry);
        }
        young_ = std::move(larger);
    }

    std::vector<Entry> young_;
    std::vector<Entry> old_;
    std::size_t used_ = 0;
};

}  // namespace agent_audit::detectors
