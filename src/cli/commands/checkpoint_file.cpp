#include "cli/commands/checkpoint_file.hpp"

#include "cli/terminal/output.hpp"

#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>

namespace agent_audit::cli {
namespace {

namespace fs = std::filesystem;
using advice::Checkpoint;
using report::JsonWriter;

constexpr std::uint64_t kLongestFile = 4u << 20;
constexpr std::size_t kMostFiles = 100'000;

std::string json_text(const std::function<void(JsonWriter&)>& fill) {
    std::string out;
    const ByteSink sink = [&out](std::string_view bytes) {
        out += bytes;
        return true;
    };
    JsonWriter json(sink);
    fill(json);
    json.flush();
    return out;
}

}  // namespace

std::string checkpoint_json(const Checkpoint& c) {
    return json_text([&](JsonWriter& json) { write_checkpoint(json, c); });
}

std::string checkpoint_id(const Checkpoint& c) {
    constexpr std::size_t kLongest = 60;
    std::string name;
    bool exact = c.session.size() <= kLongest;
    for (const char ch : std::string_view(c.session).substr(0, kLongest)) {
        const bool plain =
            (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '-' || ch == '_';
        exact = exact && plain;
        name += plain ? ch : '-';
    }
    if (name.empty()) name = "session";
    if (!exact) name += "-" + fingerprint_hex(c.session).substr(0, 8);
    return fmt::format("{}-L{:06}", name, c.line);
}

std::optional<Error> CheckpointFolder::create() const {
    std::error_code problem;
    if (fs::is_directory(path_, problem)) return std::nullopt;
    if (fs::create_directories(path_, problem)) {
        fs::permissions(path_, fs::perms::owner_all, problem);
        return std::nullopt;
    }
    return Error{path_ + ": cannot make this folder" + (problem ? ": " + problem.message() : "")};
}

std::optional<Error> CheckpointFolder::store(const Checkpoint& c) const {
    auto file = Output::to_file((fs::path(path_) / (checkpoint_id(c) + ".json")).string());
    if (!file) return file.error();
    file.value().write(checkpoint_json(c));
    return file.value().finish();
}

Result<CheckpointFolder::Listing> CheckpointFolder::list() const {
    std::error_code problem;
    fs::directory_iterator folder(path_, problem);
    if (problem) return Error{path_ + ": " + problem.message()};
    std::vector<fs::path> names;
    for (; folder != fs::directory_iterator() && names.size() < kMostFiles; folder.increment(problem)) {
        if (problem) return Error{path_ + ": " + problem.message()};
        std::error_code ignored;
        if (folder->path().extension() == ".json" && folder->is_regular_file(ignored)) names.push_back(folder->path());
    }
    std::ranges::sort(names);
    Listing out;
    for (const fs::path& name : names) {
        const auto text = read_file(name.string(), kLongestFile);
        auto checkpoint = text ? read_checkpoint(*text) : std::nullopt;
        if (checkpoint) {
            out.stored.push_back({name.stem().string(), std::move(*checkpoint)});
        } else {
            out.foreign.push_back(name.filename().string());
        }
    }
    std::ranges::stable_sort(out.stored, {}, [](const Stored& s) {
        return std::tuple(std::cref(s.checkpoint.session).get(), s.checkpoint.line);
    });
    return out;
}

std::optional<PromptForm> prompt_form(std::string_view word) {
    if (word == "markdown") return PromptForm::markdown;
    if (word == "chat") return PromptForm::chat;
    if (word == "anthropic") return PromptForm::anthropic;
    return std::nullopt;
}

std::string written_prompt(const advice::ResetPrompt& prompt, PromptForm form) {
    if (form == PromptForm::markdown) return prompt.system + "\n\n" + prompt.markdown;
    return json_text([&](JsonWriter& json) {
        json.begin_object();
        if (form == PromptForm::anthropic) json.text("system", prompt.system);
        json.key("messages").begin_array();
        if (form == PromptForm::chat) {
            json.begin_object();
            json.text("role", "system");
            json.text("content", prompt.system);
            json.end_object();
        }
        json.begin_object();
        json.text("role", "user");
        if (form == PromptForm::chat) {
            json.text("content", prompt.markdown);
        } else {
            json.key("content").begin_array();
            json.begin_object();
            json.text("type", "text");
            json.text("text", prompt.markdown);
            json.end_object();
            json.end_array();
        }
        json.end_object();
        json.end_array();
        json.end_object();
        json.newline();
    });
}

}  // namespace agent_audit::cli
