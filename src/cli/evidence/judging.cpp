#include "cli/evidence/judging.hpp"

#include "cli/evidence/text_similarity.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/line_words.hpp"

#include <agent_audit/model/rule_group.hpp>
#include <agent_audit/pipeline/excerpts.hpp>
#include <agent_audit/remote/embeddings.hpp>
#include <agent_audit/remote/judge.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

namespace agent_audit::cli {
namespace {

constexpr std::size_t kMostJudged = 200;    // findings a judge is asked about, whatever its budget
constexpr std::size_t kMostStretches = 20;  // sessions without a drift finding whose farthest stretch it is asked about
constexpr double kFar = 0.3;  // the score that such a stretch reaches: what healthy work seldom leaves for long

bool is_judged(const Finding& finding) { return is_about_loops(finding.rule) || is_about_drift(finding.rule); }

std::vector<std::size_t> worst_first(const Report& report) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
        if (is_judged(report.findings[i])) out.push_back(i);
    }
    std::ranges::stable_sort(
        out, [&](std::size_t a, std::size_t b) { return report.findings[a].severity > report.findings[b].severity; });
    if (out.size() > kMostJudged) out.resize(kMostJudged);
    return out;
}

// An error rests on facts that a machine can check, and whoever wrote the transcript may have talked the judge round.
Severity judged(Severity severity, bool spinning) {
    if (spinning) return std::max(severity, Severity::warning);
    return severity == Severity::error ? severity : Severity::info;
}

void apply(const remote::Judge::Outcome& outcome, Finding& finding) {
    Judgement& word = finding.judgement.emplace();
    word.severity_before = finding.severity;
    word.cached = outcome.cached;
    if (!outcome.answer) {
        word.reason = outcome.problem;
        return;
    }
    const remote::SpinAnswer& answer = *outcome.answer;
    finding.severity = judged(finding.severity, answer.is_spinning);
    word.verdict = !answer.is_spinning                        ? JudgeVerdict::denied
                   : finding.severity != word.severity_before ? JudgeVerdict::added
                                                              : JudgeVerdict::confirmed;
    word.reason = answer.reason;
    word.suggestions = answer.suggestions;
    word.next_actions = answer.next_actions;
}

remote::SpinCase case_of(const Finding& finding, const Excerpt& excerpt, report::Redactor& redact) {
    remote::SpinCase out;
    out.rule = finding.rule;
    // One file turned again and again is spinning, whatever group its rule belongs to.
    out.drift = is_about_drift(finding.rule) && finding.rule != std::string_view("drift/local-optimum");
    out.message = redact.text(finding.message);
    out.goal = excerpt.goal;
    out.left_out = excerpt.left_out;
    for (const Excerpt::Part& part : excerpt.parts) out.steps.push_back({part.role, part.text});
    return out;
}

ExcerptSource source_of(const Report& report, std::uint32_t session, report::Redactor& redact,
                        std::size_t max_line_bytes) {
    ExcerptSource out;
    const InputReport& input = report.inputs[report.sessions.input(session)];
    out.path = input.path;
    out.format = input.format;
    out.max_line_bytes = max_line_bytes;
    out.redact = [&redact](std::string_view text) { return redact.text(text); };
    return out;
}

// Each input is read again once, however many findings it has.
std::map<std::size_t, Excerpt> excerpts_of(const Report& report, const std::vector<std::size_t>& findings,
                                           report::Redactor& redact, std::size_t max_line_bytes) {
    std::map<std::uint32_t, std::vector<std::size_t>> by_input;
    for (const std::size_t i : findings) {
        if (report.findings[i].session >= report.sessions.size()) continue;
        by_input[report.sessions.input(report.findings[i].session)].push_back(i);
    }
    std::map<std::size_t, Excerpt> out;
    for (const auto& [input, places] : by_input) {
        std::vector<ExcerptRequest> requests;
        for (const std::size_t i : places) {
            const Finding& finding = report.findings[i];
            requests.push_back({finding.lane, finding.first_line, finding.last_line});
        }
        const auto source = source_of(report, report.findings[places[0]].session, redact, max_line_bytes);
        std::vector<Excerpt> read = read_excerpts(source, requests);
        for (std::size_t k = 0; k < places.size(); ++k) out[places[k]] = std::move(read[k]);
    }
    return out;
}

// Where no rule says anything a session may have left its goal in the words of it: its farthest stretch is shown to the
// judge, whose word is a note and no finding, because nothing that can be checked agrees with it.
struct Stretch {
    std::uint32_t session = 0;
    double score = 0;
    ExcerptRequest lines;
};

std::vector<Stretch> far_stretches(const Report& report) {
    constexpr std::size_t kPointsBefore = 6;
    std::vector<Stretch> out;
    for (std::uint32_t s = 0; s < report.sessions.size(); ++s) {
        const SessionReport session = report.sessions[s];
        const DriftSeries& drift = session.drift;
        const auto found = [&](const Finding& f) { return f.session == s && is_about_drift(f.rule); };
        if (session.housekeeping || drift.points.empty() || drift.peak < kFar) continue;
        if (std::ranges::any_of(report.findings, found)) continue;
        const auto top = std::ranges::max_element(drift.points, {}, &DriftPoint::score);
        const auto at = static_cast<std::size_t>(top - drift.points.begin());
        out.push_back({s, drift.peak, {0, drift.points[at - std::min(at, kPointsBefore)].line, top->line}});
    }
    std::ranges::stable_sort(out, std::ranges::greater{}, &Stretch::score);
    if (out.size() > kMostStretches) out.resize(kMostStretches);
    return out;
}

std::uint64_t judge_stretches(Report& report, remote::Judge& judge, report::Redactor& redact,
                              std::size_t max_line_bytes) {
    std::uint64_t unseen = 0;
    for (const Stretch& stretch : far_stretches(report)) {
        const ExcerptRequest wanted[] = {stretch.lines};
        const Excerpt excerpt =
            read_excerpts(source_of(report, stretch.session, redact, max_line_bytes), wanted).front();
        if (!excerpt.problem.empty()) {
            ++unseen;
            continue;
        }
        remote::SpinCase question;
        question.drift = true;
        question.rule = "drift score";
        question.message = fmt::format("the score of distance from the goal rises to {:.2f}", stretch.score);
        question.goal = excerpt.goal;
        question.left_out = excerpt.left_out;
        for (const Excerpt::Part& part : excerpt.parts) question.steps.push_back({part.role, part.text});
        const remote::Judge::Outcome outcome = judge.ask(question);
        if (!outcome.answer || !outcome.answer->is_spinning) continue;
        report.notes.push_back(
            {Severity::info,
             fmt::format(
                 "{}: the judge says that {}s {} to {} leave the goal, where no rule speaks: {}",
                 std::filesystem::path(report.inputs[report.sessions.input(stretch.session)].path).filename().string(),
                 report::LineWords(report.sessions[stretch.session]).noun(), stretch.lines.first_line,
                 stretch.lines.last_line, outcome.answer->reason)});
    }
    return unseen;
}

// The published rule: the goal and the mean of the last ten messages, below 0.6.
constexpr std::size_t kSimilarityWindow = 10;
constexpr double kSimilarityThreshold = 0.6;

struct Similarity {
    std::uint64_t points = 0, below = 0, lowest_line = 0;
    double lowest = 1, mean = 0;
};

Similarity published_similarity(std::span<const remote::Vector> vectors, const Conversation& talk) {
    Similarity out;
    const remote::Vector& goal = vectors[0];
    double total = 0;
    for (std::size_t last = kSimilarityWindow; last < vectors.size(); ++last) {
        remote::Vector sum(goal.size(), 0.0F);
        for (std::size_t i = last + 1 - kSimilarityWindow; i <= last; ++i) {
            for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += vectors[i][d];
        }
        const double cosine = remote::cosine(goal, sum);
        total += cosine;
        out.below += cosine < kSimilarityThreshold;
        if (out.points++ == 0 || cosine < out.lowest) {
            out.lowest = cosine;
            out.lowest_line = talk.messages[last - 1].line;
        }
    }
    if (out.points > 0) out.mean = total / static_cast<double>(out.points);
    return out;
}

}  // namespace

void judge_findings(Report& report, remote::Endpoint& endpoint, const JudgingPlan& plan) {
    report::Redactor redact(plan.redact);
    const std::vector<std::size_t> findings = worst_first(report);
    const auto excerpts = excerpts_of(report, findings, redact, plan.max_line_bytes);
    remote::Judge judge(endpoint);
    std::uint64_t unseen = 0;
    for (const std::size_t i : findings) {
        Finding& finding = report.findings[i];
        const auto excerpt = excerpts.find(i);
        if (excerpt == excerpts.end() || !excerpt->second.problem.empty()) {
            apply({std::nullopt, excerpt == excerpts.end() ? "its session is unknown" : excerpt->second.problem, false},
                  finding);
            ++unseen;
            continue;
        }
        --report.counted(finding.severity);
        apply(judge.ask(case_of(finding, excerpt->second, redact)), finding);
        ++report.counted(finding.severity);
    }
    unseen += judge_stretches(report, judge, redact, plan.max_line_bytes);
    RemoteUse use = endpoint.use();
    use.questions += unseen;
    use.not_asked += unseen;
    report.remotes.push_back(std::move(use));
}

void measure_similarity(Report& report, remote::Endpoint& endpoint, const JudgingPlan& plan) {
    report::Redactor redact(plan.redact);
    remote::Embeddings embeddings(endpoint);
    ConversationPlaces places(report);
    std::uint32_t input = UINT32_MAX;
    for (std::uint32_t s = 0; s < report.sessions.size(); ++s) {
        if (report.sessions.input(s) == input) continue;
        input = report.sessions.input(s);
        for (const Conversation& talk : read_conversations(source_of(report, s, redact, plan.max_line_bytes))) {
            if (talk.messages.size() < kSimilarityWindow) continue;
            const std::optional<std::size_t> session = places.session_at(input, talk.goal_line);
            if (!session) continue;
            std::vector<std::string> texts{talk.goal};
            for (const Conversation::Said& said : talk.messages) texts.push_back(said.text);
            const auto vectors = embeddings.embed(texts);
            if (!vectors) continue;
            const Similarity found = published_similarity(*vectors, talk);
            const auto turns = similarity_of(*vectors, talk);
            if (!turns.empty()) {
                report.sessions.change(*session, [&](SessionReport& compared) {
                    compared.similarity.push_back(
                        similarity_series("embeddings", endpoint.settings().model, talk.goal_line, turns));
                });
                places.cite(*session, "embeddings", turns);
            }
            const SessionReport of = report.sessions[*session];
            const std::string& id = of.id;
            const report::LineWords lines(of);
            // Evidence and no finding: similarity alone proves nothing.
            report.notes.push_back(
                {Severity::info,
                 fmt::format("session {}: similarity to its goal ({}) is {:.2f} on average and lowest at {}, with "
                             "{:.2f}; {} of {} messages lie below {} (embeddings of {})",
                             id.empty() ? "without a name" : id, lines.one(talk.goal_line), found.mean,
                             lines.one(found.lowest_line), found.lowest, found.below, found.points,
                             kSimilarityThreshold, endpoint.settings().model)});
        }
    }
    report.remotes.push_back(endpoint.use());
}

}  // namespace agent_audit::cli
