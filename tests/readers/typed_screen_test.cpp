#include "readers/atif/typed_screen.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

using agent_audit::RawText;
using agent_audit::TextForm;
using agent_audit::readers::TypedScreen;

namespace {

using Parts = std::vector<std::string>;

Parts parts_of(std::string_view screen, std::initializer_list<std::string_view> keys,
               TextForm form = TextForm::json_string) {
    TypedScreen terminal;
    for (const std::string_view k : keys) terminal.typed({k, form});
    Parts parts;
    if (!terminal.cut({screen, form})) return parts;
    for (std::size_t i = 0; i < keys.size(); ++i) parts.emplace_back(terminal.part(i).bytes);
    return parts;
}

}  // namespace

TEST_SUITE("typed screen") {
    TEST_CASE(
        "each line typed has what was printed behind its echo, the first what stood before, the last the prompt") {
        CHECK(parts_of(R"(New Output:\n\nada@box:/app# mend a\nada@box:/app# check\n1 failed\nada@box:/app# )",
                       {R"(mend a\n)", R"(check\n)"}) ==
              Parts{R"(New Output:\n\nada@box:/app# mend a)", R"(ada@box:/app# check\n1 failed\nada@box:/app# )"});
        CHECK(parts_of("$ mend a\n$ check\n1 failed\n$ ", {"mend a\n", "check\n"}, TextForm::plain) ==
              Parts{"$ mend a", "$ check\n1 failed\n$ "});
    }

    TEST_CASE("an echo stands at a prompt and is the whole line, wherever else its words stand") {
        CHECK(parts_of(R"(ls@ls:/ls# cat notes\nls\n# not ls\n$ ls -la\nls@ls:/ls# ls\na b)",
                       {R"(cat notes\n)", R"(ls\n)"}) ==
              Parts{R"(ls@ls:/ls# cat notes\nls\n# not ls\n$ ls -la)", R"(ls@ls:/ls# ls\na b)"});
    }

    TEST_CASE("a backslash before an n ends no line when it is escaped itself") {
        CHECK(parts_of(R"($ printf 'a\\n'\na\n$ ls\nb)", {R"(printf 'a\\n'\n)", R"(ls\n)"}) ==
              Parts{R"($ printf 'a\\n'\na)", R"($ ls\nb)"});
    }

    TEST_CASE("of texts in several lines the first is enough, and of long lines what surely stands in one") {
        CHECK(parts_of(R"($ cat > a <<E\n> one\n> E\n$ ls\nb)", {R"(cat > a <<E\none\nE\n)", R"(ls\n)"}) ==
              Parts{R"($ cat > a <<E\n> one\n> E)", R"($ ls\nb)"});
        const std::string word(50, 'w'), line = "ls " + word + " " + word;
        CHECK(parts_of("$ " + line.substr(0, 80) + "\\n" + line.substr(80) + "\\n$ id\\nada",
                       {line + "\\n", R"(id\n)"}) ==
              Parts{"$ " + line.substr(0, 80) + "\\n" + line.substr(80), R"($ id\nada)"});
    }

    TEST_CASE("where one echo is missing nothing is cut") {
        CHECK(parts_of(R"($ ls\nb\n$ )", {R"(ls\n)", R"(id\n)"}).empty());
        CHECK(parts_of(R"($ id\n$ ls\n$ )", {R"(ls\n)", R"(id\n)"}).empty());
        CHECK(parts_of(R"($ ls\nq)", {R"(ls\n)", "q"}).empty());
        CHECK(parts_of(R"(Sure? y\n$ ls)", {R"(y\n)", R"(ls\n)"}).empty());
        CHECK(parts_of("", {R"(ls\n)"}).empty());
        CHECK(parts_of(R"($ ls)", {}).empty());
    }
}
