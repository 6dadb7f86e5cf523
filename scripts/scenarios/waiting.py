"""Waiting for something: polls, retries, errors that go away and errors that stay."""
from session_writer import Pi
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import BEACON, FERRY, KILN, ORCHARD, numbered, set_out, settle

QUIET = "<status>running</status>\n<stdout></stdout>"


def start_job(s, command, number=1):
    s.call("Bash", {"command": command, "run_in_background": True}, f"Command running in background with ID: bash_{number}")


@scenario("loop-frozen-job", "A background job is looked at 41 times and never says anything", row="t13 e07",
          rules=["poll-no-progress"])
def frozen_job():
    s, p, dice = session("frozen-job", KILN)
    set_out(s, p, dice, "brick")
    start_job(s, "cargo build --release")
    with s.loop():
        for _ in range(41):
            s.call("BashOutput", {"bash_id": "bash_1"}, QUIET)
    s.interrupted()
    return s


@scenario("ok-build-prints", "A build is looked at 27 times and prints something new each time", row="n01",
          beside="loop-frozen-job")
def build_prints():
    s, p, dice = session("build-prints", KILN)
    set_out(s, p, dice, "brick")
    start_job(s, "cargo build --release")
    for turn in range(27):
        s.call("BashOutput", {"bash_id": "bash_1"}, f"<status>running</status>\n<stdout>   Compiling {p.nouns[turn]} v0.{turn}.{dice.between(0, 9)}</stdout>")
    s.call("BashOutput", {"bash_id": "bash_1"}, "<status>completed</status>\n<stdout>    Finished release profile</stdout>")
    settle(s, p, dice, "brick")
    return s


@scenario("ok-six-polls", "Six equal looks at a job, then it is done", row="n02 e07", beside="loop-frozen-job")
def six_polls():
    s, p, dice = session("six-polls", KILN)
    set_out(s, p, dice, "stamp")
    start_job(s, "cargo build")
    for _ in range(6):
        s.call("BashOutput", {"bash_id": "bash_1"}, QUIET)
    s.call("BashOutput", {"bash_id": "bash_1"}, "<status>completed</status>\n<stdout>    Finished dev profile</stdout>")
    settle(s, p, dice, "stamp")
    return s


@scenario("warn-eight-ci-checks", "Eight looks at CI that say pending, then success", row="n22 e07", rules=["poll-no-progress"])
def eight_ci_checks():
    s, p, dice = session("ci-checks", BEACON)
    set_out(s, p, dice, "uptime")
    s.bash("git push -q origin uptime", "")
    with s.loop():
        for _ in range(8):
            s.bash("gh pr checks 214", "build\tpending\t0\nlint\tpending\t0", description="How is CI?")
    s.bash("gh pr checks 214", "build\tpass\t4m12s\nlint\tpass\t31s")
    settle(s, p, dice, "uptime")
    return s


@scenario("ok-ci-checks-move", "Nine looks at CI; one more job is done each time", row="n22", beside="warn-eight-ci-checks")
def ci_checks_move():
    s, p, dice = session("ci-move", BEACON)
    set_out(s, p, dice, "budget")
    s.bash("git push -q origin budget", "")
    jobs = ["build", "lint", "unit", "race", "arm", "docs", "bench", "image", "smoke"]
    for done in range(10):
        s.bash("gh pr checks 215", "\n".join(f"{job}\t{'pass' if i < done else 'pending'}" for i, job in enumerate(jobs)))
    settle(s, p, dice, "budget")
    return s


@scenario("loop-ci-forever", "A CI run is looked at 40 times and stays pending", row="e07", rules=["poll-no-progress"])
def ci_forever():
    s, p, dice = session("ci-forever", BEACON)
    set_out(s, p, dice, "panel")
    s.bash("git push -q origin panel", "")
    with s.loop():
        for _ in range(40):
            s.bash("sleep 60; gh run view 8841", "panel · build\nX queued, waiting for a runner", description="Wait for CI")
    return s


@scenario("ok-three-503", "Three times 503, then success, then other work", row="n05 e08", beside="loop-five-permission-errors")
def three_503():
    s, p, dice = session("three-503", FERRY)
    set_out(s, p, dice, "tide")
    for _ in range(3):
        s.call("WebFetch", {"url": "https://tides.example/today", "prompt": "high water"}, "Request failed with status code 503", True)
    s.call("WebFetch", {"url": "https://tides.example/today", "prompt": "high water"}, "High water at 11:42 and 23:58.")
    settle(s, p, dice, "tide")
    return s


@scenario("loop-five-permission-errors", "A file cannot be written for want of permission, five times with another content; the session ends there",
          row="e08", rules=["same-error"])
def five_permission_errors():
    s, p, dice = session("permission", FERRY)
    set_out(s, p, dice, "mooring")
    with s.loop():
        for _ in range(5):
            s.call("Write", {"file_path": "/srv/ferry/mooring.json", "content": f"{{\"rope\": {dice.between(5, 60)}}}"},
                   "EACCES: permission denied, open '/srv/ferry/mooring.json'", True)
    return s


@scenario("loop-search-401", "A search is reworded 24 times against a key that is not accepted", row="t11", rules=["same-error"])
def search_401():
    s, p, dice = session("search-401", BEACON)
    set_out(s, p, dice, "escalation")
    subjects = ["on-call rota", "escalation policy", "who is called first", "pager chain", "night shift", "rota hand-over"]
    tails = ["", " 2026", " template", " for region north"]
    with s.loop():
        for tail in tails:
            for subject in subjects:
                s.call("mcp__wiki__search", {"query": subject + tail}, "401 Unauthorized: invalid api key", True)
    s.says("I cannot find anything about the rota.")
    return s


@scenario("ok-two-401-then-login", "Two refusals, a log-in, then twelve searches that find something", row="t11",
          beside="loop-search-401")
def two_401():
    s, p, dice = session("two-401", BEACON)
    set_out(s, p, dice, "escalation")
    for query in ("rota", "pager chain"):
        s.call("mcp__wiki__search", {"query": query}, "401 Unauthorized: invalid api key", True)
    s.call("mcp__wiki__login", {"user": "noor"}, "logged in")
    for noun in p.nouns[:12]:
        s.call("mcp__wiki__search", {"query": f"{noun} owner"}, f"{title_of(noun)}: owned by team {dice.hex(3)}")
    settle(s, p, dice, "escalation")
    return s


def title_of(word):
    return word.capitalize()


@scenario("loop-unknown-tool", "A tool that does not exist is called 24 times with other arguments", row="t30",
          rules=["same-error"])
def unknown_tool():
    s, p, dice = session("unknown-tool", ORCHARD)
    set_out(s, p, dice, "cellar")
    with s.loop():
        for turn in range(24):
            s.call("SearchAndReplace", {"path": p.path(p.nouns[turn]), "find": "weight", "replace": "mass"},
                   "<tool_use_error>Error: No such tool available: SearchAndReplace</tool_use_error>", True)
    return s


@scenario("ok-unknown-tool-twice", "A tool that does not exist is tried twice, then the right one is used", row="t30",
          beside="loop-unknown-tool")
def unknown_tool_twice():
    s, p, dice = session("unknown-twice", ORCHARD)
    set_out(s, p, dice, "cellar")
    for noun in p.nouns[:2]:
        s.call("SearchAndReplace", {"path": p.path(noun), "find": "weight", "replace": "mass"},
               "<tool_use_error>Error: No such tool available: SearchAndReplace</tool_use_error>", True)
    for noun in p.nouns[:10]:
        s.edit(p.path(noun), "weight", "mass")
    settle(s, p, dice, "cellar")
    return s


TROUBLES = [("yarn build", "Exit code 127\nyarn: command not found"),
            ("cat /app/config.json", "Exit code 1\ncat: /app/config.json: No such file or directory"),
            ("touch /etc/orchard.conf", "Exit code 1\ntouch: cannot touch '/etc/orchard.conf': Permission denied"),
            ("docker compose up -d", "Exit code 1\nCannot connect to the Docker daemon"),
            ("psql -l", "Exit code 2\npsql: error: connection to server on socket failed"),
            ("python3 seed.py", "Exit code 1\nModuleNotFoundError: No module named 'orchard'"),
            ("git fetch upstream", "Exit code 128\nfatal: 'upstream' does not appear to be a git repository"),
            ("npm run start:dev", "Exit code 1\nMissing script: \"start:dev\""),
            ("make dev", "Exit code 2\nmake: *** No rule to make target 'dev'.  Stop."),
            ("node server.js", "Exit code 1\nError: listen EADDRINUSE: address already in use :::8080"),
            ("openssl x509 -in cert.pem", "Exit code 1\nunable to load certificate"),
            ("tar xf seed.tar", "Exit code 2\ntar: This does not look like a tar archive")]


@scenario("warn-twelve-failures", "Twelve failing calls in a row, each with another error", row="t29", rules=["error-streak"])
def twelve_failures():
    s, p, dice = session("twelve-failures", ORCHARD)
    set_out(s, p, dice, "stall", task="Bring the stall server up on this machine.")
    with s.loop():
        for command, trouble in TROUBLES:
            s.bash(command, trouble, True)
    s.says("This machine lacks nearly everything; I need to know how it is meant to be set up.")
    return s


@scenario("ok-seven-failures", "Seven different failures while a machine is set up, a success, then some more", row="t29",
          beside="warn-twelve-failures")
def seven_failures():
    s, p, dice = session("seven-failures", ORCHARD)
    set_out(s, p, dice, "stall", task="Bring the stall server up on this machine.")
    for command, trouble in TROUBLES[:7]:
        s.bash(command, trouble, True)
    s.bash("cat README.md", "Set up with ./bootstrap.sh")
    for command, trouble in TROUBLES[7:]:
        s.bash(command, trouble, True)
    s.bash("./bootstrap.sh", "ready on port 8081")
    settle(s, p, dice, "stall")
    return s


@scenario("loop-restart-and-ask", "Restart the server, ask it, read its log: the same refusal in all of nine rounds", row="t07 t05",
          rules=["cycle", "interleaved-repeat", "same-error"])
def restart_and_ask():
    s, p, dice = session("restart-ask", ORCHARD)
    set_out(s, p, dice, "market")
    with s.loop():
        for _ in range(9):
            s.bash("pkill -f 'node market.js'; (node market.js > market.log 2>&1 &)", "")
            s.bash("curl -sf localhost:8080/market", "Exit code 22", True)
            s.bash("cat market.log", "Error: MARKET_DB is not set\n    at connect (market.js:11:9)")
    return s


@scenario("ok-restart-until-it-runs", "Restart the server, ask it, read its log: another trouble in each of six rounds", row="t07",
          beside="loop-restart-and-ask")
def restart_until_it_runs():
    s, p, dice = session("restart-runs", ORCHARD)
    set_out(s, p, dice, "market")
    for trouble in ["MARKET_DB is not set", "table stall is missing", "column fee is missing", "port 8080 is taken",
                    "no such user noor"]:
        s.bash("pkill -f 'node market.js'; (node market.js > market.log 2>&1 &)", "")
        s.bash("curl -sf localhost:8080/market", "Exit code 22", True)
        s.bash("cat market.log", f"Error: {trouble}\n    at connect (market.js:{dice.between(5, 90)}:9)")
        s.edit(f"{p.home}/market.js", f"// {trouble}?", f"// {trouble}: seen to")
    s.bash("pkill -f 'node market.js'; (node market.js > market.log 2>&1 &)", "")
    s.bash("curl -sf localhost:8080/market", '{"stalls": 14}')
    settle(s, p, dice, "market")
    return s


@scenario("loop-page-that-is-not-there", "Ever higher page numbers, and each is empty alike", row="t12 n03",
          rules=["near-repeat", "stagnation", "reworded-search"])
def page_not_there():
    s, p, dice = session("empty-pages", FERRY)
    set_out(s, p, dice, "manifest")
    with s.loop():
        for page in range(40, 66):
            s.call("mcp__registry__list", {"kind": "manifest", "page": page, "per_page": 50}, '{"items": [], "total": 1204}')
    return s


@scenario("ok-pages-one-to-twenty", "Twenty pages with something on each", row="n03", beside="loop-page-that-is-not-there")
def pages():
    s, p, dice = session("pages", FERRY)
    set_out(s, p, dice, "manifest")
    for page in range(1, 21):
        items = ", ".join(f'"{dice.pick(p.nouns)}-{dice.hex(4)}"' for _ in range(5))
        s.call("mcp__registry__list", {"kind": "manifest", "page": page, "per_page": 5}, f'{{"items": [{items}], "total": 100}}')
    settle(s, p, dice, "manifest")
    return s


def heartbeat(s, p, seconds):
    s.rest(seconds)
    s.human("Read HEARTBEAT.md if it exists. Follow it strictly. If nothing needs attention, reply HEARTBEAT_OK.")
    s.read(p.path("gate"), '{"gate": "closed", "waiting": []}')
    s.says("HEARTBEAT_OK")


@scenario("loop-heartbeats-at-once", "pi: sixteen heartbeats, each a few seconds after the answer to the last, and the look is the same", row="t13",
          rules=["exact-repeat"])
def heartbeats_at_once():
    s, p = Pi(FERRY.home), FERRY
    s.human("Tell me when somebody waits at the gate.")
    with s.loop():
        s.read(p.path("gate"), '{"gate": "closed", "waiting": []}')
        s.says("Nobody does. I look again with each heartbeat.")
        for _ in range(16):
            heartbeat(s, p, 8)
    return s


@scenario("ok-heartbeats-of-a-day", "pi: the same look with each heartbeat, one every half hour", row="n01", beside="loop-heartbeats-at-once")
def heartbeats_of_a_day():
    s, p = Pi(FERRY.home), FERRY
    s.human("Tell me when somebody waits at the gate.")
    s.read(p.path("gate"), '{"gate": "closed", "waiting": []}')
    s.says("Nobody does. I look again with each heartbeat.")
    for _ in range(16):
        heartbeat(s, p, 1800)
    return s
