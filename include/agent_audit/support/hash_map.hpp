#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace agent_audit {

/// Values by 64-bit keys that are hashes already. One block of memory, no node for each value: what is looked up once
/// or more for every message of a session. Pointers are valid until the next change. A value is empty-constructed where
/// none was put.
template <class Value>
class HashMap {
public:
    std::size_t size() const { return used_ + (zero_ ? 1 : 0); }
    bool empty() const { return size() == 0; }
    bool contains(std::uint64_t key) const { return find(key) != nullptr; }

    const Value* find(std::uint64_t key) const {
        if (key == 0) return zero_ ? &zero_value_ : nullptr;
        if (used_ == 0) return nullptr;
        const Entry& entry = entries_[place(key)];
        return entry.key == 0 ? nullptr : &entry.value;
    }
    /// Begins to fetch what find() will look at.
    void prefetch(std::uint64_t key) const {
        if (used_ != 0) __builtin_prefetch(&entries_[home(key)]);
    }
    Value* find(std::uint64_t key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

    /// The value, made when there was none; and whether it was made.
    std::pair<Value*, bool> try_emplace(std::uint64_t key) {
        if (key == 0) return {&zero_value_, !std::exchange(zero_, true)};
        if (4 * (used_ + 1) > 3 * entries_.size()) grow();
        Entry& entry = entries_[place(key)];
        const bool fresh = entry.key == 0;
        used_ += fresh ? 1 : 0;
        entry.key = key;
        return {&entry.value, fresh};
    }
    Value& operator[](std::uint64_t key) { return *try_emplace(key).first; }

    void erase(std::uint64_t key) {
        if (key == 0) {
            zero_ = false;
            zero_value_ = Value();
            return;
        }
        if (used_ == 0) return;
        std::size_t hole = place(key);
        if (entries_[hole].key == 0) return;
        --used_;
        // What follows moves up, so that no probe ends too early.
        const std::size_t mask = entries_.size() - 1;
        for (std::size_t at = (hole + 1) & mask; entries_[at].key != 0; at = (at + 1) & mask) {
            if (((at - home(entries_[at].key)) & mask) < ((at - hole) & mask)) continue;
            entries_[hole] = std::move(entries_[at]);
            hole = at;
        }
        entries_[hole] = Entry();
    }
    void clear() { *this = HashMap(); }

private:
    struct Entry {
        std::uint64_t key = 0;  // 0: nothing stands here
        Value value{};
    };

    std::size_t home(std::uint64_t key) const {
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> shift_);
    }
    std::size_t place(std::uint64_t key) const {
        const std::size_t mask = entries_.size() - 1;
        std::size_t at = home(key);
        while (entries_[at].key != 0 && entries_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        constexpr std::size_t kFirst = 16;
        constexpr unsigned kFirstShift = 60;
        std::vector<Entry> before(entries_.empty() ? kFirst : 2 * entries_.size());
        before.swap(entries_);
        shift_ = before.empty() ? kFirstShift : shift_ - 1;
        for (Entry& entry : before) {
            if (entry.key != 0) entries_[place(entry.key)] = std::move(entry);
        }
    }

    std::vector<Entry> entries_;  // a power of two
    std::size_t used_ = 0;
    unsigned shift_ = 0;
    bool zero_ = false;
    Value zero_value_{};
};

}  // namespace agent_audit
