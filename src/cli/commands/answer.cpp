#include "cli/commands/answer.hpp"
#include "cli/arguments/flag_words.hpp"

#include <unistd.h>
#include <string_view>

namespace agent_audit::cli {
namespace {

ByteSink into(std::string& out) {
    return [&out](std::string_view bytes) {
        out += bytes;
        return true;
    };
}

}  // namespace

std::string page_text(const DrawPage& draw, int verbosity, When color) {
    std::string out;
    const ByteSink sink = into(out);
    const Stream stream = inspect_stream(STDOUT_FILENO, color);
    const RenderOptions options{.width = stream.width,
                                .color = stream.color,
                                .unicode = stream.unicode,
                                .guard_ci = output_is_read_by_ci(),
                                .verbosity = verbosity};
    report::Page page(options, sink);
    draw(page);
    page.flush();
    return out;
}

std::string json_text(const WriteJson& write) {
    std::string out;
    const ByteSink sink = into(out);
    report::JsonWriter json(sink, output_is_read_by_ci());
    write(json);
    json.flush();
    return out;
}

Result<bool> asks_for_json(const Arguments& arguments, std::size_t flag) {
    const std::string format = last_value(arguments.flags[flag], "text");
    if (format == "json") return true;
    if (format == "text") return false;
    return Error{"--format = \"" + format + "\": expected text or json"};
}

ExitStatus answer(const CommandSpec& self, const Arguments& arguments, std::size_t flag, const DrawPage& draw,
                  const WriteJson& write) {
    const Result<bool> json = asks_for_json(arguments, flag);
    if (!json) return usage_error(self, json.error().message);
    return print(*json ? json_text(write) : page_text(draw));
}

}  // namespace agent_audit::cli
