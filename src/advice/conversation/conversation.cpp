#include "advice/conversation/conversation.hpp"

#include "advice/words/error_line.hpp"
#include "advice/words/sentences.hpp"
#include "advice/words/text.hpp"
#include "detectors/speech/goal.hpp"
#include "detectors/speech/permission.hpp"
#include "detectors/speech/remarks.hpp"
#include "detectors/speech/unnamed_rules.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kFirstMessages = 4, kLastMessages = 8;
constexpr std::size_t kMessageChars = 4000;
constexpr std::size_t kMostConstraints = 24, kMostDecisions = 16;
constexpr std::size_t kMostBetween = 24, kBetweenChars = 240;
constexpr std::size_t kMostAnswers = 24;
constexpr std::size_t kSentenceChars = 240;
constexpr std::size_t kSummaryChars = 2400;
constexpr std::size_t kReplyBytes = 200;  // a longer message says what it wants by itself

// Takes the word away that `low` begins with, and the spaces behind it; false where it begins with another.
bool take_word(std::string_view& low, std::string_view word) {
    if (!low.starts_with(word) || (low.size() > word.size() && is_lower(low[word.size()]))) return false;
    low.remove_prefix(word.size());
    low.remove_prefix(std::min(low.find_first_not_of(' '), low.size()));
    return true;
}

template <class List>
bool takes_any(std::string_view low, const List& words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return take_word(low, word); });
}

// Nothing, a comma, a stop, or one of the words: "no, …", "no that's …". "No problem" and "stop the server" go on.
template <class List>
bool stands_alone(std::string_view behind, const List& words) {
    return behind.empty() || (!is_lower(behind[0]) && static_cast<unsigned char>(behind[0]) < 0x80) ||
           takes_any(behind, words);
}

// A reply that turns down what was asked or announced: "no, keep it", not "no problem", "don't ask, just do it",
// "wait for the build, then yes" nor "wait, what is it for?".
bool begins_with_no(std::string_view reply) {
    constexpr std::array<std::string_view, 4> kNo{"no", "nope", "nah", "nein"};
    constexpr std::array<std::string_view, 2> kDont{"don't", "do not"};
    constexpr std::array<std::string_view, 10> kPlain{"wrong",      "that's wrong", "revert",  "undo",
                                                      "let's not",  "not now",      "not yet", "not like",
                                                      "not needed", "rather not"};
    constexpr std::array<std::string_view, 26> kBehindNo{
        "thanks", "thank", "thx", "please", "way",   "need", "i",    "it",  "it's", "that", "that's", "this", "the",
        "we",     "you",   "do",  "don't",  "never", "not",  "just", "let", "keep", "stop", "leave",  "wait", "but"};
    constexpr std::array<std::string_view, 10> kBehindStop{"it",  "that",   "this",  "there", "here",
                                                           "now", "please", "right", "doing", "don't"};
    constexpr std::array<std::string_view, 10> kBehindWait{"a",      "no",   "i",    "please", "don't",
                                                           "do not", "stop", "that", "this",   "let"};
    constexpr std::array<std::string_view, 7> kGoOn{"ask", "forget", "worry", "hesitate", "wait", "stop", "mind"};
    constexpr std::array<std::string_view, 3> kNoNeed{"need to ask", "need to wait", "need to confirm"};
    constexpr std::size_t kOpening = 60;  // bytes
    const std::string folded_opening = folded(reply.substr(0, kOpening));
    std::string_view low = folded_opening;
    take_word(low, "please");
    if (takes_any(low, kPlain)) return true;
    for (const std::string_view word : kNo) {
        if (take_word(low, word)) return stands_alone(low, kBehindNo) && !takes_any(low, kNoNeed);
    }
    for (const std::string_view word : kDont) {
        if (take_word(low, word)) return !takes_any(low, kGoOn);
    }
    if (take_word(low, "stop")) return stands_alone(low, kBehindStop);
    return take_word(low, "wait") && stands_alone(low, kBehindWait) && !reply.ends_with('?');
}

// "I'll keep you posted; let me know if you want less of it": nothing that "ok continue" could decide.
bool keeps_on(std::string_view proposal) {
    const std::string low = folded(proposal.substr(0, 40));
    return std::ranges::any_of(
        std::array<std::string_view, 4>{"i'll keep ", "i will keep ", "i'll continue ", "i will continue "},
        [&](std::string_view words) { return low.starts_with(words); });
}

// "4", or code alone, is an answer too; tags alone are a program's.
bool says_anything(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t first = line.find_first_not_of(" \t\r`~>|-#*");
        if (first != line.npos && line[first] != '<') return true;
    }
    return false;
}

// "Now let's check if it compiles:": who says no behind it means what was done before it.
bool only_looks(std::string_view intention) {
    constexpr std::array<std::string_view, 14> kLooks{"check",  "look",       "see",     "verify",  "read",
                                                      "find",   "search",     "examine", "inspect", "confirm",
                                                      "review", "understand", "run",     "test"};
    constexpr std::array<std::string_view, 9> kAbout{"let me",    "let's",        "i'll",  "i will", "now i",
                                                     "i need to", "i'm going to", "first", "also"};
    const std::string low = folded(intention);
    for (const std::string_view about : kAbout) {
        const std::size_t at = low.find(about);
        if (at == low.npos) continue;
        std::string_view rest = std::string_view(low).substr(std::min(at + about.size() + 1, low.size()));
        if (rest.starts_with("now ")) rest.remove_prefix(4);
        if (std::ranges::any_of(kLooks, [&](std::string_view word) {
                return rest.starts_with(word) && has_word(rest.substr(0, word.size() + 1), word);
            }))
            return true;
    }
    return false;
}

bool praises(std::string_view text) {
    const std::string low = lowered(text);
    return is_remark(text) && std::ranges::any_of(std::array<std::string_view, 8>{"thanks", "thank", "great", "perfect",
                                                                                  "nice", "awesome", "cool", "lgtm"},
                                                  [&](std::string_view word) { return has_word(low, word); });
}

}  // namespace

// ---- what people said --------------------------------------------------------------------------------------------

Conversation::Verdict Conversation::asked(Place at, const std::string& text, Speaker speaker) {
    const bool human = speaker == Speaker::human;
    Verdict verdict;
    if (human) {
        verdict = human_spoke(at, text);
        note_reported(at, text);
        drop_allowed(text);
    } else if (speaker == Speaker::other_agent && !people_) {
        asked_anew();
    }
    if (speaker != Speaker::program) note_constraints(at, text);
    keep({{head_and_tail(text, kMessageChars), at.line, at.turn}, human, speaker == Speaker::program});
    return verdict;
}

// Nothing of what was asked for is answered yet.
void Conversation::asked_anew() {
    answered_line_ = standing_line_ = ended_line_ = 0;
    broken_off_.reset();
    order_.asked_before = order_.asked;
    order_.asked = ++order_.last;
    acted_ = slip_ = content_ = false;
}

// A command of the program that went to the model by mistake, and was stopped before anything came of it.
void Conversation::drop_slip() {
    for (auto* list : {&last_messages_, &first_messages_}) {
        if (list->empty()) continue;
        list->pop_back();
        break;
    }
    answered_line_ = answered_before_;
    order_.asked = order_.asked_before;
    slip_ = false;
}

void Conversation::keep(UserMessage message) {
    if (first_messages_.size() < kFirstMessages) {
        first_messages_.push_back(std::move(message));
        return;
    }
    if (last_messages_.size() == kLastMessages) fold_oldest();
    last_messages_.push_back(std::move(message));
}

// Of what was said in between the first words are kept, and of that the newest.
void Conversation::fold_oldest() {
    UserMessage oldest = std::move(last_messages_.front());
    last_messages_.erase(last_messages_.begin());
    oldest.quote.text = folded_request(oldest.quote.text, kBetweenChars);
    if (middle_messages_.size() == kMostBetween) {
        forgotten_ += is_request(middle_messages_.front()) ? 1 : 0;
        middle_messages_.erase(middle_messages_.begin());
    }
    middle_messages_.push_back(std::move(oldest));
}

Conversation::Verdict Conversation::human_spoke(Place at, const std::string& text) {
    answered_before_ = standing_line_ != 0 ? standing_line_ : answered_line_;
    people_ = true;
    // Who is content asks for nothing: what was answered before stays answered.
    const bool verdict_only =
        is_content(text) && last_words_.question.empty() && (last_words_.proposal.empty() || is_approval(text));
    content_ = verdict_only && (answered_before_ != 0 || ended_line_ != 0);
    if (content_)
        acted_ = false;
    else
        asked_anew();
    slip_ = detectors::is_command_word(text);
    if (slip_) return {};  // it answers nothing
    question_.reset();
    const std::string reply = one_line(text, 240);
    const bool no = begins_with_no(reply);
    Verdict verdict;
    verdict.approved = is_approval(text);
    if (verdict.approved) reported_.clear();  // that they are gone
    if ((verdict.approved || praises(text)) && !last_words_.report.empty()) {
        verdict.accepted = last_words_.report;
        verdict.accepted_line = last_words_.line;
    }
    if (no && last_words_.line > 0)
        std::erase_if(decisions_, [&](const Quote& q) { return q.line == last_words_.line; });
    if (const auto chosen = no ? std::vector<std::string>() : chosen_of(reply, last_words_.options); !chosen.empty()) {
        std::string question = one_line(last_words_.question, 140) + " [";
        for (const std::string& option : chosen) question += (question.ends_with('[') ? "" : "; ") + option;
        add({one_line(question + "]", 400), reply, false, at.line, at.turn});
    } else if (content_) {
        // nothing was asked, and nothing is decided
    } else if (text.size() <= kReplyBytes && !last_words_.question.empty()) {
        add({last_words_.question, reply, no, at.line, at.turn, asks_back(reply)});
    } else if (detectors::goes_on(text) && keeps_on(last_words_.proposal)) {
        // nothing was asked
    } else if (!last_words_.proposal.empty() && (is_remark(text) || verdict.approved || no)) {
        add({last_words_.proposal, reply, no, at.line, at.turn});
    } else if (!last_words_.intention.empty() && (is_remark(text) || (no && !only_looks(last_words_.intention)))) {
        add({last_words_.intention, reply, no, at.line, at.turn});
    }
    last_words_ = {};
    return verdict;
}

void Conversation::program_asked() {
    if (standing_line_ != 0) return;
    standing_line_ = answered_line_;
    standing_report_ = report_;
    standing_unsolved_ = unsolved_;
}

void Conversation::answered_by_tool() {
    last_words_ = {};
    answered_line_ = standing_line_ = ended_line_ = 0;
}

void Conversation::summarised(Place at, std::string_view text) {
    if (!people_ && !text.empty()) summary_ = Quote{head_and_tail(text, kSummaryChars), at.line, at.turn};
}

void Conversation::add(Answer answer) {
    if (!answer.refused && !answer.asks_back) drop_agreed(answer.answer, answer.question);
    if (answers_.size() == kMostAnswers) answers_.erase(answers_.begin());
    answers_.push_back(std::move(answer));
}

// An error that was pasted: of one that is only talked about the words stand in the request.
void Conversation::note_reported(Place at, std::string_view text) {
    constexpr std::size_t kMost = 3;
    if (text.find('\n') == text.npos) return;
    std::string error = pasted_error(text.substr(0, 16u << 10));
    if (error.empty()) return;
    std::erase_if(reported_, [&](const Quote& known) { return known.text == error; });
    if (reported_.size() == kMost) reported_.erase(reported_.begin());
    reported_.push_back({std::move(error), at.line, at.turn});
}

// ---- what was taken back -----------------------------------------------------------------------------------------

std::uint64_t Conversation::beginning_of_last(std::uint64_t turns) const {
    std::uint64_t from = UINT64_MAX;
    for (const auto* list : {&last_messages_, &middle_messages_, &first_messages_}) {
        for (auto m = list->rbegin(); m != list->rend() && turns > 0; ++m) {
            if (!m->human) continue;
            from = m->quote.line;
            --turns;
        }
    }
    return from;
}

void Conversation::take_back(std::uint64_t from) {
    const auto later = [&](const auto& said) { return said.line >= from; };
    for (auto* list : {&first_messages_, &middle_messages_, &last_messages_}) {
        std::erase_if(*list, [&](const UserMessage& m) { return m.quote.line >= from; });
    }
    std::erase_if(constraints_, later);
    std::erase_if(answers_, later);
    std::erase_if(decisions_, later);
    std::erase_if(reported_, later);
    for (auto* said :
         {&question_, &next_step_, &report_, &unsolved_, &standing_report_, &standing_unsolved_, &summary_}) {
        if (*said && (*said)->line >= from) said->reset();
    }
    if (last_words_.line >= from) last_words_ = {};
    if (answered_line_ >= from || answered_line_ == 0) {
        answered_line_ = answered_before_ < from ? answered_before_ : 0;
        order_.asked = order_.asked_before;
    }
    standing_line_ = 0;
    if (ended_line_ >= from) ended_line_ = 0;
    broken_off_.reset();
    slip_ = false;
}

// ---- constraints -------------------------------------------------------------------------------------------------

// A sentence is no constraint any more when all its rules were taken back at once.
template <class TakenBack>
void Conversation::drop_constraints(const TakenBack& taken_back) {
    std::erase_if(constraints_, [&](const Quote& known) {
        const std::vector<detectors::Constraint> rules = detectors::stated_rules(known.text);
        return !rules.empty() && std::ranges::all_of(rules, taken_back);
    });
}

// What the human allows or orders later.
void Conversation::drop_allowed(std::string_view said) {
    if (constraints_.empty()) return;
    const std::string_view message = said.substr(0, 2048);  // what is longer is pasted
    drop_constraints([&](const detectors::Constraint& rule) { return detectors::takes_back(message, rule); });
}

// "Want me to push?" – "yes"
void Conversation::drop_agreed(std::string_view answer, std::string_view question) {
    if (constraints_.empty()) return;
    drop_constraints([&](const detectors::Constraint& rule) { return detectors::agrees_to(answer, question, rule); });
}

void Conversation::note_constraints(Place at, std::string_view said) {
    constexpr std::size_t kOfOneMessage = 8;
    constexpr std::size_t kLongest = 600;  // bytes: longer ones are pasted text
    std::size_t taken = 0;
    const std::string own = without_pasted(said.substr(0, 32u << 10));
    for (const std::string_view sentence : sentences(own)) {
        if (taken == kOfOneMessage) break;
        if (sentence.size() > kLongest || sentence.ends_with(':') || !is_constraint(sentence)) continue;
        taken += note_constraint(at, one_line(sentence, kSentenceChars));
    }
    // What the rules hold steps against must not be forgotten, in whatever form it was said.
    for (const detectors::Constraint& rule : detectors::stated_rules(own)) {
        std::string text = one_line(rule.told(), kSentenceChars);
        // What such a tool may be called is nobody's word: restart_service of "do not restart anything".
        const bool made_up = rule.kind == detectors::Constraint::Kind::forbid_tool &&
                             (rule.for_now || !detectors::known_as(rule.target).empty());
        const bool named = rule.which == detectors::Constraint::Which::named &&
                           rule.kind != detectors::Constraint::Kind::forbid_command && !made_up;
        if (named && text.find(rule.target) == text.npos) text += " (" + rule.target + ")";  // "never edit it"
        if (taken < kOfOneMessage) taken += note_constraint(at, std::move(text));
    }
}

// Not one that stands in another already ("Never push" is not in "Never push to main"); one that names its file as well
// takes its place.
bool Conversation::note_constraint(Place at, std::string text) {
    const auto words = [](std::string_view said) {
        while (said.ends_with("\u3002") || said.ends_with("\uFF01")) said.remove_suffix(3);
        return said.substr(0, said.find_last_not_of(".!") + 1);
    };
    for (Quote& known : constraints_) {
        const std::size_t found = known.text.find(words(text));
        if (found != known.text.npos) {
            const std::size_t end = found + words(text).size();
            const std::string_view behind = std::string_view(known.text).substr(end);
            if (behind.empty() || std::string_view(".!,;:").find(behind[0]) != std::string_view::npos ||
                behind.starts_with("\u3002") || behind.starts_with("\uFF01"))
                return false;
        }
        if (known.line != at.line || !text.starts_with(words(known.text)) ||
            !std::string_view(text).substr(words(known.text).size()).starts_with(" ("))
            continue;
        known.text = std::move(text);
        return false;
    }
    if (constraints_.size() == kMostConstraints) constraints_.erase(constraints_.begin() + kMostConstraints / 2);
    constraints_.push_back({std::move(text), at.line, at.turn});
    return true;
}

std::string_view Conversation::rules_file(std::string_view raw) {
    // As a file that is shown, "# AGENTS.md instructions", "Contents of /x/CLAUDE.md", not as one that is talked of.
    constexpr std::array<std::string_view, 5> kBefore{"/", "\\", "# ", "from: ", "<"};
    const std::string_view head = raw.substr(0, 4096);
    for (const std::string_view name : {"AGENTS.md", "CLAUDE.md", "GEMINI.md"}) {
        for (std::size_t at = head.find(name); at != head.npos; at = head.find(name, at + 1)) {
            if (at == 0 || std::ranges::any_of(
                               kBefore, [&](std::string_view before) { return head.substr(0, at).ends_with(before); }))
                return name;
        }
    }
    return {};
}

// Headings of the project's rules.
void Conversation::project_rules(Place at, std::string_view raw, std::string_view text) {
    constexpr std::size_t kMost = 8, kHeadingChars = 60;
    const std::string_view file = rules_file(raw);
    std::string headings;
    std::size_t taken = 0;
    for (std::string_view rest = text; !rest.empty() && taken < kMost;) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t marks = line.find_first_not_of('#');
        if (marks == 0 || marks > 3 || marks == line.npos || line[marks] != ' ' || line.find(file) != line.npos)
            continue;
        headings += (headings.empty() ? "" : "; ") + one_line(line.substr(marks), kHeadingChars);
        ++taken;
    }
    if (headings.empty()) return;
    has_rules_ = true;
    constraints_.insert(
        constraints_.begin(),
        {one_line("project rules (" + std::string(file) + "): " + headings, kSentenceChars), at.line, at.turn});
}

// ---- what the agent said -----------------------------------------------------------------------------------------

void Conversation::agent_said(Place at, std::string_view text) {
    const auto said = sentences(text);
    if (said.empty() && !says_anything(text)) return;
    answered_line_ = standing_line_ != 0 ? standing_line_ : at.line;
    ended_line_ = 0;
    broken_off_.reset();
    order_.said = ++order_.last;
    acted_ = true;
    for (auto* last : {&next_step_, &question_, &report_, &unsolved_}) last->reset();
    last_words_ = {};
    last_words_.line = at.line;
    last_words_.options = options_in(text);
    const auto quote = [&](std::string_view sentence, std::size_t chars) {
        return Quote{one_line(sentence, chars), at.line, at.turn};
    };
    constexpr std::size_t kFirst = 12, kLast = 36, kLongest = 600;  // of a long text these are looked at
    for (std::size_t i = 0; i < said.size(); ++i) {
        const std::string_view sentence = said[i];
        if ((i >= kFirst && i + kLast < said.size()) || sentence.size() > kLongest) continue;
        const bool announces = sentence.ends_with(':');
        if (is_proposal(sentence) && !announces) last_words_.proposal = one_line(sentence, kSentenceChars);
        if (is_intention(sentence) && !(announces && i + 1 < said.size()))
            next_step_ = quote(sentence, 300);  // what was announced follows
        if (!report_ && !announces && sentence.size() >= 12 && is_report(sentence))
            report_ = quote(sentence, kSentenceChars);
        if (!announces && is_unsolved(sentence)) unsolved_ = quote(sentence, 300);
        if (sentence.size() < 24 || announces || !is_decision(sentence)) continue;
        Quote decision = quote(sentence, kSentenceChars);
        std::erase_if(decisions_, [&](const Quote& q) { return q.text == decision.text; });
        if (decisions_.size() == kMostDecisions) decisions_.erase(decisions_.begin());
        decisions_.push_back(std::move(decision));
    }
    if (const std::string asks = closing_questions(said); !asks.empty()) question_ = quote(asks, 300);
    if (question_) last_words_.question = question_->text;
    if (report_) last_words_.report = report_->text;
    if (next_step_) last_words_.intention = next_step_->text;
}

// ---- what the agent did ------------------------------------------------------------------------------------------

void Conversation::agent_called() {
    if (!content_) answered_line_ = standing_line_;
    if (!content_) ended_line_ = 0;
    broken_off_.reset();
    acted_ = true;
}

void Conversation::agent_submitted(Place at) {
    agent_called();
    if (answered_line_ == 0) ended_line_ = at.line;
}

void Conversation::turn_completed(Place at) {
    if (acted_ && answered_line_ == 0 && ended_line_ == 0 && !broken_off_) ended_line_ = at.line;
}

// What a program asked for beside it leaves the human's request as it was.
void Conversation::turn_broken_off(Place at, bool failed) {
    if (slip_ && !acted_) return drop_slip();
    if (content_ && !acted_) return;
    if (standing_line_ != 0 || order_.asked == 0) return;
    answered_line_ = ended_line_ = 0;
    broken_off_ = BrokenOff{at.line, at.turn, failed};
}

// ---- what is known -----------------------------------------------------------------------------------------------

void Conversation::tell(Checkpoint& out) const {
    std::vector<UserMessage> messages = first_messages_;
    messages.insert(messages.end(), middle_messages_.begin(), middle_messages_.end());
    messages.insert(messages.end(), last_messages_.begin(), last_messages_.end());
    out.goal = goal_of(messages);
    out.goal.left_out += forgotten_;
    out.goal.summary = summary_;
    out.constraints = constraints_;
    out.decisions.assign(decisions_.rbegin(), decisions_.rend());
    out.answers.assign(answers_.rbegin(), answers_.rend());
    constexpr std::uint32_t kRecent = 3;  // turns
    for (auto error = reported_.rbegin(); error != reported_.rend(); ++error) {
        if (error->turn + kRecent >= out.turn) out.reported.push_back(*error);
    }
    out.question = question_;
    const bool stands = standing_line_ != 0;
    if (stands || order_.said > order_.asked) {
        out.next_step = next_step_;
        out.report = stands && standing_report_ ? standing_report_ : report_;
        out.unsolved = stands && !unsolved_ ? standing_unsolved_ : unsolved_;
    }
    out.answered_line = answered_line_;
    out.ended_line = ended_line_;
    out.broken_off = broken_off_;
}

}  // namespace agent_audit::advice
