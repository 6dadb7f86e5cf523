#include "config/toml_tree.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace agent_audit;

namespace {

std::string problem_of(std::string_view text) {
    const auto parsed = parse_toml(text, "a.toml");
    return parsed ? std::string() : parsed.error().message;
}

// What a strict reading of one value says.
template <class Read>
std::string complaint(std::string_view text, Read read) {
    const auto root = parse_toml(text, "a.toml");
    REQUIRE(root.has_value());
    TomlReader reader("a.toml");
    CHECK_FALSE(read(reader, *root));
    return reader.problem() ? reader.problem()->message : "";
}

}  // namespace

TEST_SUITE("toml") {
    TEST_CASE("entries keep the order and the lines of the file") {
        const auto root = parse_toml("z = 1\n\n[b]\ny = 'two'\nx = [1, 'a']\n[[c]]\n[[c]]\nk = true\n", "a.toml");
        REQUIRE(root.has_value());
        REQUIRE(root->entries.size() == 3);
        CHECK(root->entries[0].key == "z");
        CHECK(root->entries[1].line == 3);
        const auto& b = std::get<TomlTable>(root->entries[1].value.data);
        CHECK(b.entries[0].key == "y");
        CHECK(b.entries[0].line == 4);
        CHECK(b.entries[1].key == "x");
        TomlReader reader("a.toml");
        const auto c = reader.tables(*root, "c");
        REQUIRE(c.size() == 2);
        CHECK(c[1]->line == 7);
        CHECK(reader.flag(std::get<TomlTable>(c[1]->data), "k") == true);
        CHECK(reader.origin(c[1]->line) == "a.toml:7");
        CHECK_FALSE(reader.problem());
    }

    TEST_CASE("values of every type are read as what they are") {
        const auto root = parse_toml(
            "a = 2_000_000\nb = 0.5\nc = 3\nd = ['x', 'y']\ne = 'x'\nf = 2027-01-31\ng = '2027-02-01'\n", "a.toml");
        REQUIRE(root.has_value());
        TomlReader reader("a.toml");
        CHECK(reader.whole(*root, "a", 0, 10'000'000) == 2'000'000);
        CHECK(reader.number(*root, "b", 0, 1) == 0.5);
        CHECK(reader.number(*root, "c", 0, 10) == 3.0);
        CHECK(reader.texts(*root, "d") == std::vector<std::string>{"x", "y"});
        CHECK(reader.texts(*root, "e") == std::vector<std::string>{"x"});
        CHECK(reader.date(*root, "f")->day == 31);
        CHECK(reader.date(*root, "g")->month == 2);
        CHECK_FALSE(reader.text(*root, "absent"));
        CHECK_FALSE(reader.problem());
    }

    TEST_CASE("a wrong type names the line, the key and what was expected") {
        using R = TomlReader&;
        using T = const TomlTable&;
        CHECK(complaint("\nn = 'x'", [](R r, T t) { return r.whole(t, "n", 1, 5).has_value(); }) ==
              "a.toml:2: n: expected a whole number from 1 to 5");
        CHECK(complaint("n = 1.5", [](R r, T t) { return r.whole(t, "n", 1, 5).has_value(); }) ==
              "a.toml:1: n: expected a whole number from 1 to 5");
        CHECK(complaint("n = 6", [](R r, T t) { return r.whole(t, "n", 1, 5).has_value(); }).find("a.toml:1: n:") == 0);
        CHECK(complaint("n = nan", [](R r, T t) { return r.number(t, "n", 0, 1).has_value(); }) ==
              "a.toml:1: n: expected a number from 0 to 1");
        CHECK(complaint("n = 1", [](R r, T t) { return r.text(t, "n").has_value(); }) ==
              "a.toml:1: n: expected a text");
        CHECK(complaint("n = 1", [](R r, T t) { return r.flag(t, "n").has_value(); }) ==
              "a.toml:1: n: expected true or false");
        CHECK(complaint("n = ['x', 1]", [](R r, T t) { return r.texts(t, "n").has_value(); }) ==
              "a.toml:1: n: expected a text or a list of texts");
        CHECK(complaint("n = '2027-02-31'", [](R r, T t) { return r.date(t, "n").has_value(); }) ==
              "a.toml:1: n: expected a date such as 2027-01-31");
        CHECK(complaint("n = 1", [](R r, T t) { return r.table(t, "n") != nullptr; }) ==
              "a.toml:1: n: expected a table: [n]");
        CHECK(complaint("[n]", [](R r, T t) { return !r.tables(t, "n").empty(); }) ==
              "a.toml:1: n: expected a list of tables: [[n]]");
    }

    TEST_CASE("a word outside the list names the list and the nearest word") {
        constexpr std::array<std::string_view, 2> kLevels{"error", "warning"};
        CHECK(complaint("n = 'eror'", [&](TomlReader& r, const TomlTable& t) {
                  return r.word(t, "n", kLevels).has_value();
              }) == "a.toml:1: n: expected one of error, warning; did you mean error?");
    }

    TEST_CASE("an unknown key names its line and the nearest known key") {
        const auto root = parse_toml("ok = 1\n\nreapeats = 2\n", "a.toml");
        REQUIRE(root.has_value());
        TomlReader reader("a.toml");
        reader.only(*root, "key of [x]", std::array<std::string_view, 2>{"ok", "repeats"});
        REQUIRE(reader.problem());
        CHECK(reader.problem()->message == "a.toml:3: unknown key of [x] \"reapeats\"; did you mean \"repeats\"?");
    }

    TEST_CASE("of several problems the first of the file is told, whatever was asked first") {
        const auto root = parse_toml("a = 1\nb = 2\n", "a.toml");
        REQUIRE(root.has_value());
        TomlReader reader("a.toml");
        CHECK_FALSE(reader.text(*root, "b"));
        CHECK_FALSE(reader.text(*root, "a"));
        CHECK(reader.problem()->message == "a.toml:1: a: expected a text");
    }

    TEST_CASE("what is no TOML names the line") {
        CHECK(problem_of("a = 1\nb = \n").find("a.toml:2: ") == 0);
        CHECK(problem_of("a = 1\na = 2\n").find("a.toml:2: ") == 0);
        CHECK(problem_of("a = 1\nb = never\n").find("texts need quotes") != std::string::npos);
        CHECK(problem_of("b = never").find("texts need quotes") != std::string::npos);
        CHECK(problem_of("b = [loop]").find("texts need quotes") != std::string::npos);
        CHECK(problem_of("b\xff = never").find("settings are text in UTF-8") != std::string::npos);
        CHECK(problem_of("b = [0x]").find("quotes") == std::string::npos);
        CHECK(problem_of("b = \"\\d+\"").find("in 'single quotes' a backslash") != std::string::npos);
        CHECK(problem_of("b = \"word\nc = 1\n").find("is the closing quote missing?") != std::string::npos);
        CHECK(problem_of("a = 1\nb = 0x\n").find("quotes") == std::string::npos);
        CHECK(problem_of("a = 1\n[rules.loop/cycle]\n").find("a name with a / needs quotes") != std::string::npos);
        CHECK(problem_of("[rules.\"loop/cycle\"]\nb = 0x\n").find("quotes") == std::string::npos);
    }

    TEST_CASE("depth is refused before it costs stack, dots in texts are not depth") {
        std::string keys = "a", brackets(100'000, '[');
        for (int i = 0; i < 100'000; ++i) keys += ".a";
        CHECK(problem_of("x = 1\n" + keys + " = 1\n") == "a.toml:2: nested too deeply");
        CHECK(problem_of("[" + keys + "]\n") == "a.toml:1: nested too deeply");
        CHECK(problem_of("x = " + brackets) == "a.toml:1: nested too deeply");
        CHECK(problem_of("x = \"" + std::string(1000, '.') + "\"\ny = '''\n" + std::string(1000, '[') +
                         "'''  # ....................\n") == "");
    }
}
