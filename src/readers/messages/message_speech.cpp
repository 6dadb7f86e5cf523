#include "readers/messages/message_speech.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/raw_text.hpp"
#include "readers/json/walk.hpp"
#include "readers/messages/message_roles.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 6> kInjectedPrefixes{
    "<returncode>", "Observation:", "OBSERVATION:", "exitcode:", "<system-reminder>", "<tool_response>"};

// What the machinery around an orchestrator notes under its name: no model said it.
constexpr std::array<std::string_view, 8> kOfMachinery{"Next speaker ",      "Stalled....",  "Replan counter exceeded",
                                                       "Request satisfied.", "(replanning)", "No agent selected.",
                                                       "Max rounds (",       "Max time ("};

// Longer texts are documents; no call stands that deep in one.
constexpr std::size_t kLongestText = 256u << 10;

// The name an agent speaks under; none in plain conversations.
RawText speaker(const Parts& m) {
    if (!m.name.empty()) return text_of(m.name);
    return !is_api_role(m.role) ? text_of(m.role) : RawText{};
}

}  // namespace

void MessageSpeech::complain(std::string_view code, std::string_view text) {
    Notice notice;
    notice.level = NoticeLevel::warning;
    notice.code = plain(code);
    notice.text = plain(text);
    emit(notice);
}

void MessageSpeech::speak(const Parts& m) {
    const bool first = !scene_.someone_spoke;
    scene_.calling = m.role == "assistant" && (!m.calls.all().empty() || has_calls(m));
    scene_.waits = m.role != "assistant" || scene_.calling;
    if (m.role == "session_meta") return;  // became SessionStart or ContextChange
    if (m.role == "system" || m.role == "developer") {
        if (!m.blocks.all().empty()) emit(Message{Role::system, Origin::injected, joined_text(m), media_count(m)});
        return;
    }
    if (team_ && is_of_machinery(m)) return noted(m);
    scene_.structured |= !m.calls.all().empty() || has_calls(m);
    if (!held_.calls.empty() && settle(m)) return;
    if (m.role == "log") return logged(m);
    scene_.someone_spoke = true;
    if (m.role == "tool" || m.role == "function") return tool_result(m);
    if (m.role == "human") return human(m);
    if (m.role == "user") {
        const bool agent = !m.name.empty() && !is_human_name(m.name);
        return agent && scene_.group_chat ? assistant(m) : user(m);
    }
    // In a group chat every speaker is an agent, and the first one hands out the task.
    const bool group = m.role != "assistant" || !m.name.empty();
    scene_.group_chat |= group;
    if (first && group && m.calls.all().empty() && !has_calls(m)) return human(m);
    assistant(m);
}

// "Orchestrator (thought)" is said to nobody. A line that tells the answer of the team stays a message.
bool MessageSpeech::is_of_machinery(const Parts& m) {
    if (!m.role.starts_with("Orchestrator (") || m.role.starts_with("Orchestrator (->")) return false;
    const std::string_view text = joined_text(m).bytes;
    return std::ranges::any_of(kOfMachinery, [text](std::string_view start) { return text.starts_with(start); }) &&
           text.find("FINAL ANSWER") == text.npos;
}

// No notice: that would say that somebody warned the agent.
void MessageSpeech::noted(const Parts& m) {
    head().flags |= kSynthetic;
    emit(Message{Role::system, Origin::injected, joined_text(m), 0});
}

// Lines the framework wrote about itself.
void MessageSpeech::logged(const Parts& m) {
    scene_.someone_spoke = true;
    const RawText text = joined_text(m);
    // A new instance begins from nothing: what it does again is no repetition.
    const bool begins = text.bytes.starts_with("Initialized ") && text.bytes.find(" instance ") != text.bytes.npos;
    if (begins) {
        head().turn = ++scene_.turn;
        emit(TurnStart{});
    }
    head().flags |= kSynthetic;
    emit(begins ? Message{Role::user, Origin::queued, text, media_count(m)}
                : Message{Role::system, Origin::injected, text, media_count(m)});
}

void MessageSpeech::speak_last() {
    if (scene_.outcomes_kept_back) settle_held({});
    held_.calls.clear();
}

void MessageSpeech::say(const Parts& m, RawText text) {
    Message message{Role::assistant, Origin::agent, text, 0};
    message.speaker = speaker(m);
    emit(message);
}

// ---- calls inside texts
// ----------------------------------------------------------------------------------------------

// Says what an agent's message holds: a report of something done, calls to be answered, or just words.
void MessageSpeech::speech(const Parts& m, RawText text) {
    if (scene_.structured || text.empty()) return say(m, text);
    if (scene_.group_chat && reported(m, text)) return;
    if (!may_hold_calls(text.bytes)) return say(m, text);
    held_.calls = calls_in(decoded(text, kLongestText));
    held_.head = head();
    held_.head.record_id = {};
    scene_.outcomes_kept_back |= m.name.starts_with("Inner-") && m.name.ends_with("-Assistant");
    if (!scene_.outcomes_kept_back) return say(m, text);
    std::erase_if(held_.calls, [](const TextCall& c) { return c.form != TextCall::Form::react || c.tool == kActTool; });
    const auto action = held_.calls.empty() ? text.bytes.npos : text.bytes.rfind("\\nAction:");
    say(m, {text.bytes.substr(0, action), text.form});
}

bool MessageSpeech::reported(const Parts& m, RawText text) {
    const std::string whole = decoded(text, kLongestText);
    const auto report = report_in(whole);
    if (!report) return false;
    say(m, plain(report->action));
    ToolCall call;
    call.name = plain(report->tool);
    call.primary = plain(report->subject.empty() ? report->action : report->subject);
    call.digest = ArgsDigester::digest_none(report->tool).digest;
    call.digest.canonical =
        mix_hash(call.digest.canonical, mix_hash(stable_hash(report->subject), stable_hash(report->action)));
    emit(call);
    ToolResult result;
    result.text = plain(report->result);
    if (report->failed) result.status = ResultStatus::error;
    emit(result);
    return true;
}

// The message after one with calls: true when it was their answer and nothing else.
bool MessageSpeech::settle(const Parts& m) {
    if (scene_.outcomes_kept_back) {
        settle_held(decoded(joined_text(m), kLongestText));
        return false;
    }
    const HeldCalls held = std::move(held_);
    held_.calls.clear();
    if (m.role != "user" && m.role != "tool" && m.role != "function" && !scene_.group_chat) return false;
    const std::string text = decoded(joined_text(m), kLongestText);
    auto answers = answers_in(m.name.empty() ? m.role : m.name, text, held.calls.front().form);
    if (answers.empty() && held.calls.front().awaited && !scene_.group_chat) answers.push_back(text);
    if (answers.empty()) return false;
    scene_.someone_spoke = true;
    const std::size_t count = std::min(answers.size(), held.calls.size());
    for (std::size_t i = 0; i < count; ++i) make_call(held, held.calls[i]);
    // More calls than answers: one answer for all of them belongs to the first.
    for (std::size_t i = 0; i < count; ++i) {
        ToolResult result;
        result.text = plain(answers[i]);
        emit(result);
    }
    return true;
}

// What came of them is not in the log. A look shows the same as long as nothing was written, so its outcome is
// named after the call; a change took place unless the agent's next words say otherwise. What a command printed
// nobody knows.
void MessageSpeech::settle_held(std::string_view next) {
    constexpr std::string_view kThought = "Thought:";
    const auto thought = next.substr(0, 64).find(kThought);
    if (thought != next.npos) next.remove_prefix(thought + kThought.size());
    const HeldCalls held = std::move(held_);
    held_.calls.clear();
    for (const TextCall& c : held.calls) {
        make_call(held, c);
        const bool look = only_looks(c.tool);
        const bool failed = !look && tells_failure(next);
        ToolResult result;
        result.status = failed                   ? ResultStatus::error
                        : look || writes(c.tool) ? ResultStatus::ok
                                                 : ResultStatus::unknown;
        result.opaque = result.status != ResultStatus::ok;
        // Two looks at different things did not show the same.
        const std::string unseen = look ? "(outcome not recorded) " + c.args : std::string{};
        result.text = plain(unseen);
        emit(result, held.head);
    }
}

// The text was heard when it was said: the call repeats no byte of it.
void MessageSpeech::make_call(const HeldCalls& held, const TextCall& call) {
    emit(text_call_args_.call_of(call, args_), held.head);
}

void MessageSpeech::human(const Parts& m) { human(m, joined_text(m)); }

void MessageSpeech::human(const Parts& m, RawText text) {
    if (lane_ != 0) return emit(Message{Role::user, Origin::agent, text, media_count(m)});
    head().turn = ++scene_.turn;
    emit(TurnStart{});
    emit(Message{Role::user, Origin::human, text, media_count(m)});
}

void MessageSpeech::user(const Parts& m) {
    bool results = false;
    for (const Block& b : m.blocks.all()) {
        if (!is_result_block(b.type)) continue;
        results = true;
        result_block(b);
    }
    const bool typed =
        !results && std::ranges::any_of(m.blocks.all(), is_reminder) &&
        std::ranges::any_of(m.blocks.all(), [](const Block& b) { return !b.text.empty() && !is_reminder(b); });
    if (typed) return human_among_reminders(m);
    const RawText text = joined_text(m);
    const std::uint32_t pictures = media_count(m);
    if (text.empty() && pictures == 0 && results) return;
    const bool injected = results || std::ranges::any_of(kInjectedPrefixes, [&text](std::string_view prefix) {
                              return text.bytes.starts_with(prefix);
                          });
    if (!injected) return human(m);
    emit(Message{Role::user, Origin::injected, text, pictures});
}

void MessageSpeech::human_among_reminders(const Parts& m) {
    human(m, readers::joined_text(m, SpokenBlocks::but_reminders, joined_));
    emit(Message{Role::user, Origin::injected, readers::joined_text(m, SpokenBlocks::reminders, joined_), 0});
}

std::uint64_t MessageSpeech::next_response() { return mix_hash(++responses_, kWholeFile) | 1; }

void MessageSpeech::assistant(const Parts& m) {
    head().response = last_response_ = m.id.empty() ? next_response() : id_hash(m.id);
    if (!m.reasoning.empty()) emit(Thinking{m.reasoning, 0});
    for (const Block& b : m.blocks.all()) assistant_block(m, b);
    if (!m.refusal.empty()) say(m, m.refusal);
    for (const Block& c : m.calls.all()) tool_call(c);
    usage(m);
}

void MessageSpeech::assistant_block(const Parts& m, const Block& b) {
    if (is_thinking_block(b.type)) {
        if (!b.text.empty() || b.opaque_bytes > 0) emit(Thinking{b.text, b.opaque_bytes});
    } else if (is_call_block(b.type)) {
        tool_call(b);
    } else if (is_result_block(b.type)) {  // results of server-side tools stand in the response
        result_block(b);
    } else if (b.type == "compaction") {
        Compaction compaction;
        compaction.summary = b.content.text;
        compaction.trigger = CompactionTrigger::automatic;
        compaction.keep = Keep::none;
        emit(compaction);
    } else if (!b.text.empty()) {
        speech(m, b.text);
    }
}

void MessageSpeech::complain_of_unknown(const Parts& m) {
    for (const Block& b : m.blocks.all()) {
        if (!is_unknown_block(b)) continue;
        constexpr std::size_t kLongestName = 60;
        complain("unknown-block", fmt::format("content blocks of the kind '{}', which is not known, were left out",
                                              b.type.substr(0, kLongestName)));
    }
}

void MessageSpeech::tool_call(const Block& b) {
    ToolCall call;
    call.call_id = text_of(b.id);
    call.name = text_of(b.name);
    call.args = b.args.raw;
    call.primary = b.args.primary;
    call.digest = b.args.digest;
    if (b.args.raw.empty() && !call.digest.opaque) call.digest = ArgsDigester::digest_none(b.name).digest;
    emit(call);
}

void MessageSpeech::result_block(const Block& b) {
    ToolResult result;
    result.call_id = text_of(b.id);
    result.text = b.content.text;
    result.media_count = b.content.media;
    result.media_hash = b.content.media_hash;
    result.opaque = result.text.empty() && result.media_count > 0;
    // Who marks results at all leaves the mark off what went well. Many never do, and say of a failure what it printed.
    scene_.flags_results |= b.flagged;
    result.status = b.unflagged && !scene_.flags_results ? ResultStatus::unknown : b.status;
    result.exit_code = b.exit_code;
    emit(result);
}

void MessageSpeech::tool_result(const Parts& m) {
    bool blocks = false;
    for (const Block& b : m.blocks.all()) {
        if (!is_result_block(b.type)) continue;
        blocks = true;
        result_block(b);
    }
    if (blocks) return;
    ToolResult result;
    result.call_id = text_of(m.call_id);
    result.name = text_of(m.name);
    result.text = joined_text(m);
    result.media_count = media_count(m);
    result.opaque = result.text.empty() && result.media_count > 0;
    result.exit_code = m.exit_code;
    if (m.status == "denied")
        result.status = ResultStatus::denied;
    else if (m.status == "cancelled")
        result.status = ResultStatus::cancelled;
    else if (m.status == "running")
        result.status = ResultStatus::running;
    else if (m.has_error_flag)
        result.status = m.is_error ? ResultStatus::error : ResultStatus::ok;
    else if (m.status == "error")
        result.status = ResultStatus::error;
    else if (m.status == "success")
        result.status = ResultStatus::ok;
    emit(result);
}

void MessageSpeech::usage(const Parts& m) {
    if (!m.usage.seen) return;
    Usage usage;
    usage.tokens = m.usage.tokens();
    const std::uint64_t cost = microusd(m.usage.cost_usd);
    if (usage.tokens.total() == 0 && cost == 0) return;
    usage.model = text_of(m.model);
    if (cost > 0) usage.cost_microusd = cost;
    // Providers' ids are long and unique; short ones are counters that repeat in every file.
    if (is_unique_id(m.id)) usage.message_key = id_hash(m.id);
    emit(usage);
}

RawText MessageSpeech::joined_text(const Parts& m) { return readers::joined_text(m, SpokenBlocks::all, joined_); }

}  // namespace agent_audit::readers
