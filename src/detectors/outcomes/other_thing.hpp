#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Do two arguments name things that have nothing to do with each other, in whatever is not the same in both: docs/a.md
/// and README.md, repos/acme/pump and repos/delta/valve? Not manual.pdf and manual-x2.pdf, which are guesses at one
/// thing, and not numbers that count on.
bool names_another(std::string_view one, std::string_view other);

/// Two addresses of one site, or of guesses at its name: docs.acme.example, acme.test. Also where one of them is none.
bool same_site(std::string_view one, std::string_view other);

}  // namespace agent_audit::detectors
