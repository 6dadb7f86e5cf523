#include "cli/terminal/progress.hpp"

#include "cli/terminal/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

namespace agent_audit::cli {

using namespace std::chrono_literals;

Progress::Progress(std::string what, When when) : what_(std::move(what)) {
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    if (when == When::never || (when == When::automatic && !terminal)) return;
    thread_ = std::thread([this, terminal] { run(terminal); });
}

Progress::~Progress() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        done_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Progress::run(bool rewrite) {
    const auto start = std::chrono::steady_clock::now();
    bool drawn = false;
    std::unique_lock lock(mutex_);
    auto pause = rewrite ? 500ms : 5000ms;
    while (!wake_.wait_for(lock, pause, [this] { return done_; })) {
        const auto seconds =
            std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
        const char* form = rewrite ? "\r{}: {} s\x1b[K" : "{}: {} s\n";
        (void)write_all(STDERR_FILENO, fmt::format(fmt::runtime(form), what_, seconds));
        drawn = true;
        pause = rewrite ? 1000ms : 5000ms;
    }
    if (drawn && rewrite) (void)write_all(STDERR_FILENO, "\r\x1b[K");
}

}  // namespace agent_audit::cli
