#pragma once

#include <agent_audit/report/renderer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace agent_audit::report {

inline constexpr std::size_t kMaxRedactRules = 64;

/// Takes secrets out of texts before they are printed. A rule's expression is compiled when a text first holds
/// one of its marks, so a report without anything secret-looking compiles none. A rule that does not compile
/// withholds the text: failing to redact is never a silent pass.
class Redactor {
public:
    explicit Redactor(Redact level);
    ~Redactor();
    Redactor(const Redactor&) = delete;
    Redactor& operator=(const Redactor&) = delete;

    /// Free text of a transcript: secrets, and the home directory as ~.
    std::string text(std::string_view raw);
    /// A path: home directory as ~; with Redact::strict everything that names a person.
    std::string path(std::string_view raw);
    /// An input as the user named it: they need it back unchanged, except with Redact::strict.
    std::string input(std::string_view raw);

private:
    void apply(std::size_t rule, std::string& text);
    const re2::RE2& compiled(std::size_t rule);

    Redact level_;
    std::array<std::unique_ptr<re2::RE2>, kMaxRedactRules> rules_;
};

}  // namespace agent_audit::report
