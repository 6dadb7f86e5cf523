#include "config/pattern.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

namespace agent_audit {

Pattern::Pattern(std::unique_ptr<re2::RE2> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

std::string_view backspace_fault(std::string_view expression) {
    return expression.find('\b') == expression.npos ? std::string_view()
                                                    : "has a backspace in it, which is what \\b is in double quotes; "
                                                      "in 'single quotes' a backslash is a backslash";
}

Result<Pattern> Pattern::make(std::string_view expression) {
    if (expression.empty()) return Error{"expected a regular expression (RE2)"};
    if (const std::string_view fault = backspace_fault(expression); !fault.empty())
        return Error{fmt::format("\"{}\": {}", expression, fault)};
    auto compiled = std::make_unique<re2::RE2>(re2::StringPiece(expression.data(), expression.size()),
                                               re2::RE2::Options(re2::RE2::Quiet));
    if (!compiled->ok())
        return Error{fmt::format("\"{}\": not a regular expression (RE2): {}", expression, compiled->error())};
    return Pattern(std::move(compiled));
}

bool Pattern::found_in(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace agent_audit
