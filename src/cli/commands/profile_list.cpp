#include "cli/commands/profile_list.hpp"

#include "cli/commands/answer.hpp"
#include "cli/commands/command.hpp"
#include "cli/commands/listing.hpp"

#include <agent_audit/profiles/profile.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::cli {

ExitStatus list_profiles(When color) {
    return print(page_text(
        [](report::Page& page) {
            std::size_t longest = 0;
            for (const ProfileSpec& profile : all_profiles()) longest = std::max(longest, profile.name.size());
            for (const ProfileSpec& profile : all_profiles()) {
                row(page, static_cast<int>(longest), profile.name, fmt::format("{}: {}", profile.peer, profile.rule));
            }
        },
        0, color));
}

}  // namespace agent_audit::cli
