#pragma once

#include "detectors/engine/lane_track.hpp"

#include <agent_audit/detectors/step.hpp>

namespace agent_audit::detectors {

/// True for a step that is more than a question: it changes, sends, presses or moves something, by its name.
bool does_something(const Step& step);

/// True for a call of a tool that no list knows and whose name asks: get_tokens, findSlots, query_orders. Looks at
/// texts: ask only of what repeats.
bool asks_by_name(const Step& step);

/// True for a step that makes or sends something, by its name or its command: create_ticket, add_comment, send_email,
/// `gh issue create`, `curl -X POST`. Looks at texts: ask only of what repeats.
bool makes_something(const Step& step);

/// True for a step that gives the conversation to another agent and is answered with nothing but that it was done:
/// transfer_to_writer, handoff_to_agent. What counts is what that agent does.
bool hands_over(const Step& step);

/// True for a step done before whose answer only says that it was done, shortly after something was done for the first
/// time: pick up the next block, go to the bin, put it down, go to the table. The ways repeat and so do their answers,
/// and the work goes on. So it is with every handing over. Looks at texts: ask only of what repeats.
bool is_way_back(const Step& step, const LaneTrack& lane);

/// True for a command that is given another value of one option than one shortly before, and for one done before behind
/// such: `gcc -march=haswell …; ./self-test` behind `gcc -march=znver3 …; ./self-test`. The same from another setting
/// is an answer, and was to be found out. Looks at texts: ask only of what repeats, or answers as others did.
bool follows_another_setting(const Step& step, const LaneTrack& lane);

/// True for a cheap look at where one is, which worked: `pwd`, `git status`, a folder that is listed. The text of a
/// file is more than that. Looks at texts: ask only of what repeats.
bool is_look_round(const Step& step);

}  // namespace agent_audit::detectors
