#pragma once

#include <agent_audit/model/judgement.hpp>
#include <agent_audit/remote/http.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace agent_audit::remote {

/// How an endpoint is asked. Every number is a bound: no answer, however odd, makes a run wait or grow beyond it.
struct EndpointSettings {
    std::string purpose;  ///< for messages: "judge", "summariser"
    std::string url;      ///< of the operation (operation_url)
    std::string model;
    std::string key;        ///< empty: none is sent
    std::string cache_dir;  ///< answers are kept here from run to run; empty: only during this one
    std::chrono::milliseconds timeout{60'000};
    std::chrono::milliseconds max_wait{10'000};  ///< between two tries, whatever the server asks for
    int tries = 3;                               ///< of one question; only 429 and 5xx are tried again
    int max_failures = 3;                        ///< questions in a row without an answer; then no more are asked
    std::size_t max_answer = 4u << 20;
    std::uint64_t max_calls = UINT64_MAX;  ///< requests of this run, repeated ones included
    /// Of this run. What a question is likely to cost is estimated before it is sent, at four bytes a token and with an
    /// answer as long as the longest so far; a call whose price is unknown counts as nothing.
    std::optional<Money> max_cost;
    std::function<std::optional<Money>(std::uint64_t prompt, std::uint64_t output)> price;  ///< empty: unknown
};

/// What an answer says beside its content.
struct AnswerUsage {
    std::uint64_t prompt_tokens = 0, output_tokens = 0;
};

/// Asks one operation of one server. Equal questions are asked once: what is cached is the answer, by a hash of address
/// and question. Not for several threads at a time.
class Endpoint {
public:
    using Sleep = std::function<void(std::chrono::milliseconds)>;
    Endpoint(EndpointSettings settings, Transport transport, Sleep sleep = {});

    struct Answer {
        std::string body;     ///< empty: there is none
        std::string problem;  ///< why not, for a person
        bool cached = false;
        bool asked = true;  ///< false: the budget is spent, or the endpoint failed too often
    };
    /// Reads an answer: empty when it is usable, else what is wrong with it.
    using Check = std::function<std::string(std::string_view body, AnswerUsage& usage)>;
    Answer ask(const std::string& question, const Check& check);

    const EndpointSettings& settings() const { return settings_; }
    const RemoteUse& use() const { return use_; }

private:
    Answer try_to_ask(const std::string& question, const Check& check);
    std::optional<std::string> recall(const std::string& key, const Check& check);
    void remember(const std::string& key, const std::string& body);
    bool may_call(std::size_t question_bytes) const;

    EndpointSettings settings_;
    Transport transport_;
    Sleep sleep_;
    RemoteUse use_;
    int failures_ = 0;
    std::unordered_map<std::string, std::string> known_;
    std::size_t known_bytes_ = 0;
    std::uint64_t longest_answer_ = 0;  // in tokens, as billed
};

}  // namespace agent_audit::remote
