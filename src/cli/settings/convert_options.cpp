#include "cli/settings/convert_options.hpp"

#include "cli/arguments/offers.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/settings/flag_values.hpp"
#include "cli/settings/specs_of.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::cli {
namespace {

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
    {kExcludeFlag, [](const FlagValue& v, ConvertOptions& o) { return exclude(v, o.plan.exclude); }},
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
     [](const FlagValue& v, ConvertOptions& o) { return input_format_value(v, o.plan.input_format); }},
    {{"--max-line-size", "SIZE", "longest record that is read, 64M by default; a longer one is counted"},
     [](const FlagValue& v, ConvertOptions& o) { return size_value(v, o.plan.max_line_bytes); }},
    {{"--strict-input", "", "any record that cannot be read, an unfinished last one too, is exit code 3"},
     [](const FlagValue&, ConvertOptions& o) -> Problem {
         o.strict_input = true;
         return std::nullopt;
     }},
    {{"-v,--verbose", "", "name every record that could not be read, up to twenty of a file"},
     [](const FlagValue&, ConvertOptions& o) -> Problem {
         o.verbose = true;
         return std::nullopt;
     }},
    {{"--redact", "WHAT", "taken out of all texts: none (default), secrets, strict (also e-mails, users)", true,
      kOfferRedact},
     [](const FlagValue& v, ConvertOptions& o) { return choose(v, kRedact, o.redact); }},
    {{"--progress", "WHEN", "auto (default), always, never; on standard error", true, kOfferWhen},
     [](const FlagValue& v, ConvertOptions& o) { return choose(v, kWhen, o.progress); }},
};

constexpr auto kConvertSpecs = specs_of(kConvertFlags);

}  // namespace

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

}  // namespace agent_audit::cli
