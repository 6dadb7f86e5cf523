#include <agent_audit/readers/locations.hpp>

#include <agent_audit/readers/reader.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit;

namespace {

std::string text(const Location& location) { return std::string(location.agent) + " " + std::string(location.glob); }

}  // namespace

TEST_SUITE("locations") {
    TEST_CASE("every format of the table has a reader, or is said to have none") {
        std::size_t readable = 0;
        for (const Location& location : all_locations()) {
            CAPTURE(text(location));
            if (location.format.empty()) continue;
            ++readable;
            CHECK(find_reader(location.format) != nullptr);
        }
        CHECK(readable >= 15);
    }

    TEST_CASE("agents that keep the files of another one are looked for in their own places") {
        const auto rows = [](std::string_view agent, std::string_view format) {
            return std::ranges::count_if(all_locations(), [&](const Location& location) {
                return location.agent == agent && location.format == format;
            });
        };
        CHECK(rows("kilo", "cline") == 3);
        CHECK(rows("kilo", "opencode") == 1);
        CHECK(rows("opencode", "opencode") == 2);  // its database, and the files before that
        CHECK(rows("omp", "pi") == 1);
        CHECK(rows("qwen-code", "qwen-code") == 3);  // and what was archived, and sub-agents
        CHECK(rows("roo", "cline") == 2);
        CHECK(rows("hermes", "hermes") == 3);  // databases of the default profile and of any other, session files
    }

    TEST_CASE("what agents leave on a machine is the likelier format, and every format has one place in the list") {
        const std::vector<std::string_view> ids = likely_formats();
        const auto place = [&](std::string_view id) { return std::ranges::find(ids, id) - ids.begin(); };
        CHECK(ids.size() == all_readers().size());
        for (const ReaderSpec& spec : all_readers()) CHECK(std::ranges::count(ids, spec.id) == 1);
        CHECK(place("claude-code") < place("claude-ai"));
        CHECK(place("opencode") < place("chat-completions"));
        CHECK(place("claude-code") < place("codex"));
    }

    TEST_CASE("databases that a reader reads are not said to be unreadable") {
        for (const Location& location : all_locations()) {
            CAPTURE(text(location));
            if (location.kind == LocationKind::store) CHECK(find_reader(location.format) != nullptr);
        }
    }

    TEST_CASE("the table is sorted by agent and says nothing twice") {
        const auto all = all_locations();
        CHECK(std::ranges::is_sorted(all, {}, &Location::agent));
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::size_t k = i + 1; k < all.size(); ++k) {
                CAPTURE(text(all[i]));
                CHECK(text(all[i]) != text(all[k]));
            }
        }
    }

    TEST_CASE("every row can be found: it has a folder below the home folder, and patterns that stay below it") {
        for (const Location& location : all_locations()) {
            CAPTURE(text(location));
            CHECK(std::ranges::any_of(location.roots, [](const RootPath& root) { return root.variable.empty(); }));
            for (const RootPath& root : location.roots) {
                CHECK_FALSE(root.below.starts_with('/'));
                CHECK(root.below.find("..") == root.below.npos);
                CHECK((!root.variable.empty() || !root.below.empty()));
            }
            CHECK_FALSE(location.glob.starts_with('/'));
            CHECK_FALSE(location.glob.ends_with('/'));
            CHECK(location.glob.find("..") == location.glob.npos);
            CHECK(location.glob.find("**") == location.glob.npos);  // a fixed depth is what bounds the search
        }
    }

    TEST_CASE("variables come before the folders they replace") {
        for (const Location& location : all_locations()) {
            CAPTURE(text(location));
            CHECK(std::ranges::is_partitioned(location.roots,
                                              [](const RootPath& root) { return !root.variable.empty(); }));
        }
    }
}
