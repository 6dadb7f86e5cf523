#include "simulator/gemini/payload.hpp"
#include "simulator/stages.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

namespace agent_audit::simulator {
namespace {

using gemini::KnownOutputs;
using gemini::Part;
using Output = KnownOutputs::Output;

std::string saved_as(const Part& part) { return part.name + "_" + part.id + ".txt"; }

std::vector<Part> responses_of(const Msg& message) {
    std::vector<Part> out;
    if (message.role != Role::tool_result) return out;
    const gemini::ContentPtr content = gemini::content_of(message);
    std::ranges::copy_if(content->parts, std::back_inserter(out),
                         [](const Part& part) { return part.kind == Part::Kind::function_response; });
    return out;
}

/// Messages before this place may be touched. What is about to be sent, the results of parallel calls among it, is no
/// part of the history yet, and its newest message is the answer before.
std::size_t touchable(const View& view, const gemini::Masking& settings) {
    std::size_t end = view.size();
    const auto answers = [](const MsgPtr& one) {
        return one && one->role == Role::assistant && gemini::content_of(*one);
    };
    while (end > 0 && !answers(view[end - 1])) --end;
    return settings.protect_latest && end > 0 ? end - 1 : end;
}

void read_on(KnownOutputs& known, const View& view, const gemini::Masking& settings) {
    const std::size_t end = touchable(view, settings);
    const std::size_t same = std::exchange(known.same, 0);
    const bool grown =
        known.seen.size() <= end &&
        (same >= known.seen.size() || std::equal(known.seen.begin() + static_cast<std::ptrdiff_t>(same),
                                                 known.seen.end(), view.begin() + static_cast<std::ptrdiff_t>(same)));
    if (known.settings != &settings || !grown) {
        known = {};
        known.settings = &settings;
    }
    for (std::size_t i = known.seen.size(); i < end; ++i) {
        known.seen.push_back(view[i]);
        if (!view[i]) continue;
        const std::vector<Part> responses = responses_of(*view[i]);
        for (std::size_t k = 0; k < responses.size(); ++k) {
            if (!gemini::maskable(responses[k])) continue;
            known.untried.push_back({i, k, gemini::tokens(responses[k])});
            known.protected_tokens += static_cast<double>(known.untried.back().tokens);
        }
    }
    for (; known.protected_tokens > settings.protect_tokens; ++known.old) {
        const auto tokens = static_cast<double>(known.untried[known.old].tokens);
        known.protected_tokens -= tokens;
        known.old_tokens += tokens;
    }
}

/// The message with those of its outputs masked that are shorter for it, which takes their tokens from `tokens`; null
/// when there are none.
MsgPtr with_masks(const Msg& message, std::span<const Output> outputs, double& tokens) {
    std::vector<Part> responses = responses_of(message);
    bool any = false;
    for (const Output& one : outputs) {
        Part& part = responses[one.response];
        std::optional<Part> shorter = gemini::masked(part, saved_as(part));
        if (!shorter) continue;
        part = std::move(*shorter);
        tokens -= static_cast<double>(one.tokens);
        any = true;
    }
    if (!any) return nullptr;
    std::vector<Block> blocks;
    std::ranges::transform(responses, std::back_inserter(blocks), gemini::output_block);
    return with_blocks(message, std::move(blocks));
}

}  // namespace

/// Gemini masks parts; here a message is one, so that its text is what is replaced.
StageOutcome run(const MaskResults& stage, const View& view, const Moment&, Memory& memory) {
    KnownOutputs& known = memory.outputs;
    read_on(known, view, stage.settings);
    StageOutcome out;
    if (known.old_tokens < stage.settings.min_prunable_tokens) return out;
    const auto end = known.untried.begin() + static_cast<std::ptrdiff_t>(std::exchange(known.old, 0));
    for (auto one = known.untried.begin(); one != end;) {
        const std::size_t place = one->message;
        const auto next = std::find_if(one, end, [&](const Output& other) { return other.message != place; });
        if (MsgPtr made = with_masks(*view[place], {one, next}, known.old_tokens)) {
            known.seen[place] = made;
            out.edits.push_back({place, Action::mask, std::move(made)});
        }
        one = next;
    }
    known.untried.erase(known.untried.begin(), end);
    return out;
}

}  // namespace agent_audit::simulator
