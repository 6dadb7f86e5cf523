#pragma once

#include "readers/json/json_reader.hpp"

#include <agent_audit/support/hash.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Where a stream stands that an agent prints while it runs: the session, the turn, and the response that is being
/// printed. Such streams mark no responses: what the model says and calls between two results is one.
struct PrintedRun {
    bool open = false;
    IdHash session = 0;
    std::uint32_t turn = 0;

    /// A session begins. True: it is the one that was open, and goes on.
    bool begin_session(std::string_view id) {
        const IdHash hash = id_hash(id);
        const bool goes_on = open && hash != 0 && hash == session;
        if (!goes_on) turn = 0;
        open = true;
        session = hash;
        end_response();
        return goes_on;
    }
    /// The response that what the model says now is part of.
    IdHash respond() {
        if (!in_response_) response_ = mix_hash(++responses_, session) | 1;
        in_response_ = true;
        return response_;
    }
    /// The response that was last, although its results came meanwhile.
    IdHash last_response() {
        in_response_ = true;
        return response_;
    }
    void end_response() { in_response_ = false; }

private:
    bool in_response_ = false;
    IdHash response_ = 0;
    std::uint64_t responses_ = 0;
};

/// What every line of a stream may say of the run.
struct PrintedLine {
    std::string_view session_id, model, cwd;
    std::int64_t time_ms = kNoTime;
};

/// Base of readers of streams that name their session in a first line, which may be missing.
class PrintedReader : public JsonReader {
protected:
    void open_session(const PrintedLine& line) {
        new_head().time_ms = line.time_ms;
        SessionStart start;
        start.session_id = text_of(line.session_id);
        start.model = text_of(line.model);
        start.cwd = text_of(line.cwd);
        start.resumed = run_.begin_session(line.session_id);
        model_.assign(line.model);
        emit(start);
    }
    /// A fresh header in the session, which begins here if it has not.
    EventHeader& begin(const PrintedLine& line) {
        if (!run_.open) open_session(line);
        EventHeader& h = new_head(0, run_.turn);
        h.time_ms = line.time_ms;
        return h;
    }
    /// The human says something.
    void begin_turn(RawText text, std::uint32_t media = 0) {
        run_.end_response();
        head().turn = ++run_.turn;
        emit(TurnStart{});
        emit(Message{Role::user, Origin::human, text, media});
    }
    /// What the whole run took, as its last line says.
    void tell_usage(const TokenCounts& tokens) {
        if (tokens.total() == 0) return;
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::add;
        usage.tokens = tokens;
        usage.model = text_of(model_);
        emit(usage);
    }

    PrintedRun run_;

private:
    std::string model_;
};

}  // namespace agent_audit::readers
