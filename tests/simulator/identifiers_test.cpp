// Names in texts: paths, numbers, hashes and long words, whatever blocks a text is read in.
#include <agent_audit/simulator/identifiers.hpp>

#include "simulator/regret/identifier_hash.hpp"
#include "simulator/regret/identifier_levels.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::simulator;

namespace {

using Names = std::vector<std::uint64_t>;

Names found(std::string_view text, bool escaped = false) {
    Names out;
    append_identifiers(out, text, escaped);
    for (const SimdLevel level : simd_levels()) {
        Names same;
        append_identifiers_at(level, same, text, escaped);
        CHECK(same == out);
    }
    return out;
}

Names named(std::initializer_list<std::string_view> names) {
    Names out;
    for (const std::string_view name : names) out.push_back(identifier_hash(name));
    return out;
}

bool in_run(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '/';
}

// Every run on its own, far from the borders of any block.
Names one_by_one(std::string_view text, bool escaped) {
    Names out;
    for (std::size_t i = 0; i < text.size();) {
        if (!in_run(text[i])) {
            i += escaped && text[i] == '\\' ? 2 : 1;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && in_run(text[end])) ++end;
        append_identifiers(out, text.substr(i, end - i), false);
        i = end;
    }
    return out;
}

}  // namespace

TEST_CASE("paths, numbers, hashes and long words are names, prose is none") {
    CHECK(found("see src/main.cpp and the error 4711 in a1b2c3d of frobnicate()") ==
          named({"src/main.cpp", "4711", "a1b2c3d", "frobnicate"}));
    CHECK(found("use it or not, 3.14 of 12 at e.g. two").empty());
}

TEST_CASE("an escaped letter belongs to no name") {
    CHECK(found("done\\nfrobnicate", true) == named({"frobnicate"}));
    CHECK(found("done\\\\nfrobnicate", true) == named({"nfrobnicate"}));
}

TEST_CASE("where a block ends makes no difference") {
    std::mt19937 random(5);
    const std::string longest(70, 'w');  // longer than a block
    const std::string pieces[] = {"src/",       "main.cpp", "the ", "word ", "4711", "a1b2c3d4",
                                  "frobnicate", "_",        "-",    ". ",    "\\n",  "\\\\",
                                  "\\\"",       " ",        "x",    "/ ",    "\\/",  longest};
    for (int round = 0; round < 5'000; ++round) {
        std::string text;
        for (std::size_t n = random() % 60; n > 0; --n) text += pieces[random() % std::size(pieces)];
        const bool escaped = round % 2 == 0;
        INFO(text);
        REQUIRE(found(text, escaped) == one_by_one(text, escaped));
    }
}

TEST_CASE("nothing before a text and nothing behind it is read") {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const at = ::mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED);
    char* const first = static_cast<char*>(at) + page;
    REQUIRE(::mprotect(first, page, PROT_READ | PROT_WRITE) == 0);
    const std::string pieces[] = {"w", "/", "4711 ", "src/main.cpp ", "a1b2c3d4\\n", "\xC3\xA9", "\\", "-./"};
    for (const std::string& piece : pieces) {
        std::string text;
        while (text.size() < 300) text += piece;
        for (std::size_t size = 0; size <= 300; ++size) {
            const std::string_view part = std::string_view(text).substr(0, size);
            const Names names = one_by_one(part, true);
            for (char* const to : {first, first + page - size}) {
                std::ranges::copy(part, to);
                REQUIRE(found({to, size}, true) == names);
            }
        }
    }
    ::munmap(at, 3 * page);
}

TEST_CASE("a list that is full, or nearly, takes no more than it holds") {
    std::string text;
    for (int i = 0; i < 9'000; ++i) text += "a" + std::to_string(i) + "/b ";
    for (const std::size_t have : {std::size_t{1}, kMostIdentifiers - 1, kMostIdentifiers, kMostIdentifiers + 1}) {
        for (const SimdLevel level : simd_levels()) {
            Names out(have, 1);
            append_identifiers_at(level, out, text, false);
            CHECK(out.size() == std::max(have, kMostIdentifiers));
        }
    }
}

TEST_CASE("as many runs and names as there can be have their place") {
    std::string slashes, numbers, paths;
    for (int i = 0; i < 8'000; ++i) {
        slashes += "/ ";
        numbers += "4711 ";
        paths += "a/bc ";
    }
    CHECK(found(slashes).empty());
    CHECK(found(numbers) == Names(8'000, identifier_hash("4711")));
    CHECK(found(paths) == Names(8'000, identifier_hash("a/bc")));
    CHECK(found("").empty());
}

TEST_CASE("a name longer than many blocks is one name, and the names of a text are bounded") {
    const std::string path = "/" + std::string(500, 'a') + "/b.txt";
    CHECK(found("cat " + path + " done") == named({std::string(500, 'a'), path}));
    std::string many;
    for (int i = 0; i < 300'000; ++i) many += "name" + std::to_string(i) + "number ";
    CHECK(found(many).size() == kMostIdentifiers);
}
