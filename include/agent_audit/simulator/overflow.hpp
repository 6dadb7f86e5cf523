#pragma once

#include <agent_audit/simulator/message.hpp>

#include <string_view>

/// Whether what a provider answered means that the prompt did not fit.
namespace agent_audit::simulator::overflow {

/// As pi 0.87 reads an error message. `provider` matters for one that sends no body.
bool pi_error(std::string_view message, std::string_view provider = {});
/// As OpenClaw 2026.9 does without provider plug-ins.
bool openclaw_error(std::string_view message);

/// The documented texts of all providers, for policies that leave it to us.
bool any_error(std::string_view message);

/// A fine answer whose usage says that the prompt was larger than the window, or that it filled it and left no room.
bool silent(const Usage& usage, StopReason stop, double window_tokens);

}  // namespace agent_audit::simulator::overflow
