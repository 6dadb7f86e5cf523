#pragma once

#include "readers/json/json_reader.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Base of readers whose sessions are one JSON object around an array of records. The array is streamed: an element
/// has become events before the next one is looked at. Of a document that ends too early the whole elements are read.
///
/// A document beyond the limit comes from the input layer in parts, if the row of the format names the array in
/// `streams`: read_object() sees the fields before it (the array is there, and empty), read_element() each element,
/// read_rest() the fields behind it, and then end_document() runs, as it does for a document in one piece.
class DocumentReader : public JsonReader {
protected:
    /// `records_key` names the array.
    explicit DocumentReader(std::string_view records_key) : records_key_(records_key) {}

    /// One element. Iterate it to the end before emitting; malformed_json ends the array.
    virtual LineFate read_element(json::object element) = 0;

    /// An element that is no object. False: it is nothing that is known. Where a document comes in parts there are
    /// none.
    virtual bool read_word(json::value& element) {
        (void)element;
        return false;
    }

    /// The fields of a document behind its records, when it comes in parts: collect what read_object() would have. What
    /// only the first record could have told with is lost. False for broken JSON.
    virtual bool read_rest(json::object fields) {
        (void)fields;
        return true;
    }
    /// All records were read: emit what ends a session. `document` was walked before and may be reset().
    virtual LineFate end_document(json::object document) {
        (void)document;
        return LineFate::understood;
    }

    /// Streams the records of a document whose other fields were walked before, and ends it: whatever order the keys
    /// have, the session is known before its first record. partial when the JSON broke off.
    LineFate stream_records(json::object document);
    /// The same for any array of records.
    LineFate stream_array(json::value& array);
    /// The same of one that stands at its beginning: again, after it was looked at.
    LineFate stream_array(json::array array);
    /// The same for every array of a document that was walked before whose key `is_records(raw_key)` accepts: the fate
    /// of the last. What stands around them is not looked at.
    template <class IsRecords>
    LineFate stream_arrays(json::object document, IsRecords&& is_records) {
        if (!alive() || document.reset().error()) return LineFate::malformed_json;
        LineFate fate = LineFate::understood;
        each_field(document, [&](const char* key, json::value& v) {
            if (is_records(key) && is_array(v)) fate = stream_array(v);
            return !broke_off(fate);
        });
        return fate;
    }
    /// The same for arrays wherever they stand in a document: `walk()` hands each to stream_found(), and returns what
    /// that returned. What was understood counts more than what was not; unknown_kind if there were none.
    template <class Walk>
    LineFate stream_all_found(Walk&& walk) {
        found_.reset();
        const std::uint64_t before = emitted();
        if (!walk() || !alive()) return broken_off(before);
        return found_.value_or(LineFate::unknown_kind);
    }
    /// False once an array broke off.
    bool stream_found(json::value& array);
    /// Reads every object of an array that is a record of its own with read_element(), as read_each() does.
    LineFate read_elements(json::array array);

    LineFate read_torn(std::string_view text) override;
    LineFate read_part(json::object part) override;
    LineFate read_part_array(json::array part) override;

private:
    struct Tally {
        std::size_t seen = 0, good = 0;
        LineFate bad = LineFate::missing_field;  // of the first that gave nothing
        bool any_bad = false;
    };

    template <class EachElement>
    LineFate streamed(EachElement&& each);
    bool one_element(json::value& element, Tally& tally);
    LineFate one_object(json::object element, Tally& tally);
    void place_element(const char* start, std::size_t index);
    LineFate open_parts(json::object document);
    LineFate close_parts(json::object fields);
    LineFate verdict(const Tally& tally, bool whole);

    std::string_view records_key_;
    bool counts_ = false;    // the place of an element is its number
    bool in_parts_ = false;  // a head was understood, its tail is still to come
    bool abridged_ = false;
    std::optional<LineFate> found_;  // by stream_found()
    Tally parts_;
    std::string closed_;  // a torn document with its brackets closed
};

}  // namespace agent_audit::readers
