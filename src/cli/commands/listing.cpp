#include "cli/commands/listing.hpp"

#include "cli/commands/answer.hpp"
#include "cli/terminal/pager.hpp"
#include "cli/terminal/terminal.hpp"

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
    const Result<bool> as_json = asks_for_json(arguments, 0);
    if (!as_json) return usage_error(self, as_json.error().message);
    if (*as_json) return print(json_text(json));
    return print_paged(page_text(text, is_verbose(arguments) ? 1 : 0), arguments.no_pager);
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
