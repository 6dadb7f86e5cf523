#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// Fields of a saved result, whatever stands there: what is missing or of another type is 0, empty or unknown.
namespace agent_audit::saved {

using Json = nlohmann::json;

inline const Json& at(const Json& object, const char* key) {
    static const Json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

inline std::uint64_t number(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

inline std::optional<std::uint64_t> known(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_number_unsigned() ? std::optional(value.get<std::uint64_t>()) : std::nullopt;
}

inline std::uint32_t small(const Json& object, const char* key) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(number(object, key), std::numeric_limits<std::uint32_t>::max()));
}

inline std::string text(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

inline bool flag(const Json& object, const char* key, bool otherwise = false) {
    const Json& value = at(object, key);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

template <class Each>
void each(const Json& object, const char* key, const Each& use) {
    const Json& list = at(object, key);
    if (!list.is_array()) return;
    for (const Json& element : list) use(element);
}

inline std::vector<std::string> texts(const Json& object, const char* key) {
    std::vector<std::string> out;
    each(object, key, [&](const Json& element) {
        if (element.is_string()) out.push_back(element.get<std::string>());
    });
    return out;
}

template <class T, std::size_t N>
T choice(const std::string& word, const T (&all)[N], T otherwise) {
    for (const T value : all) {
        if (word == name(value)) return value;
    }
    return otherwise;
}

/// From 0 to 1.
inline double share(const Json& value) {
    const double x = value.is_number() ? value.get<double>() : 0;
    return x > 0 ? std::min(x, 1.0) : 0;
}

/// Not below 0.
inline double positive(const Json& value) {
    const double x = value.is_number() ? value.get<double>() : 0;
    return x > 0 ? x : 0;
}

}  // namespace agent_audit::saved
