#pragma once

#include "readers/codex/codex_payload.hpp"
#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/support/hash.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// What the agent works with, as the records of a rollout say it: model, folder, and whether a human may be asked.
class CodexSetting {
public:
    /// A session begins with this record. Nothing: it says nothing of it.
    std::optional<ContextChange> begin(const rollout::Payload& p) {
        if (p.prompt_bytes == 0 && p.cwd.empty()) return std::nullopt;
        ContextChange change;
        change.cwd = text_of(p.cwd);
        change.system_prompt_bytes = p.prompt_bytes;
        cwd_ = id_hash(p.cwd);
        return change;
    }

    /// A turn_context record. Old versions repeat it before every request: only what changed is told.
    std::optional<ContextChange> turn(const rollout::Payload& p) {
        ContextChange change;
        const IdHash model = id_hash(p.model), cwd = id_hash(p.cwd);
        asks_nobody_ = p.approval_policy == "never";
        if (model != 0 && model != id_hash(model_)) {
            model_.assign(p.model);
            change.model = text_of(p.model);
        }
        if (cwd != 0 && cwd != cwd_) {
            cwd_ = cwd;
            change.cwd = text_of(p.cwd);
        }
        if (change.model.empty() && change.cwd.empty()) return std::nullopt;
        return change;
    }

    /// Of the requests that follow.
    std::string_view model() const { return model_; }

    /// Where the policy is to ask nobody, nobody said no.
    void name_refuser(ToolResult& result) const {
        if (asks_nobody_ && result.status == ResultStatus::denied) result.refused_by = Refuser::rule;
    }

private:
    std::string model_;
    IdHash cwd_ = 0;
    bool asks_nobody_ = false;  // by its approval policy
};

}  // namespace agent_audit::readers
