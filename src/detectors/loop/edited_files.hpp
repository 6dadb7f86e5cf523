#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// Of a path the name of the file, as a hash that is never 0; 0 = it has none.
std::uint64_t base_name_of(std::string_view path);

/// Files that were edited while something failed. Who goes from file to file may be busy with something else than the
/// failure of one of them.
class EditedFiles {
public:
    EditedFiles() {}  // the first `count_` of them are known

    /// `name`: of the file without its folder, by base_name_of(); 0 = not known.
    void edited(std::uint64_t file, std::uint64_t name = 0) {
        const auto end = files_.begin() + static_cast<std::ptrdiff_t>(count_);
        const bool full = count_ == files_.size();
        reworks_ = reworks_ || file == 0 || full || std::find(files_.begin(), end, file) != end;
        if (full) return;
        names_[count_] = name;
        files_[count_++] = file;
    }
    void clear() {
        count_ = 0;
        reworks_ = false;
    }
    /// One of them again, or nobody knows which.
    bool reworks() const { return reworks_; }
    std::size_t count() const { return count_; }
    /// The text names files, and all that were edited are known by their names, which are other ones.
    bool are_other_than(std::string_view text) const;

private:
    std::array<std::uint64_t, 128> files_, names_;
    std::size_t count_ = 0;
    bool reworks_ = false;
};

}  // namespace agent_audit::detectors
