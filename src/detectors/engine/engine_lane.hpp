#pragma once

#include "detectors/commands/activity.hpp"
#include "detectors/commands/command_growth.hpp"
#include "detectors/commands/edit_echo.hpp"
#include "detectors/commands/row_tools.hpp"
#include "detectors/engine/context_meter.hpp"
#include "detectors/engine/drift_watch.hpp"
#include "detectors/engine/lane_detectors.hpp"
#include "detectors/engine/lane_track.hpp"
#include "detectors/engine/note_row.hpp"
#include "detectors/engine/pending_step.hpp"
#include "detectors/engine/query_track.hpp"
#include "detectors/engine/read_lists.hpp"
#include "detectors/engine/thoughts.hpp"
#include "detectors/engine/tool_stats.hpp"
#include "detectors/engine/wait_row.hpp"
#include "detectors/outcomes/outcome_memory.hpp"
#include "detectors/outcomes/retry_names.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::detectors {

/// What the engine knows of one conversation, the main one or a sub-agent's.
struct EngineLane {
    // Not defaulted: eight kilobytes of zeros before each session would be felt.
    EngineLane() {}

    // Takes over what has grown in a lane that is over: most sessions are short and many. Everything else is new.
    void inherit(EngineLane& before) {
        track = std::move(before.track);
        outcomes = std::move(before.outcomes);
        lists = std::move(before.lists);
        lists.clear();
        group = std::move(before.group);
        group.clear();
        context = std::move(before.context);
        drift = std::move(before.drift);
        rules = std::move(before.rules);
    }

    LaneTrack track{0};
    OutcomeMemory outcomes;
    ReadLists lists;
    RetryNames retries;
    EditOrders edits;
    ToolTable tools;
    ContextMeter context;
    DriftWatch drift;
    ActivityTrack activity;
    PageMemory pages;
    QueryTrack queries;
    LaneDetectors rules;
    std::vector<PendingStep> group;  // calls of the response being read
    NoteRow notes;
    Thoughts thoughts;
    WaitRow waits;
    IdHash response_id = 0;
    std::uint64_t response = 0;   // ordinal
    bool results_seen = false;    // a result came since the last call: the next call is a new response
    bool spoke = false;           // the response has begun (text, reasoning or a call)
    bool turn_completed = false;  // since the response began: its turn ended well,
    bool turn_stopped = false;    // or did not, or a human spoke
    bool closing = false;         // nothing follows
    TokenCounts spent_before;
    TokenCounts spent_now;
    std::uint32_t compactions = 0;
    std::uint32_t notices = 0;
    std::uint32_t compactions_before = 0;  // when the response being read began
    std::uint32_t notices_before = 0;
    std::uint64_t calls = 0;
    std::uint64_t deeds = 0;   // steps that may have changed something
    std::uint64_t moved = 0;   // lines by which they can have moved others
    std::uint64_t edit = 0;    // the last call that changed a part of a file
    std::uint64_t edited = 0;  // files, as bits of their names
    std::string written;       // the file that was written last as a whole, without its folder; none behind other edits
    int reworks = 0;           // how often one of them was edited again, as far as these tell
    int looks = 0;             // that may show what came of the last edit
    CommandGrowth commands;
    std::uint64_t page_tool = 0;  // the last that was asked for a page of a list,
    std::string page_args;        // and how
    std::uint64_t last_used = 0;
    std::int64_t said_ms = kNoTime;  // when the agent last said something
    bool waited = false;             // a pause since the last step
    bool woken = false;              // the turn began long after that
    bool housekeeping = false;
};

inline Place place_of(const EventHeader& head) {
    return {head.where.line, head.seq, head.where.offset, head.where.length};
}

/// 0: there is none.
inline IdHash id_of(RawText raw) { return raw.empty() ? 0 : (stable_hash(raw.bytes) | 1); }

}  // namespace agent_audit::detectors
