#include "cli/commands/listing.hpp"

#include "cli/terminal/pager.hpp"
#include "cli/terminal/terminal.hpp"

#include <unistd.h>

namespace agent_audit::cli {
namespace {

constexpr FlagSpec kFlags[] = {
    {"-f,--format", "FORMAT", "text (default) or json", false, kOfferTextOrJson},
    {"-v,--verbose", "", "more about each entry", false},
};

}  // namespace

std::span<const FlagSpec> listing_flags() { return kFlags; }

bool is_verbose(const Arguments& arguments) { return !arguments.flags[1].empty(); }

ExitStatus list(const CommandSpec& self, const Arguments& arguments, void (*text)(report::Page&),
                void (*json)(report::JsonWriter&)) {
    const std::string format = arguments.flags[0].empty() ? "text" : arguments.flags[0].back().text;
    std::string out;
    const ByteSink sink = [&](std::string_view bytes) {
        out += bytes;
        return true;
    };
    if (format == "json") {
        report::JsonWriter writer(sink);
        json(writer);
        writer.flush();
    } else if (format == "text") {
        const Stream stream = inspect_stream(STDOUT_FILENO, When::automatic);
        const RenderOptions options{.width = stream.width,
                                    .color = stream.color,
                                    .unicode = stream.unicode,
                                    .verbosity = is_verbose(arguments) ? 1 : 0};
        report::Page page(options, sink);
        text(page);
        page.flush();
    } else {
        return usage_error(self, "--format = \"" + format + "\": expected text or json");
    }
    return format == "text" ? print_paged(out, arguments.no_pager) : print(out);
}

void row(report::Page& page, int label_width, std::string_view label, std::string_view text) {
    if (!page.narrow()) return page.labelled(0, label_width, label, text);
    page.paragraph(0, label);
    page.paragraph(2, text);
}

void write_signals(report::JsonWriter& json, std::string_view field, Signals set) {
    json.key(field).begin_array();
    for (const SignalInfo& signal : kSignals) {
        if (set.has(signal.signal)) json.text(signal.name);
    }
    json.end_array();
}

}  // namespace agent_audit::cli
