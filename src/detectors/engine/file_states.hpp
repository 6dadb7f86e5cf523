#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/support/hash.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace agent_audit::detectors {

/// What a lane's own edits left in its files, as one number. It is a sum, so that an edit and its inverse cancel and a
/// write that restores what an earlier write left brings the old number back. What cannot be undone knowingly (a
/// mutation of no known file) counts once and stays.
class FileStates {
public:
    std::uint64_t sum() const { return sum_; }

    /// A mutation succeeded; `is_new` says that this very call did not succeed before.
    void change(const Step& step, bool is_new) {
        const FileTouch& touch = step.touch;
        if (touch.file == 0 || touch.after == 0) {
            if (is_new) sum_ += mix_hash(step.call, kUnknown);
            return;
        }
        if (touch.whole_file) return write(touch);
        if (touch.before == 0) {  // what was there before is not known: nothing will undo it
            if (is_new) sum_ += mix_hash(step.call, kUnknown);
            return;
        }
        add(touch.file, mix_hash(touch.file, touch.after) - mix_hash(touch.file, touch.before));
    }

private:
    static constexpr std::size_t kFiles = 32;  // files whose content is told apart; older ones keep their share
    static constexpr std::uint64_t kUnknown = 0x756e6b6e6f776eULL;

    struct File {
        std::uint64_t file = 0;
        std::uint64_t share = 0;
    };

    File& at(std::uint64_t file) {
        for (File& known : files_) {
            if (known.file == file) return known;
        }
        File& made = files_[next_++ % kFiles];
        made = {file, 0};
        return made;
    }
    void add(std::uint64_t file, std::uint64_t share) {
        at(file).share += share;
        sum_ += share;
    }
    void write(const FileTouch& touch) {
        File& f = at(touch.file);
        const std::uint64_t share = mix_hash(touch.file, touch.after);
        sum_ += share - f.share;
        f.share = share;
    }

    std::array<File, kFiles> files_{};
    std::size_t next_ = 0;
    std::uint64_t sum_ = 0;
};

}  // namespace agent_audit::detectors
