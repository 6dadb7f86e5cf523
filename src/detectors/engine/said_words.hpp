#pragma once

#include <agent_audit/model/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace agent_audit::detectors {

/// How the last messages of a human begin, and where they stand. What a message wishes for in less plain words is asked
/// only where a finding is made: most messages are never looked at again.
class SaidWords {
public:
    void keep(std::uint64_t line, RawText text) {
        constexpr std::size_t kMost = 16;
        if (said_.size() < kMost) said_.emplace_back();
        Said& said = said_[next_++ % kMost];
        said.line = line;
        said.size = std::min(text.size(), kBytes);
        said.form = text.form;
        std::copy_n(text.bytes.begin(), said.size, said.bytes.begin());
    }

    /// The last one up to this line; empty where it is not kept.
    RawText at(std::uint64_t line) const {
        const Said* last = nullptr;
        for (const Said& said : said_) {
            if (said.line <= line && (!last || said.line >= last->line)) last = &said;
        }
        return last ? RawText{{last->bytes.data(), last->size}, last->form} : RawText{};
    }

    /// Memory that has grown stays.
    void clear() {
        said_.clear();
        next_ = 0;
    }

private:
    static constexpr std::size_t kBytes = 512;

    struct Said {
        Said() {}  // the bytes are written when they are kept

        std::uint64_t line = 0;
        std::size_t size = 0;
        TextForm form = TextForm::plain;
        std::array<char, kBytes> bytes;
    };
    std::vector<Said> said_;
    std::size_t next_ = 0;
};

}  // namespace agent_audit::detectors
