#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

constexpr std::array<std::string_view, 6> kItems{"measure the wheel", "draw the wheel", "order oak",
                                                 "saw the spokes",    "hang the wheel", "oil the axle"};

// Another order each time, with so many of the items done.
void write_plan(Session& s, std::size_t number, std::size_t done = 0) {
    auto items = kItems;
    std::rotate(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(number % items.size()), items.end());
    std::swap(items[number % 3], items[4]);
    std::string args = R"({"todos":[)";
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) args += ',';
        args += R"({"content":")" + std::string(items[i]) + " " + std::to_string(number) + R"(","status":")" +
                (i < done ? "completed" : "pending") + R"("})";
    }
    s.call_json("TodoWrite", "", args + "]}", "Todos have been modified");
}

}  // namespace

TEST_SUITE("loop/replanning") {
    TEST_CASE("six plans in a row are a warning, ten an error") {
        const auto severity = [](std::size_t plans) -> std::optional<Severity> {
            Session s("loop/replanning");
            s.human("Build a wheel.");
            for (std::size_t i = 0; i < plans; ++i) {
                s.says("Let me refine the plan.");
                write_plan(s, i);
            }
            const auto& found = s.end();
            return found.empty() ? std::nullopt : std::optional(found[0].severity);
        };
        CHECK_FALSE(severity(5));
        CHECK(severity(6) == Severity::warning);
        CHECK(severity(10) == Severity::error);
    }

    TEST_CASE("work in between, something that is done and a person start afresh") {
        const auto findings = [](auto&& between) {
            Session s("loop/replanning");
            s.human("Build a wheel.");
            for (std::size_t i = 0; i < 12; ++i) between(s, i);
            return s.end().size();
        };
        CHECK(findings([](Session& s, std::size_t i) { write_plan(s, i); }) == 1);
        CHECK(findings([](Session& s, std::size_t i) {
                  write_plan(s, i);
                  s.call("Bash", "saw spoke " + std::to_string(i), "sawn");
              }) == 0);
        CHECK(findings([](Session& s, std::size_t i) { write_plan(s, i, i / 3); }) == 0);
        CHECK(findings([](Session& s, std::size_t i) {
                  write_plan(s, i);
                  s.human("Another order, please.");
              }) == 0);
    }

    TEST_CASE("the same plan to the letter and a list from which one item after the other is taken are none") {
        const auto findings = [](auto&& args) {
            Session s("loop/replanning");
            s.human("Build a wheel.");
            for (int i = 0; i < 12; ++i) s.says("A poem on it.").call_json("TodoWrite", "", args(i), "ok");
            return s.end().size();
        };
        const auto list = [](int from, int of = 14) {
            std::string args = R"({"todos":[)";
            for (int i = from; i < of; ++i)
                args += std::string(i > from ? "," : "") + R"({"content":"poem )" + std::to_string(i) +
                        R"(","status":"pending"})";
            return args + "]}";
        };
        CHECK(findings([&](int) { return list(0); }) == 0);
        CHECK(findings([&](int i) { return list(i); }) == 0);
        CHECK(findings([&](int i) { return list(i, 14 + i); }) == 1);
    }

    TEST_CASE("several plans of one response are one") {
        Session s("loop/replanning");
        s.human("Build a wheel.").respond();
        for (int i = 0; i < 8; ++i)
            s.open_json("TodoWrite", "",
                        R"({"todos":[{"content":"way )" + std::to_string(i) + R"(","status":"pending"}]})");
        for (int i = 0; i < 8; ++i) s.answer("ok");
        CHECK(s.end().empty());
    }

    TEST_CASE("plan files that are written anew, with nothing in between") {
        const auto after = [](const std::array<std::string_view, 4>& files, bool works,
                              const char* order = "Build a wheel.") {
            Session s("loop/replanning");
            s.human(order);
            for (std::size_t i = 0; i < 8; ++i) {
                const std::string file(files[i % files.size()]), text = "# Plan " + std::to_string(i) + "\\n1. draw";
                s.call_json("Write", file, R"({"file_path":")" + file + R"(","content":")" + text + R"("})",
                            "File written");
                if (works) s.call("Bash", "saw spoke " + std::to_string(i), "sawn " + std::to_string(i));
            }
            const auto& found = s.end();
            return found.empty() ? std::nullopt : std::optional(found[0].severity);
        };
        CHECK(after({"PLAN.md", "PLAN.md", "docs/wheel-roadmap.md", "PLAN.md"}, false) == Severity::warning);
        CHECK_FALSE(after({"PLAN.md", "PLAN.md", "docs/wheel-roadmap.md", "PLAN.md"}, true));
        CHECK_FALSE(after({"PLAN.md", "PLAN.md", "PLAN.md", "PLAN.md"}, false, "Write PLAN.md, chapter by chapter."));
        CHECK_FALSE(after({"planet.md", "wheel.md", "planet.md", "wheel.md"}, false));
    }

    TEST_CASE("plans that are left for work at last are told with that") {
        Session s("loop/replanning");
        s.human("Build a wheel.");
        for (std::size_t i = 0; i < 8; ++i) write_plan(s, i);
        for (int i = 0; i < 6; ++i) s.call("Bash", "saw spoke " + std::to_string(i), "sawn " + std::to_string(i));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].recovered);
    }
}
