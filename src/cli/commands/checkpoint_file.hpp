#pragma once

#include "cli/commands/command.hpp"
#include "report/json/json_writer.hpp"

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/advice/reset_prompt.hpp>
#include <agent_audit/support/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

/// A checkpoint as a JSON document (schema checkpoint).
void write_checkpoint(report::JsonWriter& json, const advice::Checkpoint& checkpoint);
std::string checkpoint_json(const advice::Checkpoint& checkpoint);
/// Nothing when it is not such a document. Unknown fields are passed over, missing ones are empty.
std::optional<advice::Checkpoint> read_checkpoint(std::string_view json);

/// The name under which a checkpoint is stored, without .json: session and line.
std::string checkpoint_id(const advice::Checkpoint& checkpoint);

/// A folder of checkpoints, one file each. A file appears whole or not at all and is readable by its owner only; one of
/// the same session and line is replaced.
class CheckpointFolder {
public:
    explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}

    struct Stored {
        std::string id;
        advice::Checkpoint checkpoint;
    };
    struct Listing {
        std::vector<Stored> stored;        ///< by session, then by line
        std::vector<std::string> foreign;  ///< names of .json files that are no checkpoints
    };

    std::optional<Error> create() const;
    std::optional<Error> store(const advice::Checkpoint& checkpoint) const;
    Result<Listing> list() const;

private:
    std::string path_;
};

/// How a reset prompt is written.
enum class PromptForm : std::uint8_t { markdown, chat, anthropic };
std::optional<PromptForm> prompt_form(std::string_view word);
/// Markdown, or a JSON object with messages ready to be sent.
std::string written_prompt(const advice::ResetPrompt& prompt, PromptForm form);
inline Printed printed_as(PromptForm form) { return form == PromptForm::markdown ? Printed::lines : Printed::document; }

}  // namespace agent_audit::cli
