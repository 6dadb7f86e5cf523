#include "readers/copilot/copilot_usage.hpp"

#include "readers/copilot/copilot_kinds.hpp"
#include "readers/json/ids.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::readers {
namespace {

TokenCounts& spent_on(CopilotSpending& spent, IdHash model) {
    constexpr std::size_t kModels = 100;
    const auto at = std::ranges::find(spent, model, &CopilotSpent::model);
    if (at != spent.end()) return at->tokens;
    if (spent.size() < kModels) spent.push_back({model, {}});
    return spent.back().tokens;
}

TokenCounts sum_of(const CopilotSpending& spent) {
    TokenCounts sum;
    for (const CopilotSpent& s : spent) sum += s.tokens;
    return sum;
}

// Takes of `spent` what it has from `tokens`.
void take_off(TokenCounts& tokens, TokenCounts& spent) {
    const TokenCounts rest = minus(tokens, spent);
    spent = minus(spent, tokens);
    tokens = rest;
}

// The input includes what was cached; should it not, it is smaller.
TokenCounts normal(TokenCounts t) {
    const std::uint64_t cached = t.cache_read + t.cache_write;
    if (t.input >= cached) t.input -= cached;
    t.reasoning = std::min(t.reasoning, t.output);
    return t;
}

IdHash call_hash(const CopilotLine& line) { return is_stand_in(line.api_call_id) ? 0 : id_hash(line.api_call_id); }

std::uint64_t usage_number(const CopilotLine& line) {
    if (line.sequence == 0 || is_stand_in(line.source_session)) return 0;
    return mix_hash(id_hash(line.source_session), line.sequence) | 1;
}

}  // namespace

void CopilotUsage::begin_session(IdHash session) {
    session_ = session;
    lost_.clear();
    totals_.clear();
    begin_run();
}

void CopilotUsage::begin_run() {
    said_ = false;
    told_.clear();
    compacted_.clear();
    responses_ = {};
    next_ = 0;
}

void CopilotUsage::lose_run() {
    for (const CopilotSpent& told : told_) spent_on(lost_, told.model) += told.tokens;
    begin_run();
}

std::optional<Usage> CopilotUsage::told(const CopilotLine& line, std::uint32_t lane) {
    const TokenCounts tokens = normal(line.tokens);
    if (tokens.total() == 0) return std::nullopt;
    const bool message = line.type == "assistant.message";
    Response* response = same_response(line, lane, tokens);
    if (response) {
        response->both = true;
    } else {
        response = &responses_[next_++ % responses_.size()];
        *response = {response_key(line),
                     call_hash(line),
                     id_hash(line.model),
                     {},
                     lane,
                     message,
                     false,
                     line.type == kCopilotModelCall,
                     usage_number(line)};
    }
    Usage usage;
    usage.tokens = tokens;
    usage.model = text_of(line.model);
    usage.window_tokens = line.window;
    usage.message_key = response->key;
    if (usage.message_key != 0) usage.mode = UsageMode::replace;
    if (tokens.total() <= response->tokens.total()) return usage;
    TokenCounts& told = spent_on(told_, response->model);
    told = minus(told, response->tokens);
    told += tokens;
    response->tokens = tokens;
    return usage;
}

// A message and a record of its usage tell of one response. Older versions name no call: there the two follow each
// other and agree on the output. The record of the model's call may name it by another id.
CopilotUsage::Response* CopilotUsage::same_response(const CopilotLine& line, std::uint32_t lane,
                                                    const TokenCounts& tokens) {
    const IdHash call = call_hash(line);
    const bool message = line.type == "assistant.message";
    const bool of_call = line.type == kCopilotModelCall;
    const std::size_t known = std::min(next_, responses_.size());
    for (std::size_t back = 1; call != 0 && back <= known; ++back) {
        if (Response& r = response_before(back); r.call == call && !other_record(line, r)) return &r;
    }
    for (std::size_t back = 1; back <= known; ++back) {
        Response& r = response_before(back);
        if (r.key == 0 || r.lane != lane || other_record(line, r)) continue;
        if (call != 0 && !of_call && !r.of_call) return nullptr;
        const bool other = !r.both && r.tokens.output == tokens.output && (r.message != message || of_call);
        return other || (of_call && r.tokens == tokens) ? &r : nullptr;
    }
    return nullptr;
}

// Two records of usage with numbers tell of two responses, however short the ids are that a server gives.
bool CopilotUsage::other_record(const CopilotLine& line, const Response& r) {
    return r.number != 0 && line.sequence != 0 && r.number != usage_number(line);
}

// Ids that are short are unique in their session only.
std::uint64_t CopilotUsage::response_key(const CopilotLine& line) {
    if (const std::uint64_t number = usage_number(line); number != 0) return number;
    if (!is_stand_in(line.api_call_id)) return id_hash(line.api_call_id);
    const std::string_view id = line.message_id.empty() ? line.id : line.message_id;
    if (is_stand_in(id) && !line.timestamp.empty())
        return mix_hash(mix_hash(session_, ++unnamed_), stable_hash(line.timestamp)) | 1;
    if (is_unique_id(id)) return id_hash(id);  // in what the run printed, too, which names its session in the end
    if (id.empty() || session_ == 0) return 0;
    return mix_hash(session_, id_hash(id)) | 1;
}

std::optional<Usage> CopilotUsage::of_summary(const CopilotLine& line) {
    Usage usage;
    usage.scope = UsageScope::session;
    usage.tokens = normal(line.tokens);
    if (usage.tokens.total() == 0) return std::nullopt;
    usage.model = text_of(line.model);
    if (is_unique_id(line.id)) usage.message_key = id_hash(line.id);
    spent_on(compacted_, id_hash(line.model)) += usage.tokens;
    return usage;
}

// Whether the totals include those of the shutdown before.
bool CopilotUsage::go_on(const CopilotSpending& totals) const {
    if (totals_.empty()) return false;
    for (const CopilotSpent& before : totals_) {
        const auto now = std::ranges::find(totals, before.model, &CopilotSpent::model);
        if (now == totals.end() || minus(before.tokens, now->tokens).total() > 0) return false;
    }
    // The same once more, or without an answer in between: these can only be the old ones.
    if (!said_ || sum_of(totals).total() == sum_of(totals_).total()) return true;
    const std::uint64_t told = sum_of(told_).output, old = sum_of(totals_).output, now = sum_of(totals).output;
    return told > 0 ? now >= old + told : old > 0 && now == old;
}

std::vector<Usage> CopilotUsage::rest(const CopilotLine& shutdown) {
    CopilotSpending totals;
    for (const CopilotModelTotal& total : shutdown.totals)
        if (const TokenCounts all = normal(total.tokens); all.total() > 0)
            spent_on(totals, id_hash(total.model)) += all;
    if (totals.empty()) {
        lose_run();
        return {};
    }
    const CopilotSpending before = go_on(totals) ? std::move(totals_) : CopilotSpending{};
    totals_ = totals;
    take_off_told(totals, before);
    std::vector<Usage> rest = tell(shutdown, totals);
    lost_.clear();
    begin_run();
    return rest;
}

void CopilotUsage::take_off_told(CopilotSpending& totals, const CopilotSpending& before) const {
    // What runs that were cut off told is in the totals of a whole session only.
    CopilotSpending told = told_;
    const std::uint64_t lost = sum_of(lost_).output, known = sum_of(before).output + sum_of(told).output + lost;
    if (lost > 0 && sum_of(totals).output >= known)
        for (const CopilotSpent& spent : lost_) spent_on(told, spent.model) += spent.tokens;
    // Names of models that the totals do not have are other names of theirs.
    TokenCounts nameless;
    for (const CopilotSpent& spent : told)
        if (std::ranges::find(totals, spent.model, &CopilotSpent::model) == totals.end()) nameless += spent.tokens;
    for (CopilotSpent& total : totals) {
        const auto of_model = [&total](const CopilotSpent& s) { return s.model == total.model; };
        if (const auto at = std::ranges::find_if(before, of_model); at != before.end())
            total.tokens = minus(total.tokens, at->tokens);
        if (const auto at = std::ranges::find_if(told, of_model); at != told.end()) take_off(total.tokens, at->tokens);
    }
    for (CopilotSpent& total : totals) take_off(total.tokens, nameless);
    // Version 1.0.102 leaves out what summaries took. Should another one not, it is more than the responses told.
    for (const CopilotSpent& spent : compacted_) {
        const auto of_model = [&spent](const CopilotSpent& s) { return s.model == spent.model; };
        const auto at = std::ranges::find_if(totals, of_model);
        if (at != totals.end() && at->tokens.total() >= spent.tokens.total())
            at->tokens = minus(at->tokens, spent.tokens);
    }
}

std::vector<Usage> CopilotUsage::tell(const CopilotLine& shutdown, CopilotSpending& totals) {
    std::vector<Usage> rest;
    bool first = true;
    std::size_t alone = 0;
    for (const CopilotModelTotal& total : shutdown.totals) {
        const IdHash model = id_hash(total.model);
        Usage usage;
        usage.scope = UsageScope::session;
        if (const auto at = std::ranges::find(totals, model, &CopilotSpent::model); at != totals.end())
            usage.tokens = std::exchange(at->tokens, {});
        usage.model = text_of(total.model);
        if (std::exchange(first, false) && shutdown.context > 0) usage.context_tokens = shutdown.context;
        if (usage.tokens.total() == 0) continue;
        usage.rest = true;
        if (Response* response = alone < responses_.size() ? last_of(model) : nullptr) {
            usage.mode = UsageMode::replace;
            usage.message_key = response->key;
            usage.tokens += response->tokens;
            *response = {};
        } else {
            ++alone;
            if (is_unique_id(shutdown.id)) usage.message_key = mix_hash(id_hash(shutdown.id), model) | 1;
        }
        rest.push_back(usage);
    }
    return rest;
}

CopilotUsage::Response* CopilotUsage::last_of(IdHash model) {
    for (std::size_t back = 1; back <= std::min(next_, responses_.size()); ++back) {
        Response& r = responses_[(next_ - back) % responses_.size()];
        if (r.key != 0 && (r.model == model || r.model == 0)) return &r;
    }
    return nullptr;
}

}  // namespace agent_audit::readers
