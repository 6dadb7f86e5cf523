#pragma once

#include <agent_audit/report/renderer.hpp>

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

/// A finished text as standard output may have it: unchanged, or, on such a runner, with its commands broken. In a
/// `document` they become an escape that JSON and TOML read back as what it was.
std::string harmless_for_ci(std::string_view text, bool document);

/// The same for a document that is written piece by piece and ends with a newline: a # at its very end, or a word
/// behind one, would be lost.
ByteSink harmless_for_ci(ByteSink out);

/// One line on stderr, "agent-audit: …", made harmless first.
void complain(std::string_view message);
/// The same without the prefix.
void hint(std::string_view message);

}  // namespace agent_audit::cli
