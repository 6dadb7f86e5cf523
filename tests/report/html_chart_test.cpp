#include "report/html/html_chart.hpp"
#include "report/html/html_treemap.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string>

using namespace agent_audit;
using namespace agent_audit::report;

namespace {

template <class Draw>
std::string drawn(Draw draw) {
    std::string out;
    const ByteSink sink = [&](std::string_view piece) {
        out += piece;
        return true;
    };
    {
        Html html(sink);
        draw(html);
    }
    return out;
}

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

Chart small_chart() {
    Chart chart;
    chart.points = {{1, 100}, {50, 160'000}, {100, 20'000}};
    chart.first_line = 1;
    chart.last_line = 100;
    chart.window = 200'000;
    chart.spans = {{40, 60, Severity::error, "loop/cycle"}};
    chart.marks = {{ChartMark::Kind::compaction, 51}, {ChartMark::Kind::reset, 40}};
    chart.described = "what it shows";
    return chart;
}

}  // namespace

TEST_SUITE("html chart") {
    TEST_CASE("ticks are round, inside the range and about as many as wanted, also at the ends of what fits") {
        CHECK(axis_ticks(0, 170'000, 4) == std::vector<std::uint64_t>{0, 50'000, 100'000, 150'000});
        CHECK(axis_ticks(37, 95, 5) == std::vector<std::uint64_t>{40, 50, 60, 70, 80, 90});
        const auto most = std::numeric_limits<std::uint64_t>::max();
        for (const auto& [from, to] :
             {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {1, 1}, {5, 6}, {0, 7}, {most - 3, most}, {0, most}}) {
            const auto ticks = axis_ticks(from, to, 5);
            CHECK(ticks.size() <= 7);
            for (const std::uint64_t tick : ticks) {
                CHECK(tick >= from);
                CHECK(tick <= to);
            }
        }
    }

    TEST_CASE("fifty thousand points become at most two a column, and the one peak and the one drop stay") {
        std::vector<CoursePoint> points;
        for (std::uint64_t i = 1; i <= 50'000; ++i) points.push_back({i, 1000 + i % 7});
        points[31'006].tokens = 90'000;
        points[12'345].tokens = 1;
        const auto kept = thinned(points, 1, 50'000, 960);
        CHECK(kept.size() <= 2 * 960);
        CHECK(std::ranges::find(kept, 90'000u, &CoursePoint::tokens) != kept.end());
        CHECK(std::ranges::find(kept, 1u, &CoursePoint::tokens) != kept.end());
        CHECK(std::ranges::is_sorted(kept, {}, &CoursePoint::line));
    }

    TEST_CASE("the drawing has the curve, the window, the finding, the compaction, the reset, and a key for each") {
        const std::string out = drawn([](Html& html) { draw_chart(html, small_chart(), 7); });
        for (const std::string_view part :
             {"data-chart=\"7\"", "class=\"curve\"", "class=\"window\"", "class=\"span error\"", "class=\"compaction\"",
              "class=\"reset\"", "window of 200,000", "suggested reset", "aria-label=\"what it shows\"",
              "<figcaption>what it shows"}) {
            CAPTURE(part);
            CHECK(out.find(part) != out.npos);
        }
        CHECK(count(out, "class=\"key ") == 5);
    }

    TEST_CASE("a window that would flatten the curve is left out, and its key with it") {
        Chart chart = small_chart();
        chart.window = 100'000'000;
        const std::string out = drawn([&](Html& html) { draw_chart(html, chart, 0); });
        CHECK(out.find("class=\"window\"") == out.npos);
        CHECK(out.find("window of") == out.npos);
    }

    TEST_CASE("a limit is a line across the curve with its figure in the key, and one far above is left out") {
        Chart chart = small_chart();
        chart.levels = {{150'000, "limit of 75 % of the window"}, {90'000'000, "far away"}};
        const std::string out = drawn([&](Html& html) { draw_chart(html, chart, 0); });
        CHECK(count(out, "<line class=\"level\"") == 1);
        CHECK(out.find("limit of 75 % of the window, 150,000") != out.npos);
        CHECK(out.find("far away") == out.npos);
        const auto data = nlohmann::json::parse(drawn([&](Html& html) { write_chart_data(html, chart); }));
        CHECK(data["levels"] == nlohmann::json{150'000});
    }

    TEST_CASE("stretches of work are a lane of their own, with a key for each kind that occurs") {
        Chart chart = small_chart();
        chart.work = {{1, 50, Activity::explore}, {51, 51, Activity::deploy}, {52, 100, Activity::explore}};
        chart.work_described = "what was done";
        const std::string out = drawn([&](Html& html) { draw_chart(html, chart, 0); });
        CHECK(count(out, "<rect class=\"explore\"") == 2);
        CHECK(count(out, "<rect class=\"deploy\"") == 1);
        CHECK(count(out, "class=\"key explore\"") == 1);
        CHECK(out.find("class=\"key edit\"") == out.npos);
        CHECK(out.find("aria-label=\"what was done\"") != out.npos);
        const auto data = nlohmann::json::parse(drawn([&](Html& html) { write_chart_data(html, chart); }));
        CHECK(data["work"].size() == 3);
        CHECK(data["work"][1] == nlohmann::json{51, 51, "deploy"});
    }

    TEST_CASE("without a curve there is a strip with the findings") {
        Chart chart = small_chart();
        chart.points = {{1, 100}};
        const std::string out = drawn([&](Html& html) { draw_chart(html, chart, 0); });
        CHECK(out.find("still strip") != out.npos);
        CHECK(out.find("class=\"curve\"") == out.npos);
        CHECK(out.find("class=\"span error\"") != out.npos);
    }

    TEST_CASE("a session on one line has words and no picture") {
        Chart one = small_chart();
        one.first_line = one.last_line = 7;
        for (CoursePoint& point : one.points) point.line = 7;
        const std::string words = drawn([&](Html& html) { draw_chart(html, one, 0); });
        CHECK(words.find("<svg") == std::string::npos);
        CHECK(words.find("data-chart") == std::string::npos);
        CHECK(words.find("All on one line of the recording") != std::string::npos);
    }

    TEST_CASE("hostile figures are drawn inside the picture and overflow nothing") {
        const auto most = std::numeric_limits<std::uint64_t>::max();
        Chart chart;
        chart.points = {{0, most}, {most, 0}, {most, most}};
        chart.first_line = 0;
        chart.last_line = most;
        chart.window = most;
        chart.spans = {{most, 3, Severity::warning, "x"}};
        chart.levels = {{most, "x"}};
        chart.work = {{most, 3, Activity::run}, {0, most, Activity::edit}};
        chart.similarity = {{"x", {{0, -1e300}, {most, 1e300}}, most, "x"}};
        const std::string out = drawn([&](Html& html) { draw_chart(html, chart, 0); });
        CHECK(out.find("nan") == out.npos);
        CHECK(out.find("inf\"") == out.npos);
        CHECK(out.find("=\"-") == out.npos);
    }

    TEST_CASE("the data is JSON with the same points, and no text of it can end the element around it") {
        Chart chart = small_chart();
        const std::string hostile = "</script><!-- \xE2\x80\xA8 ##[error] \" \\ &amp; '\x01";
        chart.spans[0].rule = hostile;
        const std::string out = drawn([&](Html& html) { write_chart_data(html, chart); });
        CHECK(out.find('<') == out.npos);
        CHECK(out.find("##[") == out.npos);
        const auto data = nlohmann::json::parse(out);
        CHECK(data["curve"].size() == 3);
        CHECK(data["curve"][1][1] == 160'000);
        CHECK(data["spans"][0]["rule"] == "</script><!-- \\u2028 ##[error] \" \\ &amp; '\\x01");
    }

    TEST_CASE("tiles fill the picture, overlap nowhere and have areas as their weights") {
        const std::vector<std::uint64_t> weights{600, 300, 300, 200, 100, 50, 1, 0};
        const auto tiles = treemap(weights, 3);
        REQUIRE(tiles.size() == weights.size());
        double area = 0;
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const TreemapTile& a = tiles[i];
            area += a.width * a.height;
            CHECK(a.width * a.height ==
                  doctest::Approx(10'000.0 * static_cast<double>(weights[i]) / 1551).epsilon(0.001));
            CHECK(a.left + a.width <= 100.001);
            CHECK(a.top + a.height <= 100.001);
            for (std::size_t j = 0; j < i; ++j) {
                const TreemapTile& b = tiles[j];
                const double wide = std::min(a.left + a.width, b.left + b.width) - std::max(a.left, b.left);
                const double high = std::min(a.top + a.height, b.top + b.height) - std::max(a.top, b.top);
                CHECK((wide < 0.001 || high < 0.001));
            }
        }
        CHECK(area == doctest::Approx(10'000).epsilon(0.001));
        CHECK(treemap(std::vector<std::uint64_t>{0, 0}, 3)[0].width == 0);
        CHECK(treemap({}, 3).empty());
    }
}
