#pragma once

#include "report/escape/sanitize.hpp"
#include "report/redaction/redact.hpp"
#include "report/text/layout.hpp"

#include <agent_audit/model/report.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace agent_audit::report {

/// How the report for people names what a recording says. All of it is redacted and visible().
class TextWords {
public:
    TextWords(const Report& report, const Page& page) : report_(report), page_(page), redact_(page.options().redact) {}

    std::string text(std::string_view raw) { return visible(redact_.text(raw)); }
    /// The same for a word that was taken out of `said`.
    std::string word(std::string_view raw, std::string_view said) { return visible(redact_.word(raw, said)); }
    std::string path(std::string_view raw) { return visible(redact_.path(raw)); }
    /// Of an input, as the user named it.
    std::string input(std::string_view raw) { return visible(redact_.input(raw)); }

    /// Index into Report::inputs; "?" where there is none.
    std::string path_of(std::size_t input);
    /// In words, as place_words() says it.
    std::string place(const Finding& finding);
    /// Its file, with the folders that tell it from another one of that name, and what tells it from others in there;
    /// cut to the width of a table's first column.
    std::string session(const SessionReport& session);
    /// The label of a sub-agent, else its number.
    std::string lane(const SessionReport& session, std::uint32_t lane);

    /// For words that are put together elsewhere.
    Redactor& redactor() { return redact_; }

    static constexpr std::size_t kNameColumns = 36;  ///< of a session or model in a table

private:
    /// How many parts of an input's path, counted from its end, tell it from all others; npos: only all of them do.
    std::size_t telling_parts(std::size_t input);

    static constexpr std::size_t kTelling = 3;  ///< folders up to which names are told apart, and the file
    const Report& report_;
    const Page& page_;
    Redactor redact_;
    std::array<std::unordered_map<std::string_view, std::size_t>, kTelling> inputs_of_;  ///< by the end of their path
};

}  // namespace agent_audit::report
