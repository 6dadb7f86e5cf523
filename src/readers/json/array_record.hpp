#pragma once

#include "readers/json/json_reader.hpp"

#include <optional>
#include <utility>

// An array of records that stands on one line of a log, because something else stands before it.

namespace agent_audit::readers {

/// Reads every object of the array as if it were a record: `read(object)` gives its fate. What was understood counts
/// more than what was not.
template <class Read>
LineFate read_each(json::array array, Read&& read) {
    LineFate fate = LineFate::unknown_kind;
    for (auto item : array) {
        json::value element;
        json::object object;
        LineFate one = LineFate::malformed_json;
        if (!std::move(item).get(element)) {
            if (!is_object(element)) continue;
            if (!element.get_object().get(object)) one = read(object);
        }
        if (broke_off(one)) return fate == LineFate::understood ? LineFate::partial : one;
        if (one == LineFate::understood || fate == LineFate::unknown_kind) fate = one;
    }
    return fate;
}

/// The first object of a record that is an array; nothing for other records.
inline std::optional<ProbeRecord> first_of(const ProbeRecord& record) {
    if (record.is_object()) return std::nullopt;
    const std::string_view json = record.json();
    const auto open = json.find_first_not_of(" \t\r\n");
    const auto object =
        open != json.npos && json[open] == '[' ? json.find_first_not_of(" \t\r\n", open + 1) : json.npos;
    const auto end = json.rfind('}');  // the parser wants a document that ends as it began
    if (object == json.npos || json[object] != '{' || end == json.npos || end < object) return std::nullopt;
    return ProbeRecord(json.substr(object, end + 1 - object));
}

/// The first object of a list in a record.
inline std::optional<ProbeRecord> first_in(const ProbeRecord& record, std::string_view list) {
    const auto raw = record.raw(list);
    return raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
}

}  // namespace agent_audit::readers
