#pragma once

#include "pipeline/inputs/foreign_records.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What every run does with its inputs, whatever it wants to know of them.

namespace agent_audit {

/// The reader a run insists on; null for an empty name, an Error with the nearest name for an unknown one.
Result<const ReaderSpec*> reader_named(std::string_view name);

struct OpenedInput {
    std::unique_ptr<RecordSource> source;
    const ReaderSpec* reader = nullptr;
    std::string problem;  ///< one line, when there is no reader
    bool unread =
        false;  ///< there may be a session: its bytes could not be read, or a store would not let itself be read now
    bool looked_into = false;   ///< no reader was found, in spite of what stands in it
    std::string_view layout{};  ///< as in Detection
};

/// Opens an input and finds its reader: `forced`, or what the content looks like.
OpenedInput open_session(const std::string& path, std::uint32_t index, const ReaderSpec* forced,
                         const InputLimits& limits, InputBuffers& buffers);

/// The next record with its fate; false at the end. `foreign` lasts as long as the input.
bool read_record(RecordSource& source, RecordReader& reader, EventSink& sink, InputReport& report,
                 ForeignRecords& foreign);

/// Reads records while `wants_more()` and there are any.
template <class WantsMore>
void read_records(RecordSource& source, RecordReader& reader, EventSink& sink, InputReport& report,
                  WantsMore wants_more) {
    ForeignRecords foreign;
    while (wants_more() && read_record(source, reader, sink, report, foreign)) {
    }
}

/// Why an input that was read holds no session of its format after all; nothing when it does. To be asked at its end.
std::optional<std::string> not_one_understood(const InputReport& report);

/// Hashes of the ids of sub-agents that have a file of their own among the inputs, sorted.
std::vector<IdHash> sub_agents_with_files(std::span<const InputPath> paths);

/// Says which events repeat what stands in another input: the messages of a sub-agent whose own file is read as well.
class MutedLanes {
public:
    explicit MutedLanes(std::span<const IdHash> own_files, std::string_view path = {}) : own_files_(own_files) {
        read(path);
    }

    /// The events that follow stand in this file: of the sub-agent whose own file it is they are no copies.
    void read(std::string_view path);

    bool mutes(const Event& event) {
        return (!lanes_.empty() || std::holds_alternative<LaneOpen>(event.body)) && look(event);
    }
    /// A new session: lanes count from 0 again.
    void clear() { lanes_.clear(); }

private:
    bool look(const Event& event);

    std::span<const IdHash> own_files_;
    IdHash here_ = 0;  // the sub-agent whose file is read
    std::vector<std::uint32_t> lanes_;
};

}  // namespace agent_audit
