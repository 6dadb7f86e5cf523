#include <agent_audit/config/stage_file.hpp>

#include "config/toml_tree.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace agent_audit {
namespace {

constexpr std::array<std::string_view, 3> kTopKeys{"name", "doc", "stage"};

using Value = decltype(StageSetting::value);

std::optional<Value> value_of(const TomlValue& value) {
    if (const auto* flag = std::get_if<bool>(&value.data)) return Value{*flag};
    if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return Value{static_cast<double>(*whole)};
    if (const auto* real = std::get_if<double>(&value.data)) return Value{*real};
    if (const auto* text = std::get_if<std::string>(&value.data)) return Value{*text};
    const auto* list = std::get_if<TomlArray>(&value.data);
    if (!list) return std::nullopt;
    std::vector<std::string> texts;
    for (const TomlValue& item : *list) {
        const auto* text = std::get_if<std::string>(&item.data);
        if (!text) return std::nullopt;
        texts.push_back(*text);
    }
    return Value{std::move(texts)};
}

StageEntry stage_of(const TomlValue& stage, TomlReader& reader) {
    const auto& table = std::get<TomlTable>(stage.data);
    StageEntry out;
    out.line = stage.line;
    if (const TomlEntry* kind = table.find("kind")) {
        out.line = kind->line;
        out.kind = reader.text(table, "kind").value_or("");
    }
    for (const TomlEntry& entry : table.entries) {
        if (entry.key == "kind") continue;
        if (auto value = value_of(entry.value)) {
            out.settings.push_back({entry.key, std::move(*value), entry.line});
        } else {
            reader.fail(entry.line, entry.key + ": expected a number, true or false, a text or a list of texts");
        }
    }
    if (out.kind.empty()) reader.fail(out.line, "a stage needs a kind");
    return out;
}

}  // namespace

Result<StageFile> parse_stage_file(std::string_view text, std::string_view source) {
    const Result<TomlTable> root = parse_toml(text, source);
    if (!root) return root.error();
    TomlReader reader(source);
    reader.only(*root, "key", kTopKeys);
    StageFile out;
    out.name = reader.text(*root, "name").value_or("");
    out.doc = reader.text(*root, "doc").value_or("");
    for (const TomlValue* stage : reader.tables(*root, "stage")) out.stages.push_back(stage_of(*stage, reader));
    if (reader.problem()) return *reader.problem();
    if (out.stages.empty()) return Error{fmt::format("{}: no [[stage]]: a policy needs at least one", source)};
    return out;
}

}  // namespace agent_audit
