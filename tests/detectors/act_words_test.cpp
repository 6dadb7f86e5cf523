// The telling words of a text: taken apart in bulk where that can be done, and always as a reader would who looks at
// one character after the other.
#include "detectors/words/act_words.hpp"
#include "detectors/words/act_words_levels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::vector<std::uint32_t> words_of(std::string_view text, TextForm form = TextForm::plain) {
    ActWords words;
    add_words({text, form}, text.size(), words);
    return {words.all().begin(), words.all().end()};
}

std::vector<std::uint32_t> hashes(std::initializer_list<std::string_view> words) {
    std::vector<std::uint32_t> out;
    for (const std::string_view word : words) out.push_back(act_word(word));
    return out;
}

// A plain reader of plain text: letters make words, capitals after small letters begin one, three digits spoil one.
std::vector<std::string> read_slowly(const std::string& text, bool escaped) {
    std::vector<std::string> words;
    std::string word;
    int digits = 0;
    bool small = false;
    const auto end = [&] {
        if (word.size() >= 3 && digits < 3) words.push_back(word.substr(0, 6));
        word.clear();
        digits = 0;
        small = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c >= 'a' && c <= 'z') {
            word += c;
            small = true;
        } else if (c >= 'A' && c <= 'Z') {
            if (small) end();
            word += static_cast<char>(c | 0x20);
            small = false;
        } else if (c >= '0' && c <= '9') {
            ++digits;
            small = false;
        } else {
            end();
            if (escaped && c == '\\') ++i;
        }
    }
    end();
    return words;
}

}  // namespace

TEST_CASE("names are taken apart at capitals and underscores, and words are near when their beginnings are") {
    CHECK(words_of("resetPassword reset_password") == hashes({"reset", "passwo"}));
    CHECK(words_of("tokenizer TOKENIZE") == hashes({"tokeni"}));
    CHECK(words_of("HTTPServer") == hashes({"httpse"}));
}

TEST_CASE("short words, numbers, identifiers and what any task says are no telling words") {
    CHECK(words_of("a be 12 3456 the file a1b2c3d4 search").empty());
    CHECK(words_of("utf8 sha256") == hashes({"utf"}));
}

TEST_CASE("an escaped line break parts words, and its letter belongs to none of them") {
    CHECK(words_of(R"(kiln\nready)", TextForm::json_string) == hashes({"kiln", "ready"}));
    CHECK(words_of(R"(kiln\nready)") == hashes({"kiln", "nready"}));
    CHECK(words_of(R"(kiln\\nready)", TextForm::json_string) == hashes({"kiln", "nready"}));
}

TEST_CASE("letters with marks and Chinese characters count whether they are escaped or not") {
    CHECK(words_of("caf\xC3\xA9 kiln") == words_of(R"(caf\u00e9 kiln)", TextForm::json_string));
    CHECK(words_of("修改代码").size() == 3);
    CHECK(words_of("修改代码") == words_of(R"(\u4fee\u6539\u4ee3\u7801)", TextForm::json_string));
}

TEST_CASE("dashes and quotation marks part words as commas do, and broken UTF-8 swallows no letters") {
    CHECK(words_of("kiln\xE2\x80\x94glaze \xE2\x80\x9Cshelf\xE2\x80\x9D") == hashes({"kiln", "glaze", "shelf"}));
    CHECK(words_of("kiln\xE2shelf") == hashes({"kiln", "shelf"}));
    CHECK(words_of("kiln\xC3shelf") == hashes({"kiln", "shelf"}));
}

TEST_CASE("any text gives the words that a slow reader finds, however wide the machine reads") {
    std::mt19937 random(20261121);
    const std::string letters = "abcdefgABCDxyzXYZ0123 _-./\\\\nnuu\"";
    for (int round = 0; round < 20'000; ++round) {
        const bool escaped = round % 2 == 1;
        // In every fifth text words are longer than what is looked at in one go.
        const std::size_t of = round % 5 == 0 ? letters.find(' ') : letters.size();
        std::string text(random() % 330, ' ');
        for (char& c : text) c = letters[random() % of];
        for (const std::string_view common : {" search ", " the ", "\nfile\n"}) {
            if (text.size() > 20) text.replace(random() % (text.size() - 10), common.size(), common);
        }
        // Numbered characters are another test's matter.
        if (escaped) {
            for (std::size_t at = text.find("\\u"); at != text.npos; at = text.find("\\u", at)) text[at + 1] = 'n';
        }
        std::vector<std::uint32_t> expected;
        for (const std::string& word : read_slowly(text, escaped)) {
            if (words_of(word).empty()) continue;  // what any task says
            const std::uint32_t hash = act_word(word);
            if (expected.size() < ActWords::kMost && std::ranges::find(expected, hash) == expected.end())
                expected.push_back(hash);
        }
        INFO(text);
        for (const SimdLevel level : simd_levels()) {
            ActWords words;
            add_words_at(level, {text, escaped ? TextForm::json_string : TextForm::plain}, text.size(), words);
            REQUIRE(std::vector(words.all().begin(), words.all().end()) == expected);
        }
    }
}

TEST_CASE("a text of several scripts gives the words that its parts give, wherever they stand") {
    const std::vector<std::string> parts = {"kiln",
                                            "naïve",
                                            "déjà",
                                            "修改代码",
                                            "resetPassword",
                                            "sha256",
                                            "x1修复y",
                                            "проверка",
                                            "-",
                                            "glaze_shelf",
                                            R"(\u00e9t\u00e9)",
                                            R"(\u4fee\u6539)",
                                            R"(\n修)",
                                            R"(\\u)",
                                            "→",
                                            "a",
                                            "über-long_word_of_letters",
                                            "🚀"};
    std::mt19937 random(20261124);
    for (int round = 0; round < 4'000; ++round) {
        const TextForm form = round % 2 == 1 ? TextForm::json_string : TextForm::plain;
        // In every third text few parts are foreign.
        std::string text;
        std::vector<std::uint32_t> expected;
        for (std::size_t n = random() % 60; n > 0; --n) {
            const std::string& part =
                round % 3 == 0 && random() % 8 != 0 ? parts[4 * (random() % 2)] : parts[random() % parts.size()];
            text += part + (random() % 9 == 0 ? "  " : " ");
            for (const std::uint32_t word : words_of(part, form)) {
                if (expected.size() < ActWords::kMost && std::ranges::find(expected, word) == expected.end())
                    expected.push_back(word);
            }
        }
        INFO(text);
        for (const SimdLevel level : simd_levels()) {
            ActWords words;
            add_words_at(level, {text, form}, text.size(), words);
            REQUIRE(std::ranges::equal(words.all(), expected));
        }
    }
}
