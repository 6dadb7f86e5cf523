#pragma once

#include <agent_audit/model/report.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit {

/// What is taken out of texts: nothing; secrets; those and what names a person or a home folder.
enum class Redact : std::uint8_t { none, secrets, strict };

/// What is said about a rule, for formats that carry a catalogue of rules. Views into tables that live as long as the
/// program.
struct RuleDoc {
    std::string_view id;
    std::string_view code;
    std::string_view summary;  ///< half a sentence
    std::string_view page;     ///< Markdown; empty for a format that does not say it (RendererSpec::rule_pages)
    Severity worst = Severity::error;
    double confidence = 0;  ///< of a typical finding, 0 to 1
};

inline constexpr std::uint64_t kMaxFindingsOnPage = 200;

/// How to draw, decided by the caller: renderers look at no terminal, clock or environment.
struct RenderOptions {
    int width = 80;  ///< columns of the text form; 0 = do not wrap
    bool color = false;
    bool unicode = true;    ///< symbols beyond ASCII
    bool guard_ci = false;  ///< break what a CI runner would take for a workflow command
    int verbosity = 0;      ///< -1 quiet, 0, 1 verbose
    Redact redact = Redact::secrets;
    std::string_view tool_version = {};
    std::span<const RuleDoc> rules = {};  ///< sorted by id; a rule that is not among them has no description
    std::optional<Severity> fail_on = Severity::error;  ///< what CI formats call a failure; nothing = never
    int exit_code = 0;                                  ///< what the run will end with
    std::string_view category = {};                     ///< tells several SARIF uploads of one commit apart
    bool gitlab_blocker = false;                        ///< an error is a blocker instead of major
    bool with_timing = false;                           ///< recorded times in formats that leave them out
    std::string_view homepage = {};           ///< address of the project, without a / at its end; empty = none is named
    std::string_view working_directory = {};  ///< absolute; inputs below it are named from there. Empty = not known
    /// Absolute; formats whose readers know no other place than the root of the repository name inputs below it from
    /// there. Empty = not known: from the working directory.
    std::string_view checkout = {};
    std::span<const std::string> input_hashes = {};   ///< sarif: SHA-256 of Report::inputs, hex; empty = not to be said
    unsigned jobs = 1;                                ///< threads that may be used; the bytes do not depend on it
    std::uint64_t max_findings = kMaxFindingsOnPage;  ///< of a rule, in the formats that are read and not parsed
    std::size_t max_bytes = 0;                        ///< markdown ends at the last finding that fits; 0 = no limit
};

/// Receives the bytes, in order, in pieces of any size. Returning false stops the renderer (output is gone).
using ByteSink = std::function<bool(std::string_view)>;

/// One output format. Same report, same options, same bytes.
struct RendererSpec {
    std::string_view id;  ///< value of --format
    std::string_view summary;
    void (*render)(const Report& report, const RenderOptions& options, const ByteSink& out);
    Redact redact = Redact::strict;  ///< unless the user says otherwise: strict for whatever is meant to be shared
    std::size_t course_points = 0;   ///< draws SessionReport::courses, this fine at most (AuditPlan::course_points)
    bool rule_pages = false;         ///< says RuleDoc::page; others may be given none
};

/// The one list of formats, in the order of help texts.
std::span<const RendererSpec> all_renderers();
const RendererSpec* find_renderer(std::string_view id);

}  // namespace agent_audit
