#pragma once

#include "profiles/rule.hpp"

#include <cstdint>

namespace agent_audit::profiles {

/// OpenHands keeps the text next to a call as the call's thought, and a text without a call as a message. Which of the
/// two it is shows only at the end of the response.
class OpenHandsSpeech {
public:
    void hear(const PeerText& text) { said_ = mix_hash(said_, stable_hash(text.text)) | 1; }
    /// The first call of a response takes what was said before it.
    std::uint64_t take_thought() {
        called_ = true;
        const std::uint64_t thought = said_;
        said_ = 0;
        return thought;
    }
    /// Ends the response: what was said without a call; 0 = nothing.
    std::uint64_t take_message() {
        const std::uint64_t message = called_ ? 0 : said_;
        said_ = 0;
        called_ = false;
        return message;
    }

private:
    std::uint64_t said_ = 0;
    bool called_ = false;
};

}  // namespace agent_audit::profiles
