#pragma once

#include "readers/json/json_util.hpp"
#include "readers/json/walk.hpp"

#include <agent_audit/readers/reader.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace agent_audit::readers {

/// True for the fate of a record whose JSON ended early, whether or not it told something first: nothing behind it can
/// be read.
inline bool broke_off(LineFate fate) { return fate == LineFate::malformed_json || fate == LineFate::partial; }

/// Base of the readers of JSON records: parses, handles several documents on one record, repairs control
/// characters and invalid UTF-8 once, numbers the events.
class JsonReader : public RecordReader {
public:
    LineFate read(const Record& record, EventSink& sink) final;
    void use(const CallIdentity& identity) override { args_.use(identity); }

protected:
    /// Reads one object. Iterate it to the end before emitting: a record cut in the middle must emit nothing.
    /// A simdjson error anywhere means `return LineFate::malformed_json`.
    virtual LineFate read_object(json::object object) = 0;
    /// The same for readers of long logs, tried first on records whose bytes are clean: nothing, and nothing emitted,
    /// when there was anything out of order. read_object() must make of the record what this made of it.
    virtual std::optional<LineFate> read_quickly(quick::Walk&) { return std::nullopt; }
    /// Reads a record that is an array. Default: unknown_kind.
    virtual LineFate read_array(json::array array);
    /// A part of a document that is handed out in parts (RecordPart): by default an element is a record like any other,
    /// and what stands around it says nothing. Views into the head live until the next head.
    virtual LineFate read_part(json::object part);
    virtual LineFate read_part_array(json::array part);
    /// A record that is no JSON: what can be saved of it? Default: nothing.
    virtual LineFate read_torn(std::string_view) { return LineFate::malformed_json; }
    /// Reads text in place of the record's own, with kRecordPadding behind it.
    LineFate read_documents(std::string_view text);

    /// Emits one event in the current record, numbered.
    template <class Body>
    void emit(const Body& body, const EventHeader& head) {
        out_.head = head;
        out_.head.seq = ++next_seq_;
        out_.body = body;  // one event serves all: making one each time would copy every body twice
        if constexpr (std::is_same_v<Body, Notice>) heed(body, head);
        sink_->on_event(out_);
    }
    template <class Body>
    void emit(const Body& body) {
        emit(body, head_);
    }
    /// Starts a fresh header for the current record: place set, everything else empty.
    EventHeader& new_head(std::uint32_t lane = 0, std::uint32_t turn = 0);
    /// time_ms() that remembers the minute: records of a session mostly stand a few seconds apart.
    std::int64_t time_of(std::string_view raw);
    EventHeader& head() { return head_; }
    const EventHeader& head() const { return head_; }
    const Record& record() const { return *record_; }
    /// False once something in the document turned out broken. A walk over fields then ends as if there were no more,
    /// and nothing of the document may be read again.
    bool alive() { return document_->is_alive(); }
    /// Events emitted so far: a record that emitted any is not malformed.
    std::uint64_t emitted() const { return next_seq_; }
    /// So many of the last events were held back: they are numbered when they are told.
    void unnumber(std::uint64_t events) { next_seq_ -= events; }
    /// Where events of this record stand; the record's place unless a part of it is looked at.
    void set_place(const SourceSpan& place) { place_ = place; }
    const SourceSpan& place() const { return place_; }
    /// The text being read begins here from now on.
    void set_base(const char* base) { base_ = base; }
    /// Offset of a byte of the text being read within its record.
    std::size_t offset_of(const char* at) const { return static_cast<std::size_t>(at - base_); }
    EventSink& sink() { return *sink_; }
    void set_sink(EventSink& sink) { sink_ = &sink; }

    // What most readers do with a record, or with an element of one.

    /// Takes every field with `take(raw_key, value)`, as each_field() does. False if it says so, or if the document
    /// turned out broken before its end: then nothing may be told, and the fate is malformed_json.
    template <class Take>
    bool read_fields(json::object object, Take&& take) {
        return each_field(object, std::forward<Take>(take)) && alive();
    }
    /// The same with a function of the reader's own: read_fields<&Zed::collect>(object).
    template <auto collect>
    bool read_fields(json::object object) {
        return read_fields(object, [this](const char* key, json::value& v) { return pass_to(collect, key, v); });
    }
    /// The fate of a record that broke off, and that so many events were emitted before.
    LineFate broken_off(std::uint64_t before) const {
        return emitted() > before ? LineFate::partial : LineFate::malformed_json;
    }

    ArgsDigester args_;

private:
    template <class Reader>
    bool pass_to(bool (Reader::*collect)(const char*, json::value&), const char* key, json::value& v) {
        return (static_cast<Reader*>(this)->*collect)(key, v);
    }
    void heed(const Notice& notice, const EventHeader& head);
    std::optional<LineFate> quick_fate(const Record& record);
    bool told_since(std::uint64_t before) const;
    LineFate read_first_document(std::string_view text);
    std::string_view keep_head(std::string_view text);

    const Record* record_ = nullptr;
    json::document* document_ = nullptr;
    SourceSpan place_;
    const char* base_ = nullptr;
    EventSink* sink_ = nullptr;
    EventHeader head_;
    Event out_;
    std::uint64_t next_seq_ = 0;
    std::string repaired_;
    std::string head_text_;  // of the document whose parts are read
    bool repairable_ = false;
    const ByteScans& scans_ = byte_scans();
    std::array<char, 17> minute_{};  // "2026-02-12T03:04:"
    std::int64_t minute_ms_ = kNoTime;
};

}  // namespace agent_audit::readers
