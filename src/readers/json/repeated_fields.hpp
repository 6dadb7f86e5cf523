#pragma once

#include "readers/json/quick_json.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace agent_audit::readers::quick {

/// A piece of a record that stands with the same bytes in many records in a row: met again, it is passed over with one
/// comparison. It begins and ends between two tokens, so that equal bytes mean the same.
class Repeated {
public:
    bool stands_at(const char* at, const char* end) const {
        return size_ > 0 && static_cast<std::size_t>(end - at) >= size_ && std::memcmp(at, bytes_.data(), size_) == 0;
    }
    /// Remembers this piece instead of the one before; not one that is too long to come often.
    void keep(const char* begin, const char* end) {
        size_ = static_cast<std::size_t>(end - begin);
        if (size_ > bytes_.size()) size_ = 0;
        std::memcpy(bytes_.data(), begin, size_);
    }
    std::size_t size() const { return size_; }
    const char* data() const { return bytes_.data(); }

private:
    std::array<char, 1024> bytes_;
    std::size_t size_ = 0;
};

/// Neighbouring fields of an object that repeat together, and the strings among them that are asked for. What they hold
/// after the run must depend on the run alone: they are empty before it.
template <std::size_t kStrings>
class RepeatedFields {
public:
    using Strings = std::array<std::string_view*, kStrings>;

    RepeatedFields() = default;
    RepeatedFields(const RepeatedFields&) = delete;  // what was found are views of the bytes kept here
    RepeatedFields& operator=(const RepeatedFields&) = delete;

    /// Another object begins.
    void restart() { begin_ = nullptr; }

    /// At the first field of a run: passes over all of it and fills in the strings if it is the run remembered.
    /// Otherwise that field has to be read, and those behind it, which is_read() says then.
    bool pass_over(const char* key, Walk& walk, const Strings& strings) {
        if (!all_empty(strings)) return false;
        if (pass_over_known(key, walk, strings)) return true;
        begin_ = key - 1;
        fields_ = 1;
        return false;
    }
    /// The same one field earlier, for a field whose key would begin at `key`: false says nothing about it.
    bool pass_over_next(const char* key, Walk& walk, const Strings& strings) {
        return !is_read() && all_empty(strings) && pass_over_known(key, walk, strings);
    }

    bool is_read() const { return begin_ != nullptr; }
    /// Of a run that is read: at another field of it, or at the first that is none of it.
    void go_on() { ++fields_; }
    void end(const char* key, const Strings& strings) { keep(key - 1, strings); }

private:
    static bool all_empty(const Strings& strings) {
        for (const std::string_view* s : strings) {
            if (!s->empty()) return false;
        }
        return true;
    }
    bool pass_over_known(const char* key, Walk& walk, const Strings& strings) const {
        const char* const at = key - 1;
        if (!bytes_.stands_at(at, walk.end())) return false;
        for (std::size_t i = 0; i < kStrings; ++i) *strings[i] = found_[i];
        walk.go_to(at + bytes_.size() - 1);  // to the comma: it tells that the last value was whole
        return true;
    }
    void keep(const char* end, const Strings& strings) {
        const char* const begin = begin_;
        begin_ = nullptr;
        if (fields_ < kFewest || end[-1] != ',') return;
        bytes_.keep(begin, end);
        if (bytes_.size() == 0) return;
        for (std::size_t i = 0; i < kStrings; ++i) {
            const std::string_view s = *strings[i];
            found_[i] = s.empty() ? std::string_view{} : std::string_view(bytes_.data() + (s.data() - begin), s.size());
        }
    }

    static constexpr std::size_t kFewest = 3;  // fields: fewer are read as fast as they are compared

    Repeated bytes_;
    std::array<std::string_view, kStrings> found_{};
    const char* begin_ = nullptr;  // of a run that is being read
    std::size_t fields_ = 0;
};

}  // namespace agent_audit::readers::quick
