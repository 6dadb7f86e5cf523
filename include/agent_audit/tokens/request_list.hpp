#pragma once

#include <agent_audit/model/tokens.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace agent_audit {

/// One billed request as a session recorded it. Token fields saturate at 2^32 - 1: no request is that large.
struct RequestRecord {
    std::uint64_t message_key = 0;  ///< identity across files; 0 = never merged
    std::uint32_t request_key = 0;  ///< 24 bits (folded_request_key): tells requests of one message apart
    std::uint32_t input = 0, cache_write = 0, cache_read = 0, output = 0, reasoning = 0, cache_write_1h = 0;
    std::uint32_t lane = 0;
    std::uint32_t model = 0;  ///< index into SessionUsage::models
    bool sidechain = false;

    TokenCounts counts() const { return {input, cache_write, cache_read, output, reasoning, cache_write_1h}; }
    std::uint64_t sum() const { return std::uint64_t{input} + cache_write + cache_read + output; }
    friend bool operator==(const RequestRecord&, const RequestRecord&) = default;
};

/// The 24 bits of a key that a record keeps.
constexpr std::uint32_t folded_request_key(std::uint64_t key) {
    return static_cast<std::uint32_t>(key ^ key >> 32) & 0xffffff;
}

/// Requests in the order in which they began. A run keeps every one it met: the newest stand open to be corrected,
/// those before are packed, into some 20 bytes each.
class RequestList {
public:
    static constexpr std::size_t kOpen = 8;  ///< the newest so many can be changed

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    /// The copy in the list. It stays where it is until kOpen more were added.
    RequestRecord& push_back(const RequestRecord& request);
    /// `back` = 0: the newest; less than size() and kOpen.
    RequestRecord& recent(std::size_t back) { return open_[(size_ - 1 - back) % kOpen]; }
    const RequestRecord& recent(std::size_t back) const { return open_[(size_ - 1 - back) % kOpen]; }

    /// Unpacked. Takes as long as some 16 steps of an iterator.
    RequestRecord operator[](std::size_t number) const { return *from(number); }

    /// All requests of one model become those of another, which keeps its own.
    void rename_model(std::uint32_t model, std::uint32_t name);

    class Iterator {
    public:
        using value_type = RequestRecord;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        const RequestRecord& operator*() const { return now_; }
        const RequestRecord* operator->() const { return &now_; }
        Iterator& operator++();
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return number_ >= list_->size_; }
        /// Position in the list, from 0.
        std::size_t number() const { return number_; }

    private:
        friend class RequestList;
        Iterator(const RequestList& list, std::size_t number);
        void load();

        const RequestList* list_ = nullptr;
        std::size_t number_ = 0;
        const unsigned char* at_ = nullptr;  // in the block, behind the request before
        RequestRecord now_;
    };
    Iterator begin() const { return from(0); }
    std::default_sentinel_t end() const { return {}; }
    /// `number` at most size().
    Iterator from(std::size_t number) const { return {*this, number}; }

    /// Lets go of what was packed before this number: it must not be asked for again.
    void drop_before(std::size_t number);

private:
    static constexpr std::size_t kBlock = 32;  // requests that are packed together

    void pack(const RequestRecord& request);
    std::size_t packed() const { return size_ > kOpen ? size_ - kOpen : 0; }

    std::size_t size_ = 0;
    std::array<RequestRecord, kOpen> open_{};                     // by number modulo kOpen
    std::vector<std::shared_ptr<const unsigned char[]>> blocks_;  // never change: copies of the list share them
    std::size_t dropped_ = 0;                                     // blocks that were let go of
    std::string tail_;                                            // the block that is not full yet
    RequestRecord before_;                                        // packed last into it
    std::vector<std::uint32_t> names_;                            // by model, where one has another name
};

}  // namespace agent_audit
