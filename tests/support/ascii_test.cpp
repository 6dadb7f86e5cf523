// What a byte is taken for: as the C library has it in its plain locale, and the same in any other.
#include "support/ascii.hpp"

#include <doctest/doctest.h>

#include <cctype>
#include <string>

using namespace agent_audit;

namespace {

template <class Check>
void for_all_bytes(Check&& check) {
    for (int byte = 0; byte < 256; ++byte) {
        CAPTURE(byte);
        check(static_cast<char>(byte), byte);
    }
}

}  // namespace

TEST_CASE("bytes of ASCII are what the C library takes them for, and all others are nothing") {
    for_all_bytes([](char c, int byte) {
        const bool ascii = byte < 128;
        CHECK(is_digit(c) == (ascii && std::isdigit(byte) != 0));
        CHECK(is_letter(c) == (ascii && std::isalpha(byte) != 0));
        CHECK(is_alnum(c) == (ascii && std::isalnum(byte) != 0));
        CHECK(is_hex(c) == (ascii && std::isxdigit(byte) != 0));
        CHECK(is_upper(c) == (ascii && std::isupper(byte) != 0));
        CHECK(is_lower(c) == (ascii && std::islower(byte) != 0));
        CHECK(is_space(c) == (ascii && std::isspace(byte) != 0));
        CHECK(is_word(c) == (is_alnum(c) || c == '_'));
        CHECK(lower(c) == (ascii ? static_cast<char>(std::tolower(byte)) : c));
    });
}

TEST_CASE("a decimal fraction has a digit on either side of one point") {
    CHECK(fraction_size("8.59") == 4);
    CHECK(fraction_size("0.1 of it") == 3);
    CHECK(fraction_size("8.59.") == 4);
    for (const char* none : {"", "12", "12.", ".5", "-1.5", "x1.5", "1.2.3", "1.x"}) {
        CAPTURE(none);
        CHECK(fraction_size(none) == 0);
    }
}

TEST_CASE("a text in lower case has each byte where it was") {
    std::string all, wanted;
    for_all_bytes([&](char c, int) {
        all += c;
        wanted += lower(c);
    });
    CHECK(lowered(all) == wanted);
    CHECK(lowered("Ärger MIT Ünïcode") == "Ärger mit Ünïcode");
    CHECK(lowered("").empty());
}
