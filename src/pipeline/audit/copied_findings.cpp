#include "pipeline/audit/copied_findings.hpp"

#include "detectors/engine/context_words.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

namespace agent_audit {
namespace {

// A run over a terabyte: of what comes later no copies are known.
constexpr std::size_t kMostRemembered = std::size_t{1} << 18;

// Limits are those of a session, whatever it took over.
bool is_of_calls(const Finding& f) {
    return f.first_step > 0 && f.first_call_id != 0 && !f.rule.starts_with("budget/");
}

// A loop that went on in the fork is another one.
std::uint64_t key_of(const Finding& f) {
    return stable_hash(fmt::format("{}\n{:x}\n{:x}\n{}\n{}", f.rule, f.first_call_id, f.pattern_key, f.repeats,
                                   f.last_step - f.first_step));
}

}  // namespace

void CopiedFindings::see(const Finding& f, bool shares) {
    if (!is_of_calls(f)) return;
    const std::uint64_t key = key_of(f);
    const auto known = shares_.find(key);
    if (known != shares_.end() && (shares || known->second)) {
        ++copies_;
    } else if (known != shares_.end() || shares_.size() < kMostRemembered) {
        shares_[key] |= shares;
    }
}

void CopiedFindings::tell(std::vector<Note>& notes) const {
    if (copies_ == 0) return;
    notes.push_back(
        {Severity::info,
         fmt::format("{} finding{} in history that sessions share: listed for each of them, tokens count once",
                     detectors::grouped(copies_), copies_ == 1 ? " stands once more" : "s stand once more")});
}

}  // namespace agent_audit
