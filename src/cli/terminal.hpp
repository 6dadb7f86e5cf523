#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::cli {

enum class When : std::uint8_t { automatic, always, never };

/// What a stream can show. Decided per stream: one may be a terminal and the other a pipe.
struct Stream {
    bool terminal = false;
    bool color = false;
    bool unicode = false;
    int width = 80;
};

Stream inspect_stream(int fd, When color);

/// Why a stream of that kind is coloured or not: the first rule that applies, in words.
std::string color_reason(bool terminal, When color);

/// A file we write ourselves: no colour unless it was asked for by name.
Stream inspect_file(When color);

/// True on a CI runner that takes lines of our output for commands.
bool output_is_read_by_ci();

/// One line on stderr, "agent-audit: …", made harmless first.
void complain(std::string_view message);
/// The same without the prefix.
void hint(std::string_view message);

}  // namespace agent_audit::cli
