#pragma once

#include "cli/terminal/terminal.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace agent_audit::cli {

/// Says on stderr that work goes on: a line that is rewritten and wiped on a terminal, plain lines every five
/// seconds with When::always elsewhere. Silent for the first half second, and without a thread when not wanted.
class Progress {
public:
    Progress(std::string what, When when);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

private:
    void run(bool rewrite);

    std::string what_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool done_ = false;
    std::thread thread_;
};

}  // namespace agent_audit::cli
