#pragma once

#include <agent_audit/advice/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

// Words of a recording as they may stand in a prompt: no text of it can leave the place where it is put.

namespace agent_audit::advice::prompt {

/// Length of the longest row of one character.
std::size_t longest_run(std::string_view text, char of);

/// A text without the marks of chat templates, which are only letters to a reader, and may be more to a model.
std::string unmarked(std::string text);

/// What a recording says, redacted and cut to so many characters, and where it says it.
class Words {
public:
    using Redact = std::function<std::string(std::string_view)>;
    /// `redact` may be empty; it must outlive the words. `counts_records`: the lines are numbers of records.
    explicit Words(const Redact& redact, bool counts_records = false)
        : redact_(redact), noun_(counts_records ? "record" : "line") {}

    /// Redacted and without controls, as many lines as it has.
    std::string safe(std::string_view text) const;
    std::string line_of(std::string_view text, std::size_t chars) const;
    /// The same as a code span.
    std::string span_of(std::string_view text, std::size_t chars) const;
    /// What a person wrote, each line marked: no line of it can pass for one of ours.
    std::string block_quote(std::string_view text, std::size_t chars) const;
    /// An item of a list: a text in quotation marks, and its place.
    std::string quoted(const Quote& q, std::size_t chars = 260) const;

    /// The arguments of a call.
    std::string call_of(std::string_view call) const;
    /// A check, and the folder in which it ran unless the command says it.
    std::string check_of(const std::string& command, const std::string& directory, std::size_t chars) const;
    /// An item of a list: the tool, the call, and behind it what `how` says, all within 240 characters.
    std::string failure(const Failure& f, const std::string& how) const;
    /// "failed 3 times (timeout error)"
    static std::string how_often(const Failure& f, bool with_class);

    /// "line 9", or "record 9" where those are counted.
    std::string line(std::uint64_t line) const;
    std::string place(std::uint32_t turn, std::uint64_t line) const;
    std::string lines(std::uint64_t first, std::uint64_t last) const;
    static std::string times(std::uint64_t n, std::string_view what);

private:
    const Redact& redact_;
    std::string_view noun_;
};

}  // namespace agent_audit::advice::prompt
