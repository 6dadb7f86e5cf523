#include <agent_audit/simulator/gemini.hpp>

#include "simulator/gemini/payload.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <utility>

namespace agent_audit::simulator::gemini {
namespace {

using JsonPtr = std::shared_ptr<const JsValue>;

constexpr std::uint64_t kNonAsciiQuarters = 6, kImageQuarters = 12'000, kPdfQuarters = 103'200;
constexpr std::uint64_t kLongText = 100'000;
constexpr int kMaxDepth = 3;

std::uint64_t text_quarters(const TextSizes& sizes) {
    if (sizes.units > kLongText) return sizes.units;
    return sizes.ascii + (sizes.units - sizes.ascii) * kNonAsciiQuarters;
}

std::uint64_t part_quarters(const JsValue& part, int depth);

/// Nested parts are rounded down together before they count.
std::uint64_t nested_quarters(const JsValue& parts, int depth) {
    if (!parts.array() || depth > kMaxDepth) return 0;
    std::uint64_t quarters = 0;
    for (const JsValue& part : *parts.array()) quarters += part_quarters(part, depth);
    return quarters / 4 * 4;
}

std::uint64_t response_quarters(const JsValue& response, int depth) {
    std::uint64_t quarters = response["name"].string() ? utf16_length(*response["name"].string()) : 0;
    const JsValue& payload = response["response"];
    if (payload.string()) {
        quarters += utf16_length(*payload.string());
    } else if (!payload.is_nullish()) {
        quarters += utf16_length(payload.stringify());
    }
    return quarters + nested_quarters(response["parts"], depth + 1);
}

std::optional<std::uint64_t> media_quarters(const JsValue& part) {
    const auto* mime = part["inlineData"]["mimeType"].string();
    if (!mime || mime->empty()) mime = part["fileData"]["mimeType"].string();
    if (!mime) return std::nullopt;
    if (mime->starts_with("image/")) return kImageQuarters;
    if (mime->starts_with("application/pdf")) return kPdfQuarters;
    return std::nullopt;
}

std::uint64_t part_quarters(const JsValue& part, int depth) {
    if (const auto* text = part["text"].string()) return text_quarters(measure(*text));
    if (part["functionResponse"].truthy()) return response_quarters(part["functionResponse"], depth);
    if (const auto media = media_quarters(part)) return *media;
    return utf16_length(part.stringify());
}

constexpr std::uint64_t units(std::string_view ascii) { return ascii.size(); }

/// {"output":"…"}
std::uint64_t output_units(const Text& output) { return units(R"({"output":""})") + output.sizes().json; }

bool role_is(const JsValue& content, std::string_view role) {
    const auto* name = content["role"].string();
    return name && *name == role;
}

std::uint64_t quarters_of(std::span<const Part> parts) {
    std::uint64_t quarters = 0;
    for (const Part& part : parts) quarters += part.quarters;
    return quarters;
}

}  // namespace

Part part_of(JsonPtr json) {
    Part part;
    const JsValue& value = *json;
    part.calls = value["functionCall"].truthy();
    part.responds = value["functionResponse"].truthy();
    if (const auto* text = value["text"].string()) {
        part.kind = Part::Kind::text;
        part.text = Text(*text);
    } else if (part.responds) {
        part.kind = Part::Kind::function_response;
        if (const auto* name = value["functionResponse"]["name"].string()) part.name = *name;
    } else if (part.calls) {
        part.kind = Part::Kind::function_call;
    }
    if (part.responds) {
        const Payload payload = payload_of(value["functionResponse"]["response"]);
        part.hollow = payload.empty || payload.indented.find(kMaskOpen) != payload.indented.npos;
        part.output_quarters = text_quarters(measure(payload.words));
    }
    part.quarters = part_quarters(value, 0);
    part.json_units = utf16_length(value.stringify());
    part.json = std::move(json);
    return part;
}

ContentPtr content_of(JsonPtr json) {
    auto out = std::make_shared<Content>();
    out->user = role_is(*json, "user");
    out->model = role_is(*json, "model");
    if (const auto* parts = (*json)["parts"].array()) {
        for (const JsValue& part : *parts) out->parts.push_back(part_of(JsonPtr(json, &part)));
    }
    out->json_units = utf16_length(json->stringify());
    out->json = std::move(json);
    return out;
}

History history_of(const JsonPtr& array) {
    History history;
    if (!array || !array->array()) return history;
    for (const JsValue& item : *array->array()) history.push_back(content_of(JsonPtr(array, &item)));
    return history;
}

namespace {

Part text_part(const Text& text) {
    Part part;
    part.kind = Part::Kind::text;
    part.text = text;
    part.quarters = text_quarters(text.sizes());
    part.json_units = units(R"({"text":""})") + text.sizes().json;
    return part;
}

std::uint64_t call_units(const Block& call) {
    const std::uint64_t args = call.args == ArgsState::present ? call.text.units() : units("{}");
    return units(R"({"functionCall":{"name":,"args":}})") + json_string_length(call.name) + args;
}

std::uint64_t response_quarters(std::string_view name, const Text& output) {
    return utf16_length(name) + output_units(output);
}

Part call_part(const Block& call) {
    Part part;
    part.kind = Part::Kind::function_call;
    part.calls = true;
    part.text = call.text;
    part.name = call.name;
    part.quarters = part.json_units = call_units(call);
    return part;
}

Part response_part(std::string name, std::string id, Text output) {
    Part part;
    part.kind = Part::Kind::function_response;
    part.responds = true;
    part.name = std::move(name);
    part.id = std::move(id);
    part.json_units = units(R"({"functionResponse":{"name":,"id":,"response":}})") + json_string_length(part.name) +
                      json_string_length(part.id) + output_units(output);
    part.quarters = response_quarters(part.name, output);
    part.output_quarters = text_quarters(output.sizes());
    part.text = std::move(output);
    return part;
}

Part response_part(const Msg& result, const Text& output) {
    Part part = response_part(result.tool_name, result.call_id, output);
    // What was masked for an earlier request stays so; its words are in memory, those of a recording are not looked at.
    std::string scratch;
    part.hollow =
        output.empty() || (result.content_edited && output.front(kMaskOpen.size(), scratch).starts_with(kMaskOpen));
    return part;
}

Part image_part() {
    Part part;
    part.quarters = kImageQuarters;
    part.json_units = units(R"({"inlineData":{"mimeType":"image/png","data":""}})");
    return part;
}

/// What the API has a place for, in order: images, calls, texts, and the outputs of a result, of which there is at
/// least one.
template <class Visitor>
void visit_parts(const Msg& message, Visitor&& visitor) {
    if (message.role == Role::system || message.role == Role::other) return;
    bool answered = false;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::image) {
            visitor.image();
        } else if (block.kind == BlockKind::tool_call) {
            visitor.call(block);
        } else if (block.kind == BlockKind::text) {
            message.role == Role::tool_result ? visitor.response(message, block.text) : visitor.text(block.text);
            answered = true;
        }
    }
    if (message.role == Role::tool_result && !answered) visitor.response(message, Text());
}

struct Parts {
    std::vector<Part>& parts;
    void image() { parts.push_back(image_part()); }
    void call(const Block& block) { parts.push_back(call_part(block)); }
    void response(const Msg& result, const Text& output) { parts.push_back(response_part(result, output)); }
    void text(const Text& text) { parts.push_back(text_part(text)); }
};

struct Quarters {
    std::uint64_t sum = 0;
    void image() { sum += kImageQuarters; }
    void call(const Block& block) { sum += call_units(block); }
    void response(const Msg& result, const Text& output) { sum += response_quarters(result.tool_name, output); }
    void text(const Text& text) { sum += text_quarters(text.sizes()); }
};

}  // namespace

Part with_made_output(const Part& part, Text output) {
    Part out = response_part(part.name, part.id, std::move(output));
    std::string scratch;
    out.hollow = out.text.read(scratch).find(kMaskOpen) != std::string_view::npos;
    return out;
}

ContentPtr content_of(const Msg& message) {
    auto out = std::make_shared<Content>();
    out->model = message.role == Role::assistant;
    out->user = !out->model;
    visit_parts(message, Parts{out->parts});
    if (out->parts.empty()) return nullptr;
    out->json_units = units(R"({"role":"","parts":[]})") + units(out->model ? "model" : "user") + out->parts.size() - 1;
    for (const Part& part : out->parts) out->json_units += part.json_units;
    return out;
}

JsValue json_of(const Part& part) {
    if (part.json) return *part.json;
    switch (part.kind) {
        case Part::Kind::text: return JsValue::object({{"text", part.text.copy()}});
        case Part::Kind::function_call:
            return JsValue::object(
                {{"functionCall",
                  JsValue::object({{"name", part.name},
                                   {"args", JsValue::parse(part.text.copy()).value_or(JsValue(JsValue::Object{}))}})}});
        case Part::Kind::function_response:
            return JsValue::object(
                {{"functionResponse",
                  JsValue::object({{"name", part.name},
                                   {"id", part.id},
                                   {"response", JsValue::object({{"output", part.text.copy()}})}})}});
        default: return JsValue::object({{"inlineData", JsValue::object({{"mimeType", "image/png"}, {"data", ""}})}});
    }
}

JsValue json_of(const Content& content) {
    JsValue out = content.json ? *content.json : JsValue::object({{"role", content.model ? "model" : "user"}});
    if (content.json && !out["parts"].array()) return out;
    JsValue::Array parts;
    for (const Part& part : content.parts) parts.push_back(json_of(part));
    out.set("parts", std::move(parts));
    return out;
}

std::uint64_t tokens(std::span<const Part> parts) { return quarters_of(parts) / 4; }
std::uint64_t tokens(const Part& part) { return part.quarters / 4; }

std::uint64_t tokens(const Msg& message) {
    Quarters quarters;
    visit_parts(message, quarters);
    return quarters.sum / 4;
}

std::uint64_t tokens(const History& history) {
    std::uint64_t quarters = 0;
    for (const ContentPtr& content : history) quarters += quarters_of(content->parts);
    return quarters / 4;
}

double token_limit(std::string_view model) {
    const bool gemma = model == "gemma-4-31b-it" || model == "gemma-4-26b-a4b-it";
    return gemma ? 256'000 : 1'048'576;
}

}  // namespace agent_audit::simulator::gemini
