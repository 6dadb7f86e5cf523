#pragma once

#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>

#include <cstddef>
#include <string>

namespace agent_audit {

/// What the first records of a file say of the session.
struct SessionHead {
    std::string id;
    std::string project;  ///< working directory
};

/// Reads at most `max_bytes` of the file and lets its reader look at them. `format` = null: told from the content.
/// What cannot be found out stays empty; a file that cannot be read is the same.
SessionHead read_head(const std::string& path, const ReaderSpec* format, std::size_t max_bytes, InputBuffers& buffers);

/// The first bytes of a regular file; empty when it cannot be read.
std::string first_bytes(const std::string& path, std::size_t max_bytes);

}  // namespace agent_audit
