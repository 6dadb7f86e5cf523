#pragma once

#include "config/pattern.hpp"

#include <agent_audit/config/suppression.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/support/result.hpp>

#include <optional>
#include <string_view>

namespace agent_audit {

/// The conditions of one suppression, compiled.
class SuppressionMatch {
public:
    /// `folder`, absolute, is where relative paths hold from, besides the working directory; empty = nowhere else.
    static Result<SuppressionMatch> make(const FindingMatch& what, std::string_view folder = {});

    /// What it asks of the session holds: id, project, path of the recording.
    bool fits_session(const SessionReport& session, std::string_view path) const;
    bool fits(const Finding& finding, const SessionReport& session, std::string_view path) const;

private:
    bool fits_path(std::string_view path) const;
    bool fits_call(const FindingCall& call) const;

    FindingMatch what_;
    std::string folder_;
    std::optional<Pattern> command_;
};

/// Glob over a whole path: * and ? within one part, ** over parts; without a slash, over the last part.
bool path_matches(std::string_view glob, std::string_view path);

}  // namespace agent_audit
