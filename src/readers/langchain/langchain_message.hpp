#pragma once

#include "readers/json/format_util.hpp"
#include "readers/langchain/message_chunks.hpp"

#include <cstdint>
#include <string_view>

namespace agent_audit::readers {

enum class LangChainKind : std::uint8_t { unknown, human, agent, tool, system, ignored };

LangChainKind langchain_kind(std::string_view type);

struct LangChainCall {
    std::string_view id, name;
    CallArgs args;
};

/// A message in any of the forms in which it is written down; views into the record.
struct LangChainMessage {
    std::string_view type, id, name, call_id, status, model;
    std::string_view blocks;  ///< the content as JSON, where it may be a piece of an answer
    Content content;
    RawText thought;
    Reused<LangChainCall> calls, provider_calls;
    Reused<CallPiece> pieces;
    TokenCounts tokens, provider_tokens;

    void clear() {
        begin_again(*this, &LangChainMessage::calls, &LangChainMessage::provider_calls, &LangChainMessage::pieces);
    }
    /// Fills in what the object says. `streamed`: it may be a piece of an answer. False for broken JSON.
    bool collect(json::object object, ArgsDigester& digester, bool streamed = false);
    /// It is a whole one after all: its content, which was left as it stands.
    void read_blocks();
    bool says_something() const { return content.seen || !calls.empty() || !provider_calls.empty(); }
    const Reused<LangChainCall>& all_calls() const { return calls.empty() ? provider_calls : calls; }
    const TokenCounts& billed() const { return tokens.total() > 0 ? tokens : provider_tokens; }
};

}  // namespace agent_audit::readers
