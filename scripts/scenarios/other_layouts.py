"""Loops and near misses in the layouts of Codex and of plain chat messages."""
from session_writer import Chat, Codex
from scenarios.registry import scenario
from scenarios.world import BEACON, FERRY, KILN, ORCHARD, Dice, green, red


def codex(p, name, task):
    s = Codex(p.home)
    s.human(task)
    s.thinks("**Looking around**")
    s.bash("git status --short && ls src | head", "\n".join(p.short(noun) for noun in p.nouns[:6]))
    s.bash(f"sed -n 1,80p {p.short(p.nouns[2])}", p.source(p.nouns[2]))
    return s, Dice(name)


@scenario("loop-codex-same-command", "Codex: one command 18 times; chunk id and wall time are never the same", row="t02 e15",
          rules=["exact-repeat"])
def codex_same():
    s, dice = codex(KILN, "codex-same", "Mend the vent test.")
    with s.loop():
        for _ in range(18):
            s.bash("cargo test vent", red(KILN, "vent", dice)[len("Exit code 101\n"):], 101)
    return s


@scenario("loop-codex-cycle", "Codex: read, refused patch, red test, eleven rounds with a compaction in the sixth",
          row="t05 t25", rules=["cycle"], flags=["persisted_across_compaction"])
def codex_cycle():
    s, dice = codex(KILN, "codex-cycle", "Mend the ash test.")
    with s.loop():
        for turn in range(11):
            if turn == 5:
                s.compaction("The ash test is red; a patch of src/ash.rs is being tried.")
            s.bash("sed -n 1,120p src/ash.rs", KILN.source("ash"))
            s.patch("*** Update File: src/ash.rs\n@@\n-    let limit = 3;\n+    let limit = 5;",
                    "apply_patch verification failed: Failed to find expected lines in src/ash.rs")
            s.bash("cargo test ash", red(KILN, "ash", dice)[len("Exit code 101\n"):], 101)
    return s


@scenario("loop-codex-frozen-program", "Codex: a running program is looked at 30 times and says nothing", row="t13",
          rules=["poll-no-progress", "exact-repeat"])
def codex_frozen():
    s, dice = codex(BEACON, "codex-frozen", "Run the long check and tell me the result.")
    s.start("make long-check", "waiting for the quorum", 41)
    with s.loop():
        for _ in range(30):
            s.look(41, "")
    return s


@scenario("ok-codex-program-prints", "Codex: a running program is looked at 20 times and prints on", row="n01",
          beside="loop-codex-frozen-program")
def codex_prints():
    s, dice = codex(BEACON, "codex-prints", "Run the long check and tell me the result.")
    s.start("make long-check", "checking", 42)
    for noun in BEACON.nouns[:20]:
        s.look(42, f"{noun}: {dice.between(10, 99)} probes answered")
    s.look(42, "all answered", 0)
    s.says("All probes answer.")
    return s


@scenario("ok-codex-patches", "Codex: 22 patches with the same acknowledgement, tests now and then", row="n06 n19",
          beside="loop-codex-cycle")
def codex_patches():
    s, dice = codex(KILN, "codex-patches", "Mark all public functions as must_use.")
    for turn, noun in enumerate(KILN.nouns[:22]):
        s.patch(f"*** Update File: src/{noun}.rs\n@@\n-pub fn {KILN.verbs(noun)[0]}\n+#[must_use]\n+pub fn {KILN.verbs(noun)[0]}",
                f"Success. Updated the following files:\nM src/{noun}.rs")
        if turn % 4 == 3:
            s.bash("cargo test", green(KILN, 86, dice))
    s.says("Done in 22 files.")
    return s


@scenario("ok-codex-same-answer-new-question", "Codex: a dozen commands that all print nothing, as good commands do", row="n19",
          beside="loop-codex-same-command")
def codex_silent_commands():
    s, dice = codex(ORCHARD, "codex-silent", "Set up the folders for the twelve stalls.")
    for noun in ORCHARD.nouns[:12]:
        s.bash(f"mkdir -p stalls/{noun} && cp template.json stalls/{noun}/stall.json", "")
    s.bash("ls stalls", "\n".join(ORCHARD.nouns[:12]))
    s.says("There they are.")
    return s


def flights(name):
    s = Chat()
    s.system("You are the booking desk of an airline. Use the tools; ask before you book.")
    s.human("I have to change my flight to Oslo to the evening, number QX7.")
    s.call("find_booking", {"number": "QX7"}, '{"flight": 212, "to": "OSL", "departs": "08:15", "class": "saver"}')
    return s, Dice(name)


@scenario("loop-chat-lookup", "Chat: one lookup of a flight 14 times", row="t01", rules=["exact-repeat"])
def chat_lookup():
    s, dice = flights("lookup")
    with s.loop():
        for _ in range(14):
            s.call("flight_status", {"flight": 218, "date": "2026-05-09"}, '{"seats": 0, "waiting": true}')
    s.says("I am sorry, I could not find out whether there is a seat.")
    return s


@scenario("loop-chat-two-tools", "Chat: a lookup and a refused change in turn, twelve rounds", row="t03 t04", rules=["cycle", "same-error"])
def chat_two_tools():
    s, dice = flights("two-tools")
    with s.loop():
        for _ in range(12):
            s.call("flight_status", {"flight": 218, "date": "2026-05-09"}, '{"seats": 4}')
            s.call("change_booking", {"number": "QX7", "flight": 218}, "Error: saver fares cannot be changed")
    return s


@scenario("loop-chat-parallel", "Chat: two parallel lookups in every response, eleven times the same", row="e09", rules=["cycle", "exact-repeat"])
def chat_parallel():
    s, dice = flights("parallel")
    with s.loop():
        for _ in range(11):
            first, second = s.ask(("flight_status", {"flight": 218}), ("flight_status", {"flight": 220}))
            s.answer(second, '{"seats": 0}')
            s.answer(first, '{"seats": 0}')
    return s


@scenario("ok-chat-many-customers", "Chat: the same two tools for nine wishes of one person", row="n12",
          beside="loop-chat-two-tools")
def chat_many():
    s, dice = flights("many")
    for number in range(9):
        s.human(f"And what about booking QX{number + 20}, is that on time?")
        s.call("find_booking", {"number": f"QX{number + 20}"}, f'{{"flight": {300 + number}, "to": "BGO"}}')
        s.call("flight_status", {"flight": 300 + number, "date": "2026-05-09"}, '{"on_time": true}')
        s.says("Yes, it is on time.")
    return s


@scenario("ok-chat-polite-refusals", "Chat: a person insists five times and hears the same refusal", row="n12",
          beside="loop-same-message-chat")
def chat_refusals():
    s, dice = flights("refusals")
    for wish in ["Change it.", "But I must fly in the evening.", "Your colleague said it can be done.", "Please.", "Then cancel it and book anew."]:
        s.human(wish)
        s.says("I am sorry, saver fares cannot be changed; they can be cancelled up to one day before.")
    return s


@scenario("ok-chat-dates-in-turn", "Chat: fourteen dates are asked for one after the other; some are full alike", row="n03",
          beside="loop-chat-lookup")
def chat_dates():
    s, dice = flights("dates")
    for day in range(9, 23):
        s.call("flight_status", {"flight": 218, "date": f"2026-05-{day:02}"}, f'{{"seats": {[0, 4, 0, 2, 1][day % 5]}, "price": {dice.between(90, 400)}}}')
    s.says("There are seats on nine of the fourteen evenings; the cheapest is the 11th.")
    return s
