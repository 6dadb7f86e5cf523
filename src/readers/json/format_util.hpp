#pragma once

#include "readers/json/json_util.hpp"
#include "readers/json/walk.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// What the readers of smaller formats share.

namespace agent_audit::readers {

/// A call whose arguments were digested before its name was known, with an empty tool name.
inline ToolCall call_of(std::string_view id, std::string_view name, const CallArgs& args) {
    ToolCall call;
    call.call_id = text_of(id);
    call.name = text_of(name);
    call.args = args.raw;
    call.primary = args.primary;
    call.digest = args.digest;
    if (args.raw.empty() && !call.digest.opaque) call.digest = ArgsDigester::digest_none({}).digest;
    call.digest.canonical = mix_hash(call.digest.canonical, stable_hash(name));
    return call;
}

/// What a request took, as one number: tells requests apart that have no id.
inline std::uint64_t figures_hash(const TokenCounts& t) {
    return mix_hash(mix_hash(t.input, t.output), mix_hash(t.cache_read, t.cache_write));
}

inline Notice notice_of(NoticeLayer layer, NoticeLevel level, std::string_view code, RawText text) {
    Notice notice;
    notice.layer = layer;
    notice.level = level;
    notice.code = plain(code);
    notice.text = text;
    return notice;
}

/// The text of a value that should be one: a string, or whatever JSON stands there instead. Consumes `v`.
inline RawText any_text(json::value& v) {
    if (is_null(v)) return {};
    if (is_string(v)) return text_of(raw_string(v));
    return {raw_value(v), TextForm::json_value};
}

inline std::optional<int> small_int(json::value& v) {
    const std::int64_t n = as_int(v, INT64_MIN);
    if (n < INT32_MIN || n > INT32_MAX) return std::nullopt;
    return static_cast<int>(n);
}

/// Seconds since 1970, with a fraction; milliseconds when the number is too large for seconds.
inline std::int64_t unix_time(json::value& v) {
    const double number = number_or(v, 0);
    if (!(number > 1e8) || number > 1e14) return kNoTime;
    return static_cast<std::int64_t>(number < 1e11 ? number * 1000 : number);
}

/// The number behind the last `phrase` near the end of a text, such as the exit code a shell tool wrote there.
inline std::optional<int> number_after(std::string_view text, std::string_view phrase) {
    constexpr std::size_t kTail = 400;
    if (text.size() > kTail) text.remove_prefix(text.size() - kTail);
    const auto at = phrase.empty() ? 0 : text.rfind(phrase);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at + phrase.size());
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    int value = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && digits < 9 && text[digits] >= '0' && text[digits] <= '9'; ++digits)
        value = value * 10 + (text[digits] - '0');
    if (digits == 0) return std::nullopt;
    return negative ? -value : value;
}

/// The number of a field near the end of a text that is JSON, however it is spaced or quoted: `"exitCode": 1`.
inline std::optional<int> json_number_after(std::string_view text, std::string_view quoted_key) {
    constexpr std::size_t kTail = 400;
    if (text.size() > kTail) text.remove_prefix(text.size() - kTail);
    const auto at = text.rfind(quoted_key);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at + quoted_key.size());
    text.remove_prefix(std::min(text.find_first_not_of(" :\"\n\t"), text.size()));
    return number_after(text.substr(0, 12), {});
}

/// ok when there is no code or it is 0; for results whose own flag says only that the tool ran.
inline ResultStatus status_of(std::optional<int> exit_code) {
    return exit_code.value_or(0) == 0 ? ResultStatus::ok : ResultStatus::error;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::ranges::find(words, word) != words.end();
}

template <std::size_t N>
bool starts_with_one_of(std::string_view text, const std::array<std::string_view, N>& starts) {
    return std::ranges::any_of(starts, [text](std::string_view start) { return text.starts_with(start); });
}

/// The name of a tool of an MCP server, as most agents write it; `room` holds it.
inline std::string_view server_tool(std::string_view server, std::string_view tool, std::string& room) {
    return room.assign("mcp__").append(server).append("__").append(tool);
}

/// The last few hundred ids, to tell known ones from unknown ones in bounded memory.
class RecentIds {
public:
    void add(IdHash id) { ring_[next_++ % ring_.size()] = id; }
    bool has(IdHash id) const { return id != 0 && std::ranges::find(ring_, id) != ring_.end(); }
    void clear() { *this = RecentIds{}; }

private:
    std::array<IdHash, 512> ring_{};
    std::size_t next_ = 0;
};

/// Lanes of sub-agents by id. Beyond the limit they share the last one: sessions have dozens, not thousands.
class LaneTable {
public:
    struct Found {
        std::uint32_t lane;
        bool opened;  ///< seen for the first time
    };
    Found find(IdHash agent) {
        const auto at = std::ranges::find(agents_, agent);
        if (at != agents_.end()) return {static_cast<std::uint32_t>(at - agents_.begin()) + 1, false};
        if (agents_.size() == kMax) return {kMax, false};
        agents_.push_back(agent);
        return {static_cast<std::uint32_t>(agents_.size()), true};
    }
    /// The lane of an agent seen before, or 0.
    std::uint32_t known(IdHash agent) const {
        const auto at = std::ranges::find(agents_, agent);
        return at == agents_.end() ? 0 : static_cast<std::uint32_t>(at - agents_.begin()) + 1;
    }
    void clear() { agents_.clear(); }
    static constexpr std::uint32_t kMax = 1024;

private:
    std::vector<IdHash> agents_;
};

/// Records in reused memory with a limit: a million empty ones are an attack on our memory. clear() keeps the memory.
template <class T, std::size_t kMax = 10'000>
class Reused {
public:
    /// Null beyond the limit.
    T* next() {
        if (used_ == kMax) return nullptr;
        if (used_ == all_.size()) all_.emplace_back();
        all_[used_] = T{};
        return &all_[used_++];
    }
    void clear() { used_ = 0; }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.begin() + static_cast<std::ptrdiff_t>(used_); }
    std::size_t size() const { return used_; }
    bool empty() const { return used_ == 0; }
    const T& operator[](std::size_t i) const { return all_[i]; }

private:
    std::vector<T> all_;
    std::size_t used_ = 0;
};

/// Makes a collected record new, except that its lists keep the memory they have grown.
template <class Record, class... Lists>
void begin_again(Record& record, Lists Record::*... lists) {
    std::tuple kept{std::move(record.*lists)...};
    record = Record{};
    std::apply([&](auto&... list) { ((record.*lists = std::move(list), (record.*lists).clear()), ...); }, kept);
}

}  // namespace agent_audit::readers
