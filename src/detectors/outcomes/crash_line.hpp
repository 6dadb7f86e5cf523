#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Does a text begin as Elixir and Ruby say of what a program died: "** (KeyError) key :total not found", "** (EXIT
/// from #PID<0.98.0>) …", "cart.rb:14:in `total': undefined method `price' for nil (NoMethodError)"? Plain or escaped.
bool begins_with_crash(std::string_view text);

}  // namespace agent_audit::detectors
