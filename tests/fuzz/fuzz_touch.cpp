// Arguments, shell commands and answers of any bytes: what a call does to a file is read without leaving the text, says
// the same thing twice, and never claims more than the call could do.
#include "invariants.hpp"

#include "detectors/commands/file_touch.hpp"

#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

bool equal(const FileTouch& a, const FileTouch& b) {
    return a.file == b.file && a.before == b.before && a.after == b.after && a.removed == b.removed &&
           a.added == b.added && a.above == b.above && a.below == b.below && a.first_line == b.first_line &&
           a.line_count == b.line_count && a.before_lines == b.before_lines && a.after_lines == b.after_lines &&
           a.pieces == b.pieces && a.whole_file == b.whole_file;
}

void check(const ToolNameClass& tool, ToolClass tool_class, RawText text) {
    FileTouch touch = touch_of(tool, tool_class, text, text);
    fuzz::promise(equal(touch, touch_of(tool, tool_class, text, text)), "the same call gives the same touch");
    fuzz::promise(touch.file != 0 || equal(touch, {}), "without a file nothing is claimed");
    fuzz::promise(tool_class != ToolClass::read || (touch.before == 0 && touch.after == 0 && touch.pieces == 0),
                  "a read changes nothing");
    fuzz::promise(std::uint64_t{touch.first_line} + touch.line_count < 1'000'000'000,
                  "line numbers stay small enough to add");
    refine_touch(touch, tool_class, text);
    fuzz::promise(std::uint64_t{touch.first_line} + touch.line_count < 1'000'000'000,
                  "an answer keeps line numbers small as well");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    // A copy on the heap, exactly as long: a read past its end is then seen.
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const TextForm form : {TextForm::plain, TextForm::json_string, TextForm::json_value}) {
        for (const ToolClass tool_class : {ToolClass::read, ToolClass::mutate}) {
            check({}, tool_class, {text, form});
            check({ToolClass::shell, true, false, false}, tool_class, {text, form});
        }
    }
    return 0;
}
