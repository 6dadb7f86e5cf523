#include "support/places.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

// The program reads a document many times longer than the longest record in memory that does not grow with it. The
// same with 4 GB: scripts/gen_big_document.py 4000000000 | agent-audit scan -

namespace {

using agent_audit::test::is_sanitized;

constexpr int kPairs = 12'000;

void write_all(int fd, const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (n <= 0) return;
        done += static_cast<std::size_t>(n);
    }
}

// Returns what was written.
std::size_t write_document(int fd) {
    const std::string output(4000, 'o');
    std::string text =
        "{\n\"info\": {\"exit_status\": \"Submitted\"},\n\"messages\": [\n{\"role\": \"user\", \"content\": \"do\"}";
    std::size_t written = 0;
    for (int i = 0; i < kPairs; ++i) {
        const std::string n = std::to_string(i);
        text += ",\n{\"role\": \"assistant\", \"content\": \"now " + n +
                "\", \"extra\": {\"actions\": [{\"command\": \"cat " + n + "\", \"tool_call_id\": \"c" + n +
                "\"}]}},\n{\"role\": \"tool\", \"tool_call_id\": \"c" + n + "\", \"content\": \"" + n + output +
                "\", \"extra\": {\"returncode\": 0}}";
        if (text.size() > (1u << 20)) {
            write_all(fd, text);
            written += text.size();
            text.clear();
        }
    }
    text += "\n],\n\"trajectory_format\": \"mini-swe-agent-1.1\"\n}\n";
    write_all(fd, text);
    return written + text.size();
}

std::size_t peak_of(const struct rusage& used) { return static_cast<std::size_t>(used.ru_maxrss) * 1024; }

}  // namespace

TEST_SUITE("big documents") {
    TEST_CASE("memory does not grow with the document") {
        char path[] = "/tmp/agent-audit-big-XXXXXX";
        const int out = ::mkstemp(path);
        REQUIRE(out >= 0);
        int pipe[2];
        REQUIRE(::pipe(pipe) == 0);
        const auto before = ::signal(SIGPIPE, SIG_IGN);
        const std::string program = agent_audit::test::program_file();
        struct rusage started {};
        REQUIRE(::getrusage(RUSAGE_SELF, &started) == 0);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            ::dup2(pipe[0], STDIN_FILENO);
            ::dup2(out, STDOUT_FILENO);
            ::close(pipe[0]);
            ::close(pipe[1]);
            ::execl(program.c_str(), program.c_str(), "scan", "--max-line-size", "64K", "-f", "json", "-", nullptr);
            ::_exit(127);
        }
        ::close(pipe[0]);
        ::close(out);
        const std::size_t written = write_document(pipe[1]);
        ::close(pipe[1]);
        int status = 0;
        struct rusage used {};
        REQUIRE(::wait4(child, &status, 0, &used) == child);
        ::signal(SIGPIPE, before);

        std::ifstream in(path);
        const auto report = nlohmann::json::parse(in, nullptr, false);
        ::unlink(path);
        REQUIRE(report.is_object());
        const auto& summary = report["summary"];
        CHECK(summary["counts"]["calls"] == kPairs);
        CHECK(summary["counts"]["paired"] == kPairs);
        CHECK(summary["bytes"] == written);
        CHECK(summary["records"]["total"] == 2 * kPairs + 3);  // the task; head and tail
        CHECK(summary["records"]["understood"] == 2 * kPairs + 3);
        // A child begins with the peak of who started it: many tests before this one hide its own.
        const std::size_t most = written - (8u << 20);
        if (is_sanitized() || peak_of(started) > most) {
            MESSAGE("skipped: whose peak of memory this is");
        } else {
            CHECK(peak_of(used) < most);
        }
    }
}
