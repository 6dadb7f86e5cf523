#include <agent_audit/simulator/gemini.hpp>

#include "simulator/js_text.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace agent_audit::simulator::gemini {
namespace {

bool calls(const Content& content) {
    return std::any_of(content.parts.begin(), content.parts.end(), [](const Part& part) { return part.calls; });
}
bool responds(const Content& content) {
    return std::any_of(content.parts.begin(), content.parts.end(), [](const Part& part) { return part.responds; });
}

/// Responses to one answer are parts of one message there; in a history as it was recorded they are so already.
std::uint64_t units_at(const History& history, std::size_t i) {
    constexpr std::uint64_t kFrame =
        std::string_view(R"({"role":"user","parts":[]})").size() - 1;  // a comma takes its place
    const bool joined = i > 0 && !history[i]->json && responds(*history[i]) && responds(*history[i - 1]);
    return history[i]->json_units - (joined ? kFrame : 0);
}

ContentPtr spoken(std::string_view role, std::string_view words) {
    JsValue part = JsValue::object({{"text", words}});
    return content_of(
        std::make_shared<const JsValue>(JsValue::object({{"role", role}, {"parts", JsValue::Array{std::move(part)}}})));
}

}  // namespace

std::string_view status_name(Status status) {
    static constexpr std::array<std::string_view, 6> kNames{"NOOP",
                                                            "CONTENT_TRUNCATED",
                                                            "COMPRESSED",
                                                            "COMPRESSION_FAILED_EMPTY_SUMMARY",
                                                            "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT",
                                                            "COMPRESSED"};
    return kNames[static_cast<std::size_t>(status)];
}

std::size_t split_point(const History& history, double fraction) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < history.size(); ++i) total += units_at(history, i);
    const double target = static_cast<double>(total) * fraction;
    std::size_t last = 0;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
        if (history[i]->user && !responds(*history[i])) {
            if (static_cast<double>(seen) >= target) return i;
            last = i;
        }
        seen += units_at(history, i);
    }
    const bool answered = !history.empty() && history.back()->model && !calls(*history.back());
    return answered ? history.size() : last;
}

Compression decide_compression(const History& history, double last_prompt_tokens, const CompressionSettings& settings,
                               const FileNamer& file) {
    Compression out;
    if (history.empty()) return out;
    out.original_tokens = out.new_tokens = last_prompt_tokens;
    if (!settings.force && last_prompt_tokens < settings.threshold * settings.limit) return out;

    History truncated = truncate_to_budget(history, settings.output_chars, file);
    if (settings.failed_before && !settings.force) {
        const auto after = static_cast<double>(tokens(truncated));
        if (after >= last_prompt_tokens) return out;
        out.status = Status::truncated;
        out.new_tokens = after;
        out.history = std::move(truncated);
        return out;
    }
    out.split = split_point(truncated, 1 - settings.preserve);
    if (out.split == 0) return out;
    out.status = Status::split;
    const History head(history.begin(), history.begin() + static_cast<std::ptrdiff_t>(out.split));
    out.summarise_original = static_cast<double>(tokens(head)) < settings.limit;
    out.history = std::move(truncated);
    return out;
}

Compression finish_compression(const Compression& decided, std::string_view summary, std::uint64_t extra_tokens) {
    Compression out = decided;
    if (decided.status != Status::split || !decided.history) return out;
    out.history.reset();
    summary = js_trim(summary);
    if (summary.empty()) {
        out.status = Status::failed_empty;
        return out;
    }
    History after{spoken("user", summary), spoken("model", "Got it. Thanks for the additional context!")};
    after.insert(after.end(), decided.history->begin() + static_cast<std::ptrdiff_t>(decided.split),
                 decided.history->end());
    out.new_tokens = static_cast<double>(tokens(after) + extra_tokens);
    out.status = out.new_tokens > out.original_tokens ? Status::failed_inflated : Status::compressed;
    if (out.status == Status::compressed) out.history = std::move(after);
    return out;
}

}  // namespace agent_audit::simulator::gemini
