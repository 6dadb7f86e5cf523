#include <agent_audit/simulator/message.hpp>

#include <agent_audit/tokens/lengths.hpp>

#include <array>
#include <utility>

namespace agent_audit::simulator {
namespace {

struct RoleName {
    std::string_view name;
    Role role;
};
constexpr std::array kRoles{
    RoleName{"user", Role::user},
    RoleName{"assistant", Role::assistant},
    RoleName{"toolResult", Role::tool_result},
    RoleName{"bashExecution", Role::bash},
    RoleName{"compactionSummary", Role::compaction_summary},
    RoleName{"branchSummary", Role::branch_summary},
    RoleName{"custom", Role::custom},
    RoleName{"system", Role::system},
};

Role role_of(const JsValue& name) {
    if (const auto* text = name.string()) {
        for (const RoleName& known : kRoles) {
            if (known.name == *text) return known.role;
        }
    }
    return Role::other;
}

using JsonPtr = std::shared_ptr<const JsValue>;

/// A part of a value, which keeps the whole alive.
JsonPtr part(const JsonPtr& whole, const JsValue& inside) { return {whole, &inside}; }

std::string text_or_nothing(const JsValue& value) { return value.string() ? *value.string() : std::string(); }

void set_text(Block& block, const JsValue& value) {
    if (!value.string()) return;
    block.has_text = true;
    block.text = Text(*value.string());
}

void read_tool_call(Block& block, const JsValue& json) {
    block.kind = BlockKind::tool_call;
    block.id = text_or_nothing(json["id"]);
    block.name = text_or_nothing(json["name"]);
    const JsValue& args = json["arguments"];
    block.args = args.is_undefined() ? ArgsState::absent : args.is_null() ? ArgsState::null : ArgsState::present;
    if (block.args == ArgsState::present) block.text = Text(args.stringify());
}

Block block_of(const JsonPtr& json) {
    Block block;
    block.json = json;
    const std::string type = text_or_nothing((*json)["type"]);
    if (type == "text") {
        block.kind = BlockKind::text;
        set_text(block, (*json)["text"]);
    } else if (type == "thinking" || type == "redacted_thinking") {
        block.kind = type == "thinking" ? BlockKind::thinking : BlockKind::redacted_thinking;
        set_text(block, (*json)[type == "thinking" ? "thinking" : "data"]);
        block.signature = Text(text_or_nothing((*json)["thinkingSignature"]));
    } else if (type == "image") {
        block.kind = BlockKind::image;
    } else if (type == "toolCall" || type == "toolUse" || type == "functionCall") {
        read_tool_call(block, *json);
        block.pi_call = type == "toolCall";
    } else if (type == "toolResult") {
        set_text(block, (*json)["text"]);  // its kind stays `other`: most programs know no such block
    }
    return block;
}

void read_content(Msg& message, const JsonPtr& json, const JsValue& content) {
    if (content.is_nullish()) return;
    if (const auto* text = content.string()) {
        message.shape = ContentShape::text;
        message.blocks.push_back(text_block(*text));
    } else if (const auto* items = content.array()) {
        message.shape = ContentShape::blocks;
        message.blocks.reserve(items->size());
        for (const JsValue& item : *items) message.blocks.push_back(block_of(part(json, item)));
    } else {
        message.shape = ContentShape::odd;
    }
}

double number_or_zero(const JsValue& value) { return value.number() ? *value.number() : 0; }

std::optional<Usage> usage_of(const JsValue& json) {
    if (!json.truthy()) return std::nullopt;
    Usage usage{number_or_zero(json["input"]),
                number_or_zero(json["output"]),
                number_or_zero(json["cacheRead"]),
                number_or_zero(json["cacheWrite"]),
                number_or_zero(json["totalTokens"]),
                Usage::Context::none,
                0};
    const JsValue& context = json["contextUsage"];
    if (const auto* state = context["state"].string()) {
        usage.context = *state == "available"     ? Usage::Context::available
                        : *state == "unavailable" ? Usage::Context::unavailable
                                                  : Usage::Context::none;
        usage.context_tokens = number_or_zero(context["totalTokens"]);
    }
    return usage;
}

StopReason stop_of(const JsValue& json) {
    const auto* name = json.string();
    if (!name) return StopReason::none;
    if (*name == "stop") return StopReason::stop;
    if (*name == "length") return StopReason::length;
    if (*name == "toolUse") return StopReason::tool_use;
    if (*name == "error") return StopReason::error;
    if (*name == "aborted") return StopReason::aborted;
    return StopReason::other;
}

JsValue content_of(const Msg& message) {
    if (message.shape == ContentShape::text && message.blocks.size() == 1) return message.blocks[0].text.copy();
    JsValue::Array blocks;
    blocks.reserve(message.blocks.size());
    for (const Block& block : message.blocks) blocks.push_back(json_of(block));
    return blocks;
}

JsValue fresh_json_of(const Msg& message) {
    JsValue out = JsValue::object({{"role", role_name(message.role)}});
    if (message.role == Role::tool_result) {
        out.set("toolCallId", message.call_id);
        out.set("toolName", message.tool_name);
    }
    out.set("content", content_of(message));
    if (message.role == Role::tool_result) out.set("isError", message.is_error);
    if (message.time_ms) out.set("timestamp", *message.time_ms);
    return out;
}

}  // namespace

std::string_view role_name(Role role) {
    for (const RoleName& known : kRoles) {
        if (known.role == role) return known.name;
    }
    return "message";
}

Block text_block(std::string wtf8) {
    Block block;
    block.kind = BlockKind::text;
    block.has_text = true;
    block.text = Text(std::move(wtf8));
    return block;
}

MsgPtr message_of(JsonPtr json, std::size_t source_index) {
    if (!json || !json->is_object()) return nullptr;
    Msg message;
    message.json = json;
    message.source_index = source_index;
    message.role = role_of((*json)["role"]);
    if (message.role == Role::bash) {
        message.blocks = {text_block(text_or_nothing((*json)["command"])),
                          text_block(text_or_nothing((*json)["output"]))};
    } else if (message.role == Role::compaction_summary || message.role == Role::branch_summary) {
        message.blocks = {text_block(text_or_nothing((*json)["summary"]))};
    } else {
        read_content(message, json, (*json)["content"]);
    }
    message.stop = stop_of((*json)["stopReason"]);
    message.is_error = (*json)["isError"].truthy();
    message.tool_name = text_or_nothing((*json)["toolName"]);
    message.tool_name_recorded = (*json)["toolName"].string() != nullptr;
    const JsValue& excluded = (*json)["excludeFromContext"];
    message.excluded = excluded.boolean() && *excluded.boolean();
    if (message.role == Role::custom) {
        message.runtime_context = text_or_nothing((*json)["customType"]) == "openclaw.runtime-context";
        const auto* carrier = (*json)["details"]["runtimeContextCarrier"].boolean();
        message.carrier = carrier && *carrier;
    }
    message.usage = usage_of((*json)["usage"]);
    if (const auto* time = (*json)["timestamp"].number()) message.time_ms = *time;
    if (const JsValue* details = json->find("details")) {
        message.details_units =
            details->string() ? utf16_length(*details->string()) : utf16_length(details->stringify());
    }
    for (const char* alias : {"toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "callId", "call_id"}) {
        if (!message.call_id.empty()) break;
        message.call_id = text_or_nothing((*json)[alias]);
    }
    return std::make_shared<const Msg>(std::move(message));
}

View view_of(const JsonPtr& array) {
    View view;
    if (!array || !array->array()) return view;
    view.reserve(array->array()->size());
    for (const JsValue& item : *array->array()) view.push_back(message_of(part(array, item), view.size()));
    return view;
}

JsValue json_of(const Block& block) {
    if (!block.json) {
        switch (block.kind) {
            case BlockKind::thinking: return JsValue::object({{"type", "thinking"}, {"thinking", block.text.copy()}});
            case BlockKind::redacted_thinking:
                return JsValue::object({{"type", "redacted_thinking"}, {"data", block.text.copy()}});
            case BlockKind::image: return JsValue::object({{"type", "image"}});
            case BlockKind::tool_call:
                return JsValue::object({{"type", "toolCall"},
                                        {"id", block.id},
                                        {"name", block.name},
                                        {"arguments", JsValue::parse(block.text.copy()).value_or(JsValue())}});
            default: return JsValue::object({{"type", "text"}, {"text", block.text.copy()}});
        }
    }
    return *block.json;
}

JsValue json_of(const Msg& message) {
    if (!message.json) return fresh_json_of(message);
    JsValue out = *message.json;
    if (message.content_edited) out.set("content", content_of(message));
    if (message.claimed) {
        out.set("toolCallId", message.call_id);
        out.set("isError", true);
    }
    if (message.name_edited) out.set("toolName", message.tool_name);
    if (message.details_dropped) out.erase("details");
    return out;
}

JsValue json_of(const View& view) {
    JsValue::Array out;
    out.reserve(view.size());
    for (const MsgPtr& message : view) out.push_back(message ? json_of(*message) : JsValue(nullptr));
    return out;
}

MsgPtr with_blocks(const Msg& message, std::vector<Block> blocks) {
    auto edited = std::make_shared<Msg>(message);
    edited->blocks = std::move(blocks);
    edited->shape = ContentShape::blocks;
    edited->content_edited = true;
    return edited;
}

MsgPtr with_text(const Msg& message, std::string wtf8) {
    std::vector<Block> blocks;
    blocks.push_back(text_block(std::move(wtf8)));
    return with_blocks(message, std::move(blocks));
}

void apply_edits(const Edits& edits, View& view) {
    for (const Edit& edit : edits) view[edit.index] = edit.message;
}

}  // namespace agent_audit::simulator
