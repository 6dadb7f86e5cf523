#include "readers/event_lines.hpp"
#include "readers/json/json_util.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <random>

// Records with clean bytes are read in a lazy way of our own, all others by simdjson. Both must say the same.

using namespace agent_audit;
namespace fs = std::filesystem;
using readers::quick::Walk;

namespace {

std::string padded(std::string_view text) { return std::string(text) + std::string(kRecordPadding, '"'); }

/// Every key and every scalar of a document, as the quick way meets them; "!" where it gives up.
void walk_value(readers::quick::value v, std::string& out) {
    if (readers::is_object(v)) {
        readers::quick::object object;
        if (v.get_object().get(object)) return void(out += "!");
        out += "{";
        for (auto item : object) {
            readers::quick::field field;
            if (std::move(item).get(field)) return void(out += "!");
            out += std::string(readers::key_text(field.key().raw())) + ":";
            walk_value(field.value(), out);
        }
        out += "}";
    } else if (readers::is_array(v)) {
        readers::quick::array array;
        if (v.get_array().get(array)) return void(out += "!");
        out += "[";
        for (auto item : array) {
            readers::quick::value element;
            if (std::move(item).get(element)) return void(out += "!");
            walk_value(element, out);
        }
        out += "]";
    } else {
        out += std::string(readers::token(v)) + " ";
    }
}

std::string walked(std::string_view text) {
    const std::string bytes = padded(text);
    Walk walk({bytes.data(), text.size()}, byte_scans());
    std::string out;
    walk_value(readers::quick::value(&walk, walk.past_blanks(walk.at())), out);
    return walk.finished() ? out : out + "!";
}

bool same(const test::Reading& a, const test::Reading& b) {
    if (a.fates != b.fates || a.lines() != b.lines() || a.events.record_ids != b.events.record_ids) return false;
    for (std::size_t i = 0; i < a.lines().size(); ++i) {
        const EventHeader &x = a.events.heads[i], &y = b.events.heads[i];
        if (x.lane != y.lane || x.turn != y.turn || x.response != y.response || x.time_ms != y.time_ms ||
            x.flags != y.flags || x.where.line != y.where.line) {
            return false;
        }
    }
    return std::ranges::equal(a.events.digests, b.events.digests, [](const CallDigest& x, const CallDigest& y) {
        return x.canonical == y.canonical && x.opaque == y.opaque;
    });
}

/// One place of the text changed in a way that JSON minds.
std::string damaged(std::string text, std::mt19937& random) {
    static constexpr std::string_view kBytes = "\"\\{}[],: 0tn-.\t\x01\xc3\xa9";
    if (text.empty()) return text;
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
        case 0: text[at] = kBytes[random() % kBytes.size()]; break;
        case 1: text.erase(at, 1 + random() % 3); break;
        case 2: text.insert(at, 1, kBytes[random() % kBytes.size()]); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 40)); break;
    }
    return text;
}

bool all_json(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!nlohmann::json::accept(line)) return false;
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return true;
}

std::vector<fs::path> files_of(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && entry.path().extension() != ".events") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace

TEST_SUITE("quick json") {
    TEST_CASE("a document is walked in its order, blanks between its parts do not matter") {
        CHECK(walked(R"({"a":1,"b":["x",true,{}],"c":{"d":null}})") == R"({a:1 b:["x" true {}]c:{d:null }})");
        CHECK(walked(" { \"a\" : 1 ,\t\"b\" : [ ] } ") == "{a:1 b:[]}");
        CHECK(walked("[]") == "[]");
    }

    TEST_CASE("what is no JSON is given up, not guessed") {
        for (const std::string_view text :
             {"{\"a\":1", "{\"a\":", "{\"a\"", "{\"a", "{", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1,}", "{,}",
              "{1:2}", "[1,,2]", "[1", "[\"x]", "{\"a\":[1}", "{\"a\":}"}) {
            CAPTURE(text);
            CHECK(walked(text).find('!') != std::string::npos);
        }
    }

    TEST_CASE("values nobody asks for are passed over whole") {
        const std::string text = padded(R"({"skip":{"a":"}\"]","b":[{}]},"also":["]"],"word":tru,"last":7} )");
        Walk walk({text.data(), text.size() - kRecordPadding}, byte_scans());
        std::string last;
        for (auto item : readers::quick::object(&walk, text.data())) {
            readers::quick::field field;
            REQUIRE_FALSE(std::move(item).get(field));
            auto v = field.value();
            if (readers::key_text(field.key().raw()) == "last") last = readers::token(v);
        }
        CHECK(last == "7");
        CHECK(walk.finished());
    }

    TEST_CASE("a container that is left half read breaks the walk instead of confusing it") {
        const std::string text = padded(R"({"a":[1,2,3],"b":2})");
        Walk walk({text.data(), text.size() - kRecordPadding}, byte_scans());
        for (auto item : readers::quick::object(&walk, text.data())) {
            readers::quick::field field;
            if (std::move(item).get(field)) break;
            auto v = field.value();
            readers::quick::array array;
            if (!readers::is_array(v) || v.get_array().get(array)) continue;
            for (auto element : array) {
                (void)element;
                break;
            }
        }
        CHECK(walk.broken());
    }

    TEST_CASE("fixtures read quickly are fixtures read strictly, whole and changed") {
        std::mt19937 random(4);
        for (const fs::path& file : files_of(test::source_dir() / "testdata/readers")) {
            const ReaderSpec* spec = find_reader(file.parent_path().filename().string());
            REQUIRE(spec);
            CAPTURE(file.string());
            const std::string text = test::slurp(file);
            REQUIRE(same(test::read_text(*spec, text), test::read_text(*spec, text, {}, false)));
            for (int round = 0; round < test::rounds(60); ++round) {
                std::string other = text;
                for (int i = 0; i <= round % 3; ++i) other = damaged(std::move(other), random);
                CAPTURE(other);
                const test::Reading quick = test::read_text(*spec, other),
                                    strict = test::read_text(*spec, other, {}, false);
                // What is broken within a value that nobody looks into, either way may miss.
                if (all_json(other)) REQUIRE(same(quick, strict));
                REQUIRE(quick.fates.size() == strict.fates.size());
            }
        }
    }

    TEST_CASE("corpus: recordings read quickly are recordings read strictly") {
        if (!fs::exists(test::shared_dir() / "corpus")) {
            MESSAGE("skipped: ../shared/corpus is not there");
            return;
        }
        for (const std::string_view format : {"claude-code", "codex"}) {
            const ReaderSpec* spec = find_reader(format);
            REQUIRE(spec);
            for (const fs::path& file : files_of(test::shared_dir() / "corpus" / format)) {
                CAPTURE(file.string());
                const std::string text = test::slurp(file);
                CHECK(same(test::read_text(*spec, text), test::read_text(*spec, text, {}, false)));
            }
        }
    }
}
