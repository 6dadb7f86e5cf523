#pragma once

#include <utility>

namespace agent_audit::cli {

/// Keeps the last thing that a command works on until the process ends, which gives its memory back in one piece. A
/// report over thousands of sessions consists of a million pieces: letting go of each took as long as writing a part of
/// it.
template <class T>
T& kept_to_the_end(T value) {
    static T* kept = nullptr;
    delete kept;
    kept = new T(std::move(value));
    return *kept;
}

}  // namespace agent_audit::cli
