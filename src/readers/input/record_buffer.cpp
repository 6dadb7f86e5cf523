#include "readers/input/record_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace agent_audit::readers {
namespace {

/// Resident memory an idle buffer may keep: enough for the records of a normal session.
constexpr std::size_t kKeep = 1u << 20;

struct TurnState {
    std::mutex mutex;
    std::condition_variable given_back;
    std::optional<std::thread::id> holder;
};

TurnState& turn_state() {
    static TurnState state;
    return state;
}

}  // namespace

void BigBufferTurn::take() {
    if (held_) return;
    TurnState& state = turn_state();
    std::unique_lock lock(state.mutex);
    if (state.holder == std::this_thread::get_id()) return;
    state.given_back.wait(lock, [&] { return !state.holder; });
    state.holder = std::this_thread::get_id();
    held_ = true;
}

void BigBufferTurn::give_back() {
    if (!held_) return;
    TurnState& state = turn_state();
    {
        const std::lock_guard lock(state.mutex);
        state.holder.reset();
    }
    held_ = false;
    state.given_back.notify_one();
}

RecordBuffer::~RecordBuffer() {
    if (data_) ::munmap(data_, capacity_);
}

bool RecordBuffer::reserve(std::size_t size) {
    if (size <= capacity_) return true;
    if (data_) ::munmap(data_, capacity_);
    data_ = nullptr;
    capacity_ = written_ = 0;
    void* const memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
#ifdef MADV_NOHUGEPAGE
    ::madvise(memory, size, MADV_NOHUGEPAGE);  // a huge page would make 2 MB resident for a record of 2 KB
#endif
    data_ = static_cast<char*>(memory);
    capacity_ = size;
    return true;
}

void RecordBuffer::grow_to(std::size_t end) {
    if (end > kBigBuffer) turn_.take();
    written_ = std::max(written_, end);
}

void RecordBuffer::shrink_to(std::size_t in_use) {
    if (in_use > kBigBuffer) return;
    if (written_ > kBigBuffer) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t keep = (std::max(in_use, kKeep) + page - 1) / page * page;
        ::madvise(data_ + keep, std::min(written_, capacity_) - keep, MADV_DONTNEED);
        written_ = keep;
    }
    turn_.give_back();
}

}  // namespace agent_audit::readers
