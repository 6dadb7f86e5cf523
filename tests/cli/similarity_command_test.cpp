#include "support/places.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

using nlohmann::json;

namespace {

struct Ran {
    std::string out;
    int exit = -1;
    bool has(std::string_view text) const { return out.find(text) != std::string::npos; }
};

Ran run(const std::string& words) {
    Ran ran;
    std::FILE* pipe = ::popen((agent_audit::test::program_file() + " " + words + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> piece{};
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) ran.out.append(piece.data(), got);
    const int status = ::pclose(pipe);
    ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
}

const std::string kDrifting = agent_audit::test::project_folder() + "/testdata/drift/drift-web-other-question.jsonl";

json session_of(const std::string& words) {
    const Ran ran = run("scan --exit-zero -f json " + words + " " + kDrifting);
    const json report = json::parse(ran.out, nullptr, false);
    INFO(ran.out.substr(0, 300));
    REQUIRE(report.is_object());
    return report["sessions"][0];
}

}  // namespace

TEST_SUITE("cli: similarity") {
    TEST_CASE("nothing is measured unless it is asked for") { CHECK_FALSE(session_of("").contains("similarity")); }

    TEST_CASE("each measure that is asked for has a series, in one order whatever was typed") {
        const json all = session_of("--similarity char-ngrams,tf-idf --similarity all");
        REQUIRE(all["similarity"].size() == 3);
        CHECK(all["similarity"][0]["measure"] == "tf-idf");
        CHECK(all["similarity"][1]["measure"] == "bm25");
        CHECK(all["similarity"][2]["measure"] == "char-ngrams");
        CHECK(all["similarity"][0]["drop"]["line"].get<int>() > 6);
        CHECK(session_of("--similarity bm25")["similarity"].size() == 1);
    }

    TEST_CASE("sessions that were put together and have the same lines are measured each by itself") {
        const std::string path =
            (std::filesystem::temp_directory_path() / ("similarity-" + std::to_string(::getpid()) + ".events"))
                .string();
        REQUIRE(run("convert --to events -o " + path + " " + kDrifting).exit == 0);
        std::ifstream in(path);
        std::string twice((std::istreambuf_iterator<char>(in)), {});
        twice += twice.substr(twice.find('\n') + 1);
        std::ofstream(path) << twice;
        const json report = json::parse(run("scan --exit-zero -f json --similarity tf-idf " + path).out);
        std::filesystem::remove(path);
        REQUIRE(report["sessions"].size() == 2);
        for (const json& session : report["sessions"]) CHECK(session["similarity"].size() == 1);
    }

    TEST_CASE("the text report says where the similarity falls, and the finding cites it") {
        const Ran ran = run("scan --exit-zero --similarity tf-idf " + kDrifting);
        CHECK(ran.has("falls for"));
        const json report = json::parse(run("scan --exit-zero -f json --similarity tf-idf " + kDrifting).out);
        CHECK(report["findings"][0].dump().find("similarity_tf-idf") != std::string::npos);
    }

    TEST_CASE("a measure that does not exist is an error of usage") {
        const Ran ran = run("scan --similarity cosine " + kDrifting);
        CHECK(ran.exit == 2);
        CHECK(ran.has("char-ngrams"));
    }

    TEST_CASE("word vectors come from a file, and what is wrong with it is said before the work begins") {
        const auto path =
            (std::filesystem::temp_directory_path() / ("agent-audit-wv-" + std::to_string(::getpid()))).string();
        std::ofstream(path) << "4 2\nmuseum 1 0\ntrawler 0.9 0.1\nsleeper 0 1\nticket 0.5 0.5\n";
        const json session = session_of("--word-vectors " + path);
        REQUIRE(session.contains("similarity"));
        CHECK(session["similarity"][0]["measure"] == "word-vectors");
        CHECK(session["similarity"][0]["source"] == std::filesystem::path(path).filename().string());
        std::ofstream(path) << "museum 1 0\ntrawler 0.9 oops\n";
        const Ran bad = run("scan --word-vectors " + path + " " + kDrifting);
        CHECK(bad.exit == 2);
        CHECK(bad.has(":2: "));
        CHECK(bad.has("is no number"));
        std::filesystem::remove(path);
        CHECK(run("scan --word-vectors " + path + " " + kDrifting).exit == 2);
    }
}
