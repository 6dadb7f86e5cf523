#include "pipeline/files.hpp"
#include "support/places.hpp"
#include "support/sanitized.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <thread>

// Recordings that are too large to keep, made while they are read.

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

// One call with its answer as chat messages.
std::string step(std::string_view tool, const std::string& id, const std::string& argument, const std::string& answer) {
    return R"({"role":"assistant","content":null,"tool_calls":[{"id":"c)" + id +
           R"(","type":"function","function":{"name":")" + std::string(tool) + R"(","arguments":"{\"path\":\")" +
           argument +
           R"(\"}"}}]})"
           "\n"
           R"({"role":"tool","tool_call_id":"c)" +
           id + R"(","content":")" + answer + "\"}\n";
}

std::string distinct_step(std::size_t number) {
    const std::string n = std::to_string(number);
    return step(number % 3 == 0 ? "grep" : "read_file", n, "/srv/mill/sack-" + n + ".txt", "sack " + n + " holds rye");
}

constexpr const char* kTask = R"({"role":"user","content":"Count the sacks."})"
                              "\n";

// The program with `write` at the other end of its standard input: what it prints, and the most memory it had.
struct Outcome {
    std::string out;
    long peak_kib = 0;
    int status = -1;
};

Outcome run_program(const std::function<void(const std::function<void(const std::string&)>&)>& write) {
    int in[2], out[2];
    REQUIRE(pipe(in) == 0);
    REQUIRE(pipe(out) == 0);
    const std::string program = test::program_file();
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
        execl(program.c_str(), program.c_str(), "scan", "-f", "json", "--exit-zero", "-", static_cast<char*>(nullptr));
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    std::thread writer([&] {
        write([&](const std::string& text) {
            for (std::size_t done = 0; done < text.size();) {
                const ssize_t n = ::write(in[1], text.data() + done, text.size() - done);
                if (n <= 0) return;
                done += static_cast<std::size_t>(n);
            }
        });
        close(in[1]);
    });
    Outcome outcome;
    char buffer[4096];
    for (ssize_t n; (n = ::read(out[0], buffer, sizeof buffer)) > 0;)
        outcome.out.append(buffer, static_cast<std::size_t>(n));
    close(out[0]);
    writer.join();
    rusage usage{};
    int status = 0;
    REQUIRE(wait4(child, &status, 0, &usage) == child);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.peak_kib = usage.ru_maxrss;
    return outcome;
}

Outcome run_distinct(std::size_t steps) {
    return run_program([steps](const auto& put) {
        put(kTask);
        std::string batch;
        for (std::size_t n = 0; n < steps; ++n) {
            batch += distinct_step(n);
            if (n % 256 == 255 || n + 1 == steps) {
                put(batch);
                batch.clear();
            }
        }
    });
}

}  // namespace

TEST_SUITE("huge") {
    TEST_CASE("a line of 100 MB in the middle of a loop is skipped and counted, and the loop is still one loop") {
        Folder folder;
        std::string text = kTask;
        for (int n = 0; n < 12; ++n) {
            if (n == 6) {
                text += R"({"role":"tool","tool_call_id":"none","content":")";
                text.append(100u << 20, 'x');
                text += "\"}\n";
            }
            text += step("read_file", std::to_string(n), "/srv/mill/sack.txt", "rye");
        }
        const Report report = report_of({folder.write("wide.jsonl", text)});
        CHECK(report.ingest.fates[static_cast<std::size_t>(LineFate::too_long)] == 1);
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].rule == "loop/exact-repeat");
        CHECK(report.findings[0].first_line == 2);
        CHECK(report.findings[0].last_line == 26);
    }

    TEST_CASE("more distinct steps than are remembered: no finding, and memory does not grow with them") {
        if (is_sanitized()) return;  // a sanitizer keeps what was freed, and as many steps come below
        const Outcome some = run_distinct(100'000);
        CHECK(some.status == 0);
        CHECK(some.out.find("\"findings\":[]") != some.out.npos);
        const Outcome many = run_distinct(400'000);
        CHECK(many.status == 0);
        CHECK(many.out.find("\"findings\":[]") != many.out.npos);
        CAPTURE(some.peak_kib);
        CAPTURE(many.peak_kib);
        CHECK(many.peak_kib < some.peak_kib + 2048);
    }

    TEST_CASE("what was met so long ago that it is forgotten counts as never met") {
        const Outcome again = run_program([](const auto& put) {
            put(kTask);
            for (int round = 0; round < 2; ++round) {
                std::string batch;
                for (std::size_t n = 0; n < 70'000; ++n) batch += distinct_step(n);
                put(batch);
            }
        });
        CHECK(again.status == 0);
        CHECK(again.out.find("\"findings\":[]") != again.out.npos);
    }

    TEST_CASE("a loop after more steps than are remembered is found like any other") {
        const Outcome late = run_program([](const auto& put) {
            put(kTask);
            std::string batch;
            for (std::size_t n = 0; n < 70'000; ++n) batch += distinct_step(n);
            for (int n = 0; n < 12; ++n)
                batch += step("read_file", "x" + std::to_string(n), "/srv/mill/sack.txt", "rye");
            put(batch);
        });
        CHECK(late.out.find("loop/exact-repeat") != late.out.npos);
        CHECK(late.out.find("\"first_line\":140002") != late.out.npos);
    }
}
