#include <agent_audit/simulator/replay.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace agent_audit;
namespace sim = agent_audit::simulator;

namespace {

/// Events that read like a session. Every prompt is billed as 1,000 tokens of system prompt and one token for four
/// characters.
class Recording {
public:
    explicit Recording(bool billed = true) : billed_(billed) {}

    Recording& human(std::string text) {
        if (reasoning_ends_ == ReasoningEnds::with_turn) carried_ = 0;
        ++turn_;
        return emit(Message{Role::user, Origin::human, keep(std::move(text)), 0});
    }
    Recording& injects(std::string text, std::uint16_t flags) {
        emit(Message{Role::user, Origin::injected, keep(std::move(text)), 0});
        events_.back().head.flags = flags;
        return *this;
    }
    /// How long later prompts hold the reasoning of an answer.
    enum class ReasoningEnds { never, with_turn, at_once };
    /// Each answer spends so many tokens on reasoning, of which the recording has nothing but the bill.
    Recording& reasons(std::uint64_t tokens, ReasoningEnds ends) {
        reasoning_ = tokens;
        reasoning_ends_ = ends;
        return *this;
    }
    Recording& says(std::string text) {
        begin();
        emit(Message{Role::assistant, Origin::agent, keep(std::move(text)), 0});
        return bill();
    }
    Recording& call(std::string tool, std::string args, std::string result) {
        begin();
        ToolCall made;
        const std::string id = "call-" + std::to_string(++calls_);
        made.call_id = keep(id);
        made.name = keep(std::move(tool));
        made.primary = keep(args);
        made.args = {keep(R"({"path":")" + args + "\"}").bytes, TextForm::json_value};
        made.digest.canonical = std::hash<std::string_view>()(made.args.bytes) | 1;
        emit(made);
        bill();
        ToolResult answer;
        answer.call_id = keep(id);
        answer.text = keep(std::move(result));
        answer.status = ResultStatus::ok;
        answer.details = {details_, TextForm::json_value};
        return emit(answer);
    }
    /// Hangs on every result from now on.
    Recording& with_details(std::string json) {
        details_ = texts_.emplace_back(std::move(json));
        return *this;
    }
    /// By the human, between the answers.
    Recording& runs(std::string command, std::string output) {
        const IdHash before = std::exchange(response_, 0);
        ToolCall made;
        made.caller = Caller::user;
        made.name = keep("bash");
        made.primary = made.args = keep(std::move(command));
        made.digest.canonical = 1;
        emit(made);
        ToolResult answer;
        answer.text = keep(std::move(output));
        answer.status = ResultStatus::ok;
        emit(answer);
        response_ = before;
        return *this;
    }
    Recording& asks(std::string_view model) {
        model_ = model;
        return *this;
    }
    Recording& pauses(std::int64_t minutes) {
        paused_ms_ += minutes * 60'000;
        return *this;
    }
    Recording& compacted(std::string summary) {
        Compaction made;
        made.summary = keep(std::move(summary));
        made.keep = Keep::none;
        return emit(made);
    }
    /// Nothing goes: the summary stands before all that there is.
    Recording& summarised(std::string summary) {
        Compaction made;
        made.summary = keep(std::move(summary));
        made.keep = Keep::from_index;
        return emit(made);
    }
    /// From here on prompts are billed as if so many tokens stood before what is still to come, and nothing else.
    Recording& bills_anew(std::uint64_t base) {
        base_ = base;
        chars_ = 0;
        return *this;
    }
    Recording& rewinds(std::uint64_t events) {
        Rewind made;
        made.target = RewindTarget::last_events;
        made.count = events;
        return emit(made);
    }

    const std::vector<Event>& events() const { return events_; }

private:
    RawText keep(std::string text) {
        chars_ += text.size();
        return {texts_.emplace_back(std::move(text)), TextForm::plain};
    }
    template <class Body>
    Recording& emit(Body body) {
        Event event;
        event.head.seq = events_.size() + 1;
        event.head.where.line = events_.size() + 1;
        event.head.time_ms = static_cast<std::int64_t>(events_.size() + 1) * 1'000 + paused_ms_;
        event.head.response = response_;
        event.head.turn = turn_;
        event.body = body;
        events_.push_back(event);
        return *this;
    }
    void begin() {
        ++response_;
        prompt_ = base_ + chars_ / 4 + carried_;
    }
    Recording& bill() {
        if (!billed_) return *this;
        Usage usage;
        usage.tokens.input = prompt_;
        usage.model = {model_, TextForm::plain};
        usage.tokens.output = 10 + reasoning_;
        usage.tokens.reasoning = reasoning_;
        if (reasoning_ends_ != ReasoningEnds::at_once) carried_ += reasoning_;
        return emit(usage);
    }

    bool billed_;
    std::string_view model_;
    std::deque<std::string> texts_;
    std::string_view details_;
    std::vector<Event> events_;
    IdHash response_ = 0;
    std::int64_t paused_ms_ = 0;
    std::uint64_t chars_ = 0, prompt_ = 0, base_ = 1'000, reasoning_ = 0, carried_ = 0;
    ReasoningEnds reasoning_ends_ = ReasoningEnds::never;
    int calls_ = 0;
    std::uint32_t turn_ = 0;
};

struct Rows final : sim::RowSink {
    void on_row(std::string_view context, const sim::TurnRow& row) override { of[std::string(context)].push_back(row); }
    std::map<std::string, std::vector<sim::TurnRow>> of;
};

struct Replayed {
    sim::SessionOutcome outcome;
    Rows rows;

    const sim::PolicyOutcome& policy(std::string_view name) const {
        const auto found = std::ranges::find(outcome.policies, name, &sim::PolicyOutcome::policy);
        REQUIRE(found != outcome.policies.end());
        return *found;
    }
    std::uint64_t gave_way(std::string_view name) const {
        std::uint64_t sum = 0;
        for (const sim::TurnRow& row : rows.of.at(std::string(name)))
            for (const sim::CompactionRow& one : row.compactions) sum += one.tokens_in;
        return sum;
    }
};

Replayed replayed(const std::vector<Event>& events, std::vector<std::string_view> contexts, double window,
                  std::size_t count = SIZE_MAX, std::string model = {}, const sim::Policy* recorded_by = nullptr) {
    static const ModelTable models = ModelTable::shipped();
    sim::ReplaySettings settings;
    for (const std::string_view name : contexts) {
        const sim::Context* context = sim::find_context(name);
        REQUIRE_MESSAGE(context, std::string(name));
        settings.contexts.push_back(context);
    }
    settings.window_tokens = window;
    settings.model = std::move(model);
    settings.recorded_by = recorded_by;
    sim::WordsInMemory words;
    Replayed out;
    sim::SessionReplay replay(settings, models, words, &out.rows);
    for (std::size_t i = 0; i < std::min(count, events.size()); ++i) replay.on_event(events[i]);
    out.outcome = replay.finish();
    return out;
}

std::string prose(std::size_t chars) {
    std::string out;
    while (out.size() < chars) out += "some words that say little ";
    out.resize(chars);
    return out;
}

Recording long_session(int calls, std::size_t chars, bool billed = true) {
    Recording recording(billed);
    recording.human("please read all of these files");
    for (int i = 0; i < calls; ++i) recording.call("read", "src/file" + std::to_string(i) + ".cpp", prose(chars));
    recording.says("done");
    return recording;
}

std::vector<std::string_view> every_context() {
    std::vector<std::string_view> names;
    for (const sim::Context& context : sim::all_contexts()) names.push_back(context.name);
    return names;
}

bool same(const sim::TurnRow& a, const sim::TurnRow& b) {
    return a.request == b.request && a.tokens_before == b.tokens_before && a.tokens_after == b.tokens_after &&
           a.overflow == b.overflow && a.pruned.size() == b.pruned.size() &&
           a.compactions.size() == b.compactions.size() && a.cost == b.cost;
}

/// Any session: questions, results of all sizes, pauses, compactions and what was taken back. It ends with an answer.
Recording any_session(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&random](unsigned n) { return static_cast<std::size_t>(random() % n); };
    Recording recording(below(4) > 0);
    for (std::size_t turns = 1 + below(12); turns > 0; --turns) {
        recording.human(prose(5 + below(3'000)));
        for (std::size_t calls = below(9); calls > 0; --calls) {
            const std::size_t chars = below(5) == 0 ? 0 : below(2) == 0 ? below(500) : below(40'000);
            const std::string tool = below(3) == 0 ? "bash" : "read", path = "src/" + std::to_string(below(9));
            recording.call(tool, path, prose(chars));
        }
        if (below(6) == 0) recording.pauses(90);
        if (below(8) == 0) recording.compacted(prose(below(4'000)));
        if (below(3) > 0) recording.says(prose(1 + below(2'000)));
        if (below(9) == 0) recording.rewinds(1 + below(3));
    }
    recording.human("and then?");
    recording.says("done");
    return recording;
}

/// What the rows of one context come to is what is said of it.
void check_sums(const std::vector<sim::TurnRow>& rows, const sim::PolicyOutcome& policy) {
    std::uint64_t peak = 0, tokens = 0, compactions = 0, overflows = 0, read = 0, lost = 0;
    Money cost;
    for (const sim::TurnRow& row : rows) {
        peak = std::max(peak, row.tokens_after);
        tokens += row.tokens_after;
        compactions += row.compactions.size();
        overflows += row.overflow ? 1 : 0;
        if (row.cache) {
            read += row.cache->read;
            CHECK(row.cache->read + row.cache->write + row.cache->input == row.tokens_after);
        }
        if (row.cost) cost += *row.cost;
        for (const sim::RegretRow& one : row.regret) lost += one.tokens;
    }
    CHECK(policy.requests == rows.size());
    CHECK(policy.peak_tokens == peak);
    CHECK(policy.mean_tokens ==
          doctest::Approx(static_cast<double>(tokens) / static_cast<double>(rows.size())).epsilon(0.01));
    CHECK(policy.compactions == compactions);
    CHECK(policy.overflows == overflows);
    if (policy.cache) CHECK(policy.cache->read == read);
    if (policy.cost) CHECK(policy.cost->parts() == cost.parts());
    if (policy.regret) CHECK(policy.regret->tokens == lost);
}

bool is_masked(const sim::Msg& message) {
    return message.blocks.size() == 1 && message.blocks[0].text.copy().starts_with("<tool_output_masked");
}

}  // namespace

TEST_SUITE("replay") {
    TEST_CASE("contexts are sorted by name and every policy is one") {
        CHECK(std::ranges::is_sorted(sim::all_contexts(), {}, &sim::Context::name));
        for (const sim::Policy& policy : sim::all_policies()) {
            const sim::Context* context = sim::find_context(policy.name);
            REQUIRE(context);
            CHECK(context->policy == &policy);
        }
        for (const char* bound : {"never-forget", "hindsight", "recorded"}) CHECK(sim::find_context(bound));
        CHECK_FALSE(sim::find_context("nobody"));
    }

    TEST_CASE("each answer is one request, and its prompt is all that came before") {
        Recording recording;
        recording.human("hello").call("read", "a.txt", prose(4'000)).says("done");
        const Replayed done = replayed(recording.events(), {"none"}, 200'000);
        REQUIRE(done.rows.of.at("none").size() == 2);
        const auto& rows = done.rows.of.at("none");
        CHECK(rows[0].request == 1);
        CHECK(*rows[0].tokens_recorded == 1'001);
        CHECK(rows[1].tokens_after > rows[0].tokens_after + 500);
        CHECK(done.outcome.messages == 4);
    }

    TEST_CASE("a command that a human runs is no answer") {
        Recording recording(false);
        recording.human("hello").says("done").runs("git status", prose(400)).human("and now?").says("clean");
        const Replayed done = replayed(recording.events(), {"none"}, 200'000);
        CHECK(done.rows.of.at("none").size() == 2);
    }

    TEST_CASE("what is billed teaches what a prompt holds, unseen parts included") {
        const Replayed done = replayed(long_session(60, 3'000).events(), {"never-forget"}, 200'000);
        const auto& rows = done.rows.of.at("never-forget");
        const double recorded = static_cast<double>(*rows.back().tokens_recorded);
        CHECK(static_cast<double>(rows.back().tokens_after) == doctest::Approx(recorded).epsilon(0.03));
        CHECK(done.outcome.unseen_tokens == doctest::Approx(1'000).epsilon(0.3));
    }

    TEST_CASE("a bill that no request can have counts as the largest that is kept, as it does in a scan") {
        Recording recording;
        recording.bills_anew(std::uint64_t{1} << 63).human("go on");
        for (int i = 0; i < 3; ++i) recording.call("read", "a" + std::to_string(i) + ".cpp", "x");
        const Replayed done = replayed(recording.events(), {"recorded"}, 200'000);
        for (const auto& row : done.rows.of.at("recorded")) CHECK(*row.tokens_recorded == 0xFFFF'FFFF);
    }

    TEST_CASE("models that take turns teach as much as one") {
        Recording recording;
        recording.human("please read all of these files");
        for (int i = 0; i < 40; ++i) {
            recording.asks(i % 2 == 0 ? "model-a" : "model-b")
                .call("read", "src/file" + std::to_string(i) + ".cpp", prose(3'000));
        }
        const Replayed done = replayed(recording.events(), {"none"}, 200'000);
        CHECK(done.outcome.samples >= 30);
        const auto& rows = done.rows.of.at("none");
        CHECK(static_cast<double>(rows.back().tokens_after) ==
              doctest::Approx(static_cast<double>(*rows.back().tokens_recorded)).epsilon(0.05));
    }

    TEST_CASE("of a recording that begins in the middle a compaction takes the unseen beginning away") {
        Recording recording;
        recording.bills_anew(120'000).human("go on");
        for (int i = 0; i < 20; ++i) recording.call("read", "a" + std::to_string(i) + ".cpp", prose(2'000));
        recording.compacted(prose(4'000)).bills_anew(20'000);
        for (int i = 0; i < 20; ++i) recording.call("read", "b" + std::to_string(i) + ".cpp", prose(2'000));
        recording.says("done");
        const Replayed done = replayed(recording.events(), {"recorded"}, 200'000);
        const auto& rows = done.rows.of.at("recorded");
        for (const std::size_t i : {10u, 19u, 25u, 40u}) {
            CAPTURE(i);
            const double billed = static_cast<double>(*rows[i].tokens_recorded);
            CHECK(static_cast<double>(rows[i].tokens_after) == doctest::Approx(billed).epsilon(0.1));
        }
        CHECK(done.outcome.unseen_tokens < 21'000);
    }

    TEST_CASE("what was taken back behind a compaction takes nothing of the system prompt away") {
        Recording recording = long_session(10, 4'000);
        recording.compacted(prose(400)).bills_anew(1'100);
        for (int i = 0; i < 6; ++i) recording.call("read", "src/back" + std::to_string(i) + ".cpp", prose(4'000));
        recording.rewinds(18).bills_anew(1'100);  // a call, its bill and its result are three events
        for (int i = 0; i < 40; ++i) recording.call("read", "src/on" + std::to_string(i) + ".cpp", prose(400));
        const Replayed done = replayed(recording.events(), {"never-forget"}, 200'000);
        CHECK(done.outcome.unseen_tokens == doctest::Approx(1'000).epsilon(0.15));
    }

    TEST_CASE("what a compaction left without a word is told by the bills, to the recorded agent's row alone") {
        Recording recording = long_session(20, 4'000);
        recording.compacted("").bills_anew(30'000);
        for (int i = 0; i < 20; ++i) recording.call("read", "b" + std::to_string(i), prose(2'000));
        const Replayed done = replayed(recording.events(), {"recorded", "none"}, 200'000);
        const auto& rows = done.rows.of.at("recorded");
        REQUIRE(rows.size() > 20);
        for (std::size_t i = rows.size() - 20; i < rows.size(); ++i) {
            CAPTURE(i);
            CHECK(static_cast<double>(rows[i].tokens_after) ==
                  doctest::Approx(static_cast<double>(*rows[i].tokens_recorded)).epsilon(0.1));
        }
        CHECK(done.outcome.unseen_tokens < 5'000);
    }

    TEST_CASE("without usage tokens are estimated and nothing is priced") {
        const Replayed done = replayed(long_session(10, 3'000, false).events(), {"none"}, 200'000);
        CHECK(done.outcome.billed_requests == 0);
        CHECK_FALSE(done.policy("none").cost.has_value());
        CHECK(done.policy("none").peak_tokens > 4'000);
        CHECK_FALSE(done.rows.of.at("none")[0].tokens_recorded.has_value());
    }

    TEST_CASE("a policy that compacts stays within the window, one that does not says where it overflows") {
        const Recording recording = long_session(150, 4'000);
        const Replayed done = replayed(recording.events(), {"none", "pi", "never-forget"}, 64'000);
        CHECK(done.policy("none").overflows > 50);
        CHECK(done.policy("never-forget").overflows == 0);
        CHECK(done.policy("pi").overflows == 0);
        CHECK(done.policy("pi").compactions >= 2);
        CHECK(done.policy("pi").peak_tokens <= 64'000);
        CHECK(done.policy("pi").summary_tokens_out >= 400 * done.policy("pi").compactions);
        CHECK(done.policy("none").peak_tokens == done.policy("never-forget").peak_tokens);
    }

    TEST_CASE("Gemini CLI throws a summary away that makes the context no smaller, and asks for no other") {
        Recording recording(false);
        recording.human("start").says(prose(1'500));
        for (int i = 0; i < 4; ++i) recording.human("go on").says("and on");
        const Replayed done = replayed(recording.events(), {"gemini"}, 500);
        CHECK(done.policy("gemini").compactions == 0);
        CHECK(done.policy("gemini").summary_tokens_out == 400);  // once
        Recording longer(false);
        longer.human("start").says(prose(15'000)).human("go on").says("done").human("and on").says("done");
        CHECK(replayed(longer.events(), {"gemini"}, 5'000).policy("gemini").compactions == 1);
    }

    TEST_CASE("Gemini CLI looks in the midst of a turn, too, and gives up the turns before it") {
        Recording talk(false);
        talk.human("first").says(prose(20'000)).human("second");
        for (int i = 0; i < 40; ++i) talk.call("read", "f" + std::to_string(i), prose(2'000));
        talk.says("done");
        const Replayed done = replayed(talk.events(), {"gemini"}, 20'000);
        CHECK(done.policy("gemini").compactions == 1);
        const std::vector<sim::TurnRow>& rows = done.rows.of.at("gemini");
        const auto at = std::ranges::find_if(rows, [](const sim::TurnRow& row) { return !row.compactions.empty(); });
        REQUIRE(at != rows.end());
        CHECK(std::prev(at)->tokens_after >= 10'000);
        CHECK(at->compactions[0].kept_from == 2);
        CHECK(rows.back().tokens_after > 10'000);  // nothing more could give way
    }

    TEST_CASE("Gemini CLI masks what a summary left, and nothing that goes into it") {
        Recording talk(false);
        talk.human("first").call("read", "f", prose(400'000)).says("done").human("second").says("done");
        const auto pruned = [&](double window) {
            const Replayed done = replayed(talk.events(), {"gemini"}, window);
            const std::vector<sim::TurnRow>& rows = done.rows.of.at("gemini");
            REQUIRE(rows.size() == 3);
            CHECK(rows[2].compactions.size() == (window < 150'000 ? 1 : 0));
            return rows[2].pruned.size();
        };
        CHECK(pruned(1'000'000) == 1);
        CHECK(pruned(140'000) == 0);
    }

    TEST_CASE("Gemini CLI goes by the last prompt: neither its answer nor what is said next counts yet") {
        Recording talk(false);
        talk.human(prose(1'000)).says(prose(24'000)).human(prose(20'000)).says("ok").human("go on").says("done");
        const Replayed done = replayed(talk.events(), {"gemini"}, 14'000);
        const std::vector<sim::TurnRow>& rows = done.rows.of.at("gemini");
        REQUIRE(rows.size() == 3);
        CHECK(rows[1].tokens_before > 7'000);
        CHECK(rows[1].compactions.empty());
        CHECK(rows[2].compactions.size() == 1);
    }

    TEST_CASE("OpenClaw and pi 0.73 compact before a prompt and when the provider refuses, not between calls") {
        Recording talk;
        talk.human("begin");
        for (int i = 0; i < 11; ++i) talk.call("read", "f" + std::to_string(i), prose(4'000)).says(prose(36'000));
        talk.injects("a reminder", 0).says("noted").human("go on").says("done");
        const auto compacted_at = [&](std::string_view context, double window) {
            const Replayed done = replayed(talk.events(), {context}, window);
            const std::vector<sim::TurnRow>& rows = done.rows.of.at(std::string(context));
            REQUIRE(rows.size() == 24);
            std::vector<std::size_t> out;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                CHECK_FALSE(rows[i].overflow);
                if (!rows[i].compactions.empty()) out.push_back(i);
            }
            return out;
        };
        // At the end the prompt is some 111,000 tokens.
        for (const std::string_view context : {"openclaw", "openclaw-2026.3", "pi-0.73"}) {
            CAPTURE(std::string(context));
            CHECK(compacted_at(context, 125'000) == std::vector<std::size_t>{23});
            const auto refused = compacted_at(context, 60'000);
            REQUIRE(refused.size() > 1);
            CHECK(refused.front() < 22);
        }
        const auto each = compacted_at("pi", 125'000);
        REQUIRE_FALSE(each.empty());
        CHECK(each.front() == 22);
    }

    TEST_CASE("a custom message of pi or OpenClaw is none of the person: OpenClaw 2026.3 takes it for 256 characters") {
        const auto guarded = [](std::uint16_t flags) {
            Recording recording;
            recording.human("read")
                .injects(std::string(29'000, 'n'), flags)
                .call("read", "a", std::string(2'000, 'x'))
                .says("done");
            const auto done = replayed(recording.events(), {"openclaw-2026.3"}, 10'000);
            return !done.rows.of.at("openclaw-2026.3").back().pruned.empty();
        };
        CHECK_FALSE(guarded(kSynthetic));
        CHECK(guarded(0));  // a notice that is sent as a message of the user: 33,000 of 30,000 characters
    }

    TEST_CASE("the guard of OpenClaw 2026.3 counts what hangs on a result, as long as it is in JavaScript") {
        const auto cut = [](std::string details) {
            Recording recording;
            recording.with_details(std::move(details))
                .human("read")
                .call("read", "a", std::string(2'000, 'x'))
                .says("done");
            return !replayed(recording.events(), {"openclaw-2026.3"}, 10'000)
                        .rows.of.at("openclaw-2026.3")
                        .back()
                        .pruned.empty();
        };
        const auto repeated = [](std::size_t n, std::string_view text) {
            std::string out;
            for (std::size_t i = 0; i < n; ++i) out += text;
            return out;
        };
        CHECK_FALSE(cut(""));
        CHECK_FALSE(
            cut("\"" + repeated(3'000, "é") + "\""));  // twice 2,000 and 3,000 characters are what the window allows
        CHECK(cut("\"" + repeated(3'001, "é") + "\""));
        CHECK_FALSE(cut("{\"k\":\"" + repeated(2'992, "é") + "\"}"));
        CHECK(cut("{\"k\":\"" + repeated(2'993, "é") + "\"}"));
    }

    TEST_CASE("every policy sends no more than one that never forgets") {
        const Recording recording = long_session(150, 4'000);
        const Replayed done = replayed(recording.events(), every_context(), 100'000);
        const auto most = done.policy("never-forget").mean_tokens;
        for (const sim::PolicyOutcome& policy : done.outcome.policies) {
            CAPTURE(policy.policy);
            CHECK(policy.mean_tokens <= most * 1.001);
            CHECK(policy.requests == 151);
        }
    }

    TEST_CASE("a result is counted once among the cleared, whatever else the view goes through") {
        Recording recording;
        recording.human("please read all of these files");
        for (int i = 0; i < 150; ++i) {
            recording.call("read", "src/file" + std::to_string(i) + ".cpp", prose(4'000));
            if (i % 10 == 9) recording.human("go on");  // before the agent had answered
        }
        const Replayed done = replayed(recording.events(), every_context(), 16'000);
        for (const sim::PolicyOutcome& policy : done.outcome.policies) {
            CAPTURE(policy.policy);
            CHECK(policy.cleared_results <= 150);
        }
    }

    TEST_CASE("hindsight keeps what is named later and forgets what is not") {
        Recording recording;
        recording.human("look into the files");
        recording.call("read", "one.txt", prose(6'000) + " QUUX_IDENTIFIER_77 ");
        recording.call("read", "two.txt", prose(6'000) + " OTHER_IDENTIFIER_88 ");
        for (int i = 0; i < 5; ++i) recording.says("thinking about it");
        recording.says("it is QUUX_IDENTIFIER_77");
        recording.says("done");
        const Replayed done = replayed(recording.events(), {"hindsight", "never-forget"}, 200'000);
        const auto& with = done.rows.of.at("hindsight");
        const auto& without = done.rows.of.at("never-forget");
        REQUIRE(with.size() == without.size());
        // Both results are sent once at least; the second one is of no use after that, the first until it is named.
        CHECK(with[2].tokens_after == without[2].tokens_after);
        CHECK(with[4].tokens_after + 1'000 < without[4].tokens_after);
        CHECK(with[4].tokens_after > 2'000);
        CHECK(with.back().tokens_after + 2'000 < without.back().tokens_after);
    }

    TEST_CASE("a summary's words are taken from what it replaces, and what it names is not lost") {
        Recording recording;
        recording.human("never touch legacy/schema_v7.sql, and look at MAGIC_TOKEN_4711");
        for (int i = 0; i < 30; ++i) recording.call("read", "file" + std::to_string(i) + ".txt", prose(8'000));
        recording.says("it was MAGIC_TOKEN_4711 in legacy/schema_v7.sql");
        const auto lost = [&](sim::SummaryWriter writer) {
            sim::ReplaySettings settings;
            settings.contexts = {sim::find_context("codex"), sim::find_context("pi")};
            settings.window_tokens = 30'000;
            settings.summarise = std::move(writer);
            sim::WordsInMemory words;
            const ModelTable models = ModelTable::shipped();
            sim::SessionReplay replay(settings, models, words);
            for (const Event& event : recording.events()) replay.on_event(event);
            const sim::SessionOutcome outcome = replay.finish();
            REQUIRE(outcome.policies[1].compactions > 0);
            return outcome.policies[1].regret->lost_identifiers;
        };
        CHECK(lost({}) > 0);
        CHECK(lost(sim::extractive_summary) == 0);
    }

    TEST_CASE("a summary that was written is as long as its words") {
        const Recording recording = long_session(60, 4'000);
        const auto out = [&](sim::SummaryWriter writer) {
            sim::ReplaySettings settings;
            settings.contexts = {sim::find_context("codex")};
            settings.window_tokens = 30'000;
            settings.summarise = std::move(writer);
            sim::WordsInMemory words;
            const ModelTable models = ModelTable::shipped();
            sim::SessionReplay replay(settings, models, words);
            for (const Event& event : recording.events()) replay.on_event(event);
            const sim::PolicyOutcome policy = replay.finish().policies[0];
            REQUIRE(policy.compactions > 0);
            return policy.summary_tokens_out / policy.compactions;
        };
        CHECK(out([](const sim::SummaryTask&) { return sim::Summary{"four words and no more", true}; }) < 10);
        const auto expected = out({});
        CHECK(out(sim::extractive_summary) == expected);
        CHECK(out([](const sim::SummaryTask&) { return sim::Summary{}; }) == expected);
    }

    TEST_CASE("a summary taken from words keeps to its room and names goal, demands, files and failures") {
        const auto text = [](sim::Role role, std::string words, bool error = false) {
            sim::Msg message;
            message.role = role;
            message.is_error = error;
            message.tool_name = role == sim::Role::tool_result ? "Bash" : "";
            message.blocks.push_back(sim::text_block(std::move(words)));
            return std::make_shared<const sim::Msg>(std::move(message));
        };
        sim::Msg call;
        call.role = sim::Role::assistant;
        sim::Block block;
        block.kind = sim::BlockKind::tool_call;
        block.name = "Edit";
        block.text = sim::Text(R"({"file_path":"src/due.ts","old":"a"})");
        call.blocks.push_back(block);
        const std::vector<sim::MsgPtr> view{text(sim::Role::compaction_summary, "Earlier: parser is done."),
                                            text(sim::Role::user, "Fix the due date. You must not change the API."),
                                            nullptr,
                                            std::make_shared<const sim::Msg>(call),
                                            text(sim::Role::tool_result, "Exit code 1\nmore", true),
                                            text(sim::Role::assistant, "The date is off by one.")};
        const std::string words = sim::extractive_summary({view, 400, 0}).words;
        for (const char* kept : {"parser is done", "Fix the due date", "must not change the API",
                                 "Changed files:\n- src/due.ts", "Bash: Exit code 1\n", "off by one"}) {
            CAPTURE(kept);
            CHECK(words.find(kept) != std::string::npos);
        }
        CHECK(words.find("more") == std::string::npos);
        for (const double tokens : {0.0, 1.0, 10.0, 50.0}) {
            CHECK(static_cast<double>(sim::extractive_summary({view, tokens, 0}).words.size()) <= 4 * tokens);
        }
        CHECK(sim::extractive_summary({{}, 400, 0}).words.empty());
    }

    TEST_CASE("the recorded agent's compactions are its own: other views keep the whole history") {
        Recording recording = long_session(20, 4'000);
        recording.compacted(prose(800)).bills_anew(1'200).human("go on");
        for (int i = 0; i < 5; ++i) recording.call("read", "more" + std::to_string(i), prose(100));
        const Replayed done = replayed(recording.events(), {"recorded", "none"}, 200'000);
        CHECK(done.outcome.recorded_compactions == 1);
        CHECK(done.policy("recorded").compactions == 1);
        CHECK(done.policy("none").compactions == 0);
        CHECK(done.rows.of.at("recorded").back().tokens_after < done.rows.of.at("none").back().tokens_after / 2);
        CHECK(done.outcome.fitted_summaries == 1);
        CHECK(done.outcome.summary_share < 0.05);
    }

    TEST_CASE("a summary costs what its policy sends for it, from the cache where it asks behind the same prompt") {
        const Recording recording = long_session(60, 16'000);
        const auto done = replayed(recording.events(), {"none", "claude-code", "anthropic-tool-runner", "pi", "kimi"},
                                   200'000, SIZE_MAX, "claude-sonnet-4-5");
        const auto price = [&](const char* name) {
            const sim::PolicyOutcome& policy = done.policy(name);
            REQUIRE(policy.compactions > 0);
            REQUIRE(policy.summary_cost.has_value());
            const double answers = 15.0 * static_cast<double>(policy.summary_tokens_out);  // where one call writes
            return (static_cast<double>(policy.summary_cost->micro_dollars()) - answers) /
                   static_cast<double>(policy.summary_tokens_in);
        };
        CHECK(done.policy("none").summary_cost == Money{});
        CHECK(done.policy("none").total_cost() == done.policy("none").cost);
        CHECK(price("claude-code") < 0.6);  // $0.30 a million, and what is new since the last request at $3
        CHECK(price("anthropic-tool-runner") == doctest::Approx(3).epsilon(0.01));
        CHECK(done.policy("claude-code").total_cost()->parts() ==
              done.policy("claude-code").cost->parts() + done.policy("claude-code").summary_cost->parts());
        // What gave way is some 150,000 tokens; of each result of 16,000 characters pi sends 2,000.
        const auto in = [&](const char* name) { return done.policy(name).summary_tokens_in; };
        CHECK(in("pi") < done.gave_way("pi") / 5);
        CHECK(in("kimi") < done.gave_way("kimi"));
        const std::uint64_t before = done.policy("claude-code").compactions * 1'000;  // of system prompt and tools
        CHECK(static_cast<double>(in("claude-code")) ==
              doctest::Approx(done.gave_way("claude-code") + before).epsilon(0.01));
        CHECK(price("pi") ==
              doctest::Approx(3).epsilon(0.01));  // one about the history, one about its turn: each writes its part
    }

    TEST_CASE("LangChain sends the newest 4,000 tokens for a summary, Gemini CLI all of it twice") {
        Recording talk;
        for (int i = 0; i < 60; ++i) talk.human(prose(400)).says(prose(16'000));
        const auto done = replayed(talk.events(), {"langchain", "gemini"}, 200'000);
        const sim::PolicyOutcome &langchain = done.policy("langchain"), &gemini = done.policy("gemini");
        REQUIRE(langchain.compactions > 0);
        CHECK(langchain.summary_tokens_in == langchain.compactions * 4'000);
        REQUIRE(gemini.compactions > 0);
        CHECK(static_cast<double>(gemini.summary_tokens_in) ==
              doctest::Approx(2.0 * done.gave_way("gemini")).epsilon(0.01));
    }

    TEST_CASE(
        "LangChain clears in a copy: summaries are due by the whole history, and what stays comes back with its "
        "results") {
        const Recording recording = long_session(60, 16'000);
        const auto done = replayed(recording.events(), {"langchain", "anthropic-context-editing"}, 200'000);
        const sim::PolicyOutcome& langchain = done.policy("langchain");
        CHECK(langchain.compactions == 1);
        CHECK(langchain.cleared_results > 20);
        CHECK(done.policy("anthropic-context-editing").compactions == 0);
        std::vector<sim::TurnRow> rows = done.rows.of.at("langchain");
        const auto at = std::ranges::find_if(rows, [](const sim::TurnRow& row) { return !row.compactions.empty(); });
        REQUIRE(at != rows.end());
        CHECK(std::prev(at)->tokens_after < 30'000);  // three results of 4,000 tokens, and many of nearly none
        CHECK(at->tokens_after > 40'000);             // of twenty messages ten are results, and all of them are sent
        CHECK(at->compactions[0].tokens_in > 120'000);
    }

    TEST_CASE("Letta's buffer loses nothing of the turn under way, however long it is") {
        Recording recording = long_session(20, 400);
        const std::size_t turn = recording.events().size();
        recording.human("and now?").says("done");
        CHECK(replayed(recording.events(), {"letta-buffer"}, 200'000, turn).policy("letta-buffer").dropped_messages ==
              0);
        CHECK(replayed(recording.events(), {"letta-buffer"}, 200'000).policy("letta-buffer").dropped_messages == 42);
    }

    TEST_CASE("the summariser of Kimi CLI reads no calls") {
        Recording talk;
        talk.human(prose(4'000));
        for (int i = 0; i < 60; ++i) talk.call("write", prose(16'000), "written");
        const auto done = replayed(talk.events(), {"kimi"}, 200'000);
        REQUIRE(done.policy("kimi").compactions > 0);
        CHECK(done.policy("kimi").summary_tokens_in < done.policy("kimi").compactions * 10'000);
    }

    TEST_CASE("the recorded agent pays for its own summaries, as the policy of that agent does") {
        Recording recording = long_session(20, 4'000);
        recording.compacted(prose(800)).human("go on").says("on");
        const auto cost = [&](const sim::Policy* by) {
            const auto done = replayed(recording.events(), {"recorded"}, 200'000, SIZE_MAX, "claude-sonnet-4-5", by);
            CHECK(done.policy("recorded").summary_tokens_in > 19'000);
            return done.policy("recorded").summary_cost->micro_dollars();
        };
        const std::uint64_t anew = cost(nullptr), cached = cost(sim::find_policy("claude-code"));
        CHECK(anew > 19'000 * 3);
        CHECK(cached < anew / 3);
        CHECK(cached > 19'000 * 3 / 10);
    }

    TEST_CASE("what was billed is told beside what the contexts cost, and what has no price too") {
        const Recording recording = long_session(20, 4'000);
        const auto priced = replayed(recording.events(), {"recorded"}, 200'000, SIZE_MAX, "claude-sonnet-4-5");
        std::uint64_t billed = 0;
        for (const Event& event : recording.events())
            if (const auto* usage = std::get_if<Usage>(&event.body))
                billed += usage->tokens.input * 3 + usage->tokens.output * 15;
        CHECK(priced.outcome.billed_cost->micro_dollars() == billed);
        CHECK(priced.outcome.priced);
        CHECK(priced.outcome.unpriced_requests == 0);
        const auto unknown = replayed(recording.events(), {"recorded"}, 200'000);
        CHECK_FALSE(unknown.outcome.billed_cost.has_value());
        CHECK_FALSE(unknown.outcome.priced);
        CHECK(unknown.outcome.unpriced_requests == unknown.outcome.requests);
    }

    TEST_CASE("older Claude Code clears again only when the context has come to its line again") {
        const Recording recording = long_session(80, 24'000);
        const auto done = replayed(recording.events(), {"claude-code-2.0"}, 200'000);
        std::uint64_t clearings = 0;
        for (const sim::TurnRow& row : done.rows.of.at("claude-code-2.0")) {
            if (row.pruned.empty() || row.pruned[0].action != sim::Action::clear) continue;
            ++clearings;
            CHECK(row.tokens_before >= 159'000);
        }
        CHECK(clearings > 1);
    }

    TEST_CASE("what of a thought is enciphered counts where an agent counts it") {
        Recording recording = long_session(6, 5'000);
        recording.pauses(10).human("go on").says("done");
        const auto trimmed = [&](std::uint64_t opaque, const char* words, std::string_view context) {
            std::vector<Event> events = recording.events();
            Event thought = events[1];  // part of the first answer
            thought.body = Thinking{{words, TextForm::plain}, opaque};
            events.insert(events.begin() + 1, thought);
            std::size_t rows = 0;
            const Replayed out = replayed(events, {context}, 40'000);  // lives as long as its rows are read
            for (const sim::TurnRow& row : out.rows.of.at(std::string(context))) {
                rows += !row.pruned.empty();
            }
            return rows;
        };
        CHECK(trimmed(0, "hm", "openclaw") == 0);
        CHECK(trimmed(40'000, "hm", "openclaw") == 1);
        CHECK(trimmed(40'000, "", "openclaw") == 1);  // nobody but the provider can read it
        CHECK(trimmed(40'000, "hm", "openclaw-2026.3") == 0);
    }

    TEST_CASE("an answer that was broken off waits for no results of its calls") {
        Recording recording = long_session(3, 400);
        recording.human("go on").says("done");
        const auto made_up = [&](TurnStatus status) {
            std::vector<Event> events = recording.events();
            const auto result = std::ranges::find_if(
                events, [](const Event& one) { return std::holds_alternative<ToolResult>(one.body); });
            result->body = TurnEnd{status, -1};  // where the first result was
            bool more = false;
            const Replayed out = replayed(events, {"openclaw"}, 200'000);
            for (const sim::TurnRow& row : out.rows.of.at("openclaw")) {
                more = more || row.tokens_after > row.tokens_before;
            }
            return more;
        };
        CHECK_FALSE(made_up(TurnStatus::aborted));
        CHECK_FALSE(made_up(TurnStatus::failed));
        CHECK(made_up(TurnStatus::completed));
    }

    TEST_CASE("what the tool says in the model's place is in the prompts, and no request") {
        Recording recording = long_session(3, 400);
        std::vector<Event> events = recording.events();
        Event greeting = events.back();
        greeting.head.response = 0;
        greeting.head.flags = kSynthetic;
        greeting.body =
            Message{Role::assistant, Origin::agent, {"a limit was reached; try again later", TextForm::plain}, 0};
        events.insert(events.begin() + 1, greeting);
        const auto with = replayed(events, {"none"}, 200'000),
                   without = replayed(recording.events(), {"none"}, 200'000);
        CHECK(with.outcome.requests == without.outcome.requests);
        CHECK(with.outcome.messages == without.outcome.messages + 1);
    }

    TEST_CASE("a window that is only usual is named so, and gives way to the user's") {
        Recording recording = long_session(3, 400);
        std::vector<Event> events = recording.events();
        Event told = events.front();
        ContextChange change;
        change.window_tokens = 200'000;
        change.model = {"mine", TextForm::plain};
        told.body = change;
        const auto source = [&](std::uint16_t flags, bool given) {
            told.head.flags = flags;
            std::vector<Event> all = events;
            all.insert(all.begin(), told);
            ModelTable models = ModelTable::shipped();
            PriceEntry entry;
            entry.model = "mine";
            entry.context_window = 50'000;
            if (given) models.overlay({&entry, 1});
            sim::ReplaySettings settings;
            settings.contexts.push_back(sim::find_context("none"));
            sim::WordsInMemory words;
            sim::SessionReplay replay(settings, models, words);
            for (const Event& event : all) replay.on_event(event);
            return sim::window_source_name(replay.finish().window_source);
        };
        CHECK(source(kSynthetic, false) == "usual");
        CHECK(source(kSynthetic, true) == "model");
        CHECK(source(0, true) == "recorded");
    }

    TEST_CASE("Codex compacts by all of the window of which it records 95 %") {
        const Recording recording = long_session(60, 4'000);
        const auto fullest = [&](std::uint64_t window, const char* recorded_by) {
            std::vector<Event> events = recording.events();
            Event told = events.front();
            ContextChange change;
            change.window_tokens = window;
            told.body = change;
            events.insert(events.begin(), told);
            const auto done = replayed(events, {"codex"}, 0, SIZE_MAX, {}, sim::find_policy(recorded_by));
            REQUIRE(done.policy("codex").compactions > 0);
            return done.policy("codex").peak_tokens;
        };
        CHECK(fullest(38'000, "codex") > 34'200);  // of 40,000 tokens it uses 36,000, and a result is 1,000
        CHECK(fullest(38'000, "codex") < 36'000);
        CHECK(fullest(38'000, "pi") < 34'200);
        CHECK(fullest(40'000, "codex") < 36'000);  // as older versions recorded it
    }

    TEST_CASE("reasoning of earlier turns is in later prompts only where the bills say so") {
        using Ends = Recording::ReasoningEnds;
        constexpr int kTurns = 6, kCalls = 5;
        for (const Ends ends : {Ends::with_turn, Ends::never, Ends::at_once}) {
            CAPTURE(static_cast<int>(ends));
            const std::uint64_t left = ends == Ends::with_turn ? kTurns - 1 : 0;
            Recording recording;
            recording.reasons(800, ends);
            for (int turn = 0; turn < kTurns; ++turn) {
                recording.human("and now the next part of it");
                for (int i = 0; i < kCalls; ++i)
                    recording.call("read", "t" + std::to_string(turn * kCalls + i) + ".cpp",
                                   prose(600 + 400 * static_cast<std::size_t>(i)));
                recording.says("done");
            }
            const Replayed done = replayed(recording.events(), {"none", "recorded", "hindsight"}, 200'000);
            CHECK(done.outcome.reasoning_left == left);
            for (const char* context : {"none", "recorded"}) {
                for (const sim::TurnRow& row : done.rows.of.at(context)) {
                    if (row.request <= kCalls + 1) continue;  // sizes are learnt first
                    CAPTURE(row.request);
                    CHECK(static_cast<double>(row.tokens_after) ==
                          doctest::Approx(static_cast<double>(*row.tokens_recorded)).epsilon(0.06));
                }
            }
            CHECK(done.rows.of.at("hindsight").back().tokens_after <= done.rows.of.at("none").back().tokens_after);
            // It is the provider's doing: no policy has edited anything.
            CHECK(done.policy("none").cache->edits == 0);
        }
    }

    TEST_CASE("a summary before messages that all stay moves them, and none of them is read from the cache") {
        Recording recording;
        recording.human("go");
        for (int i = 0; i < 8; ++i) recording.call("read", "f" + std::to_string(i), prose(8'000));
        recording.summarised(prose(800)).says("on").human("more").says("done");
        const Replayed done = replayed(recording.events(), {"recorded"}, 200'000);
        const auto& rows = done.rows.of.at("recorded");
        REQUIRE(rows.size() == 10);
        CHECK(rows[7].cache->read > 10'000);
        CHECK(rows[8].cache->read < 3'000);  // what stands before the summary
        CHECK(rows[9].cache->read > 10'000);
    }

    TEST_CASE("what stands behind reasoning that was left out is not read from the cache") {
        Recording recording;
        recording.reasons(3'000, Recording::ReasoningEnds::with_turn).human("look");
        for (int i = 0; i < 8; ++i) recording.call("read", "a" + std::to_string(i) + ".cpp", prose(8'000));
        recording.says("done").human("and the rest").call("read", "b.cpp", prose(8'000)).says("done");
        const Replayed done = replayed(recording.events(), {"none"}, 200'000);
        const auto& rows = done.rows.of.at("none");
        REQUIRE(rows.size() == 11);
        CHECK(rows[8].cache->read > 20'000);
        CHECK(rows[9].cache->read < 3'000);  // what stands before the first answer
        CHECK(rows[10].cache->read > 12'000);
    }

    TEST_CASE("what was taken back is in no view any more") {
        Recording recording = long_session(20, 4'000);
        const std::size_t before = recording.events().size();
        recording.rewinds(30).human("again").says("fine");
        const Replayed all = replayed(recording.events(), {"none", "claude-code"}, 200'000);
        const Replayed kept = replayed(recording.events(), {"none"}, 200'000, before);
        CHECK(all.rows.of.at("none").back().tokens_after < kept.rows.of.at("none").back().tokens_after / 2);
        CHECK(all.rows.of.at("claude-code").back().tokens_after == all.rows.of.at("none").back().tokens_after);
    }

    TEST_CASE("the rows of any beginning of a session are the first rows of the whole") {
        Recording recording = long_session(40, 5'000);
        recording.compacted(prose(500)).human("go on");
        for (int i = 0; i < 40; ++i) recording.call("bash", "make " + std::to_string(i), prose(4'000));
        std::vector<std::string_view> contexts = every_context();
        std::erase(contexts, "hindsight");  // knows the future
        const Replayed whole = replayed(recording.events(), contexts, 48'000);
        for (std::size_t cut = 1; cut < recording.events().size(); cut += 7) {
            const Replayed part = replayed(recording.events(), contexts, 48'000, cut);
            for (const auto& entry : part.rows.of) {
                const std::string& context = entry.first;
                const auto& rows = entry.second;
                const auto& all = whole.rows.of.at(context);
                REQUIRE(rows.size() <= all.size());
                // The last request may not have been billed yet where the recording ends.
                for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
                    CAPTURE(context);
                    CAPTURE(cut);
                    CAPTURE(i);
                    REQUIRE(same(rows[i], all[i]));
                }
            }
        }
    }

    TEST_CASE("stages behind gates do what they would do if they always ran") {
        Recording recording;
        recording.human("read");
        std::uint64_t state = 3;
        const auto next = [&state](std::uint64_t most) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return (state >> 33) % most;
        };
        for (int i = 0; i < 250; ++i) {
            if (next(5) == 0) recording.pauses(10);
            const std::size_t chars = next(4) == 0 ? 3'000 + next(30'000) : next(900);
            recording.call(next(2) == 0 ? "read" : "bash", "file" + std::to_string(i), prose(chars));
            if (next(20) == 0) recording.human("and now " + std::to_string(i));
        }
        // What the session looks like to a policy, request by request.
        struct Seen final : sim::SessionSink {
            void on_message(const sim::Recorded& message, bool) override { view.push_back(message.message); }
            void on_request(const sim::RecordedRequest&) override { lengths.push_back(view.size()); }
            void on_compaction(const sim::RecordedCompaction&) override {}
            void on_rewind(std::size_t) override {}
            sim::View view;
            std::vector<std::size_t> lengths;
        } seen;
        sim::WordsInMemory words;
        sim::SessionMessages messages(words, seen);
        for (const Event& event : recording.events()) messages.on_event(event);
        messages.finish();

        for (const double window : {60'000.0, 200'000.0, 400'000.0}) {
            using Stages = std::vector<sim::Stage>;
            for (const Stages& stages :
                 {Stages{sim::PruneResults{}}, Stages{sim::PruneResults{{}, false}}, Stages{sim::TruncateResult{}},
                  Stages{sim::TruncateResult{{}, false}},
                  Stages{sim::PruneResults{{}, false}, sim::TruncateResult{{}, false}}, Stages{sim::MaskResults{}},
                  Stages{sim::TruncateResult{{.max_chars = 3'000}}, sim::MaskResults{{20'000, 5'000}}},
                  Stages{sim::RepairPairs{}}, Stages{sim::ClearResults{}}, Stages{sim::TruncateMiddle{}}}) {
                const sim::Stage& stage = stages.front();
                const sim::Policy policy{"one", "", stages, {}, {}};
                const sim::Context context{"one", "", sim::Context::Kind::policy, &policy};
                static const ModelTable models;
                sim::ReplaySettings settings;
                settings.contexts = {&context};
                settings.window_tokens = window;
                Rows rows;
                sim::SessionReplay replay(settings, models, words, &rows);
                for (const Event& event : recording.events()) replay.on_event(event);
                replay.finish();

                sim::Memory memory;
                sim::View carried;
                double touched = 0;
                std::vector<bool> lasting(seen.view.size(), false), masked(seen.view.size(), false);
                const bool for_now = stage.index() == sim::Stage(sim::PruneResults{}).index()
                                         ? !std::get<sim::PruneResults>(stage).remembered
                                         : std::holds_alternative<sim::TruncateResult>(stage) &&
                                               !std::get<sim::TruncateResult>(stage).remembered;
                REQUIRE(rows.of["one"].size() == seen.lengths.size());
                for (std::size_t k = 0; k < seen.lengths.size(); ++k) {
                    const sim::TurnRow& row = rows.of["one"][k];
                    const sim::View raw(seen.view.begin(),
                                        seen.view.begin() + static_cast<std::ptrdiff_t>(seen.lengths[k]));
                    sim::Moment moment;
                    moment.window_tokens = window;
                    moment.now_ms = row.time_ms.value_or(0);
                    moment.last_touch_ms = touched;
                    touched = moment.now_ms;
                    // Gemini CLI writes what it masks into its history, the others make each prompt anew.
                    sim::View before = raw;
                    if (std::holds_alternative<sim::MaskResults>(stages.back()))
                        std::ranges::copy(carried, before.begin());
                    const sim::View sent = sim::prepare_request(policy, before, moment, memory);
                    carried = sent;
                    REQUIRE(sent.size() == raw.size());
                    if (for_now) std::fill(lasting.begin(), lasting.end(), false);
                    for (const sim::PrunedRow& one : row.pruned) {
                        lasting[one.source_index] = true;
                        masked[one.source_index] = masked[one.source_index] || one.action == sim::Action::mask;
                    }
                    for (std::size_t i = 0; i < raw.size(); ++i) {
                        const bool edited = sent[i] != raw[i];
                        const bool alike = lasting[i] == edited && masked[i] == (edited && is_masked(*sent[i]));
                        if (alike) continue;  // a million of them: they are not asserted one by one
                        CAPTURE(sim::stage_name(stage));
                        CAPTURE(stages.size());
                        CAPTURE(window);
                        CAPTURE(k);
                        CAPTURE(i);
                        REQUIRE(alike);
                    }
                }
            }
        }
    }

    TEST_CASE("of any session the rows add up, and no prompt passes the window without a word") {
        constexpr std::uint64_t kPlaceholder = 25;  // tokens that may stand for an empty result
        for (unsigned seed = 1; seed <= 25; ++seed) {
            const Recording recording = any_session(seed);
            const double window = std::array{8'000, 30'000, 100'000, 400'000}[seed % 4];
            const Replayed done = replayed(recording.events(), every_context(), window);
            for (const sim::PolicyOutcome& policy : done.outcome.policies) {
                CAPTURE(seed);
                CAPTURE(policy.policy);
                const auto& rows = done.rows.of.at(policy.policy);
                check_sums(rows, policy);
                for (const sim::TurnRow& row : rows) {
                    const bool over = static_cast<double>(row.tokens_after) > window;
                    if (over && policy.policy != "never-forget") CHECK(row.overflow);
                    for (const sim::PrunedRow& one : row.pruned) {
                        CHECK(one.tokens_after <= std::max(one.tokens_before, kPlaceholder));
                    }
                }
            }
        }
    }

    TEST_CASE("contexts replayed together do not see each other") {
        const Recording recording = long_session(80, 4'000);
        const Replayed together = replayed(recording.events(), every_context(), 40'000);
        for (const std::string_view name : every_context()) {
            const Replayed alone = replayed(recording.events(), {name}, 40'000);
            const auto& a = alone.rows.of.at(std::string(name));
            const auto& b = together.rows.of.at(std::string(name));
            REQUIRE(a.size() == b.size());
            for (std::size_t i = 0; i < a.size(); ++i) {
                CAPTURE(name);
                CAPTURE(i);
                REQUIRE(same(a[i], b[i]));
            }
        }
    }
}
