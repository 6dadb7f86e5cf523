#include "cli/build_facts.hpp"

#include <fmt/format.h>

namespace agent_audit::cli {

std::string licenses_text() {
    const BuildFacts& facts = build_facts();
    std::string out = "agent-audit is under the Apache License 2.0. In it are, or it is linked with:\n\n";
    for (const Guest& guest : facts.guests) {
        out += fmt::format("  {:<14} {:<11} {:<26} {}\n", guest.name, guest.version, guest.license, guest.homepage);
    }
    const auto section = [&](std::string_view name, std::string_view text) {
        if (!text.empty()) out += fmt::format("\n{:=<78}\n{}\n{:=<78}\n\n{}", "", name, "", text);
    };
    section("agent-audit", facts.license);
    for (const Guest& guest : facts.guests) section(guest.name, guest.text);
    if (!out.ends_with('\n')) out += '\n';
    return out;
}

}  // namespace agent_audit::cli
