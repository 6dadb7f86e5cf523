#pragma once

#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::test {

/// One entry of an archive, as honest or dishonest as a test wants it.
struct ZipItem {
    std::string name, text;
    std::uint16_t method = 8;
    // What the headers say instead of the truth.
    std::uint64_t claimed_size = UINT64_MAX, claimed_packed = UINT64_MAX, claimed_place = UINT64_MAX;
    std::uint16_t flags = 0;
    bool wrong_crc = false;
    bool large = false;  // sizes and place in the 64-bit field
};

/// Writes archives: local headers, entries, directory.
class ZipWriter {
public:
    std::string write(const std::vector<ZipItem>& items, bool large_end = false) {
        std::string out, directory;
        for (const ZipItem& item : items) {
            const std::uint64_t place = out.size();
            const std::string packed = pack(item);
            const auto crc = static_cast<std::uint32_t>(
                ::crc32(0, reinterpret_cast<const Bytef*>(item.text.data()), static_cast<uInt>(item.text.size())));
            out += "PK\x03\x04";
            common(out, item, packed, crc, false);
            number(out, item.name.size(), 2);
            number(out, 0, 2);
            out += item.name + packed;

            directory += "PK\x01\x02";
            number(directory, 20, 2);
            common(directory, item, packed, crc, item.large);
            number(directory, item.name.size(), 2);
            number(directory, item.large ? 28 : 0, 2);
            number(directory, 0, 2 + 2 + 2 + 4);
            const std::uint64_t claimed = item.claimed_place == UINT64_MAX ? place : item.claimed_place;
            number(directory, item.large ? 0xffffffff : claimed, 4);
            directory += item.name;
            if (!item.large) continue;
            number(directory, 1, 2);
            number(directory, 24, 2);
            number(directory, size_of(item), 8);
            number(directory, packed_of(item, packed), 8);
            number(directory, claimed, 8);
        }
        const std::uint64_t at = out.size();
        out += directory;
        if (large_end) {
            const std::uint64_t end = out.size();
            out += "PK\x06\x06";
            number(out, 44, 8);
            number(out, 45, 2);
            number(out, 45, 2);
            number(out, 0, 8);
            number(out, items.size(), 8);
            number(out, items.size(), 8);
            number(out, directory.size(), 8);
            number(out, at, 8);
            out += "PK\x06\x07";
            number(out, 0, 4);
            number(out, end, 8);
            number(out, 1, 4);
        }
        out += "PK\x05\x06";
        number(out, 0, 4);
        number(out, large_end ? 0xffff : items.size(), 2);
        number(out, large_end ? 0xffff : items.size(), 2);
        number(out, large_end ? 0xffffffff : directory.size(), 4);
        number(out, large_end ? 0xffffffff : at, 4);
        number(out, 0, 2);
        return out;
    }

private:
    static void number(std::string& out, std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) & 0xff : 0);
    }
    static std::uint64_t size_of(const ZipItem& item) {
        return item.claimed_size == UINT64_MAX ? item.text.size() : item.claimed_size;
    }
    static std::uint64_t packed_of(const ZipItem& item, const std::string& packed) {
        return item.claimed_packed == UINT64_MAX ? packed.size() : item.claimed_packed;
    }
    static void common(std::string& out, const ZipItem& item, const std::string& packed, std::uint32_t crc,
                       bool large) {
        number(out, 20, 2);
        number(out, item.flags, 2);
        number(out, item.method, 2);
        number(out, 0, 4);
        number(out, item.wrong_crc ? ~crc : crc, 4);
        number(out, large ? 0xffffffff : packed_of(item, packed), 4);
        number(out, large ? 0xffffffff : size_of(item), 4);
    }
    static std::string pack(const ZipItem& item) {
        if (item.method == 93) {
            std::string out(ZSTD_compressBound(item.text.size()), '\0');
            out.resize(ZSTD_compress(out.data(), out.size(), item.text.data(), item.text.size(), 3));
            return out;
        }
        if (item.method != 8) return item.text;
        z_stream stream{};
        REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
        std::string out(deflateBound(&stream, item.text.size()) + 64, '\0');
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(item.text.data()));
        stream.avail_in = static_cast<uInt>(item.text.size());
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
        out.resize(stream.total_out);
        deflateEnd(&stream);
        return out;
    }
};

inline std::string zip_of(const std::vector<ZipItem>& items, bool large_end = false) {
    return ZipWriter().write(items, large_end);
}

}  // namespace agent_audit::test
