#include "support/sanitized.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

using agent_audit::test::Finished;
using agent_audit::test::has_program;
using agent_audit::test::holds;
using agent_audit::test::Scratch;

namespace {

// What bash offers after these words, the last of which is being typed.
std::string offered(const Scratch& scratch, const std::string& words) {
    const Finished done =
        scratch.run("source <(aa completions bash)\nCOMP_WORDS=(" + words +
                    ")\nCOMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))\n_agent_audit\necho \"${COMPREPLY[*]}\"");
    CHECK(done.err == "");
    std::string line = done.out;
    while (line.ends_with('\n')) line.pop_back();
    return " " + line + " ";
}

}  // namespace

TEST_SUITE("completions") {
    TEST_CASE("bash completes commands, flags, values and lists of values") {
        const Scratch scratch;
        CHECK(offered(scratch, "agent-audit sc") == " scan schema ");
        CHECK(offered(scratch, "agent-audit expl") == " explain ");
        CHECK(offered(scratch, "agent-audit scan --fail-") == " --fail-on ");
        CHECK(offered(scratch, "agent-audit scan --fail-on ''") == " error warning info never ");
        CHECK(offered(scratch, "agent-audit scan --fail-on = w") == " warning ");
        CHECK(offered(scratch, "agent-audit -f sar") == " sarif ");
        CHECK(offered(scratch, "agent-audit explain loop/exact-") == " loop/exact-repeat ");
        CHECK(offered(scratch, "agent-audit scan --select loop/cycle,loop/exact-") == " loop/cycle,loop/exact-repeat ");
        CHECK(offered(scratch, "agent-audit baseline cr") == " create ");
        CHECK(offered(scratch, "agent-audit completions z") == " zsh ");
        CHECK(holds(offered(scratch, "agent-audit replay --policy ''"), " strict "));
        CHECK(holds(offered(scratch, "agent-audit convert --to ''"), " events "));
    }

    TEST_CASE("bash offers no words where files are meant, so that it completes file names itself") {
        const Scratch scratch;
        CHECK(offered(scratch, "agent-audit scan cle") == "  ");
        CHECK(offered(scratch, "agent-audit cle") == "  ");
        CHECK(offered(scratch, "agent-audit scan -- --fail") == "  ");
        CHECK(offered(scratch, "agent-audit scan --prices pr") == "  ");
        const Finished asked = scratch.run("source <(aa completions bash)\ncomplete -p agent-audit");
        CHECK(holds(asked.out, "-o default"));
    }

    TEST_CASE("every value that is offered is one that the program takes") {
        const Scratch scratch;
        // One bash: for each command and each of its flags, each word (under the sanitizers each fifth) is given to the
        // program. A value it does not know is wrong usage, and the message says what was expected.
        const Finished done = scratch.run("each=" + std::to_string(agent_audit::test::is_sanitized() ? 5 : 1) + R"BASH(
source <(aa completions bash)
export AGENT_AUDIT_NO_PAGER=1
reply() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _agent_audit; }
offered=0
reply agent-audit ''
for command in "${COMPREPLY[@]}"; do
    [[ $command == help ]] && continue
    reply agent-audit "$command" -
    flags=("${COMPREPLY[@]}")
    help=$(aa "$command" --help)
    for flag in "${flags[@]}"; do
        [[ $flag == --?* ]] || continue
        # A switch offers the operands, of which no command has more than its first words.
        takes="$flag [A-Z]"
        [[ $help =~ $takes ]] || continue
        reply agent-audit "$command" "$flag" ''
        for word in "${COMPREPLY[@]:0:24}"; do
            offered=$((offered + 1))
            ((offered % each == 0)) || continue
            message=$(aa "$command" "$flag" "$word" ./nothing-there 2>&1 >/dev/null </dev/null)
            message=${message%%$'\n'*}
            case $message in *expected*"$word"*|*"$word"*expected*|*"unknown "*"$word"*|*"no such agent"*) echo "$command $flag $word: $message" ;; esac
        done
    done
done
echo "$offered offered"
)BASH");
        CHECK(done.err == "");
        std::istringstream lines(done.out);
        std::string line, last;
        std::vector<std::string> refused;
        while (std::getline(lines, line)) {
            if (!last.empty()) refused.push_back(last);
            last = line;
        }
        // checkpoint, reset and replay have formats that only one of their modes takes.
        std::erase_if(refused, [](const std::string& one) { return one.find(" --format ") != one.npos; });
        CAPTURE((refused.empty() ? std::string() : refused[0]));
        CHECK(refused.empty());
        CHECK(std::atoi(last.c_str()) > 200);
    }

    TEST_CASE("every flag of every help is in the scripts of all shells") {
        const Scratch scratch;
        const Finished done = scratch.run(R"BASH(
source <(aa completions bash)
zsh=$(aa completions zsh); fish=$(aa completions fish)
COMP_WORDS=(agent-audit ''); COMP_CWORD=1; _agent_audit
for command in "${COMPREPLY[@]}"; do
    [[ $command == help ]] && continue
    COMP_WORDS=(agent-audit "$command" -); COMP_CWORD=2; _agent_audit
    offered=" ${COMPREPLY[*]} "
    for flag in $(aa "$command" --help | sed -n '/^Options:/,$p' | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        echo flag
        [[ $offered == *" $flag "* ]] || echo "bash: $command $flag"
        [[ $zsh == *"'*$flag"[=[]* ]] || echo "zsh: $command $flag"
        [[ $fish == *"-l ${flag#--} "* ]] || echo "fish: $command $flag"
    done
done | sort | uniq -c
)BASH");
        CHECK(done.err == "");
        std::istringstream lines(done.out);
        int count = 0;
        std::string what;
        lines >> count >> what;
        CHECK(what == "flag");
        CHECK(count > 150);
        CHECK(!(lines >> what));
    }

    TEST_CASE("the scripts hold nothing that a shell could take for a command of its own") {
        const Scratch scratch;
        CHECK(scratch.run("bash -n <(aa completions bash)").status == 0);
        if (has_program("shellcheck")) {
            CHECK(scratch.run("aa completions bash > c.bash; shellcheck -s bash -e SC2207,SC2034 c.bash").out == "");
        } else {
            MESSAGE("skipped: no shellcheck here");
        }
        if (has_program("zsh")) {
            CHECK(scratch.run("aa completions zsh > _agent-audit; zsh -n _agent-audit").status == 0);
            // Loaded for real, and asked with the completion system's own words caught.
            const Finished loaded = scratch.run(
                "aa completions zsh > _agent-audit\n"
                "zsh -fc 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; whence -w _agent-audit; print "
                "${_comps[agent-audit]}'");
            CHECK(holds(loaded.out, "_agent-audit: function"));
            CHECK(loaded.err == "");
        } else {
            MESSAGE("skipped: no zsh here");
        }
        if (has_program("fish")) {
            CHECK(scratch.run("aa completions fish > c.fish; fish --no-execute c.fish").status == 0);
            const auto fish = [&](const std::string& line) {
                return scratch
                    .run("aa completions fish > c.fish; fish -N -c 'source c.fish; complete -C \"" + line + "\"'")
                    .out;
            };
            CHECK(holds(fish("agent-audit sc"), "scan\t"));
            CHECK(holds(fish("agent-audit scan --fail-on "), "warning"));
            CHECK(holds(fish("agent-audit scan --select loop/cycle,loop/exact-"), "loop/cycle,loop/exact-repeat"));
            CHECK(holds(fish("agent-audit explain loop/exact-"), "loop/exact-repeat"));
            CHECK(!holds(fish("agent-audit explain --fail"), "--fail-on"));
            CHECK(holds(fish("agent-audit --fail"), "--fail-on"));
        } else {
            MESSAGE("skipped: no fish here");
        }
    }

    TEST_CASE("a shell that is not known is wrong usage with the nearest one") {
        const Scratch scratch;
        for (const char* line : {"aa completions", "aa completions bash zsh", "aa completions zhs"}) {
            CAPTURE(line);
            CHECK(scratch.status(line) == 2);
        }
        CHECK(holds(scratch.run("aa completions zhs").err, "did you mean zsh?"));
        CHECK(scratch.run("aa completion bash").out == scratch.run("aa completions bash").out);
    }
}
