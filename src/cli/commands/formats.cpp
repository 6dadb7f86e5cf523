#include "cli/commands/listing.hpp"

#include <agent_audit/readers/reader.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"agent-audit formats", "whose recordings can be read"},
    {"agent-audit formats -v", "with every kind of record"},
};

void write_json(report::JsonWriter& json) {
    json.begin_object();
    json.text("schema", "agent-audit/formats/1");
    json.key("formats").begin_array();
    for (const ReaderSpec& reader : all_readers()) {
        json.newline();
        json.begin_object();
        json.text("format", reader.id);
        json.text("product", reader.product);
        json.text("summary", reader.summary);
        write_signals(json, "signals", reader.signals);
        json.key("records").begin_array();
        for (const RecordKindDoc& kind : reader.kinds) {
            json.begin_object();
            json.text("kind", kind.kind);
            json.text("event", kind.event);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.newline();
}

void write_kinds(report::Page& page, const ReaderSpec& reader) {
    std::size_t longest = 0;
    for (const RecordKindDoc& kind : reader.kinds) longest = std::max(longest, kind.kind.size());
    const int width = static_cast<int>(std::min<std::size_t>(longest, 30));
    for (const RecordKindDoc& kind : reader.kinds) page.labelled(4, width, kind.kind, kind.event);
}

void write_text(report::Page& page) {
    std::size_t longest = 0;
    for (const ReaderSpec& reader : all_readers()) longest = std::max(longest, reader.id.size());
    for (const ReaderSpec& reader : all_readers()) {
        row(page, static_cast<int>(longest), reader.id,
            fmt::format("{}: {}. Tells {}. {} kinds of records.", reader.product, reader.summary,
                        describe(reader.signals), reader.kinds.size()));
        if (page.options().verbosity > 0) write_kinds(page, reader);
    }
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (!arguments.operands.empty()) return usage_error(self, "formats takes no operand");
    return list(self, arguments, write_text, write_json);
}

}  // namespace

CommandSpec formats_command() {
    return {"formats",
            "",
            "list the formats that can be read",
            "Lists the formats of recordings: the name for --input-format, whose it is, and what it can tell. A rule "
            "that needs more than a recording can tell is skipped and named in the report.",
            kExamples,
            listing_flags(),
            run};
}

}  // namespace agent_audit::cli
