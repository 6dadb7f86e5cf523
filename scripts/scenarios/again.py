"""Done again under other names, and done again because a person asked for it."""
from session_writer import Chat, begin
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import BEACON, FERRY, KILN, ORCHARD, green, red, set_out, settle

DRAWN = "bcdfghjklmnpqrstvwxz2456789"  # what Kubernetes draws names from


def pod(p, dice):
    return f"{p.name}-{''.join(dice.pick(DRAWN) for _ in range(8))}7-{''.join(dice.pick(DRAWN) for _ in range(5))}"


def container_round(s, dice, trouble):
    name = dice.hex(64)
    s.bash("docker rm -f ferry && docker run -d --name ferry ferry:latest", f"ferry\n{name}")
    s.bash("docker ps -a --filter name=ferry", "CONTAINER ID   IMAGE          CREATED         STATUS                     NAMES\n"
           f"{name[:12]}   ferry:latest   {dice.between(2, 9)} seconds ago   Exited (1) {dice.between(1, 2)} seconds ago   ferry")
    s.bash("docker logs ferry", f"2026-05-04T09:{dice.between(10, 59)}:{dice.between(10, 59)}Z starting\nError: {trouble}\n    at connect (/srv/db.js:14:9)")


@scenario("loop-containers-made-anew", "A container is made, listed and read, and says the same in all of eight rounds under eight ids", row="t07", rules=["cycle"])
def containers_made_anew():
    s, p, dice = session("containers-anew", FERRY)
    set_out(s, p, dice, "deck")
    with s.loop():
        for _ in range(8):
            container_round(s, dice, "ECONNREFUSED postgres:5432")
    return s


@scenario("ok-containers-get-on", "The same rounds with an edit before each, and each container comes further", row="t07", beside="loop-containers-made-anew")
def containers_get_on():
    s, p, dice = session("containers-on", FERRY)
    set_out(s, p, dice, "deck")
    for trouble in ["ECONNREFUSED postgres:5432", "password authentication failed", "no database of that name", "table berth is missing", "port 8080 is taken"]:
        container_round(s, dice, trouble)
        s.edit(f"{p.home}/compose.yml", f"# {trouble}?", f"# {trouble}: seen to")
    settle(s, p, dice, "deck")
    return s


@scenario("loop-pods-under-new-names", "A rollout is restarted nine times; each new pod lacks the same key", row="t10", rules=["interleaved-repeat"], slack=4)
def pods_under_new_names():
    s, p, dice = session("pods-new", BEACON)
    set_out(s, p, dice, "uptime")
    with s.loop():
        for _ in range(9):
            name = pod(p, dice)
            s.bash(f"kubectl rollout restart deployment/{p.name}", f"deployment.apps/{p.name} restarted")
            s.bash("kubectl get pods", f"NAME                        READY   STATUS             RESTARTS     AGE\n{name}   0/1     CrashLoopBackOff   {dice.between(1, 4)} (9s ago)   {dice.between(20, 59)}s")
            s.bash(f"kubectl logs {name}", f"2026-05-04T10:{dice.between(10, 59)}:12Z FATAL config key 'redis.url' is missing")
    return s


@scenario("loop-commit-test-take-back", "A commit is made, tested and taken back seven times", row="t05", rules=["cycle"])
def commit_test_take_back():
    s, p, dice = session("commit-back", ORCHARD)
    set_out(s, p, dice, "press")
    with s.loop():
        for _ in range(7):
            s.bash("git commit -m 'Mind the limit of presses'", f"[main {dice.hex(7)}] Mind the limit of presses\n 2 files changed, 14 insertions(+)")
            s.bash(p.test_command, red(p, "press", dice), True)
            s.bash("git reset --soft HEAD~1", "")
    return s


@scenario("ok-is-it-flaky", "Asked whether a test is flaky, the agent runs it sixteen times", row="n12 n07", beside="loop-test-between-peeks")
def is_it_flaky():
    s, p, dice = session("is-it-flaky", ORCHARD)
    s.human("The press test failed on CI yesterday. Is it flaky?")
    for _ in range(16):
        s.bash(p.test_command, green(p, 21, dice))
    s.says("Sixteen green runs: I could not make it fail.")
    return s


@scenario("ok-keep-an-eye-on-it", "Asked to watch a queue, the agent looks at it 26 times", row="n12 n22", beside="loop-frozen-job")
def keep_an_eye_on_it():
    s = begin("Keep an eye on the queue of the kiln and tell me when more than a hundred bricks wait.", cwd=KILN.home, name="keep-an-eye")
    for _ in range(26):
        s.call("mcp__kiln__queue_length", {"queue": "bricks"}, '{"waiting": 12}')
    s.says("It stayed at twelve.")
    return s


@scenario("ok-version-after-version", "Nine versions of a package are installed, each followed by the same failing test, until one works", row="n05", beside="loop-same-failing-build")
def version_after_version():
    s, p, dice = session("versions", KILN)
    set_out(s, p, dice, "chimney", task="The newest grate does not work with our old compiler. Find the last version that does.")
    for minor in range(7, 0, -1):
        s.bash(f"cargo add grate@3.{minor}.0", f"Adding grate v3.{minor}.0 to dependencies")
        s.bash("cargo test chimney", f"error: package `grate v3.{minor}.0` cannot be built because it requires rustc 1.80 or newer", True)
    s.bash("cargo add grate@3.0.0", "Adding grate v3.0.0 to dependencies")
    settle(s, p, dice, "chimney")
    return s


@scenario("ok-riddle", "Eleven answers to a riddle, all of them wrong but the last", row="n19", beside="loop-known-refusals")
def riddle():
    s = begin("Answer the riddle on the board; guess as often as you like.", name="riddle")
    s.call("mcp__board__read_riddle", {}, "I speak without a mouth and hear without ears. What am I?")
    for guess in ["a whisper", "the wind", "a ghost", "a flute", "a shadow", "a voice", "thunder", "a kite", "a bell", "a drum"]:
        s.call("mcp__board__submit_answer", {"answer": guess}, "Incorrect. Try again.")
    s.call("mcp__board__submit_answer", {"answer": "an echo"}, "Correct!")
    s.says("It was an echo.")
    return s


@scenario("ok-same-licence-everywhere", "Fifteen numbered crates have the same licence", row="n20", beside="loop-numbered-variants")
def same_licence_everywhere():
    s, p, dice = session("licences", KILN)
    set_out(s, p, dice, "ash", task="Does every crate carry the MIT licence?")
    for number in range(15):
        s.read(f"{p.home}/crates/crate{number}/LICENSE", "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software.")
    s.says("All fifteen do.")
    return s


@scenario("loop-ci-says-the-same", "After each of nine pushes the log of the failed run is the same", row="t31", rules=["stalled-fix"], slack=4)
def ci_says_the_same():
    s, p, dice = session("ci-same", ORCHARD)
    set_out(s, p, dice, "press")
    with s.loop():
        for number in range(9):
            s.edit(f"{p.home}/.github/workflows/ci.yml", f"node: {14 + number}", f"node: {15 + number}")
            s.bash("git commit -qam 'Try another node' && git push -q", "")
            run = 91_000 + 37 * number
            s.bash(f"gh run view {run} --log-failed", f"test\tRun npm ci\t2026-05-04T09:{dice.between(10, 59)}:21.{dice.between(1000000, 9999999)}Z npm error code ENOENT\n"
                   f"test\tRun npm ci\t2026-05-04T09:{dice.between(10, 59)}:21.{dice.between(1000000, 9999999)}Z npm error path /home/runner/work/orchard/package-lock.json")
    return s


@scenario("loop-next-port", "A development server is started six times and takes the next port each time", row="t16", rules=["exact-repeat"])
def next_port():
    s, p, dice = session("next-port", FERRY)
    set_out(s, p, dice, "deck")
    with s.loop():
        for number in range(6):
            busy = "".join(f"Port {5173 + taken} is in use, trying another one...\n" for taken in range(number))
            s.bash("npm run dev", f"> ferry@1.0.0 dev\n> vite\n\n{busy}\n  VITE v5.2.0  ready in {dice.between(200, 900)} ms\n\n  Local:   http://localhost:{5173 + number}/")
    return s


@scenario("ok-one-command-each", "Each of ten scripts is tried, and all lack the same module", row="n06", beside="loop-same-failing-build")
def one_command_each():
    s, p, dice = session("one-each", KILN)
    set_out(s, p, dice, "ash", task="Which of the scripts still run?")
    for name in ["barn", "cellar", "dam", "field", "garden", "house", "loft", "mill", "pond", "quay"]:
        s.bash(f"python scripts/{name}.py", f"Exit code 1\nTraceback (most recent call last):\n  File \"scripts/{name}.py\", line 1, in <module>\n    import six\n"
               "ModuleNotFoundError: No module named 'six'", True)
    s.says("None of them: six is not installed.")
    return s


@scenario("ok-day-after-day", "A ferry is looked for on each of nine days, and there is none", row="n03", beside="loop-numbered-variants")
def day_after_day():
    s = Chat()
    s.system("You book crossings.")
    s.human("Is there any direct crossing to Skerry in the last week of May?")
    for day in range(23, 32):
        s.call("search_crossings", {"from": "Oban", "to": "Skerry", "date": f"2026-05-{day}"}, "[]")
    s.says("There is none that week.")
    return s


@scenario("ok-robot-tidies", "A robot lowers, grips and lifts for each of nine cups, and every move is answered with ok", row="n19", beside="loop-same-failing-build")
def robot_tidies():
    s = Chat()
    s.system("You steer an arm above a table.")
    s.human("Put the cups into the bin.")
    for cup in ["red", "blue", "green", "white", "black", "grey", "yellow", "brown", "pink"]:
        s.call("move_arm", {"above": f"{cup} cup"}, "ok")
        for move in ["lower", "close_gripper", "raise_arm", "move_to_bin", "open_gripper"]:
            s.call(move, {}, "ok")
    s.says("All nine are in the bin.")
    return s
