#pragma once

#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/ingest.hpp>
#include <agent_audit/model/judgement.hpp>
#include <agent_audit/model/peer.hpp>
#include <agent_audit/model/policy.hpp>
#include <agent_audit/model/session_list.hpp>
#include <agent_audit/model/session_report.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit {

/// A record that could not be read (fully).
struct BadRecord {
    std::uint64_t line = 0;
    LineFate fate = LineFate::malformed_json;  ///< partial also where it was understood except for what `reason` names
    std::string reason;
};

/// One input file or stream.
struct InputReport {
    std::string path;    ///< as the user named it or as found below what they named; "-" is standard input
    std::string format;  ///< empty: not recognised
    IngestStats stats;
    std::vector<BadRecord> bad;        ///< the first few bad records
    std::optional<std::string> error;  ///< the input as a whole could not be read
    bool still_growing = false;
    /// Its line numbers are those of records and not of lines: it is one JSON document, an array, a database, a folder.
    bool counts_records = false;
};

/// A rule that was part of the run.
struct RuleRun {
    std::string id;
    std::uint64_t findings = 0;
    std::uint64_t not_shown = 0;  ///< findings beyond --max-findings: the least severe, and of these the last
};

/// What a run's baseline knew of it.
struct BaselineReport {
    std::string source;           ///< the file, as named
    std::uint64_t entries = 0;    ///< patterns in it
    std::uint64_t unchanged = 0;  ///< findings of this run that it covers
    struct Gone {
        std::string rule;
        std::string pattern_fingerprint;
    };
    std::vector<Gone> absent;  ///< entries of rules of this run of which nothing occurred
};

/// A limit that was set for the sessions of a run (budget/limits).
struct RunLimit {
    std::string what;  ///< name of the parameter: turns, responses, tool-calls, tokens, minutes, max-cost, ...
    double most = 0;   ///< in its unit: a count, minutes, dollars, percent of the window
    friend bool operator==(const RunLimit&, const RunLimit&) = default;
};

/// A remark on the run as a whole, one or two sentences.
struct Note {
    Severity severity = Severity::info;
    std::string text;
};

/// Everything a run found out. Renderers turn it into bytes and compute nothing that is not in it.
struct Report {
    std::vector<InputReport> inputs;  ///< sorted by path
    SessionList sessions;             ///< in the order of inputs, then of lines
    std::vector<Finding> findings;    ///< sorted by input, line, rule; already filtered
    std::vector<Finding> silenced;    ///< in the baseline or suppressed, in the same order; never part of a verdict
    std::uint64_t baselined = 0;      ///< findings the baseline covers
    std::uint64_t suppressed = 0;     ///< findings under a suppression
    std::optional<BaselineReport> baseline;
    std::vector<RuleRun> rules;     ///< sorted by id
    std::vector<RunLimit> limits;   ///< those that are set, in the order of the rule's parameters
    std::vector<PeerTotals> peers;  ///< one an emulation profile that was asked for
    std::vector<Note> notes;
    std::vector<RemoteUse> remotes;     ///< endpoints that were asked; empty in every run that names none
    std::vector<std::string> problems;  ///< named inputs that led nowhere (missing, no sessions below), one line each
    std::uint64_t skipped_inputs = 0;   ///< files found in folders that are no session
    std::uint64_t filtered_inputs = 0;  ///< files that a filter left out: of another time, project or rank

    IngestStats ingest;
    SessionCounts counts;
    std::vector<ToolStats> tools;  ///< of all sessions together, most called first
    TokenLedgerTotals tokens;
    Policy policy = Policy::balanced;
    Severity least = Severity::info;                    ///< findings below it were left out
    std::uint64_t errors = 0, warnings = 0, infos = 0;  ///< findings, also those beyond --max-findings

    /// The counter of a severity.
    std::uint64_t& counted(Severity severity) {
        return severity == Severity::error ? errors : severity == Severity::warning ? warnings : infos;
    }
};

}  // namespace agent_audit
