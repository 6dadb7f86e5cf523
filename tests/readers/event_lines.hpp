#pragma once

#include "support/places.hpp"
#include "support/slurp.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_audit::test {

/// Writes every event as one line of text, so that a test reads like the session it is about.
class EventLines final : public EventSink {
public:
    std::vector<std::string> lines;
    std::vector<EventHeader> heads;  // record_id is dropped: views do not live that long
    std::vector<std::string> record_ids;
    std::vector<CallDigest> digests;
    std::vector<Usage> usages;
    std::map<std::string, std::size_t> counts;

    void on_event(const Event& event) override {
        lines.push_back(std::visit([this](const auto& body) { return this->line(body); }, event.body));
        heads.push_back(event.head);
        heads.back().record_id = {};
        record_ids.emplace_back(event.head.record_id);
        ++counts[lines.back().substr(0, lines.back().find(' '))];
    }

private:
    static std::string quoted(const RawText& t) { return t.empty() ? "" : fmt::format(" '{}'", t.bytes); }
    static std::string named(std::string_view name, const RawText& t) {
        return t.empty() ? "" : fmt::format(" {}={}", name, t.bytes);
    }

    static std::string line(const SessionStart& b) {
        return "SessionStart" + named("id", b.session_id) + named("parent", b.parent_session_id) +
               named("forked", b.forked_from) + named("cwd", b.cwd) + named("model", b.model) +
               named("label", b.label) + (b.resumed ? " resumed" : "");
    }
    static std::string line(const ContextChange& b) {
        return "ContextChange" + named("model", b.model) + named("cwd", b.cwd) +
               (b.system_prompt_bytes ? fmt::format(" system={}", b.system_prompt_bytes) : "");
    }
    static std::string line(const LaneOpen&) { return "LaneOpen"; }
    static std::string line(const LaneClose&) { return "LaneClose"; }
    static std::string line(const TurnStart&) { return "TurnStart"; }
    static std::string line(const TurnEnd& b) {
        static constexpr const char* names[] = {"completed", "aborted", "failed", "unknown"};
        return fmt::format("TurnEnd {}", names[static_cast<int>(b.status)]);
    }
    static std::string line(const Message& b) {
        static constexpr const char* roles[] = {"system", "user", "assistant"};
        static constexpr const char* origins[] = {"human", "agent", "injected", "queued", "hook", "summary"};
        return fmt::format("Message {}/{}{}{}", roles[static_cast<int>(b.role)], origins[static_cast<int>(b.origin)],
                           quoted(b.text), b.media_count ? fmt::format(" media={}", b.media_count) : "");
    }
    static std::string line(const Thinking& b) {
        return "Thinking" + quoted(b.text) + (b.opaque_bytes ? fmt::format(" opaque={}", b.opaque_bytes) : "");
    }
    std::string line(const ToolCall& b) {
        digests.push_back(b.digest);
        return fmt::format("ToolCall {} {}{}{}{}", b.call_id.bytes, b.name.bytes, quoted(b.primary),
                           b.caller == Caller::user   ? " by-user"
                           : b.caller == Caller::code ? " by-code"
                           : b.script                 ? " script"
                                                      : "",
                           b.digest.opaque ? " opaque" : "");
    }
    static std::string line(const ToolResult& b) {
        static constexpr const char* names[] = {"unknown", "ok", "error", "denied", "cancelled", "running"};
        static constexpr const char* refusers[] = {"", " by=person", " by=rule"};
        return fmt::format("ToolResult {} {}{}{}{}{}{}", b.call_id.bytes, names[static_cast<int>(b.status)],
                           refusers[static_cast<int>(b.refused_by)],
                           b.exit_code ? fmt::format(" exit={}", *b.exit_code) : "", quoted(b.text),
                           b.media_count ? fmt::format(" media={}", b.media_count) : "", b.opaque ? " opaque" : "");
    }
    std::string line(const Usage& b) {
        usages.push_back(b);
        usages.back().model = {};
        return fmt::format("Usage in={} write={} read={} out={}{}{}", b.tokens.input, b.tokens.cache_write,
                           b.tokens.cache_read, b.tokens.output, named("model", b.model),
                           b.cost_microusd ? fmt::format(" cost={}", *b.cost_microusd) : "");
    }
    static std::string line(const Compaction& b) {
        static constexpr const char* kinds[] = {"summary", "clear", "truncate", "reset"};
        std::string out = fmt::format("Compaction {}{}", kinds[static_cast<int>(b.kind)], quoted(b.summary));
        if (b.phase == CompactionPhase::failed) out += " failed";
        if (b.keep == Keep::from_record) out += fmt::format(" keep-from={}", b.keep_from.bytes);
        if (b.keep == Keep::from_index) out += fmt::format(" keep-index={}", b.keep_index);
        if (b.tokens_before) out += fmt::format(" before={}", *b.tokens_before);
        return out;
    }
    static std::string line(const Rewind& b) {
        return b.target == RewindTarget::all ? "Rewind all" : fmt::format("Rewind to {}", b.record_id);
    }
    static std::string line(const Notice& b) {
        static constexpr const char* levels[] = {"info", "warning", "error"};
        static constexpr const char* layers[] = {"provider", "harness", "hook", "reader"};
        return fmt::format("Notice {}/{} {}", layers[static_cast<int>(b.layer)], levels[static_cast<int>(b.level)],
                           b.code.bytes) +
               (b.layer == NoticeLayer::reader ? "" : quoted(b.text));
    }
};

/// One recording read by one reader.
struct Reading {
    EventLines events;
    std::vector<LineFate> fates;
    const std::vector<std::string>& lines() const { return events.lines; }

    std::size_t count(LineFate fate) const {
        return static_cast<std::size_t>(std::count(fates.begin(), fates.end(), fate));
    }
    std::size_t count(const std::string& event) const {
        const auto found = events.counts.find(event);
        return found == events.counts.end() ? 0 : found->second;
    }
    /// The lines that begin so.
    std::vector<std::string> those(std::string_view start) const {
        std::vector<std::string> out;
        for (const std::string& l : events.lines) {
            if (l.starts_with(start)) out.push_back(l);
        }
        return out;
    }
};

/// Reads `text` through the real input layer: framing, padding and places as in the program.
/// `facts` false: the reader is not told what the bytes of its records are, and takes the strict way through them.
inline Reading read_text(const ReaderSpec& spec, std::string_view text, const InputLimits& limits = {},
                         bool facts = true) {
    Reading out;
    InputBuffers buffers;
    const auto source = memory_input(text, 0, limits, buffers, 4096);
    source->stream_arrays(spec.streams);
    const auto reader = spec.make();
    Record record;
    for (;;) {
        const auto next = source->next(record);
        if (next == RecordSource::Next::end) break;
        if (!facts) record.facts.reset();
        if (next == RecordSource::Next::record)
            out.fates.push_back(reader->read(record, out.events));
        else
            out.fates.push_back(next == RecordSource::Next::blank ? LineFate::blank : LineFate::too_long);
    }
    reader->finish(out.events);
    return out;
}

inline Score score_text(const ReaderSpec& spec, std::string_view text) {
    InputBuffers buffers;
    const auto source = memory_input(text, 0, InputLimits{}, buffers, 256u << 10);
    std::vector<ProbeRecord> sample;
    for (const Record& record : source->peek(20)) sample.emplace_back(record.text);
    return spec.score(sample, source->framing());
}

inline std::filesystem::path source_dir() { return project_folder(); }
inline std::filesystem::path shared_dir() { return source_dir() / "../shared"; }

}  // namespace agent_audit::test
