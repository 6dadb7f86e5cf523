#pragma once

#include <string>
#include <utility>
#include <variant>

namespace agent_audit {

/// What went wrong, as one line a user can act on: what, where, and what would help.
struct Error {
    std::string message;
};

/// A value or the reason there is none. Spelled after C++23's std::expected so that it can be
/// replaced by it one day. Used where a *request* cannot be met; an odd log line is data, not an Error.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    bool has_value() const { return state_.index() == 0; }

    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const { return std::get<1>(state_); }

private:
    std::variant<T, Error> state_;
};

}  // namespace agent_audit
