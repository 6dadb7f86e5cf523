#pragma once

#include <string>
#include <string_view>

// Lines of a stream of LangGraph, told by what stands around a state, an update or a message.

namespace agent_audit::readers {

/// A state, or an update, as a stream has it beside others.
struct ToldState {
    std::string_view state;   // empty: the record is something else
    std::string_view graphs;  // the graphs around the one whose state it is, as JSON; empty: they are not told
};

/// ["values",{…}], ["updates",{…}], [["agent:1"],"updates",{…}] and [["agent:1"],{…}].
ToldState told_state(std::string_view record);

/// "tools:1|2" of ["tools:1","2"], and of itself.
std::string joined_graphs(std::string_view names);

/// The mode of {"type":"values","ns":[],"data":{…}}, and of {"event":"updates|tools:1","data":{…}}; empty for others.
std::string_view stream_mode(std::string_view word);

}  // namespace agent_audit::readers
