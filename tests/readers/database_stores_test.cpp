#include "readers/event_lines.hpp"
#include "readers/input/database.hpp"
#include "readers/input/jsonb.hpp"
#include "readers/input_support.hpp"
#include "support/store_file.hpp"

#include <doctest/doctest.h>
#include <zstd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

// What a store's database gives must be what its rows give, which the golden listings show event by event.

using namespace agent_audit;
using namespace agent_audit::test;
using nlohmann::json;
using Lines = std::vector<std::string>;

namespace {

struct Stored {
    std::string format, error;
    Reading reading;
    std::vector<Piece> pieces;
};

Stored read_store(const std::string& path, const InputLimits& limits = {}) {
    Stored out;
    InputBuffers buffers;
    auto source = open_input(path, 0, limits, buffers);
    REQUIRE(source);
    out.format = (*source)->stored_format();
    const ReaderSpec* spec = find_reader(out.format);
    const auto reader = spec ? spec->make() : nullptr;
    Record record;
    for (;;) {
        const auto next = (*source)->next(record);
        if (next == RecordSource::Next::end) break;
        out.pieces.push_back(keep(next, record));
        if (next == RecordSource::Next::too_long) out.reading.fates.push_back(LineFate::too_long);
        if (next == RecordSource::Next::record && reader)
            out.reading.fates.push_back(reader->read(record, out.reading.events));
    }
    if (reader) reader->finish(out.reading.events);
    out.error = (*source)->error().value_or("");
    return out;
}

std::string fixture(const std::string& name) { return slurp(source_dir() / "testdata/readers" / name); }

std::vector<json> rows_of(const std::string& text) {
    std::vector<json> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) rows.push_back(json::parse(line));
    return rows;
}

Cell text_or_null(const json& row, const char* key) {
    return row.contains(key) ? Cell(row[key].get<std::string>()) : Cell(nullptr);
}
Cell number_or_null(const json& row, const char* key) {
    if (!row.contains(key)) return nullptr;
    return row[key].is_number_float() ? Cell(row[key].get<double>()) : Cell(row[key].get<std::int64_t>());
}
Cell dump_or_null(const json& row, const char* key) {
    return row.contains(key) ? Cell(row[key].dump()) : Cell(nullptr);
}

std::string zstd(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

/// As SQLite keeps it.
std::string jsonb(const json& value) {
    std::string payload;
    unsigned char type = 0;
    if (value.is_boolean()) {
        type = value.get<bool>() ? 1 : 2;
    } else if (value.is_number()) {
        type = value.is_number_float() ? 5 : 3;
        payload = value.dump();
    } else if (value.is_string()) {
        type = 10;
        payload = value.get<std::string>();
    } else if (value.is_array()) {
        type = 11;
        for (const json& one : value) payload += jsonb(one);
    } else if (value.is_object()) {
        type = 12;
        for (const auto& [key, one] : value.items()) payload += jsonb(key) + jsonb(one);
    }
    const std::size_t size = payload.size();
    std::string out(1, static_cast<char>((size < 12 ? size : size < 256 ? 12 : 13) << 4 | type));
    if (size >= 256) out += static_cast<char>(size >> 8);
    if (size >= 12) out += static_cast<char>(size & 255);
    return out + payload;
}

void check_same(const Stored& stored, const std::string& format, const std::string& text) {
    CHECK(stored.format == format);
    CHECK(stored.error == "");
    const Reading rows = read_text(*find_reader(format), text);
    CHECK(stored.reading.lines() == rows.lines());
    CHECK(stored.reading.fates == rows.fates);
}

}  // namespace

TEST_SUITE("database stores") {
    TEST_CASE("opencode: a session, its messages and their parts come in the order in which they were said") {
        const TempDir dir;
        const std::string text = fixture("opencode/rows.jsonl");
        {
            StoreFile store(dir / "opencode.db");
            store.run(kOpencodeTables);
            std::vector<json> rows = rows_of(text);
            std::string session;
            // Stored backwards where nothing but the ids says the order.
            for (json row : rows) {
                const std::string kind = row["row"], id = row["id"];
                if (kind == "opencode.session") {
                    session = id;
                    store.add(
                        "session(id, parent_id, directory, title, version, time_created)",
                        {id, text_or_null(row, "parentID"), text_or_null(row, "directory"), text_or_null(row, "title"),
                         text_or_null(row, "version"), number_or_null(row, "time_created")});
                }
            }
            std::reverse(rows.begin(), rows.end());
            for (json row : rows) {
                const std::string kind = row["row"], id = row["id"];
                const std::string above = row.value(kind == "opencode.part" ? "messageID" : "sessionID", "");
                for (const char* key : {"row", "id", "messageID", "sessionID"}) row.erase(key);
                if (kind == "opencode.message") store.add("message(id, session_id, data)", {id, above, row.dump()});
                if (kind == "opencode.part") store.add("part(id, message_id, data)", {id, above, row.dump()});
            }
        }
        check_same(read_store(dir / "opencode.db"), "opencode", text);
    }

    TEST_CASE("opencode 2: the new tables are read once they are in use, and the old ones are not read again") {
        const TempDir dir;
        const std::string text = fixture("opencode/entries.jsonl");
        const auto fill = [](StoreFile& store, const std::vector<json>& rows) {
            std::int64_t seq = 100;
            for (json row : rows) {
                const std::string kind = row["row"], id = row["id"];
                if (kind == "opencode.session") {
                    store.add("session_v2(id, directory, title, version, time_created)",
                              {id, text_or_null(row, "directory"), text_or_null(row, "title"),
                               text_or_null(row, "version"), number_or_null(row, "time_created")});
                    continue;
                }
                const std::string session = row["sessionID"];
                const Cell type = text_or_null(row, "type");
                for (const char* key : {"row", "id", "sessionID", "type"}) row.erase(key);
                store.add("session_message(id, session_id, type, seq, data)", {id, session, type, seq--, row.dump()});
            }
        };
        std::vector<json> rows = rows_of(text);
        for (const bool used : {false, true}) {
            const std::string path = dir / (used ? "used.db" : "unused.db");
            {
                StoreFile store(path);
                store.run(kOpencodeTables);
                store.add("session(id, directory)", {"ses_old", "/home/ada"});
                store.run(
                    "CREATE TABLE session_v2(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version "
                    "TEXT, "
                    "time_created INTEGER)");
                store.run(
                    "CREATE TABLE session_message(id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, data "
                    "TEXT)");
                std::vector<json> stored{rows.front()};
                // Written backwards: only `seq` tells the order.
                if (used) stored.insert(stored.end(), rows.rbegin(), std::prev(rows.rend()));
                fill(store, stored);
            }
            const Stored found = read_store(path);
            if (used)
                check_same(found, "opencode", text);
            else
                CHECK(std::ranges::any_of(found.reading.lines(),
                                          [](const std::string& l) { return l.find("ses_old") != l.npos; }));
        }
    }

    TEST_CASE("goose: each session with its own messages, times and totals") {
        const TempDir dir;
        const std::string text = fixture("goose/rows.jsonl");
        {
            StoreFile store(dir / "sessions.db");
            store.run(kGooseTables);
            std::string session;
            for (const json& row : rows_of(text)) {
                if (row["row"] == "goose.session") {
                    session = row["id"];
                    store.add(
                        "sessions(id, description, session_type, working_dir, total_tokens, accumulated_input_tokens, "
                        "accumulated_output_tokens, model_config_json, parent_session_id)",
                        {session, text_or_null(row, "description"), text_or_null(row, "session_type"),
                         text_or_null(row, "working_dir"), number_or_null(row, "total_tokens"),
                         number_or_null(row, "accumulated_input_tokens"),
                         number_or_null(row, "accumulated_output_tokens"), dump_or_null(row, "model_config"),
                         text_or_null(row, "parent_session_id")});
                } else {
                    store.add(
                        "messages(message_id, session_id, role, content_json, created_timestamp, metadata_json)",
                        {text_or_null(row, "id"), session, text_or_null(row, "role"), dump_or_null(row, "content"),
                         number_or_null(row, "created"), dump_or_null(row, "metadata")});
                }
            }
        }
        check_same(read_store(dir / "sessions.db"), "goose", text);
    }

    TEST_CASE("Google ADK: events of each session by their times, of other users with the same session none") {
        const TempDir dir;
        const std::string text = fixture("google-adk/rows.jsonl");
        {
            StoreFile store(dir / "session.db");
            store.run(kAdkTables);
            std::vector<json> rows = rows_of(text);
            for (const json& row : rows) {
                if (row["row"] == "google-adk.session")
                    store.add("sessions(app_name, user_id, id, state)", {"garden", "ada", row.value("id", ""), "{}"});
            }
            std::string session = "s-2";
            std::reverse(rows.begin(), rows.end());
            for (json row : rows) {
                if (row["row"] == "google-adk.session") {
                    session = "s-1";
                    continue;
                }
                row.erase("row");
                store.add("events(id, app_name, user_id, session_id, timestamp, event_data)",
                          {row.value("id", ""), "garden", "ada", session, row["timestamp"].get<double>(), row.dump()});
            }
            store.add("events(id, app_name, user_id, session_id, timestamp, event_data)",
                      {"x", "garden", "bob", "s-1", 1.0, R"({"author":"user","content":{"parts":[{"text":"no"}]}})"});
        }
        check_same(read_store(dir / "session.db"), "google-adk", text);
    }

    TEST_CASE("Google ADK: in older versions an event is a row of columns") {
        const TempDir dir;
        {
            StoreFile store(dir / "session.db");
            store.run(kAdkOldTables);
            store.add("sessions(app_name, user_id, id)", {"garden", "ada", "s"});
            store.add("events(id, app_name, user_id, session_id, invocation_id, author, timestamp, content)",
                      {"a", "garden", "ada", "s", "e", "user", "2025-06-01 08:00:00.250000",
                       R"({"role":"user","parts":[{"text":"Warm?"}]})"});
            store.add("events(id, app_name, user_id, session_id, invocation_id, author, timestamp, error_code)",
                      {"b", "garden", "ada", "s", "e", "gardener", "2025-06-01 08:00:01.000000", "SAFETY"});
        }
        const Stored stored = read_store(dir / "session.db");
        CHECK(stored.format == "google-adk");
        CHECK(stored.reading.lines() == std::vector<std::string>{"SessionStart id=s", "TurnStart",
                                                                 "Message user/human 'Warm?'",
                                                                 "Notice provider/error SAFETY"});
        CHECK(stored.reading.events.heads[2].time_ms == 1748764800250);
    }

    TEST_CASE("crush: parts of every kind, and a second session") {
        const TempDir dir;
        const std::string text = fixture("crush/full.jsonl");
        {
            StoreFile store(dir / "crush.db");
            store.run(kCrushTables);
            std::string session;
            for (const json& row : rows_of(text)) {
                if (row["row"] == "crush.session") {
                    session = row["id"];
                    store.add("sessions(id, parent_session_id, title, created_at, cost)",
                              {session, text_or_null(row, "parent_session_id"), "t", number_or_null(row, "created_at"),
                               number_or_null(row, "cost")});
                } else {
                    store.add("messages(id, session_id, role, parts, created_at, is_summary_message)",
                              {text_or_null(row, "id"), session, text_or_null(row, "role"), Blob{row["parts"].dump()},
                               number_or_null(row, "created_at"), number_or_null(row, "is_summary_message")});
                }
            }
        }
        check_same(read_store(dir / "crush.db"), "crush", text);
    }

    TEST_CASE("crush: the model that a router chose is the one that answered") {
        const TempDir dir;
        {
            StoreFile store(dir / "crush.db");
            store.run(kCrushTables);
            store.add("sessions(id)", {"s"});
            store.add("messages(id, session_id, role, parts, model, prism_model_id)",
                      {"m", "s", "assistant", Blob{"[]"}, "router", "toy-model"});
        }
        CHECK(read_store(dir / "crush.db").reading.those("ContextChange") ==
              std::vector<std::string>{"ContextChange model=toy-model"});
    }

    TEST_CASE("Hermes: texts with quotes and newlines stay what they are") {
        const TempDir dir;
        const std::string text = fixture("hermes/full.jsonl");
        {
            StoreFile store(dir / "state.db");
            store.run(kHermesTables);
            std::string session;
            for (const json& row : rows_of(text)) {
                if (row["row"] == "hermes.session") {
                    session = row["id"];
                    store.add("sessions(id, parent_session_id, started_at)",
                              {session, text_or_null(row, "parent_session_id"), number_or_null(row, "timestamp")});
                } else {
                    store.add("messages(session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp)",
                              {session, text_or_null(row, "role"), text_or_null(row, "content"),
                               text_or_null(row, "tool_call_id"), dump_or_null(row, "tool_calls"),
                               text_or_null(row, "tool_name"), number_or_null(row, "timestamp")});
                }
            }
        }
        check_same(read_store(dir / "state.db"), "hermes", text);
    }

    TEST_CASE("Hermes: columns of newer versions are read where they are") {
        const TempDir dir;
        {
            StoreFile store(dir / "state.db");
            store.run(kHermesTables);
            store.run(
                "ALTER TABLE sessions ADD COLUMN actual_cost_usd REAL;"
                "ALTER TABLE sessions ADD COLUMN model_config TEXT;"
                "ALTER TABLE messages ADD COLUMN reasoning_content TEXT;"
                "ALTER TABLE messages ADD COLUMN _compressed_summary INTEGER NOT NULL DEFAULT 0;"
                "ALTER TABLE messages ADD COLUMN display_kind TEXT;"
                "ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1;"
                "ALTER TABLE messages ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;"
                "INSERT INTO sessions(id, parent_session_id, started_at, input_tokens, actual_cost_usd, model_config)"
                " VALUES ('h-2', 'h-1', 1790000000.5, 5, 0.25, '{\"_delegate_from\": \"h-1\"}');"
                "INSERT INTO messages(session_id, role, content, timestamp, _compressed_summary)"
                " VALUES ('h-2', 'user', 'so far', 1790000001.5, 1);"
                "INSERT INTO messages(session_id, role, content, timestamp, display_kind)"
                " VALUES ('h-2', 'user', 'go on', 1790000002.5, 'hidden');"
                "INSERT INTO messages(session_id, role, content, timestamp, active)"
                " VALUES ('h-2', 'assistant', 'never mind', 1790000002.75, 0);"
                "INSERT INTO messages(session_id, role, content, timestamp, reasoning_content)"
                " VALUES ('h-2', 'assistant', 'done', 1790000003.5, 'think');");
        }
        const std::string rows =
            R"({"row":"hermes.session","id":"h-2","parent_session_id":"h-1","timestamp":1790000000.5,"input_tokens":5,"actual_cost_usd":0.25,"model_config":{"_delegate_from":"h-1"}})"
            "\n"
            R"({"row":"hermes.message","role":"user","content":"so far","timestamp":1790000001.5,"_compressed_summary":1})"
            "\n"
            R"({"row":"hermes.message","role":"user","content":"go on","timestamp":1790000002.5,"display_kind":"hidden"})"
            "\n"
            R"({"row":"hermes.message","id":3,"role":"assistant","content":"never mind","timestamp":1790000002.75,"active":0,"compacted":0})"
            "\n"
            R"({"row":"hermes.message","role":"assistant","content":"done","timestamp":1790000003.5,"reasoning_content":"think"})"
            "\n";
        check_same(read_store(dir / "state.db"), "hermes", rows);
    }

    TEST_CASE("OpenClaw: plain and compressed entries are the lines of the session file") {
        const TempDir dir;
        const std::string text = fixture("openclaw/full.jsonl");
        std::size_t lines = 0;
        {
            StoreFile store(dir / "openclaw-agent.sqlite");
            store.run(kOpenclawTables);
            std::istringstream in(text);
            for (std::string line; std::getline(in, line); ++lines) {
                if (lines % 2 == 0)
                    store.add("transcript_events(session_id, seq, event_json)", {"s1", std::int64_t(lines), line});
                else
                    store.add("transcript_events(session_id, seq, event_zstd)",
                              {"s1", std::int64_t(lines), Blob{zstd(line)}});
            }
        }
        const Stored stored = read_store(dir / "openclaw-agent.sqlite");
        CHECK(lines > 3);
        CHECK(stored.pieces.size() == lines);
        check_same(stored, "openclaw", text);
    }

    TEST_CASE("OpenClaw: sessions without a header of their own are told apart all the same") {
        const TempDir dir;
        {
            StoreFile store(dir / "a.sqlite");
            store.run(kOpenclawTables);
            for (const std::string session : {"s2", "s1"}) {
                store.add(
                    "transcript_events(session_id, seq, event_json)",
                    {session, std::int64_t{9},
                     R"({"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"yes"}]}})"});
                store.add("transcript_events(session_id, seq, event_json)",
                          {session, std::int64_t{2},
                           R"({"type":"message","id":"a","message":{"role":"user","content":")" + session + R"("}})"});
            }
        }
        const Stored stored = read_store(dir / "a.sqlite");
        CHECK(stored.reading.those("SessionStart") ==
              std::vector<std::string>{"SessionStart id=s1", "SessionStart id=s2"});
        CHECK(stored.reading.those("Message") ==
              std::vector<std::string>{"Message user/human 's1'", "Message assistant/agent 'yes'",
                                       "Message user/human 's2'", "Message assistant/agent 'yes'"});
        for (std::size_t i = 0; i < stored.pieces.size(); ++i) CHECK(stored.pieces[i].line == i + 1);
    }

    TEST_CASE("OpenClaw: what cannot be unpacked is malformed, what unpacks too far is too long") {
        const TempDir dir;
        InputLimits limits;
        limits.max_record_bytes = 1000;
        {
            StoreFile store(dir / "a.sqlite");
            store.run(kOpenclawTables);
            const std::string into = "transcript_events(session_id, seq, event_zstd)";
            std::string packed = zstd(std::string(500, 'x'));
            store.add(into, {"s", std::int64_t{1}, Blob{zstd(R"({"type":"session","id":"s"})")}});
            store.add(into, {"s", std::int64_t{2}, Blob{zstd(std::string(5'000'000, ' '))}});
            store.add(into, {"s", std::int64_t{3}, Blob{packed.substr(0, packed.size() / 2)}});
            store.add(into, {"s", std::int64_t{4},
                             Blob{zstd(R"({"type":"message","message":{"role":"user","content":"still here"}})")}});
        }
        const Stored stored = read_store(dir / "a.sqlite", limits);
        CHECK(stored.reading.fates ==
              std::vector{LineFate::understood, LineFate::too_long, LineFate::malformed_json, LineFate::understood});
    }

    TEST_CASE("Cursor's editor: bubbles come in the order of their composer, drafts are no sessions") {
        const TempDir dir;
        {
            StoreFile store(dir / "state.vscdb");
            store.run(kCursorTables);
            const auto put = [&](const std::string& key, const std::string& value) {
                store.add("cursorDiskKV(key, value)", {key, Blob{value}});
            };
            put("bubbleId:c1:b3", R"({"type":2,"text":"three"})");
            put("bubbleId:c1:b1", R"({"type":1,"text":"one"})");
            put("bubbleId:c1:ghost", R"({"type":1,"text":"words nobody typed"})");
            put("bubbleId:c2:x", R"({"type":1,"text":"another"})");
            put("bubbleId:c1:b2", R"({"type":2,"text":"two"})");
            put("composerData:c1",
                R"({"composerId":"c1","fullConversationHeadersOnly":[{"bubbleId":"b1"},{"bubbleId":"b2"},{"bubbleId":"b3"},{"bubbleId":"lost"}]})");
            put("composerData:draft", R"({"composerId":"draft","fullConversationHeadersOnly":[]})");
            put("composerData:c2", R"({"composerId":"c2","fullConversationHeadersOnly":[{"bubbleId":"x"}]})");
            put("composerData:broken", "{ not valid");
            put("checkpointId:c1:y", R"({"type":1,"text":"not a bubble"})");
        }
        const Stored stored = read_store(dir / "state.vscdb");
        CHECK(stored.format == "cursor");
        CHECK(stored.reading.lines() ==
              std::vector<std::string>{"SessionStart id=c1", "TurnStart", "Message user/human 'one'",
                                       "Message assistant/agent 'two'", "Message assistant/agent 'three'",
                                       "SessionStart id=c2", "TurnStart", "Message user/human 'another'"});
        CHECK(stored.reading.fates == std::vector{LineFate::understood, LineFate::understood, LineFate::understood,
                                                  LineFate::understood, LineFate::missing_field, LineFate::ignored_kind,
                                                  LineFate::understood, LineFate::understood,
                                                  LineFate::malformed_json});
    }

    TEST_CASE("Cursor's command line: messages come in the order of the newest root") {
        const TempDir dir;
        {
            StoreFile store(dir / "store.db");
            store.run(kCursorCliTables);
            std::string root;
            const auto put = [&](char name, const std::string& data, bool listed) {
                const std::string hash(32, name);
                std::string hex;
                for (int i = 0; i < 32; ++i)
                    hex += {"0123456789abcdef"[(name >> 4) & 15], "0123456789abcdef"[name & 15]};
                store.add("blobs", {hex, Blob{data}});
                if (listed) root += std::string("\x0a\x20") + hash;
            };
            put('a', R"({"role":"user","content":"one"})", true);
            put('c', R"({"role":"assistant","content":[{"type":"text","text":"two"}]})", true);
            put('b', R"({"role":"assistant","content":"an older branch"})", false);
            root += std::string("\x4a\x05/home", 7);
            store.add("blobs", {"ff", Blob{root}});
            std::string hex;
            for (const char c :
                 std::string(R"({"agentId":"agent-1","latestRootBlobId":"ff","createdAt":1772446000000})"))
                hex += {"0123456789abcdef"[(c >> 4) & 15], "0123456789abcdef"[c & 15]};
            store.add("meta", {"0", hex});
        }
        const Stored stored = read_store(dir / "store.db");
        CHECK(stored.reading.lines() == std::vector<std::string>{"SessionStart id=agent-1", "TurnStart",
                                                                 "Message user/human 'one'",
                                                                 "Message assistant/agent 'two'"});
    }

    TEST_CASE("Cursor's command line: what a compaction took out of a chat comes before what it is now") {
        const TempDir dir;
        const auto hex = [](std::string_view bytes) {
            std::string out;
            for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
            return out;
        };
        const auto entry = [](char tag, char name) { return std::string{tag, '\x20'} + std::string(32, name); };
        {
            StoreFile store(dir / "store.db");
            store.run(kCursorCliTables);
            const auto put = [&](char name, std::string_view data) {
                store.add("blobs", {hex(std::string(32, name)), Blob{std::string(data)}});
            };
            put('a', R"({"role":"user","content":"one"})");
            put('b', R"({"role":"assistant","content":"two"})");
            put('s', R"({"role":"user","content":"so far","providerOptions":{"cursor":{"isSummary":true}}})");
            put('c', R"({"role":"user","content":"three"})");
            put('z', entry('\x0a', 'a') + entry('\x0a', 'b'));
            store.add("blobs", {"ff", Blob{entry('\x0a', 'a') + entry('\x0a', 's') + entry('\x0a', 'c') +
                                           entry('\x6a', 'z') + entry('\x6a', 'y')}});
            store.add("meta", {"0", hex(R"({"agentId":"agent-1","latestRootBlobId":"ff"})")});
        }
        CHECK(read_store(dir / "store.db").reading.lines() ==
              std::vector<std::string>{"SessionStart id=agent-1", "TurnStart", "Message user/human 'one'",
                                       "Message assistant/agent 'two'", "Compaction summary 'so far'", "TurnStart",
                                       "Message user/human 'three'"});
    }

    TEST_CASE("Kiro: a conversation a row, its key is the folder; the older table is read too") {
        const TempDir dir;
        const std::string text = fixture("kiro/rows.jsonl");
        {
            StoreFile store(dir / "data.sqlite3");
            store.run(kKiroTables);
            std::size_t n = 0;
            for (json row : rows_of(text)) {
                const std::string cwd = row["cwd"], id = row["conversation_id"];
                row.erase("cwd");
                if (n++ == 0)
                    store.add("conversations_v2(key, conversation_id, value)", {cwd, id, row.dump(2)});
                else
                    store.add("conversations(key, value)", {cwd, row.dump()});
            }
        }
        const Stored stored = read_store(dir / "data.sqlite3");
        check_same(stored, "kiro", text);
        CHECK(stored.reading.events.heads.back().where.line == 2);
    }

    TEST_CASE("Zed: threads compressed and plain") {
        const TempDir dir;
        const std::string text = fixture("zed/full.jsonl");
        {
            StoreFile store(dir / "threads.db");
            store.run(kZedTables);
            std::size_t n = 0;
            for (json row : rows_of(text)) {
                const std::string id = row["thread_id"];
                const Cell parent = text_or_null(row, "parent_id");
                for (const char* key : {"row", "thread_id", "parent_id"}) row.erase(key);
                const bool packed = n++ == 0;
                store.add("threads(id, data_type, data, parent_id)",
                          {id, packed ? "zstd" : "json", Blob{packed ? zstd(row.dump()) : row.dump()}, parent});
            }
        }
        const Stored stored = read_store(dir / "threads.db");
        CHECK(stored.format == "zed");
        const Reading rows = read_text(*find_reader("zed"), text);
        CHECK(stored.reading.lines().size() == rows.lines().size());
        CHECK(stored.reading.those("ToolResult") == rows.those("ToolResult"));
        CHECK(stored.reading.those("Session") == rows.those("Session"));
        CHECK(stored.reading.fates == rows.fates);
    }

    TEST_CASE("Mastra: spans with what SQLite keeps in place of JSON, or with JSON") {
        const TempDir dir;
        std::string text = fixture("mastra/stored.json");
        json spans = json::parse(text)["spans"];
        for (const bool binary : {true, false}) {
            const std::string path = dir / (binary ? "binary.db" : "text.db");
            {
                StoreFile store(path);
                store.run(kMastraTables);
                for (const json& span : spans) {
                    const auto words = [&span](const char* key) {
                        return span[key].is_string() ? Cell(span[key].get<std::string>()) : Cell(nullptr);
                    };
                    const auto value = [&span, binary](const char* key) {
                        if (span[key].is_null()) return Cell(nullptr);
                        return binary ? Cell(Blob{jsonb(span[key])}) : Cell(span[key].dump());
                    };
                    store.add(
                        "mastra_ai_spans(traceId, spanId, parentSpanId, name, spanType, entityId, entityName, "
                        "threadId, startedAt, endedAt, attributes, metadata, input, output, error)",
                        {words("traceId"), words("spanId"), words("parentSpanId"), words("name"), words("spanType"),
                         words("entityId"), words("entityName"), words("threadId"), words("startedAt"),
                         words("endedAt"), value("attributes"), value("metadata"), value("input"), value("output"),
                         value("error")});
                }
            }
            const Stored stored = read_store(path);
            CHECK(stored.format == "mastra");
            const Reading document = read_text(*find_reader("mastra"), text);
            for (const char* kind : {"SessionStart", "Message", "ToolCall", "Usage"})
                CHECK(stored.reading.those(kind) == document.those(kind));
            CHECK(stored.reading.those("ToolResult") == Lines{R"(ToolResult call_m1 ok '{"free":[4]}')"});
        }
    }

    TEST_CASE("Mastra: without spans its memory is read, a thread after the other") {
        const TempDir dir;
        const std::string path = dir / "mastra.db";
        {
            StoreFile store(path);
            store.run(kMastraTables);
            store.run(
                "CREATE TABLE mastra_messages(id TEXT PRIMARY KEY, thread_id TEXT, content TEXT, role TEXT, type TEXT, "
                "createdAt TEXT, resourceId TEXT)");
            const auto say = [&store](const char* id, const char* thread, const char* role, const char* at,
                                      const std::string& text) {
                const json content = {{"format", 2}, {"parts", json::array({{{"type", "text"}, {"text", text}}})}};
                store.add("mastra_messages(id, thread_id, role, createdAt, content)",
                          {id, thread, role, at, content.dump()});
            };
            say("m2", "b", "assistant", "2026-07-01T08:00:02.000Z", "In the shed.");
            say("m3", "a", "user", "2026-07-01T09:00:00.000Z", "And the oars?");
            say("m1", "b", "user", "2026-07-01T08:00:01.000Z", "Where is the boat?");
        }
        const Stored stored = read_store(path);
        CHECK(stored.format == "vercel-ai");
        CHECK(stored.reading.count("SessionStart") == 2);
        CHECK(stored.reading.those("Message") == Lines{"Message user/human 'And the oars?'",
                                                       "Message user/human 'Where is the boat?'",
                                                       "Message assistant/agent 'In the shed.'"});
    }

    TEST_CASE("Mastra: a value that is neither JSON nor its binary form breaks its record, and text may be a blob") {
        const TempDir dir;
        const std::string path = dir / "mastra.db", text = R"({"stepIndex":1,"usage":{"inputTokens":9}})";
        const std::string binary = jsonb(json::parse(text));
        {
            StoreFile store(path);
            store.run(kMastraTables);
            int i = 0;
            for (const std::string& value :
                 {binary, text, binary.substr(0, binary.size() - 1), std::string("\xfc\xff")})
                store.add("mastra_ai_spans(traceId, spanId, name, spanType, startedAt, attributes)",
                          {"trace", fmt::format("span-000000000{}", ++i), "n", "model_step", "2026-07-01T08:00:00.000Z",
                           Blob{value}});
        }
        const Stored stored = read_store(path);
        CHECK(stored.reading.events.usages.size() == 2);
        REQUIRE(stored.reading.fates.size() == 4);
        CHECK(stored.reading.fates[1] == LineFate::understood);
        CHECK(stored.reading.fates[2] != LineFate::understood);
        CHECK(stored.reading.fates[3] != LineFate::understood);
    }

    TEST_CASE("Mastra: spans are found wherever in their table they lie, and threads without an index") {
        const TempDir dir;
        const std::string traced = dir / "traced.db", memory = dir / "memory.db";
        {
            StoreFile store(traced);
            store.run(kMastraTables);
            const char* const rows[] = {"-9223372036854775808", "-1", "0", "4095", "4096", "9223372036854775807"};
            for (int i = 0; i < 6; ++i)
                store.run(
                    fmt::format(
                        "INSERT INTO mastra_ai_spans(rowid, traceId, spanId, name, spanType, startedAt, attributes) "
                        "VALUES({}, 'trace', 'span-000000000{}', 'n', 'model_step', '2026-07-01T08:00:0{}.000Z', "
                        "'{{\"stepIndex\":1,\"usage\":{{\"inputTokens\":9}}}}')",
                        rows[i], i, i)
                        .c_str());
        }
        CHECK(read_store(traced).reading.events.usages.size() == 6);
        {
            StoreFile store(memory);
            store.run(kMastraTables);
            store.run(
                "CREATE TABLE mastra_messages(id TEXT PRIMARY KEY, thread_id TEXT, content TEXT, role TEXT, createdAt "
                "TEXT); WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 12000) INSERT INTO "
                "mastra_messages SELECT n, n / 2, '{\"format\":2,\"parts\":[{\"type\":\"text\",\"text\":\"hm\"}]}', "
                "'user', '2026-07-01T08:00:00.000Z' FROM k");
        }
        const Stored threads = read_store(memory);
        CHECK(threads.reading.count("SessionStart") == 6001);
        CHECK(threads.reading.count("Message") == 12'000);
    }

    TEST_CASE("JSONB is written as the JSON it stands for, and hostile bytes as none") {
        const auto text_of = [](std::string_view blob) {
            std::string out = "so far ";
            return readers::append_jsonb(blob, out) ? out.substr(7) : "none:" + out;
        };
        const json all = {
            {"a", json::array({1, -2.5, true, false, nullptr})}, {"long", std::string(300, 'x')}, {"said", "\"so\"\n"}};
        CHECK(json::parse(text_of(jsonb(all))) == all);
        CHECK(text_of("\x38"
                      R"(a\")") == R"("a\"")");       // with escapes
        CHECK(text_of("\x1a\x01") == R"("\u0001")");  // without
        CHECK(text_of("\x1a\"") == R"("\"")");
        CHECK(text_of("\x26.5") == "null");  // of JSON5, and text that is no number
        CHECK(text_of("\x33"
                      "1,2") == "null");
        for (const std::string_view bad : {"", "\x5b", "\x1d", "\xff", "\x2c\x17x",
                                           "\x2c\x13"
                                           "1",
                                           "\x00more"}) {
            CAPTURE(bad);
            CHECK(text_of(bad) == "none:so far ");
        }
        std::string deep;
        for (int i = 0; i < 2000; ++i) {
            const std::size_t size = deep.size();
            std::string outer = "\xdb";
            outer.append(1, static_cast<char>(size >> 8)).append(1, static_cast<char>(size & 255)).append(deep);
            deep = outer;
        }
        CHECK(text_of(deep) == "none:so far ");
    }

    TEST_CASE("a database that gives more rows than it has bytes is damaged, and read no further") {
        const TempDir dir;
        const std::string path = dir / "store.db";
        write_opencode(path);
        readers::Database db(path, 1u << 20);
        const std::size_t bytes = slurp(path).size();
        for (std::size_t i = 0; i < bytes; ++i) db.count_row();
        CHECK(db.usable());
        db.count_row();
        CHECK_FALSE(db.usable());
        CHECK(db.problem().find("more rows than it can hold") != std::string::npos);
    }

    TEST_CASE("an index of what stands in JSON (Kilo) is no damage, and does not let views in") {
        const TempDir dir;
        const std::string path = dir / "kilo.db";
        write_opencode(path);
        StoreFile(path).run("CREATE INDEX role ON message(id, json_extract(data, '$.role'))");
        const Stored stored = read_store(path);
        CHECK(stored.error == "");
        CHECK(stored.reading.those("Message").size() == 2);
        StoreFile(path).run("CREATE VIEW looks AS SELECT 1 AS id");
        readers::Database db(path, 1u << 20);
        CHECK(db.usable());
        db.prepare("SELECT id FROM looks");
        CHECK_FALSE(db.usable());
    }

    TEST_CASE("a UTF-16 database reads like any other") {
        const TempDir dir;
        {
            StoreFile store(dir / "a.db");
            store.run("PRAGMA encoding = 'UTF-16le'").run(kOpencodeTables);
            store.add("session(id)", {"ses_1"});
            store.add("message(id, session_id, data)", {"m", "ses_1", R"({"role":"user"})"});
            store.add("part(id, message_id, data)",
                      {"p", "m", "{\"type\":\"text\",\"text\":\"gr\xc3\xbc\xc3\x9f dich\"}"});
        }
        CHECK(read_store(dir / "a.db").reading.lines().back() == "Message user/human 'gr\xc3\xbc\xc3\x9f dich'");
    }
}
