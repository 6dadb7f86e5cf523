#include "readers/gemini/gemini_marks.hpp"

#include <agent_audit/support/unescape.hpp>

#include <string_view>

namespace agent_audit::readers {
namespace {

std::string_view without_hook_context(std::string_view text, bool escaped) {
    constexpr std::string_view kEnd = "</hook_context>";
    constexpr std::size_t kLongestAdvice = 2u << 10;
    if (text.ends_with(kEnd)) {
        const std::size_t begin = text.rfind(escaped ? "\\n\\n<hook_context>" : "\n\n<hook_context>");
        return begin == text.npos ? text : text.substr(0, begin);
    }
    const std::string_view tag = escaped ? "\\n\\n[agent-audit " : "\n\n[agent-audit ",
                           line_end = escaped ? "\\n" : "\n";
    const std::size_t at = text.rfind(tag);
    if (at == text.npos || text.size() - at > kLongestAdvice) return text;
    const std::string_view advice = text.substr(at + tag.size());
    return advice.find("] ") == advice.npos || advice.find(line_end) != advice.npos ? text : text.substr(0, at);
}

}  // namespace

RawText without_marks(RawText answer) {
    if (answer.form == TextForm::json_value) return answer;
    const bool escaped = answer.form == TextForm::json_string;
    answer.bytes = without_hook_context(answer.bytes, escaped);
    const std::string_view begin = escaped ? "<untrusted_context>\\n" : "<untrusted_context>\n",
                           end = escaped ? "\\n</untrusted_context>" : "\n</untrusted_context>";
    if (answer.bytes.size() < begin.size() + end.size() || !answer.bytes.starts_with(begin) ||
        !answer.bytes.ends_with(end))
        return answer;
    RawText inside = answer;
    inside.bytes.remove_prefix(begin.size());
    inside.bytes.remove_suffix(end.size());
    const bool torn = escaped && without_torn_escape(inside.bytes).size() < inside.bytes.size();
    return torn ? answer : inside;
}

}  // namespace agent_audit::readers
