#include "support/schema_validator.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

using agent_audit::test::Finished;
using agent_audit::test::holds;
using agent_audit::test::SchemaValidator;
using agent_audit::test::Scratch;

namespace {

// The watch as a job of the shell; `written` waits, for 30 s at most, until its output says something.
const std::string kBegin =
    "watch() { \"$program\" watch --interval 0.1 \"$@\" >seen 2>told & pid=$!; }\n"
    "written() { for i in $(seq 300); do grep -q -- \"$1\" seen && return; sleep 0.1; done; echo \"no $1\"; }\n"
    "begun() { for i in $(seq 300); do grep -q Watching told && return; sleep 0.1; done; echo no begin; }\n";

}  // namespace

TEST_SUITE("watch") {
    TEST_CASE("a loop is told while it grows, and the end says what stands") {
        const Scratch scratch;
        const Finished done = scratch.run(kBegin +
                                          "head -8 exact-repeat.jsonl > s.jsonl; watch s.jsonl; begun; sleep 0.3\n"
                                          "test -s seen && echo early\n"
                                          "tail -n +9 exact-repeat.jsonl >> s.jsonl; written exact-repeat\n"
                                          "kill -TERM $pid; wait $pid; echo $?; cat seen");
        CAPTURE(done.out);
        CHECK(holds(done.out, "1\nerror  loop/exact-repeat  s.jsonl:4-27\n"));
        CHECK(holds(done.out, "1 error, 0 warnings, 0 notes in 1 file\n"));
        CHECK(!holds(done.out, "early"));
        CHECK(!holds(done.out, "no "));
    }

    TEST_CASE("a finding is told again when it becomes worse, and when its file does not show it any more") {
        const Scratch scratch;
        const Finished done =
            scratch.run(kBegin +
                        "head -9 exact-repeat.jsonl > s.jsonl; watch s.jsonl; written '^warning'\n"
                        "sleep 0.5; cp exact-repeat.jsonl s.jsonl; written '^error, was warning'\n"
                        "cp clean.jsonl s.jsonl; written '^over, was error'\n"
                        "kill -TERM $pid; wait $pid; echo $?; grep -c exact-repeat seen; tail -1 seen");
        CHECK(done.out == "0\n3\n0 errors, 0 warnings, 0 notes in 1 file\n");
    }

    TEST_CASE("of a folder only what is written from now on is read, unless all is asked for") {
        const Scratch scratch;
        const std::string old = "mkdir logs; cp exact-repeat.jsonl logs/old.jsonl; touch -d '2 days ago' logs/*; ";
        const Finished now = scratch.run(kBegin + old +
                                         "watch logs; begun; cp exact-repeat.jsonl logs/new.jsonl; written new.jsonl\n"
                                         "kill -TERM $pid; wait $pid; echo $?; cat seen");
        CAPTURE(now.out);
        CHECK(holds(now.out, "1\nerror  loop/exact-repeat  logs/new.jsonl:"));
        CHECK(!holds(now.out, "old.jsonl"));
        const Finished all = scratch.run("aa watch --from-start --until-found logs");
        CHECK(all.status == 1);
        CHECK(holds(all.out, "logs/old.jsonl"));
    }

    TEST_CASE("it ends at the first finding that fails where that is asked for, and lines fit their schema") {
        const Scratch scratch;
        const Finished done = scratch.run("aa watch --until-found -f ndjson exact-repeat.jsonl");
        CHECK(done.status == 1);
        std::istringstream lines(done.out);
        std::string line, all;
        while (std::getline(lines, line)) {
            const auto json = nlohmann::json::parse(line);
            CHECK(SchemaValidator("watch").errors(json) == std::vector<std::string>());
            all += json["kind"].get<std::string>() + " ";
        }
        CHECK(all == "found end ");
        // What is not bad enough does not end it.
        const Finished mild = scratch.run(kBegin + "head -9 exact-repeat.jsonl > w.jsonl; " +
                                          "watch --until-found w.jsonl; written warning\n"
                                          "kill -0 $pid && kill -TERM $pid; wait $pid; echo $?");
        CHECK(mild.out == "0\n");
    }

    TEST_CASE("a file whose first record is half written, or comes behind other lines, is waited for") {
        const Scratch scratch;
        const Finished done = scratch.run(kBegin +
                                          "{ echo 'starting the agent'; head -c 60 exact-repeat.jsonl; } > s.jsonl\n"
                                          "watch s.jsonl; begun; sleep 0.3\n"
                                          "tail -c +61 exact-repeat.jsonl >> s.jsonl; written exact-repeat\n"
                                          "kill -TERM $pid; wait $pid; echo $?; cat seen told");
        CAPTURE(done.out);
        CHECK(holds(done.out, "1\nerror  loop/exact-repeat  s.jsonl:5-28\n"));
        CHECK(holds(done.out, "; it was written a moment ago and may become one\n"));
    }

    TEST_CASE("what cannot be watched is told at once") {
        const Scratch scratch;
        CHECK(scratch.run("aa watch gone.jsonl").status == 3);
        CHECK(holds(scratch.run("aa watch gone.jsonl").err, "gone.jsonl"));
        CHECK(scratch.run("aa watch").status == 3);
        const Finished other =
            scratch.run("echo hello > notes.txt; touch -d '2 minutes ago' notes.txt; aa watch notes.txt");
        CHECK(other.status == 3);
        CHECK(holds(other.err, "notes.txt: not a session"));
        CHECK(scratch.run("aa watch -").status == 2);
        CHECK(scratch.run("aa watch -f sarif clean.jsonl").status == 2);
        CHECK(scratch.run("aa watch --interval 0 clean.jsonl").status == 2);
        CHECK(scratch.run("aa watch --until-found --exit-zero clean.jsonl").status == 2);
        CHECK(scratch.run("aa watch --until-found exact-repeat.jsonl >/dev/full").status == 4);
    }
}
