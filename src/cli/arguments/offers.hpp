#pragma once

#include "cli/arguments/arguments.hpp"

#include <string_view>
#include <vector>

// What several commands offer to a shell that completes their words: the tables the parsers themselves look things up
// in.

namespace agent_audit::cli {

using Words = std::vector<std::string_view>;

Words renderer_words();
Words reader_words();
Words converter_words();
Words profile_words();        ///< of --as
Words rule_words();           ///< names of rules
Words rule_or_group_words();  ///< and of their groups
Words rule_or_settings_words();
Words policy_words();   ///< built-in policies of replay --policy
Words context_words();  ///< of replay --context
Words estimator_words();
Words pre_tokeniser_words();
Words agent_words();  ///< of discover --agent
Words schema_words();
Words command_words();  ///< every command that help shows

inline constexpr std::string_view kRedactWords[] = {"none", "secrets", "strict"};
inline constexpr std::string_view kWhenWords[] = {"auto", "always", "never"};
inline constexpr std::string_view kLevelWords[] = {"error", "warning", "info"};
inline constexpr std::string_view kFailLevelWords[] = {"error", "warning", "info", "never"};
inline constexpr std::string_view kRulePolicyWords[] = {"balanced", "strict", "permissive"};

inline constexpr Offer kOfferRedact = offer_one_of(kRedactWords);
inline constexpr Offer kOfferWhen = offer_one_of(kWhenWords);
inline constexpr Offer kOfferLevel = offer_one_of(kLevelWords);
inline constexpr Offer kOfferFailLevel = offer_one_of(kFailLevelWords);

constexpr Offer offer_word(Words (*made)(), bool or_file = false) { return {Offer::Kind::word, {}, made, or_file}; }
constexpr Offer offer_list(Words (*made)(), bool or_file = false) { return {Offer::Kind::list, {}, made, or_file}; }

}  // namespace agent_audit::cli
