#include "cli/commands/profile_list.hpp"

#include "cli/commands/command.hpp"
#include "cli/commands/listing.hpp"

#include <agent_audit/profiles/profile.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>

namespace agent_audit::cli {

ExitStatus list_profiles(When color) {
    std::string out;
    const ByteSink sink = [&](std::string_view bytes) {
        out += bytes;
        return true;
    };
    const Stream stream = inspect_stream(STDOUT_FILENO, color);
    const RenderOptions options{.width = stream.width, .color = stream.color, .unicode = stream.unicode};
    report::Page page(options, sink);
    std::size_t longest = 0;
    for (const ProfileSpec& profile : all_profiles()) longest = std::max(longest, profile.name.size());
    for (const ProfileSpec& profile : all_profiles()) {
        row(page, static_cast<int>(longest), profile.name, fmt::format("{}: {}", profile.peer, profile.rule));
    }
    page.flush();
    return print(out);
}

}  // namespace agent_audit::cli
