#include <agent_audit/config/baseline.hpp>

#include <agent_audit/support/json_text.hpp>

#include "config/json_place.hpp"
#include "support/byte_order_mark.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace agent_audit {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kSchema = "agent-audit/baseline/1";

constexpr std::string_view kUsualPolicy = "balanced";  // is not written

std::string json_quoted(std::string_view text) {
    std::string out = "\"";
    append_json_escaped(out, text);
    return out += '"';
}

bool read_entry(dom::object fields, BaselineEntry& entry) {
    const auto text = [&](std::string_view key, std::string& into) {
        std::string_view value;
        if (fields[key].get(value)) return false;
        into = value;
        return true;
    };
    if (!text("rule", entry.rule) || !text("fingerprint", entry.pattern) || fields["count"].get(entry.count))
        return false;
    (void)text("first_seen", entry.first_seen);
    (void)text("reason", entry.reason);
    if (text("severity", entry.severity) && !text("policy", entry.policy)) entry.policy = kUsualPolicy;
    dom::array findings;
    if (fields["findings"].get(findings)) return true;
    for (const dom::element one : findings) {
        std::string_view fingerprint;
        if (one.get(fingerprint)) return false;
        if (entry.findings.size() < kBaselineFindings) entry.findings.emplace_back(fingerprint);
    }
    return true;
}

auto place(const BaselineEntry& entry) { return std::tie(entry.rule, entry.pattern); }

}  // namespace

const BaselineEntry* Baseline::find(std::string_view rule, std::string_view pattern) const {
    const auto found =
        std::ranges::find_if(entries, [&](const BaselineEntry& e) { return e.rule == rule && e.pattern == pattern; });
    return found == entries.end() ? nullptr : &*found;
}

Result<Baseline> parse_baseline(std::string_view text, std::string_view source) {
    text = without_byte_order_mark(text);
    dom::parser parser;
    dom::element document;
    if (const auto error = parser.parse(text.data(), text.size()).get(document)) {
        return Error{not_json(source, text, simdjson::error_message(error))};
    }
    std::string_view schema;
    const bool named = !document["schema"].get(schema);
    if (const std::string other = named ? other_version(schema, kSchema) : std::string(); !other.empty())
        return Error{fmt::format("{}: {}", source, other)};
    if (!named || schema != kSchema) {
        return Error{fmt::format("{}: not a baseline: expected \"schema\": \"{}\"", source, kSchema)};
    }
    Baseline out;
    out.source = source;
    dom::array entries;
    if (document["entries"].get(entries)) return Error{fmt::format("{}: expected a list \"entries\"", source)};
    for (const dom::element element : entries) {
        dom::object fields;
        BaselineEntry entry;
        if (element.get(fields) || !read_entry(fields, entry)) {
            return Error{
                fmt::format("{}: entries[{}]: expected rule, fingerprint and count", source, out.entries.size())};
        }
        out.entries.push_back(std::move(entry));
    }
    std::ranges::sort(out.entries, {}, place);
    const auto twice = std::ranges::adjacent_find(out.entries, {}, place);
    if (twice != out.entries.end()) {
        return Error{fmt::format("{}: two entries for {} with fingerprint {}", source, twice->rule, twice->pattern)};
    }
    return out;
}

std::string baseline_text(const Baseline& baseline, std::string_view tool_version) {
    std::string out =
        fmt::format("{{\"schema\": \"{}\", \"tool\": {{\"name\": \"agent-audit\", \"version\": {}}},\n\"entries\": [",
                    kSchema, json_quoted(tool_version));
    bool first = true;
    for (const BaselineEntry& entry : baseline.entries) {
        out += fmt::format("{}\n{{\"rule\": {}, \"fingerprint\": {}, \"count\": {}", first ? "" : ",",
                           json_quoted(entry.rule), json_quoted(entry.pattern), entry.count);
        first = false;
        if (!entry.severity.empty()) out += fmt::format(", \"severity\": {}", json_quoted(entry.severity));
        if (!entry.severity.empty() && entry.policy != kUsualPolicy)
            out += fmt::format(", \"policy\": {}", json_quoted(entry.policy));
        if (!entry.first_seen.empty()) out += fmt::format(", \"first_seen\": {}", json_quoted(entry.first_seen));
        if (!entry.reason.empty()) out += fmt::format(", \"reason\": {}", json_quoted(entry.reason));
        if (!entry.findings.empty()) {
            out += ", \"findings\": [";
            for (std::size_t i = 0; i < entry.findings.size(); ++i)
                out.append(i ? ", " : "").append(json_quoted(entry.findings[i]));
            out += ']';
        }
        out += '}';
    }
    return out += "\n]}\n";
}

}  // namespace agent_audit
