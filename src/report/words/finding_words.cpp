#include "report/words/finding_words.hpp"

#include "report/escape/sanitize.hpp"
#include "report/words/human.hpp"
#include "report/words/session_mark.hpp"
#include "report/words/verdict.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>

namespace agent_audit::report {
namespace {

// The path from `root` on; empty: it is not below it.
std::string below(const std::string& path, std::string_view root) {
    while (root.size() > 1 && root.ends_with('/')) root.remove_suffix(1);
    if (root.empty() || root == "/") return {};
    const bool is = path.starts_with(root) && path.size() > root.size() + 1 && path[root.size()] == '/';
    return is ? path.substr(root.size() + 1) : std::string();
}

// Services look for a file below the checkout, however the input was named and wherever the step was started.
std::string below_checkout(const std::string& path, const RenderOptions& options) {
    if (path.empty() || (path[0] != '/' && options.working_directory.empty())) return {};
    const std::filesystem::path whole =
        path[0] == '/' ? std::filesystem::path(path) : std::filesystem::path(options.working_directory) / path;
    return below(whole.lexically_normal().string(), options.checkout);
}

std::string from_here(const std::string& path, std::string_view here) {
    std::string normal = path;
    if (path.starts_with('/') || path.find("/..") != path.npos)
        normal = std::filesystem::path(path).lexically_normal().string();
    if (normal.starts_with("..")) return path;  // out of here: as it was named
    const std::string rest = below(normal, here);
    return rest.empty() ? normal : rest;
}

// "./logs/a.jsonl" and "logs//a.jsonl" are "logs/a.jsonl": services compare paths as texts.
std::string plain_path(std::string_view path) {
    while (path.starts_with("./")) {
        path.remove_prefix(2);
        path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    }
    std::string out;
    for (const char c : path) {
        if (c == '/' && out.ends_with('/')) continue;
        out += c;
    }
    return out;
}

}  // namespace

FindingWords::FindingWords(const Report& report, const RenderOptions& options, From from)
    : report_(report), options_(options), redact_(options.redact), from_(options.checkout.empty() ? From::here : from) {
    std::map<std::uint32_t, std::size_t> sessions_of;
    for (std::size_t i = 0; i < report.sessions.size(); ++i) ++sessions_of[report.sessions.input(i)];
    std::map<std::string, std::size_t> taken;
    for (std::size_t i = 0; i < report.sessions.size(); ++i) {
        const std::uint32_t input = report.sessions.input(i);
        std::string name = path(input);
        if (sessions_of[input] > 1) name = marked(std::move(name), line(session_mark(report.sessions[i])));
        if (const std::size_t before = taken[name]++) name += fmt::format(" #{}", before + 1);
        session_names_.push_back(std::move(name));
    }
}

std::string FindingWords::line(std::string_view raw) { return visible(redact_.text(raw)); }

std::string FindingWords::word(std::string_view raw, std::string_view said) { return visible(redact_.word(raw, said)); }

std::string FindingWords::raw_path(std::size_t input) {
    if (input >= report_.inputs.size()) return "unknown";
    const std::string& path = report_.inputs[input].path;
    return path == "-" ? "stdin" : raw_path_of_file(path);
}

std::string FindingWords::raw_path_of_file(const std::string& path) {
    std::string named = from_ == From::checkout ? below_checkout(path, options_) : std::string();
    if (named.empty()) named = from_here(path, options_.working_directory);
    return plain_path(redact_.input(named));
}

std::string FindingWords::path(std::size_t input) { return visible(raw_path(input)); }

std::string FindingWords::path_of(const Finding& f) {
    return f.session < report_.sessions.size() ? path(report_.sessions.input(f.session)) : "unknown";
}

std::string FindingWords::place(const Finding& f) { return place_words(path_of(f), f, place_of(f, report_)); }

std::string FindingWords::session_name(std::size_t session) {
    return session < session_names_.size() ? session_names_[session] : "unknown";
}

std::string FindingWords::lane_name(const Finding& f) {
    if (f.lane == 0) return {};
    if (f.session < report_.sessions.size()) {
        for (const LaneTokens& lane : report_.sessions[f.session].tokens.by_lane) {
            if (lane.lane == f.lane && !lane.label.empty()) return "sub-agent " + line(lane.label);
        }
    }
    return fmt::format("sub-agent {}", f.lane);
}

std::string cost_words(const Finding& f) {
    std::vector<std::string> words;
    if (f.wasted_steps) words.push_back(count_of(f.wasted_steps, "step"));
    if (f.wasted_tokens && f.tokens_source != TokensSource::none) {
        words.push_back(fmt::format("{} tokens {}", thousands(f.wasted_tokens->total()), name(f.tokens_source)));
    }
    if (f.wasted_cost_microusd) words.push_back(money(*f.wasted_cost_microusd));
    return join(words, ", ");
}

namespace {

constexpr std::string_view kMoney = "micro-dollars";

bool is_money(const Finding& f) {
    return f.rule.starts_with("budget/") &&
           std::ranges::any_of(f.because, [](const Fact& fact) { return fact.name == "unit" && fact.value == kMoney; });
}

// Figures about windows and limits are as large as those in the tables, and are written like them. What other rules
// name may be words of the recording, and stays as it is.
std::string fact_value(const Finding& f, const Fact& fact) {
    const bool figures = f.rule.starts_with("context/") || f.rule.starts_with("budget/");
    std::uint64_t value = 0;
    const char* end = fact.value.data() + fact.value.size();
    const auto [ptr, error] = std::from_chars(fact.value.data(), end, value);
    if (!figures || error != std::errc{} || ptr != end) return fact.value;
    return is_money(f) ? money(value) : thousands(value);
}

}  // namespace

std::string reason_words(const Finding& f, Redactor& redact, std::string_view between) {
    std::vector<std::string> words;
    bool moved_on = false;
    for (const Fact& fact : f.because) {
        if (fact.name == "recovered") {  // said below, in words
            moved_on = fact.value == "moved on";
            continue;
        }
        if (fact.value == kMoney && is_money(f)) continue;  // dollars say it themselves
        std::string name = visible(fact.name);
        std::ranges::replace(name, '_', ' ');
        words.push_back(name + " " + visible(redact.text(fact_value(f, fact))));
    }
    if (f.persisted_after_notice) words.emplace_back("went on after a notice");
    if (f.persisted_across_compaction) words.emplace_back("went on after a compaction");
    if (f.recovered)
        words.emplace_back(moved_on ? "the agent went on to something else" : "the agent found its own way out");
    if (!f.also.empty()) {
        std::vector<std::string> also;
        for (const std::string& rule : f.also) also.push_back(visible(rule));
        words.push_back("also seen by " + join(also, ", "));
    }
    return join(words, between);
}

std::string FindingWords::told(const Finding& f) {
    constexpr std::size_t kMostSteps = 2;  // the rest is in the recording
    if (!names_no_call(f)) return message(f);
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < std::min(kMostSteps, f.round.size()); ++i) steps.push_back(line(f.round[i]));
    if (kMostSteps < f.round.size()) steps.emplace_back("...");
    return message(f) + ": " + join(steps, " -> ");
}

std::vector<FactWords> FindingWords::facts(const Finding& f) {
    std::vector<FactWords> facts;
    const FindingPlace place = place_of(f, report_);
    const auto add = [&](std::string label, std::string text, bool evidence = false) {
        if (!text.empty()) facts.push_back({std::move(label), std::move(text), evidence});
    };
    add("in", lane_name(f));
    std::vector<std::string> steps;
    for (const std::string& step : f.round) steps.push_back(line(step));
    add("round", join(steps, " -> "));
    for (const Evidence& e : f.evidence) {
        add(line_words(e.line, place), join({visible(e.role), line(e.text)}, " "), true);
    }
    add("cost", cost_words(f));
    add("because", reason_words(f, redact_, "; "));
    add("do", line(f.action));
    if (f.reset_line) add("reset", own_reset_words(*f.reset_line, place));
    return facts;
}

std::string identity(const Finding& f, const Report& report) {
    if (!f.finding_fingerprint.empty()) return f.finding_fingerprint;
    const std::string session = f.session < report.sessions.size() ? report.sessions.id(f.session) : std::string();
    return fingerprint_hex(fmt::format("{}\n{}\n{}\n{}", f.rule, session, f.lane, f.first_line));
}

std::vector<std::vector<const Finding*>> findings_by_session(const Report& report) {
    std::vector<std::vector<const Finding*>> out(report.sessions.size() + 1);
    for (const Finding& f : report.findings) {
        out[std::min<std::size_t>(f.session, report.sessions.size())].push_back(&f);
    }
    return out;
}

const RuleDoc* find_rule_doc(const RenderOptions& options, std::string_view rule) {
    const auto found = std::ranges::find(options.rules, rule, &RuleDoc::id);
    return found == options.rules.end() ? nullptr : &*found;
}

}  // namespace agent_audit::report
