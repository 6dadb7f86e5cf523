#include "report/all.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {

// The one list, most used first. Built on first use.
std::span<const RendererSpec> all_renderers() {
    static const std::array table{report::text(), report::json(), report::ndjson(), report::html()};
    return table;
}

const RendererSpec* find_renderer(std::string_view id) {
    const auto table = all_renderers();
    const auto found = std::ranges::find(table, id, &RendererSpec::id);
    return found == table.end() ? nullptr : &*found;
}

}  // namespace agent_audit
