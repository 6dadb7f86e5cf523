#pragma once

#include "detectors/engine/drift_draft.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace agent_audit::detectors {

/// Steps that broke something a human had said, one finding for each rule that was broken. `lost` chooses between those
/// that the agent could still see and those that a compaction had taken out of its sight.
class BrokenRule : public DriftDetector {
public:
    explicit BrokenRule(bool lost) : DriftDetector(DriftActs::broken), lost_(lost) {}

    void on_act(const DriftAct& act, const DriftView& view) override {
        if (act.broken->lost != lost_) return;
        if (act.step->failed && !act.broken_file.empty()) return;  // `rm` of what is not there
        for (Case& known : cases_) {
            if (known.target == act.broken->target && known.kind == act.broken->kind)
                return known.what.add(act, "again");
        }
        if (cases_.size() >= kMostCases) return;
        Case& made = cases_.emplace_back();
        made.kind = act.broken->kind;
        made.target = act.broken->target;
        made.sentence = act.broken->told();
        if (made.kind == Constraint::Kind::only_path) made.places = only_places(view.goal.constraints());
        made.said = act.broken->line;
        made.spoken_of = act.broken->spoken_of;
        made.file = act.target.empty() ? act.broken_file : act.target;
        made.takes = act.broken->deletes;
        made.makes = act.broken->adds;
        made.reads = act.broken->any_access && act.step->tool_class != ToolClass::mutate;
        made.other_tool = made.kind == Constraint::Kind::forbid_path && made.file.empty() &&
                          act.step->tool_class == ToolClass::other && act.step->command_bytes == 0;
        made.what.add(act);
    }

    void on_human(const HumanTurn&, const DriftView&) override { close(); }
    void on_end(const DriftView&) override { close(); }

protected:
    struct Case {
        Constraint::Kind kind = Constraint::Kind::forbid_path;
        std::string target, sentence;
        std::string places;  ///< all that may be changed, where only some may
        std::string file;    ///< that the first such step changed or read, where one is named
        std::uint64_t said = 0;
        std::uint64_t spoken_of = 0;  ///< where the human named the same thing later, and may have meant to allow it
        bool takes = false;           ///< took away what was not to be taken away
        bool makes = false;           ///< made a file where none was to be made
        bool other_tool = false;      ///< by a tool that is for no files
        bool reads = false;           ///< looked at what was not even to be looked at
        Departure what;
    };

    virtual DraftFinding describe_case(const Case& broken) const = 0;

    /// Who said it, and where: "a human at line 3", or "--goal".
    static std::string speaker(const Case& broken) {
        return broken.said > 0 ? "a human at line " + std::to_string(broken.said) : "the goal given for this run";
    }

private:
    static constexpr std::size_t kMostCases = 16;

    // "a.py", "a.py and b.py", "a.py, b.py and 3 more"
    static std::string only_places(const std::vector<Constraint>& rules) {
        constexpr std::size_t kMostNamed = 3;
        std::vector<std::string_view> named;
        for (const Constraint& c : rules) {
            if (c.kind == Constraint::Kind::only_path) named.push_back(c.target);
        }
        const std::size_t shown = named.size() > kMostNamed ? kMostNamed - 1 : named.size();
        std::string out;
        for (std::size_t i = 0; i < shown; ++i)
            out.append(i == 0 ? "" : i + 1 == named.size() ? " and " : ", ").append(named[i]);
        if (shown < named.size()) out.append(" and ").append(std::to_string(named.size() - shown)).append(" more");
        return out;
    }

    void close() {
        for (const Case& broken : cases_) {
            DraftFinding draft = describe_case(broken);
            Finding& f = draft.finding;
            f.pattern_key = static_cast<std::uint64_t>(broken.kind) + 1;
            if (broken.said > 0)
                f.evidence.insert(f.evidence.begin(), {broken.said, 0, "instruction", one_line(broken.sentence, 160)});
            if (broken.spoken_of > 0)
                f.evidence.push_back(
                    {broken.spoken_of, 0, "mention", "speaks of it, and does not say that it is allowed"});
            f.because = {{"instruction_line", std::to_string(broken.said)},
                         {"target", broken.target},
                         {"steps", std::to_string(broken.what.acts())}};
            report(std::move(draft));
        }
        cases_.clear();
    }

    bool lost_;
    std::vector<Case> cases_;
};

}  // namespace agent_audit::detectors
