#pragma once

#include <agent_audit/pipeline/replayer.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace agent_audit {

/// What a hook is asked to do about a record of its log.
struct HookVerdict {
    enum class Kind : std::uint8_t {
        pass,    ///< nothing
        advise,  ///< say `message` to the model
        refuse,  ///< the call must not run: the policy had spoken of it before; `message` says why
    };
    Kind kind = Kind::pass;
    policy::Action action =
        policy::Action::notify;  ///< what the policy decided; stop and ask-human: the run should end
    std::string rule;
    std::string message;  ///< one line for the model, that begins with the rule: "[agent-audit loop/cycle] …"
    std::string over =
        {};  ///< as `message`: why the run should have ended since a person last spoke; empty: it goes on
};

/// A log of one session as a hook keeps it (format hook-log), and what to hold it against.
struct HookGuardPlan {
    std::string log;  ///< path
    std::shared_ptr<const BoundPolicy> policy;
    ProjectSettings project;  ///< its suppressions: what somebody decided to live with is no reason to speak
    std::uint64_t end = 0;    ///< where the record ends, in bytes; others may stand behind it. 0: it is the last one
};

/// Supervises the session of the log from its beginning under the policy, and says what its record leads to. The
/// log is all there is: the same log has the same verdict. A call is refused when the policy decided more than a
/// message about a pattern that holds the same call, or about all calls, since a person last spoke; nothing but
/// `refuse` comes of a record before a call. An Error when the log cannot be read.
Result<HookVerdict> judge_hook(const HookGuardPlan& plan);

}  // namespace agent_audit
