#include "cli/arguments/arguments.hpp"

#include "cli/arguments/command_spec.hpp"
#include "cli/arguments/other_words.hpp"

#include <agent_audit/support/suggest.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>

namespace agent_audit::cli {
namespace {

// "scan, report": those that know a flag of this name.
std::string commands_with(std::string_view flag) {
    std::string names;
    for (const CommandSpec& command : all_commands()) {
        if (command.hidden || std::ranges::find(command.flags, flag, &FlagSpec::long_name) == command.flags.end())
            continue;
        names.append(names.empty() ? "" : ", ").append(command.name);
    }
    return names;
}

Error unknown_flag(std::string_view word, std::span<const FlagSpec> flags) {
    const std::string_view name = word.substr(0, word.find('='));
    std::vector<std::string_view> known;
    for (const FlagSpec& flag : kCommonFlags) known.push_back(flag.long_name());
    for (const FlagSpec& flag : flags) known.push_back(flag.long_name());
    const std::string_view ours = instead_of_flag(name, flags);
    const std::string_view near = ours.empty() ? nearest(name, known) : ours;
    std::string message = "unknown flag '" + std::string(name.size() > 1 ? name : word) + "'";
    if (const std::string owners = commands_with(name); ours.empty() && !owners.empty()) {
        message.append(" (a flag of ").append(owners).append(")");
    } else if (!near.empty()) {
        message.append("; did you mean ").append(near).append("?");
    }
    return {std::move(message)};
}

// A switch in the environment: yes, no, or how often.
Result<std::size_t> switch_count(const std::string& name, std::string_view value) {
    std::string word(value);  // some runners write True and False
    std::ranges::transform(word, word.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    for (const std::string_view no : {"0", "false", "no", "off"}) {
        if (word == no) return std::size_t{0};
    }
    for (const std::string_view yes : {"1", "true", "yes", "on"}) {
        if (word == yes) return std::size_t{1};
    }
    if (value.size() == 1 && value[0] >= '2' && value[0] <= '9') return static_cast<std::size_t>(value[0] - '0');
    return Error{name + " = \"" + std::string(value) + "\": expected 1 or 0"};
}

std::optional<Error> from_environment(const FlagSpec& flag, std::vector<FlagValue>& values) {
    const std::string name = environment_name(flag);
    const char* value = std::getenv(name.c_str());
    if (!value || *value == '\0') return std::nullopt;
    if (!flag.is_switch()) {
        values.push_back({value, name});
        return std::nullopt;
    }
    const Result<std::size_t> times = switch_count(name, value);
    if (!times) return times.error();
    values.assign(*times, {"", name});
    return std::nullopt;
}

// CLI11's words for a missing value name its own type, those for a switch with one its conversion; ours name the flag.
Error rephrased(const CLI::ParseError& error) {
    const std::string message = error.what();
    if (error.get_name() == "ArgumentMismatch") return {message.substr(0, message.find(':')) + " needs a value"};
    if (error.get_name() == "ConversionError" && message.find(": -") != message.npos) {
        const std::string flag = message.substr(message.find(": -") + 2);
        return {flag.substr(0, flag.find(' ')) + " takes no value"};
    }
    return {message};
}

// One below 0 as well: no flag takes it, which is then said of the flag instead of a file that is not there.
bool is_number(std::string_view word) {
    if (word.starts_with('-')) word.remove_prefix(1);
    return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

// CLI11 would take whatever follows for the value; a file after --latest is a file.
std::vector<std::string> take_optional(const FlagSpec& flag, std::vector<std::string>& words) {
    std::vector<std::string> values;
    const std::string_view name = flag.long_name();
    const auto end = static_cast<std::size_t>(std::ranges::find(words, "--") - words.begin());
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        const bool joined = word.starts_with(name) && word.substr(name.size()).starts_with('=');
        if (i >= end || !(word == name || joined)) {
            rest.push_back(words[i]);
        } else if (joined) {
            values.emplace_back(word.substr(name.size() + 1));
        } else {
            values.emplace_back(i + 1 < end && is_number(words[i + 1]) ? words[++i] : std::string());
        }
    }
    words = std::move(rest);
    return values;
}

// CLI11 takes "--name=" for a flag whose value is the next word, which would be lost as a file. An empty word is what a
// shell makes of a variable that nobody set: as if the flag were not there, the run would do less than was asked for.
std::optional<Error> missing_value(std::span<const FlagSpec> flags, const std::vector<std::string>& words) {
    const auto takes_next = [](const FlagSpec& flag, std::string_view word) {
        return !flag.is_switch() && !flag.value_is_optional() &&
               (word == flag.long_name() || (word.size() == 2 && flag.names.starts_with(word)));
    };
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        const std::string_view word = words[i];
        for (const FlagSpec& flag : flags) {
            if (takes_next(flag, word) && ++i < words.size() &&
                words[i].empty()) {  // whatever it looks like, it is that flag's value
                return Error{std::string(flag.long_name()) + " needs a value: what stands behind it is empty"};
            }
            if (word.ends_with('=') && takes_next(flag, word.substr(0, word.size() - 1)) && word.starts_with("--")) {
                return Error{std::string(flag.long_name()) + " needs a value: nothing stands behind the ="};
            }
        }
    }
    return std::nullopt;
}

// May one of the words be this flag? CLI11 compares every flag with every other one, which is a tenth of the time to
// start with all of a scan: those that nobody names need not be there.
bool may_be_named(const FlagSpec& flag, const std::vector<std::string>& words) {
    const std::string_view name = flag.long_name();
    const bool has_letter = flag.names.size() > 1 && flag.names[1] != '-';
    return std::ranges::any_of(words, [&](std::string_view word) {
        if (word.size() < 2 || word[0] != '-') return false;
        return word[1] == '-' ? word.starts_with(name) : has_letter && word.find(flag.names[1]) != word.npos;
    });
}

}  // namespace

std::string environment_name(const FlagSpec& flag) {
    std::string name = "AGENT_AUDIT_";
    for (const char c : flag.long_name().substr(2)) {
        name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    }
    return name;
}

Result<Arguments> parse_arguments(std::span<const FlagSpec> flags, std::vector<std::string> words) {
    Arguments out;
    out.flags.resize(flags.size());
    std::vector<std::vector<std::string>> texts(flags.size());
    std::vector<int> times(flags.size(), 0);

    std::array<int, std::size(kCommonFlags)> common{};
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    for (std::size_t i = 0; i < std::size(kCommonFlags); ++i) {
        if (may_be_named(kCommonFlags[i], words)) app.add_flag(std::string(kCommonFlags[i].names), common[i]);
    }
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (!may_be_named(flags[i], words)) continue;
        const std::string names(flags[i].names);
        if (flags[i].value_is_optional()) {
            texts[i] = take_optional(flags[i], words);
        } else if (flags[i].is_switch()) {
            app.add_flag(names, times[i]);
        } else {
            app.add_option(names, texts[i])->allow_extra_args(false);
        }
    }
    if (auto problem = missing_value(flags, words)) return *problem;
    app.add_option("operands", out.operands);
    // CLI11 2.1 hands "--" back as an argument nobody expected, so the options end here.
    const auto options_end = std::ranges::find(words, "--");
    try {
        app.parse(
            std::vector<std::string>(std::reverse_iterator(options_end), words.rend()));  // it takes them from the back
    } catch (const CLI::ParseError& error) {
        return rephrased(error);
    }
    for (const std::string& extra : app.remaining()) {
        if (extra.size() > 1 && extra[0] == '-') return unknown_flag(extra, flags);
        out.operands.push_back(extra);
    }
    out.help = common[0] > 0;
    out.version = common[1] > 0;
    out.licenses = common[2] > 0;
    out.no_pager = common[3] > 0;
    if (!out.no_pager) {
        std::vector<FlagValue> values;
        if (auto problem = from_environment(kCommonFlags[3], values)) return *problem;
        out.no_pager = !values.empty();
    }
    if (options_end != words.end()) out.operands.insert(out.operands.end(), options_end + 1, words.end());
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::string origin(flags[i].long_name());
        for (std::string& text : texts[i]) out.flags[i].push_back({std::move(text), origin});
        out.flags[i].insert(out.flags[i].end(), static_cast<std::size_t>(std::max(times[i], 0)), FlagValue{"", origin});
        if (!out.flags[i].empty() || !flags[i].environment) continue;
        if (auto problem = from_environment(flags[i], out.flags[i])) return *problem;
    }
    return out;
}

}  // namespace agent_audit::cli
