#include "cli/commands/command.hpp"
#include "cli/commands/listing.hpp"

#include <agent_audit/detectors/detector.hpp>

#include <fmt/format.h>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"agent-audit rules", "every rule, one paragraph each"},
    {"agent-audit rules -f json", "with thresholds, for programs"},
};

std::string text_of(const DetectorSpec& rule) {
    return fmt::format("{}. Up to {}; needs {}.{}", rule.summary, name(rule.worst), describe(rule.needs),
                       rule.stage == Stage::preview ? " Preview: runs only when selected." : "");
}

void write_params(report::JsonWriter& json, const std::vector<ParamDoc>& params) {
    json.key("params").begin_array();
    for (const ParamDoc& param : params) {
        json.begin_object();
        json.text("name", param.name);
        json.text("default", param.default_value);
        json.text("min", param.min);
        json.text("max", param.max);
        json.flag("integer", param.integer);
        json.text("doc", param.doc);
        json.end_object();
    }
    json.end_array();
}

void write_json(report::JsonWriter& json) {
    json.begin_object();
    json.text("schema", "agent-audit/rules/1");
    json.key("rules").begin_array();
    for (const DetectorSpec& rule : all_detectors()) {
        json.newline();
        json.begin_object();
        json.text("rule", rule.id);
        json.text("code", rule.code);
        json.text("severity", name(rule.worst));
        json.real("confidence", rule.confidence);
        json.text("stage", rule.stage == Stage::stable ? "stable" : "preview");
        write_signals(json, "needs", rule.needs);
        json.text("summary", rule.summary);
        write_params(json, rule.params());
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.newline();
}

void write_text(report::Page& page) {
    std::size_t longest = 0;
    for (const DetectorSpec& rule : all_detectors()) longest = std::max(longest, rule.id.size());
    for (const DetectorSpec& rule : all_detectors()) {
        const std::string label = fmt::format("{}  {:<{}}", rule.code, rule.id, longest);
        row(page, static_cast<int>(label.size()), label, text_of(rule));
    }
    page.blank();
    page.paragraph(0, "agent-audit explain RULE tells all about one.");
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (!arguments.operands.empty()) return usage_error(self, "rules takes no operand; explain RULE does");
    return list(self, arguments, write_text, write_json);
}

}  // namespace

CommandSpec rules_command() {
    return {"rules",
            "",
            "list the rules",
            "Lists what is looked for: code, name, worst severity, and what a recording must "
            "have for it.",
            kExamples,
            listing_flags(),
            run,
            false,
            Offer{},
            Offer{}};
}

}  // namespace agent_audit::cli
