#pragma once

#include <agent_audit/support/result.hpp>

#include <memory>
#include <string_view>

namespace re2 {
class RE2;
}

namespace agent_audit {

/// Why an expression with a backspace in it is refused: nobody looks for one, and the word edge \b becomes one in the
/// double quotes of TOML. Empty where there is none.
std::string_view backspace_fault(std::string_view expression);

/// A regular expression of a user (RE2: linear time whatever the text). Text that is no UTF-8 matches byte by byte or
/// not at all, and never fails.
class Pattern {
public:
    /// The error says what is wrong with the expression. An empty one is an error.
    static Result<Pattern> make(std::string_view expression);
    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();

    bool found_in(std::string_view text) const;

private:
    explicit Pattern(std::unique_ptr<re2::RE2> compiled);

    std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace agent_audit
