#include "report/json/in_order.hpp"

#include <agent_audit/report/renderer.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

using namespace agent_audit;

namespace {

// Pieces that take longer the earlier they stand in their group, so that later ones are made before them.
struct UnevenPieces {
    void operator()(std::size_t at, std::string& into) const {
        std::this_thread::sleep_for(std::chrono::microseconds(300 * (3 - at % 4)));
        into += std::to_string(at) + ' ';
    }
};

std::string all_pieces(std::size_t count, unsigned threads) {
    std::string whole;
    report::in_order(
        count, threads, [] { return UnevenPieces(); },
        [&](std::string_view piece) {
            whole += piece;
            return true;
        });
    return whole;
}

std::string in_json(const Report& report, unsigned jobs) {
    RenderOptions options;
    options.jobs = jobs;
    std::string whole;
    find_renderer("json")->render(report, options, [&](std::string_view piece) {
        whole += piece;
        return true;
    });
    return whole;
}

}  // namespace

TEST_SUITE("pieces in order") {
    TEST_CASE("whoever is faster, the pieces come in their order and once") {
        const std::string expected = all_pieces(60, 1);
        CHECK(expected.starts_with("0 1 2 3 "));
        CHECK(expected.ends_with(" 58 59 "));
        for (const unsigned threads : {2U, 3U, 8U}) CHECK(all_pieces(60, threads) == expected);
        CHECK(all_pieces(0, 4).empty());
        CHECK(all_pieces(2, 8) == "0 1 ");
    }

    TEST_CASE("nothing more is made for a reader that went away") {
        std::atomic<std::size_t> made = 0;
        std::size_t taken = 0;
        report::in_order(
            1000, 3, [&] { return [&](std::size_t, std::string& into) { ++made, into = "x"; }; },
            [&](std::string_view) { return ++taken < 5; });
        CHECK(taken == 5);
        CHECK(made < 100);
    }

    TEST_CASE("what a thread throws reaches the caller, and nobody waits for its piece") {
        const auto fails = [] {
            return [](std::size_t at, std::string&) {
                if (at == 7) throw std::runtime_error("no room");
            };
        };
        for (const unsigned threads : {1U, 4U}) {
            CHECK_THROWS_WITH_AS(report::in_order(100, threads, fails, [](std::string_view) { return true; }),
                                 "no room", std::runtime_error);
        }
    }

    TEST_CASE("a report is the same to the byte with any number of threads") {
        Report report;
        report.inputs.resize(1);
        report.inputs[0].path = "many.jsonl";
        for (std::size_t i = 0; i < 100; ++i) {
            SessionReport session;
            session.id = "session-" + std::to_string(i) + std::string(i * 37, 'x');
            session.cwd = "/home/ann/work";
            session.counts.events = i;
            report.sessions.push_back(session);
        }
        const std::string expected = in_json(report, 1);
        CHECK(expected.find("\"session-99x") != expected.npos);
        for (const unsigned jobs : {2U, 5U, 16U}) CHECK(in_json(report, jobs) == expected);
    }
}
