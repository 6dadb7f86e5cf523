#pragma once

#include <agent_audit/config/saved_findings.hpp>
#include <agent_audit/model/severity.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace agent_audit::cli {

/// What became of a finding while its session was written on.
struct WatchedChange {
    enum class Kind : std::uint8_t { found, worse, milder, gone };
    Kind kind = Kind::found;
    SavedFinding finding;         ///< as it stands now; one that is gone as it stood before
    std::string severity_before;  ///< of worse and milder only
};

std::string_view name(WatchedChange::Kind kind);

/// The findings that stand in files that are read again and again.
class WatchedFindings {
public:
    /// Takes what was found in the files of `read`, and says what is different now, in the order of `now`. What stands
    /// in other files stands on.
    std::vector<WatchedChange> take(const std::vector<SavedFinding>& now, const std::vector<std::string>& read);

    std::size_t count(Severity severity) const;
    bool any_from(Severity least) const;

private:
    // Its file, rule and fingerprint: lines and words change while a loop goes on.
    using Key = std::tuple<std::string, std::string, std::string>;
    std::map<Key, SavedFinding> standing_;
};

}  // namespace agent_audit::cli
