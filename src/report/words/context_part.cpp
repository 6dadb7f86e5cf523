#include "report/words/context_part.hpp"

namespace agent_audit::report {

std::string_view words_of(ContextPart part, const LaneContext& lane) {
    switch (part) {
        case ContextPart::system: return "system and unseen";
        case ContextPart::user: return "user and injected";
        case ContextPart::assistant: return "assistant text";
        case ContextPart::reasoning: return "reasoning";
        case ContextPart::arguments: return "tool arguments";
        case ContextPart::results: return "tool results";
        case ContextPart::images: return "images";
        case ContextPart::carried: return lane.shrank_untold ? "kept when it shrank" : "kept by compaction";
    }
    return "";
}

std::string_view unheld_words(const LaneContext& lane) {
    // What an agent counts before a compaction has the last answer in it, which no prompt did: a quarter more is no
    // sign.
    const std::uint64_t held = lane.compactions * lane.peak;
    return lane.freed > held + held / 4 ? ", more than any prompt here held: of history that is not in this file" : "";
}

}  // namespace agent_audit::report
