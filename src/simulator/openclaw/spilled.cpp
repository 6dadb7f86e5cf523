#include "simulator/openclaw/spilled.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace agent_audit::simulator::openclaw {
namespace {

std::string_view portion(bool partial) { return partial ? "partial output" : "full output"; }

/// The line by which a tool says where its output is, and the same inside a JSON text.
bool says_where(const Msg& result, const std::string& path) {
    const std::string plain = "Full output: " + path;
    std::string quoted;
    append_json_string(quoted, plain);
    const std::string_view escaped = std::string_view(quoted).substr(1, quoted.size() - 2);
    std::string scratch;
    return std::any_of(result.blocks.begin(), result.blocks.end(), [&](const Block& block) {
        if (!is_result_text(block)) return false;
        const std::string_view words = block.text.read(scratch);
        return words.find(plain) != words.npos || words.find(escaped) != words.npos;
    });
}

bool is_true(const JsValue& value) { return value.boolean() && *value.boolean(); }

}  // namespace

std::string Spilled::notice() const {
    std::string out = "[tool result elided: " + std::string(portion(partial)) + " preserved at " + path;
    if (partial) out += chars ? " (first " + js_number(*chars) + " chars)" : " (capped content)";
    return out += "; read it if the output is needed]";
}

std::string Spilled::short_notice() const { return (partial ? "[partial: " : "[read ") + path + "]"; }

Suffix Spilled::suffix() const {
    return [where = std::string(portion(partial)) + " at " + path](std::uint64_t cut) {
        return "[... " + std::to_string(std::max<std::uint64_t>(1, cut)) + " chars truncated; " + where + "]";
    };
}

std::optional<Spilled> spilled_of(const Msg& result) {
    if (!result.json || result.shape != ContentShape::blocks) return std::nullopt;
    const JsValue& details = (*result.json)["details"];
    if (!details.is_object()) return std::nullopt;
    const JsValue& spill = details["spill"];
    const JsValue& path = spill["path"].is_nullish() ? details["fullOutputPath"] : spill["path"];
    if (!path.string() || path.string()->empty()) return std::nullopt;
    Spilled out;
    out.path = *path.string();
    if (!says_where(result, out.path)) return std::nullopt;
    out.partial = is_true(spill["truncated"]) || is_true(details["spillTruncated"]);
    const JsValue& chars = spill["chars"].is_nullish() ? details["spilledChars"] : spill["chars"];
    if (chars.number() && std::isfinite(*chars.number())) out.chars = std::max(0.0, std::floor(*chars.number()));
    return out;
}

}  // namespace agent_audit::simulator::openclaw
