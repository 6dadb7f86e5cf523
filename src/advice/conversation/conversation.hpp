#pragma once

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/advice/goal.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// What the human and the agent said to each other, as far as it still holds: requests, constraints, answers,
/// decisions, and what the agent said last. All texts are decoded. Bounded: what cannot be held, the least useful makes
/// room for.
class Conversation {
public:
    struct Place {
        std::uint64_t line = 0;
        std::uint32_t turn = 0;
    };
    enum class Speaker : std::uint8_t {
        human,
        other_agent,  ///< or nobody knows who: a message in the user's role
        program,      ///< around the agent
    };
    /// What a message means for the work before it.
    struct Verdict {
        bool approved = false;                ///< what was changed is right as it is
        std::optional<std::string> accepted;  ///< the report of the agent that the human took as finished
        std::uint64_t accepted_line = 0;
    };

    /// A message in the user's role. `text` is not empty and without what chat gateways and editors put around it.
    Verdict asked(Place at, const std::string& text, Speaker speaker);
    /// A program around the agent asks for something: the answer to the human stands, whatever comes behind it.
    void program_asked();
    /// The agent said something in words.
    void agent_said(Place at, std::string_view text);
    /// The agent called a tool: the human waits for an answer again.
    void agent_called();
    /// A person refused a call with these words: what they rule out holds like what a message rules out.
    void refused_because(Place at, std::string_view why) { note_constraints(at, why); }
    /// It called one with which it hands in its work.
    void agent_submitted(Place at);
    /// Its turn came to its end, or did not.
    void turn_completed(Place at);
    void turn_broken_off(Place at, bool failed);
    /// What the context was before: the goal of earlier work, where nobody has spoken in this recording yet.
    void summarised(Place at, std::string_view text);
    /// The human answered a question that the agent had put through a tool.
    void answered_by_tool();
    void add(Answer answer);

    /// A text that may hold the project's rules, as agents are given them.
    bool wants_rules_of(std::string_view raw) const { return !has_rules_ && !rules_file(raw).empty(); }
    void project_rules(Place at, std::string_view raw, std::string_view text);

    /// Nobody has asked for anything yet.
    bool empty() const { return first_messages_.empty(); }
    /// Where the last messages of the human begin; UINT64_MAX = there are none.
    std::uint64_t beginning_of_last(std::uint64_t turns) const;
    /// Of what was said from a line on nothing holds any more.
    void take_back(std::uint64_t from);

    void tell(Checkpoint& out) const;

private:
    // What the agent said last, until somebody answers.
    struct LastWords {
        std::string question, proposal, intention, report;
        std::vector<std::string> options;
        std::uint64_t line = 0;
    };

    static std::string_view rules_file(std::string_view raw);
    Verdict human_spoke(Place at, const std::string& text);
    void asked_anew();
    void drop_slip();
    void keep(UserMessage message);
    void fold_oldest();
    void note_reported(Place at, std::string_view text);
    template <class TakenBack>
    void drop_constraints(const TakenBack& taken_back);
    void drop_allowed(std::string_view said);
    void drop_agreed(std::string_view answer, std::string_view question);
    void note_constraints(Place at, std::string_view said);
    bool note_constraint(Place at, std::string text);

    // The order of what was said: all of some sessions stands in one line.
    struct Order {
        std::uint64_t last = 0, asked = 0, asked_before = 0, said = 0;
    };

    std::vector<UserMessage> first_messages_, middle_messages_, last_messages_;
    std::optional<Quote> summary_;
    std::uint64_t forgotten_ = 0;  // requests that no list holds any more
    std::vector<Quote> constraints_, decisions_, reported_;
    std::vector<Answer> answers_;
    std::optional<Quote> next_step_, question_, report_, unsolved_;
    LastWords last_words_;
    std::uint64_t answered_line_ = 0;
    std::uint64_t answered_before_ = 0;  // when the human spoke last
    std::uint64_t standing_line_ = 0;    // where the human was answered before a program asked for something else
    std::uint64_t ended_line_ = 0;
    std::optional<BrokenOff> broken_off_;
    Order order_;
    bool people_ = false;   // a human has spoken
    bool acted_ = false;    // the agent did anything since it was asked
    bool content_ = false;  // the last message said that the work is right, and asked for nothing
    bool slip_ = false;     // the last message is a command of the program alone
    std::optional<Quote> standing_report_, standing_unsolved_;
    bool has_rules_ = false;
};

}  // namespace agent_audit::advice
