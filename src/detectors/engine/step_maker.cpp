#include "detectors/engine/step_maker.hpp"

#include "detectors/commands/command_state.hpp"
#include "detectors/commands/file_touch.hpp"
#include "detectors/commands/same_check.hpp"
#include "detectors/commands/typed_echo.hpp"
#include "detectors/commands/wait_arguments.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/error_identity.hpp"
#include "detectors/engine/plan_identity.hpp"
#include "detectors/engine/step_text.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/exit_code.hpp"
#include "detectors/outcomes/failure_text.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/outcomes/refusal.hpp"
#include "detectors/outcomes/reply_fields.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/outcomes/screen_refs.hpp"
#include "detectors/outcomes/shown_error.hpp"
#include "detectors/outcomes/turn_count.hpp"
#include "detectors/outcomes/unparsed_place.hpp"
#include "detectors/words/opaque_ids.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestDenial = 1000;  // bytes: a long output that speaks of a denial is not one

void begin_step(const Event& event, const ToolCall& call, const PlainName& name, PendingStep& p, EngineLane& l) {
    Step& step = p.step;
    p.id = id_of(call.call_id);
    step.call_id = p.id;
    step.tool = stable_hash(name.view());
    p.copied = (event.head.flags & kCopied) != 0;
    p.tool = l.tools.called(step.tool, name.text(), !p.copied);
    step.call = call.digest.canonical;
    step.time_ms = event.head.time_ms;
    step.opaque = call.digest.opaque;
    step.call_at = step.result_at = place_of(event.head);
}

// Does an argument say which page of a list is wanted? Many that were not met one by one are looked through only when
// the tool was called right before.
bool wants_page(const ToolCall& call, const Step& step, const LaneTrack& lane) {
    if (!call.fields.empty())
        return std::ranges::any_of(call.fields, [](const CallField& field) { return names_page(field.name); });
    constexpr std::size_t kFew = 200;  // bytes
    const Step* last = call.args.size() > kFew ? lane.step(lane.steps()) : nullptr;
    const bool looked_at = call.args.size() <= kFew || (last && last->tool == step.tool);
    return looked_at && asks_for_page(call.args.bytes);
}

// Whether this is the next page of what the last call with a page asked for, which it becomes.
bool turns_page(const ToolCall& call, const Step& step, EngineLane& l) {
    constexpr std::size_t kLongest = 1000;  // bytes
    const bool asks = step.tool_class == ToolClass::other || step.tool_class == ToolClass::search;
    if (!asks || step.command_bytes > 0 || call.args.size() > kLongest) return false;
    if (!wants_page(call, step, l.track)) return false;
    const bool next = l.page_tool == step.tool && ask_for_pages_of_one(l.page_args, call.args.bytes);
    l.page_tool = step.tool;
    l.page_args.assign(call.args.bytes);
    return next;
}

// Does a call of a tool say how long it waits, beside what it waits for?
bool names_wait(const Step& step, std::string_view args) {
    constexpr std::string_view kTimeout = "imeout";
    return step.tool_class == ToolClass::wait ||
           (step.tool_class == ToolClass::poll && args.find(kTimeout) != args.npos);
}

// A command that only reads or searches, as far as it was looked at, and that is all of it.
bool may_do_more(const Step& step) {
    const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
    return !looks || step.command_bytes > kClassedBytes;
}

// The order of the entries of a plan, and which of them matters how much, makes no other plan.
// A click leads to another page, however alike; what leads back, or to an address, leads to a known one with other
// advertisements.
bool clicks_on(const Step& step) {
    constexpr std::string_view kClicks[] = {"click", "Click", "press", "Press", "select", "Select"};
    return contains_any(step.text.tool(), kClicks);
}

// Of JSON that is written over several lines a click's place may stand far behind.
std::string without_indents(std::string_view json) {
    std::string text;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const bool blank = json[i] == ' ' || json[i] == '\n' || json[i] == '\t' || json[i] == '\r';
        if (!blank || (i > 0 && is_alnum(json[i - 1]))) text += blank ? ' ' : json[i];
    }
    return text;
}

void name_plan(PendingStep& p, RawText args) {
    const std::uint64_t plan = plan_identity(args);
    p.plans = plan != 0;
    if (p.plans) p.step.call = mix_hash(p.step.tool, plan);
}

// A thought comes with its number and how many there shall be: what it says makes the call.
void name_thought(PendingStep& p, RawText args, Thoughts& row) {
    if (p.step.text.tool().find("think") == std::string_view::npos) return;
    const std::string thought = thought_in(args);
    p.thinks = !thought.empty();
    if (!p.thinks) return;
    p.step.call = mix_hash(p.step.tool, row.name(thought));
    keep_argument(p.step.text, {thought, TextForm::plain});
}

// "{"thoughtNumber":7,"thoughtHistoryLength":7}" only counts on, and some tools say the thought again.
void name_receipt(Step& step, RawText said) {
    constexpr std::size_t kBegin = 24;  // bytes of a thought that know it again
    const std::string_view thought = step.text.argument().bytes.substr(0, kBegin);
    const bool echoes = thought.size() == kBegin && said.bytes.find(thought) != said.bytes.npos;
    step.out = mix_hash(step.tool, echoes ? 1 : shape_hash(said));
}

void follow_call(const ToolCall& call, const PlainName& name, const ToolMemory::Tool& tool, Step& step, EngineLane& l) {
    l.activity.called(step.call_at);
    // What is kept of a command is its beginning, and a push stands at the end: it is looked for here.
    if (tool.what.runs_shell && l.track.lane() == 0 && may_do_more(step)) {
        const ShippedLine shipped = shipping(call.primary);
        step.ships = shipped.how;
        step.ships_at_end = shipped.at_end;
    }
    if (step.tool_class == ToolClass::note) {
        l.drift.note(call.args, step.call_at);
        l.activity.planned();
    } else {
        l.drift.call(name.text(), tool.what.runs_shell, step, call.primary, call.args, call.fields);
    }
}

// What was stopped by Ctrl-C ends with these.
bool is_code_of_interrupt(std::optional<int> code) { return code == 130 || code == 1; }

void fail(EngineLane& l, PendingStep& p, std::uint64_t key, ErrorClass error, SessionCounts& counts) {
    if (!p.step.failed) {
        counts.errors += !p.copied;
        l.tools.failed(p.tool, error, !p.copied);
    }
    p.step.failed = true;
    p.step.error_key = key | 1;
    if (p.step.error == ErrorClass::none || error != ErrorClass::unknown) p.step.error = error;
}

// A rule says no again as often as it is asked, and whoever asks again has not understood that: the step is a failure
// like others, of a call that did nothing of what its name says.
void keep_refused(EngineLane& l, PendingStep& p, RawText said) {
    Step& step = p.step;
    step.failed = true;
    step.error = ErrorClass::user_denied;
    step.tool_class = step.work_class = ToolClass::other;
    step.touch = {};
    p.transparent = p.waits = false;
    step.out = l.outcomes.name(step.call, said, true, false);
    step.error_key = refusal_identity(step, said) | 1;
    step.outcome_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(said.size(), ~std::uint32_t{0}));
    keep_outcome(step.text, said);
}

// A cascade, an interrupt or a person's no are evidence of nothing.
void leave_out(EngineLane& l, PendingStep& p, ResultStatus status, const ToolResult& result, SessionCounts& counts) {
    const RawText said = result.text;
    const bool of_model = !p.left_out && !p.script && !p.of_script;
    p.left_out = true;
    if (status != ResultStatus::denied) return;
    l.drift.denied(said, p.step.result_at);
    counts.denied += !p.copied;
    l.tools.failed(p.tool, ErrorClass::user_denied, !p.copied);
    if (!of_model || refusal_of(result) != Refusal::by_rule) return;
    p.left_out = false;
    keep_refused(l, p, said);
}

// Nothing but numbers of processes: `lsof -ti :3000` before each try to free the port.
bool tells_processes(const Step& step, RawText said) {
    constexpr std::size_t kMost = 64;  // bytes
    if (step.command_bytes == 0 || said.empty() || said.size() > kMost) return false;
    // What a runner says of the call stands in brackets behind it.
    const std::string_view printed = said.bytes.substr(0, said.bytes.find('['));
    const bool numbers = !printed.empty() && printed.front() >= '0' && printed.front() <= '9' &&
                         printed.find_first_not_of("0123456789 \\n\r\n\t") == printed.npos;
    return numbers && asks_for_processes(step.text.argument());
}

// The end of a log that tells of trouble. When, and of which process, is no news there; of a file every byte is.
bool tells_of_trouble_in_log(const Step& step, RawText said) {
    if (step.tool_class != ToolClass::read || step.command_bytes == 0) return false;
    const std::string_view command = step.text.argument().bytes;
    return (command.find(".log") != command.npos || command.find("/log/") != command.npos) && says_refusal(said.bytes);
}

// The step before, when this one asks for another page of its list. Null = it does not.
const Step* page_before(const Step& step, const LaneTrack& lane) {
    const Step* last = step.next_page ? lane.step(lane.steps()) : nullptr;
    return last && last->tool == step.tool && last->call != step.call && !last->failed ? last : nullptr;
}

// Without the command, which some tools and every terminal show above what it printed.
RawText printed_by(const PendingStep& p, RawText said) {
    const RawText command = p.step.text.argument();
    if (p.typed) return behind_echo(said, command, p.step.command_bytes);
    const bool may_echo = p.step.command_bytes > 0 && said.size() >= p.step.command_bytes && !command.empty() &&
                          said.bytes.front() == command.bytes.front();
    return may_echo ? behind_command(said, command, p.step.command_bytes) : said;
}

// What is still under way is the same a moment later.
void forget_moment(PendingStep& p, RawText said) {
    if (!says_unfinished(said)) return;
    if (const std::string asked = without_moments(p.step.text.argument().bytes); !asked.empty())
        p.step.call = mix_hash(p.step.tool, stable_hash(asked));
}

// A tool that is no shell, of whatever its name tells, and which neither edits nor checks: what it answers to one
// question it may have answered to another.
bool is_asked(const Step& step, RawText said) {
    // A page or an answer in JSON that says no, under the number of this visit.
    constexpr std::size_t kLongestPage = 2048;  // bytes
    if (step.command_bytes > 0) {
        const bool page = said.bytes.starts_with('<');
        return step.tool_class == ToolClass::shell && said.size() <= kLongestPage &&
               (page || said.bytes.starts_with('{')) && fetches(step.text.argument()) &&
               (page || says_refusal(said.bytes));
    }
    return (step.tool_class == ToolClass::other || step.tool_class == ToolClass::search ||
            step.tool_class == ToolClass::poll);
}

// `TRACE_ID=4d98eb0f make check`, `make check > /tmp/check-3f9a1c2d.log`: with another name drawn for it this is the
// call that was made right before.
void forget_drawn_names(PendingStep& p, const LaneTrack& lane, RawText said) {
    const Step* last = lane.step(lane.steps());
    Step& step = p.step;
    if (!last || last->tool != step.tool || last->call == step.call || last->outcome_bytes != said.size()) return;
    const bool whole = step.command_bytes == step.text.argument_size && last->command_bytes == last->text.argument_size;
    if (whole && same_but_drawn_names(last->text.argument().bytes, step.text.argument().bytes)) step.call = last->call;
}

// That there is nothing of one thing after the other is said of each.
bool finds_none_of_next(const Step& step, const LaneTrack& lane, RawText said) {
    const Step* last = lane.step(lane.steps());
    return last && last->tool == step.tool &&
           differ_in_one_name(last->text.argument().bytes, step.text.argument().bytes) &&
           (said.bytes.find("[]") != std::string_view::npos || is_no_result(said));
}

// One tool that is called again with something else: north, south.
bool goes_another_way(const Step& step, const LaneTrack& lane) {
    if (step.tool_class != ToolClass::other || step.command_bytes > 0) return false;
    const Step* last = lane.step(lane.steps());
    return last && last->tool == step.tool && last->call != step.call;
}

void name_outcome(EngineLane& l, PendingStep& p, const ToolResult& result, bool failed) {
    Step& step = p.step;
    if (p.dated && !failed) forget_moment(p, result.text);
    if (step.command_bytes > 0) forget_drawn_names(p, l.track, result.text);
    // On a small screen a time of day is what is set there.
    const bool small_screen = p.pictured && result.text.size() <= kSmallScreen;
    const bool reads = step.tool_class == ToolClass::read && !tells_of_trouble_in_log(step, result.text);
    const bool as_it_is =
        small_screen || reads || (step.tool_class == ToolClass::shell && measures(step.text.argument()));
    // What finds documents often repeats in front what it was asked for; that says nothing of what was found.
    std::string found = p.finds == Finds::documents && !failed
                            ? without_query(result.text.bytes, l.edits.of(step.call_at.seq))
                            : std::string();
    if (p.on_screen && found.empty()) found = without_element_refs(result.text.bytes);
    if (found.empty() && !failed && goes_another_way(step, l.track)) found = without_turn_count(result.text.bytes);
    const RawText told = found.empty() ? result.text : RawText{found, result.text.form};
    step.out = l.outcomes.name(step.call, told, failed, as_it_is);
    if (!failed && !as_it_is && is_asked(step, told) && !finds_none_of_next(step, l.track, told))
        step.out = l.outcomes.name_of_like(step.tool, step.call, told, step.out);
    if (!failed && step.tool_class == ToolClass::verify)
        step.out = l.outcomes.name_of_passed(step.call, result.text, step.out);
    // The next one that is just like it.
    if (!failed && l.track.last_call() == step.call && makes_something(step)) {
        const std::uint64_t first = l.outcomes.name_of_made(step.call, result.text);
        step.made_anew = first != 0 && first != step.out;
        if (step.made_anew) step.out = first;
    }
    if (const Step* page = failed ? nullptr : page_before(step, l.track); page && page->out != step.out) {
        if (l.outcomes.is_page_of(page->call, result.text)) step.out = page->out;
    }
    if (!failed && tells_processes(step, result.text)) step.out = mix_hash(step.call, shape_hash(result.text));
    // An answer that is the list again.
    if (p.plans && !failed && mix_hash(step.tool, plan_identity(result.text)) == step.call) step.out = step.call;
    // A search that was typed into a box leads to a page as well.
    const bool page = p.finds == Finds::pages || (p.finds == Finds::documents && is_read_off_screen(result.text.bytes));
    if (page && !failed) step.out = l.pages.name(step.call, result.text, step.out, clicks_on(step));
    if (p.finds == Finds::documents && !page && !failed) step.out = l.queries.name_of_documents(told, step.out);
    if (step.query.words > 0 && !failed) l.queries.answer(result.text, step.query);
    // The same words around another picture are another answer.
    if (result.media_hash != 0 && !failed) step.out = mix_hash(step.out, result.media_hash);
    step.pictured = result.media_stored;
    // What is not in the record nobody can compare.
    step.opaque =
        step.opaque || (!result.media_stored && (result.opaque || is_opaque_outcome(result.text) ||
                                                 (result.media_count > 0 && result.text.empty()) ||
                                                 (p.pictured && !failed && is_picture_taken(result.text)) ||
                                                 (p.on_screen && !failed && says_picture_taken(result.text))));
}

// The same look again, at what others are busy with. A deed that is done again is no look, whoever is in its way.
bool is_asked_how_it_goes(const Step& step, RawText said, const EngineLane& l) {
    return l.track.last_call() == step.call && !makes_something(step) && !is_act(step) && says_under_way(said);
}

// What goes on when it is answered is asked after by what follows. A second message that is queued under another name
// is no look at the first one.
void see_running(PendingStep& p, const ToolResult& result, ResultStatus status, const EngineLane& l) {
    Step& step = p.step;
    const bool of_any_kind = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::other;
    if (status == ResultStatus::running) {
        step.tool_class = ToolClass::poll;
        // The code with which it will end is that of the check, unless a pipe takes its place.
        if (!p.piped && step.background == 0) step.background = id_of(result.handle);
    } else if (status != ResultStatus::error && of_any_kind && !step.made_anew &&
               (says_unfinished(result.text) || is_asked_how_it_goes(step, result.text, l))) {
        step.tool_class = step.work_class = ToolClass::poll;
    }
}

// Commands between an edit and the look at what came of it, that one included: build, apply, list, describe, logs.
constexpr int kLooks = 5;
constexpr int kReworks = 2;  // edits of files once more before anybody may be stuck

void remember_edit(const Step& step, EngineLane& l) {
    l.edit = step.touch.whole_file ? 0 : step.call_at.seq;
    const std::string_view path = step.text.argument().bytes;
    const bool wrote = step.touch.whole_file && step.command_bytes == 0 && path.find_first_of(" \n{") == path.npos;
    l.written.assign(wrote ? path.substr(path.find_last_of("/\\") + 1) : std::string_view{});  // npos + 1 = 0
    const std::uint64_t file = std::uint64_t{1} << (step.touch.file >> 58);
    l.reworks += (l.edited & file) != 0;
    l.edited |= file;
    if (l.reworks >= kReworks) l.looks = kLooks;
}

// Who takes a program down and looks at the next one of its kind expects another one.
void remember_restart(const Step& step, EngineLane& l) {
    constexpr std::string_view kBegins =
        "kdpsfnh";  // kubectl, kill, docker, podman, systemctl, sudo, fuser, nohup, helm
    if (step.tool_class != ToolClass::shell || step.text.argument_size == 0) return;
    const std::string_view command = step.text.argument().bytes;
    if (kBegins.find(command.front()) != kBegins.npos && starts_anew(command)) l.looks = kLooks;
}

// "loss nan", of a model that is trained after each change of its settings.
std::uint64_t figure_shown(RawText said) {
    constexpr std::size_t kLooked = 1024;  // bytes, at the end
    const std::string_view end = said.bytes.substr(said.size() - std::min(said.size(), kLooked));
    if (!names_figure(end)) return 0;
    return kShownMark << kShownMarkAt | std::uint64_t{says_nothing_came(end)};
}

// What a look shows of a program that fails: a page, a log.
[[gnu::noinline]] void see_shown(PendingStep& p, EngineLane& l, RawText said) {
    constexpr std::size_t kShortest = 7;  // "console"; Read and Edit show no program that runs
    Step& step = p.step;
    const bool command = step.command_bytes > 0;
    l.looks -= command;
    if (step.tool_class == ToolClass::mutate || step.tool_class == ToolClass::verify) return;
    if (!command && step.text.tool_size < kShortest) return;
    const Shown shown = command ? shown_by_command(step.text.argument().bytes) : shown_by_tool(step.text.tool());
    // Of many pods one that fails may be nobody's task.
    if (shown == Shown::container && said.bytes.find(" Running ") != said.bytes.npos) return;
    if (shown != Shown::nothing) step.error_key = shown_error(shown, said);
    constexpr std::string_view kTrains = "train";
    if (shown == Shown::nothing && command && step.tool_class == ToolClass::shell &&
        step.text.argument().bytes.find(kTrains) != std::string_view::npos)
        step.error_key = figure_shown(said);
}

// `pytest -q` and `pytest -x` are one check.
std::uint64_t check_of(const Step& step) {
    const std::uint64_t run = identity_of_run(step.text.argument());
    return run == 0 ? step.call : mix_hash(step.tool, run);
}

// The script that was just written is run: its line is numbered in another way than that of the draft before it.
bool runs_draft(const Step& step, const EngineLane& l) {
    if (l.written.empty() || step.command_bytes == 0 || step.tool_class != ToolClass::shell) return false;
    const std::string_view command = step.text.argument().bytes;
    const std::size_t at = command.find(l.written);
    return at != command.npos && at > 0 && std::string_view(" /").find(command[at - 1]) != std::string_view::npos;
}

// `deeds`: of the lane, before this step.
void name_failure(EngineLane& l, PendingStep& p, RawText said, ErrorClass error, std::uint64_t deeds,
                  SessionCounts& counts) {
    Step& step = p.step;
    std::uint64_t error_of = runs_draft(step, l) ? identity_of_draft(step, said) : 0;
    if (error_of == 0 && error == ErrorClass::transient) error_of = identity_of_outage(step, said);
    if (error_of == 0) error_of = identity_of_shortage(step, said);
    if (error_of == 0) error_of = error_identity(step, said, l.outcomes, l.edits);
    RetryNames::Names names{step.out, error_of};
    // What is waited for moves by itself: there every difference is news.
    if (step.command_bytes > 0 && step.tool_class != ToolClass::poll) {
        const bool check = step.tool_class == ToolClass::verify;
        const std::string_view edit = check ? l.edits.of(l.edit) : std::string_view{};
        names = l.retries.name({check ? check_of(step) : step.call, l.calls, deeds, l.moved, check, edit}, said, names);
    }
    // A program that cannot be read stops at one line, whatever was put there.
    if (const std::uint64_t place = step.command_bytes > 0 ? unparsed_place(said) : 0; place != 0)
        names = l.retries.name_at(place, names);
    step.out = names.out;
    if (step.tool_class == ToolClass::verify) l.drift.check_failed(said);
    fail(l, p, names.error, error, counts);
}

// A refused edit changed nothing; a command that failed may have done half of its work.
bool may_change(ToolClass tool_class, bool failed) {
    if (tool_class == ToolClass::mutate) return !failed;
    return tool_class == ToolClass::shell || tool_class == ToolClass::other;
}

bool may_list(ToolClass tool_class) { return tool_class != ToolClass::mutate && tool_class != ToolClass::verify; }

std::uint64_t lines_moved(const FileTouch& touch) {
    constexpr std::uint64_t kUnknown = 20, kAny = 1'000'000;
    const std::uint64_t told = std::max(touch.before_lines, touch.after_lines);
    if (touch.whole_file) return kAny;
    return told > 0 ? told : kUnknown;
}

}  // namespace

// What the call is for, by its name and its command.
inline void StepMaker::classify(const ToolCall& call, const PlainName& name, const ToolMemory::Tool& tool,
                                PendingStep& p, EngineLane& l) const {
    Step& step = p.step;
    const bool shell = tool.what.runs_shell;
    step.tool_class = classify_call(tool.what, call.primary, call.args);
    if (tool.ruled) {
        if (const auto set = options_.command_rules->classify(name.view(), call.primary)) step.tool_class = *set;
    }
    step.work_class = step.tool_class;
    if (shell && (step.tool_class == ToolClass::poll || step.tool_class == ToolClass::wait)) {
        if (const std::string look = without_pauses(call.primary); !look.empty())
            step.call = mix_hash(step.tool, stable_hash(look));
    }
    if (!shell && names_wait(step, call.args.bytes)) {
        if (const std::string awaited = without_wait_times(call.args.bytes); !awaited.empty())
            step.call = mix_hash(step.tool, stable_hash(awaited));
    }
    if (step.tool_class == ToolClass::note) name_plan(p, call.args);
    p.in_git = shell && step.tool_class == ToolClass::mutate && l.track.lane() == 0 && only_keeps_in_git(call.primary);
    const bool may_visit = step.tool_class == ToolClass::mutate || step.tool_class == ToolClass::verify;
    step.visits = shell && may_visit && visits_revision(call.primary);
    p.finds = tool.finds;
    p.asks = tool.asks;
    p.on_screen = tool.screen != ScreenUse::none;
    p.pictured = tool.screen == ScreenUse::look;
    if (tool.screen == ScreenUse::act) {
        if (const std::string named = without_ref_argument(call.args.bytes); !named.empty())
            step.call = mix_hash(step.tool, stable_hash(named));
        // How far a page is scrolled does not matter where nothing new comes up.
        if (call.name.bytes.find("croll") != std::string_view::npos)
            step.call = mix_hash(step.tool, shape_hash(call.args));
    }
    p.piped = shell && step.tool_class == ToolClass::verify && hides_exit_code(call.primary);
    p.stops = (tool.what.stdin_poll || shell) && stops_program(call.primary, call.args, call.fields);
    p.waits = step.tool_class == ToolClass::wait && (!shell || pauses_long(call.primary));
    p.timed = step.tool_class == ToolClass::wait && (shell || names_only_pause(call.args.bytes));
    // Whoever only says for how long, and does so again, waits: listen for 60 seconds, observe for 5.
    if (step.tool_class == ToolClass::other && step.call == l.track.last_call() && names_only_pause(call.args.bytes))
        step.tool_class = step.work_class = ToolClass::poll;
    p.transparent = step.tool_class == ToolClass::wait || step.tool_class == ToolClass::note;
    if (tool.what.stdin_poll) step.background = id_of({session_asked(call.args.bytes)});
    p.typed = shell && (call.primary.bytes.ends_with("\\n") || call.primary.bytes.ends_with('\n'));
    p.keys = shell && tool.what.stdin_poll;
    if (shell) l.commands.see(call.primary, step);
}

void StepMaker::begin(const Event& event, const ToolCall& call, PendingStep& p, EngineLane& l) {
    const PlainName name(call.name);
    begin_step(event, call, name, p, l);
    // A program is judged by the calls it makes, not by its name.
    const ToolMemory::Tool tool = call.script ? ToolMemory::Tool{} : tools_.of(name.view(), p.step.tool, options_);
    classify(call, name, tool, p, l);
    remember_arguments(call, tool, p.step, l);
    p.step.next_page = turns_page(call, p.step, l);
    p.left_out = call.caller == Caller::user || p.copied;
    p.script = call.script;
    p.of_script = call.caller == Caller::code;
    if (!p.left_out && !l.housekeeping) follow_call(call, name, tool, p.step, l);
    if (p.finds == Finds::documents && !p.left_out)
        l.queries.ask(call.primary.empty() ? call.args : call.primary, p.step.query);
    keep_name(p.step.text, name.view());
    // No argument stands out: all of them are what the call says. {} says nothing. Of a click the place says as much as
    // the deed, and of a question that names a day the day.
    const bool asks = p.step.tool_class == ToolClass::other || p.step.tool_class == ToolClass::search;
    const bool of_day = asks && p.step.command_bytes == 0 && call.primary.size() < call.args.size() &&
                        call.args.size() <= StepText::kArgument && holds_date(call.args.bytes);
    p.dated = of_day;
    const bool at_place =
        tool.screen == ScreenUse::act && call.args.bytes.find("\"coordinate\"") != std::string_view::npos;
    const bool all = at_place || of_day || (call.primary.empty() && call.args.size() > 2);
    if (at_place && call.args.size() > StepText::kArgument) {
        const std::string short_form = without_indents(call.args.bytes);
        keep_argument(p.step.text, {short_form, call.args.form});
    } else {
        keep_argument(p.step.text, all ? call.args : call.primary);
    }
    if (p.step.tool_class == ToolClass::note && !p.plans) name_thought(p, call.args, l.thoughts);
}

// What is asked of the arguments when the result is there, or later.
void StepMaker::remember_arguments(const ToolCall& call, const ToolMemory::Tool& tool, Step& step,
                                   EngineLane& l) const {
    const bool orders =
        step.tool_class == ToolClass::mutate || (tool.finds == Finds::documents && !tool.what.runs_shell);
    if (orders) l.edits.keep(step.call_at.seq, call.args);
    if (call.primary.size() > StepText::kArgument && step.tool_class == ToolClass::read)
        l.context.long_name(step.call_at.seq, call.primary);
    if (asks_files_ && !step.opaque)
        step.touch = touch_of(tool.what, step.tool_class, call.args, call.primary, call.fields);
}

void StepMaker::answer(const Event& event, const ToolResult& result, PendingStep& p, EngineLane& l,
                       SessionCounts& counts) {
    p.step.unechoed = p.keys;
    const RawText printed = printed_by(p, result.text);
    std::optional<ToolResult> told;
    if (printed.size() != result.text.size()) {
        told = result;
        told->text = printed;
    }
    if (p.typed) p.step.unechoed = p.keys && !told;
    take(event, told ? *told : result, p, l, counts);
}

// That a page did not show in time what a test waits for is not what goes away by itself.
ErrorClass StepMaker::class_of_failure(const Step& step, RawText said) {
    const ErrorClass error = error_classes_.of(said, *options_.errors);
    if (error == ErrorClass::unknown && only_waited_for_lock(said.bytes)) return ErrorClass::transient;
    const bool waited = error == ErrorClass::transient && step.tool_class == ToolClass::verify;
    return waited && counts_failures(said) ? options_.errors->classify(said, ErrorClassifier::Of::red_check) : error;
}

void StepMaker::take(const Event& event, const ToolResult& result, PendingStep& p, EngineLane& l,
                     SessionCounts& counts) {
    Step& step = p.step;
    const bool refines = p.answered;
    p.answered = true;
    step.result_at = place_of(event.head);
    const std::optional<int> code = exit_code_of(result);
    step.exited = code.has_value();
    ResultStatus status = status_of(step, p.piped, result, code);
    if (p.stops && status == ResultStatus::error && is_code_of_interrupt(code)) status = ResultStatus::ok;
    if (refines && result.text.empty()) {
        if (status == ResultStatus::error && !listeners_.empty()) tell_failure(p, l);
        if (status == ResultStatus::error)
            fail(l, p, step.error_key == 0 ? step.out | 1 : step.error_key, ErrorClass::unknown, counts);
        return;
    }
    const bool failed = status == ResultStatus::error;
    const ErrorClass error = failed ? class_of_failure(step, result.text) : ErrorClass::none;
    if (error == ErrorClass::user_denied && !code && result.text.bytes.size() <= kLongestDenial)
        status = ResultStatus::denied;
    if (status == ResultStatus::denied && !listeners_.empty()) tell_denial(p, result, l);
    if (status == ResultStatus::denied || status == ResultStatus::cancelled)
        return leave_out(l, p, status, result, counts);
    if (p.asks) l.drift.answered(result.text);
    name_outcome(l, p, result, failed);
    if (p.thinks && !failed) name_receipt(step, result.text);
    if (!failed && may_list(step.tool_class)) l.lists.keep(event.head.seq, result.text);
    keep_outcome(step.text, {failed ? behind_notices(result.text) : result.text.bytes, result.text.form});
    step.outcome_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(result.text.size(), ~std::uint32_t{0}));
    const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
    if (looks && !refines && !failed) step.reread_line = l.context.looked(step);
    see_running(p, result, status, l);
    if (asks_files_ && !failed) {
        refine_touch(step.touch, step.tool_class, result.text);
        if (l.looks > 0) [[unlikely]]
            see_shown(p, l, result.text);
    }
    const std::uint64_t deeds_before = l.deeds;
    l.deeds += may_change(step.tool_class, failed);
    if (!failed && may_change(step.tool_class, failed)) l.moved += lines_moved(step.touch);
    if (!failed && step.tool_class == ToolClass::mutate) remember_edit(step, l);
    if (!failed) remember_restart(step, l);
    if (failed && !listeners_.empty()) tell_failure(p, l);
    if (failed && step.tool_class == ToolClass::verify) l.track.red(step.result_at.line, result.text);
    if (failed) name_failure(l, p, result.text, error, deeds_before, counts);
}

// What a person called, and what was told already, is left out of it.
void StepMaker::tell_failure(const PendingStep& p, const EngineLane& l) const {
    if (!p.left_out && !p.step.failed) tell(Trouble::failed, p, l);
}

void StepMaker::tell_denial(const PendingStep& p, const ToolResult& result, const EngineLane& l) const {
    if (p.left_out || p.step.failed) return;
    const bool by_rule = refusal_of(result) == Refusal::by_rule;
    tell(by_rule ? Trouble::denied_by_rule : Trouble::denied_by_person, p, l);
}

void StepMaker::tell(Trouble trouble, const PendingStep& p, const EngineLane& l) const {
    for (TroubleListener* listener : listeners_) listener->on_trouble(trouble, p.step.result_at, l.tools.name(p.tool));
}

}  // namespace agent_audit::detectors
