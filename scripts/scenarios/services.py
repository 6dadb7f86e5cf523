"""Services and helpers: what is made there, listed, fetched and waited for."""
from session_writer import Chat, Codex
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import ORCHARD, BEACON, KILN, Dice, set_out, settle

TIMED_OUT = '{"status": {}, "timed_out": true}'


def helper(name, task):
    s = Codex(BEACON.home)
    s.human(task)
    s.thinks("**Handing it on**")
    s.call("spawn_agent", {"message": task}, '{"agent_id": "ag_1", "nickname": "Rook"}')
    return s, Dice(name)


@scenario("loop-helper-never-comes", "Codex: a sub-agent is waited for 60 times, a minute each, and nothing comes",
          row="t13 e07", rules=["poll-no-progress"])
def helper_never_comes():
    s, dice = helper("never-comes", "Have a helper check all links of the rota pages.")
    for _ in range(24):  # pauses, as long as that
        s.call("wait_agent", {"ids": ["ag_1"], "timeout_ms": 60000}, TIMED_OUT)
    with s.loop():
        for _ in range(36):
            s.call("wait_agent", {"ids": ["ag_1"], "timeout_ms": 60000}, TIMED_OUT)
    return s


@scenario("ok-helper-takes-hours", "Codex: a sub-agent is waited for twenty times, then it is done", row="n02 e07",
          beside="loop-helper-never-comes")
def helper_takes_hours():
    s, dice = helper("takes-hours", "Have a helper check all links of the rota pages.")
    for _ in range(20):
        s.call("wait_agent", {"ids": ["ag_1"], "timeout_ms": 600000}, TIMED_OUT)
    s.call("wait_agent", {"ids": ["ag_1"], "timeout_ms": 600000},
           '{"status": {"ag_1": {"completed": "All links hold but one."}}, "timed_out": false}')
    s.says("All links hold but one.")
    return s


def desk(task):
    s = Chat()
    s.system("You keep the tickets of an orchard.")
    s.human(task)
    return s


def made(number):
    return f'{{"id": "TCK-{number}", "state": "open", "url": "https://desk.example/tickets/{number}"}}'


@scenario("loop-ticket-opened-again", "One ticket is opened 14 times, with another number each time", row="t16 e15",
          rules=["exact-repeat"])
def ticket_opened_again():
    s = desk("Open a ticket: the gate of the north row does not close.")
    with s.loop():
        for turn in range(14):
            s.call("create_ticket", {"title": "The gate of the north row does not close", "row": "north"}, made(4410 + 3 * turn))
    return s


@scenario("ok-ticket-for-each-gate", "A ticket for each of 14 gates", row="n06", beside="loop-ticket-opened-again")
def ticket_for_each_gate():
    s = desk("Open a ticket for each gate that does not close; they stand in the list.")
    for turn, noun in enumerate(ORCHARD.nouns[:14]):
        s.call("create_ticket", {"title": "The gate does not close", "row": noun}, made(4410 + 3 * turn))
    s.says("14 tickets are open.")
    return s


@scenario("ok-blank-tickets-asked-for", "Twelve blank tickets, as was asked", row="n06", beside="loop-ticket-opened-again")
def blank_tickets():
    s = desk("Please make 12 blank tickets, we fill them in at the meeting.")
    for turn in range(12):
        s.call("create_ticket", {"title": "", "row": ""}, made(4410 + 3 * turn))
    s.says("There they are.")
    return s


def sacks(task):
    s = Chat()
    s.system("You keep the stock of a mill.")
    s.human(task)
    return s, Dice(task)


@scenario("loop-one-page-behind-every-cursor", "A list is turned over 14 times; each cursor is another one, each page the same",
          row="t12 n03", rules=["stagnation"])
def one_page():
    s, dice = sacks("List all sacks in the barn.")
    here = dice.hex(8)
    with s.loop():
        for _ in range(14):
            there = dice.hex(8)
            s.call("list_sacks", {"cursor": here, "limit": 3},
                   f'{{"sacks": [{{"id": 1, "corn": "rye"}}, {{"id": 2, "corn": "oats"}}], "next_cursor": "{there}"}}')
            here = there
    return s


@scenario("ok-pages-behind-cursors", "A list is turned over 14 times and ends", row="n03",
          beside="loop-one-page-behind-every-cursor")
def many_pages():
    s, dice = sacks("List all sacks in the barn.")
    here = dice.hex(8)
    for page in range(14):
        there = dice.hex(8)
        s.call("list_sacks", {"cursor": here, "limit": 3},
               f'{{"sacks": [{{"id": {2 * page + 1}, "corn": "rye"}}, {{"id": {2 * page + 2}, "corn": "oats"}}], "next_cursor": "{there}"}}')
        here = there
    s.says("There are 28 sacks.")
    return s


def fetches(name, times):
    s = Codex(KILN.home)
    s.human("What does clay cost today?")
    for _ in range(times):
        s.call("shell", {"command": ["bash", "-lc", "curl -sS https://clay.example/prices"]},
               "HTTP 503 Service Unavailable: upstream connect error")
    return s


@scenario("loop-service-hammered", "Codex: a service answers 503 and is asked 25 times, and nobody says that it failed", row="e08",
          rules=["exact-repeat"])
def service_hammered():
    s = fetches("hammered", 0)
    with s.loop():
        for _ in range(25):
            s.call("shell", {"command": ["bash", "-lc", "curl -sS https://clay.example/prices"]},
                   "HTTP 503 Service Unavailable: upstream connect error")
    return s


@scenario("ok-service-comes-back", "Codex: a service answers 503 four times, and then with the prices", row="n05 e08",
          beside="loop-service-hammered")
def service_comes_back():
    s = fetches("comes-back", 4)
    s.call("shell", {"command": ["bash", "-lc", "curl -sS https://clay.example/prices"]}, '{"clay": 4.2, "glaze": 11.9}')
    s.says("Clay costs 4.20.")
    return s


def waits_for_page(dice, locator):
    return ("Exit code 1\nRunning 1 test using 1 worker\n  1) stall.spec.ts:8:5 › shows the stall\n\n"
            f"    Error: Timed out 5000ms waiting for expect(locator).toBeVisible()\n\n    Locator: {locator}\n"
            f"    Expected: visible\n    Received: hidden\n\n  1 failed\n    stall.spec.ts:8:5 › shows the stall ({dice.seconds()}s)")


@scenario("warn-browser-test-run-again", "A browser test that waits in vain for a page is run four times as it is", row="t02",
          rules=["exact-repeat"])
def browser_test_again():
    s, p, dice = session("browser-again", ORCHARD)
    set_out(s, p, dice, "stall")
    with s.loop():
        for _ in range(4):
            s.bash("npx playwright test stall.spec.ts", waits_for_page(dice, "getByText('Open')"), True)
    settle(s, p, dice, "stall")
    return s


@scenario("ok-browser-test-mended", "A browser test waits in vain twice, for another thing the second time, and passes", row="t02",
          beside="warn-browser-test-run-again")
def browser_test_mended():
    s, p, dice = session("browser-mended", ORCHARD)
    set_out(s, p, dice, "stall")
    for locator in ("getByText('Open')", "getByRole('list')"):
        s.bash("npx playwright test stall.spec.ts", waits_for_page(dice, locator), True)
        s.edit(p.path("stall"), f"// {locator}", "show(stall)")
    s.bash("npx playwright test stall.spec.ts", "Running 1 test using 1 worker\n  1 passed (1.4s)")
    settle(s, p, dice, "stall")
    return s
