#pragma once

#include "readers/input/byte_source.hpp"
#include "readers/input/parted_records.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::readers {

/// Opens the file at a path; null: it is none. One at a time.
using OpenFile = std::function<Result<std::unique_ptr<ByteSource>>(const std::string& path)>;

/// A session of which each event is a file of its own, all in one folder: their records in the order of the numbers in
/// their names, as if they stood in one file. A file that cannot be read costs itself only; error() names it.
class FolderRecords final : public PartedRecords {
public:
    /// `open`: in place of the file system.
    FolderRecords(std::string folder, std::vector<std::string> names, std::uint32_t file_index,
                  const InputLimits& limits, InputBuffers& buffers, OpenFile open = {});

    Framing framing() const override { return Framing::document; }
    /// OpenHands keeps what it knows of the whole session beside the folder: that comes first, and counts nowhere.
    void read_as(std::string_view format) override;

protected:
    std::unique_ptr<BufferedRecords> open_part() override;
    void part_ended(const std::optional<std::string>& error) override;
    bool counts() const override { return !state_first_ || next_name_ > 1; }
    bool may_grow() const override { return next_name_ == names_.size(); }  // only the last file is still written

private:
    void problem_of(const std::string& name, std::string_view what);

    std::string folder_;
    std::vector<std::string> names_;
    std::uint32_t file_;
    InputLimits limits_;
    InputBuffers& buffers_;
    OpenFile open_;
    std::size_t next_name_ = 0;
    bool state_first_ = false;
};

/// The files of a session in `folder` that has a file for each event, in their order; empty when it is no such folder.
std::vector<std::string> event_files_in(const std::string& folder);

}  // namespace agent_audit::readers
