#include "pipeline/files.hpp"

#include "pipeline/audit/session_audit.hpp"
#include "pipeline/inputs/detect.hpp"
#include "pipeline/settings/plan.hpp"
#include "support/sanitized.hpp"

#include <agent_audit/readers/input.hpp>

// How a recording arrives (in one piece, byte by byte, with a pause inside a character) must not matter to any finding.

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

// What audit() makes of one input, with a say in how many bytes are read at a time.
std::string read_in_pieces(std::string_view bytes, std::size_t piece, std::span<const BoundDetector> rules) {
    InputBuffers buffers;
    const auto source = memory_input(bytes, 0, InputLimits{}, buffers, piece);
    const Detection format = detect_format(*source);
    REQUIRE(format.reader);
    const auto reader = format.reader->make();
    SessionAudit sessions(rules, {});
    Report report;
    InputReport& input = report.inputs.emplace_back();
    input.format = format.reader->id;
    for (Record record;;) {
        const auto next = source->next(record);
        if (next == RecordSource::Next::end) break;
        input.stats.count(next == RecordSource::Next::record ? reader->read(record, sessions) : LineFate::blank);
    }
    reader->finish(sessions);
    report.ingest = input.stats;
    for (SessionPart& part : sessions.finish()) {
        part.session.open().format = format.reader->id;
        report.sessions.push_back(part.session.look());
        for (Finding& f : part.findings) report.findings.push_back(std::move(f));
    }
    return json_of(report);
}

std::string scenario(const std::string& id) { return content(project() / "testdata/scenarios" / (id + ".jsonl")); }

}  // namespace

TEST_SUITE("pieces") {
    TEST_CASE("a short recording gives the same report for every size of the pieces it is read in") {
        const auto rules = bind_rules({});
        REQUIRE(rules.has_value());
        const std::string bytes = scenario("loop-chat-two-tools");
        const std::string whole = read_in_pieces(bytes, bytes.size() + 1, *rules);
        CHECK(whole.find("loop/cycle") != whole.npos);
        std::size_t differ = 0;
        for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
            if (!looked_at(piece) || read_in_pieces(bytes, piece, *rules) == whole) continue;
            CAPTURE(piece);
            CHECK(++differ == 0);
        }
    }

    TEST_CASE("recordings of every layout give the same report read byte by byte, in odd pieces and as a whole") {
        const auto rules = bind_rules({});
        REQUIRE(rules.has_value());
        for (const char* id :
             {"loop-through-compaction", "loop-answers-come-late", "loop-in-a-sub-agent", "loop-codex-cycle",
              "loop-frozen-job", "loop-same-message", "ok-markdown-table", "loop-number-spelling"}) {
            CAPTURE(std::string(id));
            const std::string bytes = scenario(id);
            const std::string whole = read_in_pieces(bytes, bytes.size() + 1, *rules);
            for (const std::size_t piece : {1, 2, 3, 7, 61, 509, 4093, 16384}) {
                CAPTURE(piece);
                CHECK(read_in_pieces(bytes, piece, *rules) == whole);
            }
        }
    }
}
