#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What a command of the shell may mean for a check that was made before it. In the order of how much it leaves open.
enum class WorkEffect : std::uint8_t {
    none,    ///< it looks, waits or ends a program: no file of the project is another, and nothing was checked
    serves,  ///< it starts a server, which changes no file and may tell that it could be built
    asks,    ///< it sends a request, which changes no file and may tell that the program works
    unknown
};

/// The most that any command of the line may mean; `line` as a step keeps it. What is too long to be kept whole means
/// anything.
WorkEffect work_effect(RawText line);

/// Does a command line ask for nothing but where one is and how things stand there: `pwd`, `git status`, `ls src |
/// head`? Texts of files are no such thing. `line` as a step keeps it; what is too long to be kept whole asks for more.
bool asks_for_state(RawText line);

/// Does a command line print something whatever it finds: `pwd`, `ls -la`, `node --version`, `cd web && date`? Of what
/// goes into a pipe or a file nobody knows.
bool always_prints(RawText line);

/// Does a command line only get the shell ready for the next one: `cd src`, `source .venv/bin/activate`, `export A=1`?
bool only_prepares(RawText line);

/// Does a tool of this name do nothing but end a program that runs: KillShell?
bool ends_program(std::string_view raw_name);

}  // namespace agent_audit::detectors
