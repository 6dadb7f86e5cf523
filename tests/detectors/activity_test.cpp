#include "detectors/commands/activity.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

// A lane in letters: x explore, e edit, v verify, r run, d deploy, p plan, c a turn that only says something, t one
// that only reasons, w a look at what is running, s a pause (or a call that was refused). Each is a turn of its own, at
// line 10, 20, …
class Lane {
public:
    ActivityCourse read(std::string_view letters) {
        ActivityTrack track;
        for (const char letter : letters) turn(track, letter);
        return track.take();
    }

    static void turn(ActivityTrack& track, char letter, std::uint64_t number) {
        const Place at{10 * number, number, 0, 0};
        if (letter == 'c') {
            track.said(at);
        } else if (letter == 't') {
            track.thought(at);
        } else {
            track.called(at);
            if (letter == 'p') {
                track.planned();
            } else if (letter != 's') {
                track.step(step_of(letter, at));
            }
        }
        track.end_response(number);
    }

    static Step step_of(char letter, const Place& at) {
        Step step;
        step.call_at = step.result_at = at;
        step.tool_class = letter == 'x'   ? ToolClass::read
                          : letter == 'e' ? ToolClass::mutate
                          : letter == 'v' ? ToolClass::verify
                          : letter == 'w' ? ToolClass::poll
                                          : ToolClass::shell;
        step.work_class = step.tool_class;
        step.ships = letter == 'd' ? Shipping::push : Shipping::none;
        return step;
    }

private:
    void turn(ActivityTrack& track, char letter) { turn(track, letter, ++turns_); }

    std::uint64_t turns_ = 0;
};

// "explore 10-50, edit 60-90"
std::string course_of(std::string_view letters) {
    std::string out;
    for (const ActivitySegment& segment : Lane().read(letters).segments) {
        if (!out.empty()) out += ", ";
        out += std::string(name(segment.activity)) + " " + std::to_string(segment.first_line) + "-" +
               std::to_string(segment.last_line);
    }
    return out;
}

}  // namespace

TEST_SUITE("activity") {
    TEST_CASE("a session of one kind is one segment, and an empty one has none") {
        CHECK(course_of("xxxxxxxx") == "explore 10-80");
        CHECK(course_of("c") == "communicate 10-10");
        CHECK(course_of("") == "");
    }

    TEST_CASE("exploring, editing and verifying are three segments, each dated to its first turn") {
        CHECK(course_of("xxxxxeeeeevvvv") == "explore 10-50, edit 60-100, verify 110-140");
    }

    TEST_CASE("a look or a check among edits belongs to the editing") {
        CHECK(course_of("eeexeee") == "edit 10-70");
        CHECK(course_of("xxxxeexeee") == "explore 10-40, edit 50-100");
        CHECK(course_of("eevee") == "edit 10-50");
    }

    TEST_CASE("two kinds in turn do not make a boundary each time") {
        CHECK(course_of("eeeeevevevevevev") == "edit 10-160");
        CHECK(course_of("xxxxxexexexexexe") == "explore 10-160");
        const ActivityCourse mixed = Lane().read("xxxxx" + std::string("evevevevevevevevevev"));
        CHECK(mixed.segments.size() == 2);
        CHECK(mixed.segments[1].activity == Activity::edit);
    }

    TEST_CASE("three turns of another kind are not yet a segment, four in a row are") {
        CHECK(course_of("xxxxxeeexxxxx") == "explore 10-130");
        CHECK(course_of("xxxxxeeeexxxxx") == "explore 10-50, edit 60-90, explore 100-140");
    }

    TEST_CASE("shipping is a segment from its first turn, and ends with what follows") {
        CHECK(course_of("eeeed") == "edit 10-40, deploy 50-50");
        CHECK(course_of("eeeeddxxxx") == "edit 10-40, deploy 50-60, explore 70-100");
    }

    TEST_CASE("where nothing has the majority the segment ends when none of its own kind is left") {
        CHECK(course_of("xxxxxervcervcer") == "explore 10-50, edit 60-150");
    }

    TEST_CASE("pauses and looks at what is running belong to whatever they stand in, and are counted there") {
        CHECK(course_of("xxxwwwwwwxx") == "explore 10-110");
        CHECK(course_of("wsxxwswwseeeeee") == "explore 10-90, edit 100-150");
        CHECK(course_of("xxxxxewweesetxx") == "explore 10-50, edit 60-150");
        CHECK(course_of("eeewdwwsw") == "edit 10-40, deploy 50-90");
        const ActivityCourse course = Lane().read("wsxxwswwseeeeee");
        REQUIRE(course.segments.size() == 2);
        CHECK(course.segments[0].turns == 9);
        CHECK(course.segments[0].calls == 9);
        CHECK(course.segments[1].turns == 6);
    }

    TEST_CASE("a session that only waits runs something, one whose calls were all refused only says so") {
        CHECK(course_of("wwww") == "run 10-40");
        ActivityTrack track;
        track.said({10, 1, 0, 0});
        track.called({11, 2, 0, 0});
        track.end_response(1);
        const ActivityCourse course = track.take();
        REQUIRE(course.segments.size() == 1);
        CHECK(course.segments[0].activity == Activity::communicate);
        CHECK(course.segments[0].last_line == 11);
    }

    TEST_CASE("a command that goes on is the work it was started for, and looking after it is none") {
        for (const bool ships_it : {true, false}) {
            CAPTURE(ships_it);
            const char* const command = ships_it ? "git push -u origin topic" : "npm test";
            test::Session s;
            s.human("Update the index and send it out.");
            for (const char* file : {"index.md", "a.md", "b.md"}) s.call("Read", file, std::string("text of ") + file);
            for (int i = 0; i < 5; ++i)
                s.call("Bash", command, "Process running with session ID 7", ResultStatus::running)
                    .call("write_stdin", "", "done");
            s.end();
            REQUIRE(s.activity().segments.size() == 2);
            CHECK(s.activity().segments[0].turns == 3);
            CHECK(s.activity().segments[1].activity == (ships_it ? Activity::deploy : Activity::verify));
            CHECK(s.activity().segments[1].turns == 10);
            CHECK(s.activity().segments[1].calls == 10);
        }
    }

    TEST_CASE("giving work to another agent is talk, whatever that agent is to do") {
        for (const char* tool : {"Task", "Agent", "spawn_agent"}) {
            CAPTURE(tool);
            test::Session s;
            s.human("Find out how the mill grinds.");
            s.call(tool, "Explore the mill", "It has two stones.");
            s.end();
            REQUIRE(s.activity().segments.size() == 1);
            CHECK(s.activity().segments[0].activity == Activity::communicate);
        }
        test::Session s;
        s.human("Find out how the mill grinds.");
        s.call("task_runner", "grind", "done");
        s.end();
        CHECK(s.activity().segments.at(0).activity == Activity::run);
    }

    TEST_CASE("git that keeps and fetches edits nothing, git that brings back an older state does") {
        for (const char* command : {"git checkout main && git pull", "git add -A && git commit -m 'mend the mill'",
                                    "git -C sub merge topic", "git checkout -b topic"}) {
            CAPTURE(command);
            CHECK(only_keeps_in_git({command}));
            test::Session s;
            s.human("Mend the mill.");
            s.call("Bash", command, "done");
            s.end();
            CHECK(s.activity().segments.at(0).activity == Activity::run);
        }
        const std::string message(300, 'm');
        CHECK(only_keeps_in_git(
            {R"(git commit -m \"$(cat <<'EOF'\n)" + message + R"(\nEOF\n)\")", TextForm::json_string}));
        for (const char* command :
             {"sed -i s/a/b/ x && git add x", "git checkout -- x", "git checkout .", "git apply x.patch", "git stash",
              "git reset --hard", "git rm x", "sed -i s/a/b/ .gitignore", "rm x"}) {
            CAPTURE(command);
            CHECK_FALSE(only_keeps_in_git({command}));
        }
        CHECK_FALSE(only_keeps_in_git({"git commit -m '" + message + "' && sed -i s/a/b/ x"}));
    }

    TEST_CASE("a turn is what its weightiest call is") {
        ActivityTrack track;
        track.said({10, 1, 0, 0});
        for (int call = 0; call < 3; ++call) track.called({11, 2, 0, 0});
        track.step(Lane::step_of('x', {11, 2, 0, 0}));
        track.step(Lane::step_of('e', {12, 3, 0, 0}));
        track.step(Lane::step_of('x', {13, 4, 0, 0}));
        track.end_response(1);
        const ActivityCourse course = track.take();
        REQUIRE(course.segments.size() == 1);
        CHECK(course.segments[0].activity == Activity::edit);
        CHECK(course.segments[0].first_line == 10);
        CHECK(course.segments[0].last_line == 13);
        CHECK(course.segments[0].turns == 1);
        CHECK(course.segments[0].calls == 3);
    }

    TEST_CASE("every turn and call is in exactly one segment, whatever the order") {
        std::uint64_t state = 7;
        for (int round = 0; round < 200; ++round) {
            std::string letters;
            for (int i = 0; i < 60; ++i) {
                state = state * 6364136223846793005ULL + 1442695040888963407ULL;
                letters += "xevrdpcwst"[(state >> 40) % 10];
            }
            CAPTURE(letters);
            const ActivityCourse course = Lane().read(letters);
            std::uint64_t turns = 0, calls = 0, last = 0;
            for (const ActivitySegment& segment : course.segments) {
                turns += segment.turns;
                calls += segment.calls;
                CHECK(segment.turns > 0);
                CHECK(segment.first_turn == last + 1);
                CHECK(segment.last_turn == segment.first_turn + segment.turns - 1);
                CHECK(segment.first_line == 10 * segment.first_turn);
                CHECK(segment.last_line == 10 * segment.last_turn);
                last = segment.last_turn;
            }
            CHECK(turns == 60);
            CHECK(calls ==
                  60 - static_cast<std::uint64_t>(std::ranges::count(letters, 'c') + std::ranges::count(letters, 't')));
        }
    }

    TEST_CASE("a session without end keeps a bounded number of segments and counts the others") {
        ActivityTrack track;
        std::uint64_t number = 0;
        for (int i = 0; i < 3'000; ++i) {
            for (const char letter : std::string_view("xxxxxeeeee")) Lane::turn(track, letter, ++number);
        }
        const ActivityCourse course = track.take();
        CHECK(course.segments.size() == ActivityCourse::kMost);
        CHECK(course.more == 6'000 - ActivityCourse::kMost);
    }

    TEST_CASE("commands that send work out ship, those that only look like it do not") {
        for (const char* command :
             {"git push", "cd app && git push origin main", "git add -A && git commit -m x && git push",
              "git -C sub push", "npm publish --access public", "docker build -t a . && docker push a",
              "kubectl apply -f k8s/", "kubectl -n prod apply -f x.yaml", "sudo helm upgrade app ./chart",
              "terraform apply -auto-approve", "gh pr create --fill", "gh release create v1", "npx wrangler deploy",
              "make deploy", "./deploy.sh prod", "bash scripts/deploy_app.sh", "pulumi up --yes",
              "git commit -am x\\ngit push"}) {
            CAPTURE(command);
            CHECK(shipping({command}).how != Shipping::none);
        }
        for (const char* command :
             {"git stash push -m wip", "git log --grep 'git push'", "echo deploy", "cat deploy/values.yaml",
              "grep -rn publish src", "kubectl get pods", "terraform plan", "git apply fix.patch",
              "npm publish --dry-run", "vi deployment.md", "docker compose up -d", "./push_swap 3 2 1",
              "pytest tests/test_deploy.py", "cat scripts/deploy.sh", "vi ./deploy.sh", "gh pr view 12"}) {
            CAPTURE(command);
            CHECK(shipping({command}).how == Shipping::none);
        }
    }

    TEST_CASE("what ships does so wherever it stands in a line, what is only quoted or written does not") {
        const std::string message(300, 'm');
        for (const std::string& command : {
                 R"(git add -A && git commit -m \"fix: )" + message + R"(\" && git push -u origin main)",
                 std::string(R"(cat > notes.md <<'EOF'\nhow to push\nEOF\ngit -c user.name=ada push)"),
                 std::string(R"(npm test && git tag v1 && npm  publish --access public)"),
                 std::string(R"(bash -lc \"cd site && git push\")"),
                 std::string(R"(if git diff --quiet; then git push; fi)"),
             }) {
            CAPTURE(command);
            CHECK(shipping({command}).how != Shipping::none);
        }
        for (const std::string& command : {
                 std::string(R"(git commit -m \"docs: how to release; git push is the last step\")"),
                 R"(cat > RELEASE.md <<'EOF'\n)" + message + R"(\ngit push\nEOF)",
                 std::string(R"(echo \"now && git push\" >> notes.txt)"),
                 std::string(R"(make test # then git push)"),
                 std::string(R"(git push --dry-run origin main)"),
             }) {
            CAPTURE(command);
            CHECK(shipping({command}).how == Shipping::none);
        }
    }

    TEST_CASE("a push behind the long message of a commit is seen") {
        const std::string commit = "git add -A && git commit -m \"" + std::string(400, 'm') + "\"";
        for (const bool pushes : {false, true}) {
            CAPTURE(pushes);
            test::Session s;
            s.human("Repair the parser in src/dates.py and push it.");
            s.call("Edit", "src/dates.py", "The file has been updated.")
                .call("Edit", "src/times.py", "The file has been updated.");
            s.call("Bash", pushes ? commit + " && git push origin main" : commit, "1 file changed");
            s.end();
            REQUIRE(s.activity().segments.size() == (pushes ? 2U : 1U));
            CHECK((s.activity().segments.back().activity == Activity::deploy) == pushes);
        }
    }
}
