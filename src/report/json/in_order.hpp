#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace agent_audit::report {

/// Has several threads make the pieces 0 to `count`, and hands them over in their order, each as soon as those before
/// it are made. `begin_thread` makes what a thread works with: a function that appends one piece to a string.
///
/// Bounded: no thread begins a piece that is more than kAhead times the threads ahead of what was handed over.
/// `hand_over` is called by one thread at a time; when it says false, no more is made. What a thread throws is thrown
/// here.
template <class BeginThread, class HandOver>
void in_order(std::size_t count, unsigned threads, const BeginThread& begin_thread, const HandOver& hand_over) {
    constexpr std::size_t kAhead = 2;
    struct Piece {
        std::string bytes;
        bool made = false;
    };
    std::vector<Piece> ring(kAhead * std::max(threads, 1u));
    std::mutex mutex;
    std::condition_variable moved;
    std::size_t next = 0, over = 0;  // pieces that were begun, and handed over
    bool stopped = false;
    std::exception_ptr failure;

    const auto make_pieces = [&] {
        auto make = begin_thread();
        std::unique_lock lock(mutex);
        for (;;) {
            moved.wait(lock, [&] { return stopped || next == count || next < over + ring.size(); });
            if (stopped || next == count) return;
            const std::size_t at = next++;
            Piece& piece = ring[at % ring.size()];
            lock.unlock();
            piece.bytes.clear();
            make(at, piece.bytes);
            lock.lock();
            piece.made = true;
            for (; over < next && ring[over % ring.size()].made; ++over) {
                Piece& first = ring[over % ring.size()];
                first.made = false;
                if (!stopped && !hand_over(std::string_view(first.bytes))) stopped = true;
            }
            moved.notify_all();
        }
    };
    const auto work = [&] {
        try {
            make_pieces();
        } catch (...) {  // the others would wait for its piece
            const std::scoped_lock lock(mutex);
            if (!failure) failure = std::current_exception();
            stopped = true;
            moved.notify_all();
        }
    };
    {
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace agent_audit::report
