#pragma once

#include <agent_audit/support/result.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

/// A JSON document that somebody keeps by hand: values are added and taken out, and all other bytes stay as they are.
class JsonEdit {
public:
    /// An Error says what is wrong with the text: no JSON (comments are none), no object, too deep. An empty text is an
    /// empty object.
    static Result<JsonEdit> parse(std::string text);

    const std::string& text() const { return text_; }

    /// Takes out, of the array under `keys`, every element that `wanted` says yes to; an array, and then an object,
    /// that is empty for that goes, too.
    void remove_elements(const std::vector<std::string>& keys,
                         const std::function<bool(const nlohmann::ordered_json&)>& wanted);
    /// Adds an element behind those of the array under `keys`; what is missing on the way is made. An Error where
    /// something else stands on the way.
    std::optional<Error> append_element(const std::vector<std::string>& keys, const nlohmann::ordered_json& element);

private:
    struct Node {
        std::size_t begin = 0, end = 0;  // in the text
        std::size_t key_begin = 0;       // of a member: its key; else begin
        std::string key;
        char kind = 0;  // '{', '[', or 0 for a scalar
        std::vector<Node> children;
    };

    void reread();  ///< `root_` anew, behind each change of the text
    Node read_node(std::size_t& at) const;
    void skip_blank(std::size_t& at) const;
    std::string read_key(std::size_t& at) const;
    const Node* find(const std::vector<std::string>& keys, std::size_t depth) const;
    void erase_child(const Node& parent, std::size_t child);
    void insert_last(const Node& parent, std::size_t depth, const std::string& text);
    std::string written(const nlohmann::ordered_json& value, std::size_t depth) const;

    std::string text_;
    Node root_;
    std::string indent_ = "  ";
};

}  // namespace agent_audit::cli
