#include "cli/arguments/offers.hpp"

#include "cli/arguments/command_spec.hpp"

#include <agent_audit/convert/converter.hpp>
#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/policy/policy_file.hpp>
#include <agent_audit/profiles/profile.hpp>
#include <agent_audit/readers/locations.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/report/renderer.hpp>
#include <agent_audit/simulator/replay.hpp>

#include <algorithm>

namespace agent_audit::cli {
namespace {

template <class Table, class Member>
Words column(const Table& table, Member member) {
    Words out;
    for (const auto& row : table) out.push_back(row.*member);
    return out;
}

Words with(Words words, std::string_view more) {
    words.push_back(more);
    return words;
}

}  // namespace

Words renderer_words() { return column(all_renderers(), &RendererSpec::id); }
Words reader_words() { return column(all_readers(), &ReaderSpec::id); }
Words converter_words() { return column(all_converters(), &ConverterSpec::id); }
Words profile_words() { return with(with(column(all_profiles(), &ProfileSpec::name), "all"), "list"); }
Words rule_words() { return column(all_detectors(), &DetectorSpec::id); }

Words rule_or_group_words() {
    Words out;
    for (const std::string_view rule : rule_words()) {
        const std::string_view group = rule.substr(0, rule.find('/'));
        if (std::ranges::find(out, group) == out.end()) out.push_back(group);
        out.push_back(rule);
    }
    return out;
}

Words rule_or_settings_words() { return with(rule_words(), "settings"); }
Words policy_words() { return with(column(policy::built_in_policies(), &policy::BuiltIn::name), "all"); }
Words context_words() { return with(column(simulator::all_contexts(), &simulator::Context::name), "all"); }

Words estimator_words() {
    static const Result<TextTokens> none = count_text_tokens("", {});
    Words out;
    if (none) {
        for (const TextTokens::Row& row : none->estimates) out.push_back(row.name);
    }
    return out;
}

Words pre_tokeniser_words() { return {name(PreTokeniser::o200k), name(PreTokeniser::cl100k)}; }

Words agent_words() {
    Words out = column(all_locations(), &Location::agent);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Words command_words() {
    Words out;
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden) out.push_back(command.name);
    }
    return out;
}

}  // namespace agent_audit::cli
