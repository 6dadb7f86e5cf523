#pragma once

#include "readers/json/json_util.hpp"

#include <string_view>
#include <utility>

namespace agent_audit::readers {

template <class Value>
bool is_null(Value& v) {
    return v.raw_json_token()[0] == 'n';
}

template <class Value>
concept JsonValue = requires {
    typename ObjectOf<Value>;
};

/// Calls `take(raw_key, value)` for every field in document order; false from it, or broken JSON, ends the walk.
template <JsonValue Value, class Take>
bool each_field_of(ObjectOf<Value> object, Take&& take) {
    for (auto item : object) {
        FieldOf<Value> field;
        if (std::move(item).get(field)) return false;
        const char* key = field.key().raw();
        Value value = std::move(field).value();
        if (!take(key, value)) return false;
    }
    return true;
}
template <class Take>
bool each_field(json::object object, Take&& take) {
    return each_field_of<json::value>(object, std::forward<Take>(take));
}
template <class Take>
bool each_field(quick::object object, Take&& take) {
    return each_field_of<quick::value>(object, std::forward<Take>(take));
}

/// Arguments of a call in front of the name of its tool, which their digest needs: the object is read once more.
template <class IsArgs>
bool digest_late(json::object object, std::string_view tool, ArgsDigester& digester, CallArgs& out, IsArgs&& is_args) {
    return !object.reset().error() && each_field(object, [&](const char* key, json::value& v) {
        if (is_args(key) && !is_null(v)) out = digester.digest_value(tool, v);
        return true;
    });
}

/// The same for a value; another type than an object has no fields, which is no error.
template <JsonValue Value, class Take>
bool each_field(Value& v, Take&& take) {
    if (!is_object(v)) return true;
    ObjectOf<Value> object;
    return !v.get_object().get(object) && each_field_of<Value>(object, std::forward<Take>(take));
}

/// Calls `take(value)` for every element; another type than an array has none, which is no error.
template <JsonValue Value, class Take>
bool each_element(Value& v, Take&& take) {
    if (!is_array(v)) return true;
    ArrayOf<Value> array;
    if (v.get_array().get(array)) return false;
    for (auto item : array) {
        Value element;
        if (std::move(item).get(element) || !take(element)) return false;
    }
    return true;
}

/// A number that must not fail the record: `otherwise` for every other type.
inline double number_or(json::value& v, double otherwise) {
    const char c = v.raw_json_token()[0];
    if (c == '"') return as_double(v, otherwise);  // some write their numbers as text
    double number = 0;
    if ((c != '-' && (c < '0' || c > '9')) || v.get_double().get(number)) return otherwise;
    return number;
}

/// Money as recorded, in millionths; 0 for nothing, nonsense and amounts nobody pays.
inline std::uint64_t microusd(double usd) {
    return usd > 0 && usd < 1e9 ? static_cast<std::uint64_t>(usd * 1e6 + 0.5) : 0;
}

}  // namespace agent_audit::readers
