#pragma once

#include "report/exchange/uri_base.hpp"
#include "report/json/json_writer.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/finding_words.hpp"

#include <agent_audit/report/renderer.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::report {

std::string_view sarif_level(Severity severity);

/// Links, [text](target), and places to fill in, {0}, are what a plain text message has: a transcript has neither.
std::string sarif_message(std::string_view text);

/// What all parts of a SARIF file are written with: messages, places, and the numbers of rules.
class SarifParts {
public:
    static constexpr std::size_t kMaxResults = 25'000;  ///< what GitHub takes of an upload

    SarifParts(const Report& of, const RenderOptions& how, const ByteSink& out);

    const std::vector<std::string>& rules() const { return rules_; }
    std::size_t rule_index(const std::string& rule) const { return rule_index_.find(rule)->second; }

    void message(std::string_view name, std::string_view text);
    void artifact_location(std::size_t input);
    /// Without lines the location is the whole file.
    void physical_location(std::size_t input, std::optional<FileLines> lines, const Finding* bytes = nullptr);

    const Report& report;
    const RenderOptions& options;
    FindingWords words;
    std::vector<const Finding*> findings;  ///< those that do not count among them
    JsonWriter json;
    InputUris uris;
    std::string baseline_uri;  ///< where there is one

private:
    void add_rule(const std::string& id);

    std::vector<std::string> rules_;
    std::map<std::string, std::size_t, std::less<>> rule_index_;
};

}  // namespace agent_audit::report
