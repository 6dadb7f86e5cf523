#pragma once

#include <agent_audit/simulator/message.hpp>

#include <cstdint>

/// How long a message is as JSON, from the sizes of its texts alone.
namespace agent_audit::simulator {

/// UTF-16 units of JSON.stringify of a message as the Anthropic API and the AI SDK write it.
std::uint64_t message_json_units(const Msg& message);
/// Of a tool result's text alone: its blocks joined with a newline.
std::uint64_t text_units(const Msg& message);
/// Code points of all texts.
std::uint64_t text_code_points(const Msg& message);
/// Texts joined with `between`.
std::string joined_text(const Msg& message, std::string_view between);

/// ceil(n / 4), Math.round(n / 4).
constexpr std::uint64_t quarters_up(std::uint64_t n) { return (n + 3) / 4; }
constexpr std::uint64_t quarters_round(std::uint64_t n) { return (n + 2) / 4; }

/// First message after leading system messages.
std::size_t after_system(const View& view);
/// First of the messages of the person that stand at the end; the size where there are none. Agents that look when a
/// turn is over, or before the next one begins, do not have them yet.
std::size_t before_new_words(const View& view);

}  // namespace agent_audit::simulator
