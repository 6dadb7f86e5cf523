#pragma once

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/model/event.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// A file as a call names it.
struct FileName {
    std::string path;    ///< below the session's directory relative to it
    bool exact = false;  ///< recorded as a whole path; a relative one may be meant from another directory
};

/// A change, and what its verification needs.
struct KnownChange : Change {
    bool exact = false;         ///< as in FileName
    std::uint64_t ordered = 0;  ///< EventHeader.seq of the call that made it
    int rank = 0;               ///< of the check (check_rank)
    bool made = false;          ///< written as a whole before anything else was known of it: it began in this session
};

/// A check, or a person's word, that speaks for changes.
struct Verdict {
    std::string by;
    std::string directory;  ///< where the check ran, as CheckRun.directory
    bool approved = false;
    int rank = 0;
    std::uint64_t line = 0;
    std::uint64_t ordered = 0;  ///< EventHeader.seq of its call: it says nothing about changes that were ordered later
    std::function<bool(const Change&)> covers;
};

/// The files of a session: what was changed, deleted, moved and read, and what was verified. Bounded: the oldest entry
/// makes room.
class ChangeBook {
public:
    /// Where an event stands, and where the call that led to it.
    struct Place {
        std::uint64_t line = 0;
        std::uint32_t turn = 0;
        std::uint64_t ordered = 0;
    };

    /// `whole`: it was written as a whole, so it may be new.
    void edited(const FileName& name, const Place& at, bool whole = false);
    void deleted(const FileName& name, const Place& at);
    void moved(const FileName& from, const FileName& to, const Place& at);
    void read(const FileName& name, const Place& at);
    /// Something ran that may have changed files without naming them; or this one file was changed, as somebody tells.
    void doubt(std::uint64_t line);
    void doubt(const FileName& name, std::uint64_t line);
    void verify(const Verdict& verdict);
    void committed(std::uint64_t line) { last_commit_line_ = line; }
    /// The last commits are taken back; `line` is that of the one that is the last now, 0 = none is left.
    void uncommitted(std::uint64_t line) { last_commit_line_ = line; }
    /// A commit reverts the one before it, which took what was changed since `line`.
    void reverted(std::uint64_t line);
    /// Uncommitted changes are gone: of these files, or all of them.
    void undo(const std::vector<FileName>& names);
    /// The same, of a file that was changed. False: none of that name was.
    bool undo_known(const FileName& name);
    void stash();
    void unstash();

    /// For the checkpoint, the last one first; verified ones by their check.
    std::vector<Change> unverified() const;
    std::vector<Change> verified() const;
    std::vector<Change> modified() const;
    std::vector<FileRead> reads() const;

private:
    struct KnownRead : FileRead {
        bool exact = false;
    };
    FileName known_as(FileName name);
    void rename(const std::string& from, const std::string& to);
    static KnownChange& note(std::vector<KnownChange>& list, const FileName& name, const Place& at, bool keep_fate);
    void forget_below(const std::string& path);

    std::vector<KnownChange> open_;  // those no check has seen
    std::vector<KnownChange> verified_, modified_, stashed_, stashed_modified_;
    std::vector<KnownRead> reads_;
    std::uint64_t last_commit_line_ = 0;
};

}  // namespace agent_audit::advice
