#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/ingest.hpp>
#include <agent_audit/model/signals.hpp>

#include <string_view>

namespace agent_audit {

/// What is known of an input before its first event.
struct InputHead {
    std::string_view path;
    std::string_view format;  ///< id of the reader
    Signals signals;          ///< what the recording can tell
};

/// Whoever listens to the events of several inputs, one input after the other.
class InputSink : public EventSink {
public:
    virtual void begin_input(const InputHead& input) = 0;
    virtual void end_input(const IngestStats& stats) = 0;
    /// Asked between two records; false ends the reading.
    virtual bool wants_more() const { return true; }
};

}  // namespace agent_audit
