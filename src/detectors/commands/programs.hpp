#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What the first word of a command says about it.
enum class Program : std::uint8_t {
    unknown,
    read,
    search,
    mutate,
    verify,
    runner,
    git,
    quiet,
    wrapper,
    launcher,
    container,
    pause,
    timeout,
    editor,
    look,
    hub,
    each,
    probe
};

/// Of a word without its folder. One sorted table, as this runs for every shell call.
Program program_of(std::string_view word);

}  // namespace agent_audit::detectors
