#include "readers/input/companion_records.hpp"
#include "readers/input/record_buffer.hpp"
#include "readers/input_support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

using namespace agent_audit;
using agent_audit::test::Outcome;
using agent_audit::test::TempDir;
using Next = RecordSource::Next;

namespace {

std::string open_error(const std::string& path, const InputLimits& limits = {}) {
    InputBuffers buffers;
    auto opened = open_input(path, 0, limits, buffers);
    return opened ? "opened" : opened.error().message;
}

Outcome read_path(const std::string& path, const InputLimits& limits = {}) {
    InputBuffers buffers;
    auto opened = open_input(path, 0, limits, buffers);
    REQUIRE(opened);
    return test::outcome_of(*opened.value());
}

/// How much of the memory at `text` is really there, in bytes.
std::size_t resident(std::string_view text) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto skew = reinterpret_cast<std::uintptr_t>(text.data()) % page;
    std::vector<unsigned char> pages((skew + text.size() + page - 1) / page);
    REQUIRE(::mincore(const_cast<char*>(text.data()) - skew, skew + text.size(), pages.data()) == 0);
    return page * static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char p) { return (p & 1) != 0; }));
}

}  // namespace

TEST_SUITE("input: opening") {
    TEST_CASE("a file is read like the same bytes in memory") {
        const TempDir dir;
        std::mt19937 random(8);
        const std::string bytes = fmt::format("x{}", test::hostile_text(random, 200'000));
        const std::string path = dir.write("a.jsonl", bytes);
        CHECK(read_path(path).pieces == test::read_memory(bytes).pieces);
        CHECK(read_path(dir.write("empty.jsonl", "")).pieces.empty());
    }

    TEST_CASE("what cannot be opened is named with the reason, on one line") {
        const TempDir dir;
        CHECK(open_error(dir / "missing") == "cannot open: no such file or directory");
        CHECK(open_error(dir.str()) == "cannot open: is a directory");
        CHECK(open_error(fmt::format("{}/b", dir.write("a.jsonl", ""))).find("not a directory") != std::string::npos);
        CHECK(open_error("/dev/null") == "cannot open: is a device");
        CHECK(open_error("/dev/fd/987") == "cannot open: not open");
    }

    TEST_CASE("a folder of events is read in the order of their numbers, as if it were one file") {
        const TempDir dir;
        dir.write("events/10.json", "{\"id\":10}");
        dir.write("events/9.json", "{\n \"id\": 9\n}\n");
        dir.write("events/2.json", "");
        dir.write("events/11.json", "{\"id\":");
        const Outcome seen = read_path(dir / "events");
        REQUIRE(seen.pieces.size() == 3);
        CHECK(seen.pieces[0].text == "{\n \"id\": 9\n}");
        CHECK(seen.pieces[0].line == 1);
        CHECK(seen.pieces[1].text == "{\"id\":10}");
        CHECK(seen.pieces[1].line == 2);
        CHECK_FALSE(seen.pieces[1].unterminated);
        CHECK(seen.pieces[2].unterminated);
        REQUIRE(seen.peeked.size() == 1);
        CHECK(seen.peeked[0].text == seen.pieces[0].text);
        CHECK(seen.error.empty());
        CHECK(open_error(dir.str()) == "cannot open: is a directory");
    }

    TEST_CASE("what is kept beside a folder of events comes before them, and counts no line") {
        const TempDir dir;
        dir.write("c/base_state.json", "{\"agent\":\n{}}");
        dir.write("c/events/0.json", "{\"id\":0}");
        dir.write("c/events/1.json", "{\"id\":1}");
        const auto read_as = [&dir](std::string_view format) {
            InputBuffers buffers;
            auto opened = open_input(dir / "c/events", 0, {}, buffers);
            REQUIRE(opened);
            CHECK(opened.value()->peek(1).front().text == "{\"id\":0}");
            opened.value()->read_as(format);
            return test::drain(*opened.value());
        };
        const auto pieces = read_as("openhands");
        REQUIRE(pieces.size() == 3);
        CHECK(pieces[0].text == "{\"agent\":\n{}}");
        CHECK(pieces[1].text == "{\"id\":0}");
        CHECK(pieces[1].line == 1);
        CHECK(pieces[2].line == 2);
        CHECK(pieces[2].offset == 8);
        CHECK(read_as("chat-completions").size() == 2);
    }

    TEST_CASE("the file with the figures of a session comes before it, and the session says what it is") {
        const TempDir dir;
        const std::string path = dir.write("api_conversation_history.json", "[{\"a\":1},{\"a\":2}]");
        CHECK(read_path(path).pieces.size() == 2);
        dir.write("ui_messages.json", "[{\"b\":1}]");
        const auto read_as = [&path](std::string_view format) {
            InputBuffers buffers;
            auto opened = open_input(path, 0, {}, buffers);
            REQUIRE(opened);
            auto* pair = dynamic_cast<readers::CompanionRecords*>(opened.value().get());
            REQUIRE(pair);
            CHECK(pair->peek(1).front().text == "{\"a\":1}");
            pair->read_as(format);
            return test::drain(*pair);
        };
        const auto pieces = read_as("cline");
        REQUIRE(pieces.size() == 3);
        CHECK(pieces[0].text == "{\"b\":1}");
        CHECK(pieces[0].line == 1);
        CHECK(pieces[1].text == "{\"a\":1}");
        CHECK(pieces[1].line == 1);
        CHECK(read_as("chat-completions").size() == 2);
        CHECK(read_path(path).framing == Framing::elements);
    }

    TEST_CASE("what only the folder of a session says comes before it as a record") {
        const TempDir dir;
        const std::string parent = "01234567-89ab-cdef-0123-456789abcdef";
        const auto seen = [](const std::string& path) {
            InputBuffers buffers;
            auto opened = open_input(path, 0, {}, buffers);
            REQUIRE(opened);
            CHECK(opened.value()->peek(1).front().text == "{\"role\":\"user\"}");
            opened.value()->read_as("cursor-agent");
            return test::texts(test::drain(*opened.value()));
        };
        const auto write = [&dir](const std::string& name) { return dir.write(name, "{\"role\":\"user\"}"); };
        CHECK(seen(write("agent-transcripts/" + parent + "/subagents/s.jsonl")) ==
              std::vector<std::string>{R"({"row":"cursor-agent.sub-agent","parent":")" + parent + "\"}",
                                       "{\"role\":\"user\"}"});
        CHECK(seen(write("agent-transcripts/" + parent + "/s.jsonl")).size() == 1);
        CHECK(seen(write("agent-transcripts/x/subagents/s.jsonl")).size() == 1);
    }

    TEST_CASE("a socket is refused") {
        const TempDir dir;
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        REQUIRE(fd >= 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = dir / "s";
        REQUIRE(path.size() < sizeof address.sun_path);
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        CHECK(open_error(path).find("is a socket") != std::string::npos);
        ::close(fd);
    }

    TEST_CASE("a file without read permission is refused") {
        if (::geteuid() == 0) {
            MESSAGE("skipped: root may read everything");
            return;
        }
        const TempDir dir;
        const std::string path = dir.write("secret.jsonl", "{}\n");
        REQUIRE(::chmod(path.c_str(), 0) == 0);
        CHECK(open_error(path) == "cannot open: permission denied");
    }

    TEST_CASE("a line of 70 MB is skipped in bounded memory, and its neighbours are read") {
        const TempDir dir;
        const std::string path = dir / "giant.jsonl";
        {
            std::ofstream out(path, std::ios::binary);
            const std::string piece(1 << 20, 'x');
            out << "{\"a\":1}\n{\"b\":\"";
            for (int i = 0; i < 70; ++i) out << piece;
            out << "\"}\n{\"c\":1}\n";
        }
        const Outcome got = read_path(path);
        REQUIRE(got.pieces.size() == 3);
        CHECK(got.pieces[1].what == Next::too_long);
        CHECK(got.pieces[1].length == (70u << 20) + 8);
        CHECK(got.pieces[2].text == "{\"c\":1}");
        CHECK(got.pieces[2].line == 3);
    }

    TEST_CASE("memory falls again after a huge record") {
        std::string bytes = "{\"a\":\"" + std::string(30'000'000, 'x') + "\"}\n";
        for (int i = 0; i < 100'000; ++i) bytes += "{\"a\":1}\n";
        InputBuffers buffers;
        const auto source = memory_input(bytes, 0, {}, buffers, 1u << 20);
        Record record;
        REQUIRE(source->next(record) == Next::record);
        const std::string_view huge = record.text;
        CHECK(huge.size() == 30'000'008);
        CHECK(resident(huge) >= huge.size());
        REQUIRE(source->next(record) == Next::record);
        CHECK(record.text == "{\"a\":1}");
        CHECK(resident(huge) <= 2'000'000);
    }

    TEST_CASE("a short record makes no more memory resident than a chunk") {
        std::string bytes;
        for (int i = 0; i < 500'000; ++i) bytes += "{\"a\":1}\n";
        InputLimits limits;
        InputBuffers buffers;
        const auto source = memory_input(bytes, 0, limits, buffers, 1u << 20);
        Record record;
        REQUIRE(source->next(record) == Next::record);
        const std::string_view reserved(record.text.data(), limits.max_record_bytes);
        while (source->next(record) == Next::record) continue;
        CHECK(resident(reserved) <= limits.chunk_bytes + 64 * 1024);
    }

    TEST_CASE("one worker at a time holds a big buffer, and all of them get through") {
        const std::string bytes = "{\"a\":\"" + std::string(6'000'000, 'x') + "\"}\n{}\n{\"b\":\"" +
                                  std::string(5'000'000, 'y') + "\"}\n{}\n";
        std::atomic<int> holders{0};
        std::atomic<int> most{0};
        std::atomic<int> records{0};
        const auto work = [&] {
            InputBuffers buffers;
            for (int i = 0; i < 5; ++i) {
                const auto source = memory_input(bytes, 0, {}, buffers, 1u << 20);
                Record record;
                while (source->next(record) == Next::record) {
                    ++records;
                    if (record.text.size() < readers::kBigBuffer) continue;
                    most = std::max(most.load(), ++holders);
                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                    --holders;
                }
            }
        };
        std::vector<std::thread> workers;
        for (int i = 0; i < 4; ++i) workers.emplace_back(work);
        for (std::thread& worker : workers) worker.join();
        CHECK(records == 4 * 5 * 4);
        CHECK(most == 1);
    }

    TEST_CASE("a thread that reads two huge inputs in turn does not wait for itself") {
        const std::string bytes = "{\"a\":\"" + std::string(6'000'000, 'x') + "\"}\n{}\n";
        InputBuffers buffers;
        InputBuffers other_buffers;
        const auto source = memory_input(bytes, 0, {}, buffers, 1u << 20);
        const auto other = memory_input(bytes, 0, {}, other_buffers, 1u << 20);
        Record record;
        Record other_record;
        CHECK(source->next(record) == Next::record);
        CHECK(other->next(other_record) == Next::record);
        CHECK(record.text == other_record.text);
    }
}

TEST_SUITE("input: pipes") {
    TEST_CASE("a named pipe without a writer is given up on") {
        const TempDir dir;
        const std::string path = dir / "pipe";
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        InputLimits limits;
        limits.fifo_wait_ms = 30;
        CHECK(open_error(path, limits) == "cannot open: a named pipe to which nobody writes (no writer)");
    }

    TEST_CASE("a named pipe is read to its end, however slowly its writer is") {
        const TempDir dir;
        const std::string path = dir / "pipe";
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        std::thread writer([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            // Not O_WRONLY: where the reader has given up on a busy machine, that would wait for it for ever.
            const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
            std::this_thread::sleep_for(std::chrono::milliseconds(450));  // longer than anyone waits for a writer
            for (const std::string_view part : {"{\"a\"", ":1}\n{\"b\":2}\n", "{\"c\""}) {
                CHECK(::write(fd, part.data(), part.size()) == static_cast<ssize_t>(part.size()));
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            ::close(fd);
        });
        InputLimits limits;
        limits.fifo_wait_ms = 400;
        InputBuffers buffers;
        auto opened = open_input(path, 0, limits, buffers);
        writer.join();
        REQUIRE(opened);
        RecordSource& source = *opened.value();
        CHECK(test::texts(test::drain(source)) == std::vector<std::string>{"{\"a\":1}", "{\"b\":2}", "{\"c\""});
        CHECK_FALSE(source.error());
    }

    TEST_CASE("an inherited pipe is read under its /dev/fd name, even when its writer is gone or wrote nothing") {
        for (const std::string_view text : {"{\"a\":1}\n", ""}) {
            int ends[2];
            REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
            CHECK(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
            ::close(ends[1]);
            const auto begun = std::chrono::steady_clock::now();
            const Outcome got = read_path(fmt::format("/dev/fd/{}", ends[0]));
            CHECK(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(1500));
            CHECK(got.pieces.size() == (text.empty() ? 0 : 1));
            ::close(ends[0]);
        }
    }

    TEST_CASE("two pipes filled by one writer cannot block each other over a huge record") {
        int first[2];
        int second[2];
        REQUIRE(::pipe2(first, O_CLOEXEC) == 0);
        REQUIRE(::pipe2(second, O_CLOEXEC) == 0);
        std::thread writer([&] {
            const std::string piece(50'000, 'x');
            for (int i = 0; i < 120; ++i) {  // 6 MB each, in step: neither gets ahead of the other
                for (const int fd : {first[1], second[1]}) {
                    for (std::size_t done = 0; done < piece.size();) {
                        done += static_cast<std::size_t>(::write(fd, piece.data() + done, piece.size() - done));
                    }
                }
            }
            ::close(first[1]);
            ::close(second[1]);
        });
        std::atomic<std::size_t> bytes{0};
        const auto read = [&bytes](int fd) {
            InputBuffers buffers;
            auto opened = open_input(fmt::format("/dev/fd/{}", fd), 0, {}, buffers);
            Record record;
            if (opened && opened.value()->next(record) == Next::record) {
                bytes += record.text.size();
            }
        };
        std::thread one(read, first[0]);
        std::thread two(read, second[0]);
        one.join();
        two.join();
        writer.join();
        CHECK(bytes == 2 * 120 * 50'000);
        ::close(first[0]);
        ::close(second[0]);
    }
}
