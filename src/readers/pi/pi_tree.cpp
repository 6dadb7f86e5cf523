#include "readers/pi/pi_tree.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::readers {

void PiTree::begin() {
    previous_ = 0;
    lanes_.assign(1, {});
    lane_ = 0;
}

// The main lane has no name here. Beyond the limit lanes are the main one: sessions have few.
PiTree::LaneState* PiTree::lane_of(std::string_view name) {
    constexpr std::size_t kMostLanes = 256;
    if (name.empty() || name == "main") return nullptr;
    const IdHash id = id_hash(name);
    const auto found = std::ranges::find(lanes_, id, &LaneState::name);
    if (found != lanes_.end()) return &*found;
    if (lanes_.size() >= kMostLanes) return nullptr;
    lanes_.push_back({id});
    return &lanes_.back();
}

void PiTree::take_lane(std::string_view name, std::uint32_t& turn) {
    const LaneState* wanted = lane_of(name);
    const auto lane = static_cast<std::uint32_t>(wanted ? wanted - lanes_.data() : 0);
    if (lane == lane_) return;
    lanes_[lane_].turn = std::exchange(turn, lanes_[lane].turn);
    lanes_[lane_].previous = std::exchange(previous_, lanes_[lane].previous);
    lane_ = lane;
}

bool PiTree::opens_lane() { return lane_ != 0 && !std::exchange(lanes_[lane_].open, true); }

void PiTree::lane_moved(std::string_view name, std::string_view leaf) {
    if (LaneState* lane = lane_of(name); lane && lane->previous == 0) lane->previous = id_hash(leaf);
}

PiBranch PiTree::turn_to_leaf(const PiEntry& leaf) {
    const IdHash target = id_hash(leaf.target_id);
    if (target == 0 || target == previous_ || previous_ == 0) return PiBranch::none;
    if (!is_recent(target)) return PiBranch::none;
    previous_ = target;
    return PiBranch::from_entry;
}

PiBranch PiTree::follow(const PiEntry& entry) {
    if (entry.id.empty()) return PiBranch::none;
    const IdHash id = id_hash(entry.id);
    const IdHash parent = id_hash(entry.parent_id);
    PiBranch branch = PiBranch::none;
    if (previous_ != 0 && parent != previous_) {
        if (parent == 0)
            branch = entry.parent_null ? PiBranch::from_start : PiBranch::untold;
        else if (is_recent(parent) || entry.type == "branch_summary")
            branch = PiBranch::from_entry;
        else
            branch = PiBranch::unknown;
    }
    previous_ = id;
    recent_[recent_next_++ % recent_.size()] = id;
    return branch;
}

bool PiTree::is_recent(IdHash id) const { return std::ranges::find(recent_, id) != recent_.end(); }

}  // namespace agent_audit::readers
