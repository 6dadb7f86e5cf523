#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A text that orders something in one of these languages has one of these.
inline constexpr std::string_view kForeignMarks[] = {
    "nicht",     "keine",      "kein ",          "unverändert", "unangetastet", "finger weg",  "nur ",
    "ne pas ",   "ne modif",   "ne touch",       "ne chang",    "ne fais",      "ne pouss",    "ne supprim",
    "ne commit", "ne cré",     "n'ajout",        "n’ajout",     "n'install",    "n’install",   "n'édit",
    "n’édit",    "pas de ",    "no modif",       "no toques",   "no hagas",     "no cambi",    "no edites",
    "no agreg",  "no añad",    "no borr",        "no elimin",   "no crees",     "no instal",   "no subas",
    "ないで",    "しないこと", "ausschließlich", "não ",        "nao ",         "apenas ",     "somente ",
    "non ",      "soltanto ",  "solo ",          "не ",         "Не ",          "НЕ ",         "только",
    "지 마",     "지 말",      "prohibid",       "proibid",     "ruhe lass",    "keinen fall", "禁止"};

/// The bans of a sentence in one of these languages as the English orders that they mean: "Bitte src/api.py nicht
/// ändern" is "do not change src/api.py", "no hagas commit" is "do not commit". Only where every word of a clause is
/// known: any other one may be a condition, a part of a file, or somebody else who must not.
/// What stands behind the sentence tells whether "config.yml bleibt, wie sie ist" is wanted or wondered about.
std::vector<std::string> orders_in_english(std::string_view sentence, std::string_view behind = {});

}  // namespace agent_audit::detectors
