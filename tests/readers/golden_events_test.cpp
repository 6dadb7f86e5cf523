#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>

// Beside every fixture testdata/readers/<format>/<name> stands <name>.events: what the reader makes of it, one event a
// line, then the fates. AGENT_AUDIT_BLESS=1 rewrites the listings; the diff is then read like any other change.

using namespace agent_audit;
namespace fs = std::filesystem;

namespace {

std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte > 0x7e)
            out += fmt::format("<{:02x}>", byte);
        else
            out += c;
    }
    return out;
}

std::string flag_words(std::uint16_t flags) {
    static constexpr std::pair<std::uint16_t, const char*> words[] = {
        {kCopied, "copied"}, {kPartial, "partial"}, {kSynthetic, "synthetic"}, {kHidden, "hidden"}, {kStale, "stale"}};
    std::string out;
    for (const auto& [flag, word] : words) {
        if ((flags & flag) != 0) out += fmt::format(" [{}]", word);
    }
    return out;
}

// line lane turn response | event [flags]; responses are numbered as they come up
std::string listing(const test::Reading& seen) {
    std::map<IdHash, std::size_t> responses;
    std::string out;
    for (std::size_t i = 0; i < seen.lines().size(); ++i) {
        const EventHeader& head = seen.events.heads[i];
        const std::string response =
            head.response == 0
                ? "-"
                : fmt::format("{}", responses.try_emplace(head.response, responses.size() + 1).first->second);
        out += fmt::format("{:>3} L{} T{} R{:<2} | {}{}\n", head.where.line, head.lane, head.turn, response,
                           printable(seen.lines()[i]), flag_words(head.flags));
    }
    for (std::size_t fate = 0; fate < kLineFateCount; ++fate) {
        const auto count = seen.count(static_cast<LineFate>(fate));
        if (count > 0) out += fmt::format("= {} {}\n", count, kLineFates[fate].name);
    }
    return out;
}

std::vector<fs::path> fixtures() {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / "testdata/readers")) {
        if (entry.is_regular_file() && entry.path().extension() != ".events") found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

TEST_SUITE("golden events") {
    TEST_CASE("every fixture becomes the events listed beside it") {
        const bool bless = std::getenv("AGENT_AUDIT_BLESS") != nullptr;
        for (const fs::path& fixture : fixtures()) {
            const std::string format = fixture.parent_path().filename().string();
            CAPTURE(format);
            CAPTURE(fixture.filename().string());
            const ReaderSpec* spec = find_reader(format);
            REQUIRE(spec);
            const std::string seen = listing(test::read_text(*spec, test::slurp(fixture)));
            const fs::path expected = fixture.string() + ".events";
            if (bless) std::ofstream(expected, std::ios::binary) << seen;
            REQUIRE_MESSAGE(fs::exists(expected), "AGENT_AUDIT_BLESS=1 writes it");
            CHECK(seen == test::slurp(expected));
        }
    }

    TEST_CASE("every listing belongs to a fixture") {
        for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / "testdata/readers")) {
            if (entry.path().extension() != ".events") continue;
            CAPTURE(entry.path().string());
            CHECK(fs::exists(fs::path(entry.path()).replace_extension()));
        }
    }

    TEST_CASE("every format has a minimal and a damaged fixture, and recognises the first as its own") {
        for (const ReaderSpec& spec : all_readers()) {
            CAPTURE(spec.id);
            const fs::path folder = test::source_dir() / "testdata/readers" / spec.id;
            const auto bad = fixtures();
            const auto minimal = std::find_if(bad.begin(), bad.end(), [&](const fs::path& p) {
                return p.parent_path() == folder && p.stem() == "minimal";
            });
            REQUIRE(minimal != bad.end());
            CHECK(std::any_of(bad.begin(), bad.end(), [&](const fs::path& p) {
                return p.parent_path() == folder && p.filename().string().starts_with("bad-");
            }));
            const std::string text = test::slurp(*minimal);
            const Score own = test::score_text(spec, text);
            CHECK(own > 0);
            for (const ReaderSpec& other : all_readers()) {
                CAPTURE(other.id);
                if (other.id != spec.id) CHECK(test::score_text(other, text) < own);
            }
        }
    }
}
