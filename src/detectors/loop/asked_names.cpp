#include "detectors/loop/asked_names.hpp"

#include "support/among.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::detectors {
namespace {

// What a query may be put in other words with.
bool is_of_language(std::string_view word) {
    constexpr std::string_view kWords[] = {
        "select",   "from",      "where",    "and",     "or",         "not",       "is",
        "null",     "count",     "sum",      "min",     "max",        "avg",       "distinct",
        "as",       "in",        "like",     "ilike",   "lower",      "upper",     "trim",
        "ltrim",    "rtrim",     "coalesce", "limit",   "order",      "by",        "group",
        "having",   "join",      "left",     "right",   "inner",      "outer",     "full",
        "cross",    "on",        "using",    "between", "case",       "when",      "then",
        "else",     "end",       "exists",   "cast",    "length",     "date",      "interval",
        "now",      "asc",       "desc",     "offset",  "union",      "all",       "any",
        "true",     "false",     "with",     "over",    "partition",  "regexp",    "rlike",
        "similar",  "to",        "text",     "varchar", "int",        "integer",   "concat",
        "replace",  "substring", "substr",   "ifnull",  "isnull",     "nullif",    "collate",
        "binary",   "escape",    "fetch",    "first",   "rows",       "only",      "top",
        "extract",  "year",      "month",    "day",     "date_trunc", "timestamp", "char_length",
        "position", "instr",     "strpos",   "public",  "dbo",        "unaccent",  "regexp_matches",
        "tolower"};
    return among(word, kWords);
}

bool in_name(char c) { return is_alnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

}  // namespace

bool AskedNames::has_new_ones(const Step& query) {
    constexpr std::size_t kShortest = 2;  // letters; a single one stands for a table
    bool any = false, behind_as = false;
    const std::string text = lowered(query.text.argument().bytes);
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\'' || text[at] == '"') {  // a value; some databases quote names so, which then are none
            at = std::min(text.find(text[at], at + 1), text.size());
            at = std::min(at + 1, text.size());
            continue;
        }
        if (text.compare(at, 2, "--") == 0) {  // a comment
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && in_name(text[at])) ++at;
        const std::string_view name = std::string_view(text).substr(begin, at - begin);
        const bool alias = std::exchange(behind_as, name == "as" || (behind_as && name.empty()));
        if (!alias && name.size() >= kShortest && !is_digit(name.front()) && !is_of_language(name)) {
            const auto hash = static_cast<std::uint32_t>(stable_hash(name));
            const auto end = names_.begin() + static_cast<std::ptrdiff_t>(known_);
            if (std::find(names_.begin(), end, hash) == end && known_ < names_.size()) {
                names_[known_++] = hash;
                any = true;
            }
        }
        if (at == begin) ++at;
    }
    return any;
}

}  // namespace agent_audit::detectors
