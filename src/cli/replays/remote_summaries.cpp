#include "cli/replays/remote_summaries.hpp"

#include "report/redaction/redact.hpp"

#include <agent_audit/remote/summarizer.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace agent_audit::cli {
namespace {

using simulator::Block;
using simulator::BlockKind;
using simulator::Msg;
using simulator::Role;

std::string_view role_of(const Msg& message) {
    switch (message.role) {
        case Role::user: return "user";
        case Role::assistant: return "assistant";
        case Role::tool_result: return "tool";
        case Role::compaction_summary:
        case Role::branch_summary: return "summary";
        default: return "other";
    }
}

// What a model is shown of a text: reading a file of megabytes to keep two kilobytes of it would be a waste.
constexpr std::uint32_t kLongestText = 1u << 20;

std::string words_of(const Msg& message) {
    std::string out, scratch;
    for (const Block& block : message.blocks) {
        const bool said = block.kind == BlockKind::text || block.kind == BlockKind::tool_call;
        if (!said || block.text.empty()) continue;
        if (!out.empty()) out += '\n';
        if (block.kind == BlockKind::tool_call) (out += block.name) += ' ';
        if (block.text.sizes().bytes > kLongestText) {
            out += "[a text of " + std::to_string(block.text.sizes().bytes) + " bytes]";
        } else {
            out += block.text.read(scratch);
        }
    }
    if (message.role == Role::tool_result && message.is_error) out.insert(0, "(failed) ");
    return out;
}

}  // namespace

simulator::SummaryWriter remote_summaries(remote::Endpoint& endpoint) {
    const auto redactor = std::make_shared<report::Redactor>(Redact::secrets);
    const auto summarizer = std::make_shared<remote::Summarizer>(
        endpoint, [redactor](std::string_view text) { return redactor->text(text); });
    return [summarizer](const simulator::SummaryTask& task) {
        std::vector<remote::Passage> passages;
        for (const simulator::MsgPtr& message : task.given_up) {
            if (!message) continue;
            std::string words = words_of(*message);
            if (!words.empty()) passages.push_back({role_of(*message), std::move(words)});
        }
        std::string words = summarizer->summarise(passages, task.tokens, task.most_tokens);
        if (words.empty()) return simulator::extractive_summary(task);
        return simulator::Summary{std::move(words), true};
    };
}

}  // namespace agent_audit::cli
