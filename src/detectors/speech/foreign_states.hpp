#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// A clause in one of foreign::languages() that says in which state something is to be left, as the English order that
/// it means: "config.yml bleibt, wie sie ist", "laisse config.yml tel quel", "config.yml es intocable" are "do not
/// change config.yml". `lower` is the sentence around it, in lower case and between blanks. Empty = it says no such
/// thing, the sentence sets a condition, or a word of the clause is not known. Where the clause only tells how
/// something stays, `may_report` is set: it may say what the person saw.
std::string kept_in_state(std::string_view clause, std::string_view lower, bool& may_report);

/// The same of what keeps hands off: "Finger weg von src/auth/", "giù le mani da db/schema.sql".
std::string kept_off_by_hand(std::string_view clause);

/// Whether a sentence, or what stands behind it, tells of something that the person saw: "ich speichere, aber …",
/// "… Warum?"
bool tells_what_was_seen(std::string_view sentence, std::string_view behind);

}  // namespace agent_audit::detectors
