#include "readers/openhands/openhands_state.hpp"

#include "readers/json/ids.hpp"
#include "readers/openhands/openhands_event.hpp"

namespace agent_audit::readers {

bool OpenHandsState::read(json::object state) {
    *this = OpenHandsState{};
    there_ = true;
    return each_field(state, [this](const char* key, json::value& v) {
        if (key_is(key, "agent"))
            return each_field(v, [this](const char* k, json::value& w) {
                return !key_is(k, "llm") || each_field(w, [this](const char* name, json::value& x) {
                    if (key_is(name, "model")) model_ = raw_string(x);
                    return true;
                });
            });
        if (key_is(key, "workspace"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "working_dir")) cwd_ = raw_string(w);
                return true;
            });
        if (!key_is(key, "stats")) return true;
        return each_field(v, [this](const char* k, json::value& by_use) {
            if (!key_is(k, "usage_to_metrics") && !key_is(k, "service_to_metrics")) return true;
            return each_field(by_use, [this](const char* use, json::value& one) {
                return metrics(one, key_text(use).find("condenser") != std::string_view::npos);
            });
        });
    });
}

// Costs and usages are told side by side, one for each response.
bool OpenHandsState::metrics(json::value& v, bool beside) {
    const std::size_t first = responses_.size();
    std::vector<double> costs;
    const bool whole = each_field(v, [&](const char* key, json::value& list) {
        if (key_is(key, "costs"))
            return each_element(list, [&costs](json::value& one) {
                if (costs.size() < kMost) costs.push_back(0);
                return each_field(one, [&costs](const char* k, json::value& w) {
                    if (key_is(k, "cost")) costs.back() = number_or(w, 0);
                    return true;
                });
            });
        return !key_is(key, "token_usages") || each_element(list, [this](json::value& one) { return response(one); });
    });
    for (std::size_t i = first; i < responses_.size(); ++i) responses_[i].beside = beside;
    if (costs.size() != responses_.size() - first) return whole;
    for (std::size_t i = 0; i < costs.size(); ++i) responses_[first + i].cost_usd = costs[i];
    return whole;
}

bool OpenHandsState::response(json::value& v) {
    json::object usage;
    if (responses_.size() >= kMost || !is_object(v)) return true;
    if (v.get_object().get(usage)) return false;
    Response one;
    std::uint64_t context = 0;
    const bool named = each_field(usage, [&one](const char* key, json::value& w) {
        if (key_is(key, "response_id")) one.id = raw_string(w);
        if (key_is(key, "model")) one.model = raw_string(w);
        return true;
    });
    if (!named || usage.reset().error()) return false;
    const bool whole = add_openhands_tokens(usage, one.tokens, context);
    if (one.tokens.total() == 0) return whole;
    if (is_stand_in(one.id)) one.id.clear();
    if (!one.id.empty()) by_id_.emplace(id_hash(one.id), responses_.size());
    responses_.push_back(std::move(one));
    return whole;
}

const OpenHandsState::Response* OpenHandsState::take(std::string_view response_id) {
    const auto found = response_id.empty() ? by_id_.end() : by_id_.find(id_hash(response_id));
    if (found == by_id_.end() || responses_[found->second].told) return nullptr;
    responses_[found->second].told = true;
    return &responses_[found->second];
}

const OpenHandsState::Response* OpenHandsState::take_next() {
    const auto is_next = [](const Response& one) { return one.id.empty() && !one.told && !one.beside; };
    while (next_ < responses_.size() && !is_next(responses_[next_])) ++next_;
    if (next_ == responses_.size()) return nullptr;
    responses_[next_].told = true;
    return &responses_[next_];
}

std::vector<const OpenHandsState::Response*> OpenHandsState::left() const {
    std::vector<const Response*> all;
    for (const Response& one : responses_) {
        if (!one.told) all.push_back(&one);
    }
    return all;
}

}  // namespace agent_audit::readers
