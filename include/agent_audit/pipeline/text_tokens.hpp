#pragma once

#include <agent_audit/support/result.hpp>
#include <agent_audit/tokens/bpe.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// A whole file in memory; "-" is standard input. An Error when it cannot be read or is larger than `max_bytes`.
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes = 1ull << 30);

/// A vocabulary from a .tiktoken file.
Result<Vocabulary> load_vocabulary(const std::string& path);

/// The shipped models with what a price file changes; empty = nothing.
Result<ModelTable> load_models(const std::string& price_file);

/// How to count a text.
struct TextTokensPlan {
    std::vector<std::string> estimators;        ///< names; empty = all
    std::string vocabulary;                     ///< file; empty = no exact count
    std::optional<PreTokeniser> pre_tokeniser;  ///< nothing = by the size of the vocabulary
};

/// Lengths of a text, and what each estimator takes it for.
struct TextTokens {
    struct Row {
        std::string name;
        std::string doc;
        std::uint64_t tokens = 0;
    };
    std::uint64_t bytes = 0, utf16 = 0, code_points = 0;
    std::optional<std::uint64_t> exact;
    std::string vocabulary;  ///< how the exact count was made; empty without one
    std::vector<Row> estimates;
};

/// An Error for an unknown estimator or a vocabulary that cannot be used.
Result<TextTokens> count_text_tokens(std::string_view text, const TextTokensPlan& plan);

}  // namespace agent_audit
