#pragma once

#include <agent_audit/report/renderer.hpp>
#include <agent_audit/support/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit::cli {

/// Writes everything, through interruptions. 0 or the errno.
int write_all(int fd, std::string_view bytes);

/// Where a result goes: standard output, or a file that appears whole or not at all (a temporary file beside it,
/// readable by its owner only, renamed at the end, removed when a signal ends the program). Devices and pipes are
/// written to directly.
class Output {
public:
    static Output to_stdout();
    static Result<Output> to_file(const std::string& path);
    Output(Output&& other) noexcept;
    Output& operator=(Output&&) = delete;
    Output(const Output&) = delete;
    ~Output();

    /// Collects pieces; valid as long as this object stays where it is.
    ByteSink sink();
    void write(std::string_view bytes) { (void)put(bytes); }

    /// Writes what is left and gives the file its name. Nothing, or what went wrong.
    std::optional<Error> finish();
    /// The reader went away: not worth a message.
    bool broken_pipe() const;

private:
    Output(int fd, std::string path, std::string temporary);
    bool put(std::string_view bytes);
    bool flush();

    int fd_ = -1;
    int errno_ = 0;
    std::string path_;       // as the user wrote it; empty = standard output
    std::string target_;     // what path_ leads to
    std::string temporary_;  // empty = written directly
    std::string buffer_;
};

/// Why a file cannot be written there, found out before the work is done; nothing when it seems possible.
std::optional<Error> unwritable(const std::string& path);

/// Why `output` must not be written: it is one of the inputs of the run, by whatever name. A recording cannot be made
/// again.
std::optional<Error> replaces_input(const std::string& output, std::span<const std::string> inputs);

/// Why `output` must not be written: a recording stands there, though it is none of the inputs (an -o before the
/// operands takes the first file of a glob). Files of the formats `own`, which the command writes itself, may be
/// written anew.
std::optional<Error> replaces_recording(const std::string& output, std::span<const std::string_view> own = {});

/// Standard streams a caller closed would be handed to the next file we open: occupy them.
void occupy_standard_streams();

}  // namespace agent_audit::cli
