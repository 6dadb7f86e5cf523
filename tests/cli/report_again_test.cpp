#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// What was saved and is shown again says what the scan itself said.

namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& script) {
    std::string name = (fs::temp_directory_path() / "agent-audit-again-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    const fs::path folder = name;
    std::ofstream(folder / "script") << "unset GITHUB_ACTIONS NO_COLOR COLUMNS\nexport LC_ALL=C.UTF-8\n"
                                     << "aa() { '" AGENT_AUDIT_BIN "' \"$@\"; }\ncd '" AGENT_AUDIT_SOURCE_DIR "/testdata'\n"
                                     << "T='" << folder.string() << "'\n"
                                     << script << "\n";
    const std::string command =
        "bash '" + (folder / "script").string() + "' >'" + (folder / "out").string() + "' 2>&1 </dev/null";
    const int status = std::system(command.c_str());
    CHECK(WIFEXITED(status));
    std::ifstream in(folder / "out", std::ios::binary);
    std::string out{std::istreambuf_iterator<char>(in), {}};
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return out;
}

}  // namespace

TEST_SUITE("a saved result") {
    TEST_CASE("the text of a saved result is the text of the scan, figure by figure") {
        for (const std::string session : {"drift/ok-long-hunt-for-one-bug.jsonl", "demo/stuck-session.jsonl", "drift"}) {
            CAPTURE(session);
            for (const std::string format : {"json", "ndjson"}) {
                const std::string scan = output_of("aa scan -v -f text -o " + format + "=$T/r " + session + " --exit-zero");
                CHECK(scan == output_of("aa scan -o " + format + "=$T/r " + session + " --exit-zero; aa report -v -f text --exit-zero $T/r"));
            }
        }
    }
}
