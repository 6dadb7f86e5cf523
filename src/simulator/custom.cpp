#include <agent_audit/simulator/custom.hpp>

#include "simulator/custom_kinds.hpp"

#include <agent_audit/config/stage_file.hpp>
#include <agent_audit/support/suggest.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace agent_audit::simulator {
namespace {

using Kind = StageKind;
using Param = StageParam;

std::string quoted(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& item : list) out += (out.empty() ? "" : ", ") + item;
    return out.empty() ? "none" : out;
}

std::string shown(const ParamPlace& place, Stage stage) {
    return std::visit(
        [&](auto one) -> std::string {
            if constexpr (std::is_same_v<decltype(one), ToolsPlace>) {
                return quoted(one.deny ? one.of(stage)->deny() : one.of(stage)->allow());
            } else if constexpr (std::is_same_v<decltype(one), double* (*)(Stage&)>) {
                return js_number(*one(stage));
            } else {
                return fmt::format("{}", *one(stage));
            }
        },
        place);
}

std::string_view type_of(const Param& param) {
    static constexpr std::array<std::string_view, std::variant_size_v<ParamPlace>> kTypes{
        "number", "whole number", "true or false", "text", "list of texts"};
    return param.is_whole() ? kTypes[1] : kTypes[param.place.index()];
}

std::string expected(const Param& param) {
    if (param.place.index() < 2)
        return fmt::format("a {} from {} to {}", type_of(param), js_number(param.min), js_number(param.max));
    return std::string(param.place.index() == 4 ? "a list of texts" : type_of(param));
}

using Value = decltype(StageSetting::value);

/// False when the value is not what the parameter takes.
bool assign(const Param& param, const Value& value, Stage& stage) {
    const auto* number = std::get_if<double>(&value);
    if (param.place.index() < 2 && !(number && *number >= param.min && *number <= param.max)) return false;
    if (param.is_whole() && std::floor(*number) != *number) return false;
    return std::visit(
        [&](auto place) {
            using P = decltype(place);
            if constexpr (std::is_same_v<P, ToolsPlace>) {
                const auto* list = std::get_if<std::vector<std::string>>(&value);
                if (!list) return false;
                openclaw::ToolFilter& filter = *place.of(stage);
                filter = place.deny ? openclaw::ToolFilter(filter.allow(), *list)
                                    : openclaw::ToolFilter(*list, filter.deny());
            } else if constexpr (std::is_same_v<P, double* (*)(Stage&)>) {
                *place(stage) = *number;
            } else if constexpr (std::is_same_v<P, int* (*)(Stage&)>) {
                *place(stage) = static_cast<int>(*number);
            } else {
                using T = std::remove_pointer_t<decltype(place(stage))>;
                const auto* same = std::get_if<T>(&value);
                if (!same) return false;
                *place(stage) = *same;
            }
            return true;
        },
        param.place);
}

std::string wrong_name(std::string_view what, std::string_view word, std::vector<std::string_view> known) {
    const std::string_view near = nearest(word, known);
    if (!near.empty()) return fmt::format("unknown {} \"{}\"; did you mean \"{}\"?", what, word, near);
    return fmt::format("unknown {} \"{}\"; known are {}", what, word, fmt::join(known, ", "));
}

std::vector<std::string_view> names_of_kinds() {
    std::vector<std::string_view> out;
    for (const Kind& kind : stage_kinds()) {
        if (std::find(out.begin(), out.end(), kind.kind) == out.end()) out.push_back(kind.kind);
    }
    return out;
}

Error at(std::string_view source, std::uint32_t line, const std::string& what) {
    return Error{fmt::format("{}:{}: {}", source, line, what)};
}

/// The row of a stage; of summaries the one that `like` names.
Result<const Kind*> kind_of(const StageEntry& entry, std::string_view source) {
    std::vector<std::string_view> likes;
    const StageSetting* like = nullptr;
    for (const StageSetting& setting : entry.settings) {
        if (setting.key == "like") like = &setting;
    }
    const auto* wanted = like ? std::get_if<std::string>(&like->value) : nullptr;
    for (const Kind& kind : stage_kinds()) {
        if (kind.kind != entry.kind) continue;
        if (kind.like.empty() || (wanted && *wanted == kind.like) || (!like && kind.like == "pi")) return &kind;
        likes.push_back(kind.like);
    }
    if (likes.empty()) return at(source, entry.line, wrong_name("stage", entry.kind, names_of_kinds()));
    if (!wanted) return at(source, like->line, "summarise.like: expected a text");
    return at(source, like->line, wrong_name("way to summarise", *wanted, likes));
}

Result<Stage> stage_of(const StageEntry& entry, std::string_view source) {
    const Result<const Kind*> found = kind_of(entry, source);
    if (!found) return found.error();
    const Kind& kind = **found;
    Stage stage = kind.made;
    for (const StageSetting& setting : entry.settings) {
        if (!kind.like.empty() && setting.key == "like") continue;
        const auto param = std::find_if(kind.params.begin(), kind.params.end(),
                                        [&](const Param& one) { return one.name == setting.key; });
        if (param == kind.params.end()) {
            std::vector<std::string_view> known;
            for (const Param& one : kind.params) known.push_back(one.name);
            return at(source, setting.line, wrong_name("parameter of " + entry.kind, setting.key, known));
        }
        if (!assign(*param, setting.value, stage)) {
            return at(source, setting.line,
                      fmt::format("{}.{}: expected {}", entry.kind, setting.key, expected(*param)));
        }
    }
    return stage;
}

/// The row a built-in stage was made from.
const Kind* row_of(const Stage& stage) {
    for (const Kind& kind : stage_kinds()) {
        if (kind.made.index() != stage.index()) continue;
        const auto* mine = std::get_if<Summarise>(&stage);
        const auto* its = std::get_if<Summarise>(&kind.made);
        if (!mine) return &kind;
        if (mine->how != its->how || mine->method.index() != its->method.index()) continue;
        const auto* my_kind = std::get_if<openhands::Condenser>(&mine->method);
        const auto* its_kind = std::get_if<openhands::Condenser>(&its->method);
        if (!my_kind || my_kind->kind == its_kind->kind) return &kind;
    }
    return nullptr;
}

/// A policy has one of these stages at most: a second would never be asked.
std::optional<Error> twice(const std::vector<StageEntry>& stages, std::string_view source) {
    for (const std::string_view kind : {"summarise", "overflow_recovery"}) {
        const StageEntry* first = nullptr;
        for (const StageEntry& entry : stages) {
            if (entry.kind != kind) continue;
            if (first) {
                return at(source, entry.line,
                          fmt::format("a policy has one {} stage; its first is in line {}", kind, first->line));
            }
            first = &entry;
        }
    }
    return std::nullopt;
}

}  // namespace

Result<CustomPolicy> parse_custom_policy(std::string_view text, std::string_view source) {
    auto file = parse_stage_file(text, source);
    if (!file) return file.error();
    if (auto problem = twice(file->stages, source)) return std::move(*problem);
    CustomPolicy out{file->name.empty() ? "custom" : file->name, file->doc, {}};
    for (const StageEntry& entry : file->stages) {
        auto stage = stage_of(entry, source);
        if (!stage) return stage.error();
        out.stages.push_back(std::move(*stage));
    }
    return out;
}

std::vector<StageDoc> stage_docs() {
    std::vector<StageDoc> out;
    for (const Kind& kind : stage_kinds()) {
        StageDoc doc{
            kind.like.empty() ? std::string(kind.kind) : fmt::format("{}, like = \"{}\"", kind.kind, kind.like),
            std::string(kind.doc),
            {}};
        for (const Param& param : kind.params) {
            const bool number = param.place.index() < 2;
            doc.params.push_back({std::string(param.name), std::string(type_of(param)), shown(param.place, kind.made),
                                  number ? js_number(param.min) + " to " + js_number(param.max) : std::string(),
                                  std::string(param.doc)});
        }
        out.push_back(std::move(doc));
    }
    return out;
}

StageValues values_of(const Stage& stage) {
    StageValues out{std::string(stage_name(stage)), {}};
    const Kind* kind = row_of(stage);
    if (!kind) return out;
    if (!kind->like.empty()) out.values.emplace_back("like", kind->like);
    for (const Param& param : kind->params) {
        std::string value = shown(param.place, stage);
        if (value != shown(param.place, kind->made)) out.values.emplace_back(param.name, std::move(value));
    }
    return out;
}

}  // namespace agent_audit::simulator
