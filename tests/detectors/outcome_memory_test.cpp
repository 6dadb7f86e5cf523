#include "detectors/outcomes/outcome_memory.hpp"

#include "detectors/outcomes/outcome.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

constexpr TextForm kForms[] = {TextForm::plain, TextForm::json_string};

struct Outcome {
    std::uint64_t call;
    std::string text;
    bool failed;

    std::tuple<std::uint64_t, std::uint64_t> meaning(TextForm form) const {
        return {call, digest_outcome({text, form}, failed).hash};
    }
};

std::string random_outcome(std::mt19937& random) {
    std::string text = std::to_string(random() % 3) + " failed";
    if (random() % 2 != 0) text += " at 12:3" + std::to_string(random() % 10) + ":00";
    if (random() % 3 != 0) text += " in " + std::to_string(random() % 100) + "ms";
    if (random() % 8 == 0) text.clear();
    return text;
}

}  // namespace

TEST_SUITE("outcome memory") {
    TEST_CASE("the same outcome has the same name, whatever came between") {
        for (const TextForm form : kForms) {
            OutcomeMemory memory;
            const auto name = [&](std::string_view text) { return memory.name(7, {text, form}, false); };
            const auto a = name("1 failed in 3ms"), b = name("2 failed in 3ms");
            CHECK(a != b);
            CHECK(name("1 failed in 3ms") == a);
            CHECK(name("1 failed in 57ms") == a);
            CHECK(name("2 failed in 99ms") == b);
            CHECK(name("2 failed in 3ms") == b);
            CHECK(name("") != a);
            CHECK(name("") == name(""));
        }
    }

    TEST_CASE("what the agent reminds its model of below an answer is no part of it") {
        OutcomeMemory memory;
        const auto name = [&](std::string_view text) { return memory.name(7, {text, TextForm::plain}, true); };
        const auto bare = name("1 failing");
        CHECK(name("1 failing\n\n<system-reminder>\nthe third time\n</system-reminder>") == bare);
        CHECK(name("1 failing\n\n<system-reminder>\nthe fourth time\n</system-reminder>\n") == bare);
        CHECK(name("2 failing\n\n<system-reminder>\nthe fourth time\n</system-reminder>") != bare);
        const auto read = [&](std::string_view text) { return memory.name(8, {text, TextForm::plain}, false, true); };
        CHECK(read("int a;\n\n<system-reminder>\nagain\n</system-reminder>") == read("int a;"));
        CHECK(without_reminder("<system-reminder>all</system-reminder>") == "<system-reminder>all</system-reminder>");
        CHECK(without_reminder(R"(a\n<system-reminder>b</system-reminder>\n)") == "a");
        CHECK(without_reminder("a <system-reminder>b</system-reminder> c").size() == 40);
    }

    TEST_CASE("a failure never has the name of a result") {
        for (const bool failed_first : {false, true}) {
            OutcomeMemory memory;
            const auto first = memory.name(1, {"x 12:30:00", TextForm::plain}, failed_first);
            const auto other = memory.name(1, {"x 12:30:00", TextForm::plain}, !failed_first);
            CHECK(first != other);
            CHECK(memory.name(1, {"x 12:30:59", TextForm::plain}, failed_first) == first);
            CHECK(memory.name(1, {"x 12:30:59", TextForm::plain}, !failed_first) == other);
        }
    }

    TEST_CASE("what is verbatim has no volatile parts") {
        OutcomeMemory memory;
        const auto name = [&](std::string_view text) { return memory.name(1, {text, TextForm::plain}, false, true); };
        CHECK(name("at 12:30:00") != name("at 12:31:00"));
        CHECK(name("at 12:30:00") == name("at 12:30:00"));
    }

    TEST_CASE("how long a call took, in a last line of its own, is no part of what was read") {
        OutcomeMemory memory;
        const auto name = [&](std::string_view text) {
            return memory.name(1, {text, TextForm::json_string}, false, true);
        };
        const auto read = name("[mill]\nstones = 2");
        CHECK(name("[mill]\nstones = 2\n[took 0.4s at 2026-05-04T09:00:00Z id=95d9b32f]") == read);
        CHECK(name("[mill]\\nstones = 2\\n[completed in 12 ms]\\n") == name("[mill]\\nstones = 2"));
        CHECK(name("[mill]\nstones = 3\n[took 0.4s]") != read);
        CHECK(name("[mill]\nstones = 2\n[stones]") != read);
        CHECK(name("[mill]\nstones = 2 [took 0.4s]") != read);
    }

    TEST_CASE("texts too long to be kept are compared without their volatile parts too") {
        const std::string filler(OutcomeMemory::kLongestText, 'x');
        for (const std::size_t more : {0u, 1u}) {
            const std::string body = filler.substr(0, filler.size() - 12 + more);
            OutcomeMemory memory;
            const auto name = [&](const std::string& text) { return memory.name(1, {text, TextForm::plain}, false); };
            const auto a = name("at 12:30:00 " + body);
            CHECK(name("at 23:59:59 " + body) == a);
            CHECK(name("at 23:59:59 " + body + "y") != a);
            CHECK(name("at 12:30:00 " + body) == a);
        }
        OutcomeMemory memory;
        const std::string giant(OutcomeMemory::kTextBytes * 2, 'y');
        const auto a = memory.name(1, {giant, TextForm::plain}, false);
        CHECK(memory.name(1, {giant + " 12:30:00", TextForm::plain}, false) != a);
        CHECK(memory.name(1, {giant, TextForm::plain}, false) == a);
    }

    TEST_CASE("names are equal exactly when outcomes are, as long as nothing fell out") {
        std::mt19937 random(3);
        for (int round = 0; round < 50; ++round) {
            const TextForm form = kForms[round % 2];
            OutcomeMemory memory;
            std::map<std::tuple<std::uint64_t, std::uint64_t>, std::uint64_t> names;
            std::map<std::tuple<std::uint64_t, std::uint64_t>, std::tuple<std::uint64_t, std::uint64_t>> meanings;
            for (int step = 0; step < 400; ++step) {
                const Outcome o{random() % OutcomeMemory::kCalls, random_outcome(random), random() % 4 == 0};
                const auto name = memory.name(o.call, {o.text, form}, o.failed);
                CHECK(names.try_emplace(o.meaning(form), name).first->second == name);
                CHECK(meanings.try_emplace({o.call, name}, o.meaning(form)).first->second == o.meaning(form));
            }
        }
    }

    TEST_CASE("when calls and texts fall out, different outcomes still have different names") {
        std::mt19937 random(4);
        OutcomeMemory memory;
        std::map<std::tuple<std::uint64_t, std::uint64_t>, std::tuple<std::uint64_t, std::uint64_t>> meanings;
        for (int step = 0; step < 6000; ++step) {
            Outcome o{random() % 600, random_outcome(random), random() % 4 == 0};
            if (random() % 3 == 0) o.text += std::string(random() % 30'000, static_cast<char>('a' + o.call % 5));
            const auto name = memory.name(o.call, {o.text, TextForm::plain}, o.failed);
            const auto meaning = o.meaning(TextForm::plain);
            const bool same = meanings.try_emplace({o.call, name}, meaning).first->second == meaning;
            CHECK(same);
            if (!same) return;
        }
    }

    TEST_CASE("the oldest call is the one that falls out") {
        OutcomeMemory memory;
        const auto name = [&](std::uint64_t call, std::string_view text) {
            return memory.name(call, {text, TextForm::plain}, false);
        };
        const auto a = name(0, "at 12:30:00"), b = name(1, "at 12:30:00");
        for (std::uint64_t call = 2; call <= OutcomeMemory::kCalls; ++call) name(call, "x");
        CHECK(name(1, "at 12:59:59") == b);  // the 257th call pushed out the first only
        CHECK(name(0, "at 12:59:59") != a);  // a stranger again: named by its bytes
        CHECK(name(0, "at 12:00:00") == name(0, "at 12:59:59"));
    }

    TEST_CASE("a text that fell out is compared by its bytes") {
        OutcomeMemory memory;
        const auto name = [&](std::uint64_t call, const std::string& text) {
            return memory.name(call, {text, TextForm::plain}, false);
        };
        const auto a = name(0, "at 12:30:00");
        const std::string big(OutcomeMemory::kLongestText, 'x');
        for (std::uint64_t call = 1; call <= 4; ++call) name(call, big);
        CHECK(name(0, "at 12:30:00") == a);
        CHECK(name(0, "at 12:59:59") != a);
        CHECK(name(0, "at 12:59:58") == name(0, "at 12:00:00"));
        CHECK(name(0, "on 12:59:58") != name(0, "at 12:00:00"));
    }

    TEST_CASE("after clear nothing is known, and everything works as before") {
        OutcomeMemory memory;
        const auto name = [&](std::uint64_t call, std::string_view text) {
            return memory.name(call, {text, TextForm::plain}, false);
        };
        for (int round = 0; round < 3; ++round) {
            const auto a = name(1, "at 12:30:00");
            CHECK(name(1, "at 12:31:00") == a);
            for (std::uint64_t call = 2; call < 400; ++call) name(call, "x");
            memory.clear();
            CHECK(name(1, "at 12:31:00") != a);
            CHECK(name(1, "at 12:30:00") == name(1, "at 12:31:00"));
            memory.clear();
        }
    }

    TEST_CASE("when a figure was taken is no figure, what it came to is one") {
        OutcomeMemory memory;
        const auto name = [&](std::string_view text) { return memory.name(7, {text, TextForm::plain}, false); };
        const auto first = name(R"({"p95_ms": 480, "at": "2026-03-01T10:00:01Z"})");
        CHECK(name(R"({"p95_ms": 480, "at": "2026-03-01T10:00:31Z"})") == first);
        CHECK(name(R"({"p95_ms": 471, "at": "2026-03-01T10:00:31Z"})") != first);
        OutcomeMemory other;
        const auto dated = [&](std::string_view text) { return other.name(7, {text, TextForm::plain}, false); };
        CHECK(dated(R"({"lag": 3, "oldest": "2026-03-01T10:00:01Z"})") !=
              dated(R"({"lag": 3, "oldest": "2026-03-01T10:00:31Z"})"));
    }
}
