#include "detectors/engine/context_meter.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::detectors {
namespace {

// A byte of a recorded text is hardly more tokens than this; what is beyond is not in the recording.
constexpr double kMostTokens = 0.5;
constexpr double kUsualTokens = 0.27;
constexpr std::uint64_t kLeastMissed = 2048;  // tokens: providers round, and the last block may wait for its turn
constexpr std::size_t kLongestName = 160;
constexpr std::size_t kLongNames = 16, kLongestPath = 4096;
constexpr std::string_view kCut = "\u2026";

std::uint64_t rounded(double tokens) { return tokens > 0 ? static_cast<std::uint64_t>(tokens + 0.5) : 0; }

// The indices of the heaviest, most first.
template <class Weight>
std::vector<std::size_t> heaviest(std::size_t count, Weight weight) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, LaneContext::kUsers));
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
    });
    order.erase(end, order.end());
    return order;
}

}  // namespace

void ContextMeter::restart(std::uint32_t lane) {
    report_ = {};
    report_.lane = lane;
    weights_.fill(0);
    marked_.fill(0);
    weight_ = 0;
    settle_own();
    tools_.clear();
    files_.clear();
    long_names_.clear();
    next_name_ = 0;
    ++contents_;
    scale_ = kUsualTokens;
    unseen_ = carried_ = 0;
    window_start_ = 1;
    tokens_before_ = {};
    model_before_ = 0;
    time_before_ = kNoTime;
    stride_ = 1;
    compactions_ = 0;
    edited_ = compacted_ = waits_ = anew_ = untold_ = by_hand_ = freed_known_ = at_peak_ = false;
}

// The end of a path tells files apart, the beginning that all of them share does not.
void ContextMeter::long_name(std::uint64_t seq, RawText file) {
    if (long_names_.size() < kLongNames) long_names_.resize(kLongNames);
    LongName& name = long_names_[next_name_++ % kLongNames];
    const std::string_view raw = file.bytes.substr(0, kLongestPath);
    name.seq = seq;
    name.hash = stable_hash(file.bytes);
    name.end = file.form == TextForm::plain ? std::string(raw) : decode_json_string(raw);
    if (name.end.size() <= StepText::kArgument) return;
    std::size_t from = name.end.size() - (StepText::kArgument - kCut.size());
    const std::size_t part = name.end.find_first_of("/\\", from);
    if (part != name.end.npos && part + 1 < name.end.size()) from = part;
    while (from < name.end.size() && (static_cast<unsigned char>(name.end[from]) & 0xc0) == 0x80) ++from;
    name.end.replace(0, from, kCut);
}

std::uint64_t ContextMeter::looked(const Step& step) {
    if (step.outcome_bytes < kLargeResult || step.failed || step.opaque) return 0;
    if (step.command_bytes == 0 && step.tool_class == ToolClass::read) keep_file(step);  // a search names no file
    if (looks_.empty()) looks_.resize(kLooks);
    Look& known = looks_[step.call % kLooks];
    const bool again = known.call == step.call && known.out == step.out && known.contents == contents_;
    const std::uint64_t since = again ? known.line : 0;
    if (again) {
        ++report_.rereads;
        report_.reread_tokens += rounded(scale_ * step.outcome_bytes);
    } else {
        known = {step.call, step.out, step.result_at.line, contents_};
    }
    return since;
}

void ContextMeter::keep_file(const Step& step) {
    const bool cut = step.text.argument_size == StepText::kArgument;
    const auto whole = cut ? std::ranges::find(long_names_, step.call_at.seq, &LongName::seq) : long_names_.end();
    const std::uint64_t hash = whole != long_names_.end() ? whole->hash : stable_hash(step.text.argument().bytes);
    auto file = std::ranges::find(files_, hash, &File::hash);
    if (file == files_.end()) {
        if (files_.size() < kFiles) {
            file = files_.emplace(files_.end());
        } else {
            file = std::ranges::min_element(files_, {}, &File::bytes);
        }
        file->hash = hash;
        if (whole != long_names_.end()) {
            std::ranges::copy(whole->end, file->name.begin());
            file->name_size = static_cast<std::uint8_t>(whole->end.size());
            file->form = TextForm::plain;
        } else {
            file->name = step.text.argument_bytes;
            file->name_size = step.text.argument_size;
            file->form = step.text.argument_form;
        }
        file->bytes = file->old_bytes = 0;
        file->results = file->old_results = 0;
    }
    file->bytes += step.outcome_bytes;
    file->touched = report_.requests;
    ++file->results;
}

// What the window holds up to here is what goes when it is emptied.
void ContextMeter::mark_window() {
    settle_own();
    marked_ = weights_;
    for (ToolWeight& tool : tools_) {
        tool.old_bytes = tool.bytes;
        tool.old_results = tool.results;
    }
    for (File& file : files_) {
        file.old_bytes = file.bytes;
        file.old_results = file.results;
    }
    ++contents_;
}

// The window holds something else now; what it held is remembered if it was the fullest.
void ContextMeter::empty_window() {
    weight_ = 0;
    for (std::size_t i = 0; i < kContextParts; ++i) weight_ += weights_[i] -= marked_[i];
    marked_.fill(0);
    for (ToolWeight& tool : tools_) tool = {tool.bytes - tool.old_bytes, 0, tool.results - tool.old_results, 0};
    std::erase_if(files_, [](const File& file) { return file.results == file.old_results; });
    for (File& file : files_) {
        file.bytes -= std::exchange(file.old_bytes, 0);
        file.results -= std::exchange(file.old_results, 0);
    }
    window_start_ = report_.requests + 1;
}

void ContextMeter::compacted(const Compaction& compaction, const ToolTable& tools) {
    keep_peak(tools);
    mark_window();
    ++compactions_;
    compacted_ = true;
    anew_ = compaction.kind == CompactionKind::reset;
    // Of what is kept the client tells as soon as it has the summary, when requests with the whole history may be under
    // way.
    const bool kept =
        compaction.keep == Keep::from_record || compaction.keep == Keep::from_index || compaction.keep == Keep::unknown;
    waits_ = compaction.kind == CompactionKind::summary && kept && report_.last > 0;
    if (!waits_) empty_window();
    by_hand_ = compaction.trigger == CompactionTrigger::manual;
    freed_known_ = compaction.tokens_before && compaction.tokens_after;
    if (anew_) return;  // nothing was compacted: it was thrown away
    ++report_.compactions;
    if (freed_known_ && *compaction.tokens_before > *compaction.tokens_after) {
        report_.freed += *compaction.tokens_before - *compaction.tokens_after;
    }
}

const ContextRequest& ContextMeter::request(const EventHeader& head, const RequestFigures& figures,
                                            const ToolTable& tools) {
    ContextRequest& r = request_;
    r.miss = CacheMiss::none;
    r.missed_tokens = 0;
    r.pause_ms = -1;
    r.figures = figures;
    r.where = head.where;
    r.seq = head.seq;
    r.time_ms = head.time_ms;
    r.ordinal = ++report_.requests;
    r.context_before = report_.last;
    r.compactions = compactions_;
    r.compacted_by_hand = by_hand_;
    const std::uint64_t context = figures.context;
    const bool shrunk = context > 0 && context < report_.last - report_.last / 4;
    const bool compacted = compacted_ && takes_effect(context);
    if (compacted && shrunk && !freed_known_ && !anew_) report_.freed += report_.last - context;
    if (compacted || shrunk) begin_window(context, compacted, tools);
    note_cache(head, r, compacted);
    weigh(context);
    r.tokens_per_byte = scale_;
    if (figures.window > 0) report_.window = figures.window;
    if (report_.first == 0) report_.first = context;
    if (context > report_.last && report_.last > 0) report_.grown += context - report_.last;
    if (context > report_.peak) {
        report_.peak = context;
        report_.peak_line = head.where.line;
        at_peak_ = true;
        for (std::size_t i = 0; i < kContextParts; ++i) peak_weights_[i] = weights_[i] - own_[i];
        peak_scale_ = scale_;
        peak_carried_ = carried_;
    }
    report_.last = context;
    r.recent_share_percent = recent_percent(context);
    note_course(context);
    edited_ = false;
    settle_own();
    return r;
}

bool ContextMeter::takes_effect(std::uint64_t context) const {
    return !waits_ || (context > 0 && context < report_.last);
}

// The prompt is the first one of a window that was emptied, by a compaction or, untold, by results that were cleared
// and turns that were taken back. What is not recorded cannot be more than the shortest prompt.
void ContextMeter::begin_window(std::uint64_t context, bool told, const ToolTable& tools) {
    keep_peak(tools);
    if (!told) {
        mark_window();
        edited_ = true;
    }
    if (!told || waits_) {
        empty_window();
        window_start_ = report_.requests;
    }
    const double rest =
        std::max(0.0, static_cast<double>(context) - scale_ * static_cast<double>(weight_ - own_weight_));
    unseen_ = anew_ ? rest : std::min(unseen_, rest);
    carried_ = rest - unseen_;
    untold_ = !told;
    compacted_ = waits_ = anew_ = freed_known_ = false;
}

// Prompt = what nobody recorded + what a compaction left + a number of tokens for each byte. The first request tells
// the first, the others tell the last.
void ContextMeter::weigh(std::uint64_t context) {
    const auto bytes = static_cast<double>(weight_ - own_weight_);  // usage stands behind the answer in most recordings
    const auto prompt = static_cast<double>(context);
    if (report_.first == 0) {
        unseen_ = std::max(0.0, prompt - scale_ * bytes);
        carried_ = 0;
    }
    const double rest = prompt - unseen_ - carried_;
    if (rest < 0) {  // bit by bit, more went than came
        unseen_ = std::min(unseen_, prompt);
        carried_ = prompt - unseen_;
    } else if (bytes > 0 && rest > 0) {
        scale_ = std::min(rest / bytes, kMostTokens);
    }
}

PartTokens ContextMeter::parts_of(std::uint64_t context) const {
    PartTokens parts{};
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kContextParts; ++i) {
        parts[i] = rounded(peak_scale_ * static_cast<double>(peak_weights_[i]));
        sum += parts[i];
    }
    auto& carried = parts[static_cast<std::size_t>(ContextPart::carried)];
    carried = std::min(rounded(peak_carried_), context);
    sum += carried;
    auto& system = parts[static_cast<std::size_t>(ContextPart::system)];
    if (sum <= context) {
        system += context - sum;
        return parts;
    }
    // More than the request: what was sent is not all that stands here. All parts give way alike.
    std::uint64_t left = context;
    for (std::uint64_t& part : parts) {
        part = static_cast<std::uint64_t>(static_cast<double>(part) * static_cast<double>(context) /
                                          static_cast<double>(sum));
        left -= std::min(left, part);
    }
    system += left;
    return parts;
}

// Only when the window is emptied: most requests are the fullest so far.
void ContextMeter::keep_peak(const ToolTable& tools) {
    if (!at_peak_) return;
    at_peak_ = false;
    report_.parts = parts_of(report_.peak);
    report_.shrank_untold = untold_;
    const auto results = static_cast<double>(report_.parts[static_cast<std::size_t>(ContextPart::results)]);
    const auto bytes =
        static_cast<double>(std::max<std::uint64_t>(1, weights_[static_cast<std::size_t>(ContextPart::results)]));
    const auto tokens_of = [&](std::uint64_t part) { return rounded(results * static_cast<double>(part) / bytes); };
    report_.tools.clear();
    report_.files.clear();
    if (results == 0) return;  // those that are known came later
    for (const std::size_t i : heaviest(tools_.size(), [&](std::size_t at) { return tools_[at].bytes; })) {
        if (tools_[i].bytes == 0) break;
        report_.tools.push_back(
            {std::string(tools.name(static_cast<ToolTable::Index>(i))), tokens_of(tools_[i].bytes), tools_[i].results});
    }
    for (const std::size_t i : heaviest(files_.size(), [&](std::size_t at) { return files_[at].bytes; })) {
        const File& file = files_[i];
        const std::string_view name(file.name.data(), file.name_size);
        const bool plain = file.form == TextForm::plain || name.find('\\') == name.npos;
        report_.files.push_back(
            {plain ? std::string(cut_utf8(name, kLongestName)) : decode_json_string(name, kLongestName),
             tokens_of(file.bytes), file.results});
    }
}

void ContextMeter::note_cache(const EventHeader& head, ContextRequest& r, bool compacted) {
    const TokenCounts& now = r.figures.tokens;
    report_.prompt += now.prompt();
    report_.cache_read += now.cache_read;
    if (time_before_ != kNoTime && head.time_ms != kNoTime)
        r.pause_ms = std::max<std::int64_t>(0, head.time_ms - time_before_);
    // What can be read is what the request before read and wrote; providers without writes keep what they were sent.
    const bool writes = tokens_before_.cache_write > 0;
    const std::uint64_t kept = tokens_before_.cache_read + tokens_before_.cache_write;
    const bool cached = kept > 0 && (writes || tokens_before_.cache_read > 0);
    if (cached && now.prompt() > 0 && now.cache_read + std::max(kLeastMissed, kept / 10) < kept) {
        const std::uint64_t missed = std::min(kept, now.prompt()) - std::min(now.cache_read, now.prompt());
        if (missed >= kLeastMissed) {
            r.missed_tokens = missed;
            r.miss = reason(r, compacted);
            ++report_.misses[static_cast<std::size_t>(r.miss)];
            report_.missed_tokens[static_cast<std::size_t>(r.miss)] += missed;
        }
    }
    tokens_before_ = now;
    model_before_ = r.figures.model;
    if (head.time_ms != kNoTime) time_before_ = head.time_ms;
}

// What is read after a pause shows that entries were alive: then it was the edit.
CacheMiss ContextMeter::reason(const ContextRequest& r, bool compacted) const {
    const bool read = r.figures.tokens.cache_read >= kLeastMissed;
    const std::int64_t ttl_ms = std::int64_t{r.figures.cache_ttl_s} * 1000;
    if (compacted) return CacheMiss::compaction;
    if (model_before_ != r.figures.model) return CacheMiss::model;
    if (ttl_ms > 0 && r.pause_ms >= ttl_ms && !(edited_ && read)) return CacheMiss::pause;
    if (edited_) return CacheMiss::edit;
    return read ? CacheMiss::history : CacheMiss::unknown;
}

// Half as many points, each of twice as many requests, when there are too many.
void ContextMeter::note_course(std::uint64_t context) {
    auto& course = report_.course;
    const bool fresh = (report_.requests - 1) % stride_ == 0;
    if (fresh && course.size() == LaneContext::kPoints) {
        for (std::size_t i = 0; i < LaneContext::kPoints / 2; ++i)
            course[i] = std::max(course[2 * i], course[2 * i + 1]);
        course.resize(LaneContext::kPoints / 2);
        stride_ *= 2;
    }
    if (fresh) course.push_back(0);
    course.back() = std::max(course.back(), context);
}

// Recent is what came in the last requests, and files that were looked at again in them.
std::uint64_t ContextMeter::recent_percent(std::uint64_t context) {
    const std::uint64_t now = report_.requests;
    std::uint64_t& then = weight_at_[now % kRecent];
    const std::uint64_t held = window_start_ + kRecent <= now ? then : 0;
    const std::uint64_t all = weight_;
    then = all;
    if (held == 0 || context * 2 < report_.window || report_.window == 0) return 100;
    double recent = static_cast<double>(all - std::min(held, all));
    for (const File& file : files_) {
        if (file.touched + kRecent >= now) recent += static_cast<double>(file.bytes);
    }
    return std::min<std::uint64_t>(100,
                                   static_cast<std::uint64_t>(100.0 * recent * scale_ / static_cast<double>(context)));
}

LaneContext ContextMeter::finish(const ToolTable& tools) {
    keep_peak(tools);
    return std::move(report_);
}

void join(LaneContext& first, LaneContext second) {
    // The course goes on; where both have many points, every other one must do.
    first.course.insert(first.course.end(), second.course.begin(), second.course.end());
    if (first.course.size() > LaneContext::kPoints) {
        std::size_t kept = 0;
        for (std::size_t i = (first.course.size() - 1) % 2; i < first.course.size(); i += 2)
            first.course[kept++] = first.course[i];
        first.course.resize(kept);
    }
    second.course = std::move(first.course);
    second.first = first.first;
    second.requests += first.requests;
    second.grown += first.grown;
    second.rereads += first.rereads;
    second.reread_tokens += first.reread_tokens;
    second.compactions += first.compactions;
    second.freed += first.freed;
    second.prompt += first.prompt;
    second.cache_read += first.cache_read;
    for (std::size_t i = 0; i < kCacheMisses; ++i) {
        second.misses[i] += first.misses[i];
        second.missed_tokens[i] += first.missed_tokens[i];
    }
    if (second.window == 0) second.window = first.window;
    if (first.peak >= second.peak) {
        second.peak = first.peak;
        second.peak_line = first.peak_line;
        second.parts = first.parts;
        second.shrank_untold = first.shrank_untold;
        second.tools = std::move(first.tools);
        second.files = std::move(first.files);
    }
    first = std::move(second);
}

}  // namespace agent_audit::detectors
