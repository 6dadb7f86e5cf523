#include "cli/results/watched.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace agent_audit::cli {
namespace {

Severity severity_of(const SavedFinding& f) { return severity_from(f.severity).value_or(Severity::error); }

}  // namespace

std::string_view name(WatchedChange::Kind kind) {
    switch (kind) {
        case WatchedChange::Kind::found: return "found";
        case WatchedChange::Kind::worse: return "worse";
        case WatchedChange::Kind::milder: return "milder";
        case WatchedChange::Kind::gone: return "gone";
    }
    return "found";
}

std::vector<WatchedChange> WatchedFindings::take(const std::vector<SavedFinding>& now,
                                                 const std::vector<std::string>& read) {
    using Kind = WatchedChange::Kind;
    std::vector<WatchedChange> changes;
    std::set<Key> met;
    for (const SavedFinding& f : now) {
        Key key(f.path, f.rule, f.id);
        const auto known = standing_.find(key);
        if (known == standing_.end()) {
            changes.push_back({Kind::found, f, {}});
        } else if (severity_of(f) != severity_of(known->second)) {
            const bool worse = severity_of(f) > severity_of(known->second);
            changes.push_back({worse ? Kind::worse : Kind::milder, f, known->second.severity});
        }
        standing_[key] = f;
        met.insert(std::move(key));
    }
    const std::set<std::string> files(read.begin(), read.end());
    std::erase_if(standing_, [&](const auto& entry) {
        if (!files.contains(entry.second.path) || met.contains(entry.first)) return false;
        changes.push_back({Kind::gone, entry.second, {}});
        return true;
    });
    return changes;
}

std::size_t WatchedFindings::count(Severity severity) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(standing_, [&](const auto& entry) { return severity_of(entry.second) == severity; }));
}

bool WatchedFindings::any_from(Severity least) const {
    return std::ranges::any_of(standing_, [&](const auto& entry) { return severity_of(entry.second) >= least; });
}

}  // namespace agent_audit::cli
