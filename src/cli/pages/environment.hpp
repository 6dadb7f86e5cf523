#pragma once

#include <string_view>

namespace agent_audit::cli {

/// A variable that is looked at besides those that stand for flags, as manual, reference and `doctor` tell it.
struct VariableDoc {
    std::string_view name;
    std::string_view doc;
};

inline constexpr VariableDoc kVariables[] = {
    {"NO_COLOR", "no colour, whatever it says; empty is not set; --color wins over all four"},
    {"CLICOLOR_FORCE, FORCE_COLOR", "colour also in a pipe, unless 0"},
    {"CLICOLOR", "0: no colour"},
    {"TERM", "dumb: no colour and no pager"},
    {"COLUMNS", "width of the page instead of the terminal's"},
    {"LC_ALL, LC_CTYPE, LANG", "symbols beyond ASCII where the locale is UTF-8"},
    {"PAGER", "shows long texts on a terminal; default: less -FRX; cat or empty: none"},
    {"XDG_CONFIG_HOME", "where agent-audit/config.toml is looked for; default: ~/.config"},
    {"TMPDIR", "where standard input is kept that has to be read twice"},
    {"GITHUB_ACTIONS", "true: nothing that is printed can be taken for a workflow command"},
    {"GITHUB_STEP_SUMMARY", "with -f github: the file to which the report is added"},
};

}  // namespace agent_audit::cli
