#include "pipeline/files.hpp"

// Real recordings lie beside the project, not in it: without them these tests say so and pass.

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

const std::vector<std::string> kFolders{"claude-code", "codex", "pi", "openclaw", "chat-completions"};

fs::path shared_corpus() { return project() / "../shared/corpus"; }

bool absent() {
    if (fs::exists(shared_corpus())) return false;
    MESSAGE("skipped: ../shared/corpus is not there");
    return true;
}

std::uint64_t lines_in(const fs::path& file) {
    const std::string text = content(file);
    return static_cast<std::uint64_t>(std::ranges::count(text, '\n')) + (!text.empty() && text.back() != '\n');
}

}  // namespace

TEST_SUITE("corpus") {
    TEST_CASE("every recording is recognised as its folder says, and its fates add up to its lines") {
        if (absent()) return;
        for (const std::string& folder : kFolders) {
            for (const fs::path& file : recordings(shared_corpus() / folder)) {
                CAPTURE(file.string());
                const Report report = report_of({file.string()});
                REQUIRE(report.inputs.size() == 1);
                const std::string& format = report.inputs[0].format;
                // openclaw writes pi's format with a few records of its own, codex has an older layout.
                const bool related = format == folder || (folder == "codex" && format.starts_with("codex")) ||
                                     (folder == "openclaw" && format == "pi") ||
                                     (folder == "pi" && format == "openclaw");
                CHECK_MESSAGE(related, "read as '" << format << "'");
                CHECK(report.inputs[0].error.value_or("") == "");
                CHECK(report.ingest.records() == lines_in(file));
            }
        }
    }

    TEST_CASE("at least 99.5 % of the results of all recordings find their call") {
        if (absent()) return;
        for (const std::string& folder : kFolders) {
            CAPTURE(folder);
            const Report report = report_of({(shared_corpus() / folder).string()});
            const double results = static_cast<double>(report.counts.results);
            CHECK(results > 0);
            CHECK(static_cast<double>(report.counts.orphans) <= 0.005 * results);
        }
    }

    TEST_CASE("both stuck sessions are errors with the lines where they are stuck") {
        if (absent()) return;
        const auto worst = [](const char* name) {
            std::vector<Finding> errors;
            for (const Finding& f : report_of({(shared_corpus() / "openclaw" / name).string()}).findings) {
                if (f.severity == Severity::error) errors.push_back(f);
            }
            return errors;
        };
        const auto bhagya = worst("bhagya-57x-same-read-loop.jsonl");
        CHECK(std::ranges::any_of(bhagya, [](const Finding& f) { return f.first_line == 284 && f.last_line == 456; }));
        const auto maram = worst("maram-54x-same-call-loop.jsonl");
        CHECK(std::ranges::any_of(maram, [](const Finding& f) { return f.first_line >= 8 && f.last_line == 118; }));
    }

    TEST_CASE("trial runs of the program that the session is about are no error, whatever is tried") {
        const fs::path session = shared_corpus() / "kimi-cli/large-100msgs/wire.jsonl";
        if (absent() || !fs::exists(session)) return;
        const Report report = report_of({session.string()});
        CHECK(report.errors + report.warnings == 0);
    }

    TEST_CASE("ordinary sessions give at most one warning or error in 1,000 steps") {
        if (absent()) return;
        const Report report = report_of({(shared_corpus() / "claude-code").string()});
        CHECK(report.counts.steps > 1000);
        CHECK((report.errors + report.warnings) * 1000 <= report.counts.steps);
        for (const Finding& f : report.findings)
            MESSAGE(report.inputs[report.sessions[f.session].input].path << ": " << f.message);
    }
}
