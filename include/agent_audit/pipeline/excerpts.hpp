#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Parts of a recording, read again after an audit: an audit keeps places, not texts.
namespace agent_audit {

/// Where to read, and how. Texts go through `redact` before they are cut: half a secret is not recognised.
struct ExcerptSource {
    std::string path;    ///< as in InputReport::path; standard input cannot be read again
    std::string format;  ///< reader id
    std::size_t max_line_bytes = 64u << 20;
    std::function<std::string(std::string_view)> redact;
};

/// What happened between two lines of one lane.
struct ExcerptRequest {
    std::uint32_t lane = 0;
    std::uint64_t first_line = 0, last_line = 0;
};
/// The answer to a request: words of the recording, shortened and redacted.
struct Excerpt {
    struct Part {
        std::string_view role;  ///< user, assistant, call, result; a constant
        std::uint64_t line = 0;
        std::string text;  ///< at most kPartBytes, redacted
    };
    std::string goal;            ///< first human message of the session; empty: none before the excerpt
    std::vector<Part> parts;     ///< at most kHeadParts from the beginning and kTailParts from the end
    std::uint64_t left_out = 0;  ///< parts between those
    std::string problem;         ///< why there is nothing; empty: there is something

    static constexpr std::size_t kHeadParts = 8, kTailParts = 24, kPartBytes = 1'200, kGoalBytes = 2'000;
};
/// One excerpt for each request, in their order.
std::vector<Excerpt> read_excerpts(const ExcerptSource& source, std::span<const ExcerptRequest> requests);

/// What was said in the main conversation of one session.
struct Conversation {
    struct Said {
        std::uint64_t line = 0;
        std::string text;
        bool human = false;
    };
    std::uint64_t goal_line = 0;  ///< 0: no human message, and nothing else either
    std::string goal;
    std::vector<Said> messages;  ///< of person and model behind the goal, at most kMostMessages

    static constexpr std::size_t kMostMessages = 2'000;
};
/// The sessions of an input that have a goal.
std::vector<Conversation> read_conversations(const ExcerptSource& source);

}  // namespace agent_audit
