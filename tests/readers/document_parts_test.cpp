#include "readers/event_lines.hpp"
#include "readers/input/json_excerpt.hpp"
#include "readers/input_support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <set>

// A document beyond the limit comes in parts: a head, the elements of one array, a tail.

using namespace agent_audit;
using test::Reading;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kItems[] = {"items", "log.entries"};

struct Part {
    RecordSource::Next what;
    RecordPart part;
    std::string text;
    std::uint64_t line, offset;
    bool unterminated, abridged;
};

struct Parts {
    std::vector<Part> all;
    std::uint64_t bytes = 0;

    std::vector<std::string> elements() const {
        std::vector<std::string> out;
        for (const Part& p : all) {
            if (p.part == RecordPart::element)
                out.push_back(p.what == RecordSource::Next::too_long ? "TOO LONG" : p.text);
        }
        return out;
    }
    const Part* find(RecordPart part) const {
        const auto at = std::find_if(all.begin(), all.end(), [part](const Part& p) { return p.part == part; });
        return at == all.end() ? nullptr : &*at;
    }
    std::string head() const { return find(RecordPart::head) ? find(RecordPart::head)->text : "none"; }
    std::string tail() const { return find(RecordPart::tail) ? find(RecordPart::tail)->text : "none"; }
};

InputLimits limits_of(std::size_t max_record, std::size_t chunk = 256u << 10) {
    InputLimits limits;
    limits.max_record_bytes = max_record;
    limits.chunk_bytes = chunk;
    return limits;
}

Parts parts_of(std::string_view text, std::size_t max_record, std::size_t piece = 1u << 20,
               std::size_t chunk = 256u << 10) {
    Parts out;
    InputBuffers buffers;
    const auto source = memory_input(text, 0, limits_of(max_record, chunk), buffers, piece);
    source->stream_arrays(kItems);
    for (Record r;;) {
        const auto next = source->next(r);
        if (next == RecordSource::Next::end) break;
        out.all.push_back(
            {next, r.part, std::string(r.text), r.where.line, r.where.offset, r.last_unterminated, r.abridged});
    }
    out.bytes = source->bytes();
    return out;
}

std::vector<std::string> placed(const Reading& seen, bool with_offsets) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < seen.lines().size(); ++i) {
        const EventHeader& h = seen.events.heads[i];
        out.push_back(fmt::format("{} @{} L{} T{} | {}", h.where.line, with_offsets ? h.where.offset : 0, h.lane,
                                  h.turn, seen.lines()[i]));
    }
    return out;
}

// Every document among the fixtures of formats that are read in parts.
struct Fixture {
    const ReaderSpec* spec;
    fs::path path;
    Json document;
    std::string array;
};

// The array of this name, or of both names of "log.entries"; null: there is none.
const Json* array_in(const Json& document, std::string_view name) {
    const std::size_t dot = name.find('.');
    const auto found = document.find(name.substr(0, dot));
    if (found == document.end()) return nullptr;
    if (dot != name.npos) return found->is_object() ? array_in(*found, name.substr(dot + 1)) : nullptr;
    return found->is_array() ? &*found : nullptr;
}

void add_document(std::vector<Fixture>& found, const ReaderSpec& spec, const fs::path& path, const std::string& text) {
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object()) return;
    for (const std::string_view name : spec.streams) {
        const Json* array = array_in(document, name);
        if (!array || array->empty()) continue;
        found.push_back({&spec, path, document, std::string(name)});
        return;
    }
}

std::vector<Fixture> documents() {
    std::vector<Fixture> found;
    for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / "testdata/readers")) {
        if (!entry.is_regular_file() || entry.path().extension() == ".events") continue;
        const ReaderSpec* spec = find_reader(entry.path().parent_path().filename().string());
        if (!spec || spec->streams.empty()) continue;
        const std::string text = test::slurp(entry.path());
        add_document(found, *spec, entry.path(), text);
        // Some formats have a document a line.
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) add_document(found, *spec, entry.path(), line);
    }
    std::sort(found.begin(), found.end(), [](const Fixture& a, const Fixture& b) { return a.path < b.path; });
    return found;
}

// As in most real documents: what is told of the whole stands before its records, other conversations behind them.
Json with_array_last(const Fixture& f) {
    constexpr const char* kOthers = "subagent_trajectories";
    if (f.array.find('.') != std::string::npos) return f.document;
    Json out = Json::object();
    for (const auto& [key, value] : f.document.items()) {
        if (key != f.array && key != kOthers) out[key] = value;
    }
    out[f.array] = f.document[f.array];
    if (f.document.contains(kOthers)) out[kOthers] = f.document[kOthers];
    return out;
}

// A record whose form is not the format's is told by its fate in parts, by a notice in one piece.
bool all_elements_are_objects(const Fixture& f) {
    const Json& array = *array_in(f.document, f.array);
    return std::all_of(array.begin(), array.end(), [](const Json& e) { return e.is_object(); });
}

}  // namespace

TEST_SUITE("documents in parts") {
    TEST_CASE("a document beyond the limit comes as head, elements and tail, each at its place") {
        const std::string text =
            "{\"a\": {\"items\": [1]},\n \"items\": [\n  {\"n\": 1},\n  {\"n\": \"]}\\\"\"}\n ],\n \"z\": [2]\n}\n";
        const Parts parts = parts_of(text, 40);
        CHECK(Json::parse(parts.head()) == Json::parse(R"({"a":{"items":[1]},"items":[]})"));
        CHECK(parts.elements() == std::vector<std::string>{R"({"n": 1})", R"({"n": "]}\""})"});
        CHECK(Json::parse(parts.tail()) == Json::parse(R"({"z":[2]})"));
        REQUIRE(parts.all.size() == 4);
        CHECK(parts.all[1].line == 1);
        CHECK(parts.all[1].offset == text.find("{\"n\": 1"));
        CHECK(parts.all[2].line == 2);
        CHECK(parts.all[2].offset == text.find("{\"n\": \"]"));
        CHECK(parts.bytes == text.size());
    }

    TEST_CASE("an array in an object of the document comes in elements as well") {
        const std::string text =
            "{\"b\": [[]], \"log\": {\"v\": {\"entries\": [7]}, \"entries\": [{\"n\": 1}, {\"entries\": [2]}], \"p\": "
            "[3], "
            "\"q\": 1}, \"z\": {\"y\": [4]}}\n";
        for (const std::size_t piece : {1u, 1000u}) {
            const Parts parts = parts_of(text, 40, piece, 64);
            CHECK(Json::parse(parts.head()) == Json::parse(R"({"b":[[]],"log":{"v":{"entries":[7]},"entries":[]}})"));
            CHECK(parts.elements() == std::vector<std::string>{R"({"n": 1})", R"({"entries": [2]})"});
            CHECK(Json::parse(parts.tail()) == Json::parse(R"({"z":{"y":[4]}})"));
            CHECK(parts.bytes == text.size());
        }
    }

    TEST_CASE("a document that fits stays in one piece") {
        const std::string text = "{\n\"items\": [{\"n\": 1}]}\n";
        const Parts parts = parts_of(text, text.size());
        REQUIRE(parts.all.size() == 1);
        CHECK(parts.all[0].part == RecordPart::whole);
    }

    TEST_CASE("the parts are the same however the bytes arrive") {
        std::string text = "{\"head\": \"\\\\\\\"[\",\n\"items\": [";
        for (int i = 0; i < 3000; ++i)
            text += fmt::format("{}\n{{\"n\": {}, \"t\": \"a\\\\ \\\"b\\\" [{{\"}}", i ? "," : "", i);
        text += "\n], \"tail\": [[], {}]}";
        const Parts whole = parts_of(text, 60);
        CHECK(whole.elements().size() == 3000);
        for (const std::size_t piece : {1u, 7u, 4096u}) {
            for (const std::size_t chunk : {64u, 1000u}) {
                const Parts again = parts_of(text, 60, piece, chunk);
                CHECK(again.elements() == whole.elements());
                CHECK(again.head() == whole.head());
                CHECK(again.tail() == whole.tail());
            }
        }
    }

    TEST_CASE("an element beyond the limit is over-long and those around it are not") {
        const std::string big(500, 'x');
        for (const bool one_line : {false, true}) {
            const std::string nl = one_line ? "" : "\n";
            const std::string text = "{" + nl + "\"items\": [{\"n\":1},\"" + big + "\",{\"n\":2}," + big +
                                     ",{\"n\":3},{\"n\":\"" + big + "\"}]}";
            for (const std::size_t chunk : {64u, 4096u}) {
                CHECK(parts_of(text, 50, 16, chunk).elements() == std::vector<std::string>{"{\"n\":1}", "TOO LONG",
                                                                                           "{\"n\":2}", "TOO LONG",
                                                                                           "{\"n\":3}", "TOO LONG"});
            }
        }
    }

    TEST_CASE("a torn document gives its whole elements, and says that it is torn") {
        const std::string text = "{\n\"items\": [{\"n\":1}, {\"n\":2}, {\"n\":3}], \"z\": 1}";
        for (std::size_t cut = text.find("{\"n\":1}") + 7; cut < text.size(); ++cut) {
            CAPTURE(cut);
            const Parts parts = parts_of(std::string_view(text).substr(0, cut), 15);
            const auto elements = parts.elements();
            const std::size_t whole = cut >= text.find("{\"n\":3}") + 7   ? 3u
                                      : cut >= text.find("{\"n\":2}") + 7 ? 2u
                                                                          : 1u;
            REQUIRE(elements.size() >= whole);
            for (std::size_t i = 0; i < whole; ++i) CHECK(elements[i] == fmt::format("{{\"n\":{}}}", i + 1));
            REQUIRE(!parts.all.empty());
            CHECK(parts.all.back().part == RecordPart::tail);
            CHECK(parts.all.back().unterminated);
            CHECK(!Json::parse(parts.tail(), nullptr, false).is_discarded());
        }
    }

    TEST_CASE("a line beyond the limit within a log comes in parts, and the lines around it as ever") {
        const std::string text =
            "{\"n\":0}\n{\"x\":1,\"items\":[{\"n\":1},{\"n\":2},{\"n\":3}],\"z\":2}  \r\n\n{\"n\":4}\n";
        const Parts parts = parts_of(text, 20);
        REQUIRE(parts.all.size() == 8);
        CHECK(parts.all[0].text == "{\"n\":0}");
        CHECK(parts.elements().size() == 3);
        CHECK(parts.all[2].line == 2);
        CHECK(parts.all[3].offset == text.find("{\"n\":2}"));
        CHECK(parts.all[6].what == RecordSource::Next::blank);
        CHECK(parts.all[6].line == 3);
        CHECK(parts.all[7].text == "{\"n\":4}");
        CHECK(parts.all[7].line == 4);
    }

    TEST_CASE("a torn line ends its document, and the next line is a record again") {
        const Parts parts = parts_of("{\"x\":1,\"items\":[{\"n\":1},{\"n\":\"torn\n{\"n\":4}\n{\"n\":5}\n", 20);
        REQUIRE(parts.all.size() == 6);
        CHECK(parts.all[2].text == "{\"n\":\"torn");
        CHECK_FALSE(parts.all[2].unterminated);
        CHECK(parts.all[3].part == RecordPart::tail);
        CHECK(parts.all[4].text == "{\"n\":4}");
        CHECK(parts.all[4].line == 2);
    }

    TEST_CASE("what follows a document on its line is a record of that line") {
        const Parts parts = parts_of("{\"items\":[{\"n\":1},{\"n\":2}],\"z\":11111}{\"n\":3}\n{\"n\":4}\n", 20);
        REQUIRE(parts.all.size() == 6);
        CHECK(parts.all[4].text == "{\"n\":3}");
        CHECK(parts.all[4].line == 1);
        CHECK(parts.all[5].line == 2);
    }

    TEST_CASE("an element of an array of documents comes in parts as well") {
        const Parts parts =
            parts_of("[{\"n\":0},\n{\"x\":1,\"items\":[{\"n\":1},{\"n\":2},{\"n\":3}]},\n{\"n\":4}]", 20);
        CHECK(parts.elements().size() == 3);
        REQUIRE(parts.all.size() == 7);
        CHECK(parts.all[1].line == 2);
        CHECK(parts.all[6].text == "{\"n\":4}");
        CHECK(parts.all[6].line == 3);
    }

    TEST_CASE("a document without such an array is over-long, as one record") {
        for (const std::string_view text : {"{\n\"other\":[{\"n\":1},{\"n\":2}], \"x\":{\"items\":[1,2,3,4,5,6]}}",
                                            "{\n\"items\":{\"a\":1,\"b\":2}, \"other\": 1}"}) {
            const Parts parts = parts_of(text, 20);
            REQUIRE(parts.all.size() == 1);
            CHECK(parts.all[0].what == RecordSource::Next::too_long);
            CHECK(parts.all[0].line == 1);
            CHECK(parts.bytes == text.size());
        }
    }

    TEST_CASE("hostile text loses no byte and every part stays within its limit") {
        std::mt19937 random(7);
        for (int round = 0; round < 400; ++round) {
            std::string text = round % 2 ? "{\"items\":[" : "{\n\"a\":1,\"items\":[\n";
            text += test::hostile_text(random, 120);
            const Parts parts = parts_of(text, 40, 1 + static_cast<std::size_t>(round) % 50, 64);
            CHECK(parts.bytes == text.size());
            for (const Part& p : parts.all) {
                if (p.part == RecordPart::whole || p.part == RecordPart::element) CHECK(p.text.size() <= 40);
                CHECK(p.offset < text.size());
            }
        }
    }

    TEST_CASE("an excerpt of JSON is JSON, within its limits, wherever the text is cut") {
        const std::string text = R"({"a":"\ud83d\ude00 \" \\","b":[{"c":["x",1,{"d":null}]},[[]]],"long":")" +
                                 std::string(300, 'y') +
                                 R"(","é":"äöü","f":{"g":{"h":[1,2,3,"äöüäöüäöüäöüäöü"]}},"z":-1.5e3})";
        for (const std::size_t field : {8u, 20u, 50u, 1000u}) {
            for (const std::size_t string : {1u, 4u, 17u, 1000u}) {
                for (std::size_t cut = 1; cut <= text.size(); ++cut) {
                    readers::JsonExcerpt excerpt({200, field, string});
                    std::string_view rest = std::string_view(text).substr(0, cut);
                    for (std::size_t used = 0; !rest.empty(); rest.remove_prefix(used)) {
                        if (excerpt.walk(rest, used) == readers::JsonExcerpt::Stop::end) break;
                    }
                    const std::string out = excerpt.take(0);
                    CAPTURE(out);
                    CHECK(out.size() <= 300);
                    const Json parsed = Json::parse(out, nullptr, false);
                    REQUIRE_FALSE(parsed.is_discarded());
                    if (cut == text.size() && field == 1000 && string == 1000) CHECK(parsed.contains("f"));
                }
            }
        }
    }

    TEST_CASE("a depth bomb is left out of an excerpt and what follows is kept") {
        std::string text = "{\"a\":1,\"bomb\":" + std::string(100'000, '[') + std::string(100'000, ']') + ",\"z\":2}";
        readers::JsonExcerpt excerpt({1u << 20, 1u << 20, 1u << 20});
        std::string_view rest = text;
        for (std::size_t used = 0; !rest.empty(); rest.remove_prefix(used)) {
            if (excerpt.walk(rest, used) == readers::JsonExcerpt::Stop::end) break;
        }
        const Json parsed = Json::parse(excerpt.take(0));
        CHECK(parsed["a"] == 1);
        CHECK(parsed["z"] == 2);
    }

    TEST_CASE("a session read in parts gives the events of the whole document") {
        std::set<std::string_view> formats;
        for (const Fixture& f : documents()) {
            const Json document = with_array_last(f);
            for (const int indent : {-1, 1}) {
                CAPTURE(f.path.string());
                CAPTURE(indent);
                const std::string text = document.dump(indent) + "\n";
                const Reading whole = test::read_text(*f.spec, text);
                const Reading parts = test::read_text(*f.spec, text, limits_of(text.size() - 2));
                if (!all_elements_are_objects(f)) continue;
                // Within one line that line is the place of all; in parts the offset tells more.
                const auto expected = placed(whole, indent > 0), seen = placed(parts, indent > 0);
                REQUIRE(seen.size() == expected.size());
                for (std::size_t i = 0; i < seen.size(); ++i) {
                    // Notices of the reader and other conversations have the place of the whole.
                    const bool beside =
                        seen[i].find("Notice reader") != std::string::npos || seen[i].find(" L0 ") == std::string::npos;
                    CHECK(seen[i].substr(beside ? seen[i].find(" L") : 0) ==
                          expected[i].substr(beside ? expected[i].find(" L") : 0));
                }
                CHECK(parts.fates.size() >= array_in(document, f.array)->size() + 2);
                formats.insert(f.spec->id);
            }
        }
        for (const ReaderSpec& spec : all_readers()) {
            CAPTURE(spec.id);
            const bool tested = formats.contains(spec.id) || spec.streams.empty() || spec.id == "anthropic-messages";
            CHECK(tested);
        }
    }

    TEST_CASE("a real document read in parts gives the calls and results of the whole") {
        const fs::path root = test::shared_dir() / "corpus";
        if (!fs::exists(root)) {
            MESSAGE("skipped: no ../shared/corpus");
            return;
        }
        const std::map<std::string, std::string> formats{
            {"atif", "atif"},           {"gemini-cli", "gemini-cli"},
            {"kiro", "kiro"},           {"mini-swe-agent", "mini-swe-agent"},
            {"swe-agent", "swe-agent"}, {"who-and-when", "agent-history"}};
        std::size_t read = 0;
        for (const auto& [folder, format] : formats) {
            for (const auto& entry : fs::directory_iterator(root / folder)) {
                const std::string text = test::slurp(entry.path());
                if (!Json::parse(text, nullptr, false).is_object()) continue;
                CAPTURE(entry.path().string());
                const Reading whole = test::read_text(*find_reader(format), text);
                const Reading parts = test::read_text(*find_reader(format), text, limits_of(text.size() - 2));
                REQUIRE(parts.fates.size() > 3);
                for (const char* kind : {"ToolCall", "ToolResult", "Usage", "TurnEnd", "Thinking"}) {
                    CAPTURE(kind);
                    CHECK(parts.those(kind) == whole.those(kind));
                }
                // Some write the name of the session behind its records.
                CHECK(parts.count("SessionStart") == whole.count("SessionStart"));
                ++read;
            }
        }
        CHECK(read >= 15);
    }

    TEST_CASE("sub-agents that stand before the steps of a trajectory are read as well") {
        const std::string text =
            R"({"schema_version":"ATIF-v1.6","agent":{"name":"a"},"subagent_trajectories":[{"trajectory_id":"s","agent":{"name":"b"},)"
            R"("steps":[{"step_id":1,"source":"user","message":"inner"}]}],"steps":[{"step_id":1,"source":"user","message":"outer"},)"
            R"({"step_id":2,"source":"agent","message":"done"}]})";
        const ReaderSpec& atif = *find_reader("atif");
        const Reading whole = test::read_text(atif, text);
        const Reading parts = test::read_text(atif, text, limits_of(text.size() - 1));
        auto expected = placed(whole, false), seen = placed(parts, false);
        std::sort(expected.begin(), expected.end());
        std::sort(seen.begin(), seen.end());
        CHECK(seen == expected);
    }

    TEST_CASE("fields behind the records are read, only too late for the first event") {
        for (const Fixture& f : documents()) {
            CAPTURE(f.path.string());
            Json document = Json::object();
            if (f.document.contains(f.array)) document[f.array] = f.document[f.array];
            for (const auto& [key, value] : f.document.items()) document[key] = value;
            const std::string text = document.dump(1);
            const Reading whole = test::read_text(*f.spec, text);
            const Reading parts = test::read_text(*f.spec, text, limits_of(text.size() - 2));
            if (!all_elements_are_objects(f)) continue;
            for (const char* kind : {"ToolCall", "ToolResult", "Usage", "TurnEnd", "Thinking", "SessionStart"}) {
                CAPTURE(kind);
                CHECK(parts.count(kind) == whole.count(kind));
            }
        }
    }
}
