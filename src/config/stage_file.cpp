#include <agent_audit/config/stage_file.hpp>

#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

// Header-only whatever the package is built for: its library throws, and we do not want to catch.
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#undef TOML_SHARED_LIB
#define TOML_SHARED_LIB 0
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace agent_audit {
namespace {

constexpr std::array<std::string_view, 3> kTopKeys{"name", "doc", "stage"};

std::uint32_t line_of(const toml::node& node) { return node.source().begin.line; }
std::uint32_t line_of(const toml::key& key) { return key.source().begin.line; }

Error at(std::string_view source, std::uint32_t line, const std::string& what) {
    return Error{fmt::format("{}:{}: {}", source, line, what)};
}

std::string unknown(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
    const std::string_view near = nearest(word, known);
    return near.empty() ? fmt::format("unknown {} \"{}\"", what, word)
                        : fmt::format("unknown {} \"{}\"; did you mean \"{}\"?", what, word, near);
}

using Value = decltype(StageSetting::value);

std::optional<std::vector<std::string>> strings(const toml::array& list) {
    std::vector<std::string> out;
    for (const toml::node& item : list) {
        const auto* text = item.as_string();
        if (!text) return std::nullopt;
        out.push_back(text->get());
    }
    return out;
}

std::optional<Value> value_of(const toml::node& node) {
    if (const auto* flag = node.as_boolean()) return Value{flag->get()};
    if (const auto* whole = node.as_integer()) return Value{static_cast<double>(whole->get())};
    if (const auto* real = node.as_floating_point()) return Value{real->get()};
    if (const auto* text = node.as_string()) return Value{text->get()};
    if (const auto* list = node.as_array()) {
        if (auto texts = strings(*list)) return Value{std::move(*texts)};
    }
    return std::nullopt;
}

Result<StageEntry> stage_of(const toml::node& node, std::string_view source) {
    const auto* table = node.as_table();
    if (!table) return at(source, line_of(node), "a stage is a table: [[stage]]");
    StageEntry out;
    out.line = line_of(node);
    for (const auto& [key, item] : *table) {
        auto value = value_of(item);
        if (!value) {
            return at(source, line_of(key),
                      fmt::format("{}: expected a number, true or false, a text or a list of texts", key.str()));
        }
        if (key.str() == "kind") {
            const auto* kind = std::get_if<std::string>(&*value);
            if (!kind) return at(source, line_of(key), "kind: expected the name of a stage");
            out.kind = *kind;
            out.line = line_of(key);
        } else {
            out.settings.push_back({std::string(key.str()), std::move(*value), line_of(key)});
        }
    }
    if (out.kind.empty()) return at(source, out.line, "a stage needs a kind");
    // Tables of the parser are sorted by key.
    std::stable_sort(out.settings.begin(), out.settings.end(),
                     [](const StageSetting& a, const StageSetting& b) { return a.line < b.line; });
    return out;
}

Result<StageFile> read(const toml::table& root, std::string_view source) {
    StageFile out;
    for (const auto& [key, node] : root) {
        if (std::ranges::find(kTopKeys, key.str()) == kTopKeys.end()) {
            return at(source, line_of(key), unknown("key", key.str(), kTopKeys));
        }
        if (key.str() == "stage") continue;
        const auto* text = node.as_string();
        if (!text) return at(source, line_of(key), fmt::format("{}: expected a text", key.str()));
        (key.str() == "name" ? out.name : out.doc) = text->get();
    }
    const toml::node* stages = root.get("stage");
    const auto* list = stages ? stages->as_array() : nullptr;
    if (stages && !list) return at(source, line_of(*stages), "stages are a list: [[stage]]");
    if (!list || list->empty()) return Error{fmt::format("{}: no [[stage]]: a policy needs at least one", source)};
    for (const toml::node& node : *list) {
        auto stage = stage_of(node, source);
        if (!stage) return stage.error();
        out.stages.push_back(std::move(*stage));
    }
    return out;
}

}  // namespace

Result<StageFile> parse_stage_file(std::string_view text, std::string_view source) {
    const toml::parse_result parsed = toml::parse(text, source);
    if (!parsed) {
        return at(source, parsed.error().source().begin.line, std::string(parsed.error().description()));
    }
    return read(parsed.table(), source);
}

}  // namespace agent_audit
