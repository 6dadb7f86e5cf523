#include <agent_audit/simulator/gemini.hpp>

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
    if (const auto* text = value["text"].string()) {
        part.kind = Part::Kind::text;
        part.text = Text(*text);
    } else if (value["functionResponse"].truthy()) {
        part.kind = Part::Kind::function_response;
        if (const auto* name = value["functionResponse"]["name"].string()) part.name = *name;
    } else if (value["functionCall"].truthy()) {
        part.kind = Part::Kind::function_call;
    }
    part.quarters = part_quarters(value, 0);
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

std::uint64_t tokens(std::span<const Part> parts) { return quarters_of(parts) / 4; }
std::uint64_t tokens(const Part& part) { return part.quarters / 4; }

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
