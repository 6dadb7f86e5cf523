#include "advice/calls/answers.hpp"

#include "advice/words/text.hpp"
#include "support/ascii.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/simulator/js_value.hpp>
#include <agent_audit/simulator/session.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace agent_audit::advice {
namespace {

using simulator::JsValue;

constexpr std::size_t kMostAnswers = 8;
constexpr std::size_t kQuestionChars = 200, kAnswerChars = 300;
constexpr std::size_t kLongest = 256u << 10;

std::string text_of(const JsValue& value, std::initializer_list<std::string_view> keys, std::size_t chars) {
    for (const std::string_view key : keys) {
        if (const std::string* text = value[key].string(); text && !text->empty()) return one_line(clean(*text), chars);
    }
    return {};
}

struct Asked {
    std::string id, text;
};

std::vector<Asked> asked_in(RawText arguments) {
    std::vector<Asked> out;
    const auto value = arguments_of(arguments, kLongest);
    if (!value) return out;
    if (const auto* list = (*value)["questions"].array()) {
        for (const JsValue& one : *list) {
            if (out.size() == kMostAnswers) break;
            out.push_back({text_of(one, {"id", "header", "name"}, kQuestionChars),
                           one.string()
                               ? one_line(clean(*one.string()), kQuestionChars)
                               : text_of(one, {"question", "text", "prompt", "title", "header"}, kQuestionChars)});
        }
    } else if (std::string text = text_of(*value, {"question", "message", "prompt", "query", "text"}, kQuestionChars);
               !text.empty()) {
        out.push_back({{}, std::move(text)});
    }
    return out;
}

// "A", ["A", "B"], {"answers": ["A"]}, {"value": "A"}: all of it, joined.
std::string joined(const JsValue& value, int depth) {
    if (const std::string* text = value.string()) return *text;
    std::string out;
    if (depth == 0) return out;
    const auto add = [&](const JsValue& one) {
        const std::string piece = joined(one, depth - 1);
        if (!piece.empty()) out += (out.empty() ? "" : ", ") + piece;
    };
    if (const auto* list = value.array()) {
        for (const JsValue& one : *list) add(one);
    } else if (const auto* members = value.members()) {
        for (const auto& [key, member] : *members) {
            if (key != "id" && key != "question" && key != "header" && key != "questions") add(member);
        }
    }
    return out;
}

std::vector<PersonsAnswer> of_json(const std::vector<Asked>& asked, const JsValue& result) {
    std::vector<PersonsAnswer> out;
    const JsValue& answers = result["answers"];
    const auto question = [&](std::string_view key, std::size_t at) {
        for (const Asked& one : asked) {
            if (one.id == key || one.text == key) return one.text;
        }
        if (key.find_first_not_of("0123456789") == key.npos && !key.empty() && key.size() < 3)
            at = static_cast<std::size_t>(std::stoul(std::string(key)));
        return at < asked.size() ? asked[at].text : one_line(clean(key), kQuestionChars);
    };
    const auto add = [&](std::string_view key, const JsValue& value) {
        std::string answer = one_line(clean(joined(value, 4)), kAnswerChars);
        if (!answer.empty() && out.size() < kMostAnswers) out.push_back({question(key, out.size()), std::move(answer)});
    };
    if (const auto* members = answers.members()) {
        for (const auto& [key, value] : *members) add(key, value);
    } else if (const auto* list = answers.array()) {
        for (const JsValue& value : *list) add(text_of(value, {"question", "id"}, kQuestionChars), value);
    } else {
        for (const std::string_view key : {"answer", "response", "selected", "selection", "value", "text", "choice"}) {
            if (out.empty() && !joined(result[key], 3).empty()) add({}, result[key]);
        }
    }
    return out;
}

// … "Which one?"="The second", "How?"="By hand". …
std::vector<PersonsAnswer> of_pairs(std::string_view text) {
    constexpr std::string_view kMark = "\"=\"";
    std::vector<PersonsAnswer> out;
    std::size_t from = 0;
    for (std::size_t at = text.find(kMark); at != text.npos && out.size() < kMostAnswers;) {
        std::size_t open = text.find('"', from);
        if (open == text.npos || open >= at) break;
        const std::size_t begin = at + kMark.size();
        const std::size_t next = text.find(kMark, begin);
        // The answer ends where the next question opens, or at the last quote of the text.
        std::size_t end = next == text.npos ? text.rfind('"') : text.rfind("\", \"", next);
        if (end == text.npos || end < begin) end = text.find('"', begin);
        if (end == text.npos) end = text.size();
        out.push_back({one_line(text.substr(open + 1, at - open - 1), kQuestionChars),
                       one_line(text.substr(begin, end - begin), kAnswerChars)});
        from = std::min(end + 1, text.size());
        at = next;
    }
    return out;
}

std::string_view without_opening(std::string_view text) {
    const std::string low = lowered(text.substr(0, 80));
    for (const std::string_view opening :
         {"user selected:", "user responded:", "user answered:", "user response:", "user's answer:",
          "the user answered:", "the user selected:", "answer:", "response:"}) {
        if (low.starts_with(opening)) return text.substr(opening.size());
    }
    return text;
}

}  // namespace

bool offers_plan(std::string_view tool) {
    const std::string key = snake_case(bare_tool_name(tool));
    return key == "exit_plan_mode" || key == "exitplanmode" || key == "plan_exit" || key == "submit_plan" ||
           key == "present_plan";
}

std::vector<std::string> questions_of(RawText arguments) {
    std::vector<std::string> out;
    for (Asked& asked : asked_in(arguments)) out.push_back(std::move(asked.text));
    return out;
}

std::vector<PersonsAnswer> answers_of(RawText arguments, std::string_view result) {
    const std::vector<Asked> asked = asked_in(arguments);
    const std::size_t at = result.find_first_not_of(" \r\n");
    if (at != result.npos && result[at] == '{' && result.size() <= kLongest) {
        if (const auto value = JsValue::parse(result.substr(at))) {
            if (auto found = of_json(asked, *value); !found.empty()) return found;
        }
    }
    if (auto pairs = of_pairs(result.substr(0, 32u << 10)); !pairs.empty()) return pairs;
    std::string_view words = result;
    if (const std::size_t open = words.find("<answer>"); open != words.npos) {
        words.remove_prefix(open + 8);
        words = words.substr(0, words.find("</answer>"));
    }
    std::string answer = one_line(without_opening(words), kAnswerChars);
    if (answer.empty()) return {};
    std::string question;
    for (const Asked& one : asked) question += (question.empty() ? "" : " / ") + one.text;
    return {{one_line(question, kQuestionChars), std::move(answer)}};
}

std::string words_of_refusal(std::string_view result) {
    for (const std::string_view mark :
         {"the user said:", "user feedback:", "<feedback>", "reason given by the user:"}) {
        const std::size_t at = lowered(result.substr(0, 16u << 10)).find(mark);
        if (at == std::string::npos) continue;
        std::string_view words = result.substr(at + mark.size());
        words = words.substr(0, std::min(words.find("</feedback>"), words.find("\n\nNote:")));
        return one_line(words, kAnswerChars);
    }
    return {};
}

std::string plan_title(RawText arguments) {
    const auto value = arguments_of(arguments, kLongest);
    const std::string* plan = value ? (*value)["plan"].string() : nullptr;
    return plan ? plan_title(clean(*plan)) : std::string();
}

std::string plan_title(std::string_view plan) {
    plan.remove_prefix(std::min(plan.find_first_not_of("# \n"), plan.size()));
    return one_line(plan.substr(0, plan.find('\n')), kQuestionChars);
}

}  // namespace agent_audit::advice
