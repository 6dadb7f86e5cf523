#include "cli/pages/rule_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <vector>

namespace agent_audit::cli {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of('\n');
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of('\n') - first + 1);
}

bool has_fail_count(const std::vector<ParamDoc>& params) {
    return std::ranges::any_of(params, [](const ParamDoc& p) { return p.name == "fail" || p.name.ends_with("-fail"); });
}

}  // namespace

std::string rule_page(const DetectorSpec& rule) {
    std::string page = fmt::format("# {} ({})\n\n{}{}.\n\n", rule.id, rule.code,
                                   static_cast<char>(std::toupper(static_cast<unsigned char>(rule.summary[0]))),
                                   rule.summary.substr(1));
    page += fmt::format("Worst severity: {}. Confidence of a typical finding: {}. Needs: {}.{}\n\n{}\n",
                        name(rule.worst), rule.confidence, describe(rule.needs),
                        rule.stage == Stage::preview ? " Preview: runs only when selected." : "", trimmed(rule.doc));
    const std::vector<ParamDoc> params = rule.params();
    if (!params.empty()) {
        page += fmt::format("\n## Parameters\n\n| Name | Default | Range | |\n|---|---|---|---|\n");
        for (const ParamDoc& param : params) {
            page += fmt::format("| `{}` | {} | {} to {} | {} |\n", param.name, param.default_value, param.min,
                                param.max, param.doc);
        }
        page += fmt::format("\nTo change one: `--set {}.{}=N`.", rule.id, params[0].name);
        if (has_fail_count(params)) {
            page +=
                " `--policy strict` takes the warn counts for fail counts, `--policy permissive` doubles the fail "
                "counts.";
        }
    }
    return page += fmt::format("{}To silence the rule: `--ignore {}`.\n", params.empty() ? "\n" : " ", rule.id);
}

}  // namespace agent_audit::cli
