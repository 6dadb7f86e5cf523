#pragma once

#include <agent_audit/model/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// What the edits (and searches) called last were to do, until their answers come. Bounded: the last of them, and the
/// beginning of each.
class EditOrders {
public:
    void keep(std::uint64_t seq, RawText args);
    /// Empty: it is not kept (any more).
    std::string_view of(std::uint64_t seq) const;

private:
    static constexpr std::size_t kOrders = 8;
    static constexpr std::size_t kLongest = 1u << 10;

    struct Order {
        std::uint64_t seq = 0;
        std::string args;
    };
    std::array<Order, kOrders> orders_;
    std::size_t next_ = 0;
};

/// What refuses an edit often repeats the text that was to be replaced: "old_str `…` did not appear". A text in which
/// one mark stands for each such piece: what has a blank in it and stands in the arguments, as a whole value, a whole
/// line or a long stretch. Names of files have none, and `path` stays as it is. Raw texts, spelled alike.
std::string without_echo(std::string_view error, std::string_view args, std::string_view path);

/// What a search answers, without the quoted query that it repeats in front of what was found ("Results for "…":
/// none"). Empty when it repeats none, or is too long for that to matter. Raw texts, spelled alike.
std::string without_query(std::string_view answer, std::string_view args);

}  // namespace agent_audit::detectors
