#include "support/places.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

struct Ran {
    std::string out;
    int exit = -1;
};

// Runs the program; both streams are read as one.
Ran run(const std::string& words) {
    Ran ran;
    std::FILE* pipe = ::popen((agent_audit::test::program_file() + " tokens " + words + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> piece{};
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) ran.out.append(piece.data(), got);
    const int status = ::pclose(pipe);
    ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
}

bool has(const Ran& ran, std::string_view text) { return ran.out.find(text) != std::string::npos; }

struct TempFile {
    explicit TempFile(const std::string& text) {
        path = (std::filesystem::temp_directory_path() / ("agent-audit-tokens-" + std::to_string(::getpid()))).string();
        std::ofstream(path, std::ios::binary) << text;
    }
    ~TempFile() { std::filesystem::remove(path); }
    TempFile(const TempFile&) = delete;
    TempFile& operator=(const TempFile&) = delete;
    std::string path;
};

}  // namespace

TEST_SUITE("cli: tokens") {
    TEST_CASE("every estimate of a text is a row") {
        const TempFile file("hello world, caf\xC3\xA9 \xE4\xBD\xA0\xE5\xA5\xBD");
        const Ran text = run(file.path);
        CHECK(text.exit == 0);
        CHECK(has(text, "25 bytes, 20 UTF-16 units, 20 code points"));
        for (const char* name : {"chars4", "bytes4", "pi", "openclaw", "gemini", "run"}) CHECK(has(text, name));
        CHECK(!has(text, "exact"));
        const Ran json = run("-f json --estimator openclaw,bytes4 " + file.path);
        CHECK(has(json, R"("estimates":[{"estimator":"openclaw","tokens":7},{"estimator":"bytes4","tokens":7}])"));
    }

    TEST_CASE("standard input is read without a file") {
        CHECK(has(run("-f json --estimator chars4 </dev/null"), R"("tokens":0)"));
    }

    TEST_CASE("a mistake is named, with exit code 2") {
        const TempFile file("not a vocabulary");
        CHECK(run(file.path + " --estimator ru").exit == 2);
        CHECK(has(run(file.path + " --estimator ru"), "did you mean 'run'?"));
        CHECK(has(run(file.path + " --vocab " + file.path), ":1: \"not\" is not base64 of a token"));
        CHECK(has(run(file.path + " --pre-tokeniser gpt2"), "expected o200k or cl100k"));
        CHECK(run(file.path + " --format xml").exit == 2);
        CHECK(run(file.path + " " + file.path).exit == 2);
    }

    TEST_CASE("a file that is not there is an input error") {
        const Ran missing = run("/nonexistent/text");
        CHECK(missing.exit == run("/nonexistent/text2").exit);
        CHECK(missing.exit > 2);
        CHECK(has(missing, "cannot open '/nonexistent/text': no such file"));
    }

    TEST_CASE("a session is calibrated: what is unseen, the weights, the errors") {
        const std::string session = agent_audit::test::project_folder() + "/testdata/demo/stuck-session.jsonl";
        const Ran text = run("--calibrate " + session);
        CHECK(text.exit == 0);
        for (const char* word : {"19 requests", "system prompt", "punctuation", "calibrated", "chars4"}) {
            CAPTURE(word);
            CHECK(has(text, word));
        }
        CHECK(has(run("--calibrate -f json " + session), "\"unseen_tokens\":"));
        const TempFile file("no session");
        CHECK(run("--calibrate " + file.path).exit == 3);
    }
}
