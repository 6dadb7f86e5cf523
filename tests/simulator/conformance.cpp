#include "simulator/conformance.hpp"

#include "simulator/conformance_answers.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace agent_audit::test {
namespace {

using simulator::JsValue;

std::string shown(const JsValue& value) {
    std::string text = value.is_undefined() ? "nothing" : value.stringify();
    constexpr std::size_t kMost = 160;
    if (text.size() > kMost) text = text.substr(0, kMost) + "… (" + std::to_string(text.size()) + " bytes)";
    return text;
}

// Long texts differ somewhere inside: show that place.
std::string shown_strings(const std::string& expected, const std::string& got) {
    const auto at = static_cast<std::size_t>(
        std::mismatch(expected.begin(), expected.end(), got.begin(), got.end()).first - expected.begin());
    const std::size_t from = at > 30 ? at - 30 : 0;
    return "at byte " + std::to_string(at) + ": expected " + shown(JsValue(expected.substr(from, 90))) + " of " +
           std::to_string(expected.size()) + ", got " + shown(JsValue(got.substr(from, 90))) + " of " +
           std::to_string(got.size());
}

std::string array_difference(const JsValue::Array& expected, const JsValue::Array& got, const std::string& path) {
    for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
        std::string inside = first_difference(expected[i], got[i], path + "[" + std::to_string(i) + "]");
        if (!inside.empty()) return inside;
    }
    if (expected.size() == got.size()) return {};
    return path + ".length: expected " + std::to_string(expected.size()) + ", got " + std::to_string(got.size());
}

std::string object_difference(const JsValue::Object& expected, const JsValue& got, const std::string& path) {
    for (const auto& member : expected) {
        std::string inside = first_difference(member.value, got[member.key], path + "." + member.key);
        if (!inside.empty()) return inside;
    }
    for (std::size_t i = 0; i < got.members()->size(); ++i) {
        const std::string& key = (*got.members())[i].key;
        if (i >= expected.size() || expected[i].key != key) return path + ": key " + key + " is out of place";
    }
    return {};
}

/// The outermost object of an answer: keys in any order, more than was asked for is no fault.
std::string output_difference(const JsValue& expected, const JsValue& got, const std::string& path) {
    if (!expected.is_object() || !got.is_object()) return first_difference(expected, got, path);
    for (const auto& member : *expected.members()) {
        if (member.key == "peer") continue;
        std::string inside = first_difference(member.value, got[member.key], path + "." + member.key);
        if (!inside.empty()) return inside;
    }
    return {};
}

std::string judge_case(const JsValue& test) {
    const auto* oracle = test["oracle"].string();
    const auto* variants = test["expected"].members();
    if (!oracle || !variants) return "$: no oracle or nothing expected";
    for (const auto& variant : *variants) {
        const auto got = answer(*oracle, variant.key, test["input"]);
        const std::string path = "$.expected." + variant.key;
        if (!got) {
            const auto* op = test["input"]["op"].string();
            return path + ": nothing here answers " + *oracle + (op ? ", operation " + *op : "");
        }
        std::string inside = output_difference(variant.value, *got, path);
        if (!inside.empty()) return inside;
    }
    return {};
}

}  // namespace

std::string first_difference(const JsValue& expected, const JsValue& got, const std::string& path) {
    if (expected.same_as(got) && expected.is_undefined() == got.is_undefined()) return {};
    if (expected.array() && got.array()) return array_difference(*expected.array(), *got.array(), path);
    if (expected.is_object() && got.is_object()) return object_difference(*expected.members(), got, path);
    if (expected.string() && got.string()) return path + " " + shown_strings(*expected.string(), *got.string());
    return path + ": expected " + shown(expected) + ", got " + shown(got);
}

std::optional<JsValue> answer(std::string_view oracle, std::string_view variant, const JsValue& input) {
    for (const Answerer& one : answerers()) {
        if (one.oracle == oracle) return one.answer(variant, input);
    }
    return std::nullopt;
}

Verdict judge(std::string_view file_text) {
    const auto test = JsValue::parse(file_text);
    if (!test) return {"?", "$: not JSON"};
    const auto* name = (*test)["name"].string();
    return {name ? *name : "?", judge_case(*test)};
}

std::vector<Verdict> judge_folder(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<Verdict> verdicts;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        verdicts.push_back(judge(text));
        if (verdicts.back().name == "?") verdicts.back().name = file.stem().string();
    }
    return verdicts;
}

}  // namespace agent_audit::test
