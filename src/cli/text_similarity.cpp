#include "cli/text_similarity.hpp"

#include <agent_audit/model/rule_group.hpp>
#include <agent_audit/pipeline/excerpts.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unordered_set>

namespace agent_audit::cli {
namespace {

constexpr std::size_t kMostVocabulary = 500'000;  // words of all sessions together that vectors are looked up for

// Each input once, whatever the number of its sessions.
void each_conversation(Report& report, std::size_t max_line_bytes,
                       const std::function<void(std::uint32_t input, const Conversation&)>& use) {
    std::uint32_t input = UINT32_MAX;
    for (std::size_t s = 0; s < report.sessions.size(); ++s) {
        if (report.sessions.input(s) == input) continue;
        input = report.sessions.input(s);
        ExcerptSource source;
        source.path = report.inputs[input].path;
        source.format = report.inputs[input].format;
        source.max_line_bytes = max_line_bytes;
        source.redact = [](std::string_view text) { return std::string(text); };  // nothing leaves this machine
        for (const Conversation& talk : read_conversations(source)) use(input, talk);
    }
}

Result<WordVectors> vectors_of(Report& report, const SimilarityPlan& plan) {
    std::unordered_set<std::string> wanted;
    const auto want = [&](std::string_view text) {
        for (std::string& word : similarity::plain_words(text)) {
            if (wanted.size() < kMostVocabulary) wanted.insert(std::move(word));
        }
    };
    each_conversation(report, plan.max_line_bytes, [&](std::uint32_t, const Conversation& talk) {
        want(talk.goal);
        for (const Conversation::Said& said : talk.messages) want(said.text);
    });
    return WordVectors::read(plan.vectors, wanted);
}

}  // namespace

std::optional<Error> vectors_problem(const SimilarityPlan& plan) {
    if (plan.vectors.empty()) return std::nullopt;
    const auto read = WordVectors::read(plan.vectors, {});
    return read ? std::nullopt : std::optional(read.error());
}

std::optional<std::size_t> session_at(const Report& report, std::uint32_t input, std::uint64_t line) {
    for (std::size_t s = 0; s < report.sessions.size(); ++s) {
        if (report.sessions.input(s) != input) continue;
        const SessionReport session = report.sessions[s];
        if (session.first_line <= line && line <= session.last_line) return s;
    }
    return std::nullopt;
}

void cite(Report& report, std::size_t session, std::string_view measure, std::span<const SimilarityPoint> turns) {
    for (Finding& finding : report.findings) {
        if (finding.session == session && finding.lane == 0 && is_about_drift(finding.rule))
            cite_similarity(finding, measure, turns);
    }
}

void measure_texts(Report& report, const SimilarityPlan& plan) {
    std::optional<WordVectors> vectors;
    std::vector<SimilarityMeasure> measures = plan.measures;
    if (!plan.vectors.empty()) {
        auto read = vectors_of(report, plan);
        if (read) {
            vectors = std::move(read.value());
            measures.push_back(SimilarityMeasure::word_vectors);
        } else {
            report.notes.push_back({Severity::warning, "no similarity by word vectors: " + read.error().message});
        }
    }
    each_conversation(report, plan.max_line_bytes, [&](std::uint32_t input, const Conversation& talk) {
        const std::optional<std::size_t> session = session_at(report, input, talk.goal_line);
        if (!session) return;
        for (const SimilarityMeasure measure : measures) {
            const auto turns = similarity_of(measure, talk, vectors ? &*vectors : nullptr);
            if (turns.empty()) continue;
            const bool of_file = measure == SimilarityMeasure::word_vectors;
            const std::string source =
                of_file ? std::filesystem::path(plan.vectors).filename().string() : std::string();
            report.sessions.change(*session, [&](SessionReport& compared) {
                compared.similarity.push_back(
                    similarity_series(std::string(name(measure)), source, talk.goal_line, turns));
            });
            cite(report, *session, name(measure), turns);
        }
    });
}

}  // namespace agent_audit::cli
