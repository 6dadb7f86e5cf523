#include "detectors/loop/edited_files.hpp"

#include "detectors/words/path_words.hpp"

#include <agent_audit/support/hash.hpp>

#include <string>
#include <vector>

namespace agent_audit::detectors {

std::uint64_t base_name_of(std::string_view path) {
    path.remove_prefix(path.find_last_of("/\\") + 1);  // npos + 1 = 0
    return path.empty() ? 0 : stable_hash(path) | 1;
}

bool EditedFiles::are_other_than(std::string_view text) const {
    constexpr std::size_t kMostNamed = 64;
    const auto end = names_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (std::find(names_.begin(), end, 0) != end) return false;
    const std::vector<std::string> named = paths_in(text, kMostNamed);
    return !named.empty() && std::ranges::none_of(named, [&](const std::string& path) {
        return std::find(names_.begin(), end, base_name_of(path)) != end;
    });
}

}  // namespace agent_audit::detectors
