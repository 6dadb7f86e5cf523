#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/tokens.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace agent_audit::readers {

/// What OpenHands keeps of a conversation beside its events: the model, the folder, and what each response used.
///
///   {"id":"…","agent":{"llm":{"model":"…"}},"workspace":{"working_dir":"…"},"execution_status":"finished",
///    "stats":{"usage_to_metrics":{"agent":{"costs":[{"cost":0.01}],"token_usages":[{"response_id":"…",…}]}}}}
class OpenHandsState {
public:
    struct Response {
        std::string id, model;
        TokenCounts tokens;
        double cost_usd = 0;
        bool told = false;
        bool beside = false;  ///< the condenser asked
    };

    /// False: broken JSON.
    bool read(json::object state);
    bool is_there() const { return there_; }
    std::string_view model() const { return model_; }
    std::string_view cwd() const { return cwd_; }
    /// What the response used, the first time it is asked for.
    const Response* take(std::string_view response_id);
    /// The next one of the agent that has no id of its own, or null.
    const Response* take_next();
    /// Those that no event told of: the condenser asks as well.
    std::vector<const Response*> left() const;

private:
    bool metrics(json::value& v, bool beside);
    bool response(json::value& v);

    static constexpr std::size_t kMost = 50'000;

    bool there_ = false;
    std::string model_, cwd_;
    std::vector<Response> responses_;
    std::unordered_map<std::uint64_t, std::size_t> by_id_;
    std::size_t next_ = 0;  // of those without an id
};

}  // namespace agent_audit::readers
