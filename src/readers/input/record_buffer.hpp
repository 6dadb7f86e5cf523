#pragma once

#include <cstddef>

namespace agent_audit::readers {

/// A buffer beyond this counts as big: workers take turns at those.
inline constexpr std::size_t kBigBuffer = 4u << 20;

/// The right to hold a big buffer. One worker in the process has it at a time, so peak memory is one huge
/// record however many workers there are. Nobody waits for it while holding it, and whoever has to wait for a
/// pipe gives it back first, so a turn always ends. A second source on the thread that has the turn does not
/// wait for itself: it goes ahead without.
class BigBufferTurn {
public:
    BigBufferTurn() = default;
    ~BigBufferTurn() { give_back(); }
    BigBufferTurn(const BigBufferTurn&) = delete;
    BigBufferTurn& operator=(const BigBufferTurn&) = delete;

    void take();
    void give_back();
    bool held() const { return held_; }

private:
    bool held_ = false;
};

/// Memory for records: address space for the longest record is reserved once, pages become resident only when
/// they are written, and after a huge record they are handed back. So growing costs no copy.
class RecordBuffer {
public:
    RecordBuffer() = default;
    ~RecordBuffer();
    RecordBuffer(const RecordBuffer&) = delete;
    RecordBuffer& operator=(const RecordBuffer&) = delete;

    /// Makes at least `size` bytes addressable; earlier content is lost if it has to move. False when the
    /// system refuses.
    bool reserve(std::size_t size);
    char* data() { return data_; }
    std::size_t capacity() const { return capacity_; }

    /// Call before bytes up to `end` are written: waits for the turn when that makes the buffer big.
    void grow_to(std::size_t end);
    /// Only the first `in_use` bytes still matter: hands back what a huge record left behind, and the turn.
    void shrink_to(std::size_t in_use);
    /// The next read may take for ever: let others have the turn meanwhile.
    void before_wait() { turn_.give_back(); }

private:
    char* data_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t written_ = 0;  // bytes from the start that may be resident
    BigBufferTurn turn_;
};

}  // namespace agent_audit::readers
