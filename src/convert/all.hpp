#pragma once

#include <agent_audit/convert/converter.hpp>

namespace agent_audit::convert {

// One line a format that can be written; registry.cpp puts them into the table.
ConverterSpec atif();
ConverterSpec chat();
ConverterSpec events();

}  // namespace agent_audit::convert
