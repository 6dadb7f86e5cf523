#include "profiles/all.hpp"
#include "profiles/chanting.hpp"
#include "profiles/rule.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <vector>

namespace agent_audit::profiles {
namespace {

// Always on.
constexpr int kSameCalls = 5;
constexpr int kGitOverviews = 8;
constexpr std::uint64_t kSoftCap = 100;  // calls of one turn
constexpr std::uint64_t kHardCap = 1000;
// Heuristics.
constexpr std::uint64_t kAnywhere = 6;   // the same call in one turn
constexpr std::size_t kAlternation = 6;  // calls
constexpr std::size_t kReads = 8;        // of
constexpr std::size_t kReadWindow = 15;  // calls
constexpr int kSameTool = 8;
constexpr std::size_t kSameThoughts = 3;
constexpr std::size_t kThoughtChars = 200;
constexpr std::size_t kTextWindow = 4000;
constexpr std::size_t kTextSlack = 1000;
constexpr std::size_t kClustered = 10;
constexpr std::size_t kEvenlySpaced = 5;
constexpr std::size_t kEvenlySpacedInFullWindow = 3;
constexpr std::size_t kSmallestRegion = 1000;

constexpr std::string_view kTaskList = "task_list";
constexpr std::size_t kAsked = 500;           // task lists waiting for their answer
constexpr std::size_t kRemembered = 100'000;  // different calls of one turn; the hard cap ends a turn long before

// Names of before a renaming.
std::string canonical_name(std::string_view name) {
    if (name == "search_file_content") return "grep_search";
    if (name == "replace") return "edit";
    if (name == "task") return "agent";
    return std::string(name);
}

// ---- git overview commands -------------------------------------------------------------------------------------

bool is_blank(char c) { return c == ' ' || (c >= 9 && c <= 13); }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
        const auto end = std::ranges::find_if(text, is_blank);
        words.emplace_back(text.begin(), end);
        text.remove_prefix(words.back().size());
    }
    return words;
}

bool is_hex(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
}

// HEAD, @, HEAD~2^, a commit id, a..b
bool is_revision(std::string_view word) {
    for (const std::string_view base : {"HEAD", "@"}) {
        if (!word.starts_with(base)) continue;
        const std::string_view rest = word.substr(base.size());
        if (rest.empty()) return true;
        const bool steps =
            std::ranges::all_of(rest, [](char c) { return c == '~' || c == '^' || (c >= '0' && c <= '9'); });
        if (steps && (rest[0] == '~' || rest[0] == '^')) return true;
    }
    if (word.size() >= 7 && word.size() <= 40 && is_hex(word)) return true;
    const std::size_t dots = word.find("..", 1);
    return dots != word.npos && dots + 2 < word.size();
}

bool is_overview_diff(std::string_view arguments) {
    const auto words = words_of(arguments);
    const auto paths = std::ranges::find(words, "--");
    if (paths != words.end() && paths + 1 != words.end()) return false;
    return std::ranges::all_of(words, [](std::string_view w) { return w.starts_with('-') || is_revision(w); });
}

// git, options for the program itself, then status, diff or ls-files.
bool is_git_overview(std::string_view segment) {
    if (lowered(segment.substr(0, 3)) != "git") return false;
    std::string_view rest = segment.substr(3);
    const auto next_word = [&] {
        if (rest.empty() || !is_blank(rest[0])) return std::string_view{};
        rest = trimmed(rest);
        return rest.substr(0, static_cast<std::size_t>(std::ranges::find_if(rest, is_blank) - rest.begin()));
    };
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
        const std::string option = lowered(word);
        if (option == "--no-pager" || option == "-c") {
            rest.remove_prefix(word.size());
            if (option == "-c") rest.remove_prefix(next_word().size());
            continue;
        }
        for (const std::string_view command : {"status", "diff", "ls-files"}) {
            if (!option.starts_with(command)) continue;
            if (option.size() > command.size() && is_word(option[command.size()])) continue;
            return command != "diff" || is_overview_diff(rest.substr(command.size()));
        }
        return false;
    }
    return false;
}

bool only_git_overviews(std::string_view command) {
    std::size_t overviews = 0;
    while (!command.empty()) {
        const std::size_t end = std::min(command.find_first_of(";&|\n"), command.size());
        const std::string_view segment = trimmed(command.substr(0, end));
        command.remove_prefix(std::min(end + 1, command.size()));
        if (segment.empty()) continue;
        if (!is_git_overview(segment)) return false;
        ++overviews;
    }
    return overviews > 0;
}

// ---- text ------------------------------------------------------------------------------------------------------

// Chunks close together, or evenly spaced in a region that repeats exactly. Text and reasoning share one history.
class Chant {
public:
    void clear() { text_.clear(); }

    bool in_message(std::u16string_view piece) {
        const Markdown seen = look_at_markdown(piece, {.dash_is_bullet = true, .wide_divider = false});
        if (seen.fences > 0 || seen.structure || seen.divider) text_.clear();
        const bool was_in_code = in_code_;
        if (seen.fences % 2 == 1) in_code_ = !in_code_;
        if (was_in_code || in_code_ || seen.divider) return false;
        return in_text(piece);
    }

    bool in_text(std::u16string_view piece) {
        text_.append(piece);
        if (text_.size() > kTextWindow + kTextSlack) text_.keep_last(kTextWindow);
        for (; text_.has_chunk(); text_.step()) {
            if (repeats_here()) return true;
        }
        return false;
    }

private:
    std::size_t window_start() const { return text_.size() > kTextWindow ? text_.size() - kTextWindow : 0; }

    bool repeats_here() {
        auto& places = text_.places();
        const std::size_t start = window_start();
        std::erase_if(places, [start](std::uint32_t place) { return place < start; });
        const bool known = !places.empty();
        places.push_back(static_cast<std::uint32_t>(text_.here()));
        return known && (clustered(places) || evenly_spaced(places));
    }

    static bool clustered(const std::vector<std::uint32_t>& places) {
        if (places.size() < kClustered) return false;
        return 2 * (places.back() - places[places.size() - kClustered]) <= 3 * ChunkHistory::kChunk * (kClustered - 1);
    }

    bool evenly_spaced(const std::vector<std::uint32_t>& places) const {
        if (places.size() < kEvenlySpacedInFullWindow) return false;
        const std::size_t last = places.size() - 1;
        const std::uint32_t distance = places[last] - places[last - 1];
        std::size_t first = last;
        while (first > 0 && places[first] - places[first - 1] == distance) --first;
        const std::size_t run = last - first + 1;
        const std::size_t end = places[last] + ChunkHistory::kChunk;
        if (run >= kEvenlySpaced) return repeats(places[first], end, distance);
        return run >= kEvenlySpacedInFullWindow && text_.size() >= kTextWindow &&
               repeats(window_start(), end, distance);
    }

    bool repeats(std::size_t from, std::size_t to, std::size_t distance) const {
        return to >= from + kSmallestRegion && text_.is_periodic(from, to, distance);
    }

    ChunkHistory text_;
    bool in_code_ = false;
};

// ---- the rules -------------------------------------------------------------------------------------------------

class QwenCode final : public PeerRule {
public:
    explicit QwenCode(bool heuristics) : heuristics_(heuristics) {}

    void on_call(const PeerCall& recorded, const Arguments& arguments) override {
        const Call call = unwrapped(recorded, arguments);
        if (call.stateful)
            remember_board(recorded.at.seq, call);
        else
            count_for_cap(call.key);
        if (same_again(call)) return stop("same call 5x", recorded.at);
        if (overview_again(call, arguments)) return stop("git overviews 8x", recorded.at);
        if (over_the_cap()) return stop("turn cap", recorded.at);
        if (heuristics_) check_heuristics(call, recorded.at);
    }

    // Answers are looked at for one tool only: a task list whose content changes is progress.
    void on_result(const PeerCall& recorded, const PeerResult& result) override {
        const auto asked = asked_.find(recorded.at.seq);
        if (asked == asked_.end()) return;
        const std::uint64_t key = asked->second;
        asked_.erase(asked);
        Board& board = boards_[key];
        const bool changed = board.known && board.fingerprint != result.hash;
        if (last_key_ == key) {
            ++board.results;
            if (board.known) board.unchanged = changed ? 0 : board.unchanged + 1;
        }
        if (changed && last_name_ == kTaskList) same_name_ = 1;
        board.in_a_row = board.known && !changed ? board.in_a_row + 1 : 1;
        board.known = true;
        board.fingerprint = result.hash;
        most_repeated_ = std::max(most_repeated_, board.in_a_row);
        if (heuristics_ && board.in_a_row >= kAnywhere) stop("same call 6x", result.at);
    }

    void on_text(const PeerText& text) override {
        if (heuristics_ && chant_.in_message(utf16(text.text))) stop("chanting", text.at);
    }

    void on_reasoning(const PeerText& text) override {
        if (!heuristics_) return;
        const std::u16string thought = utf16(text.text);
        if (same_thought(thought)) return stop("same thought 3x", text.at);
        if (!thought.empty() && chant_.in_text(thought)) stop("chanting", text.at);
    }

    void on_user(const Spot&) override {
        last_key_ = 0;
        same_calls_ = overviews_ = 0;
        total_ = most_repeated_ = 0;
        counts_.clear();
        boards_.clear();
        asked_.clear();
        recent_keys_.clear();
        recent_reads_.clear();
        same_name_ = 0;
        last_name_.clear();
        seen_other_than_read_ = false;
        thoughts_.clear();
        chant_.clear();
    }

private:
    struct Call {
        std::string name;
        std::uint64_t key = 0;
        bool stateful = false;
    };

    // What is remembered of a task list: the results of the current streak, and of all.
    struct Board {
        bool known = false;
        std::uint64_t fingerprint = 0;
        int results = 0;
        int unchanged = 0;
        std::uint64_t in_a_row = 0;
    };

    // A call through the bridge counts as a call of its target.
    static Call unwrapped(const PeerCall& call, const Arguments& arguments) {
        std::string name = call.name;
        std::uint64_t key = call.sorted;
        if (call.name == "tool_call") {
            if (const auto target = arguments.text("name")) {
                name = lowered(canonical_name(*target));
                key = arguments.object_hash("arguments").value_or(call.sorted);
            }
        }
        return {name, mix_hash(stable_hash(canonical_name(name)), key), name == kTaskList};
    }

    void count_for_cap(std::uint64_t key) {
        if (counts_.size() >= kRemembered) return;
        most_repeated_ = std::max(most_repeated_, ++counts_[key]);
    }

    void remember_board(std::uint64_t seq, const Call& call) {
        if (asked_.size() < kAsked) asked_[seq] = call.key;
    }

    void forget_streak(std::uint64_t key) {
        if (const auto board = boards_.find(key); board != boards_.end())
            board->second.results = board->second.unchanged = 0;
    }

    bool same_again(const Call& call) {
        if (last_key_ == call.key && same_calls_ > 0) {
            ++same_calls_;
        } else {
            forget_streak(last_key_);
            forget_streak(call.key);
            last_key_ = call.key;
            same_calls_ = 1;
        }
        if (same_calls_ < kSameCalls) return false;
        if (!call.stateful) return true;
        const auto board = boards_.find(call.key);
        const int expected = same_calls_ - 1;
        if (board == boards_.end() || board->second.results < expected || board->second.unchanged >= expected - 1)
            return true;
        same_calls_ = 1;
        forget_streak(call.key);
        return false;
    }

    bool overview_again(const Call& call, const Arguments& arguments) {
        const auto command = arguments.text("command");
        const bool overview = call.name == "run_shell_command" && command && only_git_overviews(*command);
        overviews_ = overview ? overviews_ + 1 : 0;
        return overviews_ >= kGitOverviews;
    }

    bool over_the_cap() {
        ++total_;
        return total_ > kSoftCap && (total_ > kHardCap || most_repeated_ >= kAnywhere);
    }

    void check_heuristics(const Call& call, const Spot& at) {
        chant_.clear();
        thoughts_.clear();
        track(call);
        if (!call.stateful && counts_[call.key] >= kAnywhere) stop("same call 6x", at);
        if (alternates(call.key)) stop("ABABAB", at);
        const auto reads = static_cast<std::size_t>(std::ranges::count(recent_reads_, true));
        if (seen_other_than_read_ && reads >= kReads) stop("8 reads of 15", at);
        if (same_name_ >= kSameTool) stop("same tool 8x", at);
    }

    void track(const Call& call) {
        const bool read = call.name.starts_with("read_") || call.name.starts_with("list_") || call.name == "zoom_image";
        recent_reads_.push_back(read);
        if (recent_reads_.size() > kReadWindow) recent_reads_.pop_front();
        seen_other_than_read_ = seen_other_than_read_ || !read;
        same_name_ = last_name_ == call.name && same_name_ > 0 ? same_name_ + 1 : 1;
        last_name_ = call.name;
    }

    bool alternates(std::uint64_t key) {
        recent_keys_.push_back(key);
        if (recent_keys_.size() > kAlternation) recent_keys_.pop_front();
        if (recent_keys_.size() < kAlternation || recent_keys_[0] == recent_keys_[1]) return false;
        for (std::size_t i = 2; i < kAlternation; ++i) {
            if (recent_keys_[i] != recent_keys_[i - 2]) return false;
        }
        return true;
    }

    bool same_thought(std::u16string_view thought) {
        std::u16string beginning(js_trim(thought));
        for (char16_t& c : beginning) c = c >= u'A' && c <= u'Z' ? static_cast<char16_t>(c + 32) : c;
        beginning.resize(std::min(beginning.size(), kThoughtChars));
        thoughts_.push_back(std::move(beginning));
        if (thoughts_.size() > kSameThoughts) thoughts_.pop_front();
        return thoughts_.size() == kSameThoughts &&
               std::ranges::all_of(thoughts_, [&](const auto& other) { return other == thoughts_.front(); });
    }

    bool heuristics_;
    std::uint64_t last_key_ = 0;
    int same_calls_ = 0;
    int overviews_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t most_repeated_ = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> counts_;  // by call
    std::unordered_map<std::uint64_t, Board> boards_;
    std::unordered_map<std::uint64_t, std::uint64_t> asked_;  // call (by place) to key
    std::deque<std::uint64_t> recent_keys_;
    std::deque<bool> recent_reads_;
    int same_name_ = 0;
    std::string last_name_;
    bool seen_other_than_read_ = false;
    std::deque<std::u16string> thoughts_;
    Chant chant_;
};

constexpr std::string_view kStops = "the turn ends";

}  // namespace

ProfileSpec qwen_code() {
    return {
        "qwen-code",
        "qwen-code 0.24.4, as it comes",
        "the same call 5 times in a row (keys sorted; task_list only while its answer stays the same), 8 shell calls "
        "in a row that only look at git, or more than 100 calls in a turn with one of them 6 times (1,000 in any case)",
        "",
        kStops,
        "retries of the provider, and results that were saved to a file and replaced by a stub",
        []() -> std::unique_ptr<PeerRule> { return std::make_unique<QwenCode>(false); }};
}

ProfileSpec qwen_code_heuristics() {
    return {
        "qwen-code+heuristics",
        "qwen-code 0.24.4 with model.skipLoopDetection = false",
        "as qwen-code, and: the same call 6 times in a turn, ABABAB, 8 reads in 15 calls after the first other tool, "
        "8 calls of one tool in a row, 3 equal thoughts in a row, or chanting in text or reasoning",
        "",
        kStops,
        "as for qwen-code; text and reasoning are seen a block at a time, not as they streamed",
        []() -> std::unique_ptr<PeerRule> { return std::make_unique<QwenCode>(true); }};
}

}  // namespace agent_audit::profiles
