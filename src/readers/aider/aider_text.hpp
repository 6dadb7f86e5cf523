#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What aider's chat history says in words: the edits in an answer, the token line under it.

namespace agent_audit::readers::aider_text {

/// One edit as the model wrote it.
struct Edit {
    enum class Kind : unsigned char { replace, whole, patch };
    Kind kind = Kind::replace;
    std::string path;
    std::string before;  ///< only of a replacement
    std::string after;   ///< the new text, the whole file, or the patch
    bool used = false;   ///< told of already
};

/// At most this many edits of one answer are told of: more is no edit by hand of a model.
inline constexpr std::size_t kMaxEdits = 64;

/// SEARCH/REPLACE blocks, whole files in fences under their name, fenced diffs, and patches with headlines.
std::vector<Edit> edits_in(std::string_view answer);

/// True when `named`, as the program prints it, is the file of an edit.
bool same_file(std::string_view named, std::string_view path);

/// The edit as arguments: {"path":…,"old_string":…,"new_string":…}.
std::string arguments_of(const Edit& edit);

/// "Tokens: 7.2k sent, 8.1k cache hit, 1.1k received. Cost: $0.02 message, $0.05 session."
struct Spent {
    std::uint64_t sent = 0, received = 0, cache_write = 0, cache_hit = 0;
    double usd = 0;
};
std::optional<Spent> spent_in(std::string_view line);

}  // namespace agent_audit::readers::aider_text
