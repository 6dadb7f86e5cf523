#include "cli/arguments/flag_words.hpp"
#include "cli/arguments/offers.hpp"
#include "cli/clock.hpp"
#include "cli/commands/answer.hpp"
#include "cli/commands/command.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/sessions/session_lines.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/version.hpp"
#include "report/json/json_writer.hpp"
#include "report/redaction/redact.hpp"
#include "report/text/layout.hpp"
#include "report/words/human.hpp"

#include <agent_audit/report/schema.hpp>
#include <agent_audit/support/suggest.hpp>
#include <agent_audit/support/time.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace agent_audit::cli {
namespace {

constexpr std::uint64_t kListed = 20;

constexpr Example kExamples[] = {
    {"agent-audit discover", "the 20 sessions written last, of all agents"},
    {"agent-audit discover --project . --since 7d", "those of this folder in the last week"},
    {"agent-audit discover --agent codex -f json --limit 0", "all of one agent, for programs"},
};

enum Flag : std::uint8_t { kFormat, kAgent, kProject, kSince, kUntil, kLimit, kSubAgents };
constexpr std::string_view kFormats[] = {"text", "json", "ndjson"};
constexpr FlagSpec kFlags[] = {
    {"-f,--format", "FORMAT", "text (default), json or ndjson", false, offer_one_of(kFormats)},
    {"--agent", "NAMES", "only sessions of these agents, comma separated; repeatable", false, offer_list(agent_words)},
    {kProjectFlag.names, kProjectFlag.value, kProjectFlag.doc, false, kProjectFlag.offer},
    {kSinceFlag.names, kSinceFlag.value, kSinceFlag.doc, false},
    {kUntilFlag.names, kUntilFlag.value, kUntilFlag.doc, false},
    {"--limit", "N", "list so many, the newest; 20 by default, 0 = all", false},
    {"--sub-agents", "", "list the files of sub-agents too", false},
};

using Problem = std::optional<Error>;

Problem agents(const FlagValue& value, std::vector<std::string>& out) {
    std::vector<std::string_view> known;
    for (const Location& location : all_locations()) {
        if (known.empty() || known.back() != location.agent) known.push_back(location.agent);
    }
    for (std::string_view rest = value.text;;) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view name = rest.substr(0, comma);
        if (std::ranges::find(known, name) == known.end()) {
            const std::string_view near = nearest(name, known);
            std::string message = fmt::format("{} = \"{}\": no such agent", value.origin, name);
            return Error{near.empty() ? fmt::format("{} (known: {})", message, fmt::join(known, ", "))
                                      : fmt::format("{}; did you mean {}?", message, near)};
        }
        out.emplace_back(name);
        if (comma == rest.size()) return std::nullopt;
        rest.remove_prefix(comma + 1);
    }
}

Problem limit(const FlagValue& value, std::uint64_t& out) {
    const char* end = value.text.data() + value.text.size();
    const auto [ptr, ec] = std::from_chars(value.text.data(), end, out);
    if (ec == std::errc{} && ptr == end) return std::nullopt;
    return Error{fmt::format("{} = \"{}\": expected a number, 0 for all", value.origin, value.text)};
}

Result<DiscoverPlan> plan_of(const Arguments& arguments) {
    DiscoverPlan plan = plan_here({});
    plan.filter.latest = kListed;
    plan.sub_agents = !arguments.flags[kSubAgents].empty();
    const auto apply = [&](Flag flag, auto&& read) -> Problem {
        for (const FlagValue& value : arguments.flags[flag]) {
            if (Problem problem = read(value)) return problem;
        }
        return std::nullopt;
    };
    if (auto p = apply(kAgent, [&](const FlagValue& v) { return agents(v, plan.agents); })) return *p;
    if (auto p = apply(kProject, [&](const FlagValue& v) { return project(v, plan.filter); })) return *p;
    if (auto p = apply(kSince, [&](const FlagValue& v) { return since(v, plan.filter); })) return *p;
    if (auto p = apply(kUntil, [&](const FlagValue& v) { return until(v, plan.filter); })) return *p;
    if (auto p = apply(kLimit, [&](const FlagValue& v) { return limit(v, plan.filter.latest); })) return *p;
    return plan;
}

// A folder or an id is recorded text. It stays as it is, home and all, unless it holds a secret.
std::string without_secrets(const std::string& recorded) {
    report::Redactor secrets(Redact::secrets);
    const std::string plain = secrets.path(recorded), shown = secrets.text(recorded);
    return shown == plain ? recorded : shown;
}

// ---- text ----------------------------------------------------------------------------------------------------

void draw_session(report::Page& page, const FoundSession& session, int agent_columns, std::int64_t now) {
    const std::string size = session.where->kind == LocationKind::folder ? "" : report::byte_size(session.size);
    const std::string label =
        fmt::format("{:>10}  {:<{}}  {:>8}", age(session.modified_ms, now), session.where->agent, agent_columns, size);
    std::string project = session.project.empty() ? "-" : shown_path(without_secrets(session.project));
    if (!session.sub_agents.empty())
        project += fmt::format("  +{}", report::count_of(session.sub_agents.size(), "sub-agent"));
    if (page.narrow()) {
        page.paragraph(0, label);
        page.paragraph(12, project);
    } else {
        page.labelled(0, static_cast<int>(label.size()), label, project);
    }
    // Whole and on one line, to be copied.
    page.line(12, shell_word(session.path), report::Style::dim);
    if (session.where->format.empty()) page.paragraph(12, "cannot be read yet");
}

bool some_only(const DiscoverPlan& plan) {
    const InputFilter& filter = plan.filter;
    return filter.since_ms != kNoTime || filter.until_ms != kNoTime || !filter.projects.empty() || !plan.agents.empty();
}

void draw(report::Page& page, const Discovery& found, const DiscoverPlan& plan, std::int64_t now) {
    if (found.sessions.empty()) {
        page.paragraph(0, some_only(plan)
                              ? "No such session was found on this machine."
                              : "No session was found on this machine. docs/reference/locations.md says where agents "
                                "keep them.");
        return;
    }
    std::size_t agent_columns = 5;
    for (const FoundSession& session : found.sessions) {
        agent_columns = std::max(agent_columns, session.where->agent.size());
    }
    if (!page.narrow()) {
        page.line(0, fmt::format("{:>10}  {:<{}}  {:>8}  project", "written", "agent", agent_columns, "size"),
                  report::Style::dim);
    }
    for (const FoundSession& session : found.sessions) {
        draw_session(page, session, static_cast<int>(agent_columns), now);
    }
    page.blank();
    std::uint64_t bytes = 0;
    std::string by_agent;
    for (const AgentTotals& agent : found.agents) {
        bytes += agent.bytes;
        by_agent +=
            fmt::format("{}{} {}", by_agent.empty() ? "" : ", ", agent.agent, report::thousands(agent.sessions));
    }
    page.paragraph(
        0,
        fmt::format("{}, {}: {}{}.", report::count_of(found.found, "session"), report::byte_size(bytes), by_agent,
                    found.sub_agents > 0 ? "; " + report::count_of(found.sub_agents, "file") + " of sub-agents" : ""));
    if (found.found > found.sessions.size()) {
        page.paragraph(0, fmt::format("The newest {} are listed; --limit 0 lists all.", found.sessions.size()));
    }
    page.paragraph(0, "agent-audit --latest audits the newest, agent-audit FILE any other.");
}

// ---- JSON ----------------------------------------------------------------------------------------------------

void write_session(report::JsonWriter& json, const FoundSession& session) {
    json.text("agent", session.where->agent);
    json.known_text("format", session.where->format);
    json.flag("readable", !session.where->format.empty());
    json.text("type", name(session.where->kind));
    json.text("path", session.path);
    if (session.where->kind != LocationKind::folder) json.number("size", session.size);
    json.text("modified", format_time_ms(session.modified_ms));
    json.known_text("id", without_secrets(session.id));
    json.known_text("project", without_secrets(session.project));
    if (session.sub_agents.empty()) return;
    json.key("sub_agents").begin_array();
    for (const std::string& path : session.sub_agents) json.text(path);
    json.end_array();
}

void write_head(report::JsonWriter& json) {
    json.text("schema", "agent-audit/discover/1");
    json.key("tool").begin_object();
    json.text("name", "agent-audit");
    json.text("version", kVersion);
    json.end_object();
}

void write_note(report::JsonWriter& json, const std::string& problem) {
    json.text("severity", "warning");
    json.text("text", problem);
}

void write_summary(report::JsonWriter& json, const Discovery& found) {
    json.number("found", found.found);
    json.number("listed", found.sessions.size());
    json.number("sub_agents", found.sub_agents);
    json.key("agents").begin_array();
    for (const AgentTotals& agent : found.agents) {
        json.begin_object();
        json.text("agent", agent.agent);
        json.number("sessions", agent.sessions);
        json.number("bytes", agent.bytes);
        json.end_object();
    }
    json.end_array();
}

template <class Items, class Write>
void write_list(report::JsonWriter& json, std::string_view name, const Items& items, const Write& write) {
    json.key(name).begin_array();
    for (const auto& item : items) {
        json.newline();
        json.begin_object();
        write(json, item);
        json.end_object();
    }
    json.end_array();
}

void write_json(report::JsonWriter& json, const Discovery& found) {
    json.begin_object();
    write_head(json);
    json.key("summary").begin_object();
    write_summary(json, found);
    json.end_object();
    write_list(json, "sessions", found.sessions, write_session);
    write_list(json, "notes", found.problems, write_note);
    json.end_object();
    json.newline();
}

void write_ndjson(report::JsonWriter& json, const Discovery& found) {
    const auto line = [&](std::string_view kind, const auto& write) {
        json.begin_document();
        json.begin_object();
        json.text("kind", kind);
        write();
        json.end_object();
        json.newline();
    };
    line("run", [&] { write_head(json); });
    for (const FoundSession& session : found.sessions) line("session", [&] { write_session(json, session); });
    for (const std::string& problem : found.problems) line("note", [&] { write_note(json, problem); });
    line("summary", [&] { write_summary(json, found); });
}

// ---- the command ---------------------------------------------------------------------------------------------

std::string output_of(const Discovery& found, const DiscoverPlan& plan, std::string_view format, std::int64_t now) {
    if (format == "text") return page_text([&](report::Page& page) { draw(page, found, plan, now); });
    return json_text(
        [&](report::JsonWriter& json) { format == "json" ? write_json(json, found) : write_ndjson(json, found); });
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (!arguments.operands.empty()) return usage_error(self, "discover takes no operand; --project DIR chooses");
    const std::string format = last_value(arguments.flags[kFormat], "text");
    if (format != "text" && format != "json" && format != "ndjson") {
        return usage_error(self, "--format = \"" + format + "\": expected text, json or ndjson");
    }
    const Result<std::int64_t> now = now_ms();
    if (!now) return usage_error(self, now.error().message);
    const Result<DiscoverPlan> plan = plan_of(arguments);
    if (!plan) return usage_error(self, plan.error().message);
    const Discovery found = discover(*plan);
    for (const std::string& problem : found.problems) complain(problem);
    const ExitStatus printed = print(output_of(found, *plan, format, *now));
    return printed == ExitStatus::clean && !found.problems.empty() ? ExitStatus::input : printed;
}

}  // namespace

CommandSpec discover_command() {
    return {"discover",
            "",
            "list the sessions on this machine, newest first",
            "Looks where agents keep their sessions (docs/reference/locations.md), also where an agent's own variable, "
            "such as CLAUDE_CONFIG_DIR or CODEX_HOME, points. Only the first records of a listed file are read. Exit "
            "code 3 when a folder could not be read.",
            kExamples,
            kFlags,
            run,
            false,
            Offer{},
            Offer{}};
}

}  // namespace agent_audit::cli
