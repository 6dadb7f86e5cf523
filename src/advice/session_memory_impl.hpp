#pragma once

#include "advice/books/change_book.hpp"
#include "advice/books/commit_book.hpp"
#include "advice/books/deed_book.hpp"
#include "advice/books/failure_book.hpp"
#include "advice/books/job_book.hpp"
#include "advice/books/plan_book.hpp"
#include "advice/books/record_lines.hpp"
#include "advice/books/repeat_book.hpp"
#include "advice/books/response_count.hpp"
#include "advice/calls/call_outcome.hpp"
#include "advice/calls/open_call.hpp"
#include "advice/conversation/conversation.hpp"
#include "detectors/outcomes/error_class.hpp"

#include <agent_audit/advice/session_memory.hpp>
#include <agent_audit/support/hash.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace agent_audit::advice {

/// What a session's memory is: the books, and who writes into which. What is said is in session_memory.cpp, what calls
/// came to in session_memory_calls.cpp, and what of it is progress in session_memory_progress.cpp.
struct SessionMemory::Impl {
    Checkpoint state;  // names, places, the lists that need no tables
    ResponseCount responses;
    RecordLines records;
    Conversation conversation;
    std::deque<OpenCall> open;
    JobBook jobs;
    ChangeBook changes;
    FailureBook failures;
    RepeatBook repeats;
    CommitBook commits;
    PlanBook plan;
    DeedBook deeds;
    detectors::ErrorClassifier errors;
    TextFilter filter;

    std::string words(RawText raw, std::size_t max_bytes = 256u << 10) const;

    // events
    void begin(const SessionStart& start);
    void on_event(const Event& event);
    template <class Body>
    void take(const EventHeader&, const Body&) {}
    void take(const EventHeader& head, const ContextChange& change);
    void take(const EventHeader& head, const Compaction& compaction);
    void look_for_summary(const Event& event);
    void take(const EventHeader& head, const TurnEnd& end);
    void take(const EventHeader& head, const Rewind& rewind);
    void take_back_turns(std::uint64_t turns);
    void take_back(std::uint64_t from);
    void take(const EventHeader& head, const Message& message);

    // what is said
    static Conversation::Place place_of(const EventHeader& head) { return {head.where.line, head.turn}; }
    void look_for_rules(const EventHeader& head, RawText raw);
    void user_said(const EventHeader& head, RawText raw, Conversation::Speaker speaker);
    void asked_by_program(const EventHeader& head, RawText raw);

    // calls
    static IdHash id_of(RawText raw) { return raw.empty() ? 0 : (stable_hash(raw.bytes) | 1); }
    void take(const EventHeader& head, const ToolCall& call);
    void agent_called(const EventHeader& head, std::string_view tool);
    void take(const EventHeader& head, const ToolResult& result);

    // commands in the background
    bool begins_job(OpenCall& call, const ToolResult& result);
    void end_job(const EventHeader& head, const JobBook::Ended& job);

    // what they came to
    void person_answered(const EventHeader& head, const OpenCall& call, const ToolResult& result);
    void close(const EventHeader& head, const OpenCall& call, const ToolResult& result);
    std::string told_of_failure(const Outcome& outcome, const ToolResult& result) const;
    bool did_at_first(const EventHeader& head, const OpenCall& call, const ToolResult& result);
    void refused(const EventHeader& head, const OpenCall& call, const ToolResult& result);

    // progress
    CheckEnd end_of(const CheckPart& check, const ToolResult& result, bool ok) const;
    Outcome checked(const EventHeader& head, const OpenCall& call, const ToolResult& result, Outcome outcome,
                    std::string& second);
    std::string check_place(const std::string& told) const;
    FileName name_of(const std::string& path) const;
    void files_changed(const EventHeader& head, const OpenCall& call, const CommandEffects& effects);
    void changed(const EventHeader& head, const OpenCall& call, const ToolResult& result);
    void committed(const EventHeader& head, const CommandEffects& effects, const std::string& output, bool worked);
    void drop_branch(const std::string& name, bool unmerged);
    void update_plan(const EventHeader& head, PlanUpdate update);

    // what repeats
    void repeated(const EventHeader& head, const OpenCall& call, const ToolResult& result, bool error);

    // the checkpoint
    Checkpoint checkpoint() const;
};

}  // namespace agent_audit::advice
