#pragma once

#include "readers/input/record_source.hpp"

#include <agent_audit/readers/input.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::readers {

/// A session of which each event is a file of its own, all in one folder: their records in the order of the numbers in
/// their names, as if they stood in one file. A file that cannot be read costs itself only; error() names it.
class FolderRecords final : public RecordSource {
public:
    FolderRecords(std::string folder, std::vector<std::string> names, std::uint32_t file_index,
                  const InputLimits& limits, InputBuffers& buffers);

    std::vector<Record> peek(std::size_t max_records) override;
    Framing framing() const override { return Framing::document; }
    Next next(Record& out) override;
    const std::optional<std::string>& error() const override { return error_; }
    std::uint64_t bytes() const override { return offset_ + (current_ ? current_->bytes() : 0); }
    bool looks_binary() const override { return !current_ || current_->looks_binary(); }

private:
    bool open_next();
    void close();
    void problem(const std::string& name, std::string_view what);
    Record placed(Record record) const;

    std::string folder_;
    std::vector<std::string> names_;
    std::uint32_t file_;
    InputLimits limits_;
    InputBuffers& buffers_;
    std::size_t next_name_ = 0;
    std::unique_ptr<BufferedRecords> current_;
    std::uint64_t offset_ = 0;               // of the files that are done
    std::uint64_t line_ = 0, last_line_ = 0;  // records of those, and the last one of this file
    std::uint64_t problems_ = 0;
    std::optional<std::string> error_;
};

/// The files of a session in `folder` that has a file for each event, in their order; empty when it is no such folder.
std::vector<std::string> event_files_in(const std::string& folder);

}  // namespace agent_audit::readers
