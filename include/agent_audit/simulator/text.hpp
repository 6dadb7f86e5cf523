#pragma once

#include <agent_audit/tokens/lengths.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::simulator {

/// A text as the agents measure it (tokens/lengths.hpp, tokens/estimators.hpp).
using agent_audit::TextSizes;
TextSizes measure(std::string_view wtf8);
/// Sizes of the text that the inside of a JSON string stands for (words_of), without decoding it. nullopt when it holds
/// surrogates or broken UTF-8: then it must be decoded.
std::optional<TextSizes> measure_json_string(std::string_view raw);

/// Where texts are that are not kept in memory.
class TextSource {
public:
    virtual ~TextSource() = default;
    /// The text as WTF-8, or a front of it of at least `least` bytes. Empty when it cannot be read any more. It stands
    /// at the front of `scratch`, which may be longer than what was read: its memory is used again and again.
    virtual std::string_view read(std::uint64_t place, std::uint64_t length, std::size_t least,
                                  std::string& scratch) const = 0;
};

/// The text of a block: sizes at hand, the words wherever they are. The one type through which the simulator sees
/// words.
class Text {
public:
    Text() = default;
    explicit Text(std::string wtf8);
    /// The same of which the sizes are known.
    Text(std::string wtf8, const TextSizes& sizes);
    /// `first` is the byte that the words begin with; 0 = nobody looked.
    Text(std::shared_ptr<const TextSource> source, std::uint64_t place, std::uint64_t length, TextSizes sizes,
         char first = '\0');

    const TextSizes& sizes() const;
    std::uint64_t units() const { return sizes().units; }
    std::uint64_t weighted() const { return sizes().weighted; }
    bool empty() const { return sizes().units == 0; }

    /// The words: a view of memory that lives as long as this Text, or of `scratch`, into which they are read.
    std::string_view read(std::string& scratch) const { return front(std::string_view::npos, scratch); }
    /// The same, or a front of it of at least `least` bytes, which may end within a character behind them.
    std::string_view front(std::size_t least, std::string& scratch) const;
    /// False when the words begin with another ASCII character that can be seen, which is known without reading them.
    bool may_begin_with(std::string_view characters) const;
    std::string copy() const;

private:
    struct Body;
    std::shared_ptr<const Body> body_;
};

}  // namespace agent_audit::simulator
