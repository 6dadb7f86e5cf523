#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/ingest.hpp>
#include <agent_audit/model/signals.hpp>
#include <agent_audit/model/source.hpp>
#include <agent_audit/support/byte_facts.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit {

/// What a record is of the document it was cut from. Only documents beyond the limit come in parts.
enum class RecordPart : std::uint8_t {
    whole,    ///< no part: a record of its own
    head,     ///< the fields before the streamed array, which stands there empty; `{}` around them
    element,  ///< one element of the array
    tail,     ///< the fields behind the array, `{}` around them; the document is over
};

/// One record as the input layer frames it. `text` is followed by at least kRecordPadding readable bytes
/// (simdjson needs them) and is valid only during the call.
struct Record {
    std::string_view text;
    SourceSpan where;
    bool last_unterminated = false;  ///< the last line, without its newline: may still be growing
    RecordPart part = RecordPart::whole;
    bool abridged = false;                ///< a head or tail of which long fields were shortened
    std::optional<ByteFacts> facts = {};  ///< of `text`, when whoever framed it saw them in passing
    bool counted = false;                 ///< its line is a count of records, and no line that others stand in as well
};
inline constexpr std::size_t kRecordPadding = 128;

/// What makes two calls the same one, where a run says it. A constant that all readers of the run look at.
struct CallIdentity {
    std::vector<std::string> volatile_fields;  ///< top-level arguments that never count
    /// By tool, in snake_case: the only arguments that count.
    std::map<std::string, std::vector<std::string>, std::less<>> fields_of;
};

/// The arguments that never count unless a run says otherwise: free text for humans, ids, clocks.
std::span<const std::string_view> default_volatile_fields();

/// What a recording could tell that now stands in records of another format.
struct RelayedFormat {
    std::string_view id;  ///< of the first recording's reader; empty: unknown here
    Signals signals;
};

/// Turns records of one format into events. One object per input file; it keeps bounded state.
class RecordReader {
public:
    virtual ~RecordReader() = default;

    /// What the run says of calls, before the first record; it outlives the reader. Without it the defaults hold.
    virtual void use(const CallIdentity& identity) { (void)identity; }

    /// Reads one record, emits its events, and says what became of it. Never throws, never loses a
    /// record silently. The caller has dealt with blank and over-long records.
    virtual LineFate read(const Record& record, EventSink& sink) = 0;

    /// The input is over: emit what was held back.
    virtual void finish(EventSink& sink) { (void)sink; }

    /// Where the events come from that are being emitted. Only asked of formats that relay others.
    virtual RelayedFormat relayed() const { return {}; }

    /// Something in a record that was understood all the same had to be left out.
    struct Omission {
        std::uint64_t line = 0;  ///< of the record, from 1
        std::string what;        ///< a clause for the report
    };
    bool has_omissions() const { return !omissions_.empty(); }
    /// Those since the last call: each kind of them once for a reader, and no more than kMostOmissions.
    std::vector<Omission> take_omissions() { return std::exchange(omissions_, {}); }
    static constexpr std::size_t kMostOmissions = 16;

protected:
    void omit(std::uint64_t line, std::string_view what);

private:
    std::vector<Omission> omissions_;
    std::vector<std::string> omitted_;  // what was said of it before
};

/// A record looked at for detection: its top-level keys with their raw values, parsed once for all readers.
class ProbeRecord {
public:
    /// Parses `json`; `is_object()` says whether that worked.
    explicit ProbeRecord(std::string_view json);

    bool is_object() const { return object_; }
    bool has(std::string_view key) const { return raw(key).has_value(); }
    /// Raw JSON of the key's value (a string with its quotes), or nothing.
    std::optional<std::string_view> raw(std::string_view key) const;
    /// The key's value when it is a string, without quotes, escapes kept; otherwise empty.
    std::string_view text(std::string_view key) const;
    /// The key's value as a record of its own; not an object when missing or of another type.
    ProbeRecord child(std::string_view key) const;
    std::string_view json() const { return json_; }

private:
    // One bit of 64 for a key: dozens of readers ask for keys that a record does not have.
    static std::uint64_t bit_of(std::string_view key) {
        return std::uint64_t{1} << ((key.size() + 7 * static_cast<unsigned char>(key.empty() ? '\0' : key.front())) %
                                    64);
    }

    std::string_view json_;
    std::vector<std::pair<std::string_view, std::string_view>> fields_;
    std::uint64_t keys_ = 0;  // their bits
    bool object_ = false;
};

/// How sure a reader is that a sample is its own: 0 = no, 100 = certain (stop looking).
using Score = int;
inline constexpr Score kCertain = 100;

/// How the input is cut into records.
enum class Framing : std::uint8_t {
    lines,     ///< one JSON document a line (or several)
    elements,  ///< one JSON array: each element is a record
    document,  ///< one or more JSON documents that span lines
};

/// A kind of record, as the reference of its format names it.
struct RecordKindDoc {
    std::string_view kind;   ///< the record as the format calls it
    std::string_view event;  ///< what it becomes
};

/// One row of the table of formats: everything the program says about a format comes from here.
struct ReaderSpec {
    std::string_view id;       ///< kebab-case, value of --input-format
    std::string_view product;  ///< whose format it is
    std::string_view summary;
    Signals signals;  ///< what the format can tell
    std::span<const RecordKindDoc> kinds;
    Score (*score)(std::span<const ProbeRecord> sample, Framing framing);
    std::unique_ptr<RecordReader> (*make)();
    /// Arrays of a document that is too long to be read whole, by their keys ("messages") or, where they stand in an
    /// object of it, by both ("log.entries"): their elements are handed out one by one, between a head and a tail
    /// (RecordPart). Empty: such a document is over-long.
    std::span<const std::string_view> streams = {};
    bool relays = false;  ///< holds events of other formats, whose signals count instead of `signals`
};

/// The one list of formats, sorted by id.
std::span<const ReaderSpec> all_readers();
const ReaderSpec* find_reader(std::string_view id);

}  // namespace agent_audit
