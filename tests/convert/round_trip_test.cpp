#include "convert/converted.hpp"
#include "support/sanitized.hpp"
#include "support/schema_validator.hpp"

#include <algorithm>
#include <random>
#include <regex>
#include <set>

using Json = nlohmann::json;
using namespace agent_audit;
using namespace agent_audit::test;

// An audit of our own events says the same as one of the recording they were made from, at the same lines. Whatever
// lies in the folders is taken: a new format is tested as soon as it has a sample.

namespace {

// Names of files and figures about them differ, of course.
void forget_the_file(Json& value) {
    if (value.is_object()) {
        for (const char* key : {"path", "input", "inputs", "records", "bytes", "skipped_inputs", "first_file_line",
                                "last_file_line", "counts_records"})
            value.erase(key);
        // Of a document records are told of, of its events lines.
        if (value.contains("message")) {
            const std::string message = value["message"];
            value["message"] = std::regex_replace(message, std::regex("\\brecord(s?) (?=[0-9])"), "line$1 ");
        }
    }
    for (Json& member : value) {
        if (member.is_structured()) forget_the_file(member);
    }
}

// With the strict policy more is found that could differ.
Json said(const std::string& path) {
    AuditPlan plan;
    plan.inputs = {path};
    plan.profiles = {"all"};
    plan.policy = Policy::strict;
    std::string out;
    find_renderer("json")->render(report_of(plan), {.redact = Redact::none}, [&out](std::string_view piece) {
        out += piece;
        return true;
    });
    Json json = Json::parse(out);
    forget_the_file(json);
    return json;
}

// The same of a recording that was damaged: what could not be read of the file, as the directory of an archive, is told
// of it, and nothing of the kind of its events.
Json said_but_for_damage(const std::string& path) {
    Json json = said(path);
    Json& notes = json.at("notes");
    notes.erase(std::remove_if(notes.begin(), notes.end(),
                               [](const Json& note) { return note.value("severity", "") == "error"; }),
                notes.end());
    return json;
}

struct Tally {
    std::size_t files = 0, findings = 0, sessions = 0;
};

std::string first_difference(const Json& before, const Json& after) {
    const Json patch = Json::diff(before, after);
    std::string out;
    for (std::size_t i = 0; i < patch.size() && i < 5; ++i) {
        const std::string path = patch[i]["path"];
        const auto at = Json::json_pointer(path);
        out += path + ": " + (before.contains(at) ? before.at(at).dump().substr(0, 300) : "nothing") + " became " +
               patch[i].value("value", Json()).dump().substr(0, 300) + "\n";
    }
    return out;
}

Tally check_round_trip(const std::vector<fs::path>& files) {
    const Folder scratch;
    Tally tally;
    for (const fs::path& file : files) {
        CAPTURE(file.string());
        const Json before = said(file.string());
        if (before["sessions"].empty()) continue;
        const std::string events = converted("events", {file.string()});
        CHECK(first_difference(before, said(scratch.write("events.jsonl", events))) == "");
        ++tally.files;
        tally.findings += before["findings"].size();
        tally.sessions += before["sessions"].size();
    }
    return tally;
}

}  // namespace

TEST_SUITE("events round trip") {
    TEST_CASE("every sample of every format says the same through its events") {
        const Tally tally = check_round_trip(all_files(project() / "testdata/readers"));
        CHECK(tally.files > 50);
        CHECK(tally.sessions >= tally.files);
    }

    TEST_CASE("every scenario says the same through its events") {
        const Tally tally = check_round_trip(some_of(all_files(project() / "testdata/scenarios")));
        CHECK(tally.files > rounds(100));
        CHECK(tally.findings > rounds(50));
    }

    TEST_CASE("every recording of the corpus says the same through its events") {
        if (!fs::exists(corpus())) {
            MESSAGE("skipped: ../shared/corpus is not there");
            return;
        }
        CHECK(check_round_trip(some_of(all_files(corpus()))).files > rounds(50));
    }

    TEST_CASE("damaged recordings say the same through their events") {
        const Folder scratch;
        std::mt19937 random(5);
        const auto below = [&random](std::size_t n) { return random() % n; };
        std::size_t read = 0;
        for (const fs::path& file : all_files(project() / "testdata/readers")) {
            const std::string whole = content(file);
            for (int round = 0; round < agent_audit::test::rounds(6) && whole.size() > 10; ++round) {
                std::string text = whole;
                for (std::size_t blow = 0, blows = 1 + below(3); blow < blows; ++blow) {
                    const std::size_t at = below(text.size());
                    switch (below(5)) {
                        case 0: text[at] = static_cast<char>(random()); break;
                        case 1: text.erase(at, 1 + below(30)); break;
                        case 2: text.insert(at, text.substr(below(text.size()), 1 + below(200))); break;
                        case 3: text.insert(at, "\\\""); break;
                        default: text.insert(at, "\xC3\x01\xFF"); break;
                    }
                    if (text.empty()) text = "{";
                }
                CAPTURE(file.string());
                CAPTURE(round);
                const std::string damaged = scratch.write("damaged", text);
                const Json before = said_but_for_damage(damaged);
                if (before["sessions"].empty()) continue;
                ++read;
                const std::string events = converted("events", {damaged});
                CHECK(first_difference(before, said(scratch.write("events.jsonl", events))) == "");
                json_lines(events);  // throws where a line is no JSON
                json_lines(converted("chat", {damaged}));
            }
        }
        CHECK(read > 200);
    }

    TEST_CASE("events of events are those events") {
        const Folder scratch;
        for (const fs::path& file : all_files(project() / "testdata/readers")) {
            CAPTURE(file.string());
            const auto once = json_lines(converted("events", {file.string()}));
            if (once.size() < 3) continue;
            const auto twice =
                json_lines(converted("events", {scratch.write("once.jsonl", converted("events", {file.string()}))}));
            REQUIRE(twice.size() == once.size());
            for (std::size_t i = 0; i < once.size(); ++i) {
                const std::string kind = once[i].value("kind", "");
                if (!kind.starts_with("input")) CHECK(once[i] == twice[i]);
            }
        }
    }

    TEST_CASE("a folder says the same through one stream of events, sub-agents with files of their own included") {
        const Folder scratch;
        fs::create_directories(scratch / "in");
        const fs::path samples = project() / "testdata/readers/claude-code";
        fs::copy_file(samples / "full.jsonl", scratch / "in/full.jsonl");
        fs::copy_file(samples / "minimal.jsonl", scratch / "in/agent-a7.jsonl");  // a7 is a sub-agent in full.jsonl
        fs::copy_file(project() / "testdata/readers/chat-completions/minimal.jsonl", scratch / "in/chat.jsonl");
        const Json before = said(scratch / "in");
        const Json after = said(scratch.write("events.jsonl", converted("events", {scratch / "in"})));
        CHECK(before["sessions"].size() == 3);
        CHECK(first_difference(before, after) == "");
        // The sub-agent would count twice if its messages were not left out of the session that called it.
        CHECK(said(scratch.write("alone.jsonl",
                                 converted("events", {scratch / "in/full.jsonl"})))["sessions"][0]["counts"] !=
              after["sessions"][2]["counts"]);
    }

    TEST_CASE("rules that a recording does not allow are skipped for its events, too") {
        const Folder scratch;
        const auto skipped = [&scratch](const std::string& signals) {
            return said(scratch.write(
                "e.jsonl",
                "{\"agent_audit_events\":1}\n{\"kind\":\"input\",\"signals\":" + signals +
                    "}\n{\"kind\":\"message\",\"seq\":1,\"line\":1,\"text\":\"a\"}\n"))["summary"]["skipped_rules"]
                .size();
        };
        CHECK(skipped("[]") > skipped(R"(["tool_calls","tool_results","result_status","token_usage","timestamps"])"));
    }

    TEST_CASE("every line is what the schema says, field for field") {
        SchemaValidator schema("events");
        std::set<std::string> kinds;
        std::size_t number = 0;
        for (const fs::path& file : all_files(project() / "testdata/readers")) {
            CAPTURE(file.string());
            for (const Json& line : json_lines(converted("events", {file.string()}))) {
                kinds.insert(line.value("kind", "opening"));
                if (!agent_audit::test::looked_at(number++)) continue;
                const auto errors = schema.errors(line);
                if (!errors.empty()) FAIL_CHECK(errors.front() << " in " << line.dump().substr(0, 300));
            }
        }
        CHECK(kinds.size() > 14);  // nearly all there are
    }
}
