#pragma once

#include <agent_audit/simulator/message.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Compaction as pi does it, and OpenClaw 2026.9, which grew out of pi and shares the algorithm.
namespace agent_audit::simulator::pi {

/// Which program's rules are followed.
enum class Release : std::uint8_t { v0_73, v0_87, openclaw_2026_9 };

/// The estimate of one message, in tokens: a quarter of its characters, as that release counts them.
std::uint64_t message_tokens(const Msg& message, Release release);
/// What the provider says the context holds.
double usage_tokens(const Usage& usage, Release release);

/// How full the context is taken to be.
struct ContextTokens {
    double tokens = 0, from_usage = 0, trailing = 0;
    std::optional<std::size_t> last_usage;  ///< index of the answer whose usage was taken
};
/// Usage of the last usable answer, and estimates of what came after it.
ContextTokens context_tokens(const View& view, Release release);

/// pi's `compaction` settings, with its defaults. Tokens.
struct CompactionSettings {
    bool enabled = true;
    double reserve_tokens = 16'384;
    double keep_recent_tokens = 20'000;
};
/// Whether less than the reserve is left of the window.
bool should_compact(double context_tokens, double window_tokens, const CompactionSettings& settings, Release release);

/// One line of a session: a message, or what only the session file knows.
struct Entry {
    enum class Kind : std::uint8_t { message, custom_message, branch_summary, compaction, context_edit, reset, note };
    Kind kind = Kind::message;
    std::string id;
    MsgPtr message;             ///< what it contributes to the context; of a compaction its summary
    MsgPtr system;              ///< pi 0.87: the system message a compaction begins the context with
    std::string first_kept_id;  ///< of a compaction, or of a reset
    std::vector<std::string> read_files, modified_files;  ///< carried by a compaction the agent made itself
    std::string target_id{};                              ///< of a context edit
    bool replaces = false;                                ///< of a context edit: with other content, not with nothing
    bool omitted = false, omitted_answer = false;         ///< an edit took the message out; it was an assistant's
    bool from_hook = false;                               ///< of a compaction: an extension made it, not the agent
    bool left = false;                                    ///< pi: on a branch that the session has left
};
using Entries = std::vector<Entry>;
/// Of a session of which nothing but the messages is known: their ids are made here.
Entries entries_of(const View& view);
/// Session entries as pi writes them. To pi a session is the branch that leads to its last entry, by the ids of
/// parents. Since 0.87 an entry may replace or omit what an earlier one sends; of what is still sent the last such
/// entry wins.
Entries entries_of(const JsValue& array, Release release = Release::v0_73);
/// The same before branches and edits are looked at, which is how a cut is looked for in any range of lines.
Entries raw_entries_of(const JsValue& array, Release release);

/// Where the part that stays begins, and the turn that it cuts.
struct CutPoint {
    std::size_t first_kept = 0;
    std::optional<std::size_t> turn_start;
    bool split_turn = false;
};
/// What OpenClaw's automatic compaction weighs messages by, and what may stay at most.
struct Retention {
    double (*tokens)(const Msg& message) = nullptr;
    double max_tokens = 0;
    double reserve_tokens = 0;  ///< of these, for the summary, once the newest messages have been kept
};
/// first_kept is `end` when not even the newest messages fit what may stay.
CutPoint find_cut(const Entries& entries, std::size_t begin, std::size_t end, double keep_recent_tokens,
                  Release release, const Retention* retention = nullptr);

/// Files that calls named, by what was done to them.
struct FileOps {
    // In the order of first use, as the agents' sets keep it.
    std::vector<std::string> read, written, edited;
};

/// What a compaction would summarise and keep.
struct Prepared {
    std::string first_kept_id;
    std::size_t first_kept = 0;  ///< index in the entries
    View summarize, turn_prefix;
    bool split_turn = false;
    double tokens_before = 0;
    std::optional<std::string> previous_summary;
    FileOps files;
};
/// nullopt: there is nothing to compact.
std::optional<Prepared> prepare(const Entries& entries, const CompactionSettings& settings, Release release);

/// Sorted; a file that was changed is not listed as read.
struct FileLists {
    std::vector<std::string> read, modified;
};
/// For the end of a summary.
FileLists file_lists(const FileOps& ops);

/// Upper bounds of a summary in tokens.
double summary_limit(const CompactionSettings& settings);
double turn_prefix_limit(const CompactionSettings& settings);
inline constexpr std::size_t kSummaryResultChars = 2'000;  ///< of a tool result in what the summariser reads
inline constexpr std::string_view kSplitTurnHeading = "\n\n---\n\n**Turn Context (split turn):**\n\n";

}  // namespace agent_audit::simulator::pi
