#include "readers/claude_code/run_totals.hpp"

#include <algorithm>

namespace agent_audit::readers {
namespace {

// The name in the totals may have the size of the window behind it.
std::string_view name_alone(std::string_view name) { return name.substr(0, name.find('[')); }

}  // namespace

RunTotals::Model* RunTotals::model_of(IdHash name) {
    const auto at = std::ranges::find(models_, name, &Model::name);
    if (at != models_.end()) return &*at;
    if (models_.size() == kMaxModels) return nullptr;
    models_.push_back({name, {}, {}, false, 0});
    return &models_.back();
}

TokenCounts* RunTotals::total_of(std::string_view model) {
    return totals_.size() == kMaxModels ? nullptr : &totals_.emplace_back(model, TokenCounts{}).second;
}

// A model that is told with two sizes of window took what the larger one holds.
void RunTotals::window_is(std::string_view model, std::uint64_t tokens) {
    if (Model* known = model_of(id_hash(name_alone(model)))) known->window = std::max(known->window, tokens);
}

std::uint64_t RunTotals::window() const {
    const auto main = std::ranges::find(models_, main_, &Model::name);
    if (main != models_.end() && main->window > 0) return main->window;
    std::uint64_t common = 0;
    for (const Model& m : models_) {
        if (m.window == 0) continue;
        if (common > 0 && m.window != common) return 0;
        common = m.window;
    }
    return common;
}

void RunTotals::told(const Usage& usage, std::string_view model, bool main) {
    const IdHash name = id_hash(name_alone(model));
    if (main && usage.tokens.total() > 0) main_ = name;  // an error in an answer's place names no model
    Response* response = nullptr;
    for (Response& r : responses_) {
        if (r.message != 0 && r.message == usage.message_key && r.request == usage.request_key) response = &r;
    }
    if (!response) {
        response = &responses_[next_++ % responses_.size()];
        *response = {usage.message_key, usage.request_key, name, {}};
    }
    Model* sum = model_of(name);
    if (!sum || usage.tokens.total() <= response->tokens.total()) return;
    sum->since = minus(sum->since, response->tokens);
    sum->since += usage.tokens;
    response->tokens = usage.tokens;
}

std::vector<RunTotals::More> RunTotals::rest(const std::optional<TokenCounts>& all) {
    if (all) {
        alone_ = false;
        totals_.assign(1, {std::string_view{}, *all});
        TokenCounts since;
        for (Model& m : models_) since += std::exchange(m.since, {});
        if (Model* any = model_of(0)) any->since = since;
    }
    for (const auto& [name, tokens] : totals_) {
        if (Model* m = model_of(id_hash(name_alone(name)))) m->matched = true;
    }
    TokenCounts elsewhere;  // told under names that the totals do not use
    for (const Model& m : models_) {
        if (!m.matched) elsewhere += m.since;
    }
    std::vector<More> out;
    std::size_t alone = 0;
    for (const auto& [name, tokens] : totals_) {
        const auto more = rest_of(name, tokens, elsewhere, alone < responses_.size());
        if (!more) continue;
        if (!more->of) ++alone;
        out.push_back(*more);
    }
    for (Model& m : models_) {
        m.since = {};
        m.matched = false;
    }
    responses_ = {};
    next_ = 0;
    return out;
}

std::optional<RunTotals::More> RunTotals::rest_of(std::string_view model, const TokenCounts& total,
                                                  TokenCounts& elsewhere, bool may_join) {
    const IdHash name = id_hash(name_alone(model));
    Model* known = model_of(name);
    if (!known) return {};
    const bool anew = alone_ || total.total() < known->total.total();
    const TokenCounts rest = minus(anew ? total : minus(total, known->total), known->since);
    if (alone_)
        known->total += total;
    else
        known->total = total;
    More more{name_alone(model), minus(rest, elsewhere), {}};
    const bool renamed = elsewhere.total() > 0 && minus(elsewhere, rest).total() == 0;
    elsewhere = minus(elsewhere, rest);
    if (more.tokens.total() == 0) return {};
    const Response* last = may_join ? last_of(name) : nullptr;
    if (!last && may_join && renamed) {
        last = last_unmatched();
        if (last) more.model = {};
    }
    if (!last) return more;
    more.of = {last->message, last->request};
    more.tokens += last->tokens;
    return more;
}

// Gateways and clouds have names of their own for a model, which responses do not use: "region.big-model-v1:0".
const RunTotals::Response* RunTotals::last_unmatched() const {
    const Response* last = nullptr;
    for (const Model& m : models_) {
        const Response* const of_model = m.matched || m.since.total() == 0 ? nullptr : last_of(m.name);
        if (of_model && last) return nullptr;  // one of several
        if (of_model) last = of_model;
    }
    return last;
}

const RunTotals::Response* RunTotals::last_of(IdHash model) const {
    for (std::size_t back = 1; back <= std::min(next_, responses_.size()); ++back) {
        const Response& r = responses_[(next_ - back) % responses_.size()];
        if (r.message != 0 && (r.model == model || model == 0)) return &r;
    }
    return nullptr;
}

}  // namespace agent_audit::readers
