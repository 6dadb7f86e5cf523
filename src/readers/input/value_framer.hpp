#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::readers {

/// Cuts text in which JSON values follow each other without regard to lines: the elements of an array, or
/// documents one after the other. Knows strings, escapes and depth, nothing else of JSON: whether a value is
/// well formed is the reader's business. Text between values that cannot begin one is cut up to the next newline.
/// A value type: a copy looks ahead without disturbing the original.
class ValueFramer {
public:
    /// `elements`: a `[` between values opens an array whose elements are the records.
    explicit ValueFramer(bool elements) : elements_(elements) {}
    /// For an array whose `[` was read already; closed() once its `]` is dropped.
    static ValueFramer inside_array() {
        ValueFramer framer(true);
        framer.in_array_ = framer.nested_ = true;
        return framer;
    }

    enum class Step : std::uint8_t {
        skip,       ///< drop `used` bytes: separators
        record,     ///< the first `length` bytes are a record; drop `used`
        need_more,  ///< neither yet; call again with the same text and more behind it
    };
    struct Cut {
        Step step;
        std::size_t used = 0;
        std::size_t length = 0;
        bool unterminated = false;  ///< the input ended inside the record
    };

    /// `rest` begins where the last cut ended. `whole` means that nothing follows it.
    Cut cut(std::string_view rest, bool whole);

    /// For a record that is too long to keep: after a `need_more` drop what cut() saw and hand over what comes
    /// next, piece by piece. Returns the bytes up to the end of the record, kNoEnd when the piece holds no end.
    std::size_t skip(std::string_view piece);
    static constexpr std::size_t kNoEnd = static_cast<std::size_t>(-1);

    /// The record being looked at is cut by someone else, who drops it up to its end.
    void forget_record() { inside_ = Inside::nothing; }
    bool closed() const { return nested_ && !in_array_; }

private:
    enum class Inside : std::uint8_t { nothing, value, scalar, garbage };

    std::size_t separators(std::string_view rest);
    void begin(char first);
    std::size_t advance(std::string_view text);
    std::size_t advance_value(std::string_view text);

    Inside inside_ = Inside::nothing;
    bool in_array_ = false;
    bool in_string_ = false;
    bool escaped_ = false;
    bool elements_;
    bool nested_ = false;
    std::size_t depth_ = 0;
    std::size_t scanned_ = 0;  // bytes of the current record already looked at
};

}  // namespace agent_audit::readers
