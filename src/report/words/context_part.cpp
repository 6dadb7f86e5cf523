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

}  // namespace agent_audit::report
