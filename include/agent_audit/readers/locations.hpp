#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace agent_audit {

/// A folder an agent keeps its data in: below what a variable holds, or below the home folder.
struct RootPath {
    std::string_view variable;  ///< environment variable; empty = the home folder
    std::string_view below;     ///< relative to it; empty = the folder itself
};

/// What lies at a location.
enum class LocationKind : std::uint8_t {
    session,    ///< a file is a session
    sub_agent,  ///< a file is the conversation of a sub-agent of some session
    store,      ///< a file (a database) holds many sessions
    folder,     ///< a folder holds the records of one session, a file each
};

/// One row of the table of places where agents leave their sessions: data only. The first root whose variable is set
/// is the only one; when none is, all roots below the home folder are looked at.
struct Location {
    std::string_view agent;  ///< kebab-case, value of --agent
    std::span<const RootPath> roots;
    std::string_view glob;    ///< below a root; * ? [..] within one part of the path
    std::string_view format;  ///< id of the reader; empty = cannot be read yet
    LocationKind kind = LocationKind::session;
};

/// All of them, sorted by agent.
std::span<const Location> all_locations();

/// The ids of all formats, the likelier ones first: what agents leave on the machine they run on, which people have
/// more of than of exports and the logs of services. Otherwise sorted by id.
std::vector<std::string_view> likely_formats();

constexpr std::string_view name(LocationKind kind) {
    switch (kind) {
        case LocationKind::session: return "session";
        case LocationKind::sub_agent: return "sub_agent";
        case LocationKind::store: return "store";
        case LocationKind::folder: return "folder";
    }
    return "";
}

}  // namespace agent_audit
