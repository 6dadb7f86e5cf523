#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace agent_audit::simulator::roo {

openclaw::Range hidden(const View& view) {
    // Results stand in the user message that follows the answer.
    std::vector<std::size_t> starts;
    bool in_user = false;
    for (std::size_t i = after_system(view); i < view.size(); ++i) {
        const bool result = view[i] && view[i]->role == Role::tool_result;
        const bool user = view[i] && view[i]->role == Role::user;
        if (!(in_user && (result || user))) starts.push_back(i);
        in_user = result || (in_user && user);
    }
    if (starts.empty()) return {};
    const std::size_t half = (starts.size() - 1) / 2, count = half - half % 2;
    if (count == 0) return {};
    return {starts[1], starts[count + 1]};
}

double tokens_of(const Compaction&, const Msg& message) {
    std::uint64_t chars = text_units(message);
    for (const Block& block : message.blocks) chars += block.kind == BlockKind::tool_call ? block.text.units() : 0;
    return static_cast<double>(quarters_up(chars));
}

// Without extended thinking Claude's answers are held short; GPT-5 alone may answer at its full length.
double reserved(const Compaction& settings, double max_output, std::string_view model, double window_tokens) {
    if (max_output <= 0) return settings.reserved;
    if (model.find("claude") != model.npos) return std::min(max_output, settings.reserved);
    if (js_lower(model).find("gpt-5") != std::string::npos) return max_output;
    return std::min(max_output, std::ceil(window_tokens * settings.answer_share));
}

bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    const double answer = reserved(settings, size.max_output, size.model, window_tokens);
    return size.refused || size.billed * 100 >= settings.percent * window_tokens ||
           size.billed > window_tokens * settings.window_share - answer;
}

Planned plan(const Compaction& settings, const View& view, const ContextSize& size, double) {
    if (size.attempt > 0) {
        const openclaw::Range range = hidden(view);
        if (range.begin == range.end) return std::nullopt;
        CompactionPlan out = gives_up(range.begin, range.end, 0);
        out.asks_model = false;
        return out;
    }
    const std::size_t from = after_system(view) + 1;  // the first message stays
    if (from >= view.size()) return std::nullopt;
    return gives_up(from, view.size(), settings.max_summary);
}

}  // namespace agent_audit::simulator::roo
