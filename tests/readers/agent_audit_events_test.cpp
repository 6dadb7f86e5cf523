#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <agent_audit/model/event_words.hpp>
#include <agent_audit/support/hash.hpp>

#include <doctest/doctest.h>

using namespace agent_audit;

namespace {

const std::filesystem::path kSamples = test::source_dir() / "testdata/readers/agent-audit-events";

test::Reading read(std::string_view text) { return test::read_text(readers::agent_audit_events(), text); }

}  // namespace

TEST_SUITE("agent-audit-events") {
    TEST_CASE("events are themselves again, at the places of the first recording") {
        const auto seen = read(test::slurp(kSamples / "minimal.jsonl"));
        CHECK(seen.lines() == std::vector<std::string>{
                                  "SessionStart id=lamp-1 cwd=/srv/lamp",
                                  "TurnStart",
                                  "Message user/human 'light the lamp'",
                                  "ToolCall c1 shell 'lamp on'",
                                  "ToolResult c1 ok exit=0 'on'",
                                  "Message assistant/agent 'It burns.'",
                              });
        CHECK(seen.events.heads[3].where.line == 4);
        CHECK(seen.events.heads[3].where.offset == 182);
        CHECK(seen.events.heads[3].where.length == 90);
        CHECK(seen.events.digests[0].canonical == 0xaa);
        CHECK(seen.count(LineFate::understood) == 8);
        CHECK(seen.count(LineFate::ignored_kind) == 1);
    }

    TEST_CASE("every field of every kind is read") {
        const auto seen = read(test::slurp(kSamples / "full.jsonl"));
        CHECK(seen.count(LineFate::understood) + seen.count(LineFate::ignored_kind) == seen.fates.size());
        for (std::size_t kind = 0; kind < kEventKinds.size(); ++kind) {
            const bool there =
                test::slurp(kSamples / "full.jsonl").find("\"kind\":\"" + std::string(kEventKinds[kind])) !=
                std::string::npos;
            CHECK_MESSAGE(there, kEventKinds[kind]);
        }
        CHECK(seen.those("SessionStart").front() ==
              "SessionStart id=kiln-1 parent=kiln-0 forked=kiln-x cwd=/srv/kiln model=m-1 label=first");
        CHECK(seen.those("Message").front() == R"(Message user/queued 'fire the \"kiln\"\n\u00e9 \ud800' media=2)");
        CHECK(seen.those("ToolResult") ==
              std::vector<std::string>{
                  R"(ToolResult c1 denied by=person exit=-9 '[{"type":"text","text":"no"}]' media=1 opaque)",
                  "ToolResult c2 running '{\n}'", "ToolResult c3 cancelled 'a\xFF\n'"});
        CHECK(seen.those("Compaction").front() == "Compaction truncate 'warm' keep-from=r-3 before=900");
        CHECK(seen.those("Rewind").front() == "Rewind to r-3");
        CHECK(seen.those("Notice").front() == "Notice provider/error 529 'busy'");
        CHECK(seen.those("TurnEnd").front() == "TurnEnd aborted");
        const Usage& usage = seen.events.usages.at(0);
        CHECK(usage.mode == UsageMode::cumulative);
        CHECK(usage.scope == UsageScope::session);
        CHECK(usage.tokens == TokenCounts{5, 4, 3, 2, 1});
        CHECK(usage.message_key == 0xd1);
        CHECK(usage.request_key == 0xd2);
        CHECK(usage.sidechain);
        CHECK(usage.cost_microusd == 77);
        CHECK(usage.context_tokens == 1200);
        CHECK(seen.events.heads[0].time_ms == 1772445601250);
        CHECK(seen.events.heads[3].flags == (kCopied | kPartial | kSynthetic | kHidden | kStale));
        CHECK(seen.events.heads[4].response == 0xb1);
    }

    TEST_CASE("the events of a second input begin a session, said or not") {
        const auto seen = read(test::slurp(kSamples / "full.jsonl"));
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.lines().back() == "Message user/human 'no session_start before this'");
    }

    TEST_CASE("what other programs leave out is made up for") {
        const auto seen = read(test::slurp(kSamples / "by-others.jsonl"));
        REQUIRE(seen.events.digests.size() == 4);
        CHECK(seen.events.digests[0].canonical == seen.events.digests[1].canonical);  // spelling does not count
        CHECK(seen.events.digests[0].canonical != seen.events.digests[2].canonical);
        CHECK(seen.events.digests[3].canonical != 0);
        CHECK(seen.those("Message").back() == "Message assistant/agent '3'");
        CHECK(seen.events.heads[1].where.line == 2);
    }

    TEST_CASE("what a run says of calls counts for events as well") {
        CallIdentity identity;
        identity.volatile_fields = {"b"};
        const auto make = [&identity] {
            auto reader = readers::agent_audit_events().make();
            reader->use(identity);
            return reader;
        };
        test::EventLines events;
        const auto reader = make();
        for (std::string text :
             {R"({"kind":"tool_call","seq":1,"line":1,"name":"sum","args":{"a":1,"b":2},"digest":"01"})",
              R"({"kind":"tool_call","seq":2,"line":2,"name":"sum","args":{"a":1,"b":3},"digest":"02"})"}) {
            const std::size_t size = text.size();
            text.resize(size + kRecordPadding);
            Record record;
            record.text = {text.data(), size};
            record.where = {0, 1, 1, 0};
            CHECK(reader->read(record, events) == LineFate::understood);
        }
        CHECK(events.digests.at(0).canonical == events.digests.at(1).canonical);
    }

    TEST_CASE("wrong fields are missing fields, and wrong lines have their fate") {
        const auto seen = read(test::slurp(kSamples / "bad-fields.jsonl"));
        CHECK(seen.fates.size() == 12);
        CHECK(seen.count(LineFate::unknown_kind) == 2);
        CHECK(seen.count(LineFate::missing_field) == 1);
        CHECK(seen.count(LineFate::malformed_json) == 1);
        CHECK(seen.those("Message").front() == "Message user/injected");
        CHECK(seen.those("ToolResult").front() == "ToolResult  unknown 'a%b'");
    }

    TEST_CASE("a record cut at any byte emits nothing or is whole") {
        const std::string line = R"({"kind":"tool_result","seq":5,"line":5,"call_id":"c1","status":"ok","text":"on"})";
        for (std::size_t size = 1; size < line.size(); ++size) CHECK(read(line.substr(0, size)).lines().empty());
    }

    TEST_CASE("nobody else's records look like ours, and ours are told from a piece of them") {
        const ReaderSpec ours = readers::agent_audit_events();
        CHECK(test::score_text(ours, test::slurp(kSamples / "minimal.jsonl")) == kCertain);
        CHECK(test::score_text(ours, test::slurp(kSamples / "by-others.jsonl")) >= 90);
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(test::source_dir() / "testdata/readers")) {
            if (!entry.is_regular_file() || entry.path().extension() == ".events") continue;
            if (entry.path().parent_path() == kSamples) continue;
            CAPTURE(entry.path().string());
            CHECK(test::score_text(ours, test::slurp(entry.path())) == 0);
        }
    }
}
