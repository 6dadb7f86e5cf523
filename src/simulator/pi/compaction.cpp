#include <agent_audit/simulator/pi.hpp>

#include "simulator/openclaw/pairing.hpp"
#include "simulator/pi/files.hpp"
#include "simulator/pi/system.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <unordered_set>

namespace agent_audit::simulator::pi {
namespace {

using Kind = Entry::Kind;

/// What an entry contributes to the context besides summaries of compactions; null for nothing.
const Msg* seen(const Entry& entry, Release release) {
    if (entry.kind == Kind::compaction || entry.kind == Kind::context_edit || entry.kind == Kind::note) return nullptr;
    if (!entry.message) return nullptr;
    const bool empty_branch = entry.kind == Kind::branch_summary && entry.message->blocks[0].text.empty();
    if (empty_branch && release == Release::v0_87) return nullptr;
    if (entry.kind == Kind::message && entry.message->excluded && release == Release::openclaw_2026_9) return nullptr;
    return entry.message.get();
}

bool may_start(const Msg& message) {
    switch (message.role) {
        case Role::custom: return !message.carrier;
        case Role::user:
        case Role::assistant:
        case Role::bash:
        case Role::branch_summary:
        case Role::compaction_summary: return true;
        default: return false;
    }
}

bool is_cut_point(const Entry& entry, Release release) {
    const Msg* message = seen(entry, release);
    if (!message) return false;
    // Only OpenClaw knows carriers.
    return may_start(*message) || (message->role == Role::custom && release != Release::openclaw_2026_9);
}

bool starts_turn(const Entry& entry, Release release) {
    const Msg* message = seen(entry, release);
    if (!message) return false;
    if (release == Release::v0_73) {
        return entry.kind != Kind::message || message->role == Role::user || message->role == Role::bash;
    }
    return message->role != Role::assistant && is_cut_point(entry, release);
}

/// What an entry adds while looking for the cut.
double weight(const Entry& entry, Release release, const Retention* retention) {
    if (retention) {
        const Msg* message = seen(entry, release);
        return message ? retention->tokens(*message) : 0;
    }
    if (release == Release::v0_73 && entry.kind != Kind::message) return 0;
    const bool summary_counts = release == Release::v0_87 && entry.kind == Kind::compaction && entry.message;
    const Msg* message = summary_counts ? entry.message.get() : seen(entry, release);
    const std::uint64_t system = summary_counts && entry.system ? message_tokens(*entry.system, release) : 0;
    return message ? static_cast<double>(system + message_tokens(*message, release)) : 0;
}

/// Lines directly before the cut that are no messages move with it.
bool moves_with_cut(const Entry& entry, Release release) {
    if (entry.kind == Kind::compaction || entry.kind == Kind::reset) return false;
    if (entry.kind == Kind::message && !entry.omitted) return false;
    return release == Release::v0_73 || !seen(entry, release);
}

std::optional<std::size_t> turn_start(const Entries& entries, std::size_t from, std::size_t begin, Release release) {
    for (std::size_t i = from + 1; i-- > begin;) {
        if (starts_turn(entries[i], release)) return i;
    }
    return std::nullopt;
}

/// pi 0.87: behind the cut there is only an attempt that was taken back, with what it was taken back by.
bool only_omitted(const Entries& entries, std::size_t begin, std::size_t end) {
    const auto suffix = std::span(entries).subspan(begin, end - begin);
    const auto omitted = [&](const std::string& id) {
        return std::any_of(suffix.begin(), suffix.end(), [&](const Entry& one) { return one.omitted && one.id == id; });
    };
    if (std::none_of(suffix.begin(), suffix.end(), [](const Entry& one) { return one.omitted_answer; })) return false;
    return std::all_of(suffix.begin(), suffix.end(), [&](const Entry& one) {
        if (one.kind == Kind::context_edit) return !one.replaces || omitted(one.target_id);
        return one.kind != Kind::compaction && !seen(one, Release::v0_87);
    });
}

/// Walks back until enough is kept and takes the nearest cut point at or after that place.
std::optional<std::size_t> place_of_cut(const Entries& entries, std::size_t begin, std::size_t end, double keep,
                                        Release release, const Retention* retention) {
    std::optional<std::size_t> cut, nearest, last;
    double kept = 0;
    bool enough = false;
    for (std::size_t i = end; i-- > begin;) {
        const bool valid = is_cut_point(entries[i], release);
        if (valid && !last) last = i;
        if (valid) cut = i;
        if (enough) continue;  // still looking for cut points, if only to know the first
        const double size = weight(entries[i], release, retention);
        if (size == 0 && release == Release::v0_87) continue;
        if (release == Release::v0_73 && entries[i].kind != Kind::message) continue;
        if (release == Release::openclaw_2026_9 && !seen(entries[i], release)) continue;
        kept += size;
        if (kept < keep) continue;
        enough = true;
        nearest = cut;
    }
    if (!enough || !cut) return cut;
    if (!nearest)
        nearest = release == Release::v0_73 ? cut : last;  // 0.73 falls back to the first, and so keeps everything
    const bool skip = release == Release::v0_87 && only_omitted(entries, *nearest + 1, end);
    return skip ? *nearest + 1 : *nearest;
}

/// The earliest cut point at or after `cut` of which everything behind it fits what may stay. `end`: there is none.
std::size_t fitting_cut(const Entries& entries, std::size_t cut, std::size_t end, Release release,
                        const Retention& retention) {
    std::size_t fitting = end;
    double kept = 0, most = retention.max_tokens;
    for (std::size_t i = end; i-- > cut;) {
        kept += weight(entries[i], release, &retention);
        if (kept > most) break;
        if (!is_cut_point(entries[i], release)) continue;
        // The newest messages may take the room of the summary, older ones may not.
        if (fitting == end) most = std::max(kept, retention.max_tokens - retention.reserve_tokens);
        fitting = i;
    }
    return fitting;
}

/// pi 0.87: a compaction brings the system message itself, those before it are no longer sent.
bool left_to_compaction(const Entry& entry, Release release) {
    return release == Release::v0_87 && entry.kind == Kind::message && entry.message &&
           entry.message->role == Role::system;
}

/// What is still sent behind a reset of OpenClaw: what was said from the first kept line on, and the results of calls
/// that are among it.
View kept_by_reset(const Entries& entries, std::size_t reset) {
    View said;
    bool kept = false;
    for (std::size_t i = 0; i < reset; ++i) {
        kept |= entries[i].id == entries[reset].first_kept_id;
        if (kept && entries[i].kind == Kind::message && entries[i].message) said.push_back(entries[i].message);
    }
    std::unordered_set<const Msg*> answers;
    for (const auto& call : openclaw::answered_calls(said)) {
        for (const MsgPtr& result : call.results) answers.insert(result.get());
    }
    std::erase_if(said, [&](const MsgPtr& message) {
        return message->role != Role::user && message->role != Role::assistant && !answers.contains(message.get());
    });
    return said;
}

/// The messages a request would carry now: the last summary, what was kept, what came after.
View context_of(const Entries& entries, std::optional<std::size_t> compaction, Release release) {
    View out;
    if (compaction && entries[*compaction].kind == Kind::reset) out = kept_by_reset(entries, *compaction);
    const auto add = [&](const Entry& entry) {
        const bool empty_branch =
            entry.kind == Kind::branch_summary && entry.message && entry.message->blocks[0].text.empty();
        if (seen(entry, release) && !empty_branch && !entry.left) out.push_back(entry.message);
    };
    std::size_t after = compaction ? *compaction + 1 : 0;
    if (compaction && entries[*compaction].kind != Kind::reset) {
        if (entries[*compaction].system && !entries[*compaction].omitted) out.push_back(entries[*compaction].system);
        if (!entries[*compaction].omitted) out.push_back(entries[*compaction].message);
        bool kept = false;
        for (std::size_t i = 0; i < *compaction; ++i) {
            kept |= !entries[i].left && entries[i].id == entries[*compaction].first_kept_id;
            if (kept && !left_to_compaction(entries[i], release)) add(entries[i]);
        }
    }
    for (std::size_t i = after; i < entries.size(); ++i) add(entries[i]);
    return out;
}

/// Or the last reset. `followed`: those on branches that the session has left do not count.
std::optional<std::size_t> last_compaction(const Entries& entries, bool followed) {
    for (std::size_t i = entries.size(); i-- > 0;) {
        const bool either = entries[i].kind == Kind::compaction || entries[i].kind == Kind::reset;
        if (either && !(followed && entries[i].left)) return i;
    }
    return std::nullopt;
}

/// The entries after the last compaction's first kept one. pi 0.87 no longer looks at the compaction in between.
struct Span {
    Entries entries;
    std::size_t begin = 0;
};
Span span_of(const Entries& entries, std::optional<std::size_t> compaction, Release release) {
    if (!compaction) return {entries, 0};
    if (entries[*compaction].kind == Kind::reset)
        return {{entries.begin() + static_cast<std::ptrdiff_t>(*compaction) + 1, entries.end()}, 0};
    const auto first = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.id == entries[*compaction].first_kept_id; });
    if (release != Release::v0_87) {
        const bool found = first != entries.end();
        return {entries, found ? static_cast<std::size_t>(first - entries.begin()) : *compaction + 1};
    }
    const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(*compaction);
    Entries out;
    if (middle->omitted) out.push_back(*middle);  // no summary then, but still a line that no cut goes past
    for (auto it = std::min(first, middle); it < middle; ++it) {
        if (!left_to_compaction(*it, release)) out.push_back(*it);
    }
    for (Entry& older : out) {
        if (older.kind == Kind::compaction) older.message = nullptr;  // its summary is no longer part of the context
    }
    out.insert(out.end(), middle + 1, entries.end());
    return {std::move(out), 0};
}

void collect(const Entries& entries, std::size_t begin, std::size_t end, Release release, View& out) {
    for (std::size_t i = begin; i < end; ++i) {
        const Msg* message = seen(entries[i], release);
        if (message && !(release == Release::v0_87 && message->role == Role::system)) out.push_back(entries[i].message);
    }
}

/// What the context holds before a compaction. pi 0.87 does not trust usage from before the last one, or from before an
/// edit: it counted a context that is gone.
ContextTokens tokens_before(const View& context, const Entries& entries, Release release) {
    const ContextTokens counted = context_tokens(context, release);
    if (release != Release::v0_87) return counted;
    std::size_t changed = entries.size();
    while (changed > 0 && entries[changed - 1].kind != Kind::context_edit &&
           entries[changed - 1].kind != Kind::compaction) {
        --changed;
    }
    const auto after = entries.begin() + static_cast<std::ptrdiff_t>(changed);
    const bool fresh = counted.last_usage && std::any_of(after, entries.end(), [&](const Entry& entry) {
                           return entry.message == context[*counted.last_usage];
                       });
    if (fresh) return counted;
    ContextTokens out;
    out.trailing = static_cast<double>(system_tokens(context));
    for (const MsgPtr& message : context) {
        if (message->role != Role::system) out.trailing += static_cast<double>(message_tokens(*message, release));
    }
    out.tokens = out.trailing;
    return out;
}

/// OpenClaw keeps by what the provider counted: where its count is above the estimate, fewer estimated tokens are kept.
double scaled_keep(const View& context, const ContextTokens& tokens, double keep, Release release) {
    if (release != Release::openclaw_2026_9) return keep;
    double estimated = 0;
    for (const MsgPtr& message : context) estimated += static_cast<double>(message_tokens(*message, release));
    if (!(estimated > 0) || !std::isfinite(tokens.from_usage)) return keep;
    constexpr double kMaxSafeInteger = 9007199254740991.0;
    const double scale = std::min(std::max(1.0, keep), std::max(1.0, tokens.from_usage / estimated));
    return std::min(kMaxSafeInteger, keep / scale);
}

}  // namespace

CutPoint find_cut(const Entries& entries, std::size_t begin, std::size_t end, double keep_recent_tokens,
                  Release release, const Retention* retention) {
    const auto place = place_of_cut(entries, begin, end, keep_recent_tokens, release, retention);
    if (!place) return {begin, std::nullopt, false};
    std::size_t cut = retention ? fitting_cut(entries, *place, end, release, *retention) : *place;
    if (cut == end) return {end, std::nullopt, false};
    while (cut > begin && moves_with_cut(entries[cut - 1], release)) --cut;

    const Entry& entry = entries[cut];
    const bool whole = release == Release::v0_73
                           ? entry.kind == Kind::message && entry.message && entry.message->role == Role::user
                           : starts_turn(entry, release);
    const auto start = whole ? std::nullopt : turn_start(entries, cut, begin, release);
    return {cut, start, start.has_value()};
}

std::optional<Prepared> prepare(const Entries& entries, const CompactionSettings& settings, Release release) {
    if (!entries.empty() && entries.back().kind == Kind::compaction) {
        // OpenClaw compacts its own summary again, but not that of an extension.
        if (release != Release::openclaw_2026_9 || entries.back().from_hook) return std::nullopt;
    }
    if (!entries.empty() && entries.back().kind == Kind::reset) return std::nullopt;
    const auto compaction = last_compaction(entries, false);
    const View context = context_of(entries, last_compaction(entries, true), release);
    const ContextTokens tokens = tokens_before(context, entries, release);
    const Span span = span_of(entries, compaction, release);
    const bool reset = compaction && entries[*compaction].kind == Kind::reset;
    const View before = reset ? kept_by_reset(entries, *compaction) : View();
    double keep = scaled_keep(context, tokens, settings.keep_recent_tokens, release);
    for (const MsgPtr& message : before) keep += static_cast<double>(message_tokens(*message, release));
    const CutPoint cut = find_cut(span.entries, span.begin, span.entries.size(), keep, release);
    if (cut.first_kept >= span.entries.size() || span.entries[cut.first_kept].id.empty()) return std::nullopt;

    Prepared out;
    out.first_kept_id = span.entries[cut.first_kept].id;
    out.first_kept = cut.first_kept;
    out.split_turn = cut.split_turn;
    out.tokens_before = tokens.tokens;
    if (compaction && entries[*compaction].message)  // an edit may have taken it
        out.previous_summary = entries[*compaction].message->blocks[0].text.copy();
    const std::size_t history_end = cut.split_turn ? *cut.turn_start : cut.first_kept;
    std::ranges::copy_if(before, std::back_inserter(out.summarize),
                         [](const MsgPtr& message) { return !message->excluded; });
    collect(span.entries, span.begin, history_end, release, out.summarize);
    if (cut.split_turn) collect(span.entries, *cut.turn_start, cut.first_kept, release, out.turn_prefix);
    if (release != Release::v0_73 && out.summarize.empty() && out.turn_prefix.empty()) return std::nullopt;

    if (compaction && !entries[*compaction].omitted) carry_files(entries[*compaction], out.files);
    for (const MsgPtr& message : out.summarize) note_files(*message, out.files, release);
    for (const MsgPtr& message : out.turn_prefix) note_files(*message, out.files, release);
    return out;
}

}  // namespace agent_audit::simulator::pi
