// What docs/how-to/use-the-library.md shows.
#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/pipeline/stream.hpp>
#include <agent_audit/report/renderer.hpp>
#include <agent_audit/support/unescape.hpp>

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace {

class Tools : public agent_audit::InputSink {
public:
    void begin_input(const agent_audit::InputHead&) override {}
    void end_input(const agent_audit::IngestStats&) override {}
    void on_event(const agent_audit::Event& event) override {
        if (const auto* call = std::get_if<agent_audit::ToolCall>(&event.body))
            ++calls[agent_audit::decode_json_string(call->name.bytes)];
    }
    std::map<std::string, int> calls;
};

bool audits(const std::string& session) {
    agent_audit::AuditPlan plan;
    plan.inputs = {session};
    plan.settings.set("budget/limits.tokens", {"1000", "recipes"});
    const agent_audit::Result<agent_audit::Report> report = agent_audit::audit(plan);
    if (!report) return false;
    bool over_budget = false, priced = false;
    for (const agent_audit::SessionReport& one : report->sessions) {
        const std::optional<std::uint64_t> cost = one.tokens.cost.micro_dollars();
        priced |= cost && *cost > 0 && report->inputs[one.input].path == session;
    }
    for (const agent_audit::Finding& finding : report->findings) over_budget |= finding.rule == "budget/limits";

    agent_audit::RenderOptions how;
    how.tool_version = "my program 1.0";
    const agent_audit::RendererSpec* format = agent_audit::find_renderer("json");
    std::string json;
    format->render(*report, how, [&json](std::string_view piece) {
        json += piece;
        return true;
    });
    return over_budget && priced && json.find("my program 1.0") != json.npos && !agent_audit::find_renderer("nothing");
}

bool reads_events(const std::string& session) {
    Tools tools;
    agent_audit::StreamPlan plan;
    plan.inputs = {session};
    const auto outcome = agent_audit::stream_events(plan, tools);
    return outcome && outcome->read_inputs == 1 && tools.calls["Bash"] > 0;
}

}  // namespace

bool recipes_work(const std::string& session) { return audits(session) && reads_events(session); }
