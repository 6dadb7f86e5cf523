#include "cli/hooks/json_edit.hpp"

#include <algorithm>
#include <optional>

namespace agent_audit::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 100;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// What stands before the first member is the file's own step.
std::string indent_of(const std::string& text) {
    const std::size_t brace = text.find('{');
    if (brace == text.npos) return "  ";
    const std::size_t key = text.find_first_not_of(" \t\r\n", brace + 1);
    const std::size_t line = text.rfind('\n', key);
    if (key == text.npos || line == text.npos || line < brace || key - line < 2) return "  ";
    return text.substr(line + 1, key - line - 1);
}

}  // namespace

Result<JsonEdit> JsonEdit::parse(std::string text) {
    JsonEdit edit;
    if (text.find_first_not_of(" \t\r\n") == text.npos) text = "{}\n";
    if (text.starts_with("\xef\xbb\xbf")) return Error{"begins with a byte order mark, which JSON does not allow"};
    bool deep = false, object = false;
    try {
        object = Json::parse(text, [&deep](int depth, Json::parse_event_t, Json&) {
                     deep = deep || depth > kDeepest;
                     return depth <= kDeepest;
                 }).is_object();
    } catch (const Json::exception& problem) {
        const std::string_view what = problem.what();
        const std::size_t at = what.find("parse error");
        return Error{std::string(at == what.npos ? what : what.substr(at))};
    }
    if (deep) return Error{"is nested too deeply"};
    if (!object) return Error{"holds no JSON object"};
    edit.indent_ = indent_of(text);
    edit.text_ = std::move(text);
    edit.reread();
    return edit;
}

// ---- where things stand in the text, which is known to be JSON ---------------------------------------------------

void JsonEdit::reread() {
    std::size_t at = 0;
    root_ = read_node(at);
}

void JsonEdit::skip_blank(std::size_t& at) const {
    while (at < text_.size() && is_blank(text_[at])) ++at;
}

std::string JsonEdit::read_key(std::size_t& at) const {
    const std::size_t begin = at++;
    while (text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
    ++at;
    return Json::parse(text_.substr(begin, at - begin)).get<std::string>();
}

JsonEdit::Node JsonEdit::read_node(std::size_t& at) const {
    skip_blank(at);
    Node node;
    node.begin = node.key_begin = at;
    const char first = text_[at];
    if (first == '"') {
        read_key(at);
    } else if (first != '{' && first != '[') {
        while (at < text_.size() && !is_blank(text_[at]) &&
               std::string_view(",]}").find(text_[at]) == std::string_view::npos)
            ++at;
    } else {
        node.kind = first;
        for (skip_blank(++at); text_[at] != '}' && text_[at] != ']'; skip_blank(at)) {
            if (text_[at] == ',') skip_blank(++at);
            const std::size_t begin = at;
            std::string key;
            if (first == '{') {
                key = read_key(at);
                skip_blank(at);
                ++at;  // the colon
            }
            node.children.push_back(read_node(at));
            node.children.back().key = std::move(key);
            node.children.back().key_begin = begin;
        }
        ++at;
    }
    node.end = at;
    return node;
}

const JsonEdit::Node* JsonEdit::find(const std::vector<std::string>& keys, std::size_t depth) const {
    const Node* node = &root_;
    for (std::size_t i = 0; i < depth && node; ++i) {
        const auto at = std::ranges::find(node->children, keys[i], &Node::key);
        node = node->kind == '{' && at != node->children.end() ? &*at : nullptr;
    }
    return node;
}

// ---- changes -----------------------------------------------------------------------------------------------------

void JsonEdit::erase_child(const Node& parent, std::size_t child) {
    const auto& all = parent.children;
    std::size_t begin = all[child].key_begin, end = all[child].end;
    if (child + 1 < all.size()) {
        end = all[child + 1].key_begin;
    } else if (child > 0) {
        begin = all[child - 1].end;
    } else {
        begin = parent.begin + 1;
        end = parent.end - 1;
    }
    text_.erase(begin, end - begin);
    reread();
}

std::string JsonEdit::written(const Json& value, std::size_t depth) const {
    std::string out;
    for (const char c : value.dump(1, '\t')) {
        out += c;
        if (c == '\n')
            for (std::size_t i = 0; i < depth; ++i) out += '\t';
    }
    // Tabs stand for steps: within strings they are escaped.
    std::string indented;
    for (const char c : out) {
        if (c == '\t')
            indented += indent_;
        else
            indented += c;
    }
    return indented;
}

void JsonEdit::insert_last(const Node& parent, std::size_t depth, const std::string& text) {
    std::string step = "\n";
    for (std::size_t i = 0; i < depth; ++i) step += indent_;
    if (!parent.children.empty()) {
        text_.insert(parent.children.back().end, "," + step + text);
    } else {
        const std::string closing = step.substr(0, step.size() - indent_.size());
        text_.replace(parent.begin + 1, parent.end - parent.begin - 2, step + text + closing);
    }
    reread();
}

void JsonEdit::remove_elements(const std::vector<std::string>& keys, const std::function<bool(const Json&)>& wanted) {
    bool removed = false;
    for (const Node* array = find(keys, keys.size()); array && array->kind == '[';) {
        std::size_t child = 0;
        while (child < array->children.size()) {
            const Node& node = array->children[child];
            if (wanted(Json::parse(text_.substr(node.begin, node.end - node.begin)))) break;
            ++child;
        }
        if (child == array->children.size()) break;
        erase_child(*array, child);
        removed = true;
        array = find(keys, keys.size());
    }
    for (std::size_t depth = keys.size(); removed && depth > 0; --depth) {
        const Node* emptied = find(keys, depth);
        if (!emptied || !emptied->children.empty()) return;
        const Node* parent = find(keys, depth - 1);
        erase_child(*parent, static_cast<std::size_t>(emptied - parent->children.data()));
    }
}

std::optional<Error> JsonEdit::append_element(const std::vector<std::string>& keys, const Json& element) {
    std::size_t depth = 0;
    while (depth < keys.size() && find(keys, depth + 1)) ++depth;
    const Node* parent = find(keys, depth);
    const bool whole = depth == keys.size();
    if (parent->kind != (whole ? '[' : '{')) {
        std::string path;
        for (std::size_t i = 0; i < depth; ++i) path += (i ? "." : "") + keys[i];
        return Error{"\"" + path + "\" is no " + (whole ? "array" : "object")};
    }
    if (whole) {
        insert_last(*parent, depth + 1, written(element, depth + 1));
        return std::nullopt;
    }
    Json made = Json::array({element});
    for (std::size_t i = keys.size() - 1; i > depth; --i) made = Json{{keys[i], made}};
    insert_last(*parent, depth + 1, Json(keys[depth]).dump() + ": " + written(made, depth + 1));
    return std::nullopt;
}

}  // namespace agent_audit::cli
