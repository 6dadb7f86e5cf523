#pragma once

#include <agent_audit/model/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Names outcomes so that equal ones get equal names, and takes out their volatile parts, ids among them, only where
/// that can matter.
///
/// Removing volatile parts costs ten times a hash, and most calls are made once. So the first outcome of a call is
/// named by its bytes and its text is kept for a while; only when the same call comes back with other bytes are both
/// looked at closely. Bounded: the last kCalls distinct calls and so many bytes of their texts. What fell out is
/// compared by bytes.
class OutcomeMemory {
public:
    static constexpr std::size_t kCalls = 256;
    static constexpr std::size_t kTextBytes = 192u << 10;
    static constexpr std::size_t kLongestText = 48u << 10;  ///< longer ones are looked at closely at once

    /// `text_bytes`: how many bytes of texts are kept, at least kLongestText.
    explicit OutcomeMemory(std::size_t text_bytes = kTextBytes) : text_bytes_(text_bytes) {}

    /// The name of this outcome of this call. `failed` keeps errors and results apart. With `verbatim` nothing is
    /// volatile: what stands in a file, times included, is its content.
    std::uint64_t name(std::uint64_t call, RawText text, bool failed, bool verbatim = false);

    /// The same of a call that makes something: the name of its first outcome where this one differs from it only in
    /// what was made is called (made_names.hpp). 0: it is another one, or that is not known (any more).
    std::uint64_t name_of_made(std::uint64_t call, RawText text);

    /// The same of a check that went well: the name of its first outcome where this one says the same in another order
    /// (check_lines.hpp), else `name`, which it has so far.
    std::uint64_t name_of_passed(std::uint64_t call, RawText text, std::uint64_t name);

    /// The same of a call that one tool was asked before with other arguments: `name`, or the name of one of the last
    /// answers of the tool that differs from this one only in times, UUIDs and fields that speak of the answer itself.
    std::uint64_t name_of_like(std::uint64_t tool, std::uint64_t call, RawText text, std::uint64_t name);

    /// Whether this text is the page of a list that the first outcome of another call was: the same but for what says
    /// where it stands (reply_fields.hpp). False where that is not known (any more).
    bool is_page_of(std::uint64_t call, RawText text);

    /// Forgets everything; keeps the memory.
    void clear();
    /// The same, and keeps so many bytes of texts from now on.
    void restart(std::size_t text_bytes);

private:
    struct First {
        std::uint64_t call = 0;
        std::uint64_t bytes = 0;    // hash of the first outcome as recorded: also its name
        std::uint64_t clean = 0;    // hash without volatile parts; 0 = not known yet
        std::uint64_t text_at = 0;  // place in the stream of kept texts
        std::uint32_t text_size = 0;
        bool failed = false;
    };

    struct Asked {
        std::uint64_t tool = 0;
        std::uint64_t call = 0;
        std::uint64_t answer = 0;  // its name
        std::size_t at = 0;        // among the calls that are remembered
        std::string settled;       // its answer, once one was compared with it
    };

    First* find(std::uint64_t call);
    void remember(const First& first, std::string_view text);
    /// As recorded; empty = it is not kept (any more).
    std::string_view text_of(const First& first) const;
    std::uint64_t clean_of_first(First& first, TextForm form);

    std::vector<First> calls_;  // ring, newest at next_ - 1
    std::size_t next_ = 0;
    std::array<Asked, 8> asked_{};  // ring: tools and calls of theirs whose answers were new
    std::size_t next_asked_ = 0;
    std::vector<std::uint16_t> slots_;  // how many remembered calls have these hash bits: a miss is one load
    std::size_t text_bytes_;
    std::size_t room_ = 0;           // size of `texts_`, which may be more
    std::unique_ptr<char[]> texts_;  // ring, never initialised: pages nobody needs stay untouched
    std::uint64_t text_end_ = 0;     // stream position after the newest text
};

}  // namespace agent_audit::detectors
