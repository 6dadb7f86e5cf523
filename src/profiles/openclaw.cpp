#include "profiles/all.hpp"
#include "profiles/rule.hpp"

#include <re2/re2.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <vector>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kHistory = 30;
constexpr int kWarn = 10;
constexpr int kCritical = 20;
constexpr int kBreaker = 30;
constexpr int kCallsOfAVariant = 3;
constexpr std::size_t kGuardWindow = 3;  // calls after a compaction

enum class Outcome : std::uint8_t { none, plain, failed_command };

struct Entry {
    std::uint64_t seq = 0;  // of the call: stands for its id
    std::uint64_t tool = 0;
    std::uint64_t call = 0;
    std::uint64_t result = 0;        // 0 = not known yet
    std::uint64_t failure = 0;       // of a failed command, without what changes from run to run
    std::uint64_t missing_tool = 0;  // the name that was "not found"
    Outcome outcome = Outcome::none;
    bool no_progress = false;
};

std::string policy_name(std::string_view recorded) {
    std::string name(recorded);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const auto first = name.find_first_not_of(" \t\r\n");
    if (first == name.npos) return {};
    name = name.substr(first, name.find_last_not_of(" \t\r\n") - first + 1);
    if (name == "bash") return "exec";
    if (name == "apply-patch") return "apply_patch";
    if (name == "cron") return "automations";
    return name;
}

// ---- outcomes --------------------------------------------------------------------------------------------------

// The wrapper around foreign text carries a new id each time.
std::string without_wrapper_ids(std::string text) {
    static const re2::RE2 id(R"((<<<(?:END_)?EXTERNAL_UNTRUSTED_CONTENT id=\\*")[a-f0-9]{16})");
    if (text.find("EXTERNAL_UNTRUSTED_CONTENT") != text.npos) re2::RE2::GlobalReplace(&text, id, R"(\1#)");
    return text;
}

std::string without_run_details(std::string text) {
    static const re2::RE2 patterns[] = {
        re2::RE2(R"((?i)\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:z|[+-]\d{2}:\d{2})?)"),
        re2::RE2(R"(\d{1,2}:\d{2}:\d{2}(?:\.\d{1,6})?)"),
        re2::RE2(R"((?i)\b(?:attempt|retry)\b[\s#:=]*\d+)"),
        re2::RE2(R"((?i)\b\d+(?:\.\d+)?\s?(?:ns|us|ms|seconds?|minutes?|hours?|s)\b)"),
        re2::RE2(R"((?i)\b(?:pid|ppid)\b[\s#:=]*\d+)"),
    };
    for (const re2::RE2& pattern : patterns) re2::RE2::GlobalReplace(&text, pattern, "#");
    return text;
}

std::uint64_t missing_tool(std::string_view error) {
    static const re2::RE2 unknown(R"((?i)unknown tool[:\s]+["']?([a-z0-9_.-]+)["']?)");
    static const re2::RE2 not_found(R"((?i)tool\s+["']?([a-z0-9_.-]+)["']?\s+(?:not found|is not available))");
    std::string name;
    const re2::StringPiece text(error.data(), error.size());
    if (!re2::RE2::PartialMatch(text, unknown, &name) && !re2::RE2::PartialMatch(text, not_found, &name)) return 0;
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return stable_hash(name) | 1;
}

std::uint64_t digest(std::string_view kind, std::string_view text, std::int64_t number = 0) {
    return mix_hash(mix_hash(stable_hash(kind), stable_hash(text)), static_cast<std::uint64_t>(number)) | 1;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n\v\f");
    return first == text.npos ? std::string_view{}
                              : text.substr(first, text.find_last_not_of(" \t\r\n\v\f") - first + 1);
}

void judge_command(Entry& entry, const PeerResult& result, const std::string& text) {
    const int code = result.exit_code.value_or(0);
    entry.outcome = Outcome::plain;
    entry.result = digest(result.status == ResultStatus::running ? "running"
                          : code == 0                            ? "completed"
                                                                 : "failed",
                          text, code);
    const bool said_something = !text.empty() && text != fmt::format("(Command exited with code {})", code);
    if (result.status == ResultStatus::running || code == 0 || !said_something) return;
    entry.outcome = Outcome::failed_command;
    entry.failure = digest("failure", without_run_details(text), code);
}

void judge(Entry& entry, const std::string& tool, const PeerResult& result) {
    const std::string text = without_wrapper_ids(std::string(trimmed(result.text)));
    if (tool == "exec" && (result.exit_code || result.status == ResultStatus::running)) {
        return judge_command(entry, result, text);
    }
    entry.outcome = Outcome::plain;
    if (result.status == ResultStatus::error) {  // the tool threw
        entry.result = digest("error", text);
        entry.no_progress = true;
        entry.missing_tool = missing_tool(text);
        return;
    }
    entry.result = digest("text", text, result.exit_code.value_or(0));
    if (tool == "process") entry.result = mix_hash(entry.result, static_cast<std::uint64_t>(result.status)) | 1;
}

// ---- streaks ---------------------------------------------------------------------------------------------------

using History = std::deque<Entry>;

int missing_tool_streak(const History& history, std::uint64_t tool) {
    int streak = 0;
    std::uint64_t missing = 0;
    for (auto e = history.rbegin(); e != history.rend(); ++e, ++streak) {
        if (e->tool != tool || e->missing_tool == 0 || (missing != 0 && e->missing_tool != missing)) break;
        missing = e->missing_tool;
    }
    return streak;
}

// All records of the same call, whatever lies between, as long as they ended alike.
int same_outcome_streak(const History& history, std::uint64_t call) {
    int streak = 0;
    std::uint64_t latest = 0;
    for (auto e = history.rbegin(); e != history.rend(); ++e) {
        if (e->call != call || e->result == 0) continue;
        if (latest != 0 && e->result != latest) break;
        latest = e->result;
        ++streak;
    }
    return streak;
}

// Commands that failed alike, one after the other, with other arguments too.
int same_failure_streak(const History& history, std::uint64_t exec, std::uint64_t call) {
    int streak = 0;
    const Entry* latest = nullptr;
    bool other_arguments = false;
    for (auto e = history.rbegin(); e != history.rend(); ++e) {
        if (e->tool != exec) break;
        if (e->result == 0) continue;
        if (e->outcome != Outcome::failed_command) break;
        if (!latest) {
            latest = &*e;
            other_arguments = e->call != call;
            streak = 1;
            continue;
        }
        if (other_arguments && e->call == call) break;
        other_arguments = other_arguments || e->call != call;
        if (e->result != latest->result && e->failure != latest->failure) break;
        ++streak;
    }
    return streak;
}

// Calls in a row that alternate between two, the current one included; `frozen` when each side always ended alike.
int alternation(const History& history, std::uint64_t call, bool& frozen) {
    frozen = false;
    if (history.empty()) return 0;
    const std::uint64_t last = history.back().call;
    const auto other = std::find_if(history.rbegin(), history.rend(), [&](const Entry& e) { return e.call != last; });
    if (other == history.rend() || other->call != call) return 0;
    int count = 0;
    std::uint64_t results[2] = {0, 0};
    frozen = true;
    for (auto e = history.rbegin(); e != history.rend(); ++e, ++count) {
        if (e->call != (count % 2 == 0 ? last : call)) break;
        std::uint64_t& side = results[count % 2];
        if (side == 0) side = e->result;
        frozen = frozen && e->result != 0 && e->result == side;
    }
    if (count < 2) return 0;
    frozen = frozen && results[0] != 0 && results[1] != 0;
    return count + 1;
}

// One tool that goes through a few argument variants, each with the same useless outcome.
int churn(const History& history, std::uint64_t tool, std::uint64_t call) {
    struct Variant {
        std::uint64_t call, result;
        int count;
    };
    std::vector<Variant> variants;
    for (auto e = history.rbegin(); e != history.rend() && e->tool == tool; ++e) {
        if (e->result == 0) continue;
        if (!e->no_progress) break;
        const auto known = std::ranges::find(variants, e->call, &Variant::call);
        if (known == variants.end())
            variants.push_back({e->call, e->result, 1});
        else if (known->result != e->result)
            break;
        else
            ++known->count;
    }
    int total = 0;
    for (const Variant& v : variants) {
        if (v.count < kCallsOfAVariant || v.result != variants.front().result) return 0;
        total += v.count;
    }
    const bool current = std::ranges::find(variants, call, &Variant::call) != variants.end();
    return variants.size() > 1 && current ? total : 0;
}

class OpenClaw final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments&) override {
        Entry entry;
        entry.seq = call.at.seq;
        const std::string tool = policy_name(call.name);
        entry.tool = stable_hash(tool);
        entry.call = mix_hash(entry.tool, call.sorted);
        check(entry, tool, call);
        history_.push_back(entry);
        if (history_.size() > kHistory) history_.pop_front();
    }

    void on_result(const PeerCall& call, const PeerResult& result) override {
        const std::string tool = policy_name(call.name);
        auto entry =
            std::find_if(history_.rbegin(), history_.rend(), [&](const Entry& e) { return e.seq == call.at.seq; });
        if (entry == history_.rend()) {  // the call has left the window: its outcome comes in as a record of its own
            history_.push_back({});
            entry = history_.rbegin();
            entry->seq = call.at.seq;
            entry->tool = stable_hash(tool);
            entry->call = mix_hash(entry->tool, call.sorted);
        }
        judge(*entry, tool, result);
        guard(*entry, result.at);
        if (history_.size() > kHistory) history_.pop_front();
    }

    void on_user(const Spot&) override {  // a new run: nothing of the last one counts
        history_.clear();
        guarded_.clear();
        guard_left_ = 0;
    }

    void on_compaction(const Spot&) override {
        guarded_.clear();
        guard_left_ = kGuardWindow;
    }

private:
    // Before the call runs, in the order of the original; the first that applies is the verdict.
    void check(const Entry& current, const std::string& tool, const PeerCall& call) {
        static const std::uint64_t exec = stable_hash("exec");
        const bool poll =
            tool == "command_status" || (tool == "process" && (call.action == "poll" || call.action == "log"));
        int streak = same_outcome_streak(history_, current.call);
        if (current.tool == exec) streak = std::max(streak, same_failure_streak(history_, exec, current.call));
        if (missing_tool_streak(history_, current.tool) >= kWarn) return stop("unknown tool 10x", call.at);
        if (streak >= kBreaker) return stop("circuit breaker", call.at);
        if (poll && streak >= kCritical) return stop("poll, no progress", call.at);
        if (poll && streak >= kWarn) return warn("poll, no progress", call.at);
        bool frozen = false;
        const int turns = alternation(history_, current.call, frozen);
        if (turns >= kCritical && frozen) return stop("ping-pong", call.at);
        if (turns >= kWarn) return warn("ping-pong", call.at);
        if (!poll && streak >= kCritical) return stop("generic repeat", call.at);
        if (churn(history_, current.tool, current.call) >= kWarn) return warn("argument churn", call.at);
        const auto again = std::ranges::count(history_, current.call, &Entry::call);
        if (!poll && again >= kWarn) return warn("generic repeat", call.at);
    }

    void guard(const Entry& entry, const Spot& at) {
        if (guard_left_ == 0) return;
        --guard_left_;
        guarded_.push_back(entry);
        const auto alike = std::ranges::count_if(
            guarded_, [&](const Entry& e) { return e.call == entry.call && e.result == entry.result; });
        if (static_cast<std::size_t>(alike) >= kGuardWindow) stop("after compaction", at);
    }

    History history_;
    std::vector<Entry> guarded_;
    std::size_t guard_left_ = 0;
};

}  // namespace

ProfileSpec openclaw() {
    return {
        "openclaw",
        "OpenClaw 2026.9.6 with tools.loopDetection.enabled, and its guard after compactions",
        "of the last 30 calls: the same call with the same outcome 10/20 times (whatever lies between), two calls in "
        "turn 10/20, a poll 10/20, a missing tool 10, a few argument variants 10; 3 equal calls with equal outcomes "
        "right after a compaction",
        "a note in the result of the call",
        "the call and its batch are blocked, or the run is aborted",
        "outcome fields that the recording leaves out (a message's delivery record, whether a write changed anything)",
        []() -> std::unique_ptr<PeerRule> { return std::make_unique<OpenClaw>(); }};
}

}  // namespace agent_audit::profiles
