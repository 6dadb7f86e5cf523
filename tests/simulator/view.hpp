#pragma once

#include <agent_audit/simulator/message.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::test {

/// A view that reads like a conversation.
class Talk {
public:
    Talk& user(std::string text) { return add({{"role", "user"}, {"content", std::move(text)}}); }

    Talk& says(std::string text) { return assistant({block("text", std::move(text))}, "stop"); }

    Talk& calls(std::string id, std::string tool = "read", std::string stop = "toolUse") {
        return assistant({simulator::JsValue::object({{"type", "toolCall"},
                                                      {"id", std::move(id)},
                                                      {"name", std::move(tool)},
                                                      {"arguments", simulator::JsValue::object({{"path", "/w"}})}})},
                         std::move(stop));
    }

    Talk& result(std::string id, std::string text, std::string tool = "read") {
        return add({{"role", "toolResult"},
                    {"toolCallId", std::move(id)},
                    {"toolName", std::move(tool)},
                    {"content", simulator::JsValue::Array{block("text", std::move(text))}},
                    {"isError", false}});
    }

    Talk& add(std::initializer_list<std::pair<std::string_view, simulator::JsValue>> fields) {
        simulator::JsValue json = simulator::JsValue::object(fields);
        json.set("timestamp", 1000.0 * static_cast<double>(view_.size() + 1));
        view_.push_back(
            simulator::message_of(std::make_shared<const simulator::JsValue>(std::move(json)), view_.size()));
        return *this;
    }

    const simulator::View& view() const { return view_; }

private:
    static simulator::JsValue block(std::string_view type, std::string text) {
        return simulator::JsValue::object({{"type", type}, {"text", std::move(text)}});
    }
    Talk& assistant(simulator::JsValue::Array content, std::string stop) {
        return add({{"role", "assistant"}, {"content", std::move(content)}, {"stopReason", std::move(stop)}});
    }

    simulator::View view_;
};

/// The text of a message's first block.
inline std::string text_of(const simulator::MsgPtr& message) { return message->blocks.at(0).text.copy(); }

}  // namespace agent_audit::test
