#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/model/error_class.hpp>
#include <agent_audit/model/text.hpp>
#include <agent_audit/support/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Says why a call failed, from what its result says: by the phrases and codes of error_defaults(), and by the patterns
/// of the user. Those are compiled when the first call of the run fails, once for all threads.
class ErrorClassifier {
public:
    ErrorClassifier();  ///< the defaults alone
    ~ErrorClassifier();
    ErrorClassifier(const ErrorClassifier&) = delete;
    ErrorClassifier& operator=(const ErrorClassifier&) = delete;

    /// The defaults with what `errors.*` adds to them or, where a value begins with =, puts in their place. A pattern
    /// that is no RE2 and a code that is none are errors that name their origin.
    static Result<std::shared_ptr<const ErrorClassifier>> make(const Settings& settings);

    /// What failed: a check that counts its failures ("1 failed") waited in vain for what the code does not do, and
    /// will do so again until that is changed; of anything else it is a transient error that the time was up.
    enum class Of : std::uint8_t { anything, red_check };

    /// Looks at the beginning and the end of the text: that is where errors stand.
    ErrorClass classify(RawText text, Of what = Of::anything) const;

    /// Hash of what classify() looks at: equal texts are of equal class.
    static std::uint64_t hash(RawText text);

    /// True once something was compiled; for tests.
    bool compiled() const { return compiled_ != nullptr; }

private:
    struct Pattern {
        std::size_t row;  ///< of error_defaults(): the lowest one that matches decides
        std::string text;
    };
    struct Compiled;
    struct Verdict;

    const Compiled& compile() const;
    void consider(std::string_view window, Verdict& verdict) const;

    std::vector<Pattern> patterns_;         // of the user
    std::uint8_t default_rows_ = 0;         // whose phrases hold, a bit each
    std::array<ErrorClass, 1000> codes_{};  // by number; none = no code
    mutable std::once_flag once_;
    mutable std::unique_ptr<const Compiled> compiled_;
};

}  // namespace agent_audit::detectors
