#include "cli/arguments/offers.hpp"
#include "cli/commands/command.hpp"
#include "cli/pages/rule_page.hpp"
#include "cli/terminal/pager.hpp"
#include "cli/terminal/terminal.hpp"
#include "pipeline/settings/plan.hpp"
#include "report/text/layout.hpp"

#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"agent-audit explain loop/exact-repeat", "what it finds, why it matters, when it is wrong, its thresholds"},
    {"agent-audit explain settings", "policies, error classes, and the tables that --set changes"},
};

constexpr std::string_view kSettings = "settings";

const DetectorSpec* named(std::string_view word) {
    for (const DetectorSpec& rule : all_detectors()) {
        if (word == rule.id || word == rule.code) return &rule;
    }
    return nullptr;
}

bool is_group(std::string_view word) {
    if (word.ends_with('/')) word.remove_suffix(1);
    return std::ranges::any_of(all_detectors(),
                               [&](const DetectorSpec& rule) { return rule.id.substr(0, rule.id.find('/')) == word; });
}

std::string unknown_rule_words(std::string_view word) {
    std::vector<std::string_view> known{kSettings};
    for (const DetectorSpec& rule : all_detectors()) {
        known.push_back(rule.id);
        known.push_back(rule.code);
        known.push_back(rule.id.substr(rule.id.find('/') + 1));
    }
    std::string message = fmt::format("unknown rule '{}'", word);
    const std::string_view near = nearest(word, known);
    if (near.empty()) return message + " (agent-audit rules lists them)";
    if (near == kSettings) return message + "; did you mean settings?";
    for (const DetectorSpec& rule : all_detectors()) {
        if (rule.id.ends_with(near) || rule.code == near) return message + fmt::format("; did you mean {}?", rule.id);
    }
    return message;
}

bool is_item(std::string_view line) { return line.starts_with("- "); }

// Lines of Markdown that stand for themselves; others run on.
bool stands_alone(std::string_view line) {
    return line.empty() || line[0] == '#' || line[0] == '|' || line.starts_with("    ");
}

// The page as wide as the terminal: paragraphs and items are filled anew, tables and code stay.
std::string filled(std::string_view text, int width) {
    std::string out, running;
    const ByteSink sink = [&](std::string_view bytes) {
        out += bytes;
        return true;
    };
    const RenderOptions options{.width = width};
    report::Page page(options, sink);
    const auto flush = [&] {
        if (is_item(running))
            page.labelled(0, 0, "-", std::string_view(running).substr(2));
        else if (!running.empty())
            page.paragraph(0, running);
        running.clear();
    };
    bool code = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool fence = line.starts_with("```");
        if (code || fence || stands_alone(line)) {
            flush();
            page.line(0, line);
            code = code != fence;
            continue;
        }
        if (is_item(line)) flush();
        while (!running.empty() && line.starts_with(' ')) line.remove_prefix(1);
        running.append(running.empty() ? "" : " ").append(line);
    }
    flush();
    page.flush();
    return out;
}

ExitStatus show(const std::string& page, bool no_pager) {
    const Stream stream = inspect_stream(STDOUT_FILENO, When::never);
    return print_paged(stream.terminal ? filled(page, stream.width) : page, no_pager);
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.size() != 1)
        return usage_error(self, "explain takes one rule (agent-audit rules lists them)");
    if (arguments.operands[0] == kSettings) return show(settings_page(), arguments.no_pager);
    const std::string& word = arguments.operands[0];
    const DetectorSpec* rule = named(canonical_rule(word));
    if (!rule && is_group(word))
        return usage_error(
            self,
            fmt::format("'{}' is a group of rules; explain takes one of them (agent-audit rules lists them)", word));
    if (!rule) return usage_error(self, unknown_rule_words(word));
    return show(rule_page(*rule), arguments.no_pager);
}

}  // namespace

CommandSpec explain_command() {
    return {"explain",
            "RULE",
            "tell all about one rule",
            "RULE is a name such as loop/exact-repeat or a code such as AA101; \"settings\" is the page about all "
            "that is set for every rule. The page is Markdown.",
            kExamples,
            {},
            run,
            false,
            offer_word(rule_or_settings_words),
            Offer{}};
}

}  // namespace agent_audit::cli
