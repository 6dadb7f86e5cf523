#include "pipeline/audit/copied_findings.hpp"

#include "detectors/engine/context_words.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

namespace agent_audit {

// The loop may have gone on in the session that has more of it. What is not about a call has a pattern.
std::uint64_t CopiedFindings::key_of(const Finding& f) {
    return mix_hash(stable_hash(f.rule), f.first_call_id != 0 ? f.first_call_id : f.pattern_key);
}

void CopiedFindings::see(const Finding& f, std::uint64_t recording) {
    if (seen_.size() >= kMostRemembered) return;
    const auto [known, fresh] = seen_.try_emplace(key_of(f), recording);
    if (!fresh && known->second != recording) known->second = kSeveral;
}

bool CopiedFindings::drops(const Finding& f, std::uint64_t recording) {
    // Limits are those of a session, whatever it took over.
    if (f.rule.starts_with("budget/")) return false;
    const auto known = seen_.find(key_of(f));
    if (known == seen_.end()) return false;
    const bool same = known->second == recording;
    ++(same ? listed_ : dropped_);
    return !same;
}

void CopiedFindings::tell(std::vector<Note>& notes) const {
    const auto note = [&](std::uint64_t count, std::string_view what) {
        if (count == 0) return;
        notes.push_back(
            {Severity::info, fmt::format("{} finding{} once more in history that sessions share: {}",
                                         detectors::grouped(count), count == 1 ? " stands" : "s stand", what)});
    };
    note(listed_, "listed for each of them, tokens count once");
    note(dropped_, "listed once, where it counts");
}

}  // namespace agent_audit
