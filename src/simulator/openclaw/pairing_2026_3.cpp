#include "simulator/openclaw/pairing.hpp"

#include <agent_audit/simulator/openclaw.hpp>

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace agent_audit::simulator::openclaw {
namespace {

/// One pass: a span runs from a calling assistant to the next assistant of any kind.
class OnePass {
public:
    OnePass(const View& view, double now_ms) : view_(view), now_ms_(now_ms) {}

    Repair run() {
        for (std::size_t i = 0; i < view_.size();) i = step(i);
        if (!changed_) out_.view = view_;
        out_.moved = changed_;
        return std::move(out_);
    }

private:
    bool has_role(std::size_t i, Role role) const { return view_[i] && view_[i]->role == role; }

    std::size_t step(std::size_t i) {
        if (has_role(i, Role::tool_result)) {
            drop_orphan();
            return i + 1;
        }
        const bool assistant = has_role(i, Role::assistant);
        const auto calls = assistant && !failed(*view_[i]) ? calls_of(*view_[i]) : std::vector<const Block*>();
        if (!calls.empty()) return span(i, calls);
        out_.view.push_back(view_[i]);
        return i + 1;
    }

    std::size_t span(std::size_t start, const std::vector<const Block*>& calls) {
        std::unordered_map<std::string_view, std::string_view> names;
        for (const Block* call : calls) names.insert_or_assign(call->id, call->name);
        std::unordered_map<std::string_view, MsgPtr> results;
        std::vector<MsgPtr> rest;
        std::size_t j = start + 1;
        for (; j < view_.size() && !has_role(j, Role::assistant); ++j) {
            if (!has_role(j, Role::tool_result)) {
                rest.push_back(view_[j]);
            } else {
                take(view_[j], names, results);
            }
        }
        out_.view.push_back(view_[start]);
        if (!results.empty() && !rest.empty()) changed_ = true;
        for (const Block* call : calls) {
            const auto found = results.find(call->id);
            if (found != results.end()) {
                push_result(call->id, found->second);
            } else {
                ++out_.added;
                changed_ = true;
                push_result(call->id, missing_result(call->id, name_for_missing(*call), false, now_ms_));
            }
        }
        out_.view.insert(out_.view.end(), rest.begin(), rest.end());
        return j;
    }

    void take(const MsgPtr& result, const std::unordered_map<std::string_view, std::string_view>& names,
              std::unordered_map<std::string_view, MsgPtr>& results) {
        const auto call = names.find(result_id_2026_3(*result));
        if (call == names.end()) return drop_orphan();
        if (seen_.contains(std::string(call->first))) return drop_duplicate();
        MsgPtr named = with_tool_name(result, call->second);
        if (named != result) changed_ = true;
        results.try_emplace(call->first, std::move(named));
    }

    void push_result(const std::string& id, const MsgPtr& result) {
        if (!seen_.insert(id).second) return drop_duplicate();
        out_.view.push_back(result);
    }

    void drop_orphan() {
        ++out_.dropped_orphans;
        changed_ = true;
    }
    void drop_duplicate() {
        ++out_.dropped_duplicates;
        changed_ = true;
    }

    const View& view_;
    double now_ms_;
    Repair out_;
    bool changed_ = false;
    std::unordered_set<std::string> seen_;  // ids that have had their result, in any span
};

}  // namespace

Repair repair_pairs_2026_3(const View& view, double now_ms) { return OnePass(view, now_ms).run(); }

}  // namespace agent_audit::simulator::openclaw
