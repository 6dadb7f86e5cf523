#pragma once

#include "detectors/engine/drift_watch.hpp"
#include "detectors/engine/episodes.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::detectors {

/// One line of text for evidence: decoded, cut, without line breaks.
inline std::string one_line(std::string_view text, std::size_t most = 120) {
    std::string out(cut_utf8(text, most));
    for (char& c : out) {
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    }
    return out;
}

/// Where a departure began and how far it went, with the places that show it.
class Departure {
public:
    static constexpr std::size_t kEvidence = 5;

    Departure() = default;
    Departure(const Departure&) = default;
    Departure(Departure&&) = default;
    Departure& operator=(Departure&&) = default;
    ~Departure() = default;
    /// Of a rule that begins anew nothing is open: what acts said, which is most of it, needs no copy.
    Departure& operator=(const Departure& other) {
        if (other.open() || !other.evidence_.empty())
            *this = Departure(other);
        else
            reset();
        return *this;
    }

    bool open() const { return acts_ > 0; }
    std::uint64_t acts() const { return acts_; }
    std::uint64_t calls() const { return calls_; }
    const Place& first() const { return first_; }
    const Place& last() const { return last_; }
    std::uint64_t turn() const { return turn_; }

    /// Without a role it is that of a call, or of a message.
    void add(const DriftAct& act, std::string_view role = {}) {
        if (acts_ == 0) {
            first_ = act.at;
            turn_ = act.turn;
        }
        last_ = act.step && act.step->result_at.line > act.at.line ? act.step->result_at : act.at;
        ++acts_;
        calls_ += act.step != nullptr;
        if (act.step && first_call_ == 0) first_call_ = act.step->call_id;
        if (kept_ < kEvidence)
            raw_[kept_++].keep(act, acts_ == 1 ? "onset" : !role.empty() ? role : act.step ? "call" : "message");
    }
    void add_place(const Place& at, std::string_view role, std::string text) {
        if (acts_ == 0) first_ = at;
        last_ = at;
        ++acts_;
        if (evidence_.size() < kEvidence) evidence_.push_back({at.line, at.seq, std::string(role), std::move(text)});
    }
    void cite(std::uint64_t line, std::string_view role, std::string text) {
        if (line > 0) evidence_.insert(evidence_.begin(), {line, 0, std::string(role), std::move(text)});
    }
    void reset() {
        if (acts_ == 0 && evidence_.empty()) return;
        evidence_.clear();
        kept_ = 0;
        acts_ = calls_ = turn_ = first_call_ = 0;
        first_ = last_ = {};
    }

    /// Places and evidence; severity, words and facts are the rule's.
    DraftFinding draft(const DetectorSpec& spec, Severity severity, double confidence) const {
        DraftFinding draft;
        Finding& f = draft.finding;
        const Place& first = onset();
        f.rule = spec.id;
        f.code = spec.code;
        f.severity = severity;
        f.confidence = confidence;
        f.first_line = first.line;
        f.last_line = std::max(first_.line, last_.line);
        f.first_seq = first.seq;
        f.last_seq = std::max(first_.seq, last_.seq);
        f.first_offset = first.offset;
        f.end_offset = std::max(first_.offset + first_.length, last_.offset + last_.length);
        f.first_call_id = first_call_;
        f.evidence = acts_in_order();
        f.evidence.insert(f.evidence.end(), evidence_.begin(), evidence_.end());
        f.repeats = acts_;
        if (first.line > 1) f.reset_line = first.line - 1;
        return draft;
    }

private:
    // A step is added when its answer is there: of calls that are open together a later one may be answered first.
    const Place& onset() const {
        const Place* first = &first_;
        for (std::size_t i = 0; i < kept_; ++i) {
            if (raw_[i].at.line < first->line) first = &raw_[i].at;
        }
        return *first;
    }
    std::vector<Evidence> acts_in_order() const {
        std::vector<Evidence> acts;
        for (std::size_t i = 0; i < kept_; ++i)
            acts.push_back({raw_[i].at.line, raw_[i].at.seq, std::string(raw_[i].role), raw_[i].words()});
        if (std::ranges::is_sorted(acts, {}, &Evidence::line)) return acts;
        const std::string onset_role = acts.front().role, other_role = acts[1].role;
        std::ranges::stable_sort(acts, {}, &Evidence::line);
        for (Evidence& act : acts) {
            if (act.role == onset_role) act.role = other_role;
        }
        acts.front().role = onset_role;
        return acts;
    }

    // What an act said, as recorded and cut: most departures come to nothing, and their words are never needed.
    struct Raw {
        Place at;
        std::string_view role;  // one of ours
        bool is_step = false;
        StepText step;
        std::array<char, 160> text;
        std::size_t text_size = 0;
        TextForm form = TextForm::plain;

        void keep(const DriftAct& act, std::string_view as) {
            at = act.at;
            role = as;
            is_step = act.step != nullptr;
            if (is_step) {
                step = act.step->text;
                return;
            }
            form = act.text.form;
            text_size = std::min(act.text.bytes.size(), text.size());
            std::copy_n(act.text.bytes.data(), text_size, text.data());
        }
        std::string words() const {
            if (is_step) {
                Step shown;
                shown.text = step;
                return step_words(shown);
            }
            const std::string_view raw(text.data(), text_size);
            return one_line(form == TextForm::json_string ? decode_json_string(raw, 120) : std::string(raw));
        }
    };

    std::vector<Evidence> evidence_;
    std::array<Raw, kEvidence> raw_;
    std::size_t kept_ = 0;
    std::uint64_t acts_ = 0, calls_ = 0, turn_ = 0, first_call_ = 0;
    Place first_, last_;
};

}  // namespace agent_audit::detectors
