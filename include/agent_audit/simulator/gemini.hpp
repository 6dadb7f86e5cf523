#pragma once

#include <agent_audit/simulator/js_value.hpp>
#include <agent_audit/simulator/message.hpp>
#include <agent_audit/simulator/text.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Context management of Gemini CLI (gemini-cli-core 0.61).
namespace agent_audit::simulator::gemini {

/// One part of a message as the Gemini API has it. Estimates are in quarters of a token, so that they add up exactly.
struct Part {
    enum class Kind : std::uint8_t { text, function_call, function_response, other };
    Kind kind = Kind::other;
    bool calls = false, responds = false;  ///< a call or a response may stand beside a text
    bool hollow = false;                   ///< a response without content, or one that is masked already
    Text text;             ///< of a text; of a response made from a message its output; of a call its arguments
    std::string name, id;  ///< of a function call or response
    std::uint64_t quarters = 0;
    std::uint64_t output_quarters = 0;    ///< of a response's main text alone
    std::uint64_t json_units = 0;         ///< UTF-16 length of JSON.stringify of the part
    std::shared_ptr<const JsValue> json;  ///< as recorded, null when it was made from a message
};
/// A message as the Gemini API has it.
struct Content {
    bool user = false, model = false;
    std::vector<Part> parts;
    std::uint64_t json_units = 0;         ///< UTF-16 length of JSON.stringify of the message
    std::shared_ptr<const JsValue> json;  ///< as recorded, its parts aside
};
using ContentPtr = std::shared_ptr<const Content>;
using History = std::vector<ContentPtr>;

/// What the API sends, read: each keeps the JSON it was made of. Null, or empty, for what is none.
Part part_of(std::shared_ptr<const JsValue> json);
ContentPtr content_of(std::shared_ptr<const JsValue> json);
History history_of(const std::shared_ptr<const JsValue>& array);

/// A message of another agent as Gemini CLI would have recorded it. No words are read. Neighbouring results are one
/// message each; null for what the API has no place for.
ContentPtr content_of(const Msg& message);

/// As the program would send it: as recorded, or made from a message.
JsValue json_of(const Part& part);
JsValue json_of(const Content& content);

/// Whole tokens of parts counted together.
std::uint64_t tokens(std::span<const Part> parts);
std::uint64_t tokens(const Part& part);
/// Those of content_of(message), which need not be made for it.
std::uint64_t tokens(const Msg& message);
std::uint64_t tokens(const History& history);

/// Index of the first message to keep: history.size() compresses all, 0 nothing. `fraction` of the characters go.
std::size_t split_point(const History& history, double fraction);

/// Head and tail of an output that is too long, with the name of the file in which all of it stands.
std::string truncate_output(std::string_view wtf8, double max_chars, std::string_view file);

/// Where an output that leaves the context would be saved: the name that takes its place in the prompt.
using FileNamer = std::function<std::string(const Part& part, std::size_t message, std::size_t part_index)>;

/// When old outputs give way, with the defaults of the program. Tokens.
struct Masking {
    double protect_tokens = 50'000, min_prunable_tokens = 30'000;
    bool protect_latest = true;
};
/// A history with previews in the place of old outputs.
struct Masked {
    History history;
    std::size_t count = 0;
    std::uint64_t saved = 0;
};
/// Old tool outputs replaced by a preview.
Masked mask(const History& history, const Masking& settings, const FileNamer& file);
/// Whether a part is an output that could be replaced, once it is old.
bool maskable(const Part& part);
/// The part with a preview that names the file; nothing when that is no shorter.
std::optional<Part> masked(const Part& part, const std::string& file);

/// Outputs of a view that grows at its end: each is read once, and tried once when it has become old.
struct KnownOutputs {
    struct Output {
        std::size_t message = 0;   ///< place in the view
        std::size_t response = 0;  ///< which of the message's responses
        std::uint64_t tokens = 0;
    };
    const void* settings = nullptr;  ///< by which they were judged
    View seen;                       ///< the messages that were read
    std::size_t same = 0;            ///< so many of them are known to stand in the view as they did; who asks says so
    std::vector<Output> untried;     ///< oldest first
    std::size_t old = 0;             ///< so many of `untried` are beyond the tokens that are protected
    double protected_tokens = 0;
    double old_tokens = 0;  ///< of old outputs that are not masked, tried in vain or not
};

/// Function responses beyond `budget` tokens, counted from the newest, cut to head and tail.
History truncate_to_budget(const History& history, double max_chars, const FileNamer& file, double budget = 50'000);
/// Characters an output may keep when the context holds `prompt_tokens` of `limit`: `most`, or what is left.
double output_threshold(double prompt_tokens, double limit, double most = 40'000);

/// How an attempt to compress ended, or how far it is. inflated: the summary was longer than what it replaced.
enum class Status : std::uint8_t { noop, truncated, split, failed_empty, failed_inflated, compressed };
/// As Gemini CLI spells it.
std::string_view status_name(Status status);

/// What a compression is decided by.
struct CompressionSettings {
    double threshold = 0.5;    ///< share of the limit at which to compress
    double limit = 1'048'576;  ///< tokens of the model
    double preserve = 0.3;     ///< share of the history to keep
    bool force = false, failed_before = false;
    double output_chars = 40'000;  ///< what an output over the budget keeps
};
/// What a compression would do before a model is asked.
struct Compression {
    Status status = Status::noop;  ///< split: a summary of [0, split) is asked for
    double original_tokens = 0, new_tokens = 0;
    std::optional<History> history;  ///< the truncated history, when it is used
    std::size_t split = 0;
    bool summarise_original = false;  ///< the summariser reads the history as it was, not the truncated one
};
/// `last_prompt_tokens`: what the provider counted for the last request. `file` names outputs that are cut.
Compression decide_compression(const History& history, double last_prompt_tokens, const CompressionSettings& settings,
                               const FileNamer& file);
/// After the summary: the history that takes the place of `split`.
Compression finish_compression(const Compression& decided, std::string_view summary, std::uint64_t extra_tokens = 0);

/// Tokens a model takes, by its name.
double token_limit(std::string_view model);

}  // namespace agent_audit::simulator::gemini
