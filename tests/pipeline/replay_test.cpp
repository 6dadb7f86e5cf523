#include "pipeline/files.hpp"
#include "pipeline/replay/recorded_words.hpp"
#include "support/places.hpp"
#include "support/sanitized.hpp"
#include "support/schema_validator.hpp"

#include <agent_audit/pipeline/replay.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>

using namespace agent_audit;
using namespace agent_audit::test;
namespace sim = agent_audit::simulator;

namespace {

/// Everything that a row says.
std::string words_of(std::string_view context, const sim::TurnRow& row) {
    std::string out(context);
    const auto add = [&out](std::string_view name, std::uint64_t value) {
        out.append(" ").append(name).append(" ").append(std::to_string(value));
    };
    add("request", row.request);
    add("turn", row.turn);
    add("line", row.line);
    add("time", static_cast<std::uint64_t>(row.time_ms.value_or(0)));
    add("recorded", row.tokens_recorded.value_or(0));
    add("before", row.tokens_before);
    add("after", row.tokens_after);
    for (const sim::PrunedRow& one : row.pruned) {
        add(sim::action_name(one.action), one.source_index);
        add("from", one.tokens_before);
        add("to", one.tokens_after);
    }
    for (const sim::CompactionRow& one : row.compactions) {
        add("compacted", one.tokens_in);
        add("to", one.tokens_summary);
        add("kept", one.kept_from);
    }
    if (row.overflow) add("overflow", 1);
    if (row.cache) {
        add("read", row.cache->read);
        add("write", row.cache->write);
        add("input", row.cache->input);
        out.append(row.cache->miss_reason);
    }
    if (row.cost) add("cost", row.cost->micro_dollars());
    for (const sim::RegretRow& one : row.regret) {
        add(one.kind, one.source_index);
        add("tokens", one.tokens);
    }
    return out;
}

struct Lines final : ReplayRows {
    void on_row(std::size_t, std::string_view context, const sim::TurnRow& row) override {
        of[std::string(context)].push_back(words_of(context, row));
        all.push_back(of[std::string(context)].back());
    }
    std::map<std::string, std::vector<std::string>> of;
    std::vector<std::string> all;
};

struct Replayed {
    ReplayOutcome outcome;
    Lines lines;
};

Replayed replayed(const std::string& input, std::vector<std::string> contexts, double window = 0) {
    ReplayPlan plan;
    plan.input = input;
    plan.contexts = std::move(contexts);
    plan.window_tokens = window;
    Replayed done;
    auto outcome = replay(plan, &done.lines);
    REQUIRE_MESSAGE(outcome.has_value(), (outcome.has_value() ? std::string() : outcome.error().message));
    done.outcome = std::move(outcome.value());
    return done;
}

/// Lines that the program writes.
std::vector<std::string> printed(const std::string& arguments) {
    FILE* pipe = popen((test::program_file() + " replay " + arguments + " 2>/dev/null").c_str(), "r");
    REQUIRE(pipe);
    std::vector<std::string> lines(1);
    for (int c; (c = std::fgetc(pipe)) != EOF;) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += static_cast<char>(c);
        }
    }
    pclose(pipe);
    lines.pop_back();
    return lines;
}

std::string json_quoted(const std::string& text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

/// A Claude Code session that reads `count` files of about `chars` characters, with escapes and other scripts in them.
std::string recording(int count, std::size_t chars) {
    const auto line = [](int i, const char* type, const std::string& message) {
        return R"({"type":")" + std::string(type) + R"(","uuid":"u)" + std::to_string(i) + R"(","parentUuid":"u)" +
               std::to_string(i - 1) + R"(","sessionId":"s-1","version":"2.1.0","cwd":"/repo","timestamp":"2026-02-0)" +
               std::to_string(1 + i / 1'000) + "T10:" + std::to_string(10 + i % 50) + R"(:00.000Z","message":)" +
               message + "}\n";
    };
    std::string out = line(1, "user", R"({"role":"user","content":"read them all"})");
    for (int i = 0; i < count; ++i) {
        std::string text = "# file " + std::to_string(i) + "\n";
        while (text.size() < chars)
            text += "\tline \"" + std::to_string(text.size()) + "\" ändert 你好 \xF0\x9F\x98\x80\n";
        const std::string id = "toolu_" + std::to_string(i);
        out += line(
            2 * i + 2, "assistant",
            R"({"id":"m)" + std::to_string(i) +
                R"(","type":"message","role":"assistant","model":"claude-opus-4-5","content":[{"type":"tool_use","id":")" +
                id + R"(","name":"Read","input":{"file_path":"/repo/f)" + std::to_string(i) +
                R"("}}],"stop_reason":"tool_use","usage":{"input_tokens":)" +
                std::to_string(3'000 + static_cast<std::size_t>(i) * chars / 3) + R"(,"output_tokens":20}})");
        out += line(2 * i + 3, "user",
                    R"({"role":"user","content":[{"tool_use_id":")" + id + R"(","type":"tool_result","content":)" +
                        json_quoted(text) + "}]}");
    }
    return out;
}

void gzip(const std::string& path, const std::string& bytes) {
    gzFile file = gzopen(path.c_str(), "wb");
    REQUIRE(file);
    REQUIRE(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
    gzclose(file);
}

}  // namespace

TEST_SUITE("pipeline: replay") {
    TEST_CASE("words are the same whether they are read again from the recording or from a copy") {
        const Folder folder;
        const std::string text = recording(30, 60'000);
        const std::string plain = folder.write("session.jsonl", text);
        const std::string packed = folder / "session.jsonl.gz";
        gzip(packed, text);
        const std::vector<std::string> cutters{"codex", "openclaw", "openclaw-2026.3", "gemini", "claude-code"};
        const Replayed a = replayed(plain, cutters, 200'000), b = replayed(packed, cutters, 200'000);
        REQUIRE(a.outcome.sessions.size() == 1);
        CHECK(a.outcome.sessions[0].requests == 30);
        CHECK(a.lines.all == b.lines.all);
        std::uint64_t cut = 0;
        for (const auto& policy : a.outcome.sessions[0].policies) cut += policy.cleared_results;
        CHECK(cut >= 30);
    }

    TEST_CASE("a text that stands in a plain file is read from there, escapes and all") {
        const Folder folder;
        std::string words;
        while (words.size() < 1'000) words += "tab\there \"quoted\" 你好 \xF0\x9F\x98\x80\n";
        const std::string line = "{\"text\":" + json_quoted(words) + "}";
        const std::string path = folder.write("one.jsonl", line + "\n");
        Record record;
        record.text = line;
        RecordedWords keeper(path);
        keeper.reading(&record);
        const std::string_view raw = record.text.substr(9, line.size() - 11);
        const sim::Text kept = keeper.keep({raw, TextForm::json_string}, sim::WordsAs::text);
        CHECK(kept.copy() == words);
        CHECK(kept.units() == utf16_length(words));
        fs::resize_file(path, 10);  // somebody cut the recording meanwhile: no words, sizes stay
        CHECK(kept.copy().empty());
        CHECK(kept.units() == utf16_length(words));
        const std::string elsewhere = words + words;  // not part of the record
        CHECK(keeper.keep({elsewhere, TextForm::plain}, sim::WordsAs::text).copy() == elsewhere);
    }

    TEST_CASE("a front of words has as many as were asked for, however many of them are escaped") {
        const Folder folder;
        std::string prose, escaped;  // of the latter each character takes six bytes
        for (int i = 0; i < 200; ++i) (prose += "words\\nand ", escaped += "\\u00e9");
        for (const std::string& raw : {prose, escaped, escaped + prose, prose + escaped}) {
            const std::string line = R"({"text":")" + raw + R"("})";
            const std::string path = folder.write("front.jsonl", line + "\n");
            Record record;
            record.text = line;
            RecordedWords keeper(path);
            keeper.reading(&record);
            const std::string_view inside = record.text.substr(9, raw.size());
            const sim::Text kept = keeper.keep({inside, TextForm::json_string}, sim::WordsAs::text);
            const std::string whole = kept.copy();
            std::string scratch;
            for (const std::size_t least : {1u, 64u, 300u, 700u, 100'000u}) {
                CAPTURE(least);
                const std::string_view front = kept.front(least, scratch);
                REQUIRE(front.size() >= std::min(least, whole.size()));
                CHECK(front.substr(0, least) == std::string_view(whole).substr(0, least));
            }
        }
    }

    TEST_CASE("what words begin with is known without reading them, unless it is escaped or cannot be seen") {
        const Folder folder;
        const std::string rest(2000, 'x');
        const auto kept = [&](const std::string& first, TextForm form, sim::WordsAs as) {
            const std::string line = R"({"text":")" + first + rest + R"("})";
            const std::string path = folder.write("first.jsonl", line + "\n");
            Record record;
            record.text = line;
            RecordedWords keeper(path);
            keeper.reading(&record);
            const sim::Text text = keeper.keep({record.text.substr(9, line.size() - 11), form}, as);
            fs::resize_file(path, 1);  // whatever is asked now is not read
            return text;
        };
        constexpr auto as_text = sim::WordsAs::text;
        CHECK_FALSE(kept("Now", TextForm::json_string, as_text).may_begin_with("#<"));
        CHECK_FALSE(kept("Now", TextForm::plain, as_text).may_begin_with("#<"));
        CHECK(kept("<a>", TextForm::json_string, as_text).may_begin_with("#<"));
        for (const char* first : {"\\u003ca", "\\n<a>", " <a>", "\u00e9"}) {
            CAPTURE(first);
            CHECK(kept(first, TextForm::json_string, as_text).may_begin_with("#<"));
        }
        CHECK(kept("[1]", TextForm::json_value, sim::WordsAs::content).may_begin_with("#<"));
    }

    TEST_CASE("every fixture of every format can be replayed, and the output is what its schemas say") {
        SchemaValidator document("replay"), line("replay-turns");
        std::size_t files = 0, sessions = 0, rows = 0;
        for (const fs::path& path : recordings(project() / "testdata/readers")) {
            CAPTURE(path.string());
            const std::string arguments = "--window 20000 --context all '" + path.string() + "'";
            const std::size_t number = files++;
            // Under the sanitizers a start of the program takes long: a fifth gives the one form, another fifth the
            // other.
            if (looked_at(number)) {
                std::string whole;
                for (const std::string& text : printed("-f json " + arguments)) whole += text;
                const auto json = nlohmann::json::parse(whole, nullptr, false);
                REQUIRE_FALSE(json.is_discarded());
                sessions += json["sessions"].size();
                for (const std::string& error : document.errors(json)) FAIL_CHECK(error);
            }
            if (!looked_at(number + 2)) continue;
            for (const std::string& text : printed("--turns " + arguments)) {
                if (!looked_at(rows++)) continue;
                for (const std::string& error : line.errors(nlohmann::json::parse(text))) FAIL_CHECK(error);
            }
        }
        CHECK(sessions > static_cast<std::size_t>(rounds(100)));
        CHECK(rows > static_cast<std::size_t>(rounds(1'000)));
    }

    TEST_CASE("a recording that ends anywhere has the rows of its beginning") {
        const Folder folder;
        const std::string text = recording(24, 12'000);
        std::vector<std::string> contexts;
        for (const sim::Context& context : sim::all_contexts()) {
            if (context.kind != sim::Context::Kind::hindsight) contexts.emplace_back(context.name);
        }
        const Replayed whole = replayed(folder.write("whole.jsonl", text), contexts, 60'000);
        std::size_t number = 0;
        for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', end + 1)) {
            if (!looked_at(number++)) continue;
            const Replayed part = replayed(folder.write("part.jsonl", text.substr(0, end + 1)), contexts, 60'000);
            for (const auto& entry : part.lines.of) {
                const std::string& context = entry.first;
                CAPTURE(context);
                CAPTURE(end);
                const auto& all = whole.lines.of.at(context);
                REQUIRE(entry.second.size() <= all.size());
                for (std::size_t i = 0; i + 1 < entry.second.size(); ++i) REQUIRE(entry.second[i] == all[i]);
            }
        }
    }

    TEST_CASE("a plan with names that do not exist is refused with the nearest one") {
        ReplayPlan plan;
        plan.input = (project() / "testdata/demo/stuck-session.jsonl").string();
        plan.contexts = {"openclow"};
        const auto context = replay(plan);
        REQUIRE_FALSE(context.has_value());
        CHECK(context.error().message.find("did you mean 'openclaw'?") != std::string::npos);
        plan.contexts = {"strict"};
        CHECK(replay(plan).error().message.find("it is a supervisor's policy") != std::string::npos);
        plan.contexts = {"none"};
        plan.model = "no-such-model";
        CHECK_FALSE(replay(plan).has_value());
    }

    TEST_CASE("a session without a request has the window that it would have been sent in") {
        const Folder folder;
        ReplayPlan plan;
        plan.input = folder.write(
            "session.jsonl",
            R"({"type":"user","uuid":"u","sessionId":"s","version":"2.1.200","message":{"role":"user","content":"hi"}})"
            "\n");
        plan.input_format = "claude-code";
        plan.contexts = {"none"};
        CHECK(replay(plan)->sessions.at(0).window_tokens == 200'000);
        plan.window_tokens = 50'000;
        const simulator::SessionOutcome session = replay(plan)->sessions.at(0);
        CHECK(session.requests == 0);
        CHECK(session.window_tokens == 50'000);
        CHECK(session.window_source == simulator::SessionOutcome::WindowSource::given);
    }

    TEST_CASE("a policy of one's own is a context like any other") {
        const Folder folder;
        ReplayPlan plan;
        plan.input = folder.write("session.jsonl", recording(20, 9'000));
        plan.contexts = {"none", folder.write("mine.toml", R"(name = "mine"

[[stage]]
kind = "keep_recent"
max_events = 6
)")};
        const auto outcome = replay(plan);
        REQUIRE_MESSAGE(outcome.has_value(), (outcome.has_value() ? std::string() : outcome.error().message));
        const auto& policies = outcome->sessions.at(0).policies;
        REQUIRE(policies.size() == 2);
        CHECK(policies[1].policy == "mine");
        CHECK(policies[1].peak_tokens < policies[0].peak_tokens / 2);
        plan.contexts = {folder.write("none.toml", "name = \"none\"\n[[stage]]\nkind = \"keep_recent\"\n")};
        CHECK_FALSE(replay(plan).has_value());
        plan.contexts = {folder / "missing.toml"};
        CHECK_FALSE(replay(plan).has_value());
    }

    TEST_CASE("a model that is asked for gives the prices and the window") {
        ReplayPlan plan;
        plan.input = (project() / "testdata/demo/stuck-session.jsonl").string();
        plan.contexts = {"none"};
        plan.model = "gpt-4o";
        const auto outcome = replay(plan);
        REQUIRE(outcome.has_value());
        REQUIRE(outcome->sessions.size() == 1);
        CHECK(outcome->sessions[0].window_source == sim::SessionOutcome::WindowSource::model);
        CHECK(outcome->sessions[0].window_tokens == 128'000);
        CHECK(outcome->sessions[0].policies[0].cost.has_value());
    }
}
