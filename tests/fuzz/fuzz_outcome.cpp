// The outcome normaliser on hostile tool output: it must stay inside the text, agree with itself at every SIMD level,
// and never call two outcomes equal because of how they are cut up.
#include "invariants.hpp"

#include "detectors/outcomes/outcome.hpp"
#include "detectors/outcomes/volatile_parts.hpp"
#include "support/simd.hpp"

#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

void check_parts(std::string_view text) {
    const auto parts = volatile_parts(text);
    std::size_t end = 0;
    for (const VolatilePart& part : parts) {
        fuzz::promise(part.begin >= end, "volatile parts come in order and do not overlap");
        fuzz::promise(part.begin < part.end, "no volatile part is empty");
        fuzz::promise(part.end <= text.size(), "a volatile part lies inside the text");
        end = part.end;
    }
    for (const SimdLevel level : simd_levels()) {
        fuzz::promise(volatile_parts(text, level) == parts, "every SIMD level finds the same parts");
    }
}

void check_digests(std::string_view bytes, TextForm form) {
    const RawText text{bytes, form};
    const OutcomeDigest result = digest_outcome(text, false);
    const OutcomeDigest error = digest_outcome(text, true);
    fuzz::promise(result.hash == digest_outcome(text, false).hash, "the same text gives the same digest");
    fuzz::promise(result.opaque || result.hash != error.hash, "an error never equals a result");
    (void)error_key(text);
    (void)shape_hash(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    // A copy on the heap, exactly as long: a read past its end is then seen.
    const std::string text(reinterpret_cast<const char*>(data), size);
    check_parts(text);
    for (const TextForm form : {TextForm::plain, TextForm::json_string, TextForm::json_value})
        check_digests(text, form);
    return 0;
}
