#include "support/places.hpp"

#include <agent_audit/detectors/detector.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// The README is where people look first: what it leaves out is not found.

namespace {

namespace fs = std::filesystem;

std::string page(const char* path) {
    std::ifstream in(fs::path(agent_audit::test::project_folder()) / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_SUITE("readme") {
    TEST_CASE("the README names every rule") {
        const std::string readme = page("README.md");
        for (const agent_audit::DetectorSpec& rule : agent_audit::all_detectors()) {
            CAPTURE(rule.id);
            CHECK(readme.find("`" + std::string(rule.id) + "`") != readme.npos);
        }
    }

    TEST_CASE("the README leads to every page of the documentation") {
        const std::string readme = page("README.md");
        for (const char* folder : {"docs/tutorial", "docs/how-to", "docs/reference", "docs/explanation"}) {
            for (const fs::directory_entry& file :
                 fs::directory_iterator(fs::path(agent_audit::test::project_folder()) / folder)) {
                if (file.path().extension() != ".md") continue;
                const std::string link = std::string("](") + folder + "/" + file.path().filename().string() + ")";
                CAPTURE(link);
                CHECK(readme.find(link) != readme.npos);
            }
        }
    }

    TEST_CASE("the how-to about CI names every limit of a session") {
        const std::string how_to = page("docs/how-to/gate-ci.md");
        for (const agent_audit::ParamDoc& limit : agent_audit::find_detector("budget/limits")->params()) {
            CAPTURE(limit.name);
            CHECK(how_to.find("`" + std::string(limit.name) + "`") != how_to.npos);
        }
    }
}
