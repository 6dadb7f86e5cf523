#pragma once

#include "profiles/arguments.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/peer.hpp>
#include <agent_audit/support/hash.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::profiles {

/// A place in the lane: the record, and how many tool calls there were up to it.
struct Spot {
    std::uint64_t line = 0;
    std::uint64_t seq = 0;
    std::uint64_t step = 0;
};

/// One tool call as a live detector sees it before the call runs.
struct PeerCall {
    Spot at;
    std::uint64_t response = 0;      ///< ordinal of the model response in the lane, from 1
    std::int64_t time_ms = kNoTime;  ///< recorded time
    std::string name;
    std::string action;     ///< the argument "action", where it is a short text
    std::uint64_t own = 0;  ///< hashes of the arguments, without the name (see KeyOrder)
    std::uint64_t sorted = 0;
    std::uint64_t shallow = 0;
    std::uint64_t raw = 0;  ///< of the bytes as recorded

    /// The call as a key: its name and one of the hashes above.
    std::uint64_t with_name(std::uint64_t arguments) const { return mix_hash(stable_hash(name), arguments); }
};

/// The first answer to a call.
struct PeerResult {
    Spot at;                 ///< step is that of the latest call, not of the answered one
    std::string_view text;   ///< plain; valid during the call only
    std::uint64_t hash = 0;  ///< of the text
    ResultStatus status = ResultStatus::unknown;
    std::optional<int> exit_code;

    bool failed() const {
        return status == ResultStatus::error || (status == ResultStatus::unknown && exit_code && *exit_code != 0);
    }
};

struct PeerText {
    Spot at;
    std::string_view text;  ///< plain; one recorded block; valid during the call only
};

/// The rules of one peer over one lane. It sees what the live detector sees, in the order of the recording: nothing is
/// known of the lane before its first event, and a stop does not change what the agent did next.
class PeerRule {
public:
    virtual ~PeerRule() = default;

    virtual void on_call(const PeerCall& call, const Arguments& arguments) {
        (void)call;
        (void)arguments;
    }
    virtual void on_result(const PeerCall& call, const PeerResult& result) {
        (void)call;
        (void)result;
    }
    virtual void on_text(const PeerText& text) { (void)text; }
    virtual void on_reasoning(const PeerText& text) { (void)text; }
    virtual void on_user(const Spot& at) { (void)at; }
    virtual void on_compaction(const Spot& at) { (void)at; }
    /// A model response with all its results is over; `last` is its last record.
    virtual void on_response_end(const Spot& last) { (void)last; }

    const std::optional<PeerReaction>& warned() const { return warned_; }
    const std::optional<PeerReaction>& stopped() const { return stopped_; }

protected:
    void warn(std::string_view rule, const Spot& at) { note(warned_, rule, at); }
    void stop(std::string_view rule, const Spot& at) { note(stopped_, rule, at); }

private:
    static void note(std::optional<PeerReaction>& slot, std::string_view rule, const Spot& at) {
        if (!slot) slot = PeerReaction{std::string(rule), at.line, at.seq, at.step, 0};
    }

    std::optional<PeerReaction> warned_;
    std::optional<PeerReaction> stopped_;
};

/// Tools whose argument is a command line.
bool is_shell_tool(std::string_view name);

}  // namespace agent_audit::profiles
