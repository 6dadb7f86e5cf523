#pragma once

#include "report/words/finding_words.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::report {

/// Bytes as part of a URI: everything but unreserved characters and / is percent-encoded.
std::string uri_encoded(std::string_view path);

/// Inputs as URIs relative to few bases, so that a result says nothing about the machine it was made on.
class InputUris {
public:
    static constexpr std::string_view kWorkingDirectory =
        "%SRCROOT%";  ///< the name that services resolve to a checkout
    static constexpr std::string_view kElsewhere = "%INPUTROOT%";

    InputUris(const Report& report, FindingWords& words);

    const std::string& uri(std::size_t input) const { return uris_[input]; }
    std::string_view base(std::size_t input) const { return outside_[input] ? kElsewhere : kWorkingDirectory; }
    /// A file that is no input, relative to the working directory; one from elsewhere by its name alone.
    std::string beside(std::string_view path);
    bool uses_working_directory() const { return uses_working_directory_; }
    bool uses_elsewhere() const { return uses_elsewhere_; }
    /// The folder that everything outside of the working directory has in common, with a / at its end; may be empty.
    const std::string& elsewhere() const { return elsewhere_; }

private:
    std::vector<std::string> uris_;
    std::vector<bool> outside_;
    std::string elsewhere_;
    bool uses_working_directory_ = false;
    bool uses_elsewhere_ = false;
};

}  // namespace agent_audit::report
