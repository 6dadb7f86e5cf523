#include <agent_audit/remote/endpoint.hpp>

#include "remote/cache_file.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <thread>

namespace agent_audit::remote {
namespace {

constexpr std::size_t kMostKnownBytes = 64u << 20;

bool is_worth_another_try(int status) { return status == 429 || (status >= 500 && status <= 599); }

std::string status_problem(int status) {
    if (status >= 300 && status <= 399) return "HTTP status " + std::to_string(status) + ": redirects are not followed";
    return "HTTP status " + std::to_string(status);
}

}  // namespace

Endpoint::Endpoint(EndpointSettings settings, Transport transport, Sleep sleep)
    : settings_(std::move(settings)), transport_(std::move(transport)), sleep_(std::move(sleep)) {
    if (!sleep_) sleep_ = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
    use_.purpose = settings_.purpose;
    use_.endpoint = shown_url(settings_.url);
    use_.model = settings_.model;
}

bool Endpoint::may_call(std::size_t question_bytes) const {
    constexpr std::size_t kBytesPerToken = 4;
    if (use_.calls >= settings_.max_calls) return false;
    if (!settings_.max_cost) return true;
    Money after = use_.cost.value_or(Money{});
    if (after.parts() >= settings_.max_cost->parts()) return false;
    if (const auto next =
            settings_.price ? settings_.price(question_bytes / kBytesPerToken, longest_answer_) : std::nullopt)
        after += *next;
    return after.parts() <= settings_.max_cost->parts();
}

std::optional<std::string> Endpoint::recall(const std::string& key, const Check& check) {
    AnswerUsage usage;
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
    if (settings_.cache_dir.empty()) return std::nullopt;
    auto body = read_cache_file(settings_.cache_dir, key, settings_.max_answer);
    // A file that someone damaged or wrote himself is an answer like any other: it must be usable.
    if (!body || !check(*body, usage).empty()) return std::nullopt;
    return body;
}

void Endpoint::remember(const std::string& key, const std::string& body) {
    if (known_bytes_ + body.size() <= kMostKnownBytes) {
        known_bytes_ += body.size();
        known_.emplace(key, body);
    }
    if (!settings_.cache_dir.empty() && !write_cache_file(settings_.cache_dir, key, body) && use_.problem.empty()) {
        use_.problem = "the cache cannot be written: " + settings_.cache_dir;
    }
}

Endpoint::Answer Endpoint::try_to_ask(const std::string& question, const Check& check) {
    Answer out;
    constexpr std::chrono::milliseconds kFirstWait{500};
    std::chrono::milliseconds wait = kFirstWait;
    for (int attempt = 1;; ++attempt) {
        if (!may_call(question.size())) {
            if (out.problem.empty()) {
                out.problem =
                    may_call(0) ? "the rest of the budget does not pay for this question" : "the budget is spent";
                out.asked = false;
            }
            return out;
        }
        ++use_.calls;
        HttpAnswer answer =
            transport_({settings_.url, question, settings_.key, settings_.timeout, settings_.max_answer});
        if (answer.status == 200) {
            AnswerUsage usage;
            out.problem = check(answer.body, usage);
            // Paid for, usable or not.
            use_.prompt_tokens += usage.prompt_tokens;
            use_.output_tokens += usage.output_tokens;
            longest_answer_ = std::max(longest_answer_, usage.output_tokens);
            const auto price =
                settings_.price ? settings_.price(usage.prompt_tokens, usage.output_tokens) : std::nullopt;
            if (price) {
                use_.cost = use_.cost.value_or(Money{});
                *use_.cost += *price;
            }
            if (out.problem.empty()) out.body = std::move(answer.body);
            return out;
        }
        out.problem = answer.status == 0 ? answer.problem : status_problem(answer.status);
        if (!is_worth_another_try(answer.status) || attempt >= settings_.tries) return out;
        sleep_(std::clamp(answer.retry_after.value_or(wait), std::chrono::milliseconds{0}, settings_.max_wait));
        wait *= 4;
    }
}

Endpoint::Answer Endpoint::ask(const std::string& question, const Check& check) {
    ++use_.questions;
    const std::string key = fingerprint_hex(settings_.url + '\n' + question);
    if (auto known = recall(key, check)) {
        ++use_.cached;
        return {std::move(*known), {}, true, true};
    }
    Answer out;
    if (failures_ >= settings_.max_failures) {
        out = {{}, "not asked any more, after " + std::to_string(failures_) + " failures in a row", false, false};
    } else {
        out = try_to_ask(question, check);
        if (out.asked) failures_ = out.problem.empty() ? 0 : failures_ + 1;
    }
    if (out.problem.empty()) {
        remember(key, out.body);
        return out;
    }
    if (use_.problem.empty()) use_.problem = out.problem;
    ++(out.asked ? use_.failed : use_.not_asked);
    return out;
}

}  // namespace agent_audit::remote
