#pragma once

#include "readers/input/archive.hpp"
#include "readers/input/decoders.hpp"
#include "readers/input/record_buffer.hpp"

#include <agent_audit/readers/input.hpp>

namespace agent_audit {

struct InputBuffers::Impl {
    readers::RecordBuffer records;
    readers::Decoders decoders;
    readers::OpenArchive archive;
};

}  // namespace agent_audit
