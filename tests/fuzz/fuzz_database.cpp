// Hostile databases: fuzz_database [libFuzzer options] [corpus…]; --seeds=DIR writes one of every store there and ends.
// The bytes are a file, as SQLite wants it, and the rows go through the reader of the store that the tables name.
#include "invariants.hpp"
#include "support/store_tables.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>

#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

constexpr std::string_view kSeeds = "--seeds=";

/// Each store with a few rows, so that mutations have something to begin with.
struct Seed {
    const char* name;
    const char* tables;
    const char* rows;
};
constexpr Seed kStores[] = {
    {"opencode", test::kOpencodeTables,
     R"(INSERT INTO session(id) VALUES ('s'); INSERT INTO message(id, session_id, data) VALUES ('m', 's', '{"role":"user"}');
        INSERT INTO part(id, message_id, data) VALUES ('p', 'm', '{"type":"text","text":"hello"}');)"},
    {"goose", test::kGooseTables,
     R"(INSERT INTO sessions(id, working_dir) VALUES ('s', '/w');
        INSERT INTO messages(session_id, role, content_json) VALUES ('s', 'user', '[{"type":"text","text":"hello"}]');)"},
    {"crush", test::kCrushTables,
     R"(INSERT INTO sessions(id) VALUES ('s'); INSERT INTO messages(id, session_id, role, parts)
        VALUES ('m', 's', 'user', '[{"type":"text","data":{"text":"hello"}}]');)"},
    {"hermes", test::kHermesTables,
     R"(INSERT INTO sessions(id) VALUES ('s'); INSERT INTO messages(session_id, role, content) VALUES ('s', 'user', 'hello');)"},
    {"openclaw", test::kOpenclawTables,
     R"(INSERT INTO transcript_events(session_id, seq, event_json) VALUES ('s', 1, '{"type":"session","id":"s"}');
        INSERT INTO transcript_events(session_id, seq, event_zstd) VALUES ('s', 2, x'28b52ffd2000');)"},
    {"cursor", test::kCursorTables,
     R"(INSERT INTO cursorDiskKV VALUES ('composerData:c', '{"composerId":"c","fullConversationHeadersOnly":[{"bubbleId":"b"}]}'),
        ('bubbleId:c:b', '{"type":1,"text":"hello"}');)"},
    {"cursor-cli", test::kCursorCliTables,
     R"(INSERT INTO meta VALUES ('0', '{"agentId":"a","latestRootBlobId":"ff"}');
        INSERT INTO blobs VALUES ('ff', x'0a206161616161616161616161616161616161616161616161616161616161616161'),
        ('6161616161616161616161616161616161616161616161616161616161616161', '{"role":"user","content":"hello"}');)"},
    {"kiro", test::kKiroTables,
     R"(INSERT INTO conversations VALUES ('/w', '{"conversation_id":"k","history":[{"user":{"content":{"Prompt":{"prompt":"hello"}}}}]}');)"},
    {"zed", test::kZedTables,
     R"(INSERT INTO threads(id, data_type, data) VALUES ('t', 'json', '{"messages":[{"User":{"content":[{"Text":"hello"}]}}]}');)"},
    {"mastra", test::kMastraTables,
     R"(INSERT INTO mastra_ai_spans(traceId, spanId, spanType, startedAt, attributes, input) VALUES ('t', 's', 'model_step',
        '2026-07-01T08:00:00.000Z', x'6c87737465707313', '[{"role":"user","content":"hello"}]');)"},
};

[[noreturn]] void write_seeds(const std::string& folder) {
    for (const Seed& seed : kStores) {
        const std::string path = folder + "/" + seed.name + ".db";
        ::unlink(path.c_str());
        sqlite3* db = nullptr;
        const bool written = ::sqlite3_open(path.c_str(), &db) == SQLITE_OK &&
                             ::sqlite3_exec(db, "PRAGMA page_size = 512", nullptr, nullptr, nullptr) == SQLITE_OK &&
                             ::sqlite3_exec(db, seed.tables, nullptr, nullptr, nullptr) == SQLITE_OK &&
                             ::sqlite3_exec(db, seed.rows, nullptr, nullptr, nullptr) == SQLITE_OK;
        fuzz::promise(written, "the seeds can be written");
        ::sqlite3_close(db);
    }
    std::exit(0);
}

/// One file for the whole run, in memory where the system has a place for that.
const std::string& scratch() {
    static const std::string path = [] {
        std::string name =
            (::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + std::string("/fuzz-database-XXXXXX");
        const int fd = ::mkstemp(name.data());
        fuzz::promise(fd >= 0, "there is a place for a file");
        ::close(fd);
        std::atexit([] { ::unlink(scratch().c_str()); });
        return name;
    }();
    return path;
}

void read_all(const std::string& path) {
    InputBuffers buffers;
    InputLimits limits;
    limits.max_record_bytes = 16u << 10;
    const auto opened = open_input(path, 0, limits, buffers);
    if (!opened) return;
    RecordSource& source = **opened;
    const ReaderSpec* spec = find_reader(source.stored_format());
    if (!spec) return;
    const auto reader = spec->make();
    fuzz::EventChecker checker;
    std::uint64_t last_line = 0;
    for (Record record;;) {
        const auto next = source.next(record);
        if (next == RecordSource::Next::end) break;
        fuzz::promise(record.where.line == last_line + 1, "rows are numbered one by one");
        last_line = record.where.line;
        if (next != RecordSource::Next::record) continue;
        fuzz::promise(record.text.size() <= limits.max_record_bytes, "no record is longer than the limit");
        fuzz::promise(reader->read(record, checker) < LineFate::count_, "a fate is one of the known ones");
    }
    reader->finish(checker);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    for (int i = 1; i < *argc; ++i) {
        const std::string_view arg = (*argv)[i];
        if (arg.starts_with(kSeeds)) write_seeds(std::string(arg.substr(kSeeds.size())));
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    std::FILE* const file = std::fopen(scratch().c_str(), "wb");
    fuzz::promise(file && std::fwrite(data, 1, size, file) == size, "the file can be written");
    std::fclose(file);
    read_all(scratch());
    return 0;
}
