"""Several steps that come back in turn, with and without noise, and what only looks like it."""
from session_writer import CASCADE
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import BEACON, FERRY, KILN, ORCHARD, green, hits, listing, numbered, red, set_out, settle, title

NO_MATCH = "<tool_use_error>String to replace not found in file.</tool_use_error>"
MISSING = "<tool_use_error>File does not exist.</tool_use_error>"


@scenario("loop-two-reads-in-turn", "Two files are read in turn, 40 calls, nothing changes", row="t03", rules=["cycle"])
def two_reads():
    s, p, dice = session("two-reads", ORCHARD)
    set_out(s, p, dice, "invoice", leave=["order", "customer"])
    with s.loop():
        for _ in range(20):
            s.read(p.path("order"), numbered(p.source("order")))
            s.read(p.path("customer"), numbered(p.source("customer")))
    s.interrupted()
    return s


@scenario("ok-two-logs-in-turn", "Two logs are read in turn and both grow", row="n09", beside="loop-two-reads-in-turn")
def two_logs():
    s, p, dice = session("two-logs", ORCHARD)
    set_out(s, p, dice, "press")
    first = second = ""
    for turn in range(12):
        first += f"press {turn}: {dice.between(20, 90)} litres\n"
        second += f"barrel {dice.pick(p.nouns)} filled\n"
        s.bash("tail -n 40 press.log", first)
        s.bash("tail -n 40 barrel.log", second)
    settle(s, p, dice, "press")
    return s


@scenario("loop-missing-then-refused", "Read a file that is not there, fail to create it, and again, 40 calls", row="t04",
          rules=["cycle", "same-error"])
def missing_then_refused():
    s, p, dice = session("missing-refused", BEACON)
    set_out(s, p, dice, "export")
    with s.loop():
        for _ in range(20):
            s.call("Read", {"file_path": "/etc/beacon/export.toml"}, MISSING, True)
            s.call("Write", {"file_path": "/etc/beacon/export.toml", "content": "[export]\nevery = 60\n"},
                   "EACCES: permission denied, open '/etc/beacon/export.toml'", True)
    return s


@scenario("ok-missing-then-created", "Read a file that is not there, create it, read it: ten different files", row="t04",
          beside="loop-missing-then-refused")
def missing_then_created():
    s, p, dice = session("missing-created", BEACON)
    set_out(s, p, dice, "export")
    for noun in p.nouns[:10]:
        path = f"{p.home}/conf/{noun}.toml"
        s.call("Read", {"file_path": path}, MISSING, True)
        s.call("Write", {"file_path": path, "content": f"[{noun}]\nevery = {dice.between(5, 90)}\n"}, f"File created at {path}")
    settle(s, p, dice, "export")
    return s


@scenario("loop-read-edit-test", "Read, an edit that does not apply, a red test: 14 rounds", row="t05", rules=["cycle"])
def read_edit_test():
    s, p, dice = session("read-edit-test", ORCHARD)
    set_out(s, p, dice, "graft", leave=["frost"])
    with s.loop():
        for _ in range(14):
            s.read(p.path("frost"), numbered(p.source("frost")))
            s.edit(p.path("frost"), "const limit = 3;", "const limit = 5;", NO_MATCH)
            s.bash(p.test_command, red(p, "frost", dice), True)
    settle(s, p, dice, "graft")
    return s


@scenario("ok-read-edit-test-advancing", "Read, edit, red test: five rounds, each with another file content and failure",
          row="t05 n17", beside="loop-read-edit-test")
def read_edit_test_advancing():
    s, p, dice = session("read-edit-advancing", ORCHARD)
    set_out(s, p, dice, "frost")
    text = p.source("frost")
    for failed in (5, 4, 3, 2, 1):
        s.read(p.path("frost"), numbered(text))
        new = f"limit + {failed}"
        s.edit(p.path("frost"), "limit", new)
        text = text.replace("limit", new, 1)
        s.bash(p.test_command, red(p, "frost", dice, failed=failed, passed=30 - failed, said=f"case {failed}: off by one"), True)
    settle(s, p, dice, "frost")
    return s


@scenario("loop-four-reads", "Four files are read in the same order ten times", row="t06", rules=["cycle"])
def four_reads():
    s, p, dice = session("four-reads", BEACON)
    set_out(s, p, dice, "shard", leave=["relay", "merge", "lease", "replay"])
    with s.loop():
        for _ in range(10):
            for noun in ("relay", "merge", "lease", "replay"):
                s.read(p.path(noun), numbered(p.source(noun)))
    return s


def six_steps(s, p, dice):
    return [lambda: s.read(p.path("recipe"), numbered(p.source("recipe"))),
            lambda: s.call("Grep", {"pattern": "oxide", "path": p.home}, hits(p, "oxide", ["glaze", "slip"], dice_at(p))),
            lambda: s.bash("cargo check", "    Finished dev profile\nwarning: field `fee` is never read", False, "Check"),
            lambda: s.edit(p.path("recipe"), "oxide: 3", "oxide: 4", NO_MATCH),
            lambda: s.bash("cargo test recipe", red(p, "recipe", dice, said="oxide share is 3"), True, "Test"),
            lambda: s.call("Glob", {"pattern": "**/recipe*"}, listing(p, ["recipe"]))]


def eight_steps(s, p, dice):
    return six_steps(s, p, dice) + [
        lambda: s.bash("git diff --stat", " src/slip.rs | 2 +-\n 1 file changed", False, "What changed?"),
        lambda: s.read(p.test_path("recipe"), numbered(p.test_source("recipe")))]


def dice_at(p):
    from scenarios.world import Dice
    return Dice(p.name + "/grep")  # the same places whenever it is asked


@scenario("loop-six-step-round", "A round of six different tools, seven times", row="t07", rules=["cycle"])
def six_step_round():
    s, p, dice = session("six-steps", KILN)
    set_out(s, p, dice, "wheel", leave=["recipe"])
    with s.loop():
        for _ in range(7):
            for step in six_steps(s, p, dice):
                step()
    return s


@scenario("loop-eight-step-round", "A round of eight different tools, six times, then the way out", row="t08", rules=["cycle"])
def eight_step_round():
    s, p, dice = session("eight-steps", KILN)
    set_out(s, p, dice, "mould", leave=["recipe"])
    with s.loop():
        for _ in range(6):
            for step in eight_steps(s, p, dice):
                step()
    settle(s, p, dice, "mould")
    return s


@scenario("loop-three-step-round-with-slips", "Read, rejected edit, red test; now and then a call is left out or added",
          row="t09", rules=["cycle", "interleaved-repeat", "revisit-ratio", "repeated-state"], slack=6,
          note="a description by one call of the round leaves out the rest of the first or last round")
def three_steps_with_slips():
    s, p, dice = session("slips", FERRY)
    set_out(s, p, dice, "ramp", leave=["deck"])
    with s.loop():
        for turn in range(16):
            s.read(p.path("deck"), numbered(p.source("deck")))
            if turn % 5 != 3:
                s.edit(p.path("deck"), "planks = 3", "planks = 4", NO_MATCH)
            if turn % 4 == 2:
                s.read(p.path(p.nouns[turn]), numbered(p.source(p.nouns[turn])))
            s.bash("pytest -q tests/test_deck.py", red(p, "deck", dice, said="3 planks"), True)
    return s


def noisy(s, p, dice, steps, rounds, new_in_100, dropped_in_100):
    """The rounds, with steps never seen before in between and some left out; the ends are clean."""
    extra = iter(dice.shuffled([n for n in p.nouns if n not in ("recipe", "oxide")]) * 4)
    met = set()
    with s.loop():
        for turn in range(rounds):
            for step in steps:
                inner = 0 < turn < rounds - 1
                if inner and dice.chance(new_in_100):
                    noun = next(extra)
                    again = "" if noun not in met else f" | head -{20 + turn}"
                    met.add(noun)
                    s.bash(f"rg -n 'fn {noun}_{turn}' src{again}", f"src/{noun}.rs:{turn + 3}:fn {noun}_{turn}() {{}}",
                           description="Look for it")
                if inner and dice.chance(dropped_in_100):
                    continue
                step()


@scenario("loop-noisy-round-of-six", "A round of six with a new step in every tenth place and some steps missing", row="e12",
          rules=["cycle", "interleaved-repeat", "revisit-ratio", "repeated-state"], slack=12,
          note="where a noisy round begins and ends is open to argument by a round")
def noisy_six():
    s, p, dice = session("noisy-six", KILN)
    set_out(s, p, dice, "apron", leave=["recipe"])
    noisy(s, p, dice, six_steps(s, p, dice), 9, 10, 3)
    return s


@scenario("loop-noisy-round-of-eight", "A round of eight with a new step in every fifth place and some steps missing", row="e12",
          rules=["cycle", "interleaved-repeat", "revisit-ratio", "repeated-state"], slack=16,
          note="where a noisy round begins and ends is open to argument by a round")
def noisy_eight():
    s, p, dice = session("noisy-eight", KILN)
    set_out(s, p, dice, "stamp", leave=["recipe"])
    noisy(s, p, dice, eight_steps(s, p, dice), 8, 20, 4)
    return s


@scenario("ok-same-tools-new-places", "The same eight kinds of steps in turn, each time about another module", row="e12",
          beside="loop-noisy-round-of-eight")
def same_tools_new_places():
    s, p, dice = session("new-places", KILN)
    set_out(s, p, dice, "oxide")
    for noun in p.nouns[:8]:
        s.read(p.path(noun), numbered(p.source(noun)))
        s.call("Grep", {"pattern": f"{noun}_", "path": p.home}, hits(p, noun, ["glaze", "slip"], dice))
        s.edit(p.path(noun), f"{noun}.weight", f"{noun}.mass")
        s.bash("cargo check", "    Finished dev profile")
        s.bash(f"cargo test {noun}", green(p, 3, dice), description="Test")
        s.bash("git diff --stat", f" src/{noun}.rs | {dice.between(1, 9)} +-\n 1 file changed")
    settle(s, p, dice, "oxide")
    return s


@scenario("loop-fan-out-again", "The same four parallel calls in every response, in another order each time", row="e09 t07",
          rules=["cycle", "exact-repeat"])
def fan_out_again():
    s, p, dice = session("fan-out", BEACON)
    set_out(s, p, dice, "rota", leave=["metric", "scrape", "panel", "probe"])
    with s.loop():
        for _ in range(9):
            s.calls(*dice.shuffled([("Read", {"file_path": p.path(noun)}, numbered(p.source(noun)))
                                    for noun in ("metric", "scrape", "panel", "probe")]))
    return s


@scenario("ok-fan-out", "Nine responses with four parallel calls each, all different", row="e09", beside="loop-fan-out-again")
def fan_out_ok():
    s, p, dice = session("fan-out-ok", BEACON)
    s.human("Which modules sort by number? Look at all of them.")
    for first in range(0, 28, 4):
        s.calls(*[("Read", {"file_path": p.path(noun)}, numbered(p.source(noun))) for noun in p.nouns[first:first + 4]])
    s.calls(*[("Grep", {"pattern": "Number", "glob": f"internal/{noun}/*"}, f"internal/{noun}/{noun}.go:31") for noun in p.nouns[:4]])
    settle(s, p, dice, "metric")
    return s


@scenario("ok-parallel-edits-fail-together", "Eight parallel edits fail for one reason in one response", row="e09",
          beside="loop-fan-out-again")
def parallel_edits_fail():
    s, p, dice = session("edits-fail", BEACON)
    set_out(s, p, dice, "window")
    unread = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    change = [("Edit", {"file_path": p.path(noun), "old_string": "Weight", "new_string": "Mass"}) for noun in p.nouns[:8]]
    s.calls(*[(*c, unread, True) for c in change])
    s.calls(*[("Read", {"file_path": p.path(noun)}, numbered(p.source(noun))) for noun in p.nouns[:8]])
    s.calls(*[(*c, f"{c[1]['file_path']} was updated.") for c in change])
    settle(s, p, dice, "window")
    return s


@scenario("ok-cascades", "One call of a response fails and takes its five siblings with it, three times", row="e03",
          beside="loop-fan-out-again")
def cascades():
    s, p, dice = session("cascades", BEACON)
    set_out(s, p, dice, "filter")
    for noun in ("digest", "silence", "panel"):
        s.calls(("Bash", {"command": f"go vet ./internal/{noun}", "description": "Vet"},
                 f"Exit code 1\ninternal/{noun}/{noun}.go:{dice.between(4, 60)}: unreachable code", True),
                *[("Bash", {"command": "go build ./...", "description": "Build"}, CASCADE, True)] * 5)
        s.edit(p.path(noun), "return kept\n\treturn kept", "return kept")
    settle(s, p, dice, "filter")
    return s


@scenario("loop-test-between-peeks", "One red test 20 times; before each run another file is read, nothing is changed",
          row="t10", rules=["interleaved-repeat", "same-error", "repeated-state", "stagnation"])
def test_between_peeks():
    s, p, dice = session("peeks", FERRY)
    set_out(s, p, dice, "voyage", task="The test of the voyages is red. Find out why.")
    nouns = [n for n in p.nouns if n != "voyage"]
    with s.loop():
        for turn in range(20):
            s.bash("pytest -q tests/test_voyage.py", red(p, "voyage", dice, said="the voyage has no end"), True)
            if turn < 19:
                s.read(p.path(nouns[turn]) + ".orig", numbered(p.source(nouns[turn])))
    return s


@scenario("ok-test-between-edits", "One test 8 times with an edit before each run; what fails is something else each time",
          row="n08", beside="loop-test-between-peeks")
def test_between_edits():
    s, p, dice = session("between-edits", FERRY)
    set_out(s, p, dice, "voyage")
    for failed in (9, 7, 6, 4, 3, 2, 1):
        s.edit(p.path("voyage"), f"step {failed}", f"step {failed}, checked")
        s.bash("pytest -q tests/test_voyage.py",
               red(p, "voyage", dice, failed=failed, passed=20 - failed, said=f"stop {failed} is missing", at=20 + failed), True)
    settle(s, p, dice, "voyage")
    return s


@scenario("ok-git-status-now-and-then", "Seven clean looks at git status within sixty productive calls", row="n11",
          beside="loop-test-between-peeks")
def git_status():
    s, p, dice = session("git-status", ORCHARD)
    s.human("Give every module an index entry, one commit each.")
    for turn, noun in enumerate(p.nouns[:14]):
        s.read(p.path(noun), numbered(p.source(noun)))
        s.edit(p.path(noun), f"export function {p.verbs(noun)[0]}", f"/** index: {noun} */\nexport function {p.verbs(noun)[0]}")
        s.bash(f"npx vitest run src/{noun}.test.ts", green(p, dice.between(3, 9), dice))
        s.bash(f"git commit -qam 'Index {noun}' && git rev-parse --short HEAD", dice.hex(7))
        if turn % 2:
            s.bash("git status --short --branch", "## main...origin/main", description="Clean?")
    s.says("All fourteen are done.")
    return s


@scenario("ok-where-am-i-before-each", "pwd and git status before each of thirty files that are read for the first time, and now and then a test of one",
          row="n11", beside="loop-where-am-i-and-nothing-else")
def where_am_i():
    s, p, dice = session("where-am-i", FERRY)
    s.human("Describe every module in one sentence.")
    for turn in range(30):
        noun = f"{p.nouns[turn % len(p.nouns)]}_{turn // len(p.nouns)}" if turn >= len(p.nouns) else p.nouns[turn]
        s.bash("pwd && git status --short --branch", f"{p.home}\n## main...origin/main", description="Where am I?")
        s.read(p.path(noun), numbered(p.source(noun)))
        if turn % 4 == 3:
            s.bash("ls src | head -12", "\n".join(f"{n}.ts" for n in p.nouns[:12]), description="What is here?")
            s.bash(f"{p.test_command} {p.short_test(noun)}", green(p, dice.between(3, 9), dice))
    s.says("Thirty sentences, one for each module.")
    return s


@scenario("loop-where-am-i-and-nothing-else", "pwd and git status before each of twelve searches that find nothing", row="t10",
          rules=["interleaved-repeat"], slack=2)
def where_am_i_for_nothing():
    s, p, dice = session("where-nothing", FERRY)
    set_out(s, p, dice, "berth")
    with s.loop():
        for turn in range(12):
            s.bash("pwd && git status --short --branch", f"{p.home}\n## main...origin/main", description="Where am I?")
            s.call("Grep", {"pattern": f"{p.verbs('berth')[turn % 4]}{title(p.nouns[turn])}", "path": p.home}, "No matches found")
    s.interrupted()
    return s


@scenario("warn-plan-before-each", "A plan that does not change is read before each of sixteen new searches", row="t10",
          rules=["interleaved-repeat"], slack=2)
def plan_before_each():
    s, p, dice = session("plan-each", BEACON)
    set_out(s, p, dice, "uptime")
    with s.loop():
        for turn in range(16):
            s.bash("cat PLAN.md", "1. where is each module used?\n2. which are used by none?", description="What is next?")
            noun = p.nouns[turn % len(p.nouns)]
            s.call("Grep", {"pattern": f"{noun}_{turn}", "path": p.home}, f"{p.short(noun)}:{turn + 3}: use {noun}_{turn}")
    return s


THEIRS = "git checkout --theirs package-lock.json && git add package-lock.json"


def conflict(dice, at, of, title):
    return (f"Auto-merging package-lock.json\nCONFLICT (content): Merge conflict in package-lock.json\n"
            f"error: could not apply {dice.hex(7)}... {title}\nRebasing ({at}/{of})")


@scenario("ok-lock-file-at-each-commit", "A rebase stops at each of twenty commits for the lock file, which is taken from the other side each time",
          row="n07", beside="loop-lock-file-at-one-commit")
def lock_file_at_each_commit():
    s, p, dice = session("lock-each", ORCHARD)
    s.human("Rebase my branch on main; of the lock file always take what my commits have.")
    for at in range(1, 21):
        s.bash("git rebase main" if at == 1 else "git rebase --continue",
               conflict(dice, at, 21, f"{p.verbs(p.nouns[at % len(p.nouns)])[0]} {p.nouns[at % len(p.nouns)]}s"), True)
        s.bash(THEIRS, "Updated 1 path from the index")
    s.bash("git rebase --continue", "Successfully rebased and updated refs/heads/work.")
    s.says("The branch stands on main.")
    return s


@scenario("loop-lock-file-at-one-commit", "The same rebase stops at the same commit twelve times", row="t03", rules=["cycle"])
def lock_file_at_one_commit():
    s, p, dice = session("lock-one", ORCHARD)
    s.human("Rebase my branch on main; of the lock file always take what my commits have.")
    told = conflict(dice, 3, 21, "sort crates")
    with s.loop():
        for _ in range(12):
            s.bash("git rebase --continue", told, True)
            s.bash(THEIRS, "Updated 1 path from the index")
    s.interrupted()
    return s


@scenario("loop-two-greps-in-turn", "Two greps that differ in one letter alternate, 40 calls, same output", row="t32",
          rules=["cycle", "stagnation", "near-repeat"])
def two_greps():
    s, p, dice = session("two-greps", FERRY)
    set_out(s, p, dice, "season")
    found = hits(p, "season", ["fare", "ticket", "route"], dice)
    with s.loop():
        for turn in range(40):
            s.bash(f"grep -rn 'season{['', 's'][turn % 2]}_of' src/", found, description="Search")
    return s


@scenario("ok-sleep-and-read", "Sleep five seconds, read the output, 14 times; the output grows", row="n09 e06",
          beside="loop-sleep-and-frozen-log")
def sleep_and_read():
    s, p, dice = session("sleep-read", KILN)
    set_out(s, p, dice, "chimney")
    s.call("Bash", {"command": "cargo bench", "run_in_background": True}, "Command running in background with ID: bash_2")
    for turn in range(14):
        s.bash("sleep 5", "", description="Wait")
        s.call("BashOutput", {"bash_id": "bash_2"}, f"<status>running</status>\n<stdout>bench {p.nouns[turn]}: {dice.between(100, 990)} ns</stdout>")
    s.call("BashOutput", {"bash_id": "bash_2"}, "<status>completed</status>\n<stdout>all benches done</stdout>")
    settle(s, p, dice, "chimney")
    return s


@scenario("loop-sleep-and-frozen-log", "Sleep thirty seconds, look at a log that stands still, 30 times", row="e06",
          rules=["poll-no-progress", "cycle", "exact-repeat"], slack=2,
          note="the first pause may be counted or not")
def sleep_and_frozen_log():
    s, p, dice = session("frozen-log", KILN)
    set_out(s, p, dice, "damper")
    s.call("Bash", {"command": "./kiln --fire > fire.log", "run_in_background": True}, "Command running in background with ID: bash_1")
    with s.loop():
        for turn in range(30):
            s.bash("tail -n 5 fire.log", "waiting for the door switch", description="Look")
            if turn < 29:
                s.bash("sleep 30", "", description="Wait")
    s.interrupted()
    return s
