#include <agent_audit/simulator/openclaw.hpp>

#include "simulator/openclaw/pairing.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr double kBaseRatio = 0.4, kMinRatio = 0.15, kOversizedShare = 0.5;

/// What a message adds to a plan. 2026.9 leaves its own notes for one request out.
double planned_tokens(const MsgPtr& message, Release release) {
    if (!message || (release == Release::y2026_9 && message->runtime_context)) return 0;
    return static_cast<double>(message_tokens(*message, release));
}

std::vector<double> each_tokens(const View& view, Release release) {
    std::vector<double> out(view.size());
    std::transform(view.begin(), view.end(), out.begin(),
                   [release](const MsgPtr& message) { return planned_tokens(message, release); });
    return out;
}

double normal_parts(double parts, std::size_t messages) {
    if (!std::isfinite(parts) || parts <= 1) return 1;
    return std::min(std::max(1.0, std::floor(parts)), std::max(1.0, static_cast<double>(messages)));
}

/// Calls that still wait for results; an id may wait several times.
class Waiting {
public:
    void expect(const Msg& assistant) {
        by_id_.clear();
        count_ = 0;
        if (failed(assistant)) return;
        for (const Block* call : calls_of(assistant)) {
            ++by_id_[call->id];
            ++count_;
        }
    }
    void arrived(const Msg& result) {
        if (count_ == 0) return;
        const std::string id = result_id(result);
        if (id.empty()) {
            by_id_.clear();
            count_ = 0;
        } else if (const auto found = by_id_.find(id); found != by_id_.end() && found->second > 0) {
            --found->second;
            --count_;
        }
    }
    bool none() const { return count_ == 0; }

private:
    std::unordered_map<std::string, std::size_t> by_id_;
    std::size_t count_ = 0;
};

/// Runs of messages that belong together: an assistant's calls and all their results.
template <class Visit>
void each_group(const View& view, Visit&& visit) {
    std::size_t start = 0;
    Waiting waiting;
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (view[i] && view[i]->role == Role::assistant) waiting.expect(*view[i]);
        if (view[i] && view[i]->role == Role::tool_result) waiting.arrived(*view[i]);
        if (!waiting.none()) continue;
        visit(Range{start, i + 1});
        start = i + 1;
    }
    if (start < view.size()) visit(Range{start, view.size()});
}

std::vector<Range> chunk_groups(const View& view, const std::vector<double>& tokens, double max_tokens,
                                double max_chunks) {
    std::vector<Range> chunks;
    std::size_t start = 0;
    double current = 0;
    each_group(view, [&](Range group) {
        const double size = std::accumulate(tokens.begin() + static_cast<std::ptrdiff_t>(group.begin),
                                            tokens.begin() + static_cast<std::ptrdiff_t>(group.end), 0.0);
        if (group.begin > start && static_cast<double>(chunks.size()) < max_chunks - 1 && current + size > max_tokens) {
            chunks.push_back({start, group.begin});
            start = group.begin;
            current = 0;
        }
        current += size;
    });
    if (start < view.size()) chunks.push_back({start, view.size()});
    return chunks;
}

/// Without groups: 2026.3 splits before any message. A chunk that `closes` with a message too large takes no more.
std::vector<Range> chunk_messages(const std::vector<double>& tokens, double max_tokens, double max_chunks,
                                  bool closes) {
    std::vector<Range> chunks;
    std::size_t start = 0;
    double current = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i > start && static_cast<double>(chunks.size()) < max_chunks - 1 && current + tokens[i] > max_tokens) {
            chunks.push_back({start, i});
            start = i;
            current = 0;
        }
        current += tokens[i];
        if (closes && tokens[i] > max_tokens) {
            chunks.push_back({start, i + 1});
            start = i + 1;
            current = 0;
        }
    }
    if (start < tokens.size()) chunks.push_back({start, tokens.size()});
    return chunks;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

View slice(const View& view, Range range) {
    return {view.begin() + static_cast<std::ptrdiff_t>(range.begin),
            view.begin() + static_cast<std::ptrdiff_t>(range.end)};
}

std::string oversized_note(const MsgPtr& message, double tokens) {
    const double thousands = std::floor(tokens / 1000 + 0.5);
    const std::string_view role = message ? role_name(message->role) : "message";
    return "[Large " + std::string(role) + " (~" + js_number(thousands) + "K tokens) omitted from summary]";
}

/// In the order of the view; what a repair made or renamed stands in no view and comes last.
void sort_as_in(const View& view, std::vector<MsgPtr>& messages) {
    std::unordered_map<const Msg*, std::size_t> places;
    for (std::size_t i = 0; i < view.size(); ++i) places[view[i].get()] = i;
    const auto place = [&](const MsgPtr& message) {
        const auto found = places.find(message.get());
        return found == places.end() ? view.size() : found->second;
    };
    std::stable_sort(messages.begin(), messages.end(),
                     [&](const MsgPtr& a, const MsgPtr& b) { return place(a) < place(b); });
}

}  // namespace

std::uint64_t view_tokens(const View& view, Release release) {
    return static_cast<std::uint64_t>(sum(each_tokens(view, release)));
}

double chunk_ratio(const View& view, double window_tokens, Release release) {
    if (view.empty()) return kBaseRatio;
    const double average = static_cast<double>(view_tokens(view, release)) / static_cast<double>(view.size()) *
                           kSafetyMargin / window_tokens;
    if (!(average > 0.1)) return kBaseRatio;
    return std::max(kMinRatio, kBaseRatio - std::min(average * 2, kBaseRatio - kMinRatio));
}

std::vector<Range> split_by_tokens(const View& view, double parts, Release release) {
    if (view.empty()) return {};
    parts = normal_parts(parts, view.size());
    if (parts <= 1) return {{0, view.size()}};
    const auto tokens = each_tokens(view, release);
    const double target = sum(tokens) / parts;
    return release == Release::y2026_3 ? chunk_messages(tokens, target, parts, false)
                                       : chunk_groups(view, tokens, target, parts);
}

std::vector<Range> chunk_by_tokens(const View& view, double max_tokens, Release release) {
    constexpr double kNoLimit = std::numeric_limits<double>::infinity();
    const double most = std::max(1.0, std::floor(max_tokens / kSafetyMargin));
    const auto tokens = each_tokens(view, release);
    return release == Release::y2026_3 ? chunk_messages(tokens, most, kNoLimit, true)
                                       : chunk_groups(view, tokens, most, kNoLimit);
}

std::vector<Range> stage_split(const View& view, double max_chunk_tokens, double parts, double min_messages) {
    const std::vector<Range> whole{{0, view.size()}};
    parts = normal_parts(parts, view.size());
    if (parts <= 1 || static_cast<double>(view.size()) < std::max(2.0, min_messages)) return whole;
    const auto tokens = each_tokens(view, Release::y2026_9);
    const double total = sum(tokens);
    if (total <= max_chunk_tokens) return whole;
    return chunk_groups(view, tokens, total / parts, parts);
}

Oversized leave_out_oversized(const View& view, double window_tokens, Release release) {
    const auto tokens = each_tokens(view, release);
    const auto too_large = [&](std::size_t i) { return tokens[i] * kSafetyMargin > window_tokens * kOversizedShare; };
    Oversized out;
    const auto sort_out = [&](Range group) {
        bool omit_batch = false;  // a call without its result, or the reverse, would mislead the summary
        for (std::size_t i = group.begin; i < group.end; ++i) {
            if (!too_large(i)) continue;
            out.notes.push_back(oversized_note(view[i], tokens[i]));
            omit_batch |= view[i] && (view[i]->role == Role::assistant || view[i]->role == Role::tool_result);
        }
        omit_batch = omit_batch && release == Release::y2026_9;
        for (std::size_t i = group.begin; i < group.end; ++i) {
            const bool in_batch = view[i] && (view[i]->role == Role::assistant || view[i]->role == Role::tool_result);
            if (!too_large(i) && !(omit_batch && in_batch)) out.kept.push_back(i);
        }
    };
    if (release == Release::y2026_3) {
        for (std::size_t i = 0; i < view.size(); ++i) sort_out({i, i + 1});
    } else {
        each_group(view, sort_out);
    }
    return out;
}

HistoryPrune prune_to_share(const View& view, double max_tokens, double share, double parts, Release release) {
    HistoryPrune out;
    out.budget_tokens = std::max(1.0, std::floor(max_tokens * share));
    out.kept = view;
    parts = normal_parts(parts, view.size());
    while (!out.kept.empty()) {
        const bool fits = static_cast<double>(view_tokens(out.kept, release)) <= out.budget_tokens;
        const auto chunks = fits                          ? std::vector<Range>()
                            : release == Release::y2026_3 ? split_by_tokens(out.kept, parts, release)
                                                          : stage_split(out.kept, out.budget_tokens, parts, 2);
        if (chunks.size() <= 1) break;
        const View dropped = slice(out.kept, chunks[0]);
        const View rest = slice(out.kept, {chunks[0].end, out.kept.size()});
        Repair repair = release == Release::y2026_3 ? repair_pairs_2026_3(rest) : repair_pairs(rest);
        ++out.dropped_chunks;
        out.dropped_messages +=
            dropped.size() + (release == Release::y2026_3 ? repair.dropped_orphans : repair.discarded.size());
        out.dropped_tokens +=
            view_tokens(dropped, release) + (release == Release::y2026_9 ? view_tokens(repair.discarded, release) : 0);
        out.dropped.insert(out.dropped.end(), dropped.begin(), dropped.end());
        out.dropped.insert(out.dropped.end(), repair.discarded.begin(), repair.discarded.end());
        out.kept = std::move(repair.view);
    }
    out.kept_tokens = view_tokens(out.kept, release);
    if (release == Release::y2026_9) sort_as_in(view, out.dropped);
    return out;
}

}  // namespace agent_audit::simulator::openclaw
