#include "cli/arguments/flag_words.hpp"
#include "cli/arguments/offers.hpp"
#include "cli/commands/answer.hpp"
#include "cli/commands/listing.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"

#include <agent_audit/pipeline/calibrate.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace agent_audit::cli {
namespace {

constexpr FlagSpec kFlags[] = {
    {"-f,--format", "FORMAT", "text (default) or json", false, kOfferTextOrJson},
    {"--estimator", "NAME,...", "only these estimates; see the list without it", false, offer_list(estimator_words)},
    {"--vocab", "FILE",
     "count exactly with this byte-pair vocabulary: lines \"base64 rank\", as in o200k_base.tiktoken", true,
     kOfferFile},
    {"--pre-tokeniser", "KIND", "how the vocabulary cuts texts: o200k or cl100k (default: by its size)", false,
     offer_word(pre_tokeniser_words)},
    {"--calibrate", "",
     "FILE is a session: learn from its first requests how many tokens its texts have, predict the rest", false},
};
enum Flag : std::size_t { kFormat, kEstimator, kVocab, kPreTokeniser, kCalibrate };

constexpr Example kExamples[] = {
    {"agent-audit tokens notes.md", "what each agent would take this text for"},
    {"agent-audit tokens --vocab o200k_base.tiktoken prompt.txt", "with the exact count beside it"},
    {"agent-audit tokens --calibrate session.jsonl",
     "what the recording does not show, and how well prompts can be predicted"},
};

std::string last(const Arguments& arguments, Flag flag, std::string_view otherwise = "") {
    return last_value(arguments.flags[flag], otherwise);
}

std::optional<PreTokeniser> pre_tokeniser(std::string_view word) {
    for (const PreTokeniser kind : {PreTokeniser::o200k, PreTokeniser::cl100k}) {
        if (word == name(kind)) return kind;
    }
    return std::nullopt;
}

void write_json(report::JsonWriter& json, const TextTokens& counted) {
    json.begin_object();
    json.text("schema", "agent-audit/tokens/1");
    json.number("bytes", counted.bytes);
    json.number("utf16_units", counted.utf16);
    json.number("code_points", counted.code_points);
    if (counted.exact) {
        json.number("exact", *counted.exact);
        json.text("vocabulary", counted.vocabulary);
    }
    json.key("estimates").begin_array();
    for (const TextTokens::Row& row : counted.estimates) {
        json.begin_object();
        json.text("estimator", row.name);
        json.number("tokens", row.tokens);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.newline();
}

std::string error_of(std::uint64_t estimate, std::uint64_t exact) {
    if (exact == 0) return "";
    return fmt::format("{:+.1f} %", 100.0 * (static_cast<double>(estimate) / static_cast<double>(exact) - 1.0));
}

void write_text(report::Page& page, const TextTokens& counted) {
    page.line(0, fmt::format("{} bytes, {} UTF-16 units, {} code points", report::thousands(counted.bytes),
                             report::thousands(counted.utf16), report::thousands(counted.code_points)));
    const auto row = [&](std::string_view label, std::uint64_t tokens, std::string_view error, std::string_view how) {
        const std::string figure = fmt::format("{:<10}{:>10}", label, report::thousands(tokens)) +
                                   (counted.exact ? fmt::format("{:>10}", error) : "");
        page.labelled(0, counted.exact ? 30 : 20, figure, how);
    };
    if (counted.exact) row("exact", *counted.exact, "", counted.vocabulary);
    for (const TextTokens::Row& estimate : counted.estimates) {
        row(estimate.name, estimate.tokens, counted.exact ? error_of(estimate.tokens, *counted.exact) : "",
            estimate.doc);
    }
}

// ---- calibration -------------------------------------------------------------------------------------------------

using Held = CalibratedSession::Held;

double error_of(const Held& held, double Held::*estimate) {
    return std::fabs(held.*estimate / static_cast<double>(held.prompt) - 1.0);
}

double quantile(const CalibratedSession& session, double Held::*estimate, double share) {
    std::vector<double> errors;
    for (const Held& held : session.held) errors.push_back(error_of(held, estimate));
    if (errors.empty()) return 0;
    std::ranges::sort(errors);
    return errors[std::min(errors.size() - 1, static_cast<std::size_t>(share * static_cast<double>(errors.size())))];
}

void write_json(report::JsonWriter& json, const std::vector<CalibratedSession>& sessions) {
    json.begin_object();
    json.text("schema", "agent-audit/calibration/1");
    json.key("sessions").begin_array();
    for (const CalibratedSession& session : sessions) {
        json.newline();
        json.begin_object();
        json.known_text("session", session.id);
        json.text("format", session.format);
        json.number("requests", session.requests);
        json.number("trained", session.trained);
        json.real("unseen_tokens", std::round(session.unseen));
        json.number("samples", session.samples);
        json.number("rejected", session.rejected);
        json.number("restarts", session.restarts);
        json.key("weights").begin_object();
        for (std::size_t i = 0; i < kFeatures; ++i) json.real(kFeatureDocs[i].name, session.weights[i]);
        json.end_object();
        json.key("predicted").begin_array();
        for (const Held& held : session.held) {
            json.begin_object();
            json.number("line", held.line);
            json.number("prompt", held.prompt);
            json.real("calibrated", std::round(held.calibrated));
            json.real("run", std::round(held.run));
            json.real("chars4", std::round(held.chars4));
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.newline();
}

void write_session(report::Page& page, const CalibratedSession& session) {
    page.paragraph(
        0, fmt::format("{} session {}: {} requests, {} to learn from; {} samples, {} not believed, {} new starts",
                       session.format, report::visible(session.id), session.requests, session.trained, session.samples,
                       session.rejected, session.restarts));
    page.line(2,
              fmt::format("about {} tokens of each prompt are not recorded (system prompt, tools)",
                          report::thousands(static_cast<std::uint64_t>(std::llround(std::max(0.0, session.unseen))))));
    report::Table weights({{"tokens of", 0, false}, {"weight"}, {"expected"}});
    for (std::size_t i = 0; i < kFeatures; ++i) {
        weights.row({std::string(kFeatureDocs[i].name), fmt::format("{:.2f}", session.weights[i]),
                     fmt::format("{:.2f}", kFeatureDocs[i].weight)});
    }
    weights.draw(page, 2);
    if (session.held.empty()) return page.line(2, "no requests left to predict");
    report::Table errors(
        {{"error in " + report::count_of(session.held.size(), "prompt"), 0, false}, {"median"}, {"95 %"}});
    const auto row = [&](std::string_view name, double Held::*estimate) {
        errors.row({std::string(name), fmt::format("{:.1f} %", 100 * quantile(session, estimate, 0.5)),
                    fmt::format("{:.1f} %", 100 * quantile(session, estimate, 0.95))});
    };
    row("calibrated", &Held::calibrated);
    row("run", &Held::run);
    row("chars4", &Held::chars4);
    errors.draw(page, 2);
}

void write_text(report::Page& page, const std::vector<CalibratedSession>& sessions) {
    if (sessions.empty()) page.line(0, "no request of the recording has its tokens recorded");
    for (const CalibratedSession& session : sessions) {
        write_session(page, session);
        if (&session != &sessions.back()) page.blank();
    }
}

// ---- the command -------------------------------------------------------------------------------------------------

template <class What>
ExitStatus show(const CommandSpec& self, const Arguments& arguments, const What& what) {
    return answer(
        self, arguments, kFormat, [&](report::Page& page) { write_text(page, what); },
        [&](report::JsonWriter& json) { write_json(json, what); });
}

ExitStatus run_calibration(const CommandSpec& self, const Arguments& arguments) {
    auto sessions = calibrate(arguments.operands.empty() ? "-" : arguments.operands[0]);
    if (sessions) {
        report::Redactor redact(Redact::secrets);
        for (CalibratedSession& session : *sessions) session.id = redact.text(session.id);
        return show(self, arguments, *sessions);
    }
    complain(sessions.error().message);
    return ExitStatus::input;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.size() > 1) return usage_error(self, "tokens takes one file");
    if (!arguments.flags[kCalibrate].empty()) return run_calibration(self, arguments);
    TextTokensPlan plan{listed_values(arguments.flags[kEstimator]), last(arguments, kVocab), {}};
    if (const std::string kind = last(arguments, kPreTokeniser); !kind.empty()) {
        plan.pre_tokeniser = pre_tokeniser(kind);
        if (!plan.pre_tokeniser)
            return usage_error(self, "--pre-tokeniser = \"" + kind + "\": expected o200k or cl100k");
    }
    const Result<std::string> text = read_file(arguments.operands.empty() ? "-" : arguments.operands[0]);
    if (!text) {
        complain(text.error().message);
        return ExitStatus::input;
    }
    const Result<TextTokens> counted = count_text_tokens(*text, plan);
    if (!counted) return usage_error(self, counted.error().message);
    return show(self, arguments, *counted);
}

}  // namespace

CommandSpec tokens_command() {
    return {
        "tokens",
        "[FILE]",
        "count the tokens of a text as agents estimate them",
        "FILE is a text; without it, or with -, standard input. Estimates are those that agents decide by when they "
        "prune or compact; the exact count needs the vocabulary file of a model.",
        kExamples,
        kFlags,
        run};
}

}  // namespace agent_audit::cli
