#include "readers/input/companion_records.hpp"

#include "readers/input/byte_source.hpp"
#include "readers/input/session_names.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace agent_audit::readers {

CompanionRecords::CompanionRecords(std::string path, Companion companion, std::uint32_t file_index,
                                   const InputLimits& limits, InputBuffers& buffers)
    : path_(std::move(path)), companion_(std::move(companion)), file_(file_index), limits_(limits), buffers_(buffers) {
    open(path_);
}

void CompanionRecords::read_as(std::string_view format) {
    at_ = format == companion_.format ? At::before : At::session;
}

RecordSource::Next CompanionRecords::next(Record& out) {
    if (at_ == At::before) {
        at_ = open_companion() ? At::companion : At::session;
        if (at_ == At::session) open(path_);
    }
    if (at_ == At::companion) {
        if (const Next what = current_->next(out); what != Next::end) return what;
        if (current_->error()) error_ = fmt::format("cannot read '{}': {}", companion_.path, *current_->error());
        done_ = companion_.note.empty() ? current_->bytes() : 0;
        at_ = At::session;
        open(path_);
    }
    return current_->next(out);
}

bool CompanionRecords::open(const std::string& path) {
    current_.reset();  // gives the buffer back
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    const bool opened = static_cast<bool>(fd);
    if (!opened) error_ = fmt::format("cannot read '{}': {}", path, reason(errno));
    auto bytes = opened ? file_bytes(std::move(fd)) : memory_bytes({}, 1);
    current_ = std::make_unique<BufferedRecords>(std::move(bytes), file_, limits_, buffers_);
    current_->stream_arrays(arrays_);
    return opened;
}

bool CompanionRecords::open_companion() {
    if (companion_.note.empty()) return open(companion_.path);
    current_.reset();  // gives the buffer back
    current_ = std::make_unique<BufferedRecords>(memory_bytes(companion_.note, companion_.note.size()), file_, limits_,
                                                 buffers_);
    return true;
}

Companion companion_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t name = slash == path.npos ? 0 : slash + 1;
    const std::string_view folder = std::string_view(path).substr(0, slash == path.npos ? 0 : slash);
    Companions companions = companions_of(folder, std::string_view(path).substr(name));
    if (!companions.note.empty()) return {{}, companions.format, std::move(companions.note)};
    for (const std::string& other : companions.names) {
        struct stat status {};
        std::string found = path.substr(0, name).append(other);
        if (::stat(found.c_str(), &status) == 0 && S_ISREG(status.st_mode))
            return {std::move(found), companions.format, {}};
    }
    return {};
}

}  // namespace agent_audit::readers
