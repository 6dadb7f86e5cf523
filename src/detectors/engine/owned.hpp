#pragma once

#include <memory>
#include <utility>

namespace agent_audit::detectors {

/// A unique_ptr that is copied with what it points to, so that rules with rarely needed parts can be copied
/// (Detector::copy).
template <class T>
class Owned {
public:
    Owned() = default;
    Owned(std::unique_ptr<T> made) : held_(std::move(made)) {}
    Owned(const Owned& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
    Owned(Owned&&) noexcept = default;
    Owned& operator=(Owned other) noexcept {
        held_ = std::move(other.held_);
        return *this;
    }
    ~Owned() = default;

    T& operator*() const { return *held_; }
    T* operator->() const { return held_.get(); }
    T* get() const { return held_.get(); }
    explicit operator bool() const { return held_ != nullptr; }
    void reset() { held_.reset(); }

private:
    std::unique_ptr<T> held_;
};

}  // namespace agent_audit::detectors
