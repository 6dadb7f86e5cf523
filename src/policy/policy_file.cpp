#include <agent_audit/policy/policy_file.hpp>

#include "config/toml_tree.hpp"
#include "policy/policy_keys.hpp"
#include "policy/policy_layer.hpp"
#include "policy/policy_path.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/profiles/profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::policy {
namespace {

constexpr std::size_t kMaxExtends = 8;

using Names = std::vector<std::string_view>;

std::string beside(const std::string& file, const std::string& path) {
    if (path.starts_with('/')) return path;
    const auto slash = file.rfind('/');
    return slash == file.npos ? path : file.substr(0, slash + 1) + path;
}

// From what is extended to the file itself.
std::vector<Layer> layers_of(std::string now, const FileText& read, std::vector<std::string>& problems,
                             std::vector<std::string>& chain) {
    std::vector<Layer> layers;
    std::string from;
    for (std::size_t depth = 0;; ++depth) {
        if (depth >= kMaxExtends) {
            problems.push_back(fmt::format("{}: more than {} policies extend each other", from, kMaxExtends));
            break;
        }
        const BuiltIn* built_in = find_built_in(now);
        if (!built_in && std::ranges::find(chain, now) != chain.end()) {
            problems.push_back(fmt::format("{}: extends \"{}\", which extends it again", from, now));
            break;
        }
        chain.push_back(now);
        Result<std::string> text = built_in ? Result<std::string>(std::string(built_in->text)) : read(now);
        const std::string_view word = layers.empty() ? std::string_view() : std::string_view(layers.front().extends);
        const bool named = !word.empty() && word.find('/') == word.npos && !word.ends_with(".toml");
        if (!text && named) {
            Names known;
            for (const BuiltIn& one : built_in_policies()) known.push_back(one.name);
            problems.push_back(fmt::format("{}: extends: {}", from, unknown_word("policy", word, known)));
            break;
        }
        if (!text) {
            problems.push_back(from.empty() ? text.error().message : fmt::format("{}: {}", from, text.error().message));
            break;
        }
        const std::string source = built_in ? fmt::format("{} (built in)", now) : now;
        const Result<TomlTable> root = parse_toml(*text, source);
        if (!root) {
            problems.push_back(root.error().message);
            break;
        }
        layers.insert(layers.begin(), read_layer(*root, source, problems, built_in != nullptr));
        const std::string extends = layers.front().extends;
        if (extends.empty()) break;
        from = fmt::format("{}:{}", source, layers.front().extends_line);
        now = find_built_in(extends) ? extends : beside(now, extends);
    }
    return layers;
}

void put(Settings& settings, const Given& given) {
    const std::string_view key = given.row->key;
    if (key == "rules.<rule>.<param>") {
        settings.set(fmt::format("{}.{}", given.path[1], given.path[2]), {given.text, given.origin});
    } else if (key == "rules.<rule>.per-tool.<tool>.<param>") {
        settings.set(fmt::format("{}.per-tool.{}.{}", given.path[1], given.path[3], given.path[4]),
                     {given.text, given.origin});
    } else if (key == "engine.segment") {
        settings.set("engine.segment", {given.value.text, given.origin});
    } else if (key == "tools.class.<tool>") {
        settings.set("tools.class." + given.path[2], {given.value.text, given.origin});
    } else if (key == "errors.<class>") {
        for (const std::string& one : given.value.texts) settings.set("errors." + given.path[1], {one, given.origin});
    }
}

// What makes no sense together, whichever file gave it; what none gave has its default.
void check_stagnation(const Stagnation& rule, const std::map<std::string, const Given*>& given,
                      std::vector<std::string>& problems) {
    const auto distinct = given.find("stagnation.distinct"), window = given.find("stagnation.window");
    if (distinct == given.end() || rule.distinct <= rule.window) return;
    problems.push_back(
        fmt::format("{}: stagnation.distinct = {} is above stagnation.window = {} ({}): every run would stagnate",
                    distinct->second->origin, rule.distinct, rule.window,
                    window == given.end() ? "the default" : window->second->origin));
}

// What another agent's detector says is answered by the ladder alone.
void check_follow(const RunPolicy& policy, const std::map<std::string, const Given*>& given,
                  std::vector<std::string>& problems) {
    const auto follow = given.find("follow"), ladder = given.find("ladder");
    if (follow == given.end() || !policy.ladder.empty() || std::ranges::none_of(policy.follow, find_profile)) return;
    problems.push_back(
        fmt::format("{}: follow: nothing would come of it without a ladder, such as [\"notify\", \"stop\"]",
                    (ladder != given.end() ? ladder : follow)->second->origin));
}

}  // namespace

LoadedPolicy load_policy(const std::string& name_or_file, const FileText& read, std::vector<std::string>& problems) {
    LoadedPolicy out;
    RunPolicy& p = out.policy;
    p.rungs[static_cast<std::size_t>(Action::notify)].on = Severity::warning;
    std::vector<std::string> chain;
    const std::vector<Layer> layers = layers_of(name_or_file, read, problems, chain);

    // The last layer that gives a key wins; keys of the table keep the table's order.
    std::map<std::string, const Given*> last;
    for (const Layer& layer : layers) {
        for (const Given& given : layer.values) last[shown(given.path)] = &given;
    }
    for (const PolicyKey& row : policy_key_table()) {
        bool given_at_all = false;
        for (const auto& [key, given] : last) {
            if (given->row != &row) continue;
            given_at_all = true;
            row.set(p, given->value, given->wild);
            put(p.settings, *given);
            if (row.key != "version" && row.key != "extends") out.values.push_back({key, given->text, given->origin});
        }
        if (!given_at_all && !row.standard.empty() && row.key != "version" && row.key.find('<') == row.key.npos) {
            const bool quote = row.kind == Kind::word;
            out.values.push_back(
                {std::string(row.key), quote ? in_quotes(row.standard) : std::string(row.standard), "default"});
        }
    }
    check_stagnation(p.stagnation, last, problems);
    check_follow(p, last, problems);
    const auto slash = name_or_file.rfind('/');
    p.name = slash == name_or_file.npos ? name_or_file : name_or_file.substr(slash + 1);
    if (p.name.ends_with(".toml")) p.name.resize(p.name.size() - 5);
    const bool offers = std::ranges::any_of(p.tools, [](const auto& t) { return !t.second.substitute.empty(); });
    if (std::ranges::find(p.ladder, Action::substitute_tool) != p.ladder.end() && !offers && problems.empty()) {
        const auto at = last.find("ladder");
        problems.push_back(
            fmt::format("{}: ladder: \"substitute-tool\" can never be taken: no per-tool.<tool>.substitute is given",
                        at == last.end() ? name_or_file : at->second->origin));
    }
    return out;
}

}  // namespace agent_audit::policy
