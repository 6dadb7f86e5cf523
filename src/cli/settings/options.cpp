#include "cli/settings/options.hpp"

#include "cli/arguments/offers.hpp"
#include "cli/clock.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/settings/option_problem.hpp"
#include "pipeline/plan.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace agent_audit::cli {
namespace {

constexpr std::uint64_t kSmallestLine = 1u << 10;
constexpr std::uint64_t kLargestLine = 2ull << 30;  // SourceSpan holds 32-bit lengths

using Problem = std::optional<Error>;

Error expected(const FlagValue& value, std::string_view what, std::span<const std::string_view> known = {}) {
    std::string message = fmt::format("{} = \"{}\": expected {}", value.origin, value.text, what);
    const std::string_view near = nearest(value.text, known);
    if (!near.empty()) message += fmt::format("; did you mean {}?", near);
    return {std::move(message)};
}

template <class T, std::size_t N>
Problem choose(const FlagValue& value, const std::pair<std::string_view, T> (&choices)[N], T& out) {
    std::vector<std::string_view> words;
    std::string all;
    for (const auto& [word, meaning] : choices) {
        if (word == value.text) {
            out = meaning;
            return std::nullopt;
        }
        words.push_back(word);
        all += (all.empty() ? "" : ", ") + std::string(word);
    }
    return expected(value, "one of " + all, words);
}

template <class T>
bool parse_number(std::string_view text, T& out) {
    const char* end = text.data() + text.size();
    const auto [ptr, ec] = std::from_chars(text.data(), end, out);
    return ec == std::errc{} && ptr == end;
}

template <class T>
Problem number(const FlagValue& value, T min, T max, T& out) {
    T parsed{};
    if (!parse_number(value.text, parsed) || !(parsed >= min && parsed <= max)) {
        return expected(value, fmt::format("a number from {} to {}", min, max));
    }
    out = parsed;
    return std::nullopt;
}

// ---- rules ---------------------------------------------------------------------------------------------------

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Split only. Blanks around a name are how lists are written over several lines.
Problem name_list(const FlagValue& value, std::string_view what, std::vector<std::string>& out) {
    std::string_view rest = value.text;
    while (true) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string_view name = trimmed(rest.substr(0, end));
        if (name.empty()) return expected(value, what);
        out.emplace_back(name);
        if (end == rest.size()) return std::nullopt;
        rest.remove_prefix(end + 1);
    }
}

// The pipeline knows what a rule, a code or a group is, but not who named it.
Problem rule_list(const FlagValue& value, std::vector<std::string>& out) {
    std::vector<std::string> names;
    if (auto problem = name_list(value, "rules or groups, comma separated (agent-audit rules lists them)", names))
        return problem;
    for (const std::string& name : names) {
        if (const auto problem = unknown_rule(name)) return Error{value.origin + ": " + problem->message};
    }
    out.insert(out.end(), names.begin(), names.end());
    return std::nullopt;
}

bool typed(const FlagValue& value) { return value.origin.starts_with("--"); }

Problem profile_list(const FlagValue& value, ScanOptions& options) {
    auto& names = options.plan.profiles;
    if (auto problem = name_list(value, "profiles, comma separated (--as list names them), or all", names))
        return problem;
    if (std::ranges::find(names, "list") == names.end()) return std::nullopt;
    // In a file or the environment it would be the whole of every run, and its code 0.
    if (!typed(value))
        return Error{fmt::format(
            "{} = \"list\": only --as list, typed, names the profiles; no session would be audited", value.origin)};
    options.list_profiles = true;
    return std::nullopt;
}

Problem measure_list(const FlagValue& value, std::vector<SimilarityMeasure>& out) {
    constexpr SimilarityMeasure kAll[] = {SimilarityMeasure::tf_idf, SimilarityMeasure::bm25,
                                          SimilarityMeasure::char_ngrams};
    constexpr std::string_view kExpected = "tf-idf, bm25, char-ngrams, comma separated, or all";
    std::vector<std::string> names;
    if (auto problem = name_list(value, kExpected, names)) return problem;
    for (const std::string& word : names) {
        bool known = word == "all";
        for (const SimilarityMeasure measure : kAll) {
            if (word != "all" && word != name(measure)) continue;
            known = true;
            if (std::ranges::find(out, measure) == out.end()) out.push_back(measure);
        }
        if (!known) return expected(value, kExpected);
    }
    std::ranges::sort(out);
    return std::nullopt;
}

// RULE.PARAM=VALUE or TABLE.KEY=VALUE. The rule may be a code, and parameters may be written with - or _.
Problem setting(const FlagValue& value, Settings& out) {
    const std::string_view text = value.text;
    const std::size_t equals = text.find('=');
    const std::size_t dot = text.substr(0, equals).rfind('.');
    if (equals == text.npos || dot == text.npos) return expected(value, "RULE.PARAM=VALUE or TABLE.KEY=VALUE");
    if (is_run_setting(text.substr(0, equals))) {
        out.set(std::string(text.substr(0, equals)), {std::string(text.substr(equals + 1)), value.origin});
        return std::nullopt;
    }

    // "AA101.per-tool.Bash": the name ends at the first dot. Under another name the setting would be another one.
    const std::string_view owner = text.substr(0, dot), rule = owner.substr(0, owner.find('.'));
    std::string param(text.substr(dot + 1, equals - dot - 1));
    std::ranges::replace(param, '_', '-');
    out.set(fmt::format("{}{}.{}", canonical_rule(rule), owner.substr(rule.size()), param),
            {std::string(text.substr(equals + 1)), value.origin});
    return std::nullopt;
}

// ---- formats and files ---------------------------------------------------------------------------------------

Problem renderer(const FlagValue& value, const RendererSpec*& out) {
    out = find_renderer(value.text);
    if (out) return std::nullopt;
    std::vector<std::string_view> ids;
    std::string all;
    for (const RendererSpec& spec : all_renderers()) {
        ids.push_back(spec.id);
        all += (all.empty() ? "" : ", ") + std::string(spec.id);
    }
    return expected(value, "one of " + all, ids);
}

// FILE or FORMAT=FILE. What stands before the = is a format when it is a plain word; ./a=b is a file.
Problem output(const FlagValue& value, std::vector<OutputTarget>& out) {
    const std::size_t equals = value.text.find('=');
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    OutputTarget target{nullptr, value.text};
    if (equals != value.text.npos && equals > 0 &&
        std::all_of(value.text.begin(), value.text.begin() + static_cast<std::ptrdiff_t>(equals), is_letter)) {
        if (auto problem = renderer({value.text.substr(0, equals), value.origin}, target.format)) return problem;
        target.path = value.text.substr(equals + 1);
    }
    if (target.path.empty()) return expected(value, "FILE or FORMAT=FILE");
    const auto same = [&](const OutputTarget& other) { return other.path == target.path; };
    if (std::ranges::any_of(out, same)) return expected(value, "each file once");
    out.push_back(std::move(target));
    return std::nullopt;
}

Problem reader(const FlagValue& value, std::string& out) {
    if (find_reader(value.text)) {
        out = value.text;
        return std::nullopt;
    }
    std::vector<std::string_view> ids;
    for (const ReaderSpec& spec : all_readers()) ids.push_back(spec.id);
    return expected(value, "a format (agent-audit formats lists them)", ids);
}

// ---- the goal ------------------------------------------------------------------------------------------------

// Nobody says a goal in one word that begins or ends like that.
bool names_a_file(std::string_view text) {
    if (text.find_first_of(" \t\r\n") != text.npos) return false;
    return text.starts_with("./") || text.starts_with("../") || text.starts_with('/') || text.ends_with(".md") ||
           text.ends_with(".txt");
}

// TEXT, or the text of a file of that name.
Problem goal(const FlagValue& value, Settings& out) {
    constexpr std::size_t kMostGoal = 64u << 10;
    std::string text = value.text;
    std::error_code unknown;
    const auto status = std::filesystem::status(value.text, unknown);
    if (std::filesystem::is_directory(status))
        return expected(value, "the goal in words, or a file that holds it, and not a folder");
    if (!std::filesystem::exists(status) && names_a_file(value.text)) return expected(value, "a file that exists");
    if (std::filesystem::is_regular_file(status)) {
        std::ifstream in(value.text, std::ios::binary);
        text.resize(kMostGoal);
        in.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(in.gcount()));
    }
    const bool empty = text.find_first_not_of(" \t\r\n") == text.npos;
    if (empty || text.find('\0') != text.npos) return expected(value, "the goal in words, or a file that holds it");
    out.set("goal.text", {std::move(text), value.origin});
    return std::nullopt;
}

// ---- the table -----------------------------------------------------------------------------------------------

constexpr std::pair<std::string_view, Severity> kLevels[] = {
    {"error", Severity::error}, {"warning", Severity::warning}, {"info", Severity::info}};
constexpr std::pair<std::string_view, std::optional<Severity>> kFailLevels[] = {
    {"error", Severity::error}, {"warning", Severity::warning}, {"info", Severity::info}, {"never", std::nullopt}};
constexpr std::pair<std::string_view, Redact> kRedact[] = {
    {"none", Redact::none}, {"secrets", Redact::secrets}, {"strict", Redact::strict}};
constexpr std::pair<std::string_view, Policy> kPolicies[] = {
    {"balanced", Policy::balanced}, {"strict", Policy::strict}, {"permissive", Policy::permissive}};
constexpr std::pair<std::string_view, When> kWhen[] = {
    {"auto", When::automatic}, {"always", When::always}, {"never", When::never}};

// What the flags say before they can be put together.
struct Draft {
    ScanOptions options;
    const RendererSpec* format = nullptr;  // nothing: text, where nothing else says what is written
    bool format_on_command_line = false;
    bool level_on_command_line = false;  // --fail-on was typed, and not found in the environment
};

struct ScanFlag {
    FlagSpec spec;
    Problem (*apply)(const FlagValue& value, Draft& draft);
};

Problem size(const FlagValue& value, std::size_t& out) {
    const auto bytes = parse_size(value.text);
    if (!bytes || *bytes < kSmallestLine || *bytes > kLargestLine) {
        return expected(value, "a size from 1K to 2G, such as 64M");
    }
    out = static_cast<std::size_t>(*bytes);
    return std::nullopt;
}

// A variable filters what is named; only who types the flag means "of all sessions on this machine".
Problem chosen(const FlagValue& value, Draft& draft, Problem problem) {
    draft.options.chooses = draft.options.chooses || typed(value);
    return problem;
}

Problem latest(const FlagValue& value, Draft& draft) {
    std::uint64_t& count = draft.options.plan.filter.latest;
    count = 1;
    if (value.text.empty()) return chosen(value, draft, std::nullopt);
    return chosen(value, draft, number(value, std::uint64_t{1}, std::uint64_t{1'000'000}, count));
}

// Looked at when all flags are known.
Problem keep(const FlagValue& value, std::string& out) {
    out = value.text;
    return std::nullopt;
}

// A name that is empty is mostly a variable of a script that nobody set.
Problem keep_file(const FlagValue& value, std::string& out) {
    if (value.text.empty()) return Error{value.origin + " needs a file"};
    return keep(value, out);
}

constexpr ScanFlag kScanFlags[] = {
    {{"-f,--format", "FORMAT",
      "text (default), compact, json, ndjson, sarif, junit, tap, github, gitlab, markdown, csv or html", true,
      offer_word(renderer_words)},
     [](const FlagValue& v, Draft& d) {
         d.format_on_command_line = typed(v);
         return renderer(v, d.format);
     }},
    {{"-o,--output", "FILE",
      "write to FILE instead of standard output; FORMAT=FILE for a format besides that of -f; repeatable", true,
      kOfferFile},
     [](const FlagValue& v, Draft& d) { return output(v, d.options.outputs); }},
    {{"--fail-on", "LEVEL", "exit 1 from this severity on: error (default), warning, info, never", true,
      kOfferFailLevel},
     [](const FlagValue& v, Draft& d) {
         d.level_on_command_line = typed(v);
         d.options.fail_on_said = true;
         return choose(v, kFailLevels, d.options.fail_on);
     }},
    {{"--exit-zero", "", "findings never change the exit code, as --fail-on never"},
     [](const FlagValue& v, Draft& d) -> Problem {
         // What was typed wins over the environment, also where the two flags have different names.
         if (typed(v) || !d.level_on_command_line) d.options.fail_on.reset();
         return std::nullopt;
     }},
    {{"--policy", "POLICY", "what repetition is an error: balanced (default), strict, permissive", true,
      offer_one_of(kRulePolicyWords)},
     [](const FlagValue& v, Draft& d) { return choose(v, kPolicies, d.options.plan.policy); }},
    {{"--min-severity", "LEVEL", "show findings from this severity on: info (default), warning, error", true,
      kOfferLevel},
     [](const FlagValue& v, Draft& d) { return choose(v, kLevels, d.options.plan.min_severity); }},
    {{"--min-confidence", "X", "show findings at least this sure, 0 to 1"},
     [](const FlagValue& v, Draft& d) { return number(v, 0.0, 1.0, d.options.plan.min_confidence); }},
    {{"--select", "RULES", "run only these rules or groups, comma separated; repeatable", true,
      offer_list(rule_or_group_words)},
     [](const FlagValue& v, Draft& d) { return rule_list(v, d.options.plan.select); }},
    {{"--ignore", "RULES", "leave out these rules or groups, comma separated; repeatable", true,
      offer_list(rule_or_group_words)},
     [](const FlagValue& v, Draft& d) { return rule_list(v, d.options.plan.ignore); }},
    {{"--set", "RULE.PARAM=VALUE",
      "change a threshold (agent-audit explain RULE lists them) or a table (explain settings); repeatable"},
     [](const FlagValue& v, Draft& d) { return setting(v, d.options.plan.settings); }},
    {kConfigFlag, [](const FlagValue&, Draft&) -> Problem { return std::nullopt; }},  // read before all others
    {kNoConfigFlag, [](const FlagValue&, Draft&) -> Problem { return std::nullopt; }},
    {kBaselineFlag, [](const FlagValue&, Draft&) -> Problem { return std::nullopt; }},  // read after all others
    {kNoBaselineFlag, [](const FlagValue&, Draft&) -> Problem { return std::nullopt; }},
    {{"--goal", "TEXT",
      "what the sessions are for, where the first human message does not say it; a name of a file is read", true,
      kOfferFile},
     [](const FlagValue& v, Draft& d) { return goal(v, d.options.plan.settings); }},
    {{"--reflect", "[N]",
      "reflection points: every N responses (5) the drift score, the last three of them and a prompt"},
     [](const FlagValue& v, Draft& d) -> Problem {
         d.options.plan.settings.set("goal.reflect", {v.text.empty() ? "5" : v.text, v.origin});
         return std::nullopt;
     }},
    {{"--similarity", "MEASURES",
      "also measure how near each message is to the goal: tf-idf, bm25, char-ngrams, comma separated, or all; evidence "
      "beside the drift rules"},
     [](const FlagValue& v, Draft& d) { return measure_list(v, d.options.similarity.measures); }},
    {{"--word-vectors", "FILE",
      "the same by static word vectors: a text file of lines \"word v1 v2 ...\", as word2vec, GloVe and fastText write "
      "it"},
     [](const FlagValue& v, Draft& d) { return keep_file(v, d.options.similarity.vectors); }},
    {{"--as", "PROFILES",
      "also say what other agents' loop detectors would have done: names, comma separated, or all; list names them",
      true, offer_list(profile_words)},
     [](const FlagValue& v, Draft& d) { return profile_list(v, d.options); }},
    {{"--prices", "FILE",
      "JSON with prices of models, beside or instead of the shipped ones: {\"models\": {\"id\": {\"input\": 3, "
      "\"output\": 15}}}, USD per million tokens",
      true, kOfferFile},
     [](const FlagValue& v, Draft& d) -> Problem {
         if (auto problem = keep_file(v, d.options.plan.price_file)) return problem;
         // Who typed the name knows where it stands; who wrote it into a file long ago does not.
         if (typed(v) || v.origin.find(':') == v.origin.npos || ::access(v.text.c_str(), R_OK) == 0)
             return std::nullopt;
         return Error{fmt::format("{} = \"{}\": {}", v.origin, v.text, std::strerror(errno))};
     }},
    {{"--max-findings", "N",
      "findings listed for each rule, the most severe of them: 200 by default in text and markdown, 10000 in all other "
      "formats; the rest is counted"},
     [](const FlagValue& v, Draft& d) {
         auto problem = number(v, std::uint64_t{1}, std::uint64_t{1'000'000}, d.options.plan.max_findings_per_rule);
         d.options.max_findings = d.options.plan.max_findings_per_rule;
         return problem;
     }},
    {{"--latest", "[N]", "only the session written last, or the last N, with the files of their sub-agents"},
     [](const FlagValue& v, Draft& d) { return latest(v, d); }},
    {kProjectFlag, [](const FlagValue& v, Draft& d) { return chosen(v, d, project(v, d.options.plan.filter)); }},
    {kSinceFlag, [](const FlagValue& v, Draft& d) { return chosen(v, d, since(v, d.options.plan.filter)); }},
    {kUntilFlag, [](const FlagValue& v, Draft& d) { return chosen(v, d, until(v, d.options.plan.filter)); }},
    {kFilesFromFlag, [](const FlagValue&, Draft&) -> Problem { return std::nullopt; }},  // read after all others
    {kNullFlag, [](const FlagValue&, Draft&) -> Problem { return std::nullopt; }},
    {{"--input-format", "FORMAT", "do not look at the content to tell the format (agent-audit formats lists them)",
      true, offer_word(reader_words)},
     [](const FlagValue& v, Draft& d) { return reader(v, d.options.plan.input_format); }},
    {{"--max-line-size", "SIZE", "longest record that is read, 64M by default; a longer one is counted"},
     [](const FlagValue& v, Draft& d) { return size(v, d.options.plan.max_line_bytes); }},
    {{"--strict-input", "",
      "any record that cannot be read, an unfinished last one too, and any empty file is exit code 3"},
     [](const FlagValue&, Draft& d) -> Problem {
         d.options.strict_input = d.options.plan.empty_is_a_problem = true;
         return std::nullopt;
     }},
    {{"-j,--jobs", "N", "files read at the same time; 0 (default) = processors, at most 8"},
     [](const FlagValue& v, Draft& d) { return number(v, 0u, 256u, d.options.plan.jobs); }},
    {{"--redact", "WHAT",
      "taken out of quoted text: none, secrets (default of text, compact, json, ndjson), strict (also e-mails, users; "
      "default of all others)",
      true, kOfferRedact},
     [](const FlagValue& v, Draft& d) { return choose(v, kRedact, d.options.redact.emplace()); }},
    {{"--category", "NAME", "sarif: tells several uploads of one commit apart"},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.category); }},
    {{"--gitlab-blocker", "", "gitlab: an error is a blocker instead of major"},
     [](const FlagValue&, Draft& d) -> Problem {
         d.options.gitlab_blocker = true;
         return std::nullopt;
     }},
    {{"--hash", "", "sarif: SHA-256 of every input, which are read once more for it"},
     [](const FlagValue&, Draft& d) -> Problem {
         d.options.hash_inputs = true;
         return std::nullopt;
     }},
    {{"--with-timing", "", "junit: when each session began, as recorded"},
     [](const FlagValue&, Draft& d) -> Problem {
         d.options.with_timing = true;
         return std::nullopt;
     }},
    {{"-q,--quiet", "",
      "only the verdict, one line a finding, which rules were skipped, and how many records could not be read"},
     [](const FlagValue&, Draft& d) -> Problem {
         --d.options.verbosity;
         return std::nullopt;
     }},
    {{"-v,--verbose", "", "everything: all findings in full, all sessions, bad records; repeatable"},
     [](const FlagValue&, Draft& d) -> Problem {
         ++d.options.verbosity;
         return std::nullopt;
     }},
    {{"--color", "WHEN", "auto (default), always, never", true, kOfferWhen},
     [](const FlagValue& v, Draft& d) { return choose(v, kWhen, d.options.color); }},
    {{"--progress", "WHEN", "auto (default), always, never; on standard error", true, kOfferWhen},
     [](const FlagValue& v, Draft& d) { return choose(v, kWhen, d.options.progress); }},
    {{"--judge-url", "URL",
      "let a model judge the findings about loops and drift: an OpenAI-compatible server, which is then sent redacted "
      "parts of the session (default: nothing is sent)",
      false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.judge.url); }},
    {{"--judge-model", "NAME", "which model", false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.judge.model); }},
    {{"--judge-key-env", "NAME", "environment variable that holds the key (default: no key is sent)", false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.judge.key_env); }},
    {{"--judge-cache", "DIR", "keep the answers here for later runs", false, kOfferFolder},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.judge.cache_dir); }},
    {{"--judge-timeout", "SECONDS", "how long to wait for one answer (default: 60)", false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.judge.timeout_s); }},
    {{"--judge-budget", "BUDGET", "at most so many calls, or dollars, such as $0.50 (default: 50 calls)", false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.judge.budget); }},
    {{"--embeddings-url", "URL",
      "let a model measure how far what is said lies from the goal: an OpenAI-compatible server, which is then sent "
      "the redacted messages (default: nothing is sent)",
      false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.embeddings.url); }},
    {{"--embeddings-model", "NAME", "which model", false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.embeddings.model); }},
    {{"--embeddings-key-env", "NAME", "environment variable that holds the key (default: no key is sent)", false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.embeddings.key_env); }},
    {{"--embeddings-cache", "DIR", "keep the answers here for later runs", false, kOfferFolder},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.embeddings.cache_dir); }},
    {{"--embeddings-timeout", "SECONDS", "how long to wait for one answer (default: 60)", false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.embeddings.timeout_s); }},
    {{"--embeddings-budget", "BUDGET",
      "at most so many calls of up to 64 messages each, or dollars, such as $0.50 (default: 200 calls)", false},
     [](const FlagValue& v, Draft& d) { return keep(v, d.options.embeddings.budget); }},
};

Problem converter(const FlagValue& value, const ConverterSpec*& out) {
    out = find_converter(value.text);
    if (out) return std::nullopt;
    std::vector<std::string_view> ids;
    std::string all;
    for (const ConverterSpec& spec : all_converters()) {
        ids.push_back(spec.id);
        all += (all.empty() ? "" : ", ") + std::string(spec.id);
    }
    return expected(value, "one of " + all, ids);
}

struct ConvertFlag {
    FlagSpec spec;
    Problem (*apply)(const FlagValue& value, ConvertOptions& options);
};

constexpr ConvertFlag kConvertFlags[] = {
    {kFilesFromFlag, [](const FlagValue&, ConvertOptions&) -> Problem { return std::nullopt; }},
    {kNullFlag, [](const FlagValue&, ConvertOptions&) -> Problem { return std::nullopt; }},
    {{"--to", "FORMAT", "what to write: events, atif or chat", false, offer_word(converter_words)},
     [](const FlagValue& v, ConvertOptions& o) { return converter(v, o.to); }},
    {{"-o,--output", "FILE", "write to FILE instead of standard output; it appears whole or not at all", false,
      kOfferFile},
     [](const FlagValue& v, ConvertOptions& o) -> Problem {
         if (v.text.empty()) return expected(v, "FILE");
         o.output = v.text;
         return std::nullopt;
     }},
    {{"--input-format", "FORMAT", "do not look at the content to tell the format (agent-audit formats lists them)",
      true, offer_word(reader_words)},
     [](const FlagValue& v, ConvertOptions& o) { return reader(v, o.plan.input_format); }},
    {{"--max-line-size", "SIZE", "longest record that is read, 64M by default; a longer one is counted"},
     [](const FlagValue& v, ConvertOptions& o) { return size(v, o.plan.max_line_bytes); }},
    {{"--strict-input", "", "any record that cannot be read, an unfinished last one too, is exit code 3"},
     [](const FlagValue&, ConvertOptions& o) -> Problem {
         o.strict_input = true;
         return std::nullopt;
     }},
    {{"--redact", "WHAT", "taken out of all texts: none (default), secrets, strict (also e-mails, users)", true,
      kOfferRedact},
     [](const FlagValue& v, ConvertOptions& o) { return choose(v, kRedact, o.redact); }},
    {{"--progress", "WHEN", "auto (default), always, never; on standard error", true, kOfferWhen},
     [](const FlagValue& v, ConvertOptions& o) { return choose(v, kWhen, o.progress); }},
};

template <class Flag, std::size_t N>
constexpr auto specs_of(const Flag (&flags)[N]) {
    std::array<FlagSpec, N> specs{};
    for (std::size_t i = 0; i < N; ++i) specs[i] = flags[i].spec;
    return specs;
}

constexpr auto kConvertSpecs = specs_of(kConvertFlags);

constexpr auto kSpecs = specs_of(kScanFlags);

}  // namespace

std::span<const FlagSpec> scan_flags() { return kSpecs; }

Result<ScanOptions> scan_options(const Arguments& arguments) { return audit_options(kSpecs, arguments); }

std::vector<FlagSpec> scan_flags_named(std::span<const std::string_view> long_names) {
    std::vector<FlagSpec> out;
    for (const std::string_view name : long_names)
        out.push_back(*std::ranges::find(kSpecs, name, &FlagSpec::long_name));
    return out;
}

Result<std::string> baseline_path(std::span<const FlagValue> baseline, std::span<const FlagValue> no_baseline,
                                  const Config& config) {
    // Of a file and none, the one that is said more firmly: on the command line, in the environment, in a file.
    const bool named = !baseline.empty() && typed(baseline.back()),
               refused = !no_baseline.empty() && typed(no_baseline.back());
    if (named && refused) return Error{"--baseline and --no-baseline: which?"};
    if (refused || (!named && !no_baseline.empty())) return std::string();
    std::vector<FlagValue> values(baseline.begin(), baseline.end());
    if (values.empty()) config.values("baseline", values);
    if (values.empty()) return find_upwards(kBaselineFile);
    if (values.back().text.empty()) return Error{values.back().origin + " needs a file"};
    return values.back().text;
}

namespace {

const std::vector<FlagValue>& values_of(std::span<const FlagSpec> flags, const Arguments& arguments,
                                        const FlagSpec& flag) {
    static const std::vector<FlagValue> none;
    const auto found = std::ranges::find(flags, flag.long_name(), &FlagSpec::long_name);
    return found == flags.end() ? none : arguments.flags[static_cast<std::size_t>(found - flags.begin())];
}

// What the command line and the environment leave open, the files may say.
std::vector<FlagValue> settled(const std::vector<FlagValue>& given, const FlagSpec& flag, const Config& config) {
    std::vector<FlagValue> values = given;
    if (values.empty()) config.values(flag.long_name().substr(2), values);
    if (flag.is_switch()) std::erase_if(values, [](const FlagValue& value) { return value.text == "0"; });
    return values;
}

// -f says what goes to standard output unless an -o FILE takes it; an -o FORMAT=- beside it says it a second time.
Problem two_formats(const std::vector<OutputTarget>& outputs, const Draft& draft) {
    if (!draft.format_on_command_line) return std::nullopt;
    if (std::ranges::any_of(outputs, [](const OutputTarget& target) { return !target.format; })) return std::nullopt;
    for (const OutputTarget& target : outputs) {
        if (target.path != "-" || target.format == draft.format) continue;
        return Error{fmt::format("--format {} and --output {}=-: which goes to standard output?", draft.format->id,
                                 target.format->id)};
    }
    return std::nullopt;
}

// The format that the ending of a file name speaks of; null: none, or several.
const RendererSpec* format_of_ending(std::string_view path) {
    constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
        {".sarif", "sarif"}, {".xml", "junit"}, {".json", "json"},   {".ndjson", "ndjson"}, {".jsonl", "ndjson"},
        {".csv", "csv"},     {".tap", "tap"},   {".md", "markdown"}, {".html", "html"}};
    for (const auto& [ending, format] : kEndings) {
        if (path.ends_with(ending)) return find_renderer(format);
    }
    return nullptr;
}

// Who names a file result.json and no format gets text, and another step would be the first to notice.
void say_surprising_text(const OutputTarget& target) {
    const RendererSpec* meant = format_of_ending(target.path);
    if (meant)
        hint(fmt::format("agent-audit: {} will hold text; '-o {}={}' writes {}", target.path, meant->id, target.path,
                         meant->id));
}

// -o FILE takes the place of standard output. -o FORMAT=FILE does not where -f says what goes there.
void settle_outputs(std::vector<OutputTarget>& outputs, const RendererSpec* format) {
    const bool replaced =
        std::ranges::any_of(outputs, [](const OutputTarget& target) { return !target.format || target.path == "-"; });
    if (outputs.empty() || (format && !replaced)) outputs.push_back({format, "-"});
    for (OutputTarget& target : outputs) {
        if (!target.format && !format) say_surprising_text(target);
        if (!target.format) target.format = format ? format : find_renderer("text");
    }
}

Problem use_baseline(const std::string& path, AuditPlan& plan) {
    constexpr std::uint64_t kLargest = 64u << 20;
    if (path.empty()) return std::nullopt;
    const Result<std::string> text = read_file(path, kLargest);
    if (!text) return text.error();
    auto baseline = parse_baseline(*text, path);
    if (!baseline) return baseline.error();
    plan.baseline = std::move(*baseline);
    return std::nullopt;
}

// Only suppressions that end ask what day it is.
Problem set_today(AuditPlan& plan) {
    constexpr std::int64_t kDay = 86'400'000;
    if (std::ranges::none_of(plan.suppressions, [](const Suppression& s) { return s.until_days.has_value(); }))
        return std::nullopt;
    const Result<std::int64_t> now = now_ms();
    if (!now) return now.error();
    plan.today_days = *now / kDay;
    return std::nullopt;
}

}  // namespace

Result<ScanOptions> audit_options(std::span<const FlagSpec> flags, const Arguments& arguments) {
    const auto choice =
        config_choice(values_of(flags, arguments, kConfigFlag), values_of(flags, arguments, kNoConfigFlag));
    if (!choice) return choice.error();
    const Result<Config> config = load_config(*choice);
    if (!config) return config.error();
    Draft draft;
    ScanOptions& options = draft.options;
    if (auto problem = apply_config(*config, options.plan)) return *problem;
    for (const ScanFlag& flag : kScanFlags) {
        for (const FlagValue& value : settled(values_of(flags, arguments, flag.spec), flag.spec, *config)) {
            if (auto problem = flag.apply(value, draft)) return *problem;
        }
    }
    const auto baseline = baseline_path(values_of(flags, arguments, kBaselineFlag),
                                        values_of(flags, arguments, kNoBaselineFlag), *config);
    if (!baseline) return baseline.error();
    if (auto problem = use_baseline(*baseline, options.plan)) {
        std::vector<FlagValue> values = values_of(flags, arguments, kBaselineFlag);
        if (values.empty()) config->values("baseline", values);
        if (!values.empty() && !typed(values.back())) problem->message = values.back().origin + ": " + problem->message;
        return *problem;
    }
    if (auto problem = set_today(options.plan)) return *problem;
    options.plan.inputs = arguments.operands;
    auto lists = read_input_lists(values_of(flags, arguments, kFilesFromFlag),
                                  !values_of(flags, arguments, kNullFlag).empty(), options.plan.inputs);
    if (!lists) return lists.error();
    options.lists = std::move(*lists);
    if (auto problem = two_formats(options.outputs, draft)) return *problem;
    settle_outputs(options.outputs, draft.format);
    return std::move(options);
}

std::optional<Error> option_problem(std::string_view key, const FlagValue& value) {
    const std::string name = "--" + std::string(key);
    const auto flag =
        std::ranges::find(kScanFlags, std::string_view(name), [](const ScanFlag& one) { return one.spec.long_name(); });
    Draft draft;
    return flag == std::end(kScanFlags) ? std::nullopt : flag->apply(value, draft);
}

std::span<const FlagSpec> convert_flags() { return kConvertSpecs; }

Result<ConvertOptions> convert_options(const Arguments& arguments) {
    ConvertOptions options;
    for (std::size_t i = 0; i < kConvertSpecs.size(); ++i) {
        for (const FlagValue& value : arguments.flags[i]) {
            if (auto problem = kConvertFlags[i].apply(value, options)) return *problem;
        }
    }
    if (!options.to) return Error{"--to says what to write: events, atif or chat"};
    options.plan.inputs = arguments.operands;
    auto lists = read_input_lists(arguments.flags[0], !arguments.flags[1].empty(), options.plan.inputs);
    if (!lists) return lists.error();
    options.lists = std::move(*lists);
    return options;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [unit, ec] = std::from_chars(text.data(), end, value);
    if (ec != std::errc{}) return std::nullopt;
    std::string_view suffix(unit, static_cast<std::size_t>(end - unit));
    unsigned shift = 0;
    if (!suffix.empty()) {
        constexpr std::string_view kUnits = "KMG";
        const char upper = static_cast<char>(suffix[0] & ~0x20);
        const std::size_t at = kUnits.find(upper);
        suffix.remove_prefix(1);
        if (at == kUnits.npos || !(suffix.empty() || suffix == "B" || suffix == "iB")) return std::nullopt;
        shift = 10 * (static_cast<unsigned>(at) + 1);
    }
    if (value > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
    return value << shift;
}

}  // namespace agent_audit::cli
