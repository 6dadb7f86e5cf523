#pragma once

#include <agent_audit/remote/endpoint.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit::remote {

/// Takes secrets out of a text. Nothing is sent that did not go through it.
using Redaction = std::function<std::string(std::string_view)>;

/// One message of what is to be summarised.
struct Passage {
    std::string_view role;  ///< a constant
    std::string text;
};

/// Summaries by a model. One question for each compaction.
class Summarizer {
public:
    static constexpr std::size_t kMostPassage = 2'000;     ///< bytes of a tool result, as pi does it
    static constexpr std::size_t kMostSpoken = 8'000;      ///< bytes of what a person or the model wrote
    static constexpr std::size_t kMostQuestion = 600'000;  ///< bytes of all; the middle is left out

    Summarizer(Endpoint& endpoint, Redaction redact) : endpoint_(endpoint), redact_(std::move(redact)) {}

    /// Empty: there is no answer. Never longer than `most_tokens`, at four bytes a token.
    std::string summarise(std::span<const Passage> passages, double tokens, double most_tokens);

private:
    Endpoint& endpoint_;
    Redaction redact_;
};

}  // namespace agent_audit::remote
