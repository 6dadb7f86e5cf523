#pragma once

#include "convert/spending.hpp"
#include "convert/spool.hpp"
#include "convert/texts.hpp"

#include <agent_audit/convert/converter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace agent_audit::convert {

/// What converters have in common that write a session's main conversation as it comes and those of its sub-agents when
/// it is over. `Lane`: what such a converter knows of one conversation.
template <class Lane>
class SessionConverter : public Converter {
public:
    /// `kept`: what of sub-agents waits for its turn, for a message ("steps").
    SessionConverter(const ConverterOptions& options, const ConverterOutput& out, std::string_view kept)
        : texts_(options.redact), out_(out), kept_(kept) {}

    void begin_input(const InputHead& input) final {
        end_session();
        format_ = input.format;
    }
    void end_input(const IngestStats&) final { end_session(); }
    void finish() final { end_session(); }
    bool wants_more() const final { return !out_.failed() && !spool_.failed(); }
    std::string problem() const final {
        return spool_.failed() ? "the " + std::string(kept_) + " of sub-agents could not be kept in a temporary file"
                               : "";
    }

    void on_event(const Event& event) final {
        const auto* start = std::get_if<SessionStart>(&event.body);
        if (start && !start->resumed) {
            end_session();
            return begin_session(*start);
        }
        if (is_of_script(event)) return;
        number_ = static_cast<std::uint32_t>(std::min<std::size_t>(event.head.lane, kMaxLanes));
        take(lanes_[number_], event);
    }

    // What a script of the model's called is no part of its conversation: it was shown what the script said. A reader
    // tells such a call and its result one after the other.
    bool is_of_script(const Event& event) {
        if ((event.head.flags & kHidden) == 0) return false;
        if (const auto* call = std::get_if<ToolCall>(&event.body)) {
            const bool of_script = call->caller == Caller::code;
            if (of_script) called_by_script_.assign(call->call_id.bytes);
            return of_script;
        }
        const auto* result = std::get_if<ToolResult>(&event.body);
        return result && !called_by_script_.empty() && result->call_id.bytes == called_by_script_;
    }

protected:
    virtual void begin_session(const SessionStart& start) = 0;
    virtual void take(Lane& lane, const Event& event) = 0;
    /// Writes what is left of all lanes, if there is any.
    virtual void write_session() = 0;

    Texts texts_;
    Sink out_;
    std::string format_;  // of the input
    std::map<std::uint32_t, Lane> lanes_;
    std::uint32_t number_ = 0;      // of the lane that is being written
    std::string called_by_script_;  // id of the newest such call
    Spool spool_;
    Spending spending_;

private:
    static constexpr std::size_t kMaxLanes = 4096;  // as many as any reader tells apart

    void end_session() {
        write_session();
        lanes_.clear();
        spool_.clear();
        spending_.begin_session();
    }

    std::string_view kept_;
};

}  // namespace agent_audit::convert
