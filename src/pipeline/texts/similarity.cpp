#include <agent_audit/pipeline/similarity.hpp>

#include "detectors/words/act_words.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace agent_audit {

std::string_view name(SimilarityMeasure measure) {
    constexpr std::array<std::string_view, 4> kNames{"tf-idf", "bm25", "char-ngrams", "word-vectors"};
    return kNames[static_cast<std::size_t>(measure)];
}

namespace similarity {
namespace {

std::map<std::uint32_t, double> counts_of(const Terms& terms) {
    std::map<std::uint32_t, double> counts;
    for (const std::uint32_t term : terms) ++counts[term];
    return counts;
}

// How often each hashed sequence occurs, by hash. The words stand between blanks: where a word ends tells a lot.
std::map<std::uint64_t, double> ngrams_of(std::string_view text) {
    constexpr std::size_t kMostText = 4'096, kFirst = 3, kLast = 5;
    std::string plain(1, ' ');
    for (const char c : cut_utf8(text, kMostText)) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_letter(c) || byte >= 0x80) {
            plain += lower(c);
        } else if (plain.back() != ' ') {
            plain += ' ';
        }
    }
    if (plain.back() != ' ') plain += ' ';
    std::map<std::uint64_t, double> counts;
    for (std::size_t at = 0; at < plain.size(); ++at) {
        for (std::size_t size = kFirst; size <= kLast && at + size <= plain.size(); ++size) {
            const std::string_view piece = std::string_view(plain).substr(at, size);
            if (piece.substr(1, size - 2).find(' ') == piece.npos) ++counts[stable_hash(piece)];
        }
    }
    return counts;
}

template <class Counts, class Weight>
double cosine_of(const Counts& a, const Counts& b, const Weight& weight) {
    double dot = 0, of_a = 0, of_b = 0;
    for (const auto& [term, count] : a) {
        const double w = weight(term, count);
        of_a += w * w;
        if (const auto other = b.find(term); other != b.end()) dot += w * weight(term, other->second);
    }
    for (const auto& [term, count] : b) of_b += weight(term, count) * weight(term, count);
    return of_a > 0 && of_b > 0 ? std::min(1.0, dot / std::sqrt(of_a * of_b)) : 0;
}

}  // namespace

Terms terms_of(std::string_view text) {
    constexpr std::size_t kPiece = 96;
    Terms out;
    detectors::ActWords words;
    while (!text.empty()) {
        std::size_t end = std::min(text.find_first_of(" \n\t"), text.size());
        if (end > kPiece) end = std::max<std::size_t>(1, cut_utf8(text, kPiece).size());
        words.clear();
        detectors::add_words({text.substr(0, end), TextForm::plain}, end, words);
        out.insert(out.end(), words.all().begin(), words.all().end());
        text.remove_prefix(
            std::min(end + (end < text.size() && static_cast<unsigned char>(text[end]) <= ' '), text.size()));
    }
    return out;
}

void Collection::add(const Terms& terms) {
    ++texts_;
    length_ += terms.size();
    for (const auto& [term, count] : counts_of(terms)) ++in_[term];
}

double Collection::idf(std::uint32_t term) const {
    const auto known = in_.find(term);
    const double df = known == in_.end() ? 0 : known->second;
    return std::log(1 + (static_cast<double>(texts_) - df + 0.5) / (df + 0.5));
}

double tf_idf(const Terms& goal, const Terms& text, const Collection& all) {
    return cosine_of(counts_of(goal), counts_of(text),
                     [&](std::uint32_t term, double count) { return (1 + std::log(count)) * all.idf(term); });
}

double bm25(const Terms& goal, const Terms& text, const Collection& all) {
    constexpr double kK1 = 1.2, kB = 0.75;
    const double mean = std::max(1.0, all.mean_length());
    const auto query = counts_of(goal);
    const auto score = [&](const std::map<std::uint32_t, double>& counts, double length) {
        double sum = 0;
        for (const auto& [term, wanted] : query) {
            const auto found = counts.find(term);
            if (found == counts.end()) continue;
            const double tf = found->second;
            sum += all.idf(term) * tf * (kK1 + 1) / (tf + kK1 * (1 - kB + kB * length / mean));
        }
        return sum;
    };
    // The goal as a text of mean length that says each of its words once.
    std::map<std::uint32_t, double> ideal;
    for (const auto& [term, count] : query) ideal[term] = 1;
    const double most = score(ideal, mean);
    return most > 0 ? std::min(1.0, score(counts_of(text), static_cast<double>(text.size())) / most) : 0;
}

double char_ngrams(std::string_view goal, std::string_view text) {
    return cosine_of(ngrams_of(goal), ngrams_of(text), [](std::uint64_t, double count) { return count; });
}

std::vector<std::string> plain_words(std::string_view text) {
    std::vector<std::string> out;
    std::string word, glyph_before;
    const auto end_word = [&] {
        if (word.size() > 1) out.push_back(word);
        word.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        if (lead < 0x80) {
            glyph_before.clear();
            if (is_letter(static_cast<char>(lead))) {
                word += lower(text[at]);
            } else {
                end_word();
            }
            ++at;
            continue;
        }
        const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        const std::string glyph(text.substr(at, size));
        at += size;
        if (size == 2) {  // letters with marks, other alphabets
            word += glyph;
            continue;
        }
        end_word();
        out.push_back(glyph);
        if (!glyph_before.empty()) out.push_back(glyph_before + glyph);
        glyph_before = glyph;
    }
    end_word();
    return out;
}

}  // namespace similarity

namespace {

using similarity::Terms;

constexpr std::size_t kFewestTerms = 3;  // of a message that says anything

double cosine(std::span<const float> a, std::span<const float> b) {
    double dot = 0, of_a = 0, of_b = 0;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        dot += static_cast<double>(a[i]) * b[i];
        of_a += static_cast<double>(a[i]) * a[i];
        of_b += static_cast<double>(b[i]) * b[i];
    }
    return of_a > 0 && of_b > 0 ? dot / std::sqrt(of_a * of_b) : 0;
}

void add_to(std::vector<float>& sum, std::span<const float> more, float factor = 1) {
    if (sum.empty()) sum.resize(more.size());
    for (std::size_t i = 0; i < sum.size() && i < more.size(); ++i) sum[i] += factor * more[i];
}

std::vector<SimilarityPoint> by_terms(SimilarityMeasure measure, const Conversation& talk) {
    similarity::Collection all;
    Terms goal = similarity::terms_of(talk.goal);
    all.add(goal);
    std::vector<Terms> terms;
    for (const Conversation::Said& said : talk.messages) all.add(terms.emplace_back(similarity::terms_of(said.text)));
    std::vector<SimilarityPoint> out;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (talk.messages[i].human) {
            goal.insert(goal.end(), terms[i].begin(), terms[i].end());
        } else if (terms[i].size() >= kFewestTerms) {
            const double value = measure == SimilarityMeasure::bm25 ? similarity::bm25(goal, terms[i], all)
                                                                    : similarity::tf_idf(goal, terms[i], all);
            out.push_back({talk.messages[i].line, value});
        }
    }
    return out;
}

std::vector<SimilarityPoint> by_ngrams(const Conversation& talk) {
    std::string goal = talk.goal;
    std::vector<SimilarityPoint> out;
    for (const Conversation::Said& said : talk.messages) {
        if (said.human) {
            // The last that was said is read first.
            goal = said.text + "\n" + goal;
        } else if (similarity::terms_of(said.text).size() >= kFewestTerms) {
            out.push_back({said.line, similarity::char_ngrams(goal, said.text)});
        }
    }
    return out;
}

// Of what there was before, at most this share may be left behind a drop that says something. Measured on sessions of
// which half turn to another task: 0.1 for words finds 12 of 13 with one false, 0.4 for n-grams 12 of 13 with two, and
// neither one in 25 real coding sessions. Vectors have not been measured and take the cautious side of n-grams.
double share_left(std::string_view measure) { return measure == "tf-idf" || measure == "bm25" ? 0.1 : 0.4; }

SimilarityDrop drop_of(std::span<const SimilarityPoint> turns, double share) {
    constexpr std::size_t kFewest = 8, kPart = 3;
    constexpr double kWeight = 1.0;
    SimilarityDrop best;
    if (turns.size() < kFewest) return best;
    double total = 0, squares = 0;
    for (const SimilarityPoint& turn : turns) {
        total += turn.value;
        squares += turn.value * turn.value;
    }
    const auto n = static_cast<double>(turns.size());
    double sum = 0, before_squares = 0, best_gain = 0;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        const auto k = static_cast<double>(i);
        if (i >= kPart && turns.size() - i >= kPart) {
            const double before = sum / k, after = (total - sum) / (n - k);
            const double gain = (before - after) * std::sqrt(k * (n - k) / n);
            if (gain > best_gain) {
                const double within =
                    (before_squares - k * before * before) + (squares - before_squares - (n - k) * after * after);
                const double spread = std::sqrt(std::max(1e-4, within / n));
                best_gain = gain;
                best = {turns[i].line, before, after, (before - after) / spread};
            }
        }
        sum += turns[i].value;
        before_squares += turns[i].value * turns[i].value;
    }
    return best.weight >= kWeight && best.after <= share * best.before ? best : SimilarityDrop{};
}

}  // namespace

std::vector<SimilarityPoint> similarity_of(std::span<const std::vector<float>> vectors, const Conversation& talk) {
    std::vector<SimilarityPoint> out;
    if (vectors.size() != talk.messages.size() + 1 || vectors[0].empty()) return out;
    std::vector<float> goal = vectors[0];
    for (std::size_t i = 0; i < talk.messages.size(); ++i) {
        const std::vector<float>& said = vectors[i + 1];
        if (said.empty()) continue;
        if (talk.messages[i].human) {
            add_to(goal, said);
        } else {
            out.push_back({talk.messages[i].line, cosine(goal, said)});
        }
    }
    return out;
}

std::vector<SimilarityPoint> similarity_of(SimilarityMeasure measure, const Conversation& talk,
                                           const WordVectors* vectors) {
    if (measure == SimilarityMeasure::char_ngrams) return by_ngrams(talk);
    if (measure != SimilarityMeasure::word_vectors) return by_terms(measure, talk);
    if (vectors == nullptr) return {};
    std::vector<std::vector<float>> all{vectors->mean_of(talk.goal)};
    for (const Conversation::Said& said : talk.messages) all.push_back(vectors->mean_of(said.text));
    std::vector<float> mean;
    float count = 0;
    for (const auto& one : all) {
        if (one.empty()) continue;
        add_to(mean, one);
        ++count;
    }
    for (auto& one : all) {
        if (!one.empty()) add_to(one, mean, -1 / count);
    }
    return similarity_of(all, talk);
}

SimilaritySeries similarity_series(std::string measure, std::string source, std::uint64_t goal_line,
                                   std::span<const SimilarityPoint> turns) {
    SimilaritySeries out;
    out.measure = std::move(measure);
    out.source = std::move(source);
    out.goal_line = goal_line;
    out.turns = turns.size();
    if (turns.empty()) return out;
    const std::size_t each = (turns.size() + SimilaritySeries::kMostPoints - 1) / SimilaritySeries::kMostPoints;
    double total = 0;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        total += turns[i].value;
        if (i % each == 0) {
            out.points.push_back(turns[i]);
        } else if (turns[i].value < out.points.back().value) {
            out.points.back() = turns[i];
        }
    }
    const auto lowest = std::ranges::min_element(turns, {}, &SimilarityPoint::value);
    out.mean = total / static_cast<double>(turns.size());
    out.lowest = lowest->value;
    out.lowest_line = lowest->line;
    out.drop = drop_of(turns, share_left(out.measure));
    return out;
}

void cite_similarity(Finding& finding, std::string_view measure, std::span<const SimilarityPoint> turns) {
    constexpr std::size_t kFewest = 2;
    double before = 0, within = 0;
    std::size_t n_before = 0, n_within = 0;
    for (const SimilarityPoint& turn : turns) {
        if (turn.line < finding.first_line) {
            before += turn.value;
            ++n_before;
        } else if (turn.line <= finding.last_line) {
            within += turn.value;
            ++n_within;
        }
    }
    if (n_before < kFewest || n_within < kFewest) return;
    before /= static_cast<double>(n_before);
    within /= static_cast<double>(n_within);
    finding.because.push_back(
        {fmt::format("similarity_{}", measure), fmt::format("{:.2f} before, {:.2f} within", before, within)});
    // One measure decides, so that asking for more does not count the same words twice.
    if (measure != name(SimilarityMeasure::tf_idf) || finding.rule != std::string_view("drift/topic-switch")) return;
    constexpr double kSaidGoal = 0.1, kNeverSaid = 0.05, kLeft = 0.1, kHalf = 0.5;
    if (before >= kSaidGoal && within <= kLeft * before) finding.confidence = std::min(0.95, finding.confidence + 0.1);
    if (before < kNeverSaid || within > kHalf * before) finding.confidence = std::max(0.3, finding.confidence - 0.15);
}

}  // namespace agent_audit
