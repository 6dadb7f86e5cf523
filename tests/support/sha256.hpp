#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::test {

/// SHA-256 in base64, by the book and slow: browsers must come to the same as the build did.
inline std::string sha256_base64(std::string_view text) {
    const auto prime = [](unsigned n) {
        unsigned candidate = 2;
        for (unsigned found = 0;; ++candidate) {
            bool divisible = false;
            for (unsigned d = 2; d * d <= candidate && !divisible; ++d) divisible = candidate % d == 0;
            if (!divisible && found++ == n) return candidate;
        }
    };
    const auto fraction = [](long double root) {
        return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
    };
    std::array<std::uint32_t, 64> k{};
    std::array<std::uint32_t, 8> h{};
    for (unsigned i = 0; i < 64; ++i) k[i] = fraction(std::cbrt(static_cast<long double>(prime(i))));
    for (unsigned i = 0; i < 8; ++i) h[i] = fraction(std::sqrt(static_cast<long double>(prime(i))));

    std::string padded(text);
    padded += '\x80';
    while (padded.size() % 64 != 56) padded += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>((std::uint64_t{text.size()} * 8) >> shift);

    for (std::size_t block = 0; block < padded.size(); block += 64) {
        std::array<std::uint32_t, 64> w{};
        for (std::size_t i = 0; i < 64; ++i) {
            if (i < 16) {
                for (std::size_t b = 0; b < 4; ++b)
                    w[i] = w[i] << 8 | static_cast<unsigned char>(padded[block + 4 * i + b]);
                continue;
            }
            const std::uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
        }
        std::array<std::uint32_t, 8> v = h;
        for (std::size_t i = 0; i < 64; ++i) {
            const std::uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
            const std::uint32_t one = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
            const std::uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
            const std::uint32_t two = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            v = {one + two, v[0], v[1], v[2], v[3] + one, v[4], v[5], v[6]};
        }
        for (std::size_t i = 0; i < 8; ++i) h[i] += v[i];
    }

    std::string digest;
    for (const std::uint32_t word : h) {
        for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
    }
    static constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < digest.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t b = 0; b < 3; ++b)
            three = three << 8 | (i + b < digest.size() ? static_cast<unsigned char>(digest[i + b]) : 0u);
        for (std::size_t d = 0; d < 4; ++d) out += i + d > digest.size() ? '=' : kBase64[three >> (18 - 6 * d) & 63];
    }
    return out;
}

}  // namespace agent_audit::test
