#pragma once

#include "readers/pi/pi_entry.hpp"

#include <agent_audit/support/hash.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// How an entry hangs in the tree.
enum class PiBranch : std::uint8_t {
    none,        ///< on the entry before it
    untold,      ///< elsewhere, and the entry does not say where
    from_start,  ///< on nothing: the conversation begins anew
    from_entry,  ///< on an earlier entry
    unknown,     ///< on an entry that is not in the file, or too far back
};

/// The tree that the entries of a session form, lane by lane: where the entry hangs that was read last, and whether the
/// next one leaves it.
class PiTree {
public:
    /// A session begins.
    void begin();

    /// The lane of the entries that are read. The main one is 0.
    std::uint32_t lane() const { return lane_; }

    /// Entries of another lane follow, which has turns of its own: `turn` is kept with the old one, and becomes that of
    /// the new one.
    void take_lane(std::string_view name, std::uint32_t& turn);

    /// True once for each lane but the main one: this is the first entry of it.
    bool opens_lane();

    /// Where the next entry of a lane will hang, which the entry says as well. Only of a new lane it is needed, for it
    /// grows from there without leaving anything.
    void lane_moved(std::string_view name, std::string_view leaf);

    /// OpenClaw notes where the next entry will hang. The note itself is no link of the chain.
    PiBranch turn_to_leaf(const PiEntry& leaf);

    /// Every other entry with an id is a link of the chain, whatever its kind.
    PiBranch follow(const PiEntry& entry);

private:
    struct LaneState {
        IdHash name = 0, previous = 0;
        std::uint32_t turn = 0;
        bool open = false;
    };

    LaneState* lane_of(std::string_view name);
    bool is_recent(IdHash id) const;

    std::vector<LaneState> lanes_ = std::vector<LaneState>(1);
    std::uint32_t lane_ = 0;
    IdHash previous_ = 0;
    std::array<IdHash, 512> recent_{};  // branches go back a few hundred entries at most
    std::size_t recent_next_ = 0;
};

}  // namespace agent_audit::readers
