#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>

namespace agent_audit {

/// Tokens of a text by runs of like characters: no vocabulary, one pass, within about 10 % of o200k_base for prose,
/// code, numbers and Chinese, 20 % low for base64 (figures: docs/explanation/how-it-works.md).
///
/// letters  camel-case pieces, 1 token up to 7 letters, then 1 for every 5 more
/// digits   1 for every 3, rounded up
/// ASCII punctuation  1 for the first two of a run, then 0.35 each
/// newlines 1 a run · blanks: a single one is free, a run is 1
/// CJK      0.8 each · other non-ASCII code points 1.3 each
///
/// Counted in hundredths of a token and rounded up once per text, so sums do not depend on order. In json_string form
/// an escape counts as the character it stands for.
std::uint64_t estimate_tokens(RawText text);

}  // namespace agent_audit
