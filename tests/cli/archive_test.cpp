#include "pipeline/files.hpp"
#include "readers/tar_writer.hpp"
#include "support/places.hpp"

#include <doctest/doctest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace agent_audit::test;

namespace {

std::string out_of(const std::string& args, int wanted) {
    const std::string command =
        "cd '" + project().string() + "' && '" + agent_audit::test::program_file() + "' " + args + " 2>/dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    std::string out;
    for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    CHECK_MESSAGE(WEXITSTATUS(pclose(pipe)) == wanted, args);
    return out;
}

std::string content_of(const std::filesystem::path& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

void write_gzip(const std::string& path, const std::string& bytes) {
    const gzFile file = ::gzopen(path.c_str(), "wb");
    REQUIRE(file);
    REQUIRE(::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
    ::gzclose(file);
}

// Without where the sessions lie.
nlohmann::json findings_in(const std::string& text) {
    const nlohmann::json report = nlohmann::json::parse(text);
    nlohmann::json out = nlohmann::json::array();
    for (const nlohmann::json& finding : report["findings"])
        out.push_back({finding["rule"], finding["severity"], finding["message"], finding["span"]});
    return out;
}

}  // namespace

TEST_SUITE("archives of sessions") {
    TEST_CASE("a scan says of an archive what it says of its files, with as many jobs as you like") {
        const Folder folder;
        std::vector<TarItem> items;
        std::string files;
        for (const char* name :
             {"loop-forbidden-command", "loop-nobody-to-allow", "ok-person-says-no", "loop-renumbered-button"}) {
            const std::string file = std::string("testdata/scenarios/") + name + ".jsonl";
            items.push_back({"logs/" + std::string(name) + ".jsonl", content_of(project() / file)});
            files += " " + file;
        }
        const std::string tar = tar_of(items);
        folder.write("logs.tar", tar);
        write_gzip(folder / "logs.tgz", tar);
        const nlohmann::json plain = findings_in(out_of("scan --exit-zero -f json" + files, 0));
        REQUIRE(plain.size() >= 3);
        for (const std::string& archive : {folder / "logs.tar", folder / "logs.tgz"}) {
            const std::string one = out_of("scan --exit-zero -j1 -f json '" + archive + "'", 0);
            CHECK(one == out_of("scan --exit-zero -j4 -f json '" + archive + "'", 0));
            CHECK(findings_in(one).size() == plain.size());
            for (const nlohmann::json& finding : plain)
                CHECK(findings_in(one).dump().find(finding.dump()) != std::string::npos);
        }
    }

    TEST_CASE("commands for one session take the path of a file in an archive") {
        const Folder folder;
        write_gzip(folder / "a.tgz",
                   tar_of(std::vector<TarItem>{
                       {"other.jsonl", "{}\n"},
                       {"logs/s.jsonl", content_of(project() / "testdata/demo/stuck-session.jsonl")}}));
        const std::string path = "'" + (folder / "a.tgz/logs/s.jsonl") + "'";
        CHECK(out_of("replay --policy strict " + path, 1).find("stopped after line") != std::string::npos);
        const std::string contexts = out_of("replay --context codex " + path, 0);
        CHECK(contexts == out_of("replay --context codex testdata/demo/stuck-session.jsonl", 0));
        CHECK(out_of("reset " + path, 0).find("npm test") != std::string::npos);
        CHECK(out_of("scan -q '" + (folder / "a.tgz/logs") + "'", 1).find("a.tgz/logs/s.jsonl:26-47") !=
              std::string::npos);
        CHECK(out_of("scan '" + (folder / "a.tgz/none.jsonl") + "'", 3).find("is no file 'none.jsonl'") !=
              std::string::npos);
    }
}
