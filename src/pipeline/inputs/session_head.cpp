#include "pipeline/inputs/session_head.hpp"

#include "pipeline/inputs/detect.hpp"

#include <agent_audit/support/unescape.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace agent_audit {
namespace {

constexpr std::size_t kLongestField = 4096;

class HeadSink final : public EventSink {
public:
    explicit HeadSink(SessionHead& head) : head_(head) {}

    void on_event(const Event& event) override {
        if (const auto* start = std::get_if<SessionStart>(&event.body)) {
            set(head_.id, start->session_id);
            set(head_.project, start->cwd);
        } else if (const auto* change = std::get_if<ContextChange>(&event.body)) {
            set(head_.project, change->cwd);
        }
    }
    bool complete() const { return !head_.id.empty() && !head_.project.empty(); }

private:
    // The first value counts: where the session began.
    static void set(std::string& field, RawText text) {
        if (!field.empty() || text.empty()) return;
        field = text.form == TextForm::json_string ? decode_json_string(text.bytes, kLongestField)
                                                   : std::string(cut_utf8(text.bytes, kLongestField));
    }

    SessionHead& head_;
};

}  // namespace

std::string first_bytes(const std::string& path, std::size_t max_bytes) {
    std::string bytes;
    // Not waiting: a named pipe in the place of a session must not stop the search.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return bytes;
    struct stat status {};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        bytes.resize(max_bytes);
        std::size_t size = 0;
        while (size < max_bytes) {
            const ssize_t got = ::read(fd, bytes.data() + size, max_bytes - size);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            size += static_cast<std::size_t>(got);
        }
        bytes.resize(size);
    }
    ::close(fd);
    return bytes;
}

SessionHead read_head(const std::string& path, const ReaderSpec* format, std::size_t max_bytes, InputBuffers& buffers) {
    SessionHead head;
    const std::string bytes = first_bytes(path, max_bytes);
    if (bytes.empty()) return head;
    InputLimits limits;
    limits.chunk_bytes = max_bytes;
    limits.max_record_bytes = max_bytes * 8;  // compressed heads become larger
    const auto source = memory_input(bytes, 0, limits, buffers, max_bytes);
    if (!format) format = detect_format(*source).reader;
    if (!format) return head;
    HeadSink sink(head);
    const auto reader = format->make();
    Record record;
    using Next = RecordSource::Next;
    for (Next next = source->next(record); next != Next::end && !sink.complete(); next = source->next(record)) {
        if (next == Next::record) (void)reader->read(record, sink);
    }
    if (!sink.complete()) reader->finish(sink);
    return head;
}

}  // namespace agent_audit
