#include "detectors/commands/shell_files.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using agent_audit::detectors::ShellFiles;

namespace {

std::string changed_by_lines(std::initializer_list<std::string_view> lines) {
    ShellFiles files;
    std::string out;
    for (const std::string_view line : lines) {
        for (const std::string& path : files.changed_by(line)) out += (out.empty() ? "" : " ") + path;
    }
    return out;
}

}  // namespace

TEST_SUITE("files that shell commands change") {
    TEST_CASE("what a command takes away or edits in place") {
        struct Line {
            std::string_view text, changed;
        };
        constexpr Line kCases[] = {
            {"rm docs/barn.md", "docs/barn.md"},
            {"rm -f -- docs/barn.md src/hen.ts 2>&1", "docs/barn.md src/hen.ts"},
            {"cd /farm && git rm -q docs/barn.md && git commit -m 'rm src/hen.ts'", "/farm/docs/barn.md"},
            {"cd docs; rm barn.md", "docs/barn.md"},
            {"sudo rm 'docs/the barn.md'", "docs/the barn.md"},
            {"mv docs/barn.md docs/old.md", "docs/barn.md"},
            {"sed -i s/a/b/ docs/barn.md", "docs/barn.md"},
            {"sed -i.bak -E 's/a/$b/' docs/barn.md src/hen.ts", "docs/barn.md src/hen.ts"},
            {"sed -i '' 's/a/b/' docs/barn.md", "docs/barn.md"},
            {"sed -i -e s/a/b/i -e s/c/d/ package.json", "package.json"},
            {"sed -ne 's/i/e/p' docs/barn.md", ""},
            {"perl -0pi -e 's/a/b/' docs/barn.md", "docs/barn.md"},
            {"perl -MList::Util -ne 'print' docs/barn.md", ""},
            {"bash -c 'rm docs/barn.md'", "docs/barn.md"},
            {"ls | xargs rm docs/barn.md", "docs/barn.md"},
        };
        for (const Line& line : kCases) {
            CAPTURE(line.text);
            CHECK(changed_by_lines({line.text}) == line.changed);
        }
    }

    TEST_CASE("what is not certain is left out") {
        for (const char* line : {"rm $FILE",
                                 "rm docs/*.md",
                                 "rm \"$DIR/barn.md\"",
                                 "cd /tmp/x && rm barn.md",
                                 "cd \"$DIR\" && rm barn.md",
                                 "cd .. && rm barn.md",
                                 "rm -rf build",
                                 "rm build/barn.ts",
                                 "rm /tmp/barn.md",
                                 "rm result.json",
                                 "rm run.log",
                                 "rm tmp_barn.py",
                                 "rm test_barn.py",
                                 "echo rm docs/barn.md",
                                 "cat > barn.py <<'EOF'\nrm docs/barn.md\nEOF\npython barn.py; rm barn.py",
                                 "git rm --cached docs/barn.md",
                                 "ssh farm rm docs/barn.md",
                                 "sed -n 1,5p docs/barn.md",
                                 "sed s/a/b/ docs/barn.md",
                                 "cp docs/barn.md docs/old.md",
                                 "git rm -n docs/barn.md",
                                 "mv docs/barn.md docs/barn.md.bak",
                                 "mv docs/barn.md /tmp/",
                                 "rm",
                                 "rm '",
                                 "sed -i",
                                 "mv"}) {
            CAPTURE(line);
            CHECK(changed_by_lines({line}).empty());
        }
    }

    TEST_CASE("what a command before made, or where it went, is known") {
        CHECK(changed_by_lines({"echo 'x = 1' > src/barn.py", "rm src/barn.py"}).empty());
        CHECK(changed_by_lines({"cd /tmp/work", "rm barn.md"}).empty());
        CHECK(changed_by_lines({"cd /tmp/work", "rm /farm/barn.md"}) == "/farm/barn.md");
        CHECK(changed_by_lines({"cd /tmp/work", "cd /farm", "rm barn.md"}) == "barn.md");
    }
}
