#pragma once

#include <agent_audit/simulator/pi.hpp>

namespace agent_audit::simulator::pi {

/// Which files the calls of a message read and changed.
void note_files(const Msg& message, FileOps& ops, Release release);
/// What an earlier compaction knew of.
void carry_files(const Entry& compaction, FileOps& ops);

}  // namespace agent_audit::simulator::pi
