#include "cli/settings/options.hpp"

#include "cli/arguments/offers.hpp"
#include "cli/clock.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/settings/flag_values.hpp"
#include "cli/settings/option_problem.hpp"
#include "cli/settings/specs_of.hpp"
#include "pipeline/settings/plan.hpp"
#include "support/open_error.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace agent_audit::cli {
namespace {

// ---- rules ---------------------------------------------------------------------------------------------------

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
constexpr std::pair<std::string_view, Policy> kPolicies[] = {
    {"balanced", Policy::balanced}, {"strict", Policy::strict}, {"permissive", Policy::permissive}};

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

// A variable filters what is named; only who types the flag means "of all sessions on this machine".
Problem chosen(const FlagValue& value, Draft& draft, Problem problem) {
    draft.options.chooses = draft.options.chooses || typed(value);
    return problem;
}

Problem latest(const FlagValue& value, Draft& draft) {
    std::uint64_t& count = draft.options.plan.filter.latest;
    count = 1;
    if (value.text.empty()) return chosen(value, draft, std::nullopt);
    return chosen(value, draft, number_value(value, std::uint64_t{1}, std::uint64_t{1'000'000}, count));
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
         return format_value(v, d.format);
     }},
    {{"-o,--output", "FILE",
      "write to FILE instead of standard output; FORMAT=FILE for a format besides that of -f; repeatable", true,
      kOfferFile},
     [](const FlagValue& v, Draft& d) { return output_value(v, d.options.outputs); }},
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
     [](const FlagValue& v, Draft& d) {
         Problem problem = choose(v, kPolicies, d.options.plan.policy);
         if (problem && !problem->message.ends_with('?'))
             problem->message += " (agent-audit replay takes others, and files)";
         return problem;
     }},
    {{"--min-severity", "LEVEL", "show findings from this severity on: info (default), warning, error", true,
      kOfferLevel},
     [](const FlagValue& v, Draft& d) { return choose(v, kLevels, d.options.plan.min_severity); }},
    {{"--min-confidence", "X", "show findings at least this sure, 0 to 1"},
     [](const FlagValue& v, Draft& d) { return number_value(v, 0.0, 1.0, d.options.plan.min_confidence); }},
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
      "reflection points: every N responses (5; 0: none) the drift score, the last three of them and a prompt"},
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
         return Error{v.origin + ": " + cannot_open(v.text, errno).message};
     }},
    {{"--max-findings", "N",
      "findings listed for each rule, the most severe of them: 200 by default in text and markdown, 10000 in all other "
      "formats; the rest is counted"},
     [](const FlagValue& v, Draft& d) {
         auto problem =
             number_value(v, std::uint64_t{1}, std::uint64_t{1'000'000}, d.options.plan.max_findings_per_rule);
         d.options.max_findings = d.options.plan.max_findings_per_rule;
         return problem;
     }},
    {{"--latest", "[N]", "only the session written last, or the last N, with the files of their sub-agents"},
     [](const FlagValue& v, Draft& d) { return latest(v, d); }},
    {kProjectFlag, [](const FlagValue& v, Draft& d) { return chosen(v, d, project(v, d.options.plan.filter)); }},
    {kSinceFlag, [](const FlagValue& v, Draft& d) { return chosen(v, d, since(v, d.options.plan.filter)); }},
    {kUntilFlag, [](const FlagValue& v, Draft& d) { return chosen(v, d, until(v, d.options.plan.filter)); }},
    {kExcludeFlag, [](const FlagValue& v, Draft& d) { return exclude(v, d.options.plan.filter.exclude); }},
    {kFilesFromFlag, [](const FlagValue&, Draft&) -> Problem { return std::nullopt; }},  // read after all others
    {kNullFlag, [](const FlagValue&, Draft&) -> Problem { return std::nullopt; }},
    {{"--input-format", "FORMAT", "do not look at the content to tell the format (agent-audit formats lists them)",
      true, offer_word(reader_words)},
     [](const FlagValue& v, Draft& d) { return input_format_value(v, d.options.plan.input_format); }},
    {{"--max-line-size", "SIZE", "longest record that is read, 64M by default; a longer one is counted"},
     [](const FlagValue& v, Draft& d) { return size_value(v, d.options.plan.max_line_bytes); }},
    {{"--strict-input", "",
      "any record that cannot be read, an unfinished last one too, and any empty file is exit code 3"},
     [](const FlagValue&, Draft& d) -> Problem {
         d.options.strict_input = d.options.plan.empty_is_a_problem = true;
         return std::nullopt;
     }},
    {{"-j,--jobs", "N", "files read at the same time; 0 (default) = processors, at most 8"},
     [](const FlagValue& v, Draft& d) { return number_value(v, 0u, 256u, d.options.plan.jobs); }},
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

std::vector<FlagSpec> with_scan_flags(std::span<const FlagSpec> own, std::span<const std::string_view> long_names) {
    std::vector<FlagSpec> out(own.begin(), own.end());
    std::ranges::copy(scan_flags_named(long_names), std::back_inserter(out));
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

// Flags that one format alone heeds.
struct FormatFlag {
    std::string_view flag, format;
};
constexpr FormatFlag kFormatFlags[] = {
    {"--category", "sarif"}, {"--gitlab-blocker", "gitlab"}, {"--hash", "sarif"}, {"--with-timing", "junit"}};

// What was typed for a format that is not written. What the environment says is meant for whatever heeds it.
void note_idle_flags(std::span<const FlagSpec> flags, const Arguments& arguments, OutputOptions& options) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const auto* const only = std::ranges::find(kFormatFlags, flags[i].long_name(), &FormatFlag::flag);
        if (only == std::end(kFormatFlags) || std::ranges::none_of(arguments.flags[i], typed)) continue;
        const auto writes = [only](const OutputTarget& target) { return target.format->id == only->format; };
        if (std::ranges::none_of(options.outputs, writes))
            options.idle_flags.push_back(fmt::format("{} does nothing: it is for -f {}", only->flag, only->format));
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
    if (draft.format_on_command_line) {
        if (auto problem = two_formats(options.outputs, *draft.format)) return *problem;
    }
    settle_outputs(options.outputs, draft.format);
    note_idle_flags(flags, arguments, options);
    return std::move(options);
}

std::optional<Error> option_problem(std::string_view key, const FlagValue& value) {
    const std::string name = "--" + std::string(key);
    const auto flag =
        std::ranges::find(kScanFlags, std::string_view(name), [](const ScanFlag& one) { return one.spec.long_name(); });
    Draft draft;
    return flag == std::end(kScanFlags) ? std::nullopt : flag->apply(value, draft);
}

}  // namespace agent_audit::cli
