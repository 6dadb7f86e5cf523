#include "support/places.hpp"
#include "support/schema_validator.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>

using agent_audit::test::Finished;
using agent_audit::test::has_program;
using agent_audit::test::holds;
using agent_audit::test::Scratch;

TEST_SUITE("help") {
    TEST_CASE("every command begins its help with examples, and suggests the flag and the word that were meant") {
        const Scratch scratch;
        // The commands as the help of the program lists them.
        const Finished done = scratch.run(R"BASH(
commands=$(aa --help | sed -n '/^Commands:/,/^$/p' | awk '/^  [a-z]/ { print $1 }')
for command in $commands; do
    echo command
    [[ $(aa "$command" --help | head -1) == Examples: ]] || echo "$command: no examples first"
    aa "$command" --help | grep -q "^  .*agent-audit" || echo "$command: no example"
    said=$(aa "$command" --hepl 2>&1 >/dev/null); [[ $? == 2 || $command == hook ]] || echo "$command: not wrong usage"
    [[ $said == *'did you mean --help?'* ]] || echo "$command: no suggestion"
    said=$(aa "${command}e" 2>&1 >/dev/null); [[ $said == *"did you mean $command?"* ]] || echo "$command: not suggested for ${command}e"
done | sort | uniq -c
)BASH");
        CHECK(done.err == "");
        CAPTURE(done.out);
        CHECK(holds(done.out, " command\n"));
        CHECK(std::ranges::count(done.out, '\n') == 1);
    }

    TEST_CASE("a verb that does not exist suggests one that does") {
        const Scratch scratch;
        CHECK(holds(scratch.run("aa baseline craete x").err, "did you mean create?"));
        CHECK(holds(scratch.run("aa config shwo").err, "did you mean show?"));
        CHECK(holds(scratch.run("aa policy lits").err, "did you mean list?"));
        CHECK(holds(scratch.run("aa checkpoint shwo --checkpoint-dir x").err, "did you mean show?"));
    }
}

TEST_SUITE("words of other programs") {
    TEST_CASE("help and version behind a command are answered with the flag, unless there is such a file") {
        const Scratch scratch;
        CHECK(holds(scratch.run("aa scan help").err, "there is no file 'help'; did you mean --help?"));
        CHECK(holds(scratch.run("aa replay version").err, "did you mean --version?"));
        CHECK(scratch.status("aa watch help") == 2);
        CHECK(scratch.status("cp clean.jsonl help; aa scan -q help") == 0);
    }

    TEST_CASE("a flag or a command that is called something else here is answered with our word") {
        const Scratch scratch;
        CHECK(holds(scratch.run("aa --json clean.jsonl").err, "unknown flag '--json'; did you mean -f json?"));
        CHECK(holds(scratch.run("aa --no-color clean.jsonl").err, "did you mean --color never?"));
        CHECK(holds(scratch.run("aa --threads=4 clean.jsonl").err, "did you mean --jobs?"));
        CHECK(holds(scratch.run("aa version").err, "did you mean --version?"));
        CHECK(holds(scratch.run("aa check clean.jsonl").err, "did you mean scan?"));
        CHECK(holds(scratch.run("aa init").err, "config init"));
        CHECK(scratch.run("aa --json clean.jsonl").status == 2);
        CHECK(holds(scratch.run("aa --sarif clean.jsonl").err, "unknown flag '--sarif'; did you mean -f sarif?"));
        // Only formats that the command has are offered.
        CHECK(holds(scratch.run("aa replay --csv clean.jsonl").err, "unknown flag '--csv'; did you mean --format?"));
        CHECK(holds(scratch.run("aa convert -f chat clean.jsonl").err, "unknown flag '-f'; did you mean --to?"));
        CHECK(holds(scratch.run("aa convert --format chat clean.jsonl").err, "did you mean --to?"));
        CHECK(holds(scratch.run("aa replay --policy strict --fail-on warning clean.jsonl").err,
                    "did you mean fail-on in a file for --policy?"));
        CHECK(holds(scratch.run("aa discover --fail-on warning").err, "(a flag of scan, watch, report, diff)"));
        CHECK(holds(scratch.run("aa policy compare a b").err, "expected list, show, check, init or diff"));
        CHECK(holds(scratch.run("aa --policy openclaw clean.jsonl").err,
                    "expected one of balanced, strict, permissive (agent-audit replay takes others, and files)"));
        // A command without that flag has nothing to offer for it.
        CHECK(!holds(scratch.run("aa rules --threads 2").err, "--jobs"));
    }
}

TEST_SUITE("pager") {
    TEST_CASE("a long text goes through the pager at a terminal, and nowhere else") {
        const Scratch scratch;
        const std::string pager = "export PAGER='sed s/^/PAGED/'; ";
        CHECK(holds(scratch.run_at_terminal(pager + "aa explain loop/cycle").out, "PAGED# loop/cycle"));
        CHECK(holds(scratch.run_at_terminal(pager + "aa --help").out, "PAGEDagent-audit finds"));
        CHECK(holds(scratch.run_at_terminal(pager + "aa rules").out, "PAGED"));
        CHECK(!holds(scratch.run(pager + "aa explain loop/cycle").out, "PAGED"));
        CHECK(!holds(scratch.run_at_terminal(pager + "aa explain loop/cycle | cat").out, "PAGED"));
        CHECK(!holds(scratch.run_at_terminal(pager + "aa explain loop/cycle --no-pager").out, "PAGED"));
        CHECK(!holds(scratch.run_at_terminal(pager + "AGENT_AUDIT_NO_PAGER=1 aa explain loop/cycle").out, "PAGED"));
        CHECK(!holds(scratch.run_at_terminal(pager + "TERM=dumb aa explain loop/cycle").out, "PAGED"));
        CHECK(!holds(scratch.run_at_terminal(pager + "aa -q exact-repeat.jsonl").out, "PAGED"));
        CHECK(!holds(scratch.run_at_terminal(pager + "aa rules -f json").out, "PAGED"));
    }

    TEST_CASE("a page is filled to the width of a terminal, and is untouched Markdown in a pipe") {
        const Scratch scratch;
        const Finished shown = scratch.run_at_terminal(
            "PAGER= aa explain loop/exact-repeat | cat >/dev/null; PAGER= aa explain loop/exact-repeat", 60);
        std::istringstream lines(shown.out);
        std::size_t wide = 0;
        bool code = false;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("```")) code = !code;
            if (!code && !line.starts_with("|")) wide += line.size() > 62;
        }
        CHECK(wide == 0);
        CHECK(holds(shown.out, "## What it finds\n"));
        CHECK(holds(shown.out, "\n| Name | Default | Range | |\n"));
        const std::string page = agent_audit::test::slurp(agent_audit::test::project_folder() +
                                                          "/docs/reference/rules/loop-exact-repeat.md");
        CHECK(page.ends_with(scratch.run("aa explain loop/exact-repeat").out));
    }

    TEST_CASE("a pager that is missing, is left early or fails costs nothing") {
        const Scratch scratch;
        const Finished missing = scratch.run_at_terminal("export PAGER=/no/such/pager; aa explain loop/cycle");
        CHECK(missing.status == 0);
        CHECK(holds(missing.out, "# loop/cycle"));
        const Finished none = scratch.run_at_terminal("export PATH=/nonexistent; unset PAGER; aa explain loop/cycle");
        CHECK(none.status == 0);
        CHECK(holds(none.out, "# loop/cycle"));
        CHECK(holds(scratch.run_at_terminal("PAGER=cat aa explain loop/cycle").out, "# loop/cycle"));
        CHECK(holds(scratch.run_at_terminal("PAGER= aa explain loop/cycle").out, "# loop/cycle"));
        const Finished left = scratch.run_at_terminal("export PAGER='head -1'; aa scan --help; echo code $?");
        CHECK(left.out == "Examples:\ncode 0\n");
        CHECK(holds(scratch.run_at_terminal("PAGER='cat >/dev/null; exit 3' aa --help; echo code $?").out, "code 0\n"));
    }
}

TEST_SUITE("files that are not there") {
    TEST_CASE("a file that is not there is named in one form, whoever asked for it") {
        const Scratch scratch;
        for (const char* line :
             {"aa gone.jsonl clean.jsonl", "aa --config gone.jsonl clean.jsonl", "aa --baseline gone.jsonl clean.jsonl",
              "aa --prices gone.jsonl clean.jsonl", "aa --files-from gone.jsonl", "aa diff gone.jsonl clean.jsonl",
              "aa report gone.jsonl", "aa --word-vectors gone.jsonl clean.jsonl", "aa replay gone.jsonl",
              "aa replay --policy strict gone.jsonl", "aa convert --to chat gone.jsonl"}) {
            CAPTURE(line);
            const Finished done = scratch.run(line);
            CHECK(done.status >= 2);
            CAPTURE(done.err);
            CHECK(holds(done.err, "cannot open 'gone.jsonl': no such file or directory"));
        }
    }
}

TEST_SUITE("widths") {
    TEST_CASE("nothing that people read is wider than a terminal of 80 columns") {
        const Scratch scratch;
        for (const char* line : {"aa", "aa --version", "aa --help | cat"}) {
            CAPTURE(line);
            std::istringstream said(scratch.run_at_terminal(line).out);
            for (std::string one; std::getline(said, one);) CHECK(one.size() <= 80);
        }
        const Finished narrow = scratch.run("COLUMNS=40 aa replay --policy all exact-repeat.jsonl");
        CHECK(holds(narrow.out, "  permissive "));
        std::istringstream said(narrow.out);
        for (std::string one; std::getline(said, one);) CHECK(one.size() <= 40);
    }
}

TEST_SUITE("lists of inputs") {
    TEST_CASE("a list is read as if its lines had been typed, with -0 as NUL-separated names") {
        const Scratch scratch;
        const std::string typed = scratch.run("aa -f compact clean.jsonl exact-repeat.jsonl").out;
        CHECK(holds(typed, "exact-repeat"));
        for (const char* line :
             {"printf 'clean.jsonl\\nexact-repeat.jsonl\\n' > l; aa -f compact --files-from l",
              "printf 'clean.jsonl\\r\\n\\r\\nexact-repeat.jsonl' | aa -f compact --files-from -",
              "printf 'clean.jsonl\\0exact-repeat.jsonl\\0' | aa -f compact --files-from - -0",
              "echo exact-repeat.jsonl > l; aa -f compact clean.jsonl --files-from=l",
              "mkdir d; cp clean.jsonl exact-repeat.jsonl d; cd d; echo . > ../l; aa -f compact --files-from ../l"}) {
            CAPTURE(line);
            CHECK(scratch.run(line).out == typed);
        }
        CHECK(scratch.status("printf 'exact-repeat.jsonl\\n' | aa -q --files-from -") == 1);
    }

    TEST_CASE("names in a list mean themselves: blanks, brackets and dashes are no patterns and no flags") {
        const Scratch scratch;
        const Finished done = scratch.run(
            "cp exact-repeat.jsonl ./-; cp clean.jsonl '[a] b*.jsonl'; printf -- '-\\n[a] b*.jsonl\\n' > l; aa -f json "
            "--files-from l");
        CHECK(done.status == 1);
        CHECK(nlohmann::json::parse(done.out)["sessions"].size() == 2);
        const Finished odd =
            scratch.run("cp exact-repeat.jsonl $'x\\ny.jsonl'; printf 'x\\ny.jsonl\\0' | aa -q --files-from - --null");
        CHECK(odd.status == 1);
    }

    TEST_CASE("a name that leads nowhere is named with its list and line, and hides nothing of the others") {
        const Scratch scratch;
        const Finished done = scratch.run(
            "printf 'clean.jsonl\\nmissing.jsonl\\nexact-repeat.jsonl\\n' > l; aa -f compact --files-from l");
        CHECK(done.status == 1);
        CHECK(holds(done.err, "l:2: cannot open 'missing.jsonl': no such file or directory"));
        CHECK(holds(done.out, "exact-repeat"));
        CHECK(scratch.status("printf 'clean.jsonl\\nmissing.jsonl\\n' > l; aa -q --files-from l") == 3);
        CHECK(holds(scratch.run("echo nothing > x.txt; printf 'clean.jsonl\\nx.txt\\n' > l; aa -q --files-from l").err,
                    "(named in l:2)"));
        CHECK(holds(scratch.run("printf 'clean.jsonl\\0x' | aa -q --files-from -").err, "-0 reads names"));
        const Finished list = scratch.run("aa -q --files-from missing.txt clean.jsonl");
        CHECK(list.status == 3);
        CHECK(holds(list.err, "missing.txt"));
        CHECK(holds(list.out, "clean"));
    }

    TEST_CASE("an empty list reads nothing, and certainly not standard input") {
        const Scratch scratch;
        const Finished done = scratch.run("aa -q --files-from /dev/null < exact-repeat.jsonl");
        CHECK(done.status == 3);
        CHECK(holds(done.err, "/dev/null: names no input"));
    }

    TEST_CASE("what makes no sense together is wrong usage") {
        const Scratch scratch;
        CHECK(scratch.status("aa -0 clean.jsonl") == 2);
        CHECK(scratch.status("echo clean.jsonl | aa --files-from - -") == 2);
        CHECK(scratch.status("echo clean.jsonl | aa --files-from - --files-from -") == 2);
        CHECK(scratch.status("echo clean.jsonl > l; aa replay --files-from l") == 2);
    }

    TEST_CASE("every command that reads many inputs takes a list") {
        const Scratch scratch;
        const std::string list = "printf 'clean.jsonl\\nexact-repeat.jsonl\\nmissing.jsonl\\n' > l; ";
        const Finished converted = scratch.run(
            list + "aa convert --to events --files-from l | grep -c '\"kind\":\"session\"\\|session_start' ");
        CHECK(holds(converted.err, "l:3: cannot open 'missing.jsonl'"));
        const Finished replayed = scratch.run(list + "aa replay --policy strict -f json --files-from l");
        CHECK(holds(replayed.err, "l:3: cannot open 'missing.jsonl'"));
        CHECK(nlohmann::json::parse(replayed.out)["sessions"].size() == 2);
        const Finished base = scratch.run(list + "aa baseline create --files-from l");
        CHECK(base.status == 3);
        CHECK(holds(base.out, "1 finding"));
        const Finished report = scratch.run(
            "rm .agent-audit-baseline.json; aa -f json -o r.json exact-repeat.jsonl; printf 'r.json\\ngone.json\\n' > "
            "l; aa report -f compact --files-from l");
        CHECK(report.status == 1);
        CHECK(holds(report.err, "l:2: cannot open 'gone.json'"));
    }
}

TEST_SUITE("doctor") {
    TEST_CASE("a healthy machine is code 0, and every line says ok, warn or fail") {
        const Scratch scratch;
        const Finished done = scratch.run("aa doctor");
        CHECK(done.status == 0);
        CHECK(done.err == "");
        for (const char* part : {"ok    colour", "ok    configuration", "ok    prices", "shipped prices of 20",
                                 "checkpoints", "it is no terminal"}) {
            CAPTURE(part);
            CHECK(holds(done.out, part));
        }
    }

    TEST_CASE("what it says is JSON too, with a remedy wherever something is amiss") {
        const Scratch scratch;
        const auto json = nlohmann::json::parse(scratch.run("LC_ALL=C aa doctor -f json").out);
        CHECK(json["schema"] == "agent-audit/doctor/1");
        CHECK(agent_audit::test::SchemaValidator("doctor").errors(json) == std::vector<std::string>{});
        std::size_t counted[3] = {0, 0, 0};
        for (const auto& check : json["checks"]) {
            const std::string status = check["status"];
            CHECK((status == "ok" || status == "warn" || status == "fail"));
            ++counted[status == "ok" ? 0 : status == "warn" ? 1 : 2];
            CAPTURE(check.dump());
            CHECK(check.contains("remedy") == (status != "ok"));
            if (check["check"] == "symbols") CHECK(status == "warn");
            if (check["check"] == "sessions") CHECK(status == "warn");  // there are none in this home
        }
        CHECK(json["ok"] == counted[0]);
        CHECK(json["warn"] == counted[1]);
        CHECK(json["fail"] == 0);
    }

    TEST_CASE("what is broken fails with the place and what to do") {
        const Scratch scratch;
        struct Broken {
            const char* line;
            const char* expected;
        };
        for (const Broken& broken :
             {Broken{"echo 'fail-onn = 1' > agent-audit.toml; aa doctor", "agent-audit.toml:1"},
              Broken{"rm agent-audit.toml; echo x > .agent-audit-baseline.json; aa doctor", "fail  baseline"},
              Broken{"rm .agent-audit-baseline.json; AGENT_AUDIT_FAIL_ON=eror aa doctor", "AGENT_AUDIT_FAIL_ON"},
              Broken{"AGENT_AUDIT_EXIT_ZERO=perhaps aa doctor", "fail  environment"},
              Broken{"AGENT_AUDIT_PRICES=/no/such aa doctor", "fail  prices"},
              Broken{"echo \"prices = 'p.json'\" > agent-audit.toml; echo x > p.json; aa doctor", "fail  prices"},
              Broken{"rm agent-audit.toml; AGENT_AUDIT_VOCAB=/no/such aa doctor", "fail  vocabulary"},
              Broken{"TMPDIR=/no/such aa doctor", "fail  temporary"},
              Broken{"AGENT_AUDIT_CHECKPOINT_DIR=clean.jsonl aa doctor", "fail  checkpoints"}}) {
            CAPTURE(broken.line);
            const Finished done = scratch.run(broken.line);
            CHECK(done.status == 1);
            CAPTURE(done.out);
            CHECK(holds(done.out, broken.expected));
        }
    }

    TEST_CASE("a variable that no flag has is named with the one that was meant, and is no failure") {
        const Scratch scratch;
        const Finished done = scratch.run("AGENT_AUDIT_FAILON=error aa doctor -f json");
        CHECK(done.status == 0);
        CHECK(holds(done.out, "did you mean AGENT_AUDIT_FAIL_ON?"));
        CHECK(holds(scratch.run("AGENT_AUDIT_JUDGE_URL=http://x aa doctor -f json").out,
                    "AGENT_AUDIT_JUDGE_URL does nothing"));
        CHECK(!holds(scratch.run("AGENT_AUDIT_SKIP_SETUP=1 aa doctor").out, "SKIP_SETUP"));
    }

    TEST_CASE("sessions are counted and not named, and the colour is explained") {
        const Scratch scratch;
        const Finished done = scratch.run(
            "mkdir -p home/.claude/projects/-secret-project; cp clean.jsonl "
            "home/.claude/projects/-secret-project/a.jsonl; FORCE_COLOR=1 aa doctor");
        CHECK(holds(done.out, "1 session: claude-code 1"));
        CHECK(!holds(done.out, "secret"));
        CHECK(holds(done.out, "on: FORCE_COLOR is set"));
        CHECK(holds(scratch.run_at_terminal("aa doctor", 100).out, "100 columns"));
    }
}

TEST_SUITE("environment") {
    TEST_CASE("config show names the variable behind every setting, also those that no file can have") {
        const Scratch scratch;
        const Finished done = scratch.run(
            "AGENT_AUDIT_FAIL_ON=warning AGENT_AUDIT_GOAL='mend the parser' AGENT_AUDIT_STRICT_INPUT=1 "
            "AGENT_AUDIT_GITLAB_BLOCKER=1 aa config show");
        CHECK(done.status == 0);
        for (const char* part : {"fail-on = \"warning\"", "# AGENT_AUDIT_FAIL_ON", "# goal = \"mend the parser\"",
                                 "# AGENT_AUDIT_GOAL", "# gitlab-blocker = true"}) {
            CAPTURE(part);
            CHECK(holds(done.out, part));
        }
        CHECK(holds(scratch.run("AGENT_AUDIT_GOAL=x aa config show -f json").out, "\"origin\":\"AGENT_AUDIT_GOAL\""));
        // What is printed is still a file that says the same.
        CHECK(scratch.status("AGENT_AUDIT_GOAL=x aa config show > shown.toml; aa config check shown.toml") == 0);
    }
}

TEST_SUITE("signals and streams") {
    TEST_CASE("an interrupted run ends with its signal and leaves no unfinished file") {
        const Scratch scratch;
        for (const char* signal : {"INT", "TERM", "HUP"}) {
            CAPTURE(signal);
            // A pipe whose writer never ends keeps it reading. Behind & a shell without jobs has SIGINT ignored, so:
            // set -m.
            const Finished done = scratch.run(
                std::string(
                    "set -m; mkfifo p; sleep 60 >p & writer=$!\n\"$program\" convert --to events -o out.jsonl p & "
                    "pid=$!\n"
                    "for i in $(seq 300); do ls -A | grep -q '^[.]out.jsonl' && break; sleep 0.1; done; kill -") +
                signal + " $pid; wait $pid 2>/dev/null; echo $?; kill -9 $writer; ls -A | grep out.jsonl; rm p");
            CHECK(done.out == std::to_string(128 + (signal[0] == 'I' ? 2 : signal[0] == 'T' ? 15 : 1)) + "\n");
            CHECK(!holds(done.err, "internal"));
        }
    }

    TEST_CASE("new commands, too, end with 4 where nothing can be written and quietly where nobody reads") {
        const Scratch scratch;
        for (const char* line : {"aa doctor", "aa man", "aa completions bash", "aa --version", "aa --licenses",
                                 "aa explain loop/cycle", "aa config show"}) {
            CAPTURE(line);
            const Finished full = scratch.run(std::string(line) + " >/dev/full");
            CHECK(full.status == 4);
            CHECK(holds(full.err, "cannot write standard output"));
            CHECK(scratch.run(std::string(line) + " >&-").status == 4);
        }
        const Finished gone = scratch.run(
            "{ sleep 0.2; for i in $(seq 20); do \"$program\" --licenses; done; echo $? >code; } | true; cat code");
        CHECK(gone.err == "");
        CHECK(gone.out == "141\n");
    }
}
