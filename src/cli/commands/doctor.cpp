#include "cli/build_facts.hpp"
#include "cli/commands/answer.hpp"
#include "cli/commands/command.hpp"
#include "cli/commands/listing.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/sessions/session_lines.hpp"
#include "cli/settings/config.hpp"
#include "cli/settings/options.hpp"
#include "cli/terminal/environment.hpp"
#include "cli/terminal/pager.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/version.hpp"
#include "report/escape/sanitize.hpp"
#include "report/words/human.hpp"

#include <agent_audit/config/baseline.hpp>
#include <agent_audit/pipeline/discover.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/remote/curl_status.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

extern char** environ;

namespace agent_audit::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestBaseline = 64u << 20;
constexpr std::size_t kAgentsNamed = 8;

constexpr FlagSpec kFlags[] = {
    {"-f,--format", "FORMAT", "text (default) or json", false, kOfferTextOrJson},
};

constexpr Example kExamples[] = {
    {"agent-audit doctor", "what works here, what does not, and what to do about it"},
    {"agent-audit doctor -f json", "the same for programs"},
};

enum class Health : std::uint8_t { ok, warn, fail };

std::string_view name(Health health) {
    switch (health) {
        case Health::ok: return "ok";
        case Health::warn: return "warn";
        case Health::fail: return "fail";
    }
    return "";
}

struct Check {
    std::string what;
    Health health = Health::ok;
    std::string text;
    std::string remedy{};  ///< empty where all is well
};

// ---- the program ---------------------------------------------------------------------------------------------

Check program() {
    const BuildFacts& facts = build_facts();
    std::string text = fmt::format("agent-audit {}, {} build by {}", kVersion,
                                   facts.build_type.empty() ? "plain" : facts.build_type, facts.compiler);
    if (!facts.commit.empty()) text += fmt::format(", commit {}", facts.commit);
    if (facts.build_type == "Release") return {"program", Health::ok, text};
    return {"program", Health::warn, text, "Only Release builds are fast: sh scripts/build-release.sh makes one."};
}

Check libraries() {
    std::string text;
    for (const Guest& guest : build_facts().guests) {
        text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", guest.name, guest.version.empty() ? "" : " ",
                            guest.version);
    }
    return {"libraries", Health::ok, text};
}

Check charts() {
    const auto guests = build_facts().guests;
    if (std::ranges::find(guests, "dygraphs", &Guest::name) != guests.end())
        return {"charts", Health::ok, "HTML reports have charts that can be zoomed"};
    return {"charts", Health::warn, "built without the chart library: HTML reports have drawn charts only",
            "Build with libjs-dygraphs installed and -DAGENT_AUDIT_CHART=ON."};
}

Check curl() {
    switch (remote::curl_status()) {
        case remote::CurlStatus::usable:
            return {"libcurl", Health::ok, "found; --judge-url, --embeddings-url and --summarizer-url can be used"};
        case remote::CurlStatus::not_built_in:
            return {"libcurl", Health::warn, "built without it: no endpoint can be asked",
                    "Build with libcurl's headers installed (libcurl4-openssl-dev)."};
        case remote::CurlStatus::not_found: break;
    }
    return {"libcurl", Health::warn, "not found: no endpoint can be asked; everything else works",
            "Install libcurl4 to use --judge-url and its like."};
}

// The file that a scan would use: the variable says it more firmly than the settings.
Check prices(const Result<Config>& config) {
    const std::string text = fmt::format("shipped prices of {}", ModelTable::shipped_date());
    std::string file = environment("AGENT_AUDIT_PRICES"), origin = "AGENT_AUDIT_PRICES";
    if (file.empty()) {
        const ConfigValue* said = config ? config->find("prices") : nullptr;
        if (!said || said->texts.empty()) return {"prices", Health::ok, text};
        file = said->texts.back();
        origin = said->origin;
    }
    const auto models = load_models(file);
    if (models) return {"prices", Health::ok, fmt::format("{}, over them {} ({})", text, file, origin)};
    return {"prices", Health::fail, models.error().message,
            fmt::format("Correct the file, or name none any more ({}).", origin)};
}

Check vocabulary() {
    const std::string file = environment("AGENT_AUDIT_VOCAB");
    if (file.empty())
        return {"vocabulary", Health::ok, "none named: agent-audit tokens estimates; --vocab FILE counts exactly"};
    const auto loaded = load_vocabulary(file);
    if (loaded) return {"vocabulary", Health::ok, file + " (AGENT_AUDIT_VOCAB)"};
    return {"vocabulary", Health::fail, loaded.error().message, "Name another file, or unset AGENT_AUDIT_VOCAB."};
}

// ---- the terminal --------------------------------------------------------------------------------------------

Check terminal(const Stream& out) {
    if (!out.terminal)
        return {"terminal", Health::ok,
                fmt::format("standard output is no terminal; text is laid out for {} columns", out.width)};
    std::string text = fmt::format("{} columns", out.width);
    if (!environment("COLUMNS").empty()) text += ", as COLUMNS says";
    if (out.width < 60) return {"terminal", Health::warn, text, "From 60 columns on, tables keep their columns."};
    return {"terminal", Health::ok, text};
}

Check color(const Stream& out) {
    return {"colour", Health::ok,
            fmt::format("{}: {}", out.color ? "on" : "off", color_reason(out.terminal, When::automatic))};
}

Check symbols(const Stream& out) {
    if (out.unicode) return {"symbols", Health::ok, "UTF-8"};
    return {"symbols", Health::warn, "ASCII only: the locale does not say UTF-8",
            "Set LANG to a UTF-8 locale, such as C.UTF-8."};
}

Check pager() {
    const std::string command = pager_command();
    if (!command.empty()) return {"pager", Health::ok, command};
    return {"pager", Health::ok,
            std::getenv("PAGER") ? "none, as PAGER says" : "none found; long texts are written as they are"};
}

// ---- settings ------------------------------------------------------------------------------------------------

// The variables of all flags of all commands: those that are looked at, and those that would be if the flag did not
// have to be typed.
struct FlagVariables {
    std::set<std::string> read, unread;
};
FlagVariables flag_variables() {
    FlagVariables out;
    const auto add = [&](const FlagSpec& flag) {
        (flag.environment ? out.read : out.unread).insert(environment_name(flag));
    };
    for (const CommandSpec& command : all_commands()) std::ranges::for_each(command.flags, add);
    std::ranges::for_each(kCommonFlags, add);
    return out;
}

// What is amiss with a variable; empty: nothing, or it is somebody else's.
std::string mistaken(const std::string& variable, const FlagVariables& known) {
    if (known.unread.contains(variable)) return variable + " does nothing: the flag has to be typed";
    const std::vector<std::string_view> words(known.read.begin(), known.read.end());
    const std::string_view near = nearest(variable, words);
    return near.empty() ? std::string() : fmt::format("{} does nothing; did you mean {}?", variable, near);
}

Check variables() {
    const FlagVariables known = flag_variables();
    std::set<std::string> set, wrong;
    for (char** at = environ; *at; ++at) {
        const std::string_view entry(*at);
        const std::string variable(entry.substr(0, entry.find('=')));
        if (!variable.starts_with("AGENT_AUDIT_")) continue;
        if (known.read.contains(variable))
            set.insert(variable);
        else if (std::string why = mistaken(variable, known); !why.empty())
            wrong.insert(std::move(why));
    }
    const Result<Arguments> given = parse_arguments(scan_flags(), {});
    if (!given) return {"environment", Health::fail, given.error().message, "Correct or unset the variable."};
    if (!wrong.empty())
        return {"environment", Health::warn, fmt::format("{}", fmt::join(wrong, "; ")), "Correct or unset it."};
    return {"environment", Health::ok,
            set.empty() ? "no variable of a flag is set" : fmt::format("{}", fmt::join(set, ", "))};
}

void configuration(const Result<Config>& config, std::vector<Check>& out) {
    const Result<Arguments> given = parse_arguments(scan_flags(), {});
    Arguments arguments = given ? *given : Arguments{};
    arguments.flags.resize(scan_flags().size());
    const Result<ScanOptions> options = audit_options(scan_flags(), arguments);
    std::string files;
    if (config) {
        for (const ConfigFile& file : config->files) files += (files.empty() ? "" : ", over it ") + file.source;
    }
    if (!options) {
        out.push_back({"configuration", Health::fail, options.error().message,
                       "agent-audit config check says more; --no-config does without."});
    } else {
        out.push_back({"configuration", Health::ok, files.empty() ? "no file: defaults hold" : files});
    }
    const Result<std::string> path = config ? baseline_path({}, {}, *config) : Result<std::string>(std::string());
    if (!path || path->empty()) {
        out.push_back({"baseline", Health::ok, "none here or above"});
        return;
    }
    const Result<std::string> text = read_file(*path, kLargestBaseline);
    const auto parsed = text ? parse_baseline(*text, *path) : Result<Baseline>(text.error());
    if (parsed)
        out.push_back({"baseline", Health::ok,
                       fmt::format("{}, {}", *path, report::count_of(parsed->entries.size(), "pattern"))});
    else
        out.push_back(
            {"baseline", Health::fail, parsed.error().message, "agent-audit baseline create makes a new one."});
}

// ---- places --------------------------------------------------------------------------------------------------

Check sessions() {
    DiscoverPlan plan = plan_here({});
    plan.filter.latest = 1;  // counts are wanted, and every entry of the list costs a look into the file
    const Discovery found = discover(plan);
    if (found.found == 0) {
        return {"sessions", Health::warn, "none found on this machine",
                "Name files or folders: agent-audit FILE. The places are in docs/reference/locations.md."};
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(found.agents.size(), kAgentsNamed); ++i) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found.agents[i].agent,
                            report::thousands(found.agents[i].sessions));
    }
    if (found.agents.size() > kAgentsNamed) text += ", …";
    text = fmt::format("{}: {}", report::count_of(found.found, "session"), text);
    if (found.problems.empty()) return {"sessions", Health::ok, text};
    return {"sessions", Health::warn, fmt::format("{}; {}", text, found.problems.front()),
            "agent-audit discover says more."};
}

bool can_write_in(const fs::path& folder) {
    return ::access(folder.c_str(), W_OK | X_OK) == 0 && fs::is_directory(folder);
}

// A folder that is not there yet is made in the nearest one that is.
bool could_write_in(fs::path folder) {
    std::error_code ignored;
    if (folder.is_relative()) folder = fs::current_path(ignored) / folder;
    while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
    return fs::is_directory(folder, ignored) && can_write_in(folder);
}

Check temporary() {
    const std::string named = environment("TMPDIR");
    const std::string folder = named.empty() ? "/tmp" : named;
    std::error_code ignored;
    if (fs::is_directory(folder, ignored) && can_write_in(folder))
        return {"temporary", Health::ok, folder + " can be written"};
    return {"temporary", Health::fail, folder + " cannot be written: reset and checkpoint cannot read standard input",
            "Set TMPDIR to a folder of yours."};
}

Check folder(std::string what, const std::string& variable, std::string_view flag) {
    const std::string named = environment(variable);
    if (named.empty()) return {std::move(what), Health::ok, fmt::format("kept only where {} names a folder", flag)};
    if (could_write_in(named))
        return {std::move(what), Health::ok, fmt::format("{} can be written ({})", named, variable)};
    return {std::move(what), Health::fail, fmt::format("{} cannot be written ({})", named, variable),
            "Make the folder, or name another."};
}

std::vector<Check> all_checks() {
    const Stream out = inspect_stream(STDOUT_FILENO, When::automatic);
    const Result<Config> config = load_config({});
    std::vector<Check> checks{program(),     libraries(), curl(),       charts(), prices(config), vocabulary(),
                              terminal(out), color(out),  symbols(out), pager(),  variables()};
    configuration(config, checks);
    checks.push_back(sessions());
    checks.push_back(temporary());
    checks.push_back(folder("checkpoints", "AGENT_AUDIT_CHECKPOINT_DIR", "--checkpoint-dir"));
    checks.push_back({"cache", Health::ok,
                      "answers of models are kept only where --judge-cache, --embeddings-cache or --summarizer-cache "
                      "names a folder"});
    for (Check& check : checks) check.text = report::visible(check.text);
    return checks;
}

std::size_t count(const std::vector<Check>& checks, Health health) {
    return static_cast<std::size_t>(std::ranges::count(checks, health, &Check::health));
}

// ---- output --------------------------------------------------------------------------------------------------

void draw(report::Page& page, const std::vector<Check>& checks) {
    std::size_t longest = 0;
    for (const Check& check : checks) longest = std::max(longest, check.what.size());
    for (const Check& check : checks) {
        const std::string label = fmt::format("{:<4}  {:<{}}", name(check.health), check.what, longest);
        const int width = static_cast<int>(label.size());
        const auto style = check.health == Health::fail   ? report::Style::red
                           : check.health == Health::warn ? report::Style::yellow
                                                          : report::Style::green;
        if (page.narrow()) {
            page.heading({{std::string(name(check.health)), style}, {check.what, report::Style::bold}});
            page.paragraph(2, check.text);
            if (!check.remedy.empty()) page.paragraph(2, check.remedy, report::Style::bold);
            continue;
        }
        page.labelled(0, width, label, check.text);
        if (!check.remedy.empty()) page.labelled(0, width, "", check.remedy);
    }
    page.blank();
    const std::size_t failed = count(checks, Health::fail), warned = count(checks, Health::warn);
    page.paragraph(
        0, failed > 0 ? fmt::format("{} not work, {} to be warned of.",
                                    failed == 1 ? "1 thing does" : fmt::format("{} things do", failed), warned)
                      : fmt::format("All works{}.", warned > 0 ? ", with " + report::count_of(warned, "warning") : ""));
}

void write_json(report::JsonWriter& json, const std::vector<Check>& checks) {
    json.begin_object();
    json.text("schema", "agent-audit/doctor/1");
    json.text("version", kVersion);
    json.key("checks").begin_array();
    for (const Check& check : checks) {
        json.newline();
        json.begin_object();
        json.text("check", check.what);
        json.text("status", name(check.health));
        json.text("text", check.text);
        json.known_text("remedy", check.remedy);
        json.end_object();
    }
    json.end_array();
    json.number("ok", count(checks, Health::ok));
    json.number("warn", count(checks, Health::warn));
    json.number("fail", count(checks, Health::fail));
    json.end_object();
    json.newline();
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (!arguments.operands.empty()) return usage_error(self, "doctor takes no operand");
    if (const auto format = asks_for_json(arguments, 0); !format) return usage_error(self, format.error().message);
    const std::vector<Check> checks = all_checks();
    const ExitStatus printed = answer(
        self, arguments, 0, [&](report::Page& page) { draw(page, checks); },
        [&](report::JsonWriter& json) { write_json(json, checks); });
    if (printed != ExitStatus::clean) return printed;
    return count(checks, Health::fail) > 0 ? ExitStatus::findings : ExitStatus::clean;
}

}  // namespace

CommandSpec doctor_command() {
    return {"doctor",
            "",
            "say what works on this machine, and what to do about the rest",
            "Looks at the build, the libraries that are loaded when needed, the terminal, the files of settings, the "
            "sessions that can be found (counts only) and the folders that are written to. Nothing is sent anywhere "
            "and nothing is changed. Exit code 0 unless something fails, then 1; a warning is no failure.",
            kExamples,
            kFlags,
            run,
            false,
            Offer{},
            Offer{}};
}

}  // namespace agent_audit::cli
