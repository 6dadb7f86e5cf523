"""One call again and again, and what only looks like it."""
from session_writer import Chat, Session
from scenarios.registry import scenario
from scenarios.world import BEACON, FERRY, KILN, ORCHARD, Dice, green, numbered, red, set_out, settle


def session(name, project):
    return Session(cwd=project.home, name=name, compact=True), project, Dice(name)


# ---- the same call, the same answer -----------------------------------------------------------------------

@scenario("loop-same-read", "One file is read 35 times and has not changed", row="t01", rules=["exact-repeat"])
def same_read():
    s, p, dice = session("same-read", FERRY)
    set_out(s, p, dice, "berth", leave=["tide"])
    with s.loop():
        for _ in range(35):
            s.read(p.path("tide"), numbered(p.source("tide")))
    s.interrupted()
    return s


@scenario("loop-same-failing-build", "A build that fails alike 35 times, then something else at last", row="t02",
          rules=["exact-repeat"])
def same_failing_build():
    s, p, dice = session("failing-build", ORCHARD)
    set_out(s, p, dice, "crate")
    with s.loop():
        for _ in range(35):
            s.bash("npm run build", "Exit code 2\nsrc/crate.ts(14,9): error TS2741: Property 'rank' is missing in type 'Crate'.",
                   True, "Build the bundle")
    settle(s, p, dice, "crate")
    return s


@scenario("ok-retry-with-a-fix", "The same build twice, a fix, and the same build again", row="t02",
          beside="loop-same-failing-build")
def retry_with_a_fix():
    s, p, dice = session("retry-fix", ORCHARD)
    set_out(s, p, dice, "crate")
    failure = "Exit code 2\nsrc/crate.ts(14,9): error TS2741: Property 'rank' is missing in type 'Crate'."
    s.bash("npm run build", failure, True)
    s.bash("npm run build", failure, True)
    s.edit(p.path("crate"), "name: string", "name: string\n  rank: number")
    s.bash("npm run build", "built 31 modules in 2.04s")
    s.bash("npm run build", "built 31 modules in 1.97s")
    settle(s, p, dice, "crate")
    return s


@scenario("loop-key-order", "The same query 24 times, its keys in another order each time", row="t15 e01",
          rules=["exact-repeat"])
def key_order():
    s, p, dice = session("key-order", BEACON)
    set_out(s, p, dice, "alert")
    with s.loop():
        for _ in range(24):
            keys = dice.shuffled([("region", "north"), ("state", "firing"), ("limit", 20), ("since", "2026-05-01")])
            s.call("mcp__pager__list_alerts", dict(keys), "no alerts are firing in north")
    settle(s, p, dice, "alert")
    return s


@scenario("loop-number-spelling", "The same page asked for as 1, 1.0 and 1e0", row="e01", rules=["exact-repeat"])
def number_spelling():
    s = Chat()
    s.system("You answer questions about the depot's stock.")
    s.human("Is there any oak left on the first page of the stock list?")
    with s.loop():
        for turn in range(18):
            page = ["1", "1.0", "1e0", "1.00"][turn % 4]
            arguments = [f'{{"page": {page}, "kind": "oak"}}', f'{{"kind":"oak","page":{page}}}'][turn % 2]
            s.call("stock_list", arguments, "oak: 14 beams, 3 reserved")
    return s


@scenario("ok-number-differs", "Pages 1 to 18 of a list that ends with the same footer", row="e01",
          beside="loop-number-spelling")
def number_differs():
    s = Chat()
    s.system("You answer questions about the depot's stock.")
    s.human("How many oak beams are there in all?")
    dice = Dice("number-differs")
    for page in range(1, 19):
        s.call("stock_list", {"page": page, "kind": "oak"}, f"oak: {dice.between(2, 90)} beams, shelf {dice.hex(4)}\n-- 18 pages --")
    s.says("There are 731 beams on 18 pages.")
    return s


@scenario("loop-no-arguments", "A call without arguments, written in three ways, always the same answer", row="e01",
          rules=["exact-repeat"])
def no_arguments():
    s = Chat()
    s.system("You steer a greenhouse.")
    s.human("Open the vents as soon as it is warmer than 24 degrees.")
    with s.loop():
        for turn in range(15):
            s.call("read_thermometer", ["{}", " { } ", "{}"][turn % 3], "error: sensor 3 is not calibrated")
    return s


@scenario("loop-only-times-differ", "24 equal runs whose output differs in times, durations and process ids alone",
          row="t16 e15", rules=["exact-repeat"])
def only_times_differ():
    s, p, dice = session("only-times", KILN)
    set_out(s, p, dice, "glaze")
    with s.loop():
        for turn in range(24):
            s.bash("./kiln --dry-run batch.toml",
                   f"[2026-05-04T09:{turn + 10}:{dice.between(10, 59)}Z] kiln started, pid {dice.between(2000, 60000)}\n"
                   f"reading batch.toml\nshelf 3: glaze not found in recipe\nstopped after {dice.between(2, 900)}ms\n"
                   f"report in /tmp/kiln-{dice.hex(8)}/report.txt", description="Try the batch")
    settle(s, p, dice, "glaze")
    return s


@scenario("ok-count-changes", "The same run whose failures go from 9 to 0", row="e15 n08", beside="loop-only-times-differ")
def count_changes():
    s, p, dice = session("count-changes", KILN)
    set_out(s, p, dice, "glaze")
    for failed in (9, 8, 6, 5, 3, 2, 1):
        s.bash("./kiln --dry-run batch.toml", f"[2026-05-04T09:3{failed}:11Z] kiln started, pid {4000 + failed}\n"
               f"{failed} shelves without a recipe")
    s.bash("./kiln --dry-run batch.toml", "[2026-05-04T09:41:12Z] kiln started, pid 4100\nall shelves have a recipe")
    settle(s, p, dice, "glaze")
    return s


@scenario("loop-fresh-request-id", "The same search 24 times with a new request id and a reworded reason", row="t17",
          rules=["exact-repeat"])
def fresh_request_id():
    s, p, dice = session("request-id", BEACON)
    set_out(s, p, dice, "lease")
    reasons = ["find where the lease is renewed", "look for the renewal", "locate lease code", "see who renews leases"]
    with s.loop():
        for _ in range(24):
            s.call("mcp__codesearch__query", {"q": "lease renew", "repo": "beacon", "request_id": dice.hex(12),
                                              "reason": dice.pick(reasons)},
                   "3 results\ninternal/lease/lease.go:44\ninternal/shard/shard.go:19\ninternal/relay/relay.go:71")
    settle(s, p, dice, "lease")
    return s


@scenario("loop-other-words-each-time", "The same call 24 times, announced in other words each time", row="t24",
          rules=["exact-repeat"])
def other_words():
    s, p, dice = session("other-words", FERRY)
    set_out(s, p, dice, "ticket")
    openings = ["Let me check", "I'll verify", "Now I want to see", "Time to look at", "First I need", "Checking",
                "I should confirm", "To be sure, I look at"]
    endings = ["the ticket table", "what the tickets look like", "the state of the tickets", "which tickets exist",
               "the rows once more", "whether the rows are there"]
    with s.loop():
        for turn in range(24):
            name = s.asks(("Bash", {"command": "sqlite3 ferry.db 'select count(*) from ticket'",
                                    "description": f"Count tickets {turn}"}),
                          said=f"{openings[turn % 8]} {endings[turn % 6]}, step {turn + 1}.")
            s.answer(name, "0")
    settle(s, p, dice, "ticket")
    return s


@scenario("loop-truncated-output", "The same long output 15 times, cut, with another temporary file in the note",
          row="e14", rules=["exact-repeat"])
def truncated_output():
    s, p, dice = session("truncated", KILN)
    set_out(s, p, dice, "curve")
    body = "\n".join(f"warning: unused variable `{noun}` in src/{noun}.rs" for noun in p.nouns)
    with s.loop():
        for _ in range(15):
            s.bash("cargo build 2>&1", f"{body}\nerror[E0433]: undeclared type `Curve`\n"
                   f"[cut; all of it is in /tmp/build-{dice.hex(8)}.log]", True, "Build")
    return s


@scenario("ok-cut-outputs-tell-nothing", "Answers that were cut out altogether are not known to be equal", row="e14",
          beside="loop-truncated-output")
def cut_outputs():
    s, p, dice = session("cut-outputs", KILN)
    set_out(s, p, dice, "curve")
    for noun in ("clay", "cone", "vent", "batch", "slip"):
        s.edit(p.path(noun), "limit.max", "limit.min")
        s.bash("cargo build --message-format json", f"[output too long, stored in /tmp/tool-results/{dice.hex(8)}.txt]")
    settle(s, p, dice, "curve")
    return s


@scenario("ok-redacted-paths", "Twelve files whose names and contents were blacked out before sharing", row="e14",
          beside="loop-same-read")
def redacted_paths():
    s, p, dice = session("redacted", FERRY)
    set_out(s, p, dice, "cabin")
    for _ in range(12):
        s.read("[REDACTED]", "[REDACTED]")
    settle(s, p, dice, "cabin")
    return s


@scenario("ok-screenshots", "A page is looked at nine times; pictures cannot be compared", row="e14", beside="loop-same-read")
def screenshots():
    s, p, dice = session("screenshots", ORCHARD)
    set_out(s, p, dice, "label")
    for turn in range(9):
        s.call("mcp__browser__screenshot", {"page": "labels"},
               [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}])
    settle(s, p, dice, "label")
    return s


@scenario("ok-queue-reader", "A queue without a cursor is read 30 times and gives something new each time", row="n04",
          beside="loop-same-read")
def queue_reader():
    s, p, dice = session("queue-reader", BEACON)
    set_out(s, p, dice, "receipt")
    for turn in range(30):
        s.call("mcp__queue__take", {"queue": "receipts", "max": 5},
               "\n".join(f"receipt {turn * 5 + i + 100}: {dice.pick(p.nouns)} {dice.between(2, 400)}" for i in range(5)))
    settle(s, p, dice, "receipt")
    return s


@scenario("ok-date-picker", "Next month is clicked nine times and the page changes each time", row="n13",
          beside="loop-same-read")
def date_picker():
    s, p, dice = session("date-picker", ORCHARD)
    set_out(s, p, dice, "delivery", task="Book the delivery for the second of February on the dealer's page.")
    for month in ["June", "July", "August", "September", "October", "November", "December", "January", "February"]:
        s.call("mcp__browser__click", {"element": "Next month", "ref": "e41"},
               f"calendar shows {month}\nfirst free day: {dice.between(2, 27)}")
    s.call("mcp__browser__click", {"element": "2 February", "ref": "e77"}, "delivery booked")
    s.says("The delivery is booked.")
    return s


@scenario("ok-task-list-changes", "A lead looks at the task list nine times; others work on it meanwhile", row="n21",
          beside="loop-same-read")
def task_list_changes():
    s, p, dice = session("task-list", BEACON)
    set_out(s, p, dice, "rota", task="Lead the three helpers until all nine chores of the rota are done.")
    for done in range(9):
        s.call("mcp__team__task_list", {}, "\n".join(
            f"{'done' if i <= done else 'open'}  {p.nouns[i]} clean-up" for i in range(9)))
        if done % 3 == 1:
            s.call("mcp__team__message", {"to": f"helper-{done // 3}", "text": f"please take {p.nouns[done + 1]} next"}, "sent")
    settle(s, p, dice, "rota")
    return s


@scenario("ok-human-asks-six-times", "A person asks the same question six times; one look each time", row="n12 e10",
          beside="loop-same-read")
def human_asks():
    s, p, dice = session("human-asks", FERRY)
    set_out(s, p, dice, "fare")
    for _ in range(6):
        s.human("What is the fare for dogs now?")
        s.read(p.path("fare"), numbered(p.source("fare")))
        s.says("Dogs travel for 4.20.")
    return s


@scenario("ok-queued-questions", "The person types while the agent works: six times the same command is wanted", row="n12 e03",
          beside="loop-same-failing-build")
def queued_questions():
    s, p, dice = session("queued", FERRY)
    set_out(s, p, dice, "pilot")
    for _ in range(6):
        s.queued("I changed the fixture, run it again")
        s.bash("pytest -q tests/test_pilot.py", red(p, "pilot", dice), True)
    s.says("It is still red; the fixture is not the reason.")
    return s


@scenario("loop-program-speaks-between", "Reminders of the program between ten equal calls are no person asking", row="e03",
          rules=["exact-repeat"])
def program_speaks():
    s, p, dice = session("program-speaks", FERRY)
    set_out(s, p, dice, "chart")
    with s.loop():
        for turn in range(12):
            if turn:
                s.meta("<system-reminder>The to-do list is empty. If you work on something larger, keep one.</system-reminder>")
            s.bash("pytest -q tests/test_chart.py", red(p, "chart", dice, said="chart has no scale"), True)
    return s


@scenario("ok-person-rejects", "Six calls that a person refuses are no evidence against the agent", row="e03",
          beside="loop-program-speaks-between")
def person_rejects():
    from session_writer import DENIED
    s, p, dice = session("rejects", FERRY)
    set_out(s, p, dice, "bell")
    for _ in range(6):
        s.call("Bash", {"command": "git push --force", "description": "Push"}, DENIED, True)
    settle(s, p, dice, "bell")
    return s


@scenario("loop-through-compaction", "Twelve equal calls with a compaction in the middle are one episode", row="t25 e11",
          rules=["exact-repeat", "post-compaction-loop"], flags=["persisted_across_compaction"])
def through_compaction():
    s, p, dice = session("through-compaction", KILN)
    set_out(s, p, dice, "firing")
    with s.loop():
        for turn in range(12):
            if turn == 6:
                s.compaction("The firing test is red; the curve is suspected.")
            s.bash("cargo test firing", red(p, "firing", dice), True)
    return s


@scenario("loop-three-before-four-after", "Three equal calls before a compaction and four after it are one loop of seven",
          row="e11", rules=["exact-repeat", "post-compaction-loop"], flags=["persisted_across_compaction"])
def three_before_four_after():
    s, p, dice = session("three-four", KILN)
    set_out(s, p, dice, "burner")
    with s.loop():
        for turn in range(7):
            if turn == 3:
                s.compaction("Working on the burner test.")
            s.bash("cargo test burner", red(p, "burner", dice, said="burner 2 is cold"), True)
    return s


@scenario("warn-again-after-compaction", "After a compaction one known call is made three times at once, then work goes on",
          row="t25", rules=["exact-repeat", "post-compaction-loop"])
def again_after_compaction():
    s, p, dice = session("again-after", KILN)
    set_out(s, p, dice, "apron", leave=["sieve"])
    s.bash("cargo test sieve", red(p, "sieve", dice), True)
    s.edit(p.path("sieve"), "limit.max", "limit.min")
    s.compaction("The sieve now takes the lower limit.")
    with s.loop():
        for _ in range(3):
            s.read(p.path("sieve"), numbered(p.source("sieve")))
    settle(s, p, dice, "sieve")
    return s


@scenario("ok-reads-again-after-compaction", "After a compaction the files are read once more, each once", row="t25",
          beside="warn-again-after-compaction")
def reads_again_after_compaction():
    s, p, dice = session("reads-again", KILN)
    set_out(s, p, dice, "tile")
    nouns = ["cup", "plate", "vase", "jar", "stamp"]
    for noun in nouns:
        s.read(p.path(noun), numbered(p.source(noun)))
    s.compaction("Read five files; the tile module is to be changed.")
    for noun in nouns:
        s.read(p.path(noun), numbered(p.source(noun)))
    settle(s, p, dice, "tile")
    return s


# ---- who is asking, and when the answer comes ----------------------------------------------------------------

@scenario("loop-in-a-sub-agent", "A sub-agent reads one file 20 times while the main agent works", row="e03",
          rules=["exact-repeat"])
def in_a_sub_agent():
    s, p, dice = session("sub-agent", BEACON)
    set_out(s, p, dice, "quota")
    task = s.asks(("Task", {"subagent_type": "explore", "prompt": "Where is the quota set?"}))
    with s.sub_agent("a71c", "Where is the quota set?"):
        s.call("Grep", {"pattern": "quota"}, "internal/quota/quota.go:12")
        with s.loop():
            for _ in range(20):
                s.read(p.path("quota"), numbered(p.source("quota")))
    s.answer(task, "I could not find out where the quota is set.")
    settle(s, p, dice, "quota")
    return s


@scenario("ok-two-sub-agents", "Two sub-agents and the main agent read the same file, each twice at most", row="e03",
          beside="loop-in-a-sub-agent")
def two_sub_agents():
    s, p, dice = session("two-agents", BEACON)
    set_out(s, p, dice, "token")
    tasks = [s.asks(("Task", {"subagent_type": "explore", "prompt": f"{word} tokens"}), more=word != "Count")
             for word in ("Count", "Explain")]
    for _ in range(2):
        for agent, word in (("b1", "Count"), ("b2", "Explain")):
            with s.sub_agent(agent, f"{word} tokens"):
                s.read(p.path("token"), numbered(p.source("token")))
    for task in tasks:
        s.answer(task, "three tokens")
    s.read(p.path("token"), numbered(p.source("token")))
    settle(s, p, dice, "token")
    return s


@scenario("loop-answers-come-late", "Answers come while the same response still calls; the pair of calls repeats ten times",
          row="e02 e03", rules=["exact-repeat", "cycle"])
def answers_come_late():
    s, p, dice = session("answers-late", FERRY)
    set_out(s, p, dice, "pier", leave=["route"])
    with s.loop():
        for _ in range(10):
            first = s.asks(("Read", {"file_path": p.path("route")}))
            second = s.asks(("Bash", {"command": "pytest -q tests/test_route.py", "description": "Test"}), more=True)
            s.answer(second, red(p, "route", dice), True)
            s.answer(first, numbered(p.source("route")))
    return s


@scenario("ok-never-answered", "Eight equal calls that never got an answer: nobody knows what they would have said", row="e02",
          beside="loop-same-read")
def never_answered():
    s, p, dice = session("never-answered", FERRY)
    set_out(s, p, dice, "galley")
    for _ in range(8):
        s.asks(("WebFetch", {"url": "https://menu.example/galley", "prompt": "today's menu"}))
    s.human("The proxy was off, sorry.")
    s.call("WebFetch", {"url": "https://menu.example/galley", "prompt": "today's menu"}, "soup, fish, plums")
    settle(s, p, dice, "galley")
    return s


@scenario("loop-answered-twice", "Every answer is recorded twice; the loop of 15 is still one of 15", row="e02",
          rules=["exact-repeat"])
def answered_twice():
    s, p, dice = session("answered-twice", ORCHARD)
    set_out(s, p, dice, "well", leave=["bee"])
    with s.loop():
        for _ in range(15):
            name = s.asks(("Read", {"file_path": p.path("bee")}))
            s.answer(name, numbered(p.source("bee")))
            s.answer(name, numbered(p.source("bee")))
    return s


@scenario("loop-call-ids-reused", "A server that gives every call the same id; the same lookup 16 times", row="e02",
          rules=["exact-repeat"])
def call_ids_reused():
    s = Chat()
    s.human("When does the market open on Sunday?")
    with s.loop():
        for _ in range(16):
            s.open_calls = 0
            s.call("opening_hours", {"day": "Sunday"}, "unknown day")
    return s


@scenario("ok-call-ids-reused", "The same id for 16 calls that ask different things", row="e02", beside="loop-call-ids-reused")
def call_ids_reused_ok():
    s = Chat()
    s.human("When do the markets open?")
    dice = Dice("ids-reused")
    for noun in ORCHARD.nouns[:16]:
        s.open_calls = 0
        s.call("opening_hours", {"market": noun}, f"{noun}: from {dice.between(5, 11)} to {dice.between(12, 19)} o'clock")
    s.says("All sixteen are open in the morning.")
    return s


@scenario("ok-answer-before-call", "A log that was written out of order: answers stand before their calls", row="e02",
          beside="loop-answered-twice")
def answer_before_call():
    s = Chat()
    s.human("Which barrels are full?")
    for number in range(10):
        s.answer(f"call_{number + 1}", "full")
        s.ask(("barrel_state", {"barrel": number}))
    s.says("All of them.")
    return s


# ---- as often as was asked for ----------------------------------------------------------------------------

@scenario("loop-installs-instead-of-workers", "Eight workers are wanted; the installation before them fails alike nine times", row="t02",
          rules=["exact-repeat"])
def installs_instead_of_workers():
    s = Session(cwd=FERRY.home, name="installs-for-workers", compact=True)
    s.human("Start 9 workers with the same settings and tell me their ids.")
    with s.loop():
        for _ in range(9):
            s.bash("npm install", "Exit code 1\nnpm error code ERESOLVE\nnpm error While resolving: ferry@2.1.0\nnpm error Found: tide@19.0.0",
                   True, "Install what the workers need")
    s.interrupted()
    return s


@scenario("ok-nine-workers", "Nine workers are wanted, and each is started by the same call", row="n12",
          beside="loop-installs-instead-of-workers")
def nine_workers():
    s = Session(cwd=FERRY.home, name="nine-workers", compact=True)
    s.human("Start 9 workers with the same settings and tell me how it went.")
    for _ in range(9):
        s.call("start_worker", {"settings": "default"}, '{"state": "started"}')
    s.says("All nine are up.")
    return s
