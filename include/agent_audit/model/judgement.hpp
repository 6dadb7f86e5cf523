#pragma once

#include <agent_audit/model/money.hpp>
#include <agent_audit/model/severity.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a model on the other side of an endpoint had to say. Nothing of it exists in a run that names no endpoint.
namespace agent_audit {

/// What became of a question to the judge.
enum class JudgeVerdict : std::uint8_t {
    confirmed,  ///< the judge sees it too
    denied,     ///< the judge sees progress: a warning becomes an info; an error, which rests on exact facts, stays one
    added,      ///< only an info by our rules; the judge's word makes it a warning
    unanswered  ///< no usable answer: nothing changes
};
constexpr std::string_view name(JudgeVerdict verdict) {
    switch (verdict) {
        case JudgeVerdict::confirmed: return "confirmed";
        case JudgeVerdict::denied: return "denied";
        case JudgeVerdict::added: return "added";
        case JudgeVerdict::unanswered: return "unanswered";
    }
    return "unanswered";
}

/// The judge's word on one finding. Texts are the model's, which had read the transcript: hostile like the transcript.
struct Judgement {
    JudgeVerdict verdict = JudgeVerdict::unanswered;
    Severity severity_before = Severity::info;
    std::string reason;                     ///< of unanswered: why there is no answer
    std::vector<std::string> suggestions;   ///< at most 8
    std::vector<std::string> next_actions;  ///< at most 8
    bool cached = false;                    ///< the same question had been answered before
};

/// What an endpoint was asked in this run, and what that cost.
struct RemoteUse {
    std::string purpose;   ///< judge, embeddings
    std::string endpoint;  ///< without user, password, query
    std::string model;
    std::uint64_t questions = 0;                         ///< things to be asked
    std::uint64_t calls = 0;                             ///< requests sent, repeated ones included
    std::uint64_t cached = 0;                            ///< answered from the cache
    std::uint64_t failed = 0;                            ///< got no usable answer
    std::uint64_t not_asked = 0;                         ///< the budget was spent, or the endpoint had failed too often
    std::uint64_t prompt_tokens = 0, output_tokens = 0;  ///< as the endpoint counts them; 0: it does not say
    std::optional<Money> cost;                           ///< nothing: no known price
    std::string problem;                                 ///< the first one; empty: none
};

}  // namespace agent_audit
