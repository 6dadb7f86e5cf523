#include "pipeline/files.hpp"
#include "support/sanitized.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>

#include <random>
#include <set>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

std::uint64_t lines_in(std::string_view text) {
    const auto ends = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

bool cut_by_lines(std::string_view text) {
    InputBuffers buffers;
    const auto source = memory_input(text, 0, InputLimits{}, buffers, 256u << 10);
    return !source->peek(1).empty() && source->framing() == Framing::lines;
}

std::string damaged(std::string text, std::mt19937& random) {
    static const std::vector<std::string> garbage{"garbage\n",
                                                  "{\n",
                                                  "}\n",
                                                  "\n\n",
                                                  "[1,2]\n",
                                                  "{\"type\":\"user\"}\n",
                                                  "\xFF\xFE\x80\n",
                                                  "\"text\"\n",
                                                  "null\n",
                                                  "{\"a\":\"\x01\"}\n",
                                                  "{}{}\n",
                                                  "{\"type\":[[[[\n"};
    const auto below = [&random](std::size_t n) { return n == 0 ? 0 : random() % n; };
    for (std::size_t blow = 0, blows = 1 + below(4); blow < blows && !text.empty(); ++blow) {
        const std::size_t at = below(text.size());
        switch (below(5)) {
            case 0:
                text.insert(text.rfind('\n', at) == text.npos ? 0 : text.rfind('\n', at) + 1,
                            garbage[below(garbage.size())]);
                break;
            case 1: text.erase(at, 1 + below(40)); break;
            case 2: text[at] = static_cast<char>(random()); break;
            case 3: text.resize(at); break;
            default: text.insert(at, text.substr(below(text.size()), 1 + below(300))); break;
        }
    }
    return text;
}

}  // namespace

TEST_SUITE("fates add up") {
    TEST_CASE("every line of every fixture has exactly one fate") {
        for (const auto& file : recordings(project() / "testdata")) {
            const std::string text = content(file);
            if (file.filename() == "index.jsonl" || !cut_by_lines(text)) continue;  // an index is no recording
            CAPTURE(file.string());
            // Fixtures of readers lie in the folder of their format; some are too damaged to be recognised.
            const bool named = file.parent_path().parent_path().filename() == "readers";
            const Report report =
                report_of({file.string()}, named ? file.parent_path().filename().string() : std::string());
            CHECK(report.ingest.records() == lines_in(text));
            CHECK(report.ingest.bytes == text.size());
            CHECK(report.inputs.at(0).stats.records() == report.ingest.records());
        }
    }

    TEST_CASE("every line of a damaged fixture has exactly one fate, and the damage never ends the reading") {
        Folder folder;
        std::mt19937 random(20260302);
        std::size_t tried = 0;
        for (const auto& file : recordings(project() / "testdata/readers")) {
            const std::string format = file.parent_path().filename().string();
            const std::string whole = content(file);
            for (int round = 0; round < agent_audit::test::rounds(25); ++round) {
                const std::string text = damaged(whole, random);
                if (text.empty() || !cut_by_lines(text)) continue;
                ++tried;
                const std::string path = folder.write("damaged.jsonl", text);
                CAPTURE(file.string());
                CAPTURE(round);
                const Report report = report_of({path}, format);
                const std::string error = report.inputs.at(0).error.value_or("");
                CHECK((error.empty() || error.starts_with("none of its records")));  // where nothing of it was left
                CHECK((error.empty() || report.sessions.empty()));
                CHECK(report.ingest.records() == lines_in(text));
                CHECK(report.inputs.at(0).bad.size() <= report.ingest.records() + RecordReader::kMostOmissions);
                CHECK(report.counts.paired + report.counts.unanswered <= report.counts.calls);
                for (const Finding& f : report.findings) CHECK((f.first_line >= 1 && f.last_line <= lines_in(text)));
            }
        }
        CHECK(tried > 300);
    }

    TEST_CASE("a line beyond the limit is counted, the lines around it are read") {
        Folder folder;
        const std::string good = content(project() / "testdata/readers/claude-code/minimal.jsonl");
        AuditPlan plan;
        plan.inputs = {folder.write("long.jsonl",
                                    good + "{\"type\":\"user\",\"x\":\"" + std::string(100'000, 'x') + "\"}\n" + good)};
        plan.max_line_bytes = 20'000;
        const Report report = report_of(plan);
        CHECK(report.ingest[LineFate::too_long] == 1);
        CHECK(report.ingest[LineFate::understood] == 8);
        REQUIRE(report.inputs[0].bad.size() == 1);
        CHECK(report.inputs[0].bad[0].line == 5);
        CHECK(report.inputs[0].bad[0].fate == LineFate::too_long);
    }

    TEST_CASE("what a reader leaves out of a record it understands is told, once for each kind") {
        Folder folder;
        const std::string odd = R"({"role":"assistant","content":[{"type":"hologram","light":1}]})";
        const std::string text = R"({"role":"user","content":"Show me."})"
                                 "\n" +
                                 odd + "\n" + odd + "\n" +
                                 R"({"messages":[{"role":"user","content":"a"},{"content":"b"}]})" + "\n";
        const Report report = report_of({folder.write("odd.jsonl", text)}, "chat-completions");
        CHECK(report.ingest[LineFate::understood] == 4);
        REQUIRE(report.inputs[0].bad.size() == 2);
        CHECK(report.inputs[0].bad[0].line == 2);
        CHECK(report.inputs[0].bad[0].fate == LineFate::partial);
        CHECK(report.inputs[0].bad[0].reason.find("'hologram'") != std::string::npos);
        CHECK(report.inputs[0].bad[1].line == 4);
        CHECK(report.ingest.bad() == 0);
    }

    TEST_CASE("a file that is still being written says so, and is no bad file") {
        Folder folder;
        const std::string good = content(project() / "testdata/readers/claude-code/minimal.jsonl");
        const Report report = report_of({folder.write("growing.jsonl", good + "{\"type\":\"us")});
        CHECK(report.inputs[0].still_growing);
        CHECK(report.ingest[LineFate::cut_at_end] == 1);
        CHECK(report.ingest.bad() == 0);
        CHECK_FALSE(report_of({folder.write("done.jsonl", good)}).inputs[0].still_growing);
    }
}
