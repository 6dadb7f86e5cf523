#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/model/error_class.hpp>
#include <agent_audit/model/text.hpp>
#include <agent_audit/support/result.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// The words and codes by which errors of one class are known, as they stand in the program. One table: the classifier
/// and the reference pages read it.
struct ErrorDefaults {
    ErrorClass error;
    std::string_view key;  ///< settings: errors.<key> takes patterns, errors.<key>-codes takes codes
    std::string_view what;
    std::span<const std::string_view> patterns;  ///< RE2, whatever the case
    std::span<const std::uint16_t> codes;        ///< as in HTTP
};

/// In the order in which classes are asked: what was said first wins.
std::span<const ErrorDefaults> error_defaults();

/// Says why a call failed, from what its result says. Nothing is compiled before the first error of the run; then the
/// sessions of all threads use the same.
class ErrorClassifier {
public:
    ErrorClassifier();
    ~ErrorClassifier();
    ErrorClassifier(const ErrorClassifier&) = delete;
    ErrorClassifier& operator=(const ErrorClassifier&) = delete;

    /// The defaults with what `errors.*` adds to them or, where a value begins with =, puts in their place. A pattern
    /// that is no RE2 and a code that is none are errors that name their origin.
    static Result<std::shared_ptr<const ErrorClassifier>> make(const Settings& settings);

    /// Looks at the beginning and the end of the text: that is where errors stand.
    ErrorClass classify(RawText text) const;

    /// Hash of what classify() looks at: equal texts are of equal class.
    static std::uint64_t hash(RawText text);

    /// True once something was compiled; for tests.
    bool compiled() const { return compiled_ != nullptr; }

private:
    struct Pattern {
        ErrorClass error;
        int rank;  ///< the lowest one that matches decides
        std::string text;
    };
    struct Compiled;

    const Compiled& compile() const;
    void consider(std::string_view window, int& rank, ErrorClass& error) const;

    std::vector<Pattern> patterns_;
    std::array<ErrorClass, 1000> codes_{};  // by number; none = no code
    mutable std::once_flag once_;
    mutable std::unique_ptr<const Compiled> compiled_;
};

}  // namespace agent_audit::detectors
