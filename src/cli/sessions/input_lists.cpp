#include "cli/sessions/input_lists.hpp"

#include "support/open_error.hpp"

#include <agent_audit/pipeline/text_tokens.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace agent_audit::cli {
namespace {

// Why there is nothing of that name; empty when there is.
std::string trouble_with(const std::string& path, bool null) {
    if (path.find('\0') != path.npos)
        return "holds a NUL byte" + std::string(null ? "" : "; -0 reads names that end with one");
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? std::string() : cannot_open(path, errno).message;
}

void add_entry(std::string path, std::string place, bool null, InputLists& out) {
    if (!null && path.ends_with('\r')) path.pop_back();
    if (path.empty()) return;
    if (std::string trouble = trouble_with(path, null); !trouble.empty()) {
        out.problems.push_back(place + ": " + trouble);
        return;
    }
    if (path == "-") path = std::filesystem::absolute(path).string();  // a file of that name, for it is there
    if (out.places.emplace(path, std::move(place)).second) out.paths.push_back(std::move(path));
}

void add_list(const std::string& list, bool null, InputLists& out) {
    const std::string name = list == "-" ? "standard input" : list;
    const Result<std::string> text = read_file(list);
    if (!text) {
        out.problems.push_back(text.error().message);
        return;
    }
    const char ends = null ? '\0' : '\n';
    std::size_t number = 0;
    for (std::size_t at = 0; at < text->size();) {
        const std::size_t end = std::min(text->find(ends, at), text->size());
        add_entry(text->substr(at, end - at), name + ":" + std::to_string(++number), null, out);
        at = end + 1;
    }
}

}  // namespace

Result<InputLists> read_input_lists(std::span<const FlagValue> files_from, bool null,
                                    std::vector<std::string>& inputs) {
    InputLists out;
    out.given = !files_from.empty();
    if (null && !out.given) return Error{"--null is for --files-from, which is not there"};
    const auto from_standard_input = [](const FlagValue& list) { return list.text == "-"; };
    if (std::ranges::count_if(files_from, from_standard_input) + std::ranges::count(inputs, "-") > 1) {
        return Error{"standard input can be read once: as a list or as a session"};
    }
    for (const FlagValue& list : files_from) {
        const std::size_t before = out.paths.size() + out.problems.size();
        add_list(list.text, null, out);
        if (out.paths.size() + out.problems.size() == before) {
            out.problems.push_back((list.text == "-" ? "standard input" : list.text) + ": names no input");
        }
    }
    inputs.insert(inputs.end(), out.paths.begin(), out.paths.end());
    return out;
}

void place_problems(const InputLists& lists, std::vector<std::string>& problems, std::vector<InputReport>& inputs) {
    problems.insert(problems.begin(), lists.problems.begin(), lists.problems.end());
    if (lists.places.empty()) return;
    for (InputReport& input : inputs) {
        const auto place = lists.places.find(input.path);
        if (input.error && place != lists.places.end()) *input.error += " (named in " + place->second + ")";
    }
}

}  // namespace agent_audit::cli
