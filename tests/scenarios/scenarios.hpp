#pragma once

#include "pipeline/files.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <sstream>

namespace agent_audit::test {

/// What the index of testdata/scenarios says about one session.
struct Scenario {
    std::string id, title, want, row, beside;
    std::vector<std::string> rules;  ///< any of them may find it
    std::vector<std::string> flags;
    std::vector<std::string> select;  ///< rules to run; empty = those that are on by default
    std::uint64_t first_line = 0, last_line = 0;
    std::uint64_t tolerance = 1;  ///< lines by which the span may differ
};

inline fs::path scenario_folder() { return project() / "testdata/scenarios"; }

inline std::vector<Scenario> scenario_index() {
    std::vector<Scenario> all;
    std::ifstream in(scenario_folder() / "index.jsonl");
    for (std::string line; std::getline(in, line);) {
        const auto entry = nlohmann::json::parse(line);
        Scenario s;
        s.id = entry.at("id");
        s.title = entry.at("title");
        s.want = entry.at("want");
        s.row = entry.at("row");
        s.beside = entry.value("beside", "");
        s.rules = entry.at("rules").get<std::vector<std::string>>();
        s.flags = entry.value("flags", std::vector<std::string>{});
        s.select = entry.value("select", std::vector<std::string>{});
        if (!entry.at("first_line").is_null()) s.first_line = entry.at("first_line");
        if (!entry.at("last_line").is_null()) s.last_line = entry.at("last_line");
        s.tolerance += entry.value("slack", std::uint64_t{0});
        all.push_back(std::move(s));
    }
    return all;
}

/// The scenarios that no rule handles yet, by id, each with the rule it waits for: lines "id rule".
inline std::map<std::string, std::string> waiting_scenarios() {
    std::map<std::string, std::string> waiting;
    std::ifstream in(scenario_folder() / "waiting");
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        std::string id;
        words >> id >> waiting[id];
    }
    return waiting;
}

inline bool near_to(std::uint64_t a, std::uint64_t b, std::uint64_t tolerance) {
    return (a > b ? a - b : b - a) <= tolerance;
}

inline bool names_a_rule_of(const Finding& f, const Scenario& s) {
    const auto known = [&s](const std::string& rule) { return std::ranges::find(s.rules, rule) != s.rules.end(); };
    return known(f.rule) || std::ranges::any_of(f.also, known);
}

inline bool at_the_loop(const Finding& f, const Scenario& s) {
    return near_to(f.first_line, s.first_line, s.tolerance) && near_to(f.last_line, s.last_line, s.tolerance);
}

inline std::string in_words(const Finding& f) {
    return f.rule + " (" + std::string(name(f.severity)) + ", lines " + std::to_string(f.first_line) + "-" +
           std::to_string(f.last_line) + ")";
}

/// What is wrong with these findings for this scenario; empty when nothing is.
inline std::vector<std::string> problems(const Scenario& s, const std::vector<Finding>& findings) {
    std::vector<std::string> wrong;
    const Finding* found = nullptr;
    for (const Finding& f : findings) {
        if (f.severity < Severity::warning) continue;
        const bool elsewhere = f.last_line < s.first_line || f.first_line > s.last_line;
        if (s.want == "ok" || elsewhere) wrong.push_back("false alarm: " + in_words(f));
        if (s.want == "warn" && f.severity == Severity::error) wrong.push_back("too loud: " + in_words(f));
        if (s.want != "ok" && !elsewhere && names_a_rule_of(f, s) && at_the_loop(f, s) &&
            (!found || f.severity > found->severity))
            found = &f;
    }
    if (s.want == "ok") return wrong;
    if (!found) {
        std::string seen;
        for (const Finding& f : findings) seen += " " + in_words(f);
        wrong.push_back("not found at lines " + std::to_string(s.first_line) + "-" + std::to_string(s.last_line) +
                        "; seen:" + seen);
        return wrong;
    }
    if (s.want == "loop" && found->severity != Severity::error) wrong.push_back("only warned: " + in_words(*found));
    for (const std::string& flag : s.flags) {
        const bool set = flag == "persisted_across_compaction" ? found->persisted_across_compaction : false;
        if (!set) wrong.push_back("not marked " + flag + ": " + in_words(*found));
    }
    return wrong;
}

}  // namespace agent_audit::test
