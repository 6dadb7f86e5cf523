#include "readers/json/document_reader.hpp"

#include "readers/json/array_record.hpp"
#include "readers/json/torn_document.hpp"

#include <utility>

namespace agent_audit::readers {

LineFate DocumentReader::stream_records(json::object document) {
    const std::uint64_t before = emitted();
    LineFate fate = stream_arrays(document, [this](const char* key) { return key_text(key) == records_key_; });
    if (record().part == RecordPart::head) return fate;
    if (fate == LineFate::understood) return end_document(document);
    // A key that comes twice may have given something the first time. A document that broke does not grow any longer.
    return fate == LineFate::malformed_json ? broken_off(before) : fate;
}

LineFate DocumentReader::stream_array(json::value& array) {
    return streamed([&array](auto&& take) { return each_element(array, take); });
}

LineFate DocumentReader::stream_array(json::array array) {
    return streamed([&array](auto&& take) {
        for (auto item : array) {
            json::value element;
            if (std::move(item).get(element) || !take(element)) return false;
        }
        return true;
    });
}

template <class EachElement>
LineFate DocumentReader::streamed(EachElement&& each) {
    Tally tally;
    // A document of its own counts its elements; within a line of a log that line is the place.
    const SourceSpan& all = record().where;
    counts_ = all.line == 1 && all.offset == 0 && record().counted;
    const bool whole = each([&](json::value& element) { return one_element(element, tally); }) && alive();
    set_place(record().where);
    new_head();
    return verdict(tally, whole);
}

bool DocumentReader::stream_found(json::value& array) {
    const LineFate fate = stream_array(array);
    if (!found_ || fate == LineFate::understood) found_ = fate;
    return !broke_off(fate);
}

LineFate DocumentReader::read_elements(json::array array) {
    return read_each(array, [this](json::object element) {
        args_.clear();
        return read_element(element);
    });
}

bool DocumentReader::one_element(json::value& element, Tally& tally) {
    const std::size_t index = tally.seen++;
    json::object object;
    if (is_array(element))  // pairs of records, as the oldest writers of some formats have them
        return each_element(element, [&](json::value& inner) {
            if (is_array(inner)) return tally.any_bad = true;
            return one_element(inner, tally);
        });
    place_element(element.raw_json_token().data(), index);
    if (!is_object(element)) {
        new_head();
        const bool known = read_word(element);
        tally.good += known;
        tally.any_bad |= !known;
        return true;
    }
    return !element.get_object().get(object) && one_object(object, tally) != LineFate::malformed_json;
}

void DocumentReader::place_element(const char* start, std::size_t index) {
    SourceSpan place = record().where;
    if (counts_) {
        place.line = index + 1;
        // What stands beside the records of a document in parts was gathered; its bytes are not where they were.
        if (record().part == RecordPart::whole) place.offset += offset_of(start);
        place.length = 0;
    }
    set_place(place);
}

LineFate DocumentReader::one_object(json::object element, Tally& tally) {
    args_.clear();
    new_head();
    const LineFate fate = read_element(element);
    if (fate == LineFate::understood || fate == LineFate::partial) {
        ++tally.good;
    } else if (fate != LineFate::ignored_kind && fate != LineFate::malformed_json && !tally.any_bad) {
        tally.any_bad = true;
        tally.bad = fate;
    }
    return fate;
}

// ---- a document in parts --------------------------------------------------------------------------------------

LineFate DocumentReader::read_part(json::object part) {
    if (record().part == RecordPart::head) return open_parts(part);
    if (!in_parts_) return LineFate::unknown_kind;
    if (record().part == RecordPart::tail) return close_parts(part);
    return one_object(part, parts_);
}

LineFate DocumentReader::read_part_array(json::array part) {
    if (!in_parts_) return LineFate::unknown_kind;
    counts_ = false;
    bool found = false;
    const std::size_t good = parts_.good;
    for (auto item : part) {
        json::value element;
        if (std::move(item).get(element)) return parts_.good > good ? LineFate::partial : LineFate::malformed_json;
        if (!is_object(element)) continue;
        found = true;
        if (!one_element(element, parts_)) return parts_.good > good ? LineFate::partial : LineFate::malformed_json;
    }
    return found ? LineFate::understood : LineFate::unknown_kind;
}

LineFate DocumentReader::open_parts(json::object document) {
    const LineFate fate = read_object(document);
    in_parts_ = fate == LineFate::understood;
    abridged_ = record().abridged;
    parts_ = Tally{};
    return fate;
}

LineFate DocumentReader::close_parts(json::object fields) {
    in_parts_ = false;
    if (!read_rest(fields) || !alive()) return LineFate::malformed_json;
    new_head();
    if (record().abridged || abridged_) {
        Notice notice;
        notice.level = NoticeLevel::warning;
        notice.code = plain("abridged-document");
        notice.text = plain("a document beyond the limit: long fields beside its records were not read to their end");
        emit(notice);
    }
    LineFate fate = verdict(parts_, true);
    if (fate == LineFate::understood) fate = end_document(fields);
    return fate == LineFate::understood && record().last_unterminated ? LineFate::partial : fate;
}

// ---- a document in one piece ----------------------------------------------------------------------------------

LineFate DocumentReader::verdict(const Tally& tally, bool whole) {
    // What a trace told is emitted when the input is over.
    if (!whole) return tally.good > 0 ? LineFate::partial : LineFate::malformed_json;
    if (tally.good == 0 && tally.any_bad) return tally.bad;
    if (tally.any_bad) {
        Notice notice;
        notice.level = NoticeLevel::warning;
        notice.code = plain("unreadable-elements");
        notice.text = plain("elements of an unknown kind, or without a needed field, were left out");
        emit(notice);
    }
    return LineFate::understood;
}

LineFate DocumentReader::read_torn(std::string_view text) {
    const std::size_t size = close_torn(text, records_key_, closed_);
    if (size == 0) return LineFate::malformed_json;
    set_base(closed_.data());
    args_.clear();
    new_head();
    const LineFate fate = read_documents({closed_.data(), size});
    return fate == LineFate::understood ? LineFate::partial : fate;
}

}  // namespace agent_audit::readers
