#include <agent_audit/policy/policy_file.hpp>

#include "policy/policy_keys.hpp"
#include "policy/policy_layer.hpp"
#include "policy/policy_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What is made from the table of keys beside the reader of files: their documentation and their JSON Schema.

namespace agent_audit::policy {
namespace {

std::string schema_of(const PolicyKey& row) {
    const auto words = [&] {
        std::string out;
        for (const std::string_view word : row.known) out += (out.empty() ? "" : ", ") + in_quotes(word);
        return out;
    };
    switch (row.kind) {
        case Kind::whole:
            return fmt::format(R"("type": "integer", "minimum": {}, "maximum": {})", static_cast<std::int64_t>(row.min),
                               static_cast<std::int64_t>(row.max));
        case Kind::number:
            return row.min < row.max
                       ? fmt::format(R"("type": "number", "minimum": {}, "maximum": {})", row.min, row.max)
                       : std::string(R"("type": "number")");
        case Kind::flag: return R"("type": "boolean")";
        case Kind::text: return R"("type": "string")";
        case Kind::word: return fmt::format(R"("enum": [{}])", words());
        case Kind::words:
            return fmt::format(R"("type": "array", "uniqueItems": true, "items": {{"enum": [{}]}})", words());
        case Kind::texts: return R"("anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}])";
    }
    return "";
}

// The schema of a table is that of what stands below it.
struct Node {
    std::string name;
    const PolicyKey* row = nullptr;
    std::vector<Node> children;

    Node& child(std::string_view wanted) {
        const auto known = std::ranges::find(children, wanted, &Node::name);
        if (known != children.end()) return *known;
        return children.emplace_back(Node{std::string(wanted), nullptr, {}});
    }
};

void write(std::string& out, const Node& node, int depth) {
    const std::string pad(static_cast<std::size_t>(depth) * 2, ' ');
    if (node.row) {
        out += fmt::format("{{{}, \"description\": {}}}", schema_of(*node.row), in_quotes(node.row->doc));
        return;
    }
    out += "{\n" + pad + "  \"type\": \"object\",\n" + pad + "  \"additionalProperties\": ";
    const auto wild = std::ranges::find_if(node.children, [](const auto& c) { return is_wild(c.name); });
    const auto literals = std::ranges::count_if(node.children, [](const auto& c) { return !is_wild(c.name); });
    if (wild == node.children.end())
        out += "false";
    else
        write(out, *wild, depth + 1);
    if (literals > 0) {
        out += ",\n" + pad + "  \"properties\": {";
        bool first = true;
        for (const Node& child : node.children) {
            if (is_wild(child.name)) continue;
            out += fmt::format("{}\n{}    \"{}\": ", first ? "" : ",", pad, child.name);
            first = false;
            write(out, child, depth + 2);
        }
        out += "\n" + pad + "  }";
    }
    out += "\n" + pad + "}";
}

}  // namespace

std::vector<KeyDoc> policy_keys() {
    std::vector<KeyDoc> out;
    for (const PolicyKey& row : policy_key_table()) {
        const bool quote = row.kind == Kind::word && !row.standard.empty();
        out.push_back({std::string(row.key), takes(row), quote ? in_quotes(row.standard) : std::string(row.standard),
                       std::string(row.doc), schema_of(row)});
    }
    return out;
}

std::string policy_schema() {
    Node root;
    for (const PolicyKey& row : policy_key_table()) {
        Node* node = &root;
        for (const std::string_view part : parts_of(row.key)) node = &node->child(part);
        node->row = &row;
    }
    std::string body;
    write(body, root, 0);
    std::string out =
        "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"$id\": \"agent-audit/policy/1\",\n"
        "  \"title\": \"Policy file of agent-audit replay --policy\",\n  \"required\": [\"version\"],\n";
    return out + body.substr(2) + "\n";
}

}  // namespace agent_audit::policy
