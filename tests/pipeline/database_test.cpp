#include "pipeline/files.hpp"
#include "support/store_file.hpp"

#include <agent_audit/readers/input.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <chrono>
#include <limits>
#include <map>

// Databases as they lie on disks: in use, read-only, damaged, or made to harm. Whatever they are, they stay as they
// are.

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

/// Every file of a folder with its bytes and the time of its last change.
std::map<std::string, std::string> snapshot(const std::string& folder) {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(folder)) {
        struct stat status {};
        REQUIRE(::stat(entry.path().c_str(), &status) == 0);
        out[entry.path().filename().string()] = std::to_string(status.st_mtim.tv_sec) + "." +
                                                std::to_string(status.st_mtim.tv_nsec) + " " + content(entry.path());
    }
    return out;
}

std::vector<std::string> session_ids(const Report& report) {
    std::vector<std::string> ids;
    for (const SessionReport& session : report.sessions) ids.push_back(session.id);
    return ids;
}

std::string error_of(const Report& report, std::size_t input = 0) {
    REQUIRE(report.inputs.size() > input);
    return report.inputs[input].error.value_or("");
}

using Ids = std::vector<std::string>;

/// Another program that has a database open. A process of its own: within one, SQLite shares locks and logs.
class OtherProgram {
public:
    OtherProgram(const std::string& path, const std::string& sql) {
        int ready[2], over[2];
        REQUIRE(::pipe(ready) == 0);
        REQUIRE(::pipe(over) == 0);
        child_ = ::fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            ::close(over[1]);
            sqlite3* db = nullptr;
            const bool done = ::sqlite3_open(path.c_str(), &db) == SQLITE_OK &&
                              ::sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
            char byte = done ? 'y' : 'n';
            if (::write(ready[1], &byte, 1) != 1) ::_exit(2);
            const ssize_t ignored = ::read(over[0], &byte, 1);  // until the other end is closed
            ::_exit(ignored < 0 ? 1 : 0);
        }
        ::close(over[0]);
        ::close(ready[1]);
        char byte = 'n';
        REQUIRE(::read(ready[0], &byte, 1) == 1);
        CHECK(byte == 'y');
        ::close(ready[0]);
        over_ = over[1];
    }
    ~OtherProgram() {
        ::close(over_);
        ::waitpid(child_, nullptr, 0);
    }
    OtherProgram(const OtherProgram&) = delete;
    OtherProgram& operator=(const OtherProgram&) = delete;

private:
    pid_t child_ = -1;
    int over_ = -1;
};

}  // namespace

TEST_SUITE("databases") {
    TEST_CASE("the sessions of a database are reported one by one, and the file stays as it was") {
        const Folder folder;
        write_opencode(folder / "opencode.db", 3);
        const auto before = snapshot(folder.str());
        const Report report = report_of({folder / "opencode.db"});
        CHECK(report.inputs.at(0).format == "opencode");
        CHECK(error_of(report) == "");
        CHECK(session_ids(report) == Ids{"ses_1", "ses_2"});
        CHECK(report.counts.human_messages == 6);
        CHECK(report.sessions[1].first_line == 8);  // a session row and three messages of a part each before it
        CHECK(report.ingest[LineFate::understood] == 14);
        CHECK(report.ingest.records() == 14);
        CHECK(snapshot(folder.str()) == before);
    }

    TEST_CASE("a directory is searched for databases too; those of somebody else are passed over") {
        const Folder folder;
        write_opencode(folder / "opencode.db");
        { StoreFile(folder / "cookies.sqlite").run("CREATE TABLE moz_cookies(id INTEGER)"); }
        folder.write("notes.db", "not a database at all");
        const Report report = report_of({folder.str()});
        CHECK(session_ids(report) == Ids{"ses_1", "ses_2"});
        CHECK(report.skipped_inputs == 2);
        for (const InputReport& input : report.inputs) CHECK_FALSE(input.error.has_value());
    }

    TEST_CASE("a named database of somebody else is an error that says so") {
        const Folder folder;
        { StoreFile(folder / "cookies.sqlite").run("CREATE TABLE moz_cookies(id INTEGER)"); }
        CHECK(error_of(report_of({folder / "cookies.sqlite"})).find("session store") != std::string::npos);
    }

    TEST_CASE("rows in the write-ahead log of a database in use are read, and none of its three files changes") {
        const Folder folder;
        const OtherProgram writer(folder / "opencode.db", "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" +
                                                              std::string(kOpencodeTables) +
                                                              "INSERT INTO session(id) VALUES ('ses_wal')");
        REQUIRE(fs::file_size(folder / "opencode.db-wal") > 0);
        const auto before = snapshot(folder.str());
        CHECK(before.size() == 3);
        const Report report = report_of({folder / "opencode.db"});
        CHECK(error_of(report) == "");
        CHECK(session_ids(report) == Ids{"ses_wal"});
        CHECK(snapshot(folder.str()) == before);
    }

    TEST_CASE("a database in the mode of a write-ahead log, but without one, gets none by being read") {
        const Folder folder;
        write_opencode(folder / "opencode.db");
        { StoreFile(folder / "opencode.db").run("PRAGMA journal_mode = WAL"); }
        const auto before = snapshot(folder.str());
        CHECK(before.size() == 1);
        CHECK(session_ids(report_of({folder / "opencode.db"})).size() == 2);
        CHECK(snapshot(folder.str()) == before);
    }

    TEST_CASE("a write-ahead log that cannot be read without writing is named, and not skipped in silence") {
        const Folder folder;
        const Folder copy;
        {
            StoreFile store(folder / "opencode.db");
            store.run("PRAGMA journal_mode = WAL").run("PRAGMA wal_autocheckpoint = 0").run(kOpencodeTables);
            for (const std::string name : {"opencode.db", "opencode.db-wal"}) fs::copy_file(folder / name, copy / name);
        }
        const auto before = snapshot(copy.str());
        const Report report = report_of({copy.str()});  // even though nobody named the file
        CHECK(report.sessions.empty());
        CHECK(error_of(report).find("-wal") != std::string::npos);
        CHECK(snapshot(copy.str()) == before);
    }

    TEST_CASE("a write that was interrupted is left to the database's owner") {
        const Folder folder;
        const Folder copy;
        {
            write_opencode(folder / "opencode.db", 3000);
            StoreFile store(folder / "opencode.db");
            store.run("PRAGMA cache_size = 1").run("BEGIN").run("UPDATE part SET data = data || '      '");
            for (const std::string name : {"opencode.db", "opencode.db-journal"})
                fs::copy_file(folder / name, copy / name);
            store.run("ROLLBACK");
        }
        const auto before = snapshot(copy.str());
        CHECK(error_of(report_of({copy / "opencode.db"})).find("owner") != std::string::npos);
        CHECK(snapshot(copy.str()) == before);
    }

    TEST_CASE("a locked database is reported after a moment, and the run goes on with the others") {
        const Folder folder;
        write_opencode(folder / "a.db");
        write_opencode(folder / "b.db");
        const OtherProgram writer(folder / "a.db", "BEGIN EXCLUSIVE");
        const auto begun = std::chrono::steady_clock::now();
        const Report report = report_of({folder.str()});  // found, not named, and reported all the same
        CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(30));
        CHECK(error_of(report, 0).find("busy") != std::string::npos);
        CHECK(error_of(report, 1) == "");
        CHECK(session_ids(report) == Ids{"ses_1", "ses_2"});
    }

    TEST_CASE("a read-only file in a read-only directory is enough") {
        const Folder folder;
        write_opencode(folder / "opencode.db");
        { StoreFile(folder / "opencode.db").run("PRAGMA journal_mode = WAL"); }
        fs::permissions(folder / "opencode.db", fs::perms::owner_read);
        fs::permissions(folder.str(), fs::perms::owner_read | fs::perms::owner_exec);
        const Report report = report_of({folder / "opencode.db"});
        fs::permissions(folder.str(), fs::perms::owner_all);
        CHECK(error_of(report) == "");
        CHECK(session_ids(report).size() == 2);
    }

    TEST_CASE("names with signs that mean something in addresses are names") {
        const Folder folder;
        for (const std::string name : {"a?mode=rwc.db", "b%20#c.db", "\xc3\xbc & x.db"}) {
            write_opencode(folder / name);
            CHECK(session_ids(report_of({folder / name})).size() == 2);
        }
    }

    TEST_CASE("from a pipe or packed a database is refused with the reason") {
        const Folder folder;
        write_opencode(folder / "opencode.db");
        InputBuffers buffers;
        const std::string bytes = content(folder / "opencode.db");
        const auto source = memory_input(bytes, 0, {}, buffers, 4096);
        CHECK(source->peek(1).empty());
        CHECK(source->error().value_or("").find("name its file") != std::string::npos);

        std::string packed(ZSTD_compressBound(bytes.size()), '\0');
        packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
        const Report report = report_of({folder.write("opencode.db.zst", packed)});
        CHECK(error_of(report).find("unpack it") != std::string::npos);
    }

    TEST_CASE("damaged pages cost the rows on them, never the run") {
        const Folder folder;
        write_opencode(folder / "whole.db", 400);
        const std::string whole = content(folder / "whole.db");
        const std::size_t pages = whole.size() / 4096;
        REQUIRE(pages > 20);
        std::uint64_t read = 0, told = 0;
        for (std::size_t page = 1; page < pages; page += 3) {
            CAPTURE(page);
            std::string damaged = whole;
            for (std::size_t i = 0; i < 4096; ++i) damaged[page * 4096 + i] = static_cast<char>((i * 7919 + page) >> 3);
            const Report report = report_of({folder.write("damaged.db", damaged)});
            read += report.ingest.records();
            told += report.inputs.at(0).error.has_value() ? 1 : 0;
        }
        CHECK(read > 0);
        CHECK(told > pages / 6);
    }

    TEST_CASE("a database cut off anywhere is read as far as it goes, or refused") {
        const Folder folder;
        write_opencode(folder / "whole.db", 40);
        const std::string whole = content(folder / "whole.db");
        for (std::size_t size = 16; size < whole.size(); size += 1733) {
            CAPTURE(size);
            const Report report = report_of({folder.write("cut.db", whole.substr(0, size))});
            CHECK(report.inputs.size() == 1);
            CHECK(report.inputs[0].error.has_value());
        }
    }

    TEST_CASE("values of other types than the store writes are rows with a fate, not accidents") {
        const Folder folder;
        {
            StoreFile store(folder / "odd.db");
            store.run(
                "CREATE TABLE session(id, directory, time_created, version, parent_id);"
                "CREATE TABLE message(id, session_id, data); CREATE TABLE part(id, message_id, data);");
            store.add("session", {"s", 7.5, "soon", Blob{"\xff\x00\xfe"}, nullptr});
            store.add("session", {nullptr, nullptr, nullptr, nullptr, nullptr});
            for (const Cell& data :
                 {Cell(nullptr), Cell(std::int64_t{7}), Cell(std::numeric_limits<double>::infinity()), Cell(""),
                  Cell("[]"), Cell("{}"), Cell("{\"role\":\"user\"} trailing"), Cell(Blob{std::string("\x00\xff{", 3)}),
                  Cell(R"({"role":"user"})")}) {
                store.add("message", {std::int64_t{1}, "s", data});
            }
            store.add("part", {nullptr, std::int64_t{1}, "{\"type\":\"text\",\"text\":\"a\nb\"}"});
        }
        const Report report = report_of({folder / "odd.db"});
        CHECK(report.ingest.records() == 2 + 9 + 9);
        CHECK(report.ingest.bad() >= 6);
        CHECK(error_of(report) == "");
    }

    TEST_CASE("a row beyond --max-line-size is too long; those around it are read") {
        const Folder folder;
        {
            StoreFile store(folder / "long.db");
            store.run(kOpencodeTables);
            store.add("session(id)", {"s"});
            for (const std::string id : {"m1", "m2", "m3"}) {
                store.add("message(id, session_id, data)", {id, "s", R"({"role":"user"})"});
                const std::size_t size = id == "m1" ? 3'000 : id == "m2" ? 3'000'000 : 10;
                store.add("part(id, message_id, data)",
                          {id + "p", id, R"({"type":"text","text":")" + std::string(size, 'x') + "\"}"});
            }
        }
        AuditPlan plan;
        plan.inputs = {folder / "long.db"};
        plan.max_line_bytes = 2048;
        const Report report = report_of(plan);
        CHECK(report.ingest[LineFate::too_long] == 2);
        CHECK(report.ingest[LineFate::understood] == 5);
        CHECK(report.counts.human_messages == 1);
    }

    TEST_CASE("views and virtual tables under the names of a store are not read") {
        const Folder folder;
        {
            StoreFile store(folder / "views.db");
            store.run(
                "CREATE TABLE message(id, session_id, data); CREATE TABLE part(id, message_id, data);"
                "CREATE VIEW session AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                "SELECT i AS id FROM n");
        }
        {
            StoreFile store(folder / "virtual.db");
            store.run(
                "CREATE TABLE message(id, session_id, data); CREATE TABLE part(id, message_id, data);"
                "CREATE VIRTUAL TABLE session USING fts5(id)");
        }
        for (const std::string name : {"views.db", "virtual.db"})
            CHECK(error_of(report_of({folder / name})).find("session store") != std::string::npos);
    }

    TEST_CASE("missing columns: what is needed makes the store, what is not is left out") {
        const Folder folder;
        {
            StoreFile store(folder / "bare.db");
            store.run(
                "CREATE TABLE session(id); CREATE TABLE message(session_id, data, id);"
                "CREATE TABLE part(message_id, data, id);");
            store.add("session", {"only"});
        }
        {
            StoreFile store(folder / "less.db");
            store.run(
                "CREATE TABLE session(id); CREATE TABLE message(session_id, id);"
                "CREATE TABLE part(message_id, data, id);");
        }
        {
            StoreFile store(folder / "keyless.db");
            store.run(
                "CREATE TABLE session(id PRIMARY KEY) WITHOUT ROWID; CREATE TABLE message(session_id, data, id);"
                "CREATE TABLE part(message_id, data, id);");
        }
        CHECK(session_ids(report_of({folder / "bare.db"})) == Ids{"only"});
        CHECK(error_of(report_of({folder / "less.db"})).find("session store") != std::string::npos);
        CHECK(error_of(report_of({folder / "keyless.db"})).find("laid out") != std::string::npos);
    }

    TEST_CASE("tables that must be searched whole for every session do not keep a run busy for ever") {
        const Folder folder;
        {
            StoreFile store(folder / "slow.db");
            store.run(
                "CREATE TABLE session(id); CREATE TABLE message(id, session_id, data);"
                "CREATE TABLE part(id, message_id, data);"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
                "INSERT INTO session SELECT 's' || i FROM n;"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
                "INSERT INTO message SELECT i, 'nobody', '{}' FROM n;");
        }
        const auto begun = std::chrono::steady_clock::now();
        const Report report = report_of({folder / "slow.db"});
        CHECK(error_of(report).find("searching whole tables") != std::string::npos);
        CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(120));
    }
}
