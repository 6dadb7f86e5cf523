#pragma once

#include "advice/calls/call_facts.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>

namespace agent_audit::advice {

/// A call that has no answer yet.
struct OpenCall {
    IdHash id = 0;
    std::uint32_t lane = 0;
    std::uint32_t turn = 0;
    std::uint64_t line = 0;
    std::uint64_t ordered = 0;  ///< EventHeader.seq
    std::uint64_t identity = 0;
    bool of_model = true;
    CallFacts facts;
    std::string argument;  ///< the beginning of what it is about, as recorded
    TextForm argument_form = TextForm::plain;
    std::string asked;  ///< what it puts before the person, as recorded
    TextForm asked_form = TextForm::plain;
    std::string plan;    // the title of one that is too long to be kept
    std::string job;     // the command in the background that it asks after
    bool stops = false;  ///< and ends
};

}  // namespace agent_audit::advice
