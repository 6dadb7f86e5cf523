#include "convert/all.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {

std::span<const ConverterSpec> all_converters() {
    static const std::array table{convert::events(), convert::atif(), convert::chat()};
    return table;
}

const ConverterSpec* find_converter(std::string_view id) {
    const auto found = std::ranges::find(all_converters(), id, &ConverterSpec::id);
    return found == all_converters().end() ? nullptr : &*found;
}

}  // namespace agent_audit
