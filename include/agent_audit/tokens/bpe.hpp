#pragma once

#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace agent_audit {

/// How a text is cut before merging. The file of a vocabulary does not say; its size does (cl100k_base has 100,256
/// tokens, o200k_base 199,998).
enum class PreTokeniser : std::uint8_t { o200k, cl100k };
constexpr std::string_view name(PreTokeniser kind) { return kind == PreTokeniser::o200k ? "o200k" : "cl100k"; }

/// A byte-pair vocabulary, read from lines "base64 rank" (the .tiktoken files). Cheap to copy; may be shared by
/// threads.
class Vocabulary {
public:
    /// `source` names the file in messages, which name the line too.
    static Result<Vocabulary> parse(std::string_view text, std::string_view source);

    std::size_t size() const;
    PreTokeniser pre_tokeniser() const;

    struct Impl;

private:
    friend class BpeCounter;
    std::shared_ptr<const Impl> impl_;
};

/// Counts the tokens of texts exactly as the vocabulary's own program does. Special tokens are plain text. Time grows
/// with n log n of the longest piece; a piece beyond 4 MiB without any split point is counted in parts of that size.
/// Holds a cache of a fixed size: one counter per thread.
class BpeCounter {
public:
    explicit BpeCounter(const Vocabulary& vocabulary, std::optional<PreTokeniser> pre_tokeniser = {});
    ~BpeCounter();
    BpeCounter(BpeCounter&&) noexcept;

    std::uint64_t count(std::string_view wtf8);
    /// The ranks of the tokens.
    std::vector<std::uint32_t> encode(std::string_view wtf8);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace agent_audit
