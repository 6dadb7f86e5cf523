#include <agent_audit/pipeline/run_settings.hpp>

#include "detectors/commands/constraints.hpp"
#include "detectors/commands/tool_class.hpp"
#include "detectors/outcomes/error_class.hpp"
#include "detectors/outcomes/error_phrases.hpp"

#include <agent_audit/config/params.hpp>
#include <agent_audit/support/snake_case.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace agent_audit {
namespace {

constexpr std::array<std::string_view, 6> kGroups{"engine", "tools", "calls", "errors", "goal", "constraints"};
constexpr std::string_view kSegments[] = {"user", "session"};
constexpr std::string_view kToolKey = "tools.class.", kIdentityKey = "calls.identity.";
constexpr std::string_view kSegmentKey = "engine.segment", kVolatileKey = "calls.volatile-fields";
constexpr std::string_view kGoalKey = "goal.text", kReflectKey = "goal.reflect";
constexpr std::size_t kMaxTools = 4096;
constexpr std::uint32_t kMostReflect = 10'000;

using Problem = std::optional<Error>;

Error expected(std::string_view key, const Setting& setting, std::string_view what, std::string_view word = {},
               std::span<const std::string_view> known = {}) {
    std::string message = fmt::format("{}: {} = \"{}\": expected {}", setting.origin, key, setting.value, what);
    if (const std::string_view near = nearest(word, known); !near.empty())
        message += fmt::format("; did you mean {}?", near);
    return {std::move(message)};
}

// Names are separated by commas; blanks around them do not count. An empty one is a slip.
std::optional<std::vector<std::string>> names(std::string_view list) {
    std::vector<std::string> out;
    while (true) {
        const std::size_t end = std::min(list.find(','), list.size());
        std::string_view name = list.substr(0, end);
        while (name.starts_with(' ')) name.remove_prefix(1);
        while (name.ends_with(' ')) name.remove_suffix(1);
        if (name.empty()) return std::nullopt;
        out.emplace_back(name);
        if (end == list.size()) return out;
        list.remove_prefix(end + 1);
    }
}

// ---- the keys, each with what it does --------------------------------------------------------------------------

Problem segment(const std::string& key, const Setting& setting, EngineOptions& engine) {
    if (setting.value == kSegments[0])
        engine.segment = SegmentBy::user;
    else if (setting.value == kSegments[1])
        engine.segment = SegmentBy::session;
    else
        return expected(key, setting, "user or session", setting.value, kSegments);
    return std::nullopt;
}

Problem tool_class(const std::string& key, const Setting& setting, EngineOptions& engine) {
    const auto classes = detectors::tool_class_names();
    const auto found = std::ranges::find(classes, setting.value);
    if (found == classes.end())
        return expected(key, setting, fmt::format("one of {}", fmt::join(classes, ", ")), setting.value, classes);
    const std::string tool = snake_case(std::string_view(key).substr(kToolKey.size()));
    if (tool.empty() || engine.tool_classes.size() >= kMaxTools)
        return expected(key, setting, "the name of a tool in the key");
    engine.tool_classes[tool] = static_cast<ToolClass>(found - classes.begin());
    return std::nullopt;
}

Problem identity(const std::string& key, const Setting& setting, CallIdentity& calls) {
    auto fields = names(setting.value);
    if (!fields) return expected(key, setting, "names of arguments, comma separated");
    const std::string tool = snake_case(std::string_view(key).substr(kIdentityKey.size()));
    if (tool.empty() || calls.fields_of.size() >= kMaxTools)
        return expected(key, setting, "the name of a tool in the key");
    calls.fields_of[tool] = std::move(*fields);
    return std::nullopt;
}

Problem volatile_fields(const std::string& key, const Setting& setting, CallIdentity& calls) {
    std::string_view list = setting.value;
    if (list.starts_with('=')) {
        list.remove_prefix(1);
        calls.volatile_fields.clear();
        if (list.empty()) return std::nullopt;
    }
    const auto fields = names(list);
    if (!fields) return expected(key, setting, "names of arguments, comma separated");
    calls.volatile_fields.insert(calls.volatile_fields.end(), fields->begin(), fields->end());
    return std::nullopt;
}

Problem goal(const std::string& key, const Setting& setting, EngineOptions& engine) {
    if (setting.value.find_first_not_of(" \t\r\n") == std::string::npos)
        return expected(key, setting, "the goal in words");
    engine.goal = setting.value;
    return std::nullopt;
}

Problem reflect(const std::string& key, const Setting& setting, EngineOptions& engine) {
    if (!detail::parse_number(setting.value, engine.reflect_every) || engine.reflect_every > kMostReflect)
        return expected(key, setting, fmt::format("turns from 0 (none) to {}", kMostReflect));
    return std::nullopt;
}

bool is_error_key(std::string_view key) {
    return std::ranges::any_of(detectors::error_defaults(), [&](const detectors::ErrorDefaults& d) {
        const std::string own = fmt::format("errors.{}", d.key);
        return key == own || key == own + "-codes";
    });
}

Error unknown_key(const std::string& key, const Setting& setting) {
    std::vector<std::string> known;
    for (const RunSettingDoc& doc : run_settings()) known.push_back(doc.key);
    const std::vector<std::string_view> views(known.begin(), known.end());
    // "tools.clas.read" is near to no key as it stands, its first two words are.
    const std::size_t dot = key.find('.', key.find('.') + 1);
    const std::string head = dot == key.npos ? key : key.substr(0, dot);
    std::string_view near = nearest(key, views);
    std::vector<std::string> heads;
    for (const std::string& one : known) heads.push_back(one.substr(0, one.find(".<")));
    const std::vector<std::string_view> head_views(heads.begin(), heads.end());
    if (near.empty()) {
        const std::string_view near_head = nearest(head, head_views);
        const auto at = std::ranges::find(heads, near_head);
        if (!near_head.empty()) near = known[static_cast<std::size_t>(at - heads.begin())];
    }
    return {near.empty()
                ? fmt::format("{}: unknown setting '{}' (agent-audit explain settings lists them)", setting.origin, key)
                : fmt::format("{}: unknown setting '{}'; did you mean '{}'?", setting.origin, key, near)};
}

Problem apply(const std::string& key, const Setting& setting, EngineOptions& engine, CallIdentity& calls) {
    if (key == kSegmentKey) return segment(key, setting, engine);
    if (key.starts_with(kToolKey)) return tool_class(key, setting, engine);
    if (key.starts_with(kIdentityKey)) return identity(key, setting, calls);
    if (key == kVolatileKey) return volatile_fields(key, setting, calls);
    if (key == kGoalKey) return goal(key, setting, engine);
    if (key == kReflectKey) return reflect(key, setting, engine);
    if (key.starts_with("constraints.")) return std::nullopt;  // all of them together, below
    if (is_error_key(key)) return std::nullopt;                // all of them together, below
    return unknown_key(key, setting);
}

}  // namespace

std::span<const std::string_view> run_setting_groups() { return kGroups; }

bool is_run_setting(std::string_view key) {
    return std::ranges::find(kGroups, key.substr(0, key.find('.'))) != kGroups.end();
}

std::vector<RunSettingDoc> run_settings() {
    std::vector<RunSettingDoc> docs;
    docs.push_back(
        {std::string(kSegmentKey), "user or session", "user",
         "what ends the evidence of a repetition: a human message (whatever repeats after it was asked for), or "
         "the end of the session only, for recordings in which a program speaks as the human"});
    docs.push_back(
        {std::string(kToolKey) + "<tool>", fmt::format("{}", fmt::join(detectors::tool_class_names(), ", ")),
         "the table of known tools",
         "what a tool does. Names are compared in snake_case, with or without the mcp__server__ in front; the "
         "whole name wins. A tool of class shell is judged by its command; wait takes part in no pattern, and "
         "note only when the very same one comes three times in a row; poll may give the same answer eight times"});
    docs.push_back(
        {std::string(kVolatileKey), "argument names, comma separated",
         fmt::format("{}", fmt::join(default_volatile_fields(), ",")),
         "top-level arguments that do not make a call another one; added to the default, or with = in front in "
         "its place"});
    docs.push_back({std::string(kIdentityKey) + "<tool>", "argument names, comma separated",
                    "all but the volatile ones", "the only arguments that tell two calls of this tool apart"});
    for (const detectors::ErrorDefaults& d : detectors::error_defaults()) {
        docs.push_back(
            {fmt::format("errors.{}", d.key), "a regular expression (RE2)",
             fmt::format("{}", fmt::join(d.phrases, ", ")),
             fmt::format("errors of the class {}: {}. Case does not count; each --set adds one pattern, = in front "
                         "puts it in the place of all",
                         name(d.error), d.what)});
    }
    for (const detectors::ErrorDefaults& d : detectors::error_defaults()) {
        docs.push_back(
            {fmt::format("errors.{}-codes", d.key), "codes from 100 to 999, comma separated",
             fmt::format("{}", fmt::join(d.codes, ",")),
             fmt::format("status codes of the class {}; they count as whole numbers beside a word that makes them "
                         "codes (\"HTTP 503\", \"status code: 404\"), never inside other text",
                         name(d.error))});
    }
    docs.push_back(
        {std::string(kGoalKey), "text", "the first human message",
         "what the sessions of the run are for (--goal): the drift rules hold the work against it, and human messages "
         "refine it"});
    docs.push_back({std::string(kReflectKey), "responses, 0 to 10000", "0",
                    "every so many model responses a reflection point (--reflect): score, the last three of them, a "
                    "prompt; 0 = none"});
    for (const detectors::ConstraintKey& key : detectors::constraint_keys()) {
        docs.push_back({fmt::format("constraints.{}", key.name), std::string(key.value), "none", std::string(key.doc)});
    }
    return docs;
}

Result<RunOptions> bind_run_settings(const Settings& settings) {
    RunOptions options;
    CallIdentity calls;
    calls.volatile_fields.assign(default_volatile_fields().begin(), default_volatile_fields().end());
    bool errors = false, identity_set = false;
    for (const auto& [key, values] : settings.all()) {
        if (!is_run_setting(key)) continue;
        for (const Setting& setting : values) {
            if (auto problem = apply(key, setting, options.engine, calls)) return *problem;
        }
        errors = errors || key.starts_with("errors.");
        identity_set = identity_set || key.starts_with("calls.");
    }
    if (auto constraints = detectors::constraints_of(settings); !constraints) return constraints.error();
    if (identity_set) options.calls = std::move(calls);
    if (!errors) {
        options.engine.errors = std::make_shared<const detectors::ErrorClassifier>();
        return options;
    }
    auto classifier = detectors::ErrorClassifier::make(settings);
    if (!classifier) return classifier.error();
    options.engine.errors = std::move(*classifier);
    return options;
}

}  // namespace agent_audit
