#include "readers/all.hpp"
#include "readers/atif/atif_header.hpp"
#include "readers/atif/atif_step.hpp"
#include "readers/atif/typed_screen.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

// ATIF, the trajectory format of Harbor and Terminal-Bench, which other agents export as well:
//
//   {"schema_version":"ATIF-v1.6","session_id":"…","agent":{"name":"…","version":"…","model_name":"…"},"steps":[…],
//    "final_metrics":{…},"subagent_trajectories":[…]}
//   {"step_id":2,"source":"agent","message":"…","reasoning_content":"…",
//    "tool_calls":[{"tool_call_id":"c1","function_name":"bash","arguments":{…}}],
//    "observation":{"results":[{"source_call_id":"c1","content":"…"}]},
//    "metrics":{"prompt_tokens":9,"cached_tokens":4,"completion_tokens":2,"cost_usd":0.1}}
//
// Steps may carry the ids and probabilities of all tokens; those are passed over, never built.

namespace agent_audit::readers {
namespace {

// What the programs whose sessions were converted say in the place of a human.
constexpr std::array<std::string_view, 13> kInjected{"<system-reminder>",
                                                     "<command-name>",
                                                     "<command-message>",
                                                     "<local-command-",
                                                     "<task-notification>",
                                                     "<environment_context>",
                                                     "<user_instructions>",
                                                     "<permissions instructions>",
                                                     "<turn_aborted>",
                                                     "# AGENTS.md instructions",
                                                     "Base directory for this skill",
                                                     "Caveat: The messages below",
                                                     "[Request interrupted by user"};
constexpr std::string_view kContinued = "This session is being continued from a previous conversation";

// What a result says of itself.
struct OutcomeWord {
    std::string_view word;
    ResultStatus status;
};
constexpr OutcomeWord kOutcomes[] = {{"error", ResultStatus::error},     {"failed", ResultStatus::error},
                                     {"denied", ResultStatus::denied},   {"cancelled", ResultStatus::cancelled},
                                     {"running", ResultStatus::running}, {"success", ResultStatus::ok},
                                     {"ok", ResultStatus::ok},           {"completed", ResultStatus::ok}};

class Atif final : public DocumentReader {
public:
    Atif() : DocumentReader("steps") {}

protected:
    LineFate read_object(json::object object) override {
        header_ = AtifHeader{};
        if (!header_.collect(object) || !alive()) return LineFate::malformed_json;
        if (!header_.has_steps) return header_.schema.empty() ? LineFate::unknown_kind : LineFate::missing_field;
        open_ = false;
        lane_ = lanes_ = side_lane_ = 0;
        side_agents_.clear();
        briefed_.clear();
        const LineFate fate = stream_records(object);
        const bool before_steps = record().part == RecordPart::head && header_.has_sub_agents;
        return fate == LineFate::understood && before_steps ? sub_agents_first(object) : fate;
    }

    bool read_rest(json::object fields) override { return header_.collect(fields); }

    LineFate end_document(json::object document) override {
        open();
        const AtifHeader main = header_;
        const EventHeader last = head();
        const LineFate fate = main.has_sub_agents ? sub_agents(document) : LineFate::understood;
        embedded_ |= main.has_sub_agents;
        head() = last;
        totals(main);
        return fate;
    }

    LineFate read_element(json::object element) override {
        step_.clear();
        if (!read_fields(element, [this](const char* key, json::value& v) { return fields_.collect(key, v); }))
            return LineFate::malformed_json;
        if (step_.source.empty()) return LineFate::missing_field;
        step();
        return LineFate::understood;
    }

private:
    // ---- sessions ---------------------------------------------------------------------------------------

    void open() {
        if (open_) return;
        open_ = true;
        turn_ = 0;
        summarised_ = copied_ = refers_ = embedded_ = false;
        told_ = {};
        told_cost_ = 0;
        const EventHeader here = head();
        new_head().time_ms = time_of(step_.timestamp);
        SessionStart start;
        start.session_id = text_of(header_.session_id.empty() ? header_.trajectory_id : header_.session_id);
        start.parent_session_id = text_of(header_.parent);
        if (!header_.other_cwd) start.cwd = text_of(header_.cwd);
        start.product_version = text_of(header_.version);
        start.model = text_of(header_.model);
        start.label = text_of(header_.agent);
        start.sub_agent = !header_.parent.empty();
        start.housekeeping = start.sub_agent && header_.agent.find("summarization") != std::string_view::npos;
        emit(start);
        head() = here;
    }

    // What the steps do not tell: those without metrics, and requests that came to no step. Totals count what stands in
    // other files, too (earlier ones of the session, those of sub-agents): there only totals without any metrics serve.
    void totals(const AtifHeader& of) {
        const bool none_told = told_.total() == 0 && told_cost_ == 0;
        if (!of.has_totals || (!none_told && (copied_ || (refers_ && !embedded_)))) return;
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = none_told ? UsageMode::cumulative : UsageMode::add;
        usage.tokens = none_told ? of.totals : untold(of.totals);
        const std::uint64_t cost = microusd(of.total_cost_usd);
        if (cost > told_cost_) usage.cost_microusd = cost - told_cost_;
        if (usage.tokens.total() == 0 && !usage.cost_microusd) return;
        if (!none_told) new_head();  // of no turn
        emit(usage);
    }

    TokenCounts untold(const TokenCounts& totals) const {
        const auto beyond = [](std::uint64_t all, std::uint64_t part) { return all > part ? all - part : 0; };
        const std::uint64_t prompt = beyond(totals.prompt(), told_.prompt());
        const std::uint64_t cached = std::min(prompt, beyond(totals.cache_read, told_.cache_read));
        return {prompt - cached, 0, cached, beyond(totals.output, told_.output), 0};
    }

    LineFate sub_agents(json::object object) {
        if (!alive() || object.reset().error()) return LineFate::partial;
        const bool whole = each_field(object, [this](const char* key, json::value& v) {
            if (!key_is(key, "subagent_trajectories")) return true;
            return each_element(v, [this](json::value& trajectory) { return sub_agent(trajectory); });
        });
        return whole ? LineFate::understood : LineFate::partial;
    }

    // Of a document in parts, what stands before the steps is gone when they are over.
    LineFate sub_agents_first(json::object object) {
        step_.clear();
        open();
        const AtifHeader main = header_;
        const LineFate fate = sub_agents(object);
        header_ = main;
        header_.has_sub_agents = false;
        embedded_ = true;
        lane_ = turn_ = 0;
        return fate;
    }

    bool sub_agent(json::value& v) {
        json::object object;
        if (!is_object(v)) return true;
        if (v.get_object().get(object)) return false;
        header_ = AtifHeader{};
        if (!header_.collect(object) || !alive()) return false;
        if (!header_.has_steps || object.reset().error()) return header_.has_steps ? false : true;
        lane_ = next_lane();
        turn_ = 0;
        summarised_ = false;
        new_head(lane_);
        LaneOpen open;
        open.purpose =
            header_.agent.find("summarization") != std::string_view::npos ? LanePurpose::compaction : LanePurpose::task;
        open.agent_id = text_of(header_.trajectory_id.empty() ? header_.session_id : header_.trajectory_id);
        open.agent_type = text_of(header_.agent);
        emit(open);
        return each_field(object, [this](const char* key, json::value& steps) {
            if (!key_is(key, "steps") || !is_array(steps)) return true;
            const LineFate fate = stream_array(steps);
            return !broke_off(fate);
        });
    }

    std::uint32_t next_lane() { return lanes_ = std::min<std::uint32_t>(lanes_ + 1, LaneTable::kMax); }

    // Steps of sub-agents that stand among those of the agent mostly have no name: each briefing begins another one.
    // Where they have, agents that work side by side are told apart: the first step of one belongs to the oldest
    // briefing that nobody answered yet.
    void open_side_lane() {
        if (step_.agent.empty()) {
            if (side_lane_ != 0 && step_.source != "user") return;
            side_lane_ = new_side_lane();
            if (briefed_.size() < LaneTable::kMax) briefed_.push_back(side_lane_);
            return;
        }
        const IdHash agent = id_hash(step_.agent);
        const auto known = std::ranges::find(side_agents_, agent, &SideAgent::id);
        if (known != side_agents_.end()) {
            side_lane_ = known->lane;
            return;
        }
        side_lane_ = briefed_.empty() ? new_side_lane() : briefed_.front();
        if (!briefed_.empty()) briefed_.erase(briefed_.begin());
        if (side_agents_.size() < LaneTable::kMax) side_agents_.push_back({agent, side_lane_});
    }

    std::uint32_t new_side_lane() {
        const std::uint32_t lane = next_lane();
        new_head(lane).time_ms = time_of(step_.timestamp);
        LaneOpen open;
        open.purpose = LanePurpose::task;
        open.agent_id = text_of(step_.agent);
        emit(open);
        return lane;
    }

    bool in_side_lane() const { return step_.sidechain && lane_ == 0; }

    // ---- steps ------------------------------------------------------------------------------------------

    void step() {
        open();
        if (in_side_lane()) open_side_lane();
        EventHeader& h = in_side_lane() ? new_head(side_lane_) : new_head(lane_, turn_);
        h.time_ms = time_of(step_.timestamp);
        h.record_id = step_.id;
        if (step_.copied) h.flags |= kCopied;
        copied_ |= step_.copied && lane_ == 0;
        refers_ |= std::ranges::any_of(step_.results, [](const AtifStep::Result& r) { return r.refers; });
        const bool works = !step_.calls.empty() || step_.has_metrics || !step_.reasoning.empty();
        if (step_.source == "agent" || (works && step_.source != "user" && step_.source != "system")) return agent();
        if (step_.source == "user") return user();
        system();
    }

    // Only the first words of a conversation, and what follows without a compaction between, are a human's.
    void user() {
        const std::string_view text = step_.message.text.bytes;
        if (text.starts_with(kContinued)) {
            emit(Compaction{});
            emit(Message{Role::user, Origin::summary, step_.message.text, 0});
            return;
        }
        // By the agent that started this one.
        const bool briefed = lane_ != 0 || in_side_lane() || !header_.parent.empty();
        const bool summary = summarised_ && !in_side_lane();
        const bool injected = starts_with_one_of(text, kInjected);
        const bool human = !briefed && !summary && !injected && (turn_ == 0 || !step_.copied);
        const Origin origin = injected  ? Origin::injected
                              : summary ? Origin::summary
                              : briefed ? Origin::agent
                              : human   ? Origin::human
                                        : Origin::injected;
        if (summary && !injected) summarised_ = false;
        if (human) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, origin, step_.message.text, step_.message.media});
    }

    // The context that goes on stands in the step itself: a summary in the place of all, or nothing of what was
    // trimmed.
    void compacted() {
        const auto said =
            std::ranges::find_if(step_.results, [](const AtifStep::Result& r) { return !r.content.text.empty(); });
        const RawText summary = said == step_.results.end() ? RawText{} : said->content.text;
        Compaction compaction;
        if (step_.boundary == "truncate" || step_.change == "pruning") compaction.kind = CompactionKind::truncate;
        if (step_.boundary == "replace") compaction.keep = Keep::none;
        compaction.summary = summary;
        emit(compaction);
        summarised_ = false;
        if (!summary.empty()) emit(Message{Role::user, Origin::summary, summary, 0});
    }

    void system() {
        const bool trimmed = step_.change == "compaction" || step_.change == "pruning";
        if (trimmed || step_.boundary == "replace" || step_.boundary == "truncate") return compacted();
        const bool refers = std::ranges::any_of(step_.results, [](const AtifStep::Result& r) { return r.refers; });
        if (refers) {
            Compaction compaction;
            compaction.summary = step_.message.text;
            emit(compaction);
            summarised_ = true;
            return;
        }
        const Role role = step_.source == "system" ? Role::system : Role::user;
        if (!step_.message.text.empty()) emit(Message{role, Origin::injected, step_.message.text, step_.message.media});
        for (const AtifStep::Result& r : step_.results) {
            if (!r.content.text.empty()) emit(Message{role, Origin::injected, r.content.text, r.content.media});
        }
    }

    void agent() {
        if (!in_side_lane()) summarised_ = false;
        head().response = ++responses_ | std::uint64_t{1} << 63;
        if (!step_.reasoning.empty()) emit(Thinking{step_.reasoning, 0});
        if (!step_.message.text.empty())
            emit(Message{Role::assistant, Origin::agent, step_.message.text, step_.message.media});
        for (const AtifStep::Call& call : step_.calls) emit(call_of(call.id, call.name, call.args));
        usage();
        head().response = 0;
        results();
    }

    void usage() {
        const std::uint64_t cost = microusd(step_.cost_usd);
        if (step_.copied || (step_.tokens.total() == 0 && cost == 0)) return;
        told_ += step_.tokens;
        told_cost_ += cost;
        Usage usage;
        usage.tokens = step_.tokens;
        usage.model = text_of(step_.model);
        if (cost > 0) usage.cost_microusd = cost;
        emit(usage);
    }

    // Results without an id answer the calls in order; a single one stands for all of them, unless it is the screen of
    // a terminal that tells what each of them showed.
    void results() {
        const std::size_t calls = step_.calls.size();
        const std::size_t count = step_.results.size();
        for (std::size_t i = 0; i < count; ++i) {
            const AtifStep::Result& r = step_.results[i];
            if (!r.call_id.empty() && calls > 0) {
                result(r, r.call_id);
            } else if (!r.late_id.empty()) {
                result(r, r.late_id);
            } else if (calls == 0) {  // the environment speaks, whatever was done to it
                if (!r.content.text.empty())
                    emit(Message{Role::user, Origin::injected, r.content.text, r.content.media});
            } else if (count == 1) {
                result_of_all(r);
            } else {
                result(r, i < calls ? step_.calls[i].id : std::string_view{});
            }
        }
    }

    void result_of_all(AtifStep::Result r) {
        const std::size_t calls = step_.calls.size();
        screen_.clear();
        for (const AtifStep::Call& call : step_.calls) screen_.typed(call.args.primary);
        const bool cut = calls > 1 && r.content.media == 0 && screen_.cut(r.content.text);
        for (std::size_t i = 0; i < calls; ++i) {
            if (cut) r.content.text = screen_.part(i);
            result(r, step_.calls[i].id);
        }
    }

    static ResultStatus outcome(std::string_view word, std::optional<bool> failed, std::optional<int> exit_code) {
        if (failed == true) return ResultStatus::error;
        const auto known = std::ranges::find(kOutcomes, word, &OutcomeWord::word);
        if (known != std::end(kOutcomes)) return known->status;
        if (exit_code) return status_of(exit_code);
        return failed == false ? ResultStatus::ok : ResultStatus::unknown;
    }

    void result(const AtifStep::Result& r, std::string_view call_id) {
        ToolResult result;
        result.call_id = text_of(call_id);
        result.text = r.content.text;
        result.media_count = r.content.media;
        result.opaque = r.content.text.empty() && r.content.media > 0;
        const bool only = step_.calls.size() == 1 && step_.results.size() == 1;
        const std::optional<bool> failed = r.failed || !only ? r.failed : step_.failed;
        result.exit_code = r.exit_code || !only ? r.exit_code : step_.exit_code;
        result.status = outcome(r.status, failed, result.exit_code);
        emit(result);
    }

    AtifHeader header_;
    AtifStepFields fields_{args_};
    AtifStep& step_ = fields_.step();
    TypedScreen screen_;
    bool open_ = false, summarised_ = false;
    bool copied_ = false, refers_ = false;  // some steps stand in an earlier file; others speak of a sub-agent
    bool embedded_ = false;                 // sub-agents stand in the document itself
    TokenCounts told_;                      // by steps, those of sub-agents among them
    std::uint64_t told_cost_ = 0;           // in micro-dollars
    std::uint32_t turn_ = 0, lane_ = 0;
    std::uint32_t lanes_ = 0, side_lane_ = 0;  // opened so far; the one of the last step among the agent's
    struct SideAgent {
        IdHash id;
        std::uint32_t lane;
    };
    std::vector<SideAgent> side_agents_;
    std::vector<std::uint32_t> briefed_;  // lanes without an answer yet
    std::uint64_t responses_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        if (r.text("schema_version").starts_with("ATIF")) return kCertain;
        const auto steps = r.raw("steps");
        if (steps && steps->starts_with('[') && r.has("agent") && steps->find("\"source\"") != steps->npos) best = 80;
    }
    return best;
}

constexpr std::string_view kStreams[] = {"steps"};

constexpr RecordKindDoc kKinds[] = {
    {"{schema_version, session_id, agent, steps}", "SessionStart and the steps"},
    {"user", "TurnStart and Message (human); after a compaction: Message (summary); of a program: Message (injected)"},
    {"agent", "Thinking, Message, ToolCall, Usage, then ToolResult for each result"},
    {"system", "Message (system); with references to sub-trajectories, or extra.context_management: Compaction"},
    {"is_copied_context", "the same, marked as copies"},
    {"results without source_call_id", "answer the calls of their step in order; without calls: Message (injected)"},
    {"one result for several calls",
     "the ToolResult of each; of a terminal's screen what stands behind the echo of its keys"},
    {"results with extra.source_call_id", "answer a call of an earlier step"},
    {"extra of a result; of a step with one call", "the error mark and the exit code of the ToolResult"},
    {"extra.is_sidechain",
     "the step of a sub-agent: LaneOpen with each briefing, and its own lane; extra.agent_id tells them apart"},
    {"subagent_trajectories", "LaneOpen and the steps, in a lane each"},
    {"final_metrics",
     "Usage: what they hold beyond the metrics of steps; of a session with other files only where no "
     "step has metrics"},
};

}  // namespace

ReaderSpec atif() {
    return {"atif",
            "ATIF",
            "trajectories of Harbor, Terminal-Bench and agents that export them",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::timestamps |
                Signal::response_ids | Signal::reasoning | Signal::sub_agents | Signal::compaction | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Atif>()); },
            kStreams};
}

}  // namespace agent_audit::readers
