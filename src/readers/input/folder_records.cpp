#include "readers/input/folder_records.hpp"

#include "readers/input/byte_source.hpp"
#include "readers/input/directory.hpp"
#include "readers/input/session_names.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace agent_audit::readers {
namespace {

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0) return Error{reason(errno)};
    return S_ISREG(status.st_mode) ? file_bytes(std::move(fd)) : nullptr;
}

}  // namespace

FolderRecords::FolderRecords(std::string folder, std::vector<std::string> names, std::uint32_t file_index,
                             const InputLimits& limits, InputBuffers& buffers, OpenFile open)
    : folder_(std::move(folder)),
      names_(std::move(names)),
      file_(file_index),
      limits_(limits),
      buffers_(buffers),
      open_(open ? std::move(open) : OpenFile(open_file)) {}

void FolderRecords::read_as(std::string_view format) {
    constexpr const char* kState = "../base_state.json";
    if (format != "openhands" || state_first_ || !start_over()) return;
    next_name_ = 0;
    if (const auto state = open_(folder_ + '/' + kState); !state || !state.value()) return;
    names_.insert(names_.begin(), kState);
    state_first_ = true;
}

std::unique_ptr<BufferedRecords> FolderRecords::open_part() {
    while (next_name_ < names_.size()) {
        const std::string& name = names_[next_name_++];
        auto bytes = open_(folder_ + '/' + name);
        if (!bytes)
            problem_of(name, bytes.error().message);
        else if (bytes.value())
            return std::make_unique<BufferedRecords>(std::move(bytes.value()), file_, limits_, buffers_);
    }
    return nullptr;
}

void FolderRecords::part_ended(const std::optional<std::string>& error) {
    if (error) problem_of(names_[next_name_ - 1], *error);
}

void FolderRecords::problem_of(const std::string& name, std::string_view what) {
    problem(fmt::format("cannot read '{}': {}", name, what));
}

std::vector<std::string> event_files_in(const std::string& folder) {
    const Directory directory(::opendir(folder.c_str()));
    if (!directory) return {};
    std::vector<std::pair<std::uint64_t, std::string>> found;
    while (const dirent* entry = ::readdir(directory.get())) {
        if (const auto number = event_number(folder, entry->d_name)) found.emplace_back(*number, entry->d_name);
    }
    std::ranges::sort(found);
    std::vector<std::string> names;
    names.reserve(found.size());
    for (auto& [number, name] : found) names.push_back(std::move(name));
    return names;
}

}  // namespace agent_audit::readers
