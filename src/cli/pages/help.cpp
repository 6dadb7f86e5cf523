#include "cli/pages/help.hpp"

#include "cli/build_facts.hpp"
#include "cli/version.hpp"
#include "report/escape/utf8.hpp"
#include "report/text/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

namespace agent_audit::cli {
namespace {

using report::Page;

constexpr std::string_view kWhatItDoes =
    "agent-audit finds where recorded agent sessions went in circles, and its cost.";

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

// The flags that no variable stands for; "--judge-*" for those that begin alike.
std::string only_typed(std::span<const FlagSpec> flags) {
    std::vector<std::string> names;
    for (const FlagSpec& flag : flags) {
        if (flag.environment) continue;
        const std::string_view name = flag.long_name();
        const std::string_view stem = name.substr(0, name.find('-', 2) + 1);
        const auto alike = [stem](const FlagSpec& other) {
            return !stem.empty() && other.long_name().starts_with(stem);
        };
        std::string word = std::ranges::count_if(flags, alike) > 1 ? std::string(stem) + "*" : std::string(name);
        if (std::ranges::find(names, word) == names.end()) names.push_back(std::move(word));
    }
    if (names.size() < 2) return names.empty() ? std::string() : names.front();
    return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
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
        page.paragraph(0, kWhatItDoes);
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
        page.paragraph(0, fmt::format("Every option of scan but {} can also be set in the environment: --fail-on as "
                                      "AGENT_AUDIT_FAIL_ON.",
                                      only_typed(scan.flags)));
        page.blank();
        page.paragraph(0, "Exit codes:");
        for (const ExitStatusDoc& row : kExitStatuses) {
            page.labelled(2, 3, std::to_string(static_cast<int>(row.status)), row.doc);
        }
    });
}

std::string first_words(int width) {
    return drawn(width, [&](Page& page) {
        page.paragraph(0, kWhatItDoes);
        page.blank();
        for (const Example& example : all_commands().front().examples) {
            page.paragraph(2, example.line);
            page.paragraph(6, example.doc);
        }
    });
}

std::string version_text(int width) {
    const BuildFacts& facts = build_facts();
    std::string libraries;
    for (const Guest& guest : facts.guests) {
        libraries += fmt::format("{}{}{}{}", libraries.empty() ? "" : ", ", guest.name,
                                 guest.version.empty() ? "" : " ", guest.version);
    }
    return drawn(width, [&](Page& page) {
        page.paragraph(0, fmt::format("agent-audit {}", kVersion));
        const auto line = [&page](std::string_view label, std::string_view what) {
            if (!what.empty()) page.labelled(0, 8, label, what);
        };
        line("commit", facts.commit);
        line("build", facts.build_type);
        line("compiler", facts.compiler);
        line("system", facts.system);
        line("libraries", libraries);
    });
}

}  // namespace agent_audit::cli
