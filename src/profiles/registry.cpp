#include "profiles/all.hpp"
#include "profiles/rule.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {

std::span<const ProfileSpec> all_profiles() {
    static const std::array table{
        profiles::browser_use(),
        profiles::cline(),
        profiles::crush(),
        profiles::error_accumulation(),
        profiles::gemini_cli(),
        profiles::goose(),
        profiles::last3_equals_previous3(),
        profiles::openclaw(),
        profiles::opencode(),
        profiles::openhands(),
        profiles::openhands_v0(),
        profiles::qwen_code(),
        profiles::qwen_code_heuristics(),
        profiles::roo(),
        profiles::same_type_3(),
        profiles::sequence_hash(),
        profiles::window_counter(),
    };
    return table;
}

const ProfileSpec* find_profile(std::string_view name) {
    const auto table = all_profiles();
    const auto found = std::ranges::lower_bound(table, name, {}, &ProfileSpec::name);
    return found != table.end() && found->name == name ? &*found : nullptr;
}

}  // namespace agent_audit
