#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/activity.hpp>
#include <agent_audit/model/text.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What kind of work a call is, from its class, its tool's name and what its command was found to do.
/// False: none (a pause, a look at what is running): it belongs to whatever it stands in.
bool activity_of(const Step& step, Activity& activity);

/// Does one of the commands of a shell line send work out (git push, npm publish, kubectl apply, terraform apply, gh
/// release create …), wherever in it? The line as it was recorded, whole.
bool ships(RawText line);

/// Cuts a lane into segments as it is read. A turn is what its weightiest call is (deploy, edit, verify, run, explore,
/// plan, in this order), or communicate when it only says something. A new segment begins when of the last five turns
/// three are of another kind and at most one is still of the segment's own, dated to the first of the three; or when
/// none is of its own, with the kind that most of them have. Shipping is rare and short: a single such turn begins a
/// segment.
class ActivityTrack {
public:
    void clear();
    void step(const Step& step);
    /// A plan or to-do list was written.
    void planned(const Place& at);
    /// A call was made, of whatever class; pauses are never told as steps.
    void called() { called_ = true; }
    /// The agent wrote something.
    void said(const Place& at);
    /// `turn` = ordinal of the response that is over.
    void end_response(std::uint64_t turn) {
        if (heard_ && !(called_ && turn_.activity == Activity::communicate && turn_.calls == 0)) act(turn);
        heard_ = called_ = false;
    }

    ActivityCourse take();

private:
    static constexpr std::size_t kWindow = 5;
    static constexpr std::uint32_t kEnough = 3;

    struct Turn {
        Activity activity = Activity::communicate;
        std::uint64_t line = 0, last_line = 0, turn = 0, calls = 0;
    };

    void note(Activity activity, std::uint64_t line, std::uint64_t last_line);
    void act(std::uint64_t turn);
    void settle();
    void open(std::size_t from, Activity activity);
    void close();
    const Turn& recent(std::size_t i) const { return recent_[(next_ + kWindow - held_ + i) % kWindow]; }

    ActivityCourse course_;
    ActivitySegment now_;
    Turn turn_;  // that is being read
    Turn left_;  // the last one that is no longer among the recent
    bool heard_ = false, called_ = false, open_ = false;
    std::array<Turn, kWindow> recent_;                // a ring
    std::array<std::uint32_t, kActivities> count_{};  // of the turns in it
    std::size_t next_ = 0, held_ = 0;
};

}  // namespace agent_audit::detectors
