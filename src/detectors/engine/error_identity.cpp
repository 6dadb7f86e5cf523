#include "detectors/engine/error_identity.hpp"

#include "detectors/outcomes/outcome.hpp"
#include "detectors/outcomes/screen.hpp"

#include <agent_audit/support/hash.hpp>

#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::uint64_t kErrorsOfTool = 0x6572726f7273ULL;  // keeps a tool's errors apart from its calls

// The argument to quote is a path, unless it is the patch itself.
std::string_view named_file(std::string_view argument) {
    const bool patch =
        argument.starts_with("*** ") || argument.starts_with("--- ") || argument.find('\n') != argument.npos;
    return patch ? std::string_view{} : argument;
}

bool is_command(const Step& step) {
    switch (step.tool_class) {
        case ToolClass::shell:
        case ToolClass::verify:
        case ToolClass::poll: return true;
        case ToolClass::search:
        case ToolClass::read: return step.command_bytes > 0;
        default: return false;
    }
}

// A click that waits for `#submit`, and one that waits for `.button`, wait for something in the same words.
std::string without_argument(std::string_view text, std::string_view argument) {
    constexpr std::size_t kShortest = 3;
    std::string rest(text);
    if (argument.size() < kShortest || argument.size() == StepText::kArgument) return rest;
    for (std::size_t at = rest.find(argument); at != rest.npos; at = rest.find(argument, at))
        rest.erase(at, argument.size());
    return rest;
}

}  // namespace

std::uint64_t refusal_identity(const Step& step, RawText text) {
    return error_key({without_argument(text.bytes, step.text.argument().bytes), text.form});
}

std::uint64_t error_identity(const Step& step, RawText text, OutcomeMemory& outcomes, const EditOrders& edits) {
    text.bytes = without_reminder(text.bytes);
    const auto of_command = [&] { return outcomes.name(mix_hash(step.tool, kErrorsOfTool), text, true, false); };
    if (is_command(step)) return of_command();
    if (acts_on_element(step)) return error_key({without_argument(text.bytes, step.text.argument().bytes), text.form});
    if (step.tool_class != ToolClass::mutate) return error_key(text);
    const std::string kept =
        without_echo(text.bytes, edits.of(step.call_at.seq), named_file(step.text.argument().bytes));
    const bool echoes = !text.bytes.starts_with(kept);  // a patch that is given to a shell
    return step.command_bytes > 0 && !echoes ? of_command() : error_key({kept, text.form});
}

}  // namespace agent_audit::detectors
