#pragma once

#include "readers/input/record_source.hpp"

#include <agent_audit/readers/input.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// The file beside a session.
struct Companion {
    std::string path;
    std::string_view format;  ///< Companions::format
    std::string note;         ///< Companions::note, in place of a file

    bool is_there() const { return !path.empty() || !note.empty(); }
};

/// A session and the file beside it that knows what the session does not tell. The records of that file come first, so
/// that its figures are at hand when their place comes; what the input is, only the session says, and unless read_as()
/// is told so the other file is left alone. Records of either file are placed where they stand in it.
class CompanionRecords final : public RecordSource {
public:
    CompanionRecords(std::string path, Companion companion, std::uint32_t file_index, const InputLimits& limits,
                     InputBuffers& buffers);

    void read_as(std::string_view format) override;
    std::vector<Record> peek(std::size_t max_records) override { return current_->peek(max_records); }
    Framing framing() const override { return current_->framing(); }
    bool counts_records() const override { return current_->counts_records(); }
    std::optional<Record> first_if_long() override { return current_->first_if_long(); }
    void stream_arrays(std::span<const std::string_view> names) override { arrays_ = names; }
    Next next(Record& out) override;
    const std::optional<std::string>& error() const override { return error_ ? error_ : current_->error(); }
    std::uint64_t bytes() const override { return done_ + current_->bytes(); }
    bool looks_binary() const override { return current_->looks_binary(); }

private:
    enum class At : std::uint8_t { before, companion, session };

    bool open(const std::string& path);
    bool open_companion();

    std::string path_;
    Companion companion_;
    std::uint32_t file_;
    InputLimits limits_;
    InputBuffers& buffers_;
    At at_ = At::session;
    std::unique_ptr<RecordSource> current_;  // one at a time has the buffers
    std::span<const std::string_view> arrays_;
    std::uint64_t done_ = 0;
    std::optional<std::string> error_;
};

/// The file beside the session at `path`.
Companion companion_of(const std::string& path);

}  // namespace agent_audit::readers
