#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace agent_audit::simulator {

/// A JSON value as a JavaScript program holds it, so that what we write is byte for byte what the agents would write:
/// strings are WTF-8 (lone surrogates survive), numbers are doubles, keys keep the order in which they were inserted
/// except that keys which are array indices come first in numeric order, and a key that repeats keeps its first place.
class JsValue {
public:
    struct Member;
    using Array = std::vector<JsValue>;
    using Object = std::vector<Member>;

    JsValue();  ///< undefined
    JsValue(const JsValue&);
    JsValue(JsValue&&) noexcept;
    JsValue& operator=(const JsValue&);
    JsValue& operator=(JsValue&&) noexcept;
    ~JsValue();
    JsValue(std::nullptr_t);
    JsValue(bool value);
    JsValue(double value);
    JsValue(int value) : JsValue(static_cast<double>(value)) {}
    JsValue(std::int64_t value) : JsValue(static_cast<double>(value)) {}
    JsValue(std::uint64_t value) : JsValue(static_cast<double>(value)) {}
    JsValue(std::string value);
    JsValue(std::string_view value) : JsValue(std::string(value)) {}
    JsValue(const char* value) : JsValue(std::string(value)) {}
    JsValue(Array value);
    JsValue(Object value);
    static JsValue object(std::initializer_list<std::pair<std::string_view, JsValue>> members);

    /// nullopt when `text` is not exactly one JSON value, or nested deeper than kMaxJsonDepth (tokens/lengths.hpp).
    static std::optional<JsValue> parse(std::string_view text);

    bool is_undefined() const { return value_.index() == 0; }
    bool is_null() const { return value_.index() == 1; }
    /// null or undefined: what JavaScript's ?? replaces.
    bool is_nullish() const { return value_.index() < 2; }
    const bool* boolean() const { return std::get_if<bool>(&value_); }
    const double* number() const { return std::get_if<double>(&value_); }
    const std::string* string() const { return std::get_if<std::string>(&value_); }
    const Array* array() const { return std::get_if<Array>(&value_); }
    Array* array() { return std::get_if<Array>(&value_); }
    const Object* members() const { return std::get_if<Object>(&value_); }
    bool is_object() const { return members() != nullptr; }
    /// What an if takes for true: not undefined, null, false, 0, NaN, "".
    bool truthy() const;

    /// A member of an object; the shared undefined value when this is none or has no such key.
    const JsValue& operator[](std::string_view key) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }
    const JsValue* find(std::string_view key) const;
    /// Assignment as in JavaScript: in place when the key is there, else at the end (array indices in their order).
    void set(std::string_view key, JsValue value);
    void erase(std::string_view key);

    /// JSON.stringify; members that are undefined are left out, in arrays they are null. `indent` blanks a level.
    std::string stringify(int indent = 0) const;

    /// Equal when both would be written the same.
    bool same_as(const JsValue& other) const;

private:
    std::variant<std::monostate, std::nullptr_t, bool, double, std::string, Array, Object> value_;
};

/// A key and its value.
struct JsValue::Member {
    std::string key;
    JsValue value;
};

}  // namespace agent_audit::simulator
