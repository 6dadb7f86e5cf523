#include "readers/input_support.hpp"

#include <agent_audit/readers/input.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit;

namespace {

namespace fs = std::filesystem;

class Scratch {
public:
    Scratch() {
        std::string name = (fs::temp_directory_path() / "agent-audit-lines-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        folder_ = name;
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, std::string_view bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }

private:
    fs::path folder_;
};

std::string zstd(std::string_view bytes) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
    return out;
}

std::string gzip_file(const std::string& path, std::string_view bytes) {
    const gzFile file = gzopen(path.c_str(), "wb");
    REQUIRE(file);
    CHECK(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
    REQUIRE(gzclose(file) == Z_OK);
    return path;
}

std::string utf16(std::string_view ascii) {
    std::string out = "\xff\xfe";
    for (const char c : ascii) out.append({c, '\0'});
    return out;
}

std::vector<std::uint64_t> lines(const std::string& path, const std::vector<std::uint64_t>& offsets) {
    InputBuffers buffers;
    return lines_at(path, offsets, {}, buffers);
}

}  // namespace

TEST_SUITE("input: lines of a file") {
    TEST_CASE("a byte stands one line below each newline before it, up to the end of the file") {
        const Scratch scratch;
        const std::string text = "{\n \"a\": [\r\n1,\n\n2]}\n";
        const std::string path = scratch.write("a.json", text);
        std::vector<std::uint64_t> offsets, expected;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            offsets.push_back(i);
            expected.push_back(1 + static_cast<std::uint64_t>(
                                       std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n')));
        }
        CHECK(lines(path, offsets) == expected);
        CHECK(lines(path, {4, 4}) == std::vector<std::uint64_t>{2, 2});
        CHECK(lines(path, {}).empty());
    }

    TEST_CASE("far into a large file, compressed or not, and in the text of UTF-16") {
        const Scratch scratch;
        std::mt19937 random(3);
        std::string text = "{";
        while (text.size() < 400'000) text.append(random() % 90, 'x').append("\n");
        std::vector<std::uint64_t> offsets{3};
        while (offsets.size() < 60)
            offsets.push_back(std::min<std::uint64_t>(offsets.back() + random() % 9'000, text.size()));
        std::vector<std::uint64_t> expected;
        for (const std::uint64_t at : offsets)
            expected.push_back(1 + static_cast<std::uint64_t>(
                                       std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
        CHECK(lines(scratch.write("a.json", text), offsets) == expected);
        CHECK(lines(scratch.write("a.json.zst", zstd(text)), offsets) == expected);
        CHECK(lines(gzip_file(scratch.path("a.json.gz"), text), offsets) == expected);
        CHECK(lines(scratch.write("wide.json", utf16(text)), offsets) == expected);
    }

    TEST_CASE("no lines of what cannot be read a second time") {
        const Scratch scratch;
        CHECK(lines(scratch.path("gone.json"), {0}).empty());
        CHECK(lines("-", {0}).empty());
        CHECK(lines(scratch.write("short.json", "{\n}"), {1, 9}).empty());
        REQUIRE(mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
        CHECK(lines(scratch.path("pipe"), {0}).empty());
        CHECK(lines(fs::path(scratch.path("x")).parent_path().string(), {0}).empty());
    }
}
