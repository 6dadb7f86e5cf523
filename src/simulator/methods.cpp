#include <agent_audit/simulator/methods.hpp>

#include "simulator/method.hpp"

#include <array>
#include <memory>
#include <type_traits>
#include <utility>

namespace agent_audit::simulator {
namespace {

template <class T>
constexpr bool kNone = std::is_same_v<std::remove_cvref_t<T>, std::monostate>;

}  // namespace

std::string_view method_name(const Method& method) {
    static constexpr std::array<std::string_view, std::variant_size_v<Method>> kNames{
        "",          "claude-code", "codex",     "opencode", "cline",    "roo",
        "openhands", "kimi",        "langchain", "letta",    "provider", "drop-oldest"};
    return kNames[method.index()];
}

double own_tokens(const Method& method, const Msg& message) {
    return std::visit(
        [&](const auto& one) -> double {
            if constexpr (kNone<decltype(one)>) {
                return 0;
            } else {
                return tokens_of(one, message);
            }
        },
        method);
}

bool compaction_due(const Method& method, const ContextSize& size, double window_tokens) {
    return std::visit(
        [&](const auto& one) {
            if constexpr (kNone<decltype(one)>) {
                return false;
            } else {
                return due(one, size, window_tokens);
            }
        },
        method);
}

std::optional<CompactionPlan> plan_compaction(const Method& method, const View& view, const ContextSize& size,
                                              double window_tokens) {
    return std::visit(
        [&](const auto& one) -> Planned {
            if constexpr (kNone<decltype(one)>) {
                return std::nullopt;
            } else {
                return plan(one, view, size, window_tokens);
            }
        },
        method);
}

MsgPtr spoken_by_user(std::string words) {
    Msg message;
    message.role = Role::user;
    message.shape = ContentShape::blocks;
    message.blocks.push_back(text_block(std::move(words)));
    return std::make_shared<const Msg>(std::move(message));
}

}  // namespace agent_audit::simulator
