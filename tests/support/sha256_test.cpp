#include <agent_audit/support/sha256.hpp>

#include <doctest/doctest.h>

#include <string>

using agent_audit::Sha256;

namespace {
std::string sha256(std::string_view text, std::size_t piece = 1'000'000) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) hash.add(text.substr(at, piece));
    return hash.hex();
}
}  // namespace

TEST_SUITE("sha256") {
    TEST_CASE("the published examples come out") {
        CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        CHECK(sha256(std::string(1'000'000, 'a')) ==
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    TEST_CASE("pieces of any size give the same") {
        std::string text;
        for (int i = 0; i < 300; ++i) text += static_cast<char>(i);
        for (std::size_t length : {0u, 1u, 55u, 56u, 57u, 63u, 64u, 65u, 119u, 120u, 128u, 300u}) {
            const std::string_view part = std::string_view(text).substr(0, length);
            for (std::size_t piece : {1u, 7u, 63u, 64u, 65u}) CHECK(sha256(part, piece) == sha256(part));
        }
    }
}
