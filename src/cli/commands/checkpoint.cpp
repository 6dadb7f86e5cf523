#include "cli/arguments/flag_words.hpp"
#include "cli/arguments/offers.hpp"
#include "cli/commands/answer.hpp"
#include "cli/commands/checkpoint_file.hpp"
#include "cli/commands/listing.hpp"
#include "cli/sessions/session_input.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/words/human.hpp"
#include "report/words/input_problem.hpp"

#include <agent_audit/pipeline/session_state.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kVerbs[] = {"list", "show", "write"};
constexpr std::string_view kFormats[] = {"text", "json", "markdown", "chat", "anthropic"};
constexpr FlagSpec kFlags[] = {
    {"--checkpoint-dir", "DIR", "folder of the checkpoints", true, kOfferFolder},
    {"--every", "N", "write: responses between two checkpoints (default 10)"},
    {"-f,--format", "FORMAT", "list, write: text (default) or json; show: markdown (default), json, chat or anthropic",
     false, offer_one_of(kFormats)},
    {"--redact", "WHAT", "write: taken out of all texts: secrets (default), strict (also e-mails, users), none", true,
     kOfferRedact},
    {"--input-format", "FORMAT", "write: what wrote the session (default: by its content)", false,
     offer_word(reader_words)},
};
enum Flag : std::size_t { kDir, kEvery, kFormat, kRedact, kInputFormat };

constexpr Example kExamples[] = {
    {"agent-audit checkpoint write --checkpoint-dir checkpoints session.jsonl", "what was known every ten responses"},
    {"agent-audit checkpoint list --checkpoint-dir checkpoints", "which there are"},
    {"agent-audit checkpoint show --checkpoint-dir checkpoints ID", "one of them, as the prompt of a fresh session"},
};

std::string last(const Arguments& arguments, Flag flag, std::string_view otherwise = "") {
    return last_value(arguments.flags[flag], otherwise);
}

using Stored = CheckpointFolder::Stored;

// ---- list --------------------------------------------------------------------------------------------------------

void write_json(report::JsonWriter& json, const std::vector<Stored>& stored) {
    json.begin_object();
    json.text("schema", "agent-audit/checkpoints/1");
    json.key("checkpoints").begin_array();
    for (const Stored& s : stored) {
        json.newline();
        json.begin_object();
        json.text("id", s.id);
        json.known_text("session", s.checkpoint.session);
        json.text("reason", name(s.checkpoint.reason));
        json.known_text("risk", s.checkpoint.risk);
        json.number("line", s.checkpoint.line);
        json.known_number("turn", s.checkpoint.turn);
        json.number("responses", s.checkpoint.responses);
        json.number("verified", s.checkpoint.verified.size());
        json.number("unverified", s.checkpoint.unverified.size());
        json.number("failures", s.checkpoint.failures.size());
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.newline();
}

void write_text(report::Page& page, const std::vector<Stored>& stored) {
    if (stored.empty()) return page.line(0, "no checkpoints");
    // The id is what `checkpoint show` asks for: only a first column is ever wrapped, so it is none.
    report::Table table({{"line"},
                         {"checkpoint", 0, false},
                         {"turn", 5},
                         {"verified", 3},
                         {"open edits", 2},
                         {"failures", 4},
                         {"taken", 1, false}});
    for (const Stored& s : stored) {
        const advice::Checkpoint& c = s.checkpoint;
        const std::string why = c.reason == advice::CheckpointReason::risk         ? "before a risk"
                                : c.reason == advice::CheckpointReason::compaction ? "before compaction"
                                                                                   : std::string(name(c.reason));
        table.row({std::to_string(c.line), report::visible(s.id), std::to_string(c.turn),
                   std::to_string(c.verified.size()), std::to_string(c.unverified.size()),
                   std::to_string(c.failures.size()), why});
    }
    table.draw(page, 0);
}

// ---- the three actions -------------------------------------------------------------------------------------------

ExitStatus unreadable(const std::string& message) {
    complain(report::visible(message));
    return ExitStatus::input;
}

ExitStatus show_list(const CommandSpec& self, const Arguments& arguments, const std::vector<Stored>& stored) {
    return answer(
        self, arguments, kFormat, [&](report::Page& page) { write_text(page, stored); },
        [&](report::JsonWriter& json) { write_json(json, stored); });
}

Result<std::vector<Stored>> stored_in(const std::string& dir) {
    auto listing = CheckpointFolder(dir).list();
    if (!listing) return listing.error();
    for (const std::string& name : listing->foreign) complain(report::visible(name) + " is no checkpoint");
    return std::move(listing.value().stored);
}

ExitStatus run_list(const CommandSpec& self, const Arguments& arguments, const std::string& dir) {
    if (arguments.operands.size() != 1) return usage_error(self, "checkpoint list takes no operand");
    if (const auto format = asks_for_json(arguments, kFormat); !format)
        return usage_error(self, format.error().message);
    const auto stored = stored_in(dir);
    if (!stored) return unreadable(stored.error().message);
    return show_list(self, arguments, *stored);
}

ExitStatus run_show(const CommandSpec& self, const Arguments& arguments, const std::string& dir) {
    if (arguments.operands.size() != 2) return usage_error(self, "checkpoint show takes one ID, as in checkpoint list");
    const std::string format = last(arguments, kFormat);
    const auto form = prompt_form(format.empty() ? "markdown" : format);
    if (!form && format != "json")
        return usage_error(self, "--format = \"" + format + "\": expected markdown, json, chat or anthropic");
    const auto stored = stored_in(dir);
    if (!stored) return unreadable(stored.error().message);
    const std::string& id = arguments.operands[1];
    const auto found = std::ranges::find(*stored, id, &Stored::id);
    if (found == stored->end()) {
        std::vector<std::string_view> ids;
        for (const Stored& s : *stored) ids.push_back(s.id);
        const std::string_view near = nearest(id, ids);
        return unreadable("no checkpoint '" + id + "'" +
                          (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
    }
    if (!form) return print(checkpoint_json(found->checkpoint), Printed::document);
    // Whoever made the file: what is shared is redacted.
    return print(written_prompt(advice::write_reset_prompt(found->checkpoint,
                                                           {.redact = text_filter(Redact::secrets), .reason = {}}),
                                *form),
                 printed_as(*form));
}

ExitStatus run_write(const CommandSpec& self, const Arguments& arguments, const std::string& dir) {
    if (arguments.operands.size() > 2) return usage_error(self, "checkpoint write takes one session");
    if (arguments.operands.size() < 2 && ::isatty(STDIN_FILENO) == 1)
        return usage_error(self, "checkpoint write needs SESSION");
    if (const auto format = asks_for_json(arguments, kFormat); !format)
        return usage_error(self, format.error().message);
    SessionStatePlan plan;
    plan.input = arguments.operands.size() < 2 ? "-" : arguments.operands[1];
    if (const auto folder = folder_for_session(plan.input, "checkpoint write")) return usage_error(self, *folder);
    plan.input_format = last(arguments, kInputFormat);
    if (const std::string every = last(arguments, kEvery); !every.empty()) {
        const auto n = number_from(every, 1);
        if (!n) return usage_error(self, "--every = \"" + every + "\": expected a number from 1");
        plan.checkpoints.every = *n;
    }
    const auto redact = redact_from(last(arguments, kRedact));
    if (!redact)
        return usage_error(self, "--redact = \"" + last(arguments, kRedact) + "\": expected none, secrets or strict");
    plan.filter = text_filter(*redact);
    const CheckpointFolder folder(dir);
    auto trouble = folder.create();
    std::vector<Stored> made;
    plan.on_checkpoint = [&](const advice::Checkpoint& c) {
        if (!trouble) trouble = folder.store(c);
        if (!trouble) made.push_back({checkpoint_id(c), c});
    };
    const auto state = session_state(plan);
    if (!state) return usage_error(self, state.error().message);
    if (state->events > 0 && !trouble) {
        trouble = folder.store(state->state);
        const std::string id = checkpoint_id(state->state);
        std::erase_if(made, [&](const Stored& s) { return s.id == id; });
        made.push_back({id, state->state});
    }
    if (trouble) {
        complain(report::visible(trouble->message));
        return ExitStatus::internal;
    }
    const ExitStatus status = show_list(self, arguments, made);
    if (!state->problem.empty()) return unreadable(report::input_problem(plan.input, state->problem));
    if (state->events == 0) return unreadable(report::no_session_words({&plan.input, 1}, 0));
    return status;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    const std::string action = arguments.operands.empty() ? "" : arguments.operands[0];
    if (std::ranges::find(kVerbs, action) == std::end(kVerbs)) {
        const std::string_view near = nearest(action, kVerbs);
        return usage_error(self, action.empty()
                                     ? "checkpoint needs list, show or write"
                                     : "checkpoint " + action + ": expected list, show or write" +
                                           (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
    }
    const std::string dir = last(arguments, kDir);
    if (dir.empty()) return usage_error(self, "checkpoint " + action + " needs --checkpoint-dir");
    if (action == "list") return run_list(self, arguments, dir);
    return action == "show" ? run_show(self, arguments, dir) : run_write(self, arguments, dir);
}

}  // namespace

CommandSpec checkpoint_command() {
    return {
        "checkpoint",
        "list|show|write [ID|SESSION]",
        "keep what a session has come to, and show it",
        "write takes checkpoints of a recorded session every few responses, before commands that destroy or publish, "
        "before compactions and at the end, and stores them in --checkpoint-dir, one file each. list names them, show "
        "writes one as the prompt of a fresh session or as JSON (schema checkpoint).",
        kExamples,
        kFlags,
        run,
        false,
        offer_one_of(kVerbs),
        kOfferFile};
}

}  // namespace agent_audit::cli
