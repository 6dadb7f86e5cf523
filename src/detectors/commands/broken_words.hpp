#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <string_view>

namespace agent_audit::detectors {

/// Does a tool with these arguments break a rule about words in them, of word_rules.hpp? `tool` in snake_case.
bool breaks_words(const Constraint& rule, std::string_view tool, std::string_view args);

/// Does a tool bring words to somebody, by its name: send_mail, gmail_reply, share_file? `tool` in snake_case.
bool names_sending(std::string_view tool);

}  // namespace agent_audit::detectors
