#pragma once

#include <cstdint>

namespace agent_audit {

/// Where something stands in the input. Lines count from 1; for input that is one JSON document, `line`
/// is the position of the record in it, also from 1. Offsets are bytes from the start of the
/// (decompressed) input. `file` indexes the inputs of the run.
struct SourceSpan {
    std::uint32_t file = 0;
    std::uint32_t length = 0;
    std::uint64_t line = 0;
    std::uint64_t offset = 0;
};

}  // namespace agent_audit
