#include "report/all.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {

// The one list, most used first, a row a line. Built on first use.
std::span<const RendererSpec> all_renderers() {
    // clang-format off
    static const std::array table{
        report::text(),
        report::compact(),
        report::json(),
        report::ndjson(),
        report::sarif(),
        report::junit(),
        report::tap(),
        report::github(),
        report::gitlab(),
        report::markdown(),
        report::csv(),
        report::html(),
    };
    // clang-format on
    return table;
}

const RendererSpec* find_renderer(std::string_view id) {
    const auto table = all_renderers();
    const auto found = std::ranges::find(table, id, &RendererSpec::id);
    return found == table.end() ? nullptr : &*found;
}

}  // namespace agent_audit
