#include "cli/pages/help.hpp"

#include "report/escape/utf8.hpp"
#include "report/text/layout.hpp"

#include <algorithm>

namespace agent_audit::cli {
namespace {

using report::Page;

// Help is drawn with the same page as a report, without colour.
template <class Draw>
std::string drawn(int width, const Draw& draw) {
    std::string out;
    const ByteSink sink = [&](std::string_view bytes) {
        out += bytes;
        return true;
    };
    const RenderOptions options{.width = width};
    {
        Page page(options, sink);
        draw(page);
    }
    return out;
}

void draw_examples(Page& page, std::span<const Example> examples) {
    page.paragraph(0, "Examples:");
    for (const Example& example : examples) {
        page.paragraph(2, example.line);
        page.paragraph(6, example.doc);
    }
    page.blank();
}

std::string flag_label(const FlagSpec& flag) {
    std::string label(flag.names);
    if (const std::size_t comma = label.find(','); comma != label.npos) {
        label.insert(comma + 1, " ");
    } else {
        label.insert(0, "    ");
    }
    return flag.is_switch() ? label : label.append(" ").append(flag.value);
}

void draw_flags(Page& page, std::span<const FlagSpec> flags) {
    constexpr int kWidestLabel = 25;
    page.paragraph(0, "Options:");
    int width = 15;
    for (const FlagSpec& flag : flags) width = std::max(width, report::column_width(flag_label(flag)));
    width = std::min(width, page.narrow() ? 0 : kWidestLabel);
    const auto draw = [&](const std::string& label, std::string_view doc) {
        if (report::column_width(label) <= width) return page.labelled(2, width, label, doc);
        page.paragraph(2, label);
        page.paragraph(page.narrow() ? 6 : 2 + width + 2, doc);
    };
    for (const FlagSpec& flag : flags) draw(flag_label(flag), flag.doc);
    for (const FlagSpec& flag : kCommonFlags) draw(flag_label(flag), flag.doc);
}

std::string usage_of(const CommandSpec& command) {
    std::string usage = "Usage: agent-audit ";
    usage.append(command.name).append(" [OPTIONS]");
    return command.operands.empty() ? usage : usage.append(" ").append(command.operands);
}

}  // namespace

std::string command_help(const CommandSpec& command, int width) {
    return drawn(width, [&](Page& page) {
        draw_examples(page, command.examples);
        page.paragraph(0, usage_of(command));
        page.blank();
        page.paragraph(0, command.details);
        page.blank();
        draw_flags(page, command.flags);
    });
}

std::string program_help(int width) {
    return drawn(width, [&](Page& page) {
        const CommandSpec& scan = all_commands().front();
        page.paragraph(0, "agent-audit finds where recorded agent sessions went in circles, and what that cost.");
        page.blank();
        draw_examples(page, scan.examples);
        page.paragraph(0, "Usage: agent-audit [COMMAND] [OPTIONS] [INPUT...]");
        page.blank();
        page.paragraph(0, "Commands:");
        int width_of_names = 0;
        for (const CommandSpec& command : all_commands()) {
            if (!command.hidden) width_of_names = std::max(width_of_names, report::column_width(command.name));
        }
        for (const CommandSpec& command : all_commands()) {
            if (!command.hidden) page.labelled(2, width_of_names, command.name, command.summary);
        }
        page.blank();
        page.paragraph(0, scan.details);
        page.blank();
        draw_flags(page, scan.flags);
        page.blank();
        page.paragraph(0, "Every option of scan can also be set in the environment: --fail-on as AGENT_AUDIT_FAIL_ON.");
        page.blank();
        page.paragraph(0, "Exit codes:");
        for (const ExitStatusDoc& row : kExitStatuses) {
            page.labelled(2, 3, std::to_string(static_cast<int>(row.status)), row.doc);
        }
    });
}

}  // namespace agent_audit::cli
