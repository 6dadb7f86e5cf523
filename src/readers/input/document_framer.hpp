#pragma once

#include "readers/input/json_excerpt.hpp"
#include "readers/input/value_framer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Cuts one JSON object that is too long to be kept into a head, the elements of its top-level arrays of certain names,
/// and a tail. One pass; what it holds on to is bounded whatever the document.
class DocumentFramer {
public:
    DocumentFramer(std::span<const std::string_view> arrays, const JsonExcerpt::Limits& limits)
        : arrays_(arrays), frame_(limits) {}

    enum class Step : std::uint8_t {
        skip,       ///< drop `used` bytes: they are in the head or tail, or separators
        head,       ///< the same, and frame() is the head
        element,    ///< the first `length` bytes are an element; drop `used`
        tail,       ///< drop `used`; frame() is the tail, and the document is over
        no_array,   ///< drop `used`; the document is over and had no such array
        need_more,  ///< nothing yet; call again with the same text and more behind it
    };
    struct Cut {
        Step step;
        std::size_t used = 0;
        std::size_t length = 0;
        bool unterminated = false;  ///< the text ended inside the element, or before the document did
    };

    /// `rest` begins where the last cut ended, at first with the `{` of the document. `whole`: nothing follows it.
    Cut cut(std::string_view rest, bool whole);

    /// Passes over an element that is too long, see there.
    ValueFramer& elements() { return elements_; }
    bool in_array() const { return in_array_; }

    std::string_view frame() const { return {text_.data(), text_size_}; }
    bool abridged() const { return abridged_; }

private:
    Cut cut_frame(std::string_view rest, bool whole);
    Cut finish(std::size_t used, bool unterminated);
    void take_frame();

    std::span<const std::string_view> arrays_;
    JsonExcerpt frame_;
    ValueFramer elements_{true};
    bool in_array_ = false;
    bool has_head_ = false;
    bool abridged_ = false;
    std::string text_;  // of the head or tail, with padding behind it
    std::size_t text_size_ = 0;
};

}  // namespace agent_audit::readers
