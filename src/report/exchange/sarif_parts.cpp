#include "report/exchange/sarif_parts.hpp"

#include "report/json/json_parts.hpp"
#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit::report {

std::string_view sarif_level(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::info: return "note";
    }
    return "note";
}

std::string sarif_message(std::string_view text) {
    const bool link = text.find("](") != text.npos;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (link && (c == '[' || c == ']')) out += '\\';
        const bool digit =
            (c == '{' && i + 1 < text.size() && is_digit(text[i + 1])) || (c == '}' && i > 0 && is_digit(text[i - 1]));
        out.append(digit ? 2 : 1, c);
    }
    return out;
}

SarifParts::SarifParts(const Report& of, const RenderOptions& how, const ByteSink& out)
    : report(of),
      options(how),
      words(of, how, FindingWords::From::checkout),
      findings(all_findings(of)),
      json(out, how.guard_ci),
      uris(of, words) {
    for (const RuleRun& rule : of.rules) add_rule(rule.id);
    for (const Finding* f : findings) add_rule(f->rule);
    if (!of.baseline) return;
    for (const BaselineReport::Gone& gone : of.baseline->absent) add_rule(gone.rule);
    baseline_uri = uris.beside(words.raw_path_of_file(of.baseline->source));
}

void SarifParts::add_rule(const std::string& id) {
    if (rule_index_.try_emplace(id, rules_.size()).second) rules_.push_back(id);
}

void SarifParts::message(std::string_view name, std::string_view text) {
    json.key(name).begin_object();
    json.text("text", text);
    json.end_object();
}

void SarifParts::artifact_location(std::size_t input) {
    json.begin_object();
    json.text("uri", uris.uri(input));
    json.text("uriBaseId", uris.base(input));
    json.number("index", input);
    json.end_object();
}

void SarifParts::physical_location(std::size_t input, std::optional<FileLines> lines, const Finding* bytes) {
    json.key("physicalLocation").begin_object();
    json.key("artifactLocation");
    artifact_location(input);
    if (lines && lines->first > 0) {
        json.key("region").begin_object();
        json.number("startLine", lines->first);
        json.number("endLine", std::max(lines->first, lines->last));
        if (bytes && bytes->end_offset > bytes->first_offset) {
            json.number("byteOffset", bytes->first_offset);
            json.number("byteLength", bytes->end_offset - bytes->first_offset);
        }
        json.end_object();
    }
    json.end_object();
}

}  // namespace agent_audit::report
