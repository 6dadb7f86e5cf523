#include "readers/input/folder_records.hpp"

#include "readers/input/byte_source.hpp"
#include "readers/input/session_names.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace agent_audit::readers {
namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

FolderRecords::FolderRecords(std::string folder, std::vector<std::string> names, std::uint32_t file_index,
                             const InputLimits& limits, InputBuffers& buffers)
    : folder_(std::move(folder)), names_(std::move(names)), file_(file_index), limits_(limits), buffers_(buffers) {}

std::vector<Record> FolderRecords::peek(std::size_t max_records) {
    while (current_ || open_next()) {
        std::vector<Record> found = current_->peek(max_records);
        if (!found.empty()) {
            for (Record& record : found) record = placed(record);
            return found;
        }
        if (next_name_ == names_.size()) return {};
        close();  // an empty file: the next one may tell more
    }
    return {};
}

RecordSource::Next FolderRecords::next(Record& out) {
    while (current_ || open_next()) {
        const Next what = current_->next(out);
        if (what != Next::end) {
            last_line_ = out.where.line;
            out = placed(out);
            return what;
        }
        close();
    }
    return Next::end;
}

/// Records count on through all files. Only the last file may still be being written.
Record FolderRecords::placed(Record record) const {
    record.where.line += line_;
    record.where.offset += offset_;
    record.last_unterminated &= next_name_ == names_.size();
    return record;
}

bool FolderRecords::open_next() {
    while (next_name_ < names_.size()) {
        const std::string& name = names_[next_name_++];
        Descriptor fd(::open((folder_ + '/' + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        struct stat status {};
        if (!fd || ::fstat(fd.get(), &status) != 0) {
            problem(name, reason(errno));
        } else if (S_ISREG(status.st_mode)) {
            current_ = std::make_unique<BufferedRecords>(file_bytes(std::move(fd)), file_, limits_, buffers_);
            return true;
        }
    }
    return false;
}

void FolderRecords::close() {
    if (current_->error()) problem(names_[next_name_ - 1], *current_->error());
    offset_ += current_->bytes();
    line_ += std::exchange(last_line_, 0);
    current_.reset();
}

/// The first one in words, the others as a number.
void FolderRecords::problem(const std::string& name, std::string_view what) {
    static constexpr std::string_view kMore = " (and ";
    if (++problems_ == 1) {
        error_ = fmt::format("cannot read '{}': {}", name, what);
        return;
    }
    if (problems_ > 2) error_->resize(error_->rfind(kMore));
    *error_ += fmt::format("{}{} more)", kMore, problems_ - 1);
}

std::vector<std::string> event_files_in(const std::string& folder) {
    const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(folder.c_str()));
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
