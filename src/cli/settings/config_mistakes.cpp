#include "cli/settings/config_mistakes.hpp"

#include "cli/settings/option_problem.hpp"
#include "cli/terminal/terminal.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/silence.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/pipeline/run_settings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::cli {
namespace {

constexpr std::size_t kMostTold = 20;
constexpr std::size_t kMostKnown = 100;  // of one file

// Which file a message is about, and the line: "agent-audit.toml:4: …".
std::pair<std::size_t, std::uint64_t> place_in(const Config& config, std::string_view message) {
    for (std::size_t i = 0; i < config.files.size(); ++i) {
        const std::string& source = config.files[i].source;
        if (!message.starts_with(source + ":")) continue;
        std::uint64_t line = 0;
        std::from_chars(message.data() + source.size() + 1, message.data() + message.size(), line);
        return {i, line};
    }
    return {};
}

}  // namespace

std::vector<Error> config_mistakes(const ConfigChoice& choice) {
    std::vector<Error> out;
    const auto add = [&](const std::optional<Error>& problem) {
        const auto same = [&](const Error& known) { return known.message == problem->message; };
        if (problem && std::ranges::none_of(out, same)) out.push_back(*problem);
    };
    const auto of = [](const auto& result) { return result ? std::nullopt : std::optional(result.error()); };
    std::vector<Error> read;
    const Config config = load_config(choice, read);
    for (const Error& problem : read) add(problem);
    for (const ConfigFile& file : config.files) {
        for (const ConfigValue& value : file.options) {
            for (const std::string& text : value.texts) add(option_problem(value.key, {text, value.origin}));
        }
        const std::vector<Error> unknown = unknown_rules(file);
        for (const Error& problem : unknown) add(problem);
        for (const auto& [key, values] : file.settings.all()) {
            for (const Setting& setting : values) {
                AuditPlan plan;
                plan.settings.set(key, setting);
                if (is_run_setting(key)) {
                    add(of(bind_run_settings(plan.settings)));
                } else if (find_detector(canonical_rule(key.substr(0, key.find('.'))))) {
                    add(of(bind_rules(plan)));
                }
            }
        }
        for (const ToolClassRule& rule : file.tool_classes) {
            EngineOptions engine;
            add(use_tool_classes({&rule, 1}, engine));
        }
        for (const Suppression& one : file.suppressions) {
            AuditPlan plan;
            plan.suppressions = {one};
            add(of(Silences::make(plan)));
        }
    }
    // As one reads the files, and not in the order of the tries.
    std::ranges::stable_sort(out, {}, [&](const Error& problem) { return place_in(config, problem.message); });
    return out;
}

Error tell_with_others(const ConfigChoice& choice, Error problem) {
    std::vector<Error> all = config_mistakes(choice);
    if (std::ranges::find(all, problem.message, &Error::message) == all.end()) return problem;
    if (all.size() > kMostTold) {
        // Of a file with nothing but mistakes the first hundred are known.
        const std::string_view least = all.size() >= kMostKnown ? "at least " : "";
        const std::size_t rest = all.size() - kMostTold;
        all.resize(kMostTold);
        all.push_back({fmt::format("and {}{} more; agent-audit config check tells {}", least, rest,
                                   least.empty() ? "all" : "more")});
    }
    for (std::size_t i = 0; i + 1 < all.size(); ++i) complain(all[i].message);
    return all.back();
}

}  // namespace agent_audit::cli
