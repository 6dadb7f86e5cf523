#include "cli/evidence/text_similarity.hpp"

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

ConversationPlaces::ConversationPlaces(Report& report) : report_(report) {
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
        if (report.findings[i].lane == 0 && is_about_drift(report.findings[i].rule)) drift_.push_back(i);
    }
    std::ranges::stable_sort(drift_, {}, [&](std::size_t i) { return report.findings[i].session; });
}

void ConversationPlaces::turn_to(std::uint32_t input) {
    const SessionList& sessions = report_.sessions;
    begin_ = input_ != UINT32_MAX && input_ < input ? begin_ + lines_.size() : 0;
    while (begin_ < sessions.size() && sessions.input(begin_) < input) ++begin_;
    lines_.clear();
    for (std::size_t s = begin_; s < sessions.size() && sessions.input(s) == input; ++s) {
        const SessionReport session = sessions[s];
        lines_.push_back({session.first_line, session.last_line});
    }
    next_ = 0;
    input_ = input;
}

std::optional<std::size_t> ConversationPlaces::session_at(std::uint32_t input, std::uint64_t line) {
    if (input != input_) turn_to(input);
    const auto holds = [line](const Lines& lines) { return lines.first <= line && line <= lines.last; };
    auto found = std::find_if(lines_.begin() + static_cast<std::ptrdiff_t>(next_), lines_.end(), holds);
    if (found == lines_.end()) found = std::find_if(lines_.begin(), lines_.end(), holds);
    if (found == lines_.end()) return std::nullopt;
    next_ = static_cast<std::size_t>(found - lines_.begin()) + 1;
    return begin_ + next_ - 1;
}

void ConversationPlaces::cite(std::size_t session, std::string_view measure, std::span<const SimilarityPoint> turns) {
    const auto session_of = [this](std::size_t i) -> std::size_t { return report_.findings[i].session; };
    for (auto at = std::ranges::lower_bound(drift_, session, {}, session_of);
         at != drift_.end() && session_of(*at) == session; ++at) {
        cite_similarity(report_.findings[*at], measure, turns);
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
    ConversationPlaces places(report);
    each_conversation(report, plan.max_line_bytes, [&](std::uint32_t input, const Conversation& talk) {
        const std::optional<std::size_t> session = places.session_at(input, talk.goal_line);
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
            places.cite(*session, name(measure), turns);
        }
    });
}

}  // namespace agent_audit::cli
