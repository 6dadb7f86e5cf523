#pragma once

#include <agent_audit/readers/input.hpp>

#include <doctest/doctest.h>

#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::test {

/// What a source handed out, kept beyond the call.
struct Piece {
    RecordSource::Next what = RecordSource::Next::end;
    std::string text;
    std::uint64_t line = 0;
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
    bool unterminated = false;

    bool operator==(const Piece&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Piece& piece) {
    return out << static_cast<int>(piece.what) << " line " << piece.line << " at " << piece.offset << " length "
               << piece.length << (piece.unterminated ? " unterminated " : " ") << "'" << piece.text.substr(0, 80)
               << "'";
}

inline Piece keep(RecordSource::Next what, const Record& record) {
    return {what,
            std::string(record.text),
            record.where.line,
            record.where.offset,
            record.where.length,
            record.last_unterminated};
}

/// Reads to the end. The padding behind every record is touched, for the sanitizers to see.
inline std::vector<Piece> drain(RecordSource& source) {
    std::vector<Piece> pieces;
    Record record;
    unsigned touched = 0;
    for (;;) {
        const auto what = source.next(record);
        if (what == RecordSource::Next::end) break;
        if (what == RecordSource::Next::record) {
            for (std::size_t i = 0; i < kRecordPadding; ++i) {
                touched += static_cast<unsigned char>(record.text.data()[record.text.size() + i]);
            }
        }
        pieces.push_back(keep(what, record));
    }
    CHECK(touched < 0xffffffffu);
    return pieces;
}

struct Outcome {
    std::vector<Piece> pieces;
    std::vector<Piece> peeked;
    Framing framing = Framing::lines;
    std::string error;
    std::uint64_t bytes = 0;
    bool binary = false;
};

inline Outcome outcome_of(RecordSource& source, std::size_t peek = 20) {
    Outcome out;
    for (const Record& record : source.peek(peek)) out.peeked.push_back(keep(RecordSource::Next::record, record));
    out.framing = source.framing();
    out.binary = source.looks_binary();
    out.pieces = drain(source);
    out.error = source.error().value_or("");
    out.bytes = source.bytes();
    return out;
}

inline Outcome read_memory(std::string_view bytes, const InputLimits& limits = {}, std::size_t piece = 1u << 20) {
    InputBuffers buffers;
    return outcome_of(*memory_input(bytes, 0, limits, buffers, piece));
}

inline std::vector<std::string> texts(const std::vector<Piece>& pieces) {
    std::vector<std::string> out;
    for (const Piece& piece : pieces) out.push_back(piece.text);
    return out;
}

inline std::size_t count(const std::vector<Piece>& pieces, RecordSource::Next what) {
    std::size_t n = 0;
    for (const Piece& piece : pieces) n += piece.what == what ? 1 : 0;
    return n;
}

/// A folder that is gone when the test is over.
class TempDir {
public:
    TempDir() {
        std::string name = (std::filesystem::temp_directory_path() / "agent-audit-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~TempDir() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    std::string operator/(std::string_view name) const { return (path_ / name).string(); }
    std::string str() const { return path_.string(); }

    std::string write(std::string_view name, std::string_view bytes) const {
        const std::filesystem::path path = path_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return path.string();
    }

private:
    std::filesystem::path path_;
};

/// Text that has all that makes framing hard, in high doses. The same for the same seed.
inline std::string hostile_text(std::mt19937& random, std::size_t tokens) {
    static const std::vector<std::string> kTokens{"{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  "\"",
                                                  "\\",
                                                  "\\\"",
                                                  ",",
                                                  ":",
                                                  "\n",
                                                  "\n",
                                                  "\r\n",
                                                  "\r",
                                                  " ",
                                                  "\t",
                                                  std::string(1, '\0'),
                                                  "a",
                                                  "1",
                                                  "-",
                                                  "true",
                                                  "\xef\xbb\xbf",
                                                  "\xff",
                                                  "{\"type\":\"user\"}",
                                                  "\n{\"a\":[1,{\"b\":\"}\"}]}\n",
                                                  "[{\"x\":1},",
                                                  "\n\n",
                                                  std::string(70, 'x')};
    std::uniform_int_distribution<std::size_t> pick(0, kTokens.size() - 1);
    std::string text;
    for (std::size_t i = 0; i < tokens; ++i) text += kTokens[pick(random)];
    return text;
}

}  // namespace agent_audit::test
