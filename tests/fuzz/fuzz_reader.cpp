// One reader against hostile bytes: fuzz_reader --reader=<format> [libFuzzer options] [corpus…]; --list names them.
// The bytes come through the input layer, in pieces, so framing is fuzzed as well.
#include "invariants.hpp"
#include "readers/input/utf16.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

constexpr std::string_view kFlag = "--reader=";

const ReaderSpec*& chosen() {
    static const ReaderSpec* spec = nullptr;
    return spec;
}

[[noreturn]] void list_readers(std::FILE* out, int code) {
    for (const ReaderSpec& spec : all_readers()) std::fprintf(out, "%.*s\n", int(spec.id.size()), spec.id.data());
    std::exit(code);
}

InputLimits small_limits() {
    InputLimits limits;
    limits.max_record_bytes = 16u << 10;  // so that records can be too long for an input of 64 KB
    return limits;
}

/// Small pieces cut records everywhere. Which size depends on the bytes alone, so a finding repeats.
std::size_t piece_size(std::string_view bytes) {
    constexpr std::size_t kSizes[] = {13, 64, 1024, 64u << 10};
    return kSizes[stable_hash(bytes) % std::size(kSizes)];
}

bool is_compressed(std::string_view bytes) {
    return bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd") || bytes.starts_with("PK");
}

void read_all(const ReaderSpec& spec, std::string_view bytes) {
    InputBuffers buffers;
    const InputLimits limits = small_limits();
    const auto source = memory_input(bytes, 0, limits, buffers, piece_size(bytes));
    if (const auto first = source->first_if_long()) {
        const ProbeRecord probe(first->text);
        const Score score = spec.score({&probe, 1}, source->framing());
        fuzz::promise(score >= 0 && score <= kCertain, "a score of an excerpt lies between 0 and kCertain");
    }
    const auto sample = source->peek(20);

    std::vector<ProbeRecord> probes;
    for (const Record& record : sample) probes.emplace_back(record.text);
    const Score score = spec.score(probes, source->framing());
    fuzz::promise(score >= 0 && score <= kCertain, "a score lies between 0 and kCertain");

    source->stream_arrays(spec.streams);
    const auto reader = spec.make();
    fuzz::EventChecker checker;
    IngestStats stats;
    std::uint64_t records = 0, last_line = 0;
    for (Record record;;) {
        const auto next = source->next(record);
        if (next == RecordSource::Next::end) break;
        ++records;
        const bool part = record.part != RecordPart::whole || next == RecordSource::Next::too_long;
        fuzz::promise(part || record.where.line > last_line, "record numbers increase");
        fuzz::promise(record.where.file == 0, "a record names its input");
        if (!part) last_line = record.where.line;
        if (next == RecordSource::Next::blank) {
            stats.count(LineFate::blank);
        } else if (next == RecordSource::Next::too_long) {
            stats.count(LineFate::too_long);
        } else {
            fuzz::promise(record.text.size() <= limits.max_record_bytes, "no record is longer than the limit");
            const LineFate fate = reader->read(record, checker);
            fuzz::promise(fate < LineFate::count_, "a fate is one of the known ones");
            stats.count(fate);
        }
    }
    reader->finish(checker);
    fuzz::promise(stats.records() == records, "the fates add up to the records");
    // Two bytes of UTF-16 become three at most.
    const std::size_t most = readers::is_utf16(bytes) ? bytes.size() / 2 * 3 + 3 : bytes.size();
    fuzz::promise(source->bytes() <= most || is_compressed(bytes), "no bytes out of nothing");
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    for (int i = 1; i < *argc; ++i) {
        const std::string_view arg = (*argv)[i];
        if (arg == "--list") list_readers(stdout, 0);
        if (arg.starts_with(kFlag)) chosen() = find_reader(arg.substr(kFlag.size()));
    }
    if (!chosen()) {
        std::fprintf(stderr, "fuzz_reader: --reader=FORMAT names the reader; there are:\n");
        list_readers(stderr, 2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    // A copy on the heap, exactly as long: a read past its end is then seen.
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    read_all(*chosen(), bytes);
    return 0;
}
