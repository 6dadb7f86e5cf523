#pragma once

#include <agent_audit/readers/reader.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Traces that a program posts to a service that keeps them, where its traffic was recorded. Of several services one
/// is told of: they hear of the same runs.
class PostedTraces {
public:
    void use(const CallIdentity& identity) { identity_ = &identity; }
    /// `body` of a request, as JSON. unknown_kind where it is no trace that a reader of ours knows.
    LineFate read(std::string_view body, const SourceSpan& where, EventSink& sink);
    void finish(EventSink& sink);

    bool any() const { return reader_ != nullptr; }
    RelayedFormat relayed() const { return spec_ ? RelayedFormat{spec_->id, spec_->signals} : RelayedFormat{}; }

private:
    const CallIdentity* identity_ = nullptr;
    const ReaderSpec* spec_ = nullptr;
    std::unique_ptr<RecordReader> reader_;
    std::string padded_;
};

}  // namespace agent_audit::readers
