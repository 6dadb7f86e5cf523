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

inline constexpr std::size_t kMaxRedactRules = 128;

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
    std::string text(std::string_view raw) { return std::string(shown_text(raw)); }
    /// A word that was taken out of `said`: what stood around it there, and may tell that it is a secret, is not with
    /// it.
    std::string word(std::string_view raw, std::string_view said);
    /// A path: home directory as ~; with Redact::strict everything that names a person.
    std::string path(std::string_view raw) { return std::string(shown_path(raw)); }
    /// An input as the user named it: they need it back unchanged, except with Redact::strict.
    std::string input(std::string_view raw) { return std::string(shown_input(raw)); }

    /// The same for what is written at once: what they return is valid until the next call, and as long as `raw`. Most
    /// texts hold nothing to take out, and need no copy.
    std::string_view shown_text(std::string_view raw);
    std::string_view shown_path(std::string_view raw) {
        return level_ == Redact::strict ? shown_text(raw) : at_home(raw);
    }
    std::string_view shown_input(std::string_view raw) { return level_ == Redact::strict ? shown_text(raw) : raw; }

private:
    void apply(std::size_t rule, std::string& text);
    const re2::RE2& compiled(std::size_t rule);
    std::string_view at_home(std::string_view raw);

    Redact level_;
    std::string redacted_, home_;  // the last texts that had something to take out
    std::array<std::unique_ptr<re2::RE2>, kMaxRedactRules> rules_;
};

}  // namespace agent_audit::report
