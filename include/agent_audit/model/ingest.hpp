#pragma once

#include <agent_audit/model/severity.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit {

/// What became of each input record (a line, or an element of a JSON document). Every record ends in
/// exactly one of these, so the counts always add up to the records read; a property test holds us to it.
enum class LineFate : std::uint8_t {
    understood,
    blank,
    ignored_kind,
    unknown_kind,
    repaired,
    partial,
    missing_field,
    malformed_json,
    too_long,
    cut_at_end,
    count_
};

/// A fate, as documentation and reports name it.
struct LineFateInfo {
    std::string_view name;
    Severity severity;
    std::string_view doc;
};

inline constexpr std::size_t kLineFateCount = static_cast<std::size_t>(LineFate::count_);

inline constexpr std::array<LineFateInfo, kLineFateCount> kLineFates{{
    {"understood", Severity::info, "became events, or state that later events carry"},
    {"blank", Severity::info, "empty or white space only"},
    {"ignored_kind", Severity::info, "a record kind this format is known to write and the audit does not need"},
    {"unknown_kind", Severity::info, "valid JSON of a kind this version does not know"},
    {"repaired", Severity::info, "read after replacing control characters or invalid UTF-8"},
    {"partial", Severity::warning, "read up to a point; what follows on the same line is not JSON"},
    {"missing_field", Severity::warning, "a record we need, without a field we need"},
    {"malformed_json", Severity::error, "not JSON: the log was cut, or two writers interleaved"},
    {"too_long", Severity::error, "longer than the configured maximum; skipped to the next line"},
    {"cut_at_end", Severity::info, "an unfinished last line: the file is still being written, or was cut"},
}};

constexpr const LineFateInfo& info(LineFate fate) { return kLineFates[static_cast<std::size_t>(fate)]; }

/// Counts of one input or of a whole run.
struct IngestStats {
    std::array<std::uint64_t, kLineFateCount> fates{};
    std::uint64_t bytes = 0;  ///< bytes read, after decompression

    void count(LineFate fate) { ++fates[static_cast<std::size_t>(fate)]; }
    std::uint64_t operator[](LineFate fate) const { return fates[static_cast<std::size_t>(fate)]; }

    /// Records read: by construction the sum of all fates.
    std::uint64_t records() const {
        std::uint64_t sum = 0;
        for (const auto n : fates) sum += n;
        return sum;
    }

    /// Records lost to bad input (not counting an unfinished last line).
    std::uint64_t bad() const {
        return (*this)[LineFate::malformed_json] + (*this)[LineFate::too_long] + (*this)[LineFate::missing_field] +
               (*this)[LineFate::partial];
    }

    /// Records that were not read to their end, an unfinished last line among them: what a strict gate takes exception
    /// to.
    std::uint64_t lost() const { return bad() + (*this)[LineFate::cut_at_end]; }

    IngestStats& operator+=(const IngestStats& other) {
        for (std::size_t i = 0; i < kLineFateCount; ++i) fates[i] += other.fates[i];
        bytes += other.bytes;
        return *this;
    }
};

}  // namespace agent_audit
