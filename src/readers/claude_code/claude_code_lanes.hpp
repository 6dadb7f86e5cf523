#pragma once

#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// Which lane a record of a sub-agent belongs to, in a file of Claude Code that holds several conversations.
class ClaudeCodeLanes {
public:
    struct Found {
        std::uint32_t lane = 0;
        bool opened = false;  ///< it is a new one
    };

    /// That of an agent with an id.
    Found of_agent(IdHash agent) {
        for (const auto& [known, lane] : agents_) {
            if (known == agent) return {lane, false};
        }
        // A hostile file could open a lane per line: beyond the cap they share the last one.
        if (agents_.size() >= kMostLanes) return {agents_.back().second, false};
        const auto lane = static_cast<std::uint32_t>(agents_.size() + 1);
        agents_.emplace_back(agent, lane);
        return {lane, true};
    }

    /// 2025 files keep sub-agents inline without an agent id: a side record without parent (0) opens a lane, the others
    /// follow their parent.
    Found of_record(IdHash self, IdHash parent) {
        const Found found = parent == 0 ? of_agent(self) : behind(parent);
        if (records_.size() < kRemembered) records_.emplace_back();
        records_[next_++ % kRemembered] = {self, found.lane};
        last_ = found.lane;
        return found;
    }

private:
    struct Record {
        IdHash id = 0;
        std::uint32_t lane = 0;
    };

    // The last record of that id counts; without one it goes on where the record before was.
    Found behind(IdHash parent) {
        std::uint32_t lane = last_;
        for (const Record& seen : records_) {
            if (seen.id == parent) lane = seen.lane;
        }
        return lane == 0 ? of_agent(parent) : Found{lane, false};
    }

    static constexpr std::size_t kMostLanes = 4096;
    static constexpr std::size_t kRemembered = 1024;  // a ring; real parents are at most 299 records back

    std::vector<std::pair<IdHash, std::uint32_t>> agents_;
    std::vector<Record> records_;
    std::size_t next_ = 0;
    std::uint32_t last_ = 0;
};

}  // namespace agent_audit::readers
