#pragma once

#include "cli/arguments/arguments.hpp"

#include <agent_audit/advice/session_memory.hpp>
#include <agent_audit/report/renderer.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::cli {

/// One recording that is read more than once: standard input is kept in a temporary file without a name.
class SessionInput {
public:
    /// "-" is standard input. An Error when it cannot be kept.
    static Result<SessionInput> open(const std::string& operand);
    SessionInput(SessionInput&& other) noexcept;
    SessionInput& operator=(SessionInput&&) = delete;
    SessionInput(const SessionInput&) = delete;
    ~SessionInput();

    /// To read from; standard input then begins anew.
    const std::string& path() const;
    const std::string& name() const { return name_; }  ///< to speak of

private:
    SessionInput(std::string path, std::string name, int fd)
        : path_(std::move(path)), name_(std::move(name)), fd_(fd) {}

    std::string path_, name_;
    int fd_ = -1;
};

/// What is said of a folder where one session is meant, which is wrong usage; nothing of all else, be it missing.
std::optional<std::string> folder_for_session(const std::string& operand, std::string_view taker);

/// none, secrets or strict.
std::optional<Redact> redact_from(const std::string& word);
/// Takes secrets out of texts; null for Redact::none.
advice::SessionMemory::TextFilter text_filter(Redact level);

/// A whole number from `least` on.
std::optional<std::uint64_t> number_from(const std::string& word, std::uint64_t least);

}  // namespace agent_audit::cli
