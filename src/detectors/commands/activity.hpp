#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/activity.hpp>
#include <agent_audit/model/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What kind of work a call is, from its class, its tool's name and what its command was found to do.
/// False: none (a pause, a look at what is running): it belongs to whatever it stands in.
bool activity_of(const Step& step, Activity& activity);

/// A command line that changes files only as git keeps them: adds, commits, merges, pulls, goes to another branch.
bool only_keeps_in_git(RawText line);

/// Does a tool of this name, without the server of an MCP client, give work to another agent?
bool delegates(std::string_view tool);

/// Does a command only cut what another one printed, or tell how it ended: `| tail -5`, `; echo done`? It cannot fail.
bool only_tells(std::string_view command);

/// How the last of the commands of a shell line that do so sends work out, wherever it stands.
struct ShippedLine {
    Shipping how = Shipping::none;
    bool at_end = false;  ///< behind it nothing stands but what cuts its output or tells how it ended
};

/// git push, npm publish, kubectl apply, gh release create …; the line as it was recorded, whole.
ShippedLine shipping(RawText line);

/// Cuts a lane into segments as it is read. A turn is what its weightiest call is (deploy, edit, verify, run, explore,
/// plan, in this order), or communicate when it only says something. A new segment begins when of the last five turns
/// three are of another kind and at most one is still of the segment's own, dated to the first of the three; or when
/// none is of its own, with the kind that most of them have. Shipping is rare and short: a single such turn begins a
/// segment.
///
/// A turn of waiting, of looks at what is running, or of calls that were refused is no work of its own: it is counted
/// to the turn before it, or to the first one.
class ActivityTrack {
public:
    void clear();
    /// `in_git`: as only_keeps_in_git says of its command.
    void step(const Step& step, bool in_git = false);
    /// A plan or to-do list was written, by the last call.
    void planned() { act(Activity::plan); }
    /// A call was made, of whatever class; pauses, and what was refused, are never told as steps.
    void called(const Place& at) {
        meet(at.line, at.line);
        ++turn_.calls;
    }
    /// The agent wrote something, or reasoned.
    void said(const Place& at) {
        thought(at);
        said_ = true;
    }
    void thought(const Place& at) { meet(at.line, at.line); }
    /// `turn` = ordinal of the response that is over.
    void end_response(std::uint64_t turn);

    ActivityCourse take();

private:
    static constexpr std::size_t kWindow = 5;
    static constexpr std::uint32_t kEnough = 3;

    struct Turn {
        Activity activity = Activity::communicate;
        std::uint64_t line = 0, last_line = 0, first = 0, last = 0, turns = 0, calls = 0;

        void take(const Turn& other);
    };

    void act(Activity activity);
    void meet(std::uint64_t line, std::uint64_t last_line) {
        turn_.line = turn_.turns == 0 ? line : std::min(turn_.line, line);
        turn_.last_line = std::max(turn_.last_line, last_line);
        turn_.turns = 1;
    }
    void worked();
    void idled();
    void settle();
    void open(std::size_t from, Activity activity);
    void add(const Turn& turn);
    void close();
    const Turn& recent(std::size_t i) const { return recent_[(next_ + kWindow - held_ + i) % kWindow]; }

    ActivityCourse course_;
    ActivitySegment now_;
    Turn turn_;   // that is being read
    Turn left_;   // the last one that is no longer among the recent
    Turn ahead_;  // without work, before any
    bool acted_ = false, said_ = false, open_ = false;
    std::array<Turn, kWindow> recent_;                // a ring, of those that worked
    std::array<std::uint32_t, kActivities> count_{};  // of the turns in it
    std::size_t next_ = 0, held_ = 0;
    std::size_t own_ = 0;  // turns that worked, of the segment
};

}  // namespace agent_audit::detectors
