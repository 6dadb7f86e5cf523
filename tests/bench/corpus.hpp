#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::bench {

/// One recording of the made corpus, whole in memory.
const std::string& recording();

/// The texts of all tool results of that recording, as they stand in it.
const std::vector<std::string>& outcomes();

/// Reads bytes with a format's reader into a sink; returns the records read.
std::size_t read_all(std::string_view bytes, std::string_view format, EventSink& sink, InputBuffers& buffers);

}  // namespace agent_audit::bench
