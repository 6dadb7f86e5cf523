#include "cli/evidence/remote_flags.hpp"

#include "cli/terminal/terminal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace agent_audit::cli {
namespace {

std::optional<std::uint64_t> whole(std::string_view text, std::uint64_t most) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || at != end || value > most) return std::nullopt;
    return value;
}

// "$0.50" as money; never through binary fractions.
std::optional<Money> dollars(std::string_view text) {
    if (!text.starts_with('$')) return std::nullopt;
    text.remove_prefix(1);
    const std::size_t dot = std::min(text.find('.'), text.size());
    constexpr std::uint64_t kMostDollars = 1'000'000, kMicro = 1'000'000;
    constexpr std::size_t kDigits = 6;
    const auto units = whole(text.substr(0, dot), kMostDollars);
    std::string digits(text.substr(std::min(dot + 1, text.size())));
    if (!units || digits.size() > kDigits) return std::nullopt;
    digits.resize(kDigits, '0');
    const auto micro = whole(digits, kMicro);
    if (!micro) return std::nullopt;
    return Money((*units * kMicro + *micro) * kMicro);
}

Error wrong(const RemoteFlags& flags, std::string_view flag, const std::string& value, std::string_view expected) {
    return {fmt::format("--{}-{} = \"{}\": {}", flags.name, flag, value, expected)};
}

}  // namespace

Result<std::optional<remote::EndpointSettings>> endpoint_settings(const RemoteFlags& flags, const ModelTable& models) {
    using Settings = std::optional<remote::EndpointSettings>;
    if (flags.url.empty()) {
        const bool lonely = !(flags.model.empty() && flags.key_env.empty() && flags.cache_dir.empty() &&
                              flags.timeout_s.empty() && flags.budget.empty());
        if (lonely) return Error{fmt::format("--{0}-url is missing: without it no {0} is asked", flags.name)};
        return Settings();
    }
    remote::EndpointSettings out;
    out.purpose = flags.name;
    const auto url = remote::operation_url(flags.url, flags.operation);
    if (!url) return wrong(flags, "url", flags.url.find('@') == flags.url.npos ? flags.url : "…", url.error().message);
    out.url = *url;
    if (flags.model.empty()) return Error{fmt::format("--{0}-model is missing: which model is the {0}?", flags.name)};
    out.model = flags.model;
    out.cache_dir = flags.cache_dir;
    if (!flags.key_env.empty()) {
        const char* key = std::getenv(flags.key_env.c_str());
        if (key == nullptr || *key == '\0') {
            return wrong(flags, "key-env", flags.key_env, "this environment variable is not set");
        }
        out.key = key;
        // A line break would begin a header of its own.
        for (const char c : out.key) {
            if (c <= ' ' || c == 0x7F) return wrong(flags, "key-env", flags.key_env, "its value is no key");
        }
    }
    if (!flags.timeout_s.empty()) {
        constexpr std::uint64_t kMostSeconds = 3600;
        const auto seconds = whole(flags.timeout_s, kMostSeconds);
        if (!seconds || *seconds == 0) return wrong(flags, "timeout", flags.timeout_s, "expected seconds, 1 to 3600");
        out.timeout = std::chrono::seconds(*seconds);
    }
    const ModelInfo* known = models.find(out.model);
    if (!flags.budget.empty()) {
        constexpr std::uint64_t kMostCalls = 1'000'000;
        if (const auto money = dollars(flags.budget)) {
            if (known == nullptr || !known->prices) {
                return wrong(flags, "budget", flags.budget,
                             "the price of " + out.model + " is not known; give a number of calls, or --prices");
            }
            out.max_cost = *money;
        } else if (const auto calls = whole(flags.budget, kMostCalls)) {
            out.max_calls = *calls;
        } else {
            return wrong(flags, "budget", flags.budget, "expected a number of calls, or dollars such as $0.50");
        }
    }
    if (known != nullptr && known->prices) {
        out.price = [known](std::uint64_t prompt, std::uint64_t output) {
            BilledTokens tokens;
            tokens.input = prompt;
            tokens.output = output;
            return cost(*known, tokens);
        };
    }
    return Settings(std::move(out));
}

void warn_about(const remote::EndpointSettings& settings) {
    if (!remote::is_open_to_others(settings.url)) return;
    complain(remote::shown_url(settings.url) + " is not encrypted: others on the way can read what is sent" +
             (settings.key.empty() ? "" : ", and the key"));
}

}  // namespace agent_audit::cli
