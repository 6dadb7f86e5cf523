#pragma once

#include <agent_audit/model/text.hpp>

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::profiles {

/// Peers differ in what makes two argument objects the same.
enum class KeyOrder : std::uint8_t {
    own,      ///< JSON.stringify of the object as it came
    sorted,   ///< the keys of every object sorted first
    shallow,  ///< the outermost keys sorted, inner objects as they came
};

/// The text as it was before JSON took it in: escapes resolved, content blocks joined with newlines. Values that are
/// neither text nor blocks stay as they were recorded.
std::string plain_text(RawText raw, simdjson::dom::parser& parser);

/// The arguments of one call, parsed once for all profiles; valid as long as the parser is not used again. What cannot
/// be parsed is equal to the same bytes only.
class Arguments {
public:
    Arguments(RawText raw, simdjson::dom::parser& parser);

    std::uint64_t hash(KeyOrder order) const;
    std::uint64_t raw_hash() const { return raw_; }
    /// Keys sorted, keys whose value is null left out.
    std::uint64_t hash_without_nulls() const;
    /// Hash of the value below `key`, keys sorted; nothing when it is no object.
    std::optional<std::uint64_t> object_hash(const char* key) const;

    bool has(const char* key) const;
    std::optional<std::string_view> text(const char* key) const;
    std::optional<std::int64_t> integer(const char* key) const;
    std::optional<bool> flag(const char* key) const;
    /// Hash of the value below `key`, whatever it is; 0 = absent.
    std::uint64_t value_hash(const char* key) const;

private:
    std::optional<simdjson::dom::element> at(const char* key) const;

    simdjson::dom::element root_;
    bool parsed_ = false;
    std::uint64_t raw_ = 0;
};

}  // namespace agent_audit::profiles
