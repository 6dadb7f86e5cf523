#pragma once

#include "readers/input/decoders.hpp"
#include "readers/input/record_buffer.hpp"

#include <agent_audit/readers/input.hpp>

namespace agent_audit {

struct InputBuffers::Impl {
    readers::RecordBuffer records;
    readers::Decoders decoders;
};

}  // namespace agent_audit
