#pragma once

#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// Where the records of the main conversation stand, by their ids: what a rewind goes back to. The last kMost are
/// known.
class RecordLines {
public:
    static constexpr std::size_t kMost = 8192;

    void add(std::string_view id, std::uint64_t line);
    /// Line of the newest record with that id; 0 = it is not known.
    std::uint64_t line_of(std::string_view id) const;

private:
    struct Record {
        IdHash id = 0;
        std::uint64_t line = 0;
    };
    const Record& newest(std::size_t ago) const {
        return records_[(next_ + records_.size() - 1 - ago) % records_.size()];
    }

    std::vector<Record> records_;  // a ring
    std::size_t next_ = 0;
};

}  // namespace agent_audit::advice
