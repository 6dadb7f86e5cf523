#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Plans that are kept in files ("PLAN.md", "docs/roadmap.md") and written anew one after the other, with nothing in
/// between but a look at them. One file for each of many things is a plan for each: they must come back.
class PlanFiles {
public:
    struct Row {
        int writes = 0;
        Episode episode;
    };

    /// A step that changed something. `close` is given the row that is over.
    template <class Close>
    void changed(const Step& step, const LaneTrack& lane, Close&& close) {
        if (!step.touch.whole_file || step.touch.file == 0 || !is_plan(step) || is_ordered(step, lane)) return;
        if (row_.writes > 0 && !goes_on(step, lane)) end(close);
        if (row_.writes > 0 && step.response == row_.episode.last().response) return;
        if (++row_.writes == 2) row_.episode.waste_from(step, &row_.episode.last());
        if (std::ranges::find(files_, step.touch.file) == files_.end()) {
            many_ = many_ || files_.size() == kMostFiles;
            if (!many_) files_.push_back(step.touch.file);
        }
        row_.episode.add(step);
    }

    template <class Close>
    void end(Close&& close) {
        if (row_.writes == 0) return;
        if (!many_ && 2 * files_.size() <= static_cast<std::size_t>(row_.writes)) close(row_);
        row_.writes = 0;
        many_ = false;
        row_.episode.reset();
        files_.clear();
    }

private:
    static constexpr std::uint64_t kMostBetween = 8;  // steps
    static constexpr std::size_t kMostFiles = 16;

    // "Write docs/PLAN.md, chapter by chapter": the plan is the work.
    static bool is_ordered(const Step& step, const LaneTrack& lane) {
        const std::string_view path = step.text.argument().bytes;
        return lane.request().bytes.find(path.substr(path.find_last_of("/\\") + 1)) != std::string_view::npos;
    }

    // By a word of the name of a text, for "planet.md" is none: "IMPLEMENTATION_PLAN.md".
    static bool is_plan(const Step& step) {
        constexpr std::string_view kEndings[] = {".md", ".txt", ".org", ".rst", ".mdx"};
        constexpr std::string_view kWords[] = {"plan",     "plans",  "planning",   "roadmap",  "checklist",
                                               "todo",     "todos",  "milestones", "fahrplan", "aufgaben",
                                               "vorgehen", "tareas", "tarefas",    "план",     "План"};
        constexpr std::string_view kWide[] = {"計画", "计划"};
        const std::string_view path = step.text.argument().bytes;
        if (std::ranges::none_of(kEndings, [path](std::string_view end) { return path.ends_with(end); })) return false;
        const std::string_view file = path.substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
        const std::string name = lowered(file.substr(0, file.rfind('.')));
        if (contains_any(name, kWide)) return true;
        const auto is_of_word = [](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; };
        for (auto at = name.begin(); at != name.end();) {
            const auto end = std::find_if_not(at, name.end(), is_of_word);
            if (std::ranges::find(kWords, std::string_view(at, end)) != std::end(kWords)) return true;
            at = end == name.end() ? end : end + 1;
        }
        return false;
    }

    bool goes_on(const Step& step, const LaneTrack& lane) const {
        const std::uint64_t last = row_.episode.last().ordinal;
        if (last < lane.segment_start() || step.ordinal - last > kMostBetween) return false;
        for (std::uint64_t at = last + 1; at < step.ordinal; ++at) {
            const Step* const between = lane.step(at);
            if (!between) return false;
            const bool notes = between->tool_class == ToolClass::note || between->tool_class == ToolClass::wait;
            const bool looks = between->tool_class == ToolClass::read && is_plan(*between);
            if (!notes && !looks && !between->failed) return false;
        }
        return true;
    }

    Row row_;
    std::vector<std::uint64_t> files_;
    bool many_ = false;  // more files than are kept
};

}  // namespace agent_audit::detectors
