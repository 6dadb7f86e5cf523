#include "pipeline/inputs/detect.hpp"

#include "readers/event_lines.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

// Detection must not hang on the order of keys, on the first records or on what a terminal wrote in front of them. The
// heads of real and of our own sessions are changed in these ways; what is detected then is what was detected before,
// or nothing. Never another format.

using namespace agent_audit;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHead = 40;  // records kept of a log

struct Mutant {
    std::string what;
    std::string text;
};

std::string detect(std::string_view text) {
    InputBuffers buffers;
    const auto source = memory_input(text, 0, InputLimits{}, buffers, 64u << 10);
    const Detection found = detect_format(*source);
    return found.reader ? std::string(found.reader->id) : "";
}

Json shuffled(const Json& object, std::uint32_t seed) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    // std::shuffle draws differently from library to library.
    std::mt19937 random(seed);
    for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[random() % i]);
    Json out = Json::object();
    for (const std::string& key : keys) out[key] = object[key];
    return out;
}

const std::array<std::pair<const char*, const char*>, 6> kJunk{{
    {"a line of text", "Script started, output log file is 'session.log'\n"},
    {"blank lines", "\n\n  \n"},
    {"a byte order mark", "\xef\xbb\xbf"},
    {"a log line", "2026-01-02 03:04:05,678 INFO [main] starting agent\n"},
    {"an empty object", "{}\n"},
    {"a bracketed log line", "[2026-01-02T03:04:05Z] INFO starting agent\n"},
}};

void add_junk(std::vector<Mutant>& out, const std::string& text) {
    for (const auto& [what, junk] : kJunk) out.push_back({std::string("behind ") + what, junk + text});
}

// What one program writes line by line the next one keeps as an array, or prints prettily.
void add_other_framings(std::vector<Mutant>& out, const std::vector<std::string>& lines) {
    const auto print = [](const Json& json, int indent) {
        return json.dump(indent, ' ', false, Json::error_handler_t::replace);
    };
    Json array = Json::array();
    bool bare = false;  // an array of bare messages is what the oldest files of mini-SWE-agent are
    std::string pretty;
    for (const std::string& line : lines) {
        const Json record = Json::parse(line, nullptr, false);
        if (!record.is_object()) continue;
        pretty += print(record, 2) + "\n";
        bare |= record.contains("role") && record.contains("content");
        array.push_back(record);
    }
    if (array.empty()) return;
    out.push_back({"as pretty-printed documents", pretty});
    if (bare) return;
    out.push_back({"as an array", print(array, -1)});
    out.push_back({"as a pretty-printed array", print(array, 2)});
}

std::vector<Mutant> of_lines(const std::vector<std::string>& lines) {
    const auto joined = [&](std::size_t from) {
        std::string text;
        for (std::size_t i = from; i < lines.size(); ++i) text += lines[i] + "\n";
        return text;
    };
    std::vector<Mutant> out;
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
        std::string text;
        for (const std::string& line : lines) {
            const Json record = Json::parse(line, nullptr, false);
            text += (record.is_object() ? shuffled(record, seed).dump(-1, ' ', false, Json::error_handler_t::replace)
                                        : line) +
                    "\n";
        }
        out.push_back({"keys in another order", text});
    }
    for (std::size_t gone = 1; gone <= 5 && gone + 2 <= lines.size(); ++gone) {
        out.push_back({fmt::format("without its first {} records", gone), joined(gone)});
    }
    add_junk(out, joined(0));
    add_other_framings(out, lines);
    return out;
}

// The longest array at the top: the records.
std::string records_of(const Json& document) {
    std::string name;
    std::size_t most = 0;
    for (const auto& [key, value] : document.items()) {
        if (value.is_array() && value.size() > most) {
            most = value.size();
            name = key;
        }
    }
    return name;
}

std::vector<Mutant> of_document(const Json& document, const std::string& text) {
    std::vector<Mutant> out;
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
        for (const int indent : {-1, 2})
            out.push_back({"keys in another order", shuffled(document, seed).dump(indent)});
    }
    const std::string records = records_of(document);
    for (std::size_t gone = 1; gone <= 5 && !records.empty() && gone + 1 < document[records].size(); ++gone) {
        Json cut = document;
        cut[records].erase(cut[records].begin(), cut[records].begin() + static_cast<std::ptrdiff_t>(gone));
        out.push_back({fmt::format("without its first {} records", gone), cut.dump(gone % 2 ? 1 : -1)});
    }
    add_junk(out, text);
    return out;
}

std::vector<Mutant> of_array(const Json& array, const std::string& text) {
    std::vector<Mutant> out;
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
        Json other = Json::array();
        for (const Json& element : array) other.push_back(element.is_object() ? shuffled(element, seed) : element);
        out.push_back({"keys in another order", other.dump(seed == 2 ? 1 : -1)});
    }
    for (std::size_t gone = 1; gone <= 5 && gone + 1 < array.size(); ++gone) {
        Json cut = array;
        cut.erase(cut.begin(), cut.begin() + static_cast<std::ptrdiff_t>(gone));
        out.push_back({fmt::format("without its first {} records", gone), cut.dump(gone % 2 ? 1 : -1)});
    }
    add_junk(out, text);
    return out;
}

std::vector<Mutant> mutants_of(const std::string& text) {
    const Json document = Json::parse(text, nullptr, false);
    if (document.is_object() && text.find('\n') + 1 < text.size()) return of_document(document, text);
    if (document.is_array()) return of_array(document, text);
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; lines.size() < kHead && std::getline(in, line);) lines.push_back(line);
    if (document.is_object() && lines.size() == 1) return of_document(document, text);
    return of_lines(lines);
}

struct Tally {
    std::size_t mutants = 0, same = 0;
    std::vector<std::string> refused, wrong;

    // `format`: what the file is; empty when only the program can tell.
    void look(const std::string& name, const std::string& text, std::string format = {}) {
        const std::string first = detect(text);
        if (first.empty()) return;
        if (format.empty()) format = first;
        if (first != format) wrong.push_back(fmt::format("{} as it is: {}, is {}", name, first, format));
        for (const Mutant& mutant : mutants_of(text)) {
            ++mutants;
            const std::string now = detect(mutant.text);
            if (now == format)
                ++same;
            else if (now.empty())
                refused.push_back(fmt::format("{} {}: refused, was {}", name, mutant.what, format));
            else
                wrong.push_back(fmt::format("{} {}: {}, was {}", name, mutant.what, now, format));
        }
    }
    void show() const {
        if (std::getenv("AGENT_AUDIT_SHOW") == nullptr) return;
        std::cout << fmt::format("{} mutants, {} same\n", mutants, same);
        for (const std::string& line : refused) std::cout << line << '\n';
        for (const std::string& line : wrong) std::cout << "WRONG " << line << '\n';
    }
};

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string ending = entry.path().extension().string();
        const bool session = ending == ".json" || ending == ".jsonl" || ending == ".traj";
        if (entry.is_regular_file() && session) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

Detection detect_with(std::string_view text, std::size_t max_record) {
    InputBuffers buffers;
    InputLimits limits;
    limits.max_record_bytes = max_record;
    const auto source = memory_input(text, 0, limits, buffers, 4096);
    return detect_format(*source);
}

}  // namespace

TEST_SUITE("detection of documents beyond the limit") {
    TEST_CASE("a document is told by its beginning, also when it is one line") {
        const fs::path root = test::source_dir() / "testdata/readers";
        std::size_t told = 0;
        for (const fs::path& path : files_in(root)) {
            const Json document = Json::parse(test::slurp(path), nullptr, false);
            const ReaderSpec* spec = find_reader(path.parent_path().filename().string());
            if (!document.is_object() || !spec || spec->streams.empty()) continue;
            CAPTURE(path.string());
            for (const int indent : {-1, 1}) {
                const std::string text = document.dump(indent);
                const Detection whole = detect_with(text, text.size());
                if (!whole.reader) continue;
                const Detection cut = detect_with(text, text.size() - 2);
                CHECK(cut.reader == whole.reader);
                ++told;
            }
        }
        CHECK(told >= 20);
    }

    TEST_CASE("a huge first message hides nothing") {
        const std::string text = R"({"info":{"exit_status":"Submitted"},"messages":[{"role":"system","content":")" +
                                 std::string(300'000, 'x') +
                                 R"("},{"role":"user","content":"do"}],"trajectory_format":"mini-swe-agent-1"})";
        const Detection found = detect_with(text, 100'000);
        REQUIRE(found.reader);
        CHECK(found.reader->id == "mini-swe-agent");
    }

    TEST_CASE("what no format reads in parts is refused by a message that names the limit") {
        for (const std::string& text :
             {std::string("{\"a\":") + std::string(200'000, '['), std::string("{\n\"a\":") + std::string(200'000, '{'),
              "{\"a\":\"" + std::string(200'000, '\\'), "{\"messages\":" + std::string(200'000, '1'),
              std::string(200'000, 'x'), "\n" + std::string(200'000, '\0') + "\n"}) {
            const Detection found = detect_with(text, 100'000);
            CHECK_FALSE(found.reader);
            CHECK(found.problem.find("--max-line-size") != std::string::npos);
        }
    }

    TEST_CASE("a log is told by what follows a line beyond the limit") {
        const std::string log = test::slurp(test::source_dir() / "testdata/readers/codex/full.jsonl");
        const std::string text = "{\"timestamp\":\"x\",\"big\":\"" + std::string(200'000, 'x') + "\"}\n" + log;
        const Detection found = detect_with(text, 100'000);
        REQUIRE(found.reader);
        CHECK(found.reader->id == "codex");
    }
}

TEST_SUITE("detection of documents that end too early") {
    TEST_CASE("a document is told by what is there of it") {
        const fs::path root = test::source_dir() / "testdata/readers";
        for (const std::string_view path :
             {"atif/minimal.json", "opencode/full.json", "chat-completions/document.json", "gemini-cli/minimal.json"}) {
            const fs::path file = root / path;
            const Json document = Json::parse(test::slurp(file), nullptr, false);
            REQUIRE(document.is_object());
            CAPTURE(file.string());
            for (const int indent : {-1, 1}) {
                const std::string text = document.dump(indent);
                const Detection whole = detect_with(text, 1u << 20);
                REQUIRE(whole.reader);
                CHECK(detect_with(text.substr(0, text.size() * 4 / 5), 1u << 20).reader == whole.reader);
            }
        }
    }

    TEST_CASE("of a cut document of no format the message says that it is cut off") {
        const Detection found = detect_with(R"({"recipe":{"flour":[1,2,{"gram)", 1u << 20);
        CHECK_FALSE(found.reader);
        CHECK(found.problem.find("cut off") != std::string::npos);
    }
}

TEST_SUITE("detection of changed heads") {
    TEST_CASE("no changed head of our samples is taken for another format") {
        Tally tally;
        const fs::path root = test::source_dir() / "testdata/readers";
        for (const fs::path& path : files_in(root)) {
            const fs::path name = fs::relative(path, root);
            tally.look(name.string(), test::slurp(path), name.begin()->string());
        }
        tally.show();
        CHECK(tally.mutants >= 200);
        CHECK(tally.wrong == std::vector<std::string>{});
        // Of the broken samples often nothing is left that tells anything.
        std::erase_if(tally.refused, [](const std::string& line) { return line.find("/bad-") != line.npos; });
        CHECK(tally.refused == std::vector<std::string>{});
    }

    TEST_CASE("a log that is no JSON is told by its lines, behind junk as well") {
        const std::string log = test::slurp(test::source_dir() / "testdata/readers/aider/full.md");
        CHECK(detect(log) == "aider");
        for (const auto& junk : kJunk) {
            CAPTURE(junk.first);
            CHECK(detect(junk.second + log) == "aider");
        }
        CHECK(detect("Script started\n{\n" + log.substr(log.find('\n') + 1)) == "aider");
    }

    TEST_CASE("no changed head of a real session is taken for another format") {
        const fs::path root = test::shared_dir() / "corpus";
        if (!fs::exists(root)) {
            MESSAGE("skipped: no ../shared/corpus");
            return;
        }
        Tally tally;
        for (const fs::path& path : agent_audit::test::some_of(files_in(root)))
            tally.look(fs::relative(path, root).string(), test::slurp(path));
        tally.show();
        CHECK(tally.mutants >= agent_audit::test::rounds(200));
        CHECK(tally.wrong == std::vector<std::string>{});
        CHECK(tally.refused == std::vector<std::string>{});
    }
}
