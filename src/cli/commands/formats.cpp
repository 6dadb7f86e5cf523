#include "cli/commands/listing.hpp"

#include <agent_audit/readers/reader.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"agent-audit formats", "which formats can be read, and what each can tell"},
    {"agent-audit formats -v", "whose they are, with every kind of record"},
    {"agent-audit formats -f json", "for programs"},
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
    for (const RecordKindDoc& kind : reader.kinds) {
        const bool fits = static_cast<int>(kind.kind.size()) <= width;
        if (!fits) page.paragraph(4, kind.kind);  // several in a row: their meaning stands below
        page.labelled(4, width, fits ? kind.kind : "", kind.event);
    }
}

// One column a signal, three letters each: so that all of them fit a terminal. None is dropped where they do not, for
// then a format would seem to tell less than it does.
void write_table(report::Page& page) {
    std::vector<report::Column> columns{{"format", 0, false}, {"rec"}};
    for (const SignalInfo& signal : kSignals) columns.push_back({std::string(signal.column)});
    report::Table table(std::move(columns));
    for (const ReaderSpec& reader : all_readers()) {
        std::vector<std::string> cells{std::string(reader.id), std::to_string(reader.kinds.size())};
        for (const SignalInfo& signal : kSignals) {
            cells.emplace_back(reader.signals.has(signal.signal) ? page.symbol("\u2713", "x") : "-");
        }
        table.row(std::move(cells));
    }
    table.draw(page, 0);
    page.blank();
    page.labelled(0, 3, "rec", "kinds of records it knows (-v lists them)");
    for (const SignalInfo& signal : kSignals) {
        page.labelled(0, 3, signal.column, fmt::format("{}: {}", signal.name, signal.doc));
    }
    page.blank();
    page.paragraph(0,
                   "A rule that needs what a format, or a session, does not tell is named as skipped in the report.");
}

void write_details(report::Page& page) {
    std::size_t longest = 0;
    for (const ReaderSpec& reader : all_readers()) longest = std::max(longest, reader.id.size());
    for (const ReaderSpec& reader : all_readers()) {
        row(page, static_cast<int>(longest), reader.id,
            fmt::format("{}: {}. Tells {}.", reader.product, reader.summary, describe(reader.signals)));
        write_kinds(page, reader);
    }
}

void write_text(report::Page& page) {
    write_table(page);
    if (page.options().verbosity <= 0) return;
    page.blank();
    write_details(page);
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
            "The support table: the formats by their names for --input-format, how many kinds of records are known of "
            "each, and what it can tell. A rule that needs more than a recording tells is skipped and named in the "
            "report.",
            kExamples,
            listing_flags(),
            run,
            false,
            Offer{},
            Offer{}};
}

}  // namespace agent_audit::cli
