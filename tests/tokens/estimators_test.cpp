#include <agent_audit/tokens/estimators.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace agent_audit;

namespace {

const Estimator& named(std::string_view name) {
    const Estimator* found = find_estimator(name);
    REQUIRE(found != nullptr);
    return *found;
}
std::uint64_t units(std::string_view name, std::string_view text) { return named(name).units(text); }
std::uint64_t tokens(std::string_view name, std::string_view text) { return named(name).tokens(text); }

// One code point as UTF-8.
std::string utf8(char32_t c) {
    std::string out;
    const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) return std::string(1, static_cast<char>(c));
    if (c < 0x800) {
        put(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
    }
    put(0x80 | (c & 0x3F));
    return out;
}

}  // namespace

TEST_SUITE("tokens: estimators") {
    TEST_CASE("names are unique and found") {
        for (const Estimator& e : all_estimators()) CHECK(find_estimator(e.name) == &e);
        CHECK(find_estimator("chars") == nullptr);
        CHECK(find_estimator("") == nullptr);
    }

    TEST_CASE("nothing costs nothing") {
        for (const Estimator& e : all_estimators()) CHECK(e.tokens("") == 0);
    }

    TEST_CASE("four characters are a token, and the rest rounds up") {
        CHECK(tokens("chars4", "12345678") == 2);
        CHECK(tokens("chars4", "123456789") == 3);
        CHECK(tokens("chars4", "\xE4\xBD\xA0\xE5\xA5\xBD") == 1);           // two units
        CHECK(tokens("chars4", "\xF0\x9F\x98\x80\xF0\x9F\x98\x80!") == 2);  // five units
        CHECK(tokens("pi", "12345") == 2);
        CHECK(named("pi").tokens_of_units(named("pi").image_units) == 1200);
    }

    TEST_CASE("Codex counts bytes") {
        CHECK(tokens("bytes4", "\xE4\xBD\xA0\xE5\xA5\xBD") == 2);
        CHECK(tokens("bytes4", "caf\xC3\xA9") == 2);
        CHECK(tokens("bytes4", "cafe") == 1);
    }

    TEST_CASE("Gemini CLI rounds down, and takes 1.5 for every unit that is not ASCII") {
        CHECK(tokens("gemini", "hello world") == 2);
        CHECK(tokens("gemini", "\xE4\xBD\xA0\xE5\xA5\xBD\xE4\xB8\x96\xE7\x95\x8C") == 6);
        CHECK(tokens("gemini", "\xF0\x9F\x98\x80") == 3);  // two units
        CHECK(tokens("gemini", std::string(100'000, 'a')) == 25'000);
        std::string chinese;
        for (int i = 0; i < 100'000; ++i) chinese += "\xE4\xBD\xA0";
        CHECK(tokens("gemini", chinese) == 150'000);
        CHECK(tokens("gemini", chinese + "a") == 25'000);  // long texts are only measured
        CHECK(named("gemini").tokens_of_units(named("gemini").image_units) == 3000);
        CHECK(named("gemini").tokens_of_units(named("gemini").document_units) == 25'800);
    }

    TEST_CASE("OpenClaw weighs each class of CJK characters at both ends of its ranges") {
        struct Row {
            char32_t first, last;
            std::uint64_t units;
        };
        for (const Row row :
             {Row{0xB7, 0xB7, 4},     {0x3000, 0x319F, 4},    {0x4E00, 0x9FA5, 4},    {0xAC00, 0xD7AF, 4},
              {0xFF01, 0xFF60, 4},    {0x1100, 0x11FF, 12},   {0x2E80, 0x2FFF, 12},   {0x31A0, 0x4DFF, 12},
              {0x9FA6, 0x9FFF, 12},   {0xA000, 0xA4FF, 12},   {0xA700, 0xA707, 12},   {0xA960, 0xA97F, 12},
              {0xD7B0, 0xD7FF, 12},   {0xF900, 0xFAFF, 12},   {0x2C7, 0x2C7, 8},      {0x2C9, 0x2CB, 8},
              {0x2D9, 0x2D9, 8},      {0x2EA, 0x2EB, 8},      {0x305, 0x305, 8},      {0x323, 0x323, 8},
              {0xFE10, 0xFE4F, 8},    {0xFF61, 0xFFDC, 8},    {0xFFE0, 0xFFE6, 8},    {0x1D360, 0x1D371, 12},
              {0x16FE0, 0x16FFF, 16}, {0x1AFF0, 0x1B16F, 16}, {0x1F200, 0x1F2FF, 16}, {0x20000, 0x2FA1F, 16},
              {0x30000, 0x3347F, 16}}) {
            CAPTURE(static_cast<unsigned>(row.first));
            CHECK(units("openclaw", utf8(row.first)) == row.units);
            CHECK(units("openclaw", utf8(row.last)) == row.units);
        }
        for (const char32_t plain : {0xB6, 0xB8, 0xE9, 0x2C8, 0x10FF, 0x1200, 0x2E7F, 0xA500, 0xA708, 0xABFF, 0xFB00,
                                     0xFE50, 0xFF00, 0xFFDD, 0xFFE7}) {
            CAPTURE(static_cast<unsigned>(plain));
            CHECK(units("openclaw", utf8(plain)) == 1);
        }
        for (const char32_t plain : {0x1F600, 0x1D372, 0x1B170, 0x2FA20, 0x33480})
            CHECK(units("openclaw", utf8(plain)) == 2);
    }

    TEST_CASE("OpenClaw rounds the sum of a text up") {
        CHECK(tokens("openclaw", "\xE4\xBD\xA0\xE5\xA5\xBD") == 2);   // 8 units
        CHECK(tokens("openclaw", "\xE4\xBD\xA0\xE5\xA5\xBD!") == 3);  // 9 units
        CHECK(tokens("openclaw", "12345") == 2);
    }

    TEST_CASE("for ASCII the estimators by length agree") {
        const std::string text(48'300, 'x');
        for (const char* name : {"chars4", "bytes4", "pi", "openclaw", "gemini"}) CHECK(tokens(name, text) == 12'075);
    }
}
