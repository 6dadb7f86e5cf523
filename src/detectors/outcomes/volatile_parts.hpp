#pragma once

#include "detectors/outcomes/volatile_scan.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A piece of a tool's output that differs between two runs of the same thing although nothing changed.
///
/// Volatile are: ANSI colour codes (the ESC byte, or spelled \u001b \x1b \033 \e), ISO dates and times, clock times,
/// UUIDs, 0x addresses of 6 to 16 digits, durations with a unit ("12ms", "1m 30s", "5 minutes ago", "just now"), the
/// id of a request ("id=" and 16 or more hex digits with a letter among them), the number in "pid N", "pgid N",
/// "attempt N", "retry N", "try N", "(N/M) attempts" and "[1] N" alone on a line (a shell's background job), and the
/// name right under a temporary directory (/tmp, /var/folders/…/T, …\Temp).
///
/// Not volatile are: counts, line numbers and line:column pairs, versions, percentages, N/M progress, sizes, commit
/// hashes and checksums. When in doubt a part stays: taking different outcomes for equal is the worse mistake.
struct VolatilePart {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const VolatilePart&) const = default;
};

/// Walks the volatile parts of a text from left to right; they never overlap. Works on plain text and on the raw inside
/// of a JSON string alike: a letter after a backslash is an escape, not the end of a word.
class VolatileParts {
public:
    explicit VolatileParts(std::string_view text, SimdLevel level = best_simd()) : text_(text), level_(level) {}

    /// The next part; false when there is none.
    bool next(VolatilePart& part) {
        for (;;) {
            while (suspect_ != suspects_.count) {
                if (check(suspects_.list[suspect_++], part)) return true;
            }
            suspect_ = 0;
            if (next_chunk_ < text_.size()) {
                find_suspects(text_, next_chunk_, suspects_, level_);
                chunk_ = next_chunk_;
                next_chunk_ += kScanChunk;
            } else if (!ended_ && text_.size() >= 2) {
                ended_ = true;
                find_suspect_at_end(text_, chunk_, suspects_);
            } else {
                suspects_.count = 0;
                return false;
            }
        }
    }

private:
    bool check(const Suspect& suspect, VolatilePart& part);

    std::string_view text_;
    SimdLevel level_;
    std::size_t done_ = 0;   // end of the part found last
    std::size_t chunk_ = 0;  // where the suspects at hand were found
    std::size_t next_chunk_ = 0;
    std::size_t suspect_ = 0;
    bool ended_ = false;  // the end of the text was looked at
    Suspects suspects_;
};

std::vector<VolatilePart> volatile_parts(std::string_view text, SimdLevel level = best_simd());

}  // namespace agent_audit::detectors
