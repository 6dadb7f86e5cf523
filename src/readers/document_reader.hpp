#pragma once

#include "readers/json_util.hpp"
#include "readers/walk.hpp"

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Base of readers whose sessions are one JSON object around an array of records. The array is streamed: an element
/// has become events before the next one is looked at. Of a document that ends too early the whole elements are read.
class DocumentReader : public JsonReader {
protected:
    /// `records_key` names the array.
    explicit DocumentReader(std::string_view records_key) : records_key_(records_key) {}

    /// One element. Iterate it to the end before emitting; malformed_json ends the array.
    virtual LineFate read_element(json::object element) = 0;

    /// Streams the records of a document whose other fields were walked before: whatever order the keys have, the
    /// session is known before its first record. understood when an element was; partial when the JSON broke off.
    LineFate stream_records(json::object document);
    /// The same for any array of records.
    LineFate stream_array(json::value& array);

    LineFate read_torn(std::string_view text) override;

private:
    struct Tally {
        std::uint64_t emitted_before = 0;
        std::size_t seen = 0, good = 0;
        LineFate bad = LineFate::missing_field;  // of the first that gave nothing
        bool any_bad = false;
    };

    bool one_element(json::value& element, Tally& tally);
    LineFate verdict(const Tally& tally, bool whole);

    std::string_view records_key_;
    bool spans_lines_ = false;
    std::string closed_;  // a torn document with its brackets closed
};

}  // namespace agent_audit::readers
