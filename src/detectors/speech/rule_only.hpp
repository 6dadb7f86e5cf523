#pragma once

#include <string>
#include <string_view>

/// Sentences that name the only places which may be changed, or all but some, as the order that they mean; empty = it
/// is none of that form. `lower` = the sentence in lower case.
namespace agent_audit::detectors {

/// Behind the only places that may be changed.
inline constexpr std::string_view kNothingElse[] = {" and nothing else",
                                                    ", nothing else",
                                                    " but nothing else",
                                                    " and don't change anything else",
                                                    " and don’t change anything else",
                                                    " and dont change anything else",
                                                    " and do not change anything else",
                                                    " and don't touch anything else",
                                                    " and don’t touch anything else",
                                                    " and dont touch anything else",
                                                    " and do not touch anything else",
                                                    ", don't change anything else",
                                                    ", do not change anything else",
                                                    ", don't touch anything else",
                                                    ", do not touch anything else",
                                                    " and leave everything else "};

/// "from now on only a.py", "edit docs/guide.md only", "the only file you may change is a.py".
std::string only_these(std::string_view sentence, std::string_view lower);
/// "Fix the date bug. Only a.py please.": names alone, behind an order to change something.
std::string only_named(std::string_view sentence, std::string_view lower, std::string_view before);
/// "You can change anything except payment/."
std::string all_but(std::string_view sentence, std::string_view lower);
/// "Don't change anything else" behind the one sentence that says what to change: "only change …", with what that
/// names. Empty = it is none, or no file was named.
std::string nothing_beside(std::string_view sentence, std::string_view before);

}  // namespace agent_audit::detectors
