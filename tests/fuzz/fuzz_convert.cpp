// Conversion of one hostile file into every format. What is written is JSON and can be read back; our own events give
// the same audit as the bytes they were made from.
#include "invariants.hpp"
#include "memory_file.hpp"

#include <agent_audit/convert/converter.hpp>
#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/pipeline/stream.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

std::string convert(const ConverterSpec& to, const std::string& path, bool redact) {
    std::string out;
    ConverterOptions options;
    if (redact) options.redact = [](std::string_view text) { return std::string(text.substr(0, text.find('a'))); };
    const auto converter = to.make(options, [&out](std::string_view piece) {
        out += piece;
        return true;
    });
    StreamPlan plan;
    plan.inputs = {path};
    fuzz::promise(stream_events(plan, *converter).has_value(), "a default plan makes sense");
    converter->finish();
    fuzz::promise(converter->problem().empty(), "nothing of an input of 64 KB is lost");
    return out;
}

Report audit_of(const std::string& path) {
    AuditPlan plan;
    plan.inputs = {path};
    plan.jobs = 1;
    auto report = audit(plan);
    fuzz::promise(report.has_value(), "a default plan makes sense");
    return std::move(*report);
}

// The JSON library takes no lone surrogates, which are ours to keep.
bool is_json(std::string_view text) {
    return text.find("\\ud") != text.npos || text.find("\\uD") != text.npos || nlohmann::json::accept(text);
}

void check_lines(std::string_view out) {
    while (!out.empty()) {
        const auto end = out.find('\n');
        fuzz::promise(end != out.npos, "output ends with a newline");
        fuzz::promise(is_json(out.substr(0, end)), "each line is JSON");
        out.remove_prefix(end + 1);
    }
}

void check_same(const Report& before, const Report& after) {
    if (std::ranges::any_of(before.inputs, [](const InputReport& input) { return input.error.has_value(); })) {
        // A reader tells that a session begins with whatever record comes first, understood or not.
        if (before.sessions.empty())
            fuzz::promise(after.counts.events <= after.sessions.size(), "nothing is lost of what is called unreadable");
        return;
    }
    fuzz::promise(before.sessions.size() == after.sessions.size(), "the same sessions");
    fuzz::promise(before.counts.events == after.counts.events, "as many events");
    fuzz::promise(before.counts.paired == after.counts.paired, "the same pairs");
    fuzz::promise(before.tokens.total == after.tokens.total, "the same tokens");
    fuzz::promise(before.findings.size() == after.findings.size(), "as many findings");
    for (std::size_t i = 0; i < before.findings.size(); ++i) {
        const Finding& a = before.findings[i];
        const Finding& b = after.findings[i];
        fuzz::promise(a.rule == b.rule && a.first_line == b.first_line && a.last_line == b.last_line,
                      "the same findings");
        fuzz::promise(a.finding_fingerprint == b.finding_fingerprint, "the same fingerprints");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const fuzz::MemoryFile file({reinterpret_cast<const char*>(data), size});
    const bool redact = size % 4 == 3;
    for (const ConverterSpec& spec : all_converters()) {
        const std::string out = convert(spec, file.path(), redact);
        if (spec.id != "atif") check_lines(out);
        if (out.empty()) continue;
        const fuzz::MemoryFile written(out);
        const Report after = audit_of(written.path());
        // 1 MB of output from one record of 64 KB is possible; a record longer than the limit is not.
        if (spec.id == "events" && !redact) check_same(audit_of(file.path()), after);
    }
    return 0;
}
