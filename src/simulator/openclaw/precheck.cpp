#include <agent_audit/simulator/openclaw.hpp>

#include <agent_audit/simulator/pi.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include "simulator/js_text.hpp"
#include "simulator/openclaw/result.hpp"
#include "simulator/weight.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr std::uint64_t kMessageTokens = 12, kBlockTokens = 6, kImageTokens = 2'000;
constexpr std::uint64_t kTextChars = 4, kJsonChars = 3;
constexpr std::size_t kMaxSummaryChars = 16'000;
constexpr double kMaxReserveShare = 0.25;
constexpr double kCharsPerToken = 4, kRouteSlackChars = 512 * kCharsPerToken;

std::uint64_t up(std::uint64_t chars, std::uint64_t per_token) { return (chars + per_token - 1) / per_token; }

/// Result texts make more tokens than others: at least one for two characters.
std::uint64_t text_tokens(std::uint64_t weighted, std::uint64_t units, bool in_result) {
    const std::uint64_t tokens = up(weighted, kTextChars);
    return in_result ? std::max(up(units, 2), tokens) : tokens;
}

std::uint64_t json_tokens(const JsValue& value, std::uint64_t per_token) {
    return up(weigh(value.stringify()), per_token);
}

/// A value where texts or blocks should be.
std::uint64_t odd_tokens(const JsValue& value, std::uint64_t per_token, bool in_result) {
    const std::string json = value.stringify();
    const std::uint64_t tokens = up(weigh(json), per_token);
    return in_result ? std::max(up(utf16_length(json), 2), tokens) : tokens;
}

std::uint64_t name_tokens(const JsValue& name) {
    if (name.string()) return up(weigh(*name.string()), kJsonChars);
    return name.is_nullish() ? 0 : json_tokens(name, kJsonChars);
}

std::uint64_t call_tokens(const JsValue& call) {
    const JsValue* args = nullptr;
    for (const char* name : {"arguments", "input", "args"}) {
        if (!args && !call[name].is_nullish()) args = &call[name];
    }
    return kBlockTokens + (args ? json_tokens(*args, kJsonChars) : up(2, kJsonChars)) + name_tokens(call["name"]);
}

std::uint64_t call_tokens(const Block& call) {
    const std::uint64_t args = call.args == ArgsState::present ? call.text.weighted() : 2;
    return kBlockTokens + up(weigh(call.name), kJsonChars) + up(args, kJsonChars);
}

bool is_tool_use(const Block& block) {
    if (block.kind != BlockKind::other || !block.json) return false;
    const auto* type = (*block.json)["type"].string();
    return type && *type == "tool_use";
}

std::uint64_t block_tokens(const Block& block, bool in_result) {
    if ((block.kind == BlockKind::text || block.kind == BlockKind::thinking) && block.has_text) {
        return kBlockTokens + text_tokens(block.text.weighted(), block.text.units(), in_result);
    }
    if (block.kind == BlockKind::image) return kImageTokens;
    if (block.json && block.json->string()) {
        const Text words(*block.json->string());
        return text_tokens(words.weighted(), words.units(), in_result);
    }
    if (block.json && !block.json->is_object()) return odd_tokens(*block.json, kTextChars, in_result);
    const std::string json = json_of(block).stringify();
    return kBlockTokens + text_tokens(weigh(json), utf16_length(json), in_result);
}

std::uint64_t assistant_tokens(const Msg& message) {
    std::uint64_t tokens = 0;
    for (const Block& block : message.blocks) {
        if (block.pi_call) {
            tokens += block.args == ArgsState::present || !block.json ? call_tokens(block) : call_tokens(*block.json);
        } else {
            tokens += is_tool_use(block) ? call_tokens(*block.json) : block_tokens(block, false);
        }
    }
    return tokens;
}

/// The calls that other programs write beside the content of an answer.
std::uint64_t calls_beside(const Msg& message) {
    if (!message.json) return 0;
    const JsValue& calls = (*message.json)[(*message.json)["toolCalls"].is_nullish() ? "tool_calls" : "toolCalls"];
    if (!calls.array()) return 0;
    std::uint64_t tokens = 0;
    for (const JsValue& call : *calls.array())
        tokens += call.is_object() ? call_tokens(call) : json_tokens(call, kJsonChars);
    return tokens;
}

std::uint64_t content_tokens(const Msg& message, bool in_result) {
    if (message.shape == ContentShape::absent || message.shape == ContentShape::odd) {
        const JsValue* content = message.json ? message.json->find("content") : nullptr;
        return content ? odd_tokens(*content, in_result ? kTextChars : kJsonChars, in_result) : 0;
    }
    if (message.shape == ContentShape::text) {
        return text_tokens(message.blocks[0].text.weighted(), message.blocks[0].text.units(), in_result);
    }
    std::uint64_t tokens = 0;
    for (const Block& block : message.blocks) tokens += block_tokens(block, in_result);
    return tokens;
}

/// A person's command as it is told to the model.
std::uint64_t bash_tokens(const Msg& message) {
    std::uint64_t weighted = std::string_view("Ran ``\n").size() + message.blocks[0].text.weighted();
    const Text& output = message.blocks[1].text;
    weighted += output.empty() ? std::string_view("(no output)").size()
                               : std::string_view("```\n\n```").size() + output.weighted();
    if (!message.json) return up(weighted, kTextChars);
    const JsValue& json = *message.json;
    if (json["cancelled"].truthy()) {
        weighted += std::string_view("\n\n(command cancelled)").size();
    } else if (const auto* code = json["exitCode"].number(); code && *code != 0) {
        weighted += std::string_view("\n\nCommand exited with code ").size() + js_number(*code).size();
    }
    if (const auto* path = json["fullOutputPath"].string(); path && !path->empty() && json["truncated"].truthy()) {
        weighted += std::string_view("\n\n[Output truncated. Full output: ]").size() + weigh(*path);
    }
    return up(weighted, kTextChars);
}

std::uint64_t summary_tokens(const Msg& message) {
    constexpr std::uint64_t kCompactionFrame =
        std::string_view(
            "The conversation history before this point was compacted into the following summary:\n\n"
            "<summary>\n\n</summary>")
            .size();
    constexpr std::uint64_t kBranchFrame =
        std::string_view(
            "The following is a summary of a branch that this conversation came back from:\n\n"
            "<summary>\n</summary>")
            .size();
    const std::uint64_t frame = message.role == Role::branch_summary ? kBranchFrame : kCompactionFrame;
    return up(frame + message.blocks[0].text.weighted(), kTextChars);
}

std::uint64_t result_tokens(const Msg& message) {
    const std::uint64_t tokens = kMessageTokens + content_tokens(message, true);
    if (!message.tool_name.empty() || !message.json) return tokens + up(weigh(message.tool_name), kJsonChars);
    const JsValue& json = *message.json;
    return tokens + name_tokens(json["toolName"].is_nullish() ? json["tool_name"] : json["toolName"]);
}

/// What a message may take of the prompt, rather too much than too little.
std::uint64_t pressure(const Msg& message) {
    if (message.excluded) return 0;
    if (is_result(message)) return result_tokens(message);
    switch (message.role) {
        case Role::bash: return kMessageTokens + bash_tokens(message);
        case Role::branch_summary:
        case Role::compaction_summary: return kMessageTokens + summary_tokens(message);
        case Role::assistant:
            return kMessageTokens + calls_beside(message) +
                   (message.shape == ContentShape::blocks ? assistant_tokens(message) : content_tokens(message, false));
        default: return kMessageTokens + content_tokens(message, false);
    }
}

struct Boundary {
    std::size_t index = 0;
    double tokens = 0;
};

/// The last answer whose provider said what the context holds.
std::optional<Boundary> provider_boundary(const View& view) {
    for (std::size_t i = view.size(); i-- > 0;) {
        if (!view[i] || view[i]->role != Role::assistant || !view[i]->usage) continue;
        const Usage& usage = *view[i]->usage;
        if (usage.context == Usage::Context::available && usage.context_tokens > 0) {
            return Boundary{i, std::ceil(usage.context_tokens)};
        }
        const auto* api = view[i]->json ? (*view[i]->json)["api"].string() : nullptr;
        if (usage.context == Usage::Context::none && api && *api == "cli") return std::nullopt;
        if (usage.context == Usage::Context::unavailable &&
            pi::usage_tokens(usage, pi::Release::openclaw_2026_9) == 0) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

std::uint64_t prompt_tokens(const PrecheckOptions& options) {
    std::uint64_t tokens = kMessageTokens + up(options.prompt.weighted(), kTextChars);
    std::string scratch;
    if (!js_trim(options.system_prompt.read(scratch)).empty()) {
        tokens += kMessageTokens + up(options.system_prompt.weighted(), kTextChars);
    }
    return tokens;
}

}  // namespace

double prompt_pressure(const Msg& message) { return static_cast<double>(pressure(message)); }

// An empty prompt is part of each estimate, and rounded with it.
double retained_tokens(const Msg& message) {
    static const double empty = std::ceil(static_cast<double>(kMessageTokens) * kSafetyMargin);
    return std::ceil(static_cast<double>(kMessageTokens + pressure(message)) * kSafetyMargin) - empty;
}

double longest_summary_tokens() {
    static const double tokens = [] {
        Msg summary;
        summary.role = Role::compaction_summary;
        summary.blocks.push_back(text_block(std::string(kMaxSummaryChars, 'x')));
        return retained_tokens(summary);
    }();
    return tokens;
}

std::string_view route_name(Route route) {
    static constexpr std::array<std::string_view, 4> kNames{"fits", "compact_only", "truncate_tool_results_only",
                                                            "compact_then_truncate"};
    return kNames[static_cast<std::size_t>(route)];
}

Precheck precheck(const View& view, const PrecheckOptions& options) {
    Precheck out;
    const auto boundary = provider_boundary(view);
    std::uint64_t estimated = prompt_tokens(options);
    for (std::size_t i = boundary ? boundary->index + 1 : 0; i < view.size(); ++i) {
        if (view[i]) estimated += pressure(*view[i]);
    }
    out.from_usage = boundary.has_value();
    double prompt = std::ceil(static_cast<double>(estimated) * kSafetyMargin);
    prompt += boundary ? boundary->tokens : std::max(0.0, options.tool_schema_tokens);
    out.prompt_tokens = whole(prompt);

    const double window = std::max(1.0, std::floor(options.window_tokens));
    const double reserve =
        std::min(std::max(0.0, std::floor(options.reserve_tokens)), std::floor(window * kMaxReserveShare));
    const double budget = std::max(1.0, window - reserve);
    const double overflow = std::max(0.0, prompt - budget);
    BudgetOptions results;
    results.max_chars = options.result_max_chars;
    const BudgetPlan plan = plan_result_budget(view, options.window_tokens, results);
    out.reducible_chars = plan.oversized_chars + plan.aggregate_chars;
    out.reserve_tokens = whole(reserve);
    out.budget_tokens = whole(budget);
    out.overflow_tokens = whole(overflow);
    if (overflow <= 0) return out;

    const double overflow_chars = overflow * kCharsPerToken;
    const double enough = std::max(overflow_chars + kRouteSlackChars, std::ceil(overflow_chars * 1.5));
    out.route = out.reducible_chars == 0                             ? Route::compact_only
                : static_cast<double>(out.reducible_chars) >= enough ? Route::truncate_tool_results_only
                                                                     : Route::compact_then_truncate;
    out.compact = out.route != Route::truncate_tool_results_only;
    return out;
}

}  // namespace agent_audit::simulator::openclaw
