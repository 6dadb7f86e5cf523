#include "detectors/commands/shell_line.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit::detectors;

namespace {

std::string commands(std::string_view line) {
    std::string out;
    for (const ShellCommand& command : shell_commands(line)) (out += out.empty() ? "" : " | ") += command.text;
    return out;
}

}  // namespace

TEST_SUITE("commands of a shell line") {
    TEST_CASE("what separates them") {
        CHECK(commands("git status") == "git status");
        CHECK(commands("a; b && c || d | e & f\ng") == "a | b | c | d | e | f | g");
        CHECK(commands("make 2>&1 | tail -5") == "make 2>&1 | tail -5");
        CHECK(commands("make &> log; make >& log; make >| log") == "make &> log | make >& log | make >| log");
        CHECK(commands("make \\\n  all") == "make \\\n  all");
        CHECK(commands("  ") == "");
        CHECK(commands("") == "");
    }

    TEST_CASE("what is quoted or a comment is none") {
        CHECK(commands("git commit -m \"fix; done && rm x\"") == "git commit -m \"fix; done && rm x\"");
        CHECK(commands("git commit -m 'a & b\nrm c'; ls") == "git commit -m 'a & b\nrm c' | ls");
        CHECK(commands("echo \"say \\\"a; b\\\"\"; ls") == "echo \"say \\\"a; b\\\"\" | ls");
        CHECK(commands("ls # then; rm x\npwd") == "ls | pwd");
        CHECK(commands("echo a#b; echo $#") == "echo a#b | echo $#");
        CHECK(commands("echo it's; rm x") == "echo it's; rm x");
    }

    TEST_CASE("here-documents are text, and the line they begin on goes on") {
        CHECK(commands("cat <<EOF > f; ls\nrm x; rm y\nEOF\npwd") == "cat <<EOF > f | ls | pwd");
        CHECK(commands("cat <<-'END' | sort\nrm x\n\tEND\npwd") == "cat <<-'END' | sort | pwd");
        CHECK(commands("grep x <<< 'a; b'; ls") == "grep x <<< 'a; b' | ls");
        CHECK(commands("git commit -m \"$(cat <<'EOF'\nsay \"no\"; rm x\n\nIt's (all).\nEOF\n)\" && git push") ==
              "cat <<'EOF' | git commit -m \"$(cat <<'EOF'\nsay \"no\"; rm x\n\nIt's (all).\nEOF\n)\" | git push");
    }

    TEST_CASE("what is substituted runs, and so does what a shell is told") {
        CHECK(commands("git show $(git rev-parse HEAD)") == "git rev-parse HEAD | git show $(git rev-parse HEAD)");
        CHECK(commands("echo \"$(rm x) of $((1 + 2))\"") == "rm x | echo \"$(rm x) of $((1 + 2))\"");
        CHECK(commands("diff <(sort a) `which b`") == "sort a | which b | diff <(sort a) `which b`");
        CHECK(commands("bash -lc 'cd a && rm b'") == "cd a | rm b | bash -lc 'cd a && rm b'");
        CHECK(commands("python -c 'import os; os.remove(1)'") == "python -c 'import os; os.remove(1)'");
    }

    TEST_CASE("what only leads to a command is left out") {
        CHECK(commands("(cd a; git status) && { ls; }") == "cd a | git status | ls");
        CHECK(commands("A=1 B=\"x y\" git log") == "git log");
        CHECK(commands("A=1; B=$(date)") == "date");
        CHECK(commands("sudo -u root git gc; time -p make; env -i A=b make; ! test -f a") ==
              "git gc | make | make | test -f a");
        CHECK(commands("for f in *.c; do cc $f; done; if [ -f a ]; then cat a; else ls; fi") ==
              "cc $f | [ -f a ] | cat a | ls");
        CHECK(commands("while true; do make; done") == "true | make");
    }

    TEST_CASE("and can be asked for") {
        const auto found = shell_commands("cd a && A=1 sudo -u b make all");
        REQUIRE(found.size() == 2);
        CHECK(found[1].text == "make all");
        CHECK(found[1].whole == "A=1 sudo -u b make all");
    }

    TEST_CASE("hostile lines end") {
        std::string deep, many;
        for (int i = 0; i < 2'000; ++i) {
            deep += "$(\"";
            many += "a;";
        }
        CHECK(shell_commands(deep).size() <= 256);
        CHECK(shell_commands(many).size() == 256);
        for (const std::string_view odd :
             {"$(", "`", "<<", "<<'", "\\", "((", "))", "a <<\n", "\"$(", "for", "A=", "A=\"", "sudo -u", "&", "$(( 1"})
            shell_commands(odd);
    }

    TEST_CASE("quotes are hidden, nothing else") {
        CHECK(with_quotes_hidden("a 'b; c' \"d\\\"e\" f") == "a '____' \"____\" f");
        CHECK(with_quotes_hidden("a \\' b '") == "a \\' b '");
        CHECK(with_quotes_hidden("a '\\'; b") == "a '_'; b");
    }

    TEST_CASE("first words are whole words") {
        CHECK(begins_with_words("git log", "git"));
        CHECK(begins_with_words("git", "git"));
        CHECK(begins_with_words("git>log", "git"));
        CHECK_FALSE(begins_with_words("gitleaks detect", "git"));
        CHECK_FALSE(begins_with_words("npm run tests", "npm run test"));
    }
}
