#include "simulator/conformance_answers.hpp"

#include <agent_audit/simulator/compaction.hpp>
#include <agent_audit/simulator/gemini.hpp>
#include <agent_audit/simulator/message.hpp>
#include <agent_audit/simulator/methods.hpp>
#include <agent_audit/simulator/openclaw.hpp>
#include <agent_audit/simulator/overflow.hpp>
#include <agent_audit/simulator/pi.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace agent_audit::test {
namespace {

namespace sim = simulator;
namespace oc = simulator::openclaw;
using sim::JsValue;
using Answer = std::optional<JsValue>;
using JsonPtr = std::shared_ptr<const JsValue>;

JsonPtr shared(const JsValue& value) { return std::make_shared<const JsValue>(value); }
double number_or(const JsValue& value, double otherwise) { return value.number() ? *value.number() : otherwise; }

/// What JavaScript compares such a value as.
double as_number(const JsValue& value) {
    if (value.boolean()) return *value.boolean() ? 1 : 0;
    const auto parsed = value.string() ? JsValue::parse(*value.string()) : std::nullopt;
    return number_or(parsed ? *parsed : value, 0);
}
std::string text_or(const JsValue& value, std::string otherwise) {
    return value.string() ? *value.string() : otherwise;
}
/// A limit that a case gives, which the program takes for 1 at least; 0 when it gives none.
double limit_of(const JsValue& value) { return value.number() ? std::max(1.0, *value.number()) : 0; }
std::string op_of(const JsValue& input) { return text_or(input["op"], ""); }
JsValue count(std::uint64_t value) { return JsValue(value); }

oc::Release release_of(std::string_view variant) {
    return variant == "legacy" ? oc::Release::y2026_3 : oc::Release::y2026_9;
}

JsValue indices(std::size_t begin, std::size_t end) {
    JsValue::Array out;
    for (std::size_t i = begin; i < end; ++i) out.push_back(count(i));
    return out;
}

JsValue ranges(const std::vector<oc::Range>& list) {
    JsValue::Array out;
    for (const oc::Range& range : list) out.push_back(indices(range.begin, range.end));
    return out;
}

/// Where the messages of `part` stand in `whole`; -1 for those that were made on the way.
JsValue places(const sim::View& part, const sim::View& whole) {
    std::unordered_map<const sim::Msg*, std::size_t> at;
    for (std::size_t i = 0; i < whole.size(); ++i) at.emplace(whole[i].get(), i);
    JsValue::Array out;
    for (const auto& message : part) {
        const auto found = at.find(message.get());
        out.push_back(found == at.end() ? JsValue(-1) : count(found->second));
    }
    return out;
}

// --- OpenClaw -------------------------------------------------------------------------------------------------------

JsValue edited(sim::View view, const sim::Edits& edits) {
    std::set<std::size_t> changed;
    for (const sim::Edit& edit : edits) changed.insert(edit.index);
    sim::apply_edits(edits, view);
    JsValue::Array list;
    for (const std::size_t index : changed) list.push_back(count(index));
    return JsValue::object({{"changed", std::move(list)}, {"messages", sim::json_of(view)}});
}

/// Several requests of one session, which remembers what it has shortened: each sends the first `upto` messages, pruned
/// (`prune`) or fitted into the budget of results (`fit`).
JsValue rounds(const JsValue& input) {
    const sim::View all = sim::view_of(shared(input["messages"]));
    const oc::PruneSettings settings = oc::prune_settings(input["settings"]);
    const double window = number_or(input["contextWindowTokens"], 0);
    oc::Projections projections;
    JsValue::Array out;
    for (const JsValue& round : *input["rounds"].array()) {
        const auto upto = static_cast<std::size_t>(number_or(round["upto"], static_cast<double>(all.size())));
        sim::View view(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(upto, all.size())));
        JsValue row{JsValue::Object{}};
        if (op_of(round) == "fit") {
            const oc::BudgetPlan plan = oc::fit_results(view, window, projections);
            sim::apply_edits(plan.edits, view);
            row.set("truncatedCount", count(plan.truncated));
            row.set("aggregateTruncatedCount", count(plan.aggregated));
        } else {
            const oc::CacheClock clock{number_or(round["now"], 0), number_or(round["lastCacheTouchAt"], 0)};
            const auto done = oc::prune(view, settings, window, clock, projections);
            sim::apply_edits(done.edits, view);
            row.set("pruned", done.pruned);
        }
        row.set("messages", sim::json_of(view));
        out.push_back(std::move(row));
    }
    return JsValue::object({{"rounds", std::move(out)}});
}

/// When a case asks. One that says nothing of time asks after the cache has expired; one that tells the time, but no
/// touch of the cache, asks before the first.
oc::CacheClock clock_of(const JsValue& input, double ttl_ms) {
    const bool told = input["now"].number() || input.has("lastCacheTouchAt");
    const double touched = number_or(input["lastCacheTouchAt"], told ? 0 : 1'700'000'000'000);
    return {number_or(input["now"], touched + ttl_ms), touched};
}

Answer prune(std::string_view variant, const JsValue& input) {
    if (input["rounds"].array() && variant == "current") return rounds(input);
    const sim::View view = sim::view_of(shared(input["messages"]));
    const double window = number_or(input["contextWindowTokens"], 0);
    if (variant == "legacy") {
        const oc::PruneSettings settings = oc::prune_settings_2026_3(input["settings"]);
        const bool timed = input["now"].number() != nullptr;
        if (timed && !clock_of(input, settings.ttl_ms).expired(settings.ttl_ms)) return edited(view, {});
        return edited(view, oc::prune_2026_3(view, settings, window));
    }
    const oc::PruneSettings settings = oc::prune_settings(input["settings"]);
    oc::Projections projections;
    const auto result = oc::prune(view, settings, window, clock_of(input, settings.ttl_ms), projections);
    JsValue out = edited(view, result.edits);
    out.set("pruned", result.pruned);
    return out;
}

Answer truncate_one(bool legacy, const JsValue& input) {
    const double most = number_or(input["maxChars"], 0);
    const double min_keep = number_or(input["minKeepChars"], 2'000);
    const std::string suffix = text_or(input["suffix"], std::string(oc::kTruncationSuffix2026_3));
    oc::TruncateOptions options;
    options.min_keep = min_keep;
    options.fixed = input["suffix"].string() != nullptr;
    options.fixed_suffix = suffix;
    if (op_of(input) == "text") {
        const sim::Text text(text_or(input["text"], ""));
        return JsValue::object({{"text", legacy ? oc::truncate_text_2026_3(text, most, suffix, min_keep)
                                                : oc::truncate_text(text, most, options)}});
    }
    const sim::MsgPtr message = sim::message_of(shared(input["message"]));
    if (!message) return JsValue::object({{"message", input["message"]}});
    return JsValue::object(
        {{"message", sim::json_of(legacy ? *oc::truncate_result_2026_3(message, most, suffix, min_keep)
                                         : *oc::truncate_result(message, most, options))}});
}

Answer truncate_session(bool legacy, const JsValue& input) {
    sim::View view = sim::view_of(shared(input["messages"]));
    const double window = number_or(input["contextWindowTokens"], 0);
    if (legacy) {
        sim::apply_edits(oc::guard_context_2026_3(view, window), view);
        return JsValue::object({{"messages", sim::json_of(view)}});
    }
    oc::BudgetOptions options;
    options.max_chars =
        limit_of(input["maxCharsOverride"].is_nullish() ? input["maxChars"] : input["maxCharsOverride"]);
    const JsValue& aggregate = input["aggregateMaxCharsOverride"];
    options.aggregate_chars = limit_of(aggregate.is_nullish() ? input["aggregateMaxChars"] : aggregate);
    const oc::BudgetPlan plan = oc::plan_result_budget(view, window, options);
    sim::apply_edits(plan.edits, view);
    return JsValue::object({{"messages", sim::json_of(view)},
                            {"truncatedCount", count(plan.truncated)},
                            {"aggregateTruncatedCount", count(plan.aggregated)},
                            {"aggregatePressureEngaged", plan.pressure},
                            {"aggregateBudgetChars", plan.aggregate_budget}});
}

Answer truncate(std::string_view variant, const JsValue& input) {
    const bool legacy = variant == "legacy";
    const std::string op = op_of(input);
    if (op == "limit") {
        const double window = number_or(input["contextWindowTokens"], 0);
        return JsValue::object({{"maxChars", legacy ? oc::result_limit_2026_3(window) : oc::result_limit(window)}});
    }
    if (op == "text" || op == "message") return truncate_one(legacy, input);
    if (op == "session") return truncate_session(legacy, input);
    return std::nullopt;
}

Answer repair(std::string_view variant, const JsValue& input) {
    const sim::View view = sim::view_of(shared(input["messages"]));
    const oc::Repair done = variant == "legacy" ? oc::repair_pairs_2026_3(view) : oc::repair_pairs(view);
    return JsValue::object({{"messages", sim::json_of(done.view)},
                            {"added", count(done.added)},
                            {"droppedDuplicateCount", count(done.dropped_duplicates)},
                            {"droppedOrphanCount", count(done.dropped_orphans)},
                            {"moved", done.moved}});
}

Answer history(std::string_view variant, const JsValue& input) {
    const sim::View view = sim::view_of(shared(input["messages"]));
    const double limit = as_number(input["limit"]);
    const oc::HistoryCut cut =
        variant == "legacy" ? oc::limit_history_2026_3(view, limit) : oc::limit_history(view, limit);
    JsValue::Array kept;
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (i < cut.prelude || i >= cut.from) kept.push_back(count(i));
    }
    return JsValue::object({{"kept", std::move(kept)}});
}

JsValue precheck(const sim::View& view, const JsValue& input) {
    oc::PrecheckOptions options;
    options.window_tokens = number_or(input["contextWindowTokens"], 0);
    options.reserve_tokens = number_or(input["reserveTokens"], options.reserve_tokens);
    options.result_max_chars = limit_of(input["toolResultMaxChars"]);
    options.tool_schema_tokens = number_or(input["toolSchemaTokens"], 0);
    options.prompt = sim::Text(text_or(input["prompt"], ""));
    options.system_prompt = sim::Text(text_or(input["systemPrompt"], ""));
    const oc::Precheck found = oc::precheck(view, options);
    return JsValue::object({{"route", oc::route_name(found.route)},
                            {"shouldCompact", found.compact},
                            {"estimatedPromptTokens", count(found.prompt_tokens)},
                            {"pressureSource", found.from_usage ? "provider_context_usage" : "transcript_estimate"},
                            {"promptBudgetBeforeReserve", count(found.budget_tokens)},
                            {"overflowTokens", count(found.overflow_tokens)},
                            {"toolResultReducibleChars", count(found.reducible_chars)},
                            {"effectiveReserveTokens", count(found.reserve_tokens)}});
}

JsValue split(const sim::View& view, const JsValue& input, oc::Release release) {
    const double parts = number_or(input["parts"], 2);
    if (release == oc::Release::y2026_3)
        return JsValue::object({{"chunks", ranges(oc::split_by_tokens(view, parts, release))}});
    const auto chunks =
        oc::stage_split(view, number_or(input["maxChunkTokens"], 1), parts, number_or(input["minMessagesForSplit"], 4));
    if (chunks.size() < 2) return JsValue::object({{"mode", "single"}});
    return JsValue::object({{"mode", "split"}, {"chunks", ranges(chunks)}});
}

JsValue prune_share(const sim::View& view, const JsValue& input, oc::Release release) {
    const double window = number_or(input["maxContextTokens"], number_or(input["contextWindowTokens"], 0));
    const auto done = oc::prune_to_share(view, window, number_or(input["maxHistoryShare"], 0.5),
                                         number_or(input["parts"], 2), release);
    return JsValue::object({{"kept", places(done.kept, view)},
                            {"dropped", places(done.dropped, view)},
                            {"messages", sim::json_of(done.kept)},
                            {"droppedChunks", count(done.dropped_chunks)},
                            {"droppedMessages", count(done.dropped_messages)},
                            {"droppedTokens", count(done.dropped_tokens)},
                            {"keptTokens", count(done.kept_tokens)},
                            {"budgetTokens", done.budget_tokens}});
}

JsValue oversized(const sim::View& view, const JsValue& input, oc::Release release) {
    const auto left = oc::leave_out_oversized(view, number_or(input["contextWindowTokens"], 0), release);
    JsValue::Array kept, notes;
    for (const std::size_t index : left.kept) kept.push_back(count(index));
    for (const std::string& note : left.notes) notes.push_back(note);
    return JsValue::object({{"small", kept}, {"kept", kept}, {"notes", notes}, {"oversizedNotes", notes}});
}

Answer plan(std::string_view variant, const JsValue& input) {
    const oc::Release release = release_of(variant);
    const std::string op = op_of(input);
    if (op == "chars") {
        const sim::TextSizes sizes = sim::measure(text_or(input["text"], ""));
        return JsValue::object(
            {{"chars", release == oc::Release::y2026_3 ? count(sizes.units) : count(sizes.weighted)}});
    }
    const sim::View view = sim::view_of(shared(input["messages"]));
    if (op == "estimate") {
        JsValue::Array each;
        for (const auto& message : view) each.push_back(count(oc::view_tokens({message}, release)));
        return JsValue::object({{"tokens", count(oc::view_tokens(view, release))}, {"each", std::move(each)}});
    }
    if (op == "ratio") {
        return JsValue::object({{"ratio", oc::chunk_ratio(view, number_or(input["contextWindowTokens"], 0), release)}});
    }
    if (op == "split") return split(view, input, release);
    if (op == "chunks" || op == "chunk") {
        return JsValue::object(
            {{"chunks", ranges(oc::chunk_by_tokens(
                            view, number_or(input["maxTokens"], number_or(input["maxChunkTokens"], 0)), release))}});
    }
    if (op == "prune") return prune_share(view, input, release);
    if (op == "oversized") return oversized(view, input, release);
    if (op == "precheck" && release == oc::Release::y2026_9) return precheck(view, input);
    return std::nullopt;
}

// --- pi
// ---------------------------------------------------------------------------------------------------------------

namespace pi = simulator::pi;

std::optional<pi::Release> pi_release(std::string_view variant) {
    if (variant == "pi") return pi::Release::v0_73;
    if (variant == "pi-new") return pi::Release::v0_87;
    if (variant == "openclaw") return pi::Release::openclaw_2026_9;
    return std::nullopt;
}

pi::CompactionSettings pi_settings(const JsValue& json) {
    pi::CompactionSettings settings;
    if (json.has("enabled")) settings.enabled = json["enabled"].truthy();
    settings.reserve_tokens = number_or(json["reserveTokens"], settings.reserve_tokens);
    settings.keep_recent_tokens = number_or(json["keepRecentTokens"], settings.keep_recent_tokens);
    return settings;
}

JsValue names(const std::vector<std::string>& list) {
    JsValue::Array out;
    for (const std::string& name : list) out.push_back(name);
    return out;
}

JsValue pi_tokens(const sim::View& view, const JsValue& input, pi::Release release) {
    JsValue::Array each;
    for (const auto& message : view) each.push_back(count(message ? pi::message_tokens(*message, release) : 0));
    const pi::ContextTokens context = pi::context_tokens(view, release);
    JsValue out = JsValue::object(
        {{"each", std::move(each)},
         {"context",
          JsValue::object({{"tokens", context.tokens},
                           {"usageTokens", context.from_usage},
                           {"trailingTokens", context.trailing},
                           {"lastUsageIndex", context.last_usage ? count(*context.last_usage) : JsValue(nullptr)}})}});
    const double window = number_or(input["contextWindow"], std::numeric_limits<double>::infinity());
    out.set("shouldCompact", pi::should_compact(context.tokens, window, pi_settings(input["settings"]), release));
    return out;
}

/// The lines or messages of the case that these were read from.
JsValue lines_of(const sim::View& part) {
    JsValue::Array out;
    for (const auto& message : part) out.push_back(count(message->source_index));
    return out;
}

JsValue pi_prepare(const pi::Entries& entries, const JsValue& input, pi::Release release) {
    const auto prepared = pi::prepare(entries, pi_settings(input["settings"]), release);
    if (!prepared) return JsValue::object({{"prepared", nullptr}});
    return JsValue::object(
        {{"prepared",
          JsValue::object({{"firstKeptEntryId", prepared->first_kept_id},
                           {"summarize", lines_of(prepared->summarize)},
                           {"turnPrefix", lines_of(prepared->turn_prefix)},
                           {"isSplitTurn", prepared->split_turn},
                           {"tokensBefore", prepared->tokens_before},
                           {"previousSummary",
                            prepared->previous_summary ? JsValue(*prepared->previous_summary) : JsValue(nullptr)},
                           {"fileOps", JsValue::object({{"read", names(prepared->files.read)},
                                                        {"written", names(prepared->files.written)},
                                                        {"edited", names(prepared->files.edited)}})}})}});
}

Answer cut(std::string_view variant, const JsValue& input) {
    const auto release = pi_release(variant);
    if (!release) return std::nullopt;
    const std::string op = op_of(input);
    const JsValue& lines = input["entries"];
    const pi::Entries entries = !lines.array()    ? pi::entries_of(sim::view_of(shared(input["messages"])))
                                : op == "prepare" ? pi::entries_of(lines, *release)
                                                  : pi::raw_entries_of(lines, *release);
    sim::View view;
    for (const pi::Entry& entry : entries) view.push_back(entry.message);
    if (op == "tokens") return pi_tokens(view, input, *release);
    if (op == "prepare") return pi_prepare(entries, input, *release);
    if (!op.empty() && op != "cut") return std::nullopt;
    const pi::CutPoint found =
        pi::find_cut(entries, static_cast<std::size_t>(std::max(0.0, number_or(input["startIndex"], 0))),
                     static_cast<std::size_t>(number_or(input["endIndex"], static_cast<double>(entries.size()))),
                     number_or(input["keepRecentTokens"], 20'000), *release);
    return JsValue::object({{"firstKeptEntryIndex", count(found.first_kept)},
                            {"turnStartIndex", found.turn_start ? count(*found.turn_start) : JsValue(-1)},
                            {"isSplitTurn", found.split_turn}});
}

// --- Gemini
// -------------------------------------------------------------------------------------------------------------

namespace gm = simulator::gemini;

JsValue history_json(const gm::History& list) {
    JsValue::Array out;
    for (const auto& content : list) out.push_back(gm::json_of(*content));
    return out;
}

std::string saved_as(const gm::Part&, std::size_t, std::size_t) { return "OUT"; }

/// What the model says when it looks its summary through is the summary, unless that is nothing.
gm::Compression summarised(const gm::Compression& decided, const JsValue& input) {
    const auto environment = static_cast<std::uint64_t>(number_or(input["environmentTokens"], 0));
    gm::Compression made = gm::finish_compression(decided, text_or(input["verified"], ""), environment);
    if (made.status != gm::Status::failed_empty) return made;
    return gm::finish_compression(decided, text_or(input["summary"], ""), environment);
}

JsValue gemini_compress(const gm::History& list, const JsValue& input) {
    gm::CompressionSettings settings;
    settings.limit = gm::token_limit(text_or(input["model"], "gemini-2.5-pro"));
    settings.threshold = number_or(input["threshold"], settings.threshold);
    settings.force = input["force"].truthy();
    settings.failed_before = input["hasFailedCompressionAttempt"].truthy();
    settings.output_chars = number_or(input["truncateToolOutputThreshold"], settings.output_chars);
    gm::Compression done = gm::decide_compression(list, number_or(input["lastPromptTokens"], 0), settings, saved_as);
    const bool asked = done.status == gm::Status::split;
    const std::size_t split = done.split;
    if (asked) done = summarised(done, input);
    const bool replaced = done.history && done.status != gm::Status::noop;
    JsValue out = JsValue::object({{"status", gm::status_name(done.status)},
                                   {"llmCalls", asked ? 2 : 0},
                                   {"newHistoryLength", replaced ? count(done.history->size()) : JsValue(nullptr)},
                                   {"originalTokenCount", done.original_tokens},
                                   {"newTokenCount", done.new_tokens},
                                   {"history", replaced ? history_json(*done.history) : JsValue(nullptr)}});
    if (!asked) return out;
    out.set("summarised", count(split));
    out.set("readsOriginal", done.summarise_original);
    return out;
}

JsValue gemini_mask(const gm::History& list, const JsValue& input) {
    gm::Masking settings;
    settings.protect_tokens = number_or(input["protectionThresholdTokens"], settings.protect_tokens);
    settings.min_prunable_tokens = number_or(input["minPrunableThresholdTokens"], settings.min_prunable_tokens);
    if (const auto* latest = input["protectLatestTurn"].boolean()) settings.protect_latest = *latest;
    const gm::Masked done = gm::mask(list, settings, saved_as);
    return JsValue::object({{"maskedCount", count(done.count)},
                            {"tokensSaved", count(done.saved)},
                            {"history", history_json(done.history)}});
}

JsValue gemini_tokens(const JsValue& input) {
    JsValue::Array each;
    std::vector<gm::Part> parts;
    if (input["parts"].array()) {
        for (const JsValue& part : *input["parts"].array()) {
            parts.push_back(gm::part_of(shared(part)));
            each.push_back(count(gm::tokens(parts.back())));
        }
    }
    return JsValue::object({{"tokens", count(gm::tokens(parts))}, {"each", std::move(each)}});
}

Answer gemini(std::string_view, const JsValue& input) {
    const std::string op = op_of(input);
    const gm::History list = gm::history_of(shared(input["contents"]));
    if (op == "tokens") return gemini_tokens(input);
    if (op == "split")
        return JsValue::object({{"split", count(gm::split_point(list, number_or(input["fraction"], 0.7)))}});
    if (op == "truncate") {
        return JsValue::object(
            {{"text", gm::truncate_output(text_or(input["text"], ""), number_or(input["maxChars"], 0), "OUT")}});
    }
    if (op == "mask") return gemini_mask(list, input);
    if (op == "compress") return gemini_compress(list, input);
    return std::nullopt;
}

// --- Cline
// --------------------------------------------------------------------------------------------------------------

/// Who says what, and of which call a result is.
JsValue words_of(const sim::Msg& message) {
    const bool result = message.role == sim::Role::tool_result;
    JsValue::Array out{result                                 ? JsValue("result")
                       : message.role == sim::Role::assistant ? JsValue("assistant")
                                                              : JsValue("user")};
    if (result) out.emplace_back(message.call_id);
    for (const sim::Block& block : message.blocks) {
        out.emplace_back(block.kind == sim::BlockKind::tool_call ? block.id : block.text.copy());
    }
    return out;
}

/// What is left of a history where the provider refused it (`overflow`), or where it is folded before that.
Answer cline_fold(std::string_view, const JsValue& input) {
    const sim::View view = sim::view_of(shared(input["messages"]));
    const double window = number_or(input["contextWindowTokens"], 0);
    const sim::cline::Compaction settings;
    sim::ContextSize size;
    size.unseen = number_or(input["overheadTokens"], 0);
    size.max_output = number_or(input["maxTokens"], 0);
    size.refused = input["overflow"].truthy();
    for (const sim::MsgPtr& message : view) size.estimated += sim::own_tokens(settings, *message);
    sim::View after;
    if (size.refused) {
        if (const auto plan = sim::plan_compaction(settings, view, size, window)) after = plan->after;
    } else if (sim::compaction_due(settings, size, window)) {
        after = sim::cline::fold(view, sim::cline::fold_target(settings, view, window, size.max_output) - size.unseen,
                                 sim::cline::trigger(settings, window) - size.unseen);
        if (after == view) after.clear();
    }
    JsValue::Array out;
    for (const sim::MsgPtr& message : after) out.push_back(words_of(*message));
    return JsValue::object({{"messages", after.empty() ? JsValue(nullptr) : JsValue(std::move(out))}});
}

// --- overflow
// -----------------------------------------------------------------------------------------------------------

Answer overflow(std::string_view, const JsValue& input) {
    if (!input["errors"].array()) return std::nullopt;
    JsValue::Array rows;
    for (const JsValue& error : *input["errors"].array()) {
        const std::string text = text_or(error, "");
        rows.push_back(JsValue::object({{"error", text},
                                        {"pi", sim::overflow::pi_error(text)},
                                        {"openclaw", sim::overflow::openclaw_error(text)}}));
    }
    return JsValue::object({{"rows", std::move(rows)}});
}

constexpr std::array kAnswerers{
    Answerer{"openclaw_prune", prune},           Answerer{"openclaw_truncate", truncate},
    Answerer{"openclaw_pairing_repair", repair}, Answerer{"openclaw_history_limit", history},
    Answerer{"openclaw_compaction_plan", plan},  Answerer{"pi_cutpoint", cut},
    Answerer{"gemini_compress", gemini},         Answerer{"cline_fold", cline_fold},
    Answerer{"overflow_classify", overflow},
};

}  // namespace

std::span<const Answerer> answerers() { return kAnswerers; }

}  // namespace agent_audit::test
