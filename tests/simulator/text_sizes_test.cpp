#include <agent_audit/simulator/text.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include "simulator/text_levels.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace agent_audit;

TEST_SUITE("simulator: text") {
    TEST_CASE("sizes of a text are those that each count alone gives") {
        std::uint64_t state = 7;
        const auto next = [&state](std::uint64_t most) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return (state >> 33) % most;
        };
        for (int round = 0; round < 300; ++round) {
            std::string text;
            const bool ascii = round % 3 != 0;
            for (std::uint64_t i = next(200); i > 0; --i) {
                const std::uint64_t kind = next(8);
                text += kind == 0 && !ascii ? "é" : kind == 1 && !ascii ? "\xF0\x9F\x98\x80" : std::string(1, static_cast<char>(next(128)));
            }
            const simulator::TextSizes sizes = simulator::measure(text);
            CAPTURE(text);
            CHECK(sizes.bytes == text.size());
            CHECK(sizes.units == utf16_length(text));
            CHECK(sizes.code_points == code_points(text));
            CHECK(sizes.json == json_string_length(text) - 2);
            for (const SimdLevel level : simd_levels()) {
                const simulator::TextSizes same = simulator::measure_at(level, text);
                CHECK(same.units == sizes.units);
                CHECK(same.ascii == sizes.ascii);
                CHECK(same.json == sizes.json);
            }
        }
    }
}
