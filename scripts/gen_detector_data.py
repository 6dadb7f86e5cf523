#!/usr/bin/env python3
"""Writes testdata/detectors/<rule>/{fires,quiet}*.jsonl: for each rule, what it must find and what it must not.

All of it is invented; the record layout is that of Claude Code. A file name is its verdict: in fires*.jsonl the rule
finds something, in quiet*.jsonl nothing. `settings` in a folder holds the parameters a rule cannot do without.

    gen_detector_data.py [--check]      write the files, or fail when a committed one differs
"""
import json
import pathlib
import sys

from session_writer import DENIED, Chat, begin

OUT = pathlib.Path(__file__).resolve().parent.parent / "testdata/detectors"
NO_MATCH = "<tool_use_error>String to replace not found in file.</tool_use_error>"


def red(number=1, duration="2.10"):
    return f"Exit code 1\n\n  {number} failing\n  mill: grinds slowly\n    expected 4 to equal 5\n\n  took {duration}s"


# ---- loop/exact-repeat ------------------------------------------------------------------------------------

def repeat_fires():
    s = begin("Make the mill test pass.")
    s.read("/home/noor/mill/grind.py", "def grind(grain):\n    return 4")
    for turn in range(6):
        s.bash("make test", red(duration=f"2.{turn}7"), True)
    s.says("The test still fails.")
    return s


def repeat_fires_on_success():
    s = begin("What is in the barn?")
    for turn in range(5):
        s.bash("ls barn", "hay\nrats", description=f"Look into the barn, attempt {turn}")
    return s


# What is ordered so often is one thing, what comes again another.
def repeat_ordered(command, answer, failed=False):
    s = begin("Start 8 grinders and leave them running.")
    for _ in range(8):
        s.bash(command, answer, failed)
    s.says("Eight grinders.")
    return s


def repeat_fires_other_process():
    s = begin("Start the mill.")
    for pid in (48213, 48377, 48402, 48533, 48610, 48711):
        s.bash("./mill", f"Exit code 1\nmill ({pid}) stopped: the brake is on\nlog in logs/{pid}-mill-1.log", True)
    return s


# An agent that counts along, below each answer, tells its model and no news.
def reminded(times, more):
    return f"\n\n<system-reminder>\nCall number {times} of this kind. {more}\n</system-reminder>" if times > 1 else ""


def repeat_fires_reminded():
    s = begin("Start the mill.")
    for turn in range(6):
        s.bash("./mill", "Exit code 1\nthe brake is on" + reminded(turn, "Why?" * turn), True)
    return s


def repeat_fires_reminded_edit():
    s = begin("Mend the mill.")
    s.read("/home/noor/mill/grind.py", "def grind(grain):\n    return 4")
    for turn in range(6):
        s.call("Edit", {"file_path": "/home/noor/mill/grind.py", "old_string": "return 7", "new_string": "return 5"},
               "String to replace not found in file." + reminded(turn, "Why?" * turn), True)
    return s


def turned_pages(months):
    s = begin("Book the mill for the 14th.")
    for number, month in enumerate(months):
        s.call("browser_click", {"element": "Next month", "ref": f"s{number}e54"},
               f"- Page URL: https://mill.example/book\n- heading \"{month}\" [ref=s{number + 1}e3]\n"
               f"- button \"Next month\" [ref=s{number + 1}e54]")
    return s


# The list of what is to be done, in another order and with other weights each time; `done` entries are ticked off.
def repeated_plan(done):
    s = begin("Give the mill a second stone.")
    entries = ["Lift the old stone", "Cut the new one", "Oil the wheel", "Grind a sack"]
    for turn, ticked in enumerate(done):
        todos = [{"content": entry, "status": "completed" if number < ticked else "pending",
                  "priority": ("high", "low")[(turn + number) % 2]} for number, entry in enumerate(entries)]
        s.call("todowrite", {"todos": todos[turn % 4:] + todos[:turn % 4]}, json.dumps(todos))
    return s


# So many sacks that one who reads the first of them only sees no change; states of the team's own making.
def repeat_quiet_long_plan():
    s = begin("Grind all the sacks.")
    for ground in range(70, 78):
        todos = [{"content": f"Grind sack {number}", "status": "ground" if number < ground else "in the barn"}
                 for number in range(100)]
        s.call("todowrite", {"todos": todos}, "ok")
    return s


def repeat_quiet_comes_further():
    s = begin("Move all sacks to the new barn.")
    for left in (1840, 1512, 1203, 866, 541, 207):
        s.bash("./move-sacks --resume", f"Exit code 1\nthe cart broke down, {left} sacks still to move", True)
    s.bash("./move-sacks --resume", "all sacks moved")
    return s


def repeat_quiet():
    s = begin("Make the mill test pass.")
    s.read("/home/noor/mill/grind.py", "def grind(grain):\n    return 4")
    s.bash("make test", red(), True)
    s.edit("/home/noor/mill/grind.py", "return 4", "return 5")
    s.bash("make test", "1 passing")
    s.says("Done.")
    return s


def repeat_quiet_one_retry():
    s = begin("Make the mill test pass.")
    s.bash("make test", red(), True)
    s.bash("make test", red(), True)
    s.says("It fails every time, so it is not flaky.")
    return s


def repeat_quiet_growing_output():
    s = begin("Watch the grinding.")
    log = "sack opened\n"
    for word in ("one", "two", "three", "four", "five", "six"):
        log += f"ground {word}\n"
        s.bash("cat mill.log", log)
    return s


def repeat_quiet_human_asks():
    s = begin("Run the test.")
    for _ in range(5):
        s.bash("make test", red(), True)
        s.human("I changed something on my side, run it again.")
    return s


def repeat_quiet_parallel_copies():
    s = begin("What is in the barn?")
    s.calls(*[("Bash", {"command": "ls barn"}, "hay\nrats")] * 6)
    return s


# A letter that is queued under another name is another letter; a job that is queued under its own is waited for.
def sent_letters(names):
    s = begin("Tell the miller that the sacks are ready.")
    for name in names:
        s.call("mcp__post__send_letter", {"to": "miller@mill.example", "text": "The sacks are ready."},
               json.dumps({"status": "queued", "id": name}))
    s.says("The miller knows.")
    return s


# ---- loop/cycle -------------------------------------------------------------------------------------------

def cycle_round(s, failing=1, path="/home/noor/mill/stone.py"):
    s.read(path, "STONES = 2\nROUND = True")
    s.edit(path, "STONES = 3", "STONES = 4", NO_MATCH)
    s.bash("make test", red(failing), True)


def cycle_fires():
    s = begin("Give the mill four stones.")
    for _ in range(5):
        cycle_round(s)
    return s


def look_and_test(*reds):
    s = begin("Make the mill test pass.")
    for number, words in enumerate(reds):
        s.read("/home/noor/mill/grind.py", "def grind(grain):\n    return 4")
        s.bash("mix test", f"Exit code 1\n{words}\nRandomized with seed {(48213 + 7919 * number) % 99991}", True)
    return s


def cycle_fires_random_seed():
    return look_and_test(*["1 failed: expected 4 to equal 5"] * 6)


def cycle_quiet_other_test():
    return look_and_test(*[f"1 failed: test_sack_{number}" for number in range(6)])


def cycle_quiet():
    s = begin("Give the mill four stones.")
    cycle_round(s)
    s.edit("/home/noor/mill/stone.py", "STONES = 2", "STONES = 4")
    s.bash("make test", "9 passing")
    s.says("Done.")
    return s


def cycle_quiet_two_rounds():
    s = begin("Give the mill four stones.")
    cycle_round(s)
    cycle_round(s)
    s.says("The text I look for is not in the file.")
    return s


def cycle_quiet_failures_shrink():
    s = begin("Fix all tests.")
    for failing in (7, 5, 4, 2, 1):
        cycle_round(s, failing)
    return s


# ---- loop/poll-no-progress --------------------------------------------------------------------------------

def poll_fires():
    s = begin("Start the big build and tell me when it is done.")
    s.call("Bash", {"command": "make all", "run_in_background": True}, "Command running in background with ID: b1")
    for _ in range(26):
        s.call("BashOutput", {"bash_id": "b1"}, "<status>running</status>\n<stdout>waiting for lock</stdout>")
    return s


def poll_quiet():
    s = begin("Start the big build and tell me when it is done.")
    s.call("Bash", {"command": "make all", "run_in_background": True}, "Command running in background with ID: b1")
    for _ in range(3):
        s.call("BashOutput", {"bash_id": "b1"}, "<status>running</status>")
    s.call("BashOutput", {"bash_id": "b1"}, "<status>completed</status>\n<stdout>built mill</stdout>")
    s.says("It is done.")
    return s


def poll_quiet_progress():
    s = begin("Start the big build and tell me when it is done.")
    for word in ("oak", "elm", "ash", "fir", "yew", "box", "fig", "tea", "bay", "may", "rue", "hop"):
        s.call("BashOutput", {"bash_id": "b1"}, f"<status>running</status>\n<stdout>sawing {word}</stdout>")
    return s


# ---- loop/same-error --------------------------------------------------------------------------------------

LOOKUPS = ["stone", "stone of the mill", "where the stone is", "grind", "the grinding", "flour", "sack"]


def same_error_fires():
    s = begin("Find out who delivers our stones.")
    for query in LOOKUPS:
        s.call("mcp__ledger__search", {"query": query}, "401 invalid api key", True)
    return s


def same_error_fires_at_two_places():
    s = begin("Write the settings of the mill.")
    for turn in range(10):
        place = ("/etc/mill.conf", "/opt/mill/mill.conf")[turn % 2]
        s.call("Write", {"file_path": place, "content": f"stones = {turn}\n"}, f"EACCES: permission denied, open '{place}'", True)
    return s


# Script after script, each of a new name; `lacks` says what each of them does not find.
def same_error_new_scripts(lacks):
    s = begin("Draw the map of the mill.")
    for number, module in enumerate(lacks):
        name = f"{STONES[number % len(STONES)]}{number}.py"
        s.call("Write", {"file_path": f"/home/noor/mill/{name}", "content": f"import {module}\nprint({number})\n"},
               f"File created successfully at: /home/noor/mill/{name}")
        s.bash(f"python3 {name}", f"Exit code 1\nTraceback (most recent call last):\n  File \"/home/noor/mill/{name}\", line "
               f"{1 + number % 3}, in <module>\n    import {module}\nModuleNotFoundError: No module named '{module}'", True)
    return s


# The tests come first, and fail until what they are for is written.
def same_error_quiet_tests_first():
    s = begin("Write the tests first, then the walls.")
    for name in STONES[:6]:
        s.call("Write", {"file_path": f"/home/noor/mill/test_{name}.py", "content": f"from walls import {name}\n"},
               f"File created successfully at: /home/noor/mill/test_{name}.py")
        s.bash(f"python3 test_{name}.py", f"Exit code 1\nTraceback (most recent call last):\n  File \"/home/noor/mill/test_{name}.py\""
               f", line 1, in <module>\n    from walls import {name}\nModuleNotFoundError: No module named 'walls'", True)
    s.call("Write", {"file_path": "/home/noor/mill/walls.py", "content": "pass\n"},
           "File created successfully at: /home/noor/mill/walls.py")
    s.bash("python3 -m unittest", "Ran 6 tests in 0.004s\n\nOK")
    return s


# One script is mended, and run in another way each time.
def same_error_quiet_script_mended():
    s = begin("Make main.py find the maps.")
    for number, way in enumerate(("python3 main.py", "cd /home/noor/mill && python3 main.py", "PYTHONPATH=lib python3 main.py",
                                  "PYTHONPATH=lib/maps python3 main.py")):
        s.bash(way, "Exit code 1\nTraceback (most recent call last):\n  File \"/home/noor/mill/main.py\", line "
               f"{3 + number}, in <module>\n    import maps\nModuleNotFoundError: No module named 'maps'", True)
        s.call("Edit", {"file_path": "/home/noor/mill/main.py", "old_string": f"way = {number}", "new_string": f"way = {number + 1}"},
               "The file /home/noor/mill/main.py has been updated.")
    s.bash("PYTHONPATH=lib/maps/src python3 main.py", "drawn")
    return s


def same_error_quiet_scripts_until_installed():
    s = same_error_new_scripts(["maps"] * 4)
    s.bash("pip install maps", "Successfully installed maps-2.1.0")
    for number in range(8):
        s.bash(f"python3 {STONES[number % len(STONES)]}{number}.py", f"map {number} drawn, {7 * number + 3} walls")
    return s


def same_error_between_looks(times, each=2):
    s = begin("Install the scale.")
    for turn in range(times):
        if turn % each == 0:
            s.bash(f"cat notes/{STONES[turn % len(STONES)]}{turn}.md", f"note {turn}: nothing about the scale")
        s.bash(f"npm install scale --depth {turn}", "Exit code 1\nnpm error code E404\nnpm error 404 scale is not in this registry", True)
    return s


def same_error_quiet():
    s = begin("Find out who delivers our stones.")
    s.call("mcp__ledger__search", {"query": "stone"}, "401 invalid api key", True)
    s.call("mcp__ledger__login", {}, "logged in")
    s.call("mcp__ledger__search", {"query": "stone"}, "Quarry & Sons")
    return s


# Each page, or each guess at one, is gone.
def same_error_gone(pages):
    s = begin("What does a sack of corn cost?")
    for page in pages:
        s.call("WebFetch", {"url": page, "prompt": "What does a sack cost?"}, "Request failed with status code 404", True)
    s.says("None of them tells it any more.")
    return s


def same_error_quiet_success_between():
    s = begin("Find out who delivers our stones.")
    for query in LOOKUPS:
        s.call("mcp__ledger__search", {"query": query}, "no entry", True)
        s.call("mcp__ledger__search", {"query": query + " 2025"}, f"entry about {query}")
    return s


def same_error_quiet_made_one_by_one():
    s = begin("Give every wood a page.")
    for word in ("oak", "elm", "ash", "fir", "yew", "box"):
        path = f"/home/noor/mill/pages/{word}.md"
        s.call("Read", {"file_path": path}, "<tool_use_error>File does not exist.</tool_use_error>", True)
        s.call("Write", {"file_path": path, "content": f"# {word}\n"}, f"{path} was created.")
    return s


def same_error_quiet_one_response():
    s = begin("Edit all files.")
    s.calls(*[("Edit", {"file_path": f"/home/noor/{query}", "old_string": "a", "new_string": "b"},
               "<tool_use_error>File has not been read yet.</tool_use_error>", True) for query in LOOKUPS])
    return s


# PostgreSQL quotes the query in what it says against it.
def same_error_quoted(columns):
    s = begin("How many sacks are wet?")
    for number, column in enumerate(columns):
        query = f"SELECT {STONES[number]}, {column} FROM sacks LIMIT {number + 4}"
        s.call("mcp__ledger__query", {"sql": query},
               f'ERROR: column "{column}" does not exist\nLINE 1: {query[:36]}\n       {" " * (number + 7)}^', True)
    return s


# Programs that are handed to Python as they are called.
def same_error_handed_over(keys):
    s = begin("Which sack is the heaviest?")
    for number, key in enumerate(keys):
        lines = "\n".join(f"{name} = weigh({number})" for name in STONES[:number + 2])
        s.bash(f"python3 - <<'EOF'\n{lines}\nEOF", "Exit code 1\nTraceback (most recent call last):\n"
               f'  File "<stdin>", line {number + 2}, in <module>\nKeyError: {key!r}', True)
    return s


def same_error_quiet_fix_in_progress():
    s = begin("Make the test pass.")
    for word in ("oak", "elm", "ash", "fir", "yew", "box"):
        s.edit("/home/noor/mill/grind.py", "WOOD", f"WOOD = '{word}'")
        s.bash("make test", red(), True)
    return s


# ---- loop/error-streak ------------------------------------------------------------------------------------

TROUBLES = ["yarn: command not found", "no such file or directory: /app", "permission denied: /etc/mill",
            "cannot reach the Docker daemon", "host not found: mill.internal", "disk quota exceeded",
            "unknown option --grind", "python3: bad interpreter", "not a git repository", "port already in use",
            "certificate has expired", "read-only file system", "module 'stone' has no attribute", "broken pipe",
            "is a directory: /home", "missing separator in Makefile", "segmentation fault"]


def streak_fires():
    s = begin("Set up the machine.")
    for number, trouble in enumerate(TROUBLES):
        s.bash(f"sh step{number}.sh", f"Exit code {number + 1}\n{trouble}", True)
    return s


def streak_quiet():
    s = begin("Set up the machine.")
    s.bash("yarn build", "Exit code 127\nyarn: command not found", True)
    s.bash("npm run build", "built in 3 s")
    return s


def streak_quiet_a_success():
    s = begin("Set up the machine.")
    for number, trouble in enumerate(TROUBLES):
        if number % 7 == 6:
            s.bash(f"sh probe{number}.sh", f"found {trouble.split()[0]}")
        s.bash(f"sh step{number}.sh", f"Exit code {number + 1}\n{trouble}", True)
    return s


def streak_quiet_denied():
    s = begin("Set up the machine.")
    for number in range(16):
        s.call("Bash", {"command": f"sudo step{number}"}, DENIED, True)
    return s


# ---- loop/interleaved-repeat ------------------------------------------------------------------------------

STONES = ["quern", "rynd", "hopper", "spindle", "sluice", "tentering", "wallower", "damsel"]


def interleaved_fires():
    s = begin("Make the mill test pass.")
    for name in STONES:
        s.bash("make test", red(duration=f"3.{len(name)}1"), True)
        s.read(f"/home/noor/mill/{name}.py", f"def {name}():\n    return '{name}'")
    return s


def interleaved_quiet():
    s = begin("Make the mill test pass.")
    for name in STONES[:3]:
        s.bash("make test", red(), True)
        s.read(f"/home/noor/mill/{name}.py", f"def {name}():\n    return '{name}'")
    s.says("It needs the rynd.")
    return s


def interleaved_quiet_after_changes():
    s = begin("Rename the parts.")
    for name in STONES:
        s.edit(f"/home/noor/mill/{name}.py", name, name.upper())
        s.bash("make lint", "no issues")
    return s


def interleaved_quiet_now_and_then():
    s = begin("Describe the mill.")
    for number, name in enumerate(STONES * 6):
        if number % 7 == 0:
            s.bash("git status --short", "")
        s.read(f"/home/noor/mill/{name}{number}.py", f"def {name}():\n    return {number}")
    return s


def interleaved_quiet_something_moves():
    s = begin("Watch the grinding.")
    for number, name in enumerate(STONES):
        s.bash("cat mill.lock", "held by wheel")
        s.bash("wc -l mill.log", f"{number * 13 + 7} mill.log")
    return s


# ---- loop/near-repeat -------------------------------------------------------------------------------------

def near_fires():
    s = begin("Find out why the gate does not open.")
    for number in range(9):
        s.bash(f"./gate --lift {10 + number * 3}", "Exit code 4\nthe gate is stuck: the chain is off its wheel", True)
    return s


def near_quiet():
    s = begin("Find out why the gate does not open.")
    for number in range(3):
        s.bash(f"./gate --lift {10 + number * 3}", "Exit code 4\nthe gate is stuck: the chain is off its wheel", True)
    s.bash("./chain --mend", "on its wheel again")
    return s


def near_quiet_other_answers():
    s = begin("How high does the gate go?")
    for number in range(12):
        s.bash(f"./gate --lift {10 + number * 3}", f"Exit code 4\nlifted by {number * 2} hands, then it slipped", True)
    return s


# The server is started on port after port.
def near_ports(answers):
    s = begin("Show me the page of the mill.")
    for port in range(3000, 3007):
        s.bash(f"PORT={port} npm run dev > dev.log 2>&1 &", "")
        s.bash(f"curl -s -o /dev/null -w '%{{http_code}}' http://localhost:{port}", "200" if answers else "Exit code 7\n000", not answers)
    return s


def near_quiet_batch():
    s = begin("Stamp the sacks.")
    for number in range(15):
        s.bash(f"./stamp sack{number}", "ok")
    return s


# A click that misses by a pixel or two, and what the window shows behind it.
def clicks(looks, far=1):
    s = begin("Print the delivery note.")
    for number in range(8):
        s.call("computer", {"action": "left_click", "coordinate": [410 + number * 7 % 5 * far, 305 + number * 3 % 4 * far]},
               "clicked")
        if looks:
            s.call("computer", {"action": "get_tree"}, "window 'Deliveries'\n  button 'Print'\n  list 'Sacks'")
    return s


# ---- loop/stagnation --------------------------------------------------------------------------------------

GREPS = ["grain", "grain|corn", "corn|grain", "(grain|corn)", "grains?", "corn.?|grain", "gr[ae]in", "GRAIN|grain", "grain\\b",
         "\\bgrain", "gra.n"]


def stagnation_fires():
    s = begin("Where is the grain counted?")
    for pattern in GREPS:
        s.call("Grep", {"pattern": pattern, "path": "src"},
               "src/barn.py:14:    grain = sacks * SACK\nsrc/barn.py:20:    return grain")
    return s


def addresses(same_page):
    s = begin("Read the orders of the last months.")
    for stone in STONES + [stone + "-old" for stone in STONES]:
        shown = f"login?next=/orders/{stone}\n- heading \"Sign in\"" if same_page else f"orders/{stone}\n- heading \"{stone}\""
        s.call("browser_navigate", {"url": f"https://mill.example/orders/{stone}"}, f"- Page URL: https://mill.example/{shown}")
    return s


def stagnation_quiet():
    s = begin("Where is the grain counted?")
    for pattern in GREPS[:3]:
        s.call("Grep", {"pattern": pattern, "path": "src"}, "src/barn.py:14:    grain = sacks * SACK")
    s.read("/home/noor/mill/src/barn.py", "grain = sacks * SACK")
    return s


def stagnation_quiet_one_response():
    s = begin("Where is the grain counted?")
    s.calls(*[("Grep", {"pattern": pattern, "path": "src"}, "src/barn.py:14:    grain = sacks * SACK") for pattern in GREPS])
    return s


def stagnation_quiet_acknowledged():
    s = begin("Weigh all sacks.")
    for name in STONES * 2:
        s.call("mcp__scale__weigh", {"sack": f"{name} {len(s.lines)}"}, "weighed")
    return s


def queries_in_vain(question, queries):
    s = begin(question)
    for sql in queries:
        s.call("mcp__ledger__query", {"sql": sql}, "[]")
    return s


# One table after the other that has no such row, and one table that has none however it is asked.
def rows_sought(tables):
    spellings = ["owner IS NULL OR owner < 0", "coalesce(owner, 0) < 1", "owner IS NULL", "NOT owner > 0",
                 "owner < 1 OR owner IS NULL", "ifnull(owner, 0) = 0", "owner IS NULL AND NOT owner > 0", "owner < 1"]
    return queries_in_vain("Are there rows that belong to nobody?",
                           [f"SELECT id FROM {tables[number % len(tables)]} WHERE {spellings[number % len(spellings)]}"
                            for number in range(len(STONES))])


def columns_sought():
    return queries_in_vain("Are there sacks of which something is not known?",
                           [f"SELECT {word}_of, count(*) FROM sacks WHERE {word}_of IS NULL GROUP BY {word}_of" for word in STONES])


def stagnation_quiet_new_words():
    s = begin("What are the parts of a mill?")
    for name in STONES:
        s.call("WebSearch", {"query": f"mill part {name} meaning {name[::-1]}"}, f"1. The {name} of a mill")
    return s


# ---- loop/failed-retry ------------------------------------------------------------------------------------

def look_and_try(attempts, texts=("def grind(grain):\n    return 4",), failures=(NO_MATCH,)):
    s = begin("Make grind return five.")
    s.read("/home/noor/mill/grind.py", texts[0])
    for number in range(attempts):
        s.edit("/home/noor/mill/grind.py", f"return 4  # {number}", "return 5", failures[number % len(failures)])
        s.read("/home/noor/mill/grind.py", texts[(number + 1) % len(texts)])
    return s


def retry_fires():
    return look_and_try(6, failures=(NO_MATCH, "<tool_use_error>Found 2 matches, but replace_all is false.</tool_use_error>"))


def retry_quiet():
    s = look_and_try(1)
    s.edit("/home/noor/mill/grind.py", "return 4", "return 5")
    return s


def retry_quiet_the_file_moves():
    return look_and_try(4, texts=("def grind(grain):\n    return 4", "def grind(grain):\n    return 3"))


def retry_quiet_looks_elsewhere():
    s = begin("Make grind return five.")
    for number in range(4):
        s.read("/home/noor/mill/grind.py", "def grind(grain):\n    return 4")
        s.edit("/home/noor/mill/grind.py", f"return 4  # {number}", "return 5", NO_MATCH)
        s.call("Grep", {"pattern": f"return {number}", "path": "src"}, f"src/grind.py:{number + 2}: return {number}")
    return s


def streak_quiet_waiting():
    s = begin("Watch the checks of the mill.")
    for left in range(10, 0, -1):
        s.bash("gh pr checks 77", f"Exit code 8\nlint\tpass\nmill\tpending\t{left} of 10 stones left", True)
    s.bash("gh pr checks 77", "lint\tpass\nmill\tpass")
    return s


def repeat_quiet_until_it_is_up():
    s = begin("Start the barn and fill it.")
    for _ in range(6):
        s.bash("docker compose exec barn pg_isready", "Exit code 2\n/var/run/barn:5432 - no response", True)
    s.bash("docker compose exec barn pg_isready", "/var/run/barn:5432 - accepting connections")
    return s


def stagnation_fires_behind_the_query():
    s = begin("What did the harbour earn in 2019?")
    for query in HARBOUR:
        s.call("WebSearch", {"query": query}, f'Web search results for query: "{query}"\n\nLinks: []\n\nNo results found.')
    return s


# ---- loop/known-answers -----------------------------------------------------------------------------------

LINE_22 = "Your patch was rejected: it does not change line 22, which the report names as faulty."
ONE_FAILS = "Patch applied, but 1 test fails: testEmptySack expected 0 and got 4."


def submits(*answers):
    s = begin("Repair the sack counter.")
    for number, answer in enumerate(answers):
        s.call("mcp__bench__submit_patch", {"patch": f"line {number}: return sacks - {number}"}, answer)
    return s


def known_fires():
    return submits(*[LINE_22, ONE_FAILS, LINE_22] * 5)


def known_quiet():
    return submits(LINE_22, ONE_FAILS, LINE_22, "All 12 tests pass.")


def known_quiet_new_failures():
    return submits(*[f"Patch applied, but 1 test fails: {trouble}" for trouble in TROUBLES])


def known_quiet_batch():
    s = begin("Weigh all sacks.")
    for name in STONES * 2:
        s.call("mcp__scale__weigh", {"sack": f"{name} {len(s.lines)}"}, "weighed")
    return s


def known_quiet_after_changes():
    s = begin("Grind finer, but keep the test green.")
    for number in range(9):
        s.edit("/home/noor/mill/grind.py", f"return {number}", f"return {number + 1}")
        s.bash("make test", "ran the whole suite of the mill: 12 passing, 0 pending, nothing else to say about it")
    return s


def known_walks(command, answer, failed=False):
    s = begin("Look at each part of the mill.")
    for name in ("barn", "cellar", "dam", "field", "garden", "house", "kiln", "loft", "office", "pond", "quay", "shed"):
        s.bash(command.format(name), answer, failed)
    return s


def known_fires_on_refusals():
    return known_walks("./mill --{}", "Exit code 2\nerror: unrecognised option\nusage: mill [--help] FILE", True)


def known_quiet_each_part():
    return known_walks("cargo test -q -p {}", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; "
                       "0 filtered out; finished in 0.00s")


def known_quiet_counts_none():
    s = begin("Which of the pods complain?")
    for end in ("x2x4z", "k9d2p", "wq7lm", "bz5tr", "f8ncv", "t4hgj", "p6sxd", "m2vkl"):
        s.bash(f"kubectl logs mill-7d9f8c6b5d-{end} --tail 200 | grep -c level=error", "Exit code 1\n0", True)
    return s


def known_quiet_each_manifest():
    return known_walks("kubeconform -summary manifests/{}.yaml",
                       "Summary: 1 resource found in 1 file - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0")


# ---- loop/reworded-search ---------------------------------------------------------------------------------

def searches(queries, answers):
    s = begin("What did the harbour earn in 2019?")
    for turn, query in enumerate(queries):
        s.call("WebSearch", {"query": query}, answers[turn % len(answers)])
    return s


HARBOUR = ["harbour revenue report 2019", "2019 report harbour revenue", "revenue harbour 2019 report",
           "report 2019 revenue harbour", "harbour report revenue 2019", "harbour 2019 revenue report"]
PORTS = ["1. A guide to the harbour\n2. City budget", "1. City budget\n2. A guide to the harbour"]


def search_fires():
    return searches(HARBOUR * 2, PORTS)


def search_quiet():
    return searches(HARBOUR[:4], PORTS)


def search_quiet_follows_up():
    return searches([f"harbour revenue {name} pier" for name in STONES], PORTS)


def search_quiet_new_documents():
    return searches(HARBOUR, [f"1. {trouble}\n2. {trouble[::-1]}" for trouble in TROUBLES])


def search_quiet_in_the_code():
    s = begin("Where is the revenue counted?")
    for query in HARBOUR:
        s.call("Grep", {"pattern": query.replace(" ", ".*"), "path": "src"}, "No files found")
    return s


# ---- loop/stalled-fix -------------------------------------------------------------------------------------

def stalled_fires():
    s = begin("Make the mill test pass.")
    for name in STONES + ["brake"]:
        s.edit("/home/noor/mill/grind.py", f"# {name}", f"turn({name!r})")
        s.bash("make test", red(duration=f"2.{len(name)}7"), True)
    return s


# The test waits in vain for what the edit has put there; or for the next thing, which stood there before.
def waited_for(put_in):
    s = begin("Make the gate test pass.")
    names = ["#gate", ".gate-door", "text=Gate", "role=gate", "label=Gates", "css=.gates"]
    for number, (old, new) in enumerate(zip(names, names[1:])):
        s.edit("/home/noor/mill/gate.spec.ts", f"click('{old}')", f"click('{new}')")
        awaited = new if put_in else f"#step-{STONES[number]}"
        s.bash("npx playwright test gate.spec.ts", f"Exit code 1\n  x gate.spec.ts:4:1 opens (30.{number}s)\n\n"
               f"    Error: the gate did not open\n      - waiting for click('{awaited}')\n\n  1 failed", True)
    return s


def rewritten_script(error):
    s = begin("Make weigh.py work.")
    for number in range(8):
        s.call("Write", {"file_path": "/home/noor/mill/weigh.py", "content": f"sacks = read({number})\nprint(sacks[{number}])\n"}, "done")
        s.bash("python3 weigh.py", "Exit code 1\nTraceback (most recent call last):\n  File \"/home/noor/mill/weigh.py\", line 2, in "
               f"<module>\n    print(sacks[{number}])\n{error(number)}", True)
    return s


def stalled_build(errors):
    s = begin("Make the mill compile.")
    for number, error in enumerate(errors):
        s.edit("/home/noor/mill/grind.cpp", f"// {number}", f"turn({number});")
        s.bash("ninja -C build", f"Exit code 1\n[{number + 2}/14] Building CXX object {STONES[number % len(STONES)]}.o\n"
               f"FAILED: grind.o\ngrind.cpp:{number + 7}:3: error: {error}\nninja: build stopped: subcommand failed.", True)
    return s


def stalled_fires_build_goes_on():
    return stalled_build(["'turn' was not declared in this scope"] * 6)


def stalled_quiet_other_errors():
    return stalled_build([f"'{name}' was not declared in this scope" for name in STONES])


def stalled_quiet():
    s = begin("Make the mill test pass.")
    for name in STONES[:3]:
        s.edit("/home/noor/mill/grind.py", f"# {name}", f"turn({name!r})")
        s.bash("make test", red(), True)
    s.edit("/home/noor/mill/grind.py", "return 4", "return 5")
    s.bash("make test", "9 passing")
    return s


# A page is worked on, and beside it the console shows the same error all the time.
def stalled_beside_an_error(request):
    s = begin(request)
    for turn in range(9):
        s.call("Edit", {"file_path": "/home/noor/mill/Sack.tsx", "old_string": f"gap-{turn}", "new_string": f"gap-{turn + 1}"}, "done")
        s.call("browser_take_screenshot", {"url": "http://localhost:3000"},
               f"Four sacks in a row, {10 + turn} pixels apart.\nConsole: Uncaught TypeError: rats is undefined at count.js:14")
    s.says("Done.")
    return s


def stalled_quiet_failures_shrink():
    s = begin("Fix all tests.")
    for failing, name in zip(range(9, 1, -1), STONES):
        s.edit("/home/noor/mill/grind.py", f"# {name}", f"turn({name!r})")
        s.bash("make test", red(failing), True)
    return s


# A module that has no types stays, and the other mistakes become fewer.
def stalled_quiet_types_shrink():
    s = begin("Make the types of the mill check.")
    for turn in range(7):
        wrong = "".join(f"\nsrc/{name}.ts(7,5): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Sack'."
                        for name in STONES[turn:])
        s.bash(("npx tsc --noEmit", "npx tsc -p .", "npm run types")[turn % 3],
               f"Exit code 2\nsrc/mill.ts(1,20): error TS2307: Cannot find module 'maps' or its corresponding type declarations.{wrong}",
               True)
        s.edit(f"/home/noor/mill/src/{STONES[turn]}.ts", "'sack'", "sack")
    return s


def stalled_quiet_green():
    s = begin("Write a word about every part.")
    for name in STONES + ["brake", "race"]:
        s.edit(f"/home/noor/mill/{name}.py", "pass", f"pass  # the {name}")
        s.bash("make test", "9 passing")
    return s


# ---- loop/revisit-ratio -----------------------------------------------------------------------------------

def revisits(s, rounds):
    """Rounds of a dozen known files, in another order each time and with something new now and then."""
    names = [f"{name}{kind}" for name in STONES for kind in ("", "_test")]
    for turn in range(rounds):
        for place in range(len(names)):
            name = names[(place * (2 * turn + 3) + turn) % len(names)]
            s.read(f"/home/noor/mill/{name}.py", f"def {name}():\n    return '{name}'")
            if place % 5 == 4:
                s.bash(f"git show --stat HEAD~{turn * 7 + place}", f"{TROUBLES[place]}, changed {turn * 16 + place} lines")
    return s


def revisit_fires():
    return revisits(begin("How do the parts hang together?"), 4)


def revisit_quiet():
    return revisits(begin("How do the parts hang together?"), 1)


def revisit_quiet_after_changes():
    s = begin("Make the parts fit.")
    for turn in range(5):
        for name in STONES:
            s.read(f"/home/noor/mill/{name}.py", f"def {name}():\n    return '{name}'")
            s.edit("/home/noor/mill/parts.txt", f"{name} {turn}", f"{name} {turn + 1}")
    return s


# ---- loop/post-compaction-loop ----------------------------------------------------------------------------

def barn_round(s):
    s.bash("make barn", "Exit code 2\nno rule to make target 'barn'", True)
    s.bash("ls barn/Makefile", "Exit code 2\nls: cannot access 'barn/Makefile'", True)
    s.edit("/home/noor/mill/Makefile", "all: mill", "all: mill barn", NO_MATCH)
    s.bash("./configure --with-barn", "unknown option --with-barn; this project is configured by hand since the flood")
    s.bash("make -C barn", "Exit code 2\nbarn: no such directory", True)
    s.bash("make roof", "Exit code 2\nno rule to make target 'roof'", True)


def compaction_fires():
    s = begin("Build the barn.")
    barn_round(s)
    s.compaction("The barn is to be built.")
    barn_round(s)
    return s


def compaction_quiet():
    s = begin("Build the barn.")
    barn_round(s)
    s.compaction("The barn is to be built. Nothing in the Makefile does that.")
    s.bash("git log --oneline -1 -- barn", "4f1c2d9 The flood took the barn")
    s.says("There is no barn any more.")
    return s


def compaction_quiet_reads_once_more():
    s = begin("Describe the parts.")
    for _ in range(2):
        for name in STONES:
            s.read(f"/home/noor/mill/{name}.py", f"def {name}():\n    return '{name}'")
        s.compaction("Eight parts were read.")
    s.says("Done.")
    return s


# ---- loop/repeated-state ----------------------------------------------------------------------------------

def there_and_back(rounds, answer, other=lambda turn: "deep"):
    """Sets the sluice to something else and back, with a look at the wheel after each."""
    s = begin("Make the wheel turn evenly.")
    for turn in range(rounds):
        for old, new in (("level", other(turn)), (other(turn), "level")):
            s.edit("/home/noor/mill/sluice.cfg", f"sluice = {old}", f"sluice = {new}")
            s.bash("./wheel --watch", answer(new, turn), True)
    return s


def state_fires():
    return there_and_back(7, lambda state, turn: f"Exit code 3\nwith the sluice {state} the wheel limps")


def state_quiet():
    return there_and_back(1, lambda state, turn: f"Exit code 3\nwith the sluice {state} the wheel limps")


def state_quiet_answers_move():
    return there_and_back(7, lambda state, turn: f"Exit code 3\nwith the sluice {state} {turn + 2} of 40 cogs hold")


def state_quiet_other_changes():
    return there_and_back(8, lambda state, turn: f"Exit code 3\nwith the sluice {state} the wheel limps",
                          lambda turn: TROUBLES[turn].split()[-1])


# ---- loop/node-visits -------------------------------------------------------------------------------------

def graph(rounds, plan):
    s = Chat()
    s.human("How much grain is in the barn?")
    for turn in range(rounds):
        s.message(role="assistant", name="planner", content=plan(turn))
        s.message(role="assistant", name="counter", content=f"I looked behind the {TROUBLES[turn]} and saw no sacks.")
    return s


def nodes_fires():
    return graph(11, lambda turn: "Count the sacks in the barn and tell me how many of them are full.")


def nodes_quiet():
    return graph(3, lambda turn: "Count the sacks in the barn and tell me how many of them are full.")


def nodes_quiet_new_plans():
    return graph(12, lambda turn: f"Count the sacks near the place with the {TROUBLES[turn]} and tell me the number.")


def nodes_quiet_routing():
    return graph(12, lambda turn: "counter")


# ---- loop/edit-oscillation --------------------------------------------------------------------------------

GRIND = "/home/noor/mill/grind.py"


def oscillation_fires():
    s = begin("Make the mill test pass.")
    two, three = "def grind(grain):\n    return mill(grain, 2)", "def grind(grain):\n    return mill(grain, 3)"
    for turn in range(4):
        s.edit(GRIND, two if turn % 2 == 0 else three, three if turn % 2 == 0 else two)
        s.bash("make test", red(1 + turn % 2), True)
    return s


def oscillation_fires_on_writes():
    s = begin("Write the settings of the mill.")
    for turn in range(5):
        s.call("Write", {"file_path": "/home/noor/mill/mill.toml", "content": ["stones = 2\n", "stones = 4\n"][turn % 2]}, "ok")
        s.bash("./mill --check", f"Exit code 2\nbad settings near {'ab'[turn % 2]}", True)
    return s


def oscillation_quiet():
    s = begin("Make the mill test pass.")
    s.edit(GRIND, "mill(grain, 2)", "mill(grain, 3)")
    s.bash("make test", red(), True)
    s.edit(GRIND, "mill(grain, 3)", "mill(grain, 2)")
    s.edit("/home/noor/mill/mill.py", "return stones", "return stones + 1")
    s.bash("make test", "9 passing")
    return s


def oscillation_quiet_other_attempts():
    s = begin("Make the mill test pass.")
    for number in (3, 4, 5, 6, 7):
        s.edit(GRIND, "mill(grain, 2)", f"mill(grain, {number})")
        s.bash("make test", red(number), True)
        s.edit(GRIND, f"mill(grain, {number})", "mill(grain, 2)")
    return s


def oscillation_quiet_shows_the_test_fails():
    s = begin("Fix it and show that the new test fails without the fix.")
    for _ in range(2):
        s.edit(GRIND, "mill(grain, 2)", "mill(grain, 3)")
        s.bash("make test", "9 passing")
        s.edit(GRIND, "mill(grain, 3)", "mill(grain, 2)")
        s.bash("make test", red(), True)
    s.edit(GRIND, "mill(grain, 2)", "mill(grain, 3)")
    s.bash("make test", "9 passing")
    return s


def oscillation_quiet_many_files():
    s = begin("Put the licence into every file.")
    for number in range(25):
        s.edit(f"/home/noor/mill/part{number}.py", "import stone", "# Free as in flour\nimport stone")
    return s


# ---- loop/edit-region-churn -------------------------------------------------------------------------------

def snippet(line, text):
    rows = "\n".join(f"{number:6}\t{text if number == line else 'row of flour ' + str(number)}"
                     for number in range(line - 4, line + 5))
    return f"{GRIND} was updated. A numbered look at it:\n{rows}\n"


def churn_edit(s, line, old, new):
    s.call("Edit", {"file_path": GRIND, "old_string": old, "new_string": new}, snippet(line, new))


SCREWS = ["2", "3", "3.0", "int(3)", "round(3)", "4", "abs(3)", "max(3, 2)", "min(4, 3)"]


def churn_fires():
    s = begin("Make the mill test pass.")
    for turn in range(7):
        churn_edit(s, 41 + turn % 3, f"stones_{turn} = {SCREWS[turn]}", f"stones_{turn} = {SCREWS[turn + 1]}")
        s.bash("make test", red(duration=f"2.{turn}3"), True)
    return s


def churn_fires_without_line_numbers():
    s = begin("Make the mill test pass.")
    for turn in range(4):
        s.edit(GRIND, f"    stones = {SCREWS[turn]}", f"    stones = {SCREWS[turn + 1]}")
        s.bash("make test", red(duration=f"2.{turn}3"), True)
    return s


def churn_fires_on_rewriting():
    s = begin("Choose the number of stones.")
    for turn in range(8):
        s.edit(GRIND, f"    stones = {SCREWS[turn]}", f"    stones = {SCREWS[turn + 1]}")
    return s


def churn_fires_on_the_same_answer():
    s = begin("Choose the number of stones.")
    for turn in range(8):
        s.edit(GRIND, f"    stones = {SCREWS[turn]}", f"    stones = {SCREWS[turn + 1]}")
        s.bash("python3 grind.py", "flour 7")
    return s


def churn_quiet_measured():
    s = begin("Choose the fastest number of stones.")
    for turn in range(8):
        s.edit(GRIND, f"    stones = {SCREWS[turn]}", f"    stones = {SCREWS[turn + 1]}")
        s.bash("python3 bench.py", f"flour per hour: {410 + 37 * turn}")
    return s


def churn_quiet_passes():
    s = begin("Choose the number of stones; keep the tests green.")
    for turn in range(8):
        s.edit(GRIND, f"    stones = {SCREWS[turn]}", f"    stones = {SCREWS[turn + 1]}")
        s.bash("pytest -q", "12 passed")
    return s


def churn_quiet():
    s = begin("Make the mill test pass.")
    churn_edit(s, 41, "stones = 2", "stones = 3")
    s.bash("make test", red(), True)
    churn_edit(s, 41, "stones = 3", "stones = 4")
    s.bash("make test", red(), True)
    churn_edit(s, 42, "return flour", "return int(flour)")
    s.bash("make test", "9 passing")
    return s


def churn_quiet_failures_shrink():
    s = begin("Fix all tests.")
    for turn, failing in enumerate((9, 7, 6, 4, 3, 1)):
        churn_edit(s, 41, f"stones = {SCREWS[turn]}", f"stones = {SCREWS[turn + 1]}")
        s.bash("make test", red(failing), True)
    return s


def churn_quiet_docstrings():
    s = begin("Document the fifteen functions of the mill.")
    for number in range(15):
        s.edit(GRIND, f"def part_{TROUBLES[number].split()[0].strip(':')}_{number}():",
               f"def part_{TROUBLES[number].split()[0].strip(':')}_{number}():\n    \"\"\"Part {number}.\"\"\"")
        if number % 3 == 2:
            s.bash("make lint", red(), True)
    return s


def churn_quiet_writing():
    s = begin("Add the list of grains.")
    for turn, grain in enumerate(("rye", "oat", "barley", "wheat", "spelt", "millet", "maize", "rice")):
        churn_edit(s, 41 + turn, "GRAINS_END" if turn == 0 else f"    '{turn}',", f"    '{grain}',\n    '{turn + 1}',")
    s.bash("make test", "9 passing")
    return s


def churn_quiet_read_edit():
    s = begin("Tidy up the mill.")
    text = "row one of the mill"
    for turn in range(8):
        s.read(GRIND, text)
        s.edit(GRIND, f"row {turn} of\nthe mill", f"row {turn + 1} of\nthe good mill")
        text += f"\nrow {turn}"
    return s


# ---- loop/file-sweep --------------------------------------------------------------------------------------

def window(first, count):
    return "\n".join(f"{number}\tsack {number * 37 % 1009} at {number * 13 % 251}" for number in range(first, first + count))


def page(s, offset, limit=40, path="/home/noor/mill/sacks.log"):
    s.call("Read", {"file_path": path, "offset": offset, "limit": limit}, window(offset, limit))


def sweep_fires():
    s = begin("Find the torn sack.")
    for offset in range(1, 521, 40):
        page(s, offset)
    for offset in range(15, 521, 40):
        page(s, offset)
    return s


def sweep_fires_in_the_shell():
    s = begin("Find the torn sack.")
    for start in (1, 13, 25):
        for first in range(start, 400 + start, 50):
            s.bash(f"sed -n '{first},{first + 49}p' sacks.log", window(first, 50))
    return s


def sweep_quiet():
    s = begin("Read all about the sacks.")
    for offset in range(1, 601, 40):
        page(s, offset)
    return s


def sweep_quiet_overlap():
    s = begin("Read all about the sacks.")
    for offset in range(1, 1201, 36):
        page(s, offset)
    return s


def sweep_quiet_changes_between():
    s = begin("Clean up the sacks.")
    for turn in range(12):
        page(s, 1 + 10 * turn)
        page(s, 5 + 10 * turn)
        s.edit("/home/noor/mill/sacks.log", f"sack {turn}", f"bag {turn}")
    return s


def sweep_quiet_few_reads():
    s = begin("Compare two places.")
    for _ in range(3):
        page(s, 1)
        page(s, 401)
        s.bash("date", "now")
    return s


# ---- loop/monologue ---------------------------------------------------------------------------------------

WAITING = "The mill is repaired. I am waiting for the miller to confirm the order of the stones."
REMINDER = "<system-reminder>The task list is not empty. Go on.</system-reminder>"


def monologue_fires():
    s = begin("Repair the mill.")
    s.bash("make mill", "built mill")
    for _ in range(5):
        s.says(WAITING)
        s.human(REMINDER)
    return s


def monologue_fires_streamed_in_parts():
    s = begin("Repair the mill.")
    for _ in range(4):
        s.respond([{"type": "text", "text": "The mill is repaired."},
                   {"type": "text", "text": "I am waiting for the miller."}])
    return s


def monologue_quiet():
    s = begin("Repair the mill.")
    s.says("I look at the stones first.")
    s.bash("make mill", "built mill")
    s.says("The mill is repaired.")
    return s


def monologue_quiet_said_twice():
    s = begin("Repair the mill.")
    s.bash("make mill", "built mill")
    s.says("The mill is repaired, everything is done.")
    s.human(REMINDER)
    s.says("The mill is repaired, everything is done.")
    return s


def monologue_quiet_parts_of_one_response():
    s = begin("Repair the mill.")
    s.respond([{"type": "text", "text": "Grinding the first stone."}] * 6)
    return s


def monologue_quiet_with_calls():
    s = begin("Grind all sacks.")
    for word in ("oak", "elm", "ash", "fir", "yew"):
        s.respond([{"type": "text", "text": "I grind the next sack of the row."}])
        s.bash(f"grind {word}", f"ground {word}")
    return s


def monologue_quiet_human_asks():
    s = begin("Is the mill repaired?")
    for _ in range(5):
        s.says(WAITING)
        s.human("And now?")
    return s


def monologue_quiet_heartbeat():
    s = begin("Watch the mill.")
    for _ in range(8):
        s.human(REMINDER)
        s.says("HEARTBEAT_OK")
    return s


def monologue_quiet_different_messages():
    s = begin("Tell me about the mill.")
    for part in ("It was built by the river.", "Two stones grind in it.", "Its wheel is made of oak.",
                 "The miller lives next door.", "It stands still in winter."):
        s.says(part)
    return s


# ---- loop/monologue-near ----------------------------------------------------------------------------------

PLANS = ["I will open the gate of the mill, clean the stones and then grind the first sack of grain.",
         "Now I will open the gate of the mill, clean the stones and grind the first sack of grain.",
         "I will now open the gate of the mill, clean all the stones, and then grind the first sack of grain.",
         "Then I will open the gate of the mill, clean the stones and grind the first sack of grain now."]


def monologue_near_fires():
    s = begin("Grind the grain.")
    for plan in PLANS:
        s.says(plan)
    return s


THANKS = ["Thank you so much, Bert!", "You are welcome, Anna, thank you!", "It was a pleasure. Have a great day, Bert!",
          "Have a lovely day too, Anna. Take care!", "Take care, talk soon!", "Talk soon, Anna, and thanks again!",
          "Thanks, Bert, see you on Monday!", "See you then, Anna. All the best!", "Goodbye, Bert, and good luck!"]


def monologue_near_fires_courtesies():
    s = begin("Anna and Bert, agree on a day for the mill.")
    s.says("Monday suits me well, since the wheel is dry by then.")
    for thanks in THANKS:
        s.says(thanks)
    return s


def monologue_near_quiet_courtesies():
    s = begin("Anna and Bert, agree on a day for the mill.")
    for number, thanks in enumerate(THANKS):
        s.says(thanks)
        if number % 3 == 2:
            s.says(f"One more thing: bring {number} sacks of the {TROUBLES[number % 4].split()[0]} kind along.")
    return s


def monologue_near_quiet():
    s = begin("Grind the grain.")
    s.says(PLANS[0])
    s.bash("open gate", "open")
    s.says("The gate is open, and the first sack is ground.")
    return s


def monologue_near_quiet_with_calls():
    s = begin("Grind the grain.")
    for number, plan in enumerate(PLANS):
        s.says(plan)
        s.bash(f"grind {TROUBLES[number].split()[0]}", f"sack of {TROUBLES[number].split()[0]}")
    return s


def monologue_near_quiet_list_worked_off():
    s = begin("Which of the millers works on Sundays?")
    millers = ["Anna of the river mill", "Bert of the wind mill", "Carla of the old mill", "Dora of the paper mill"]
    while millers:
        s.says(f"I still have to ask whether these millers work on Sundays or not: {', '.join(millers)}.")
        millers.pop(0)
    return s


def monologue_near_quiet_human_asks():
    s = begin("What is your plan?")
    for plan in PLANS:
        s.says(plan)
        s.human("Say it again.")
    return s


# ---- loop/repeated-reply ----------------------------------------------------------------------------------

ASKS = ["Could you please tell me the number of your sack?", "I need the number of the sack to go on, please.",
        "To help you I need to know the number of your sack.", "May I have the sack's number?",
        "Please give me the number of that sack so that I can look it up.", "What is the number of the sack?"]
TELLS = ["It is R991", "I said R991", "R991!", "R991, as I wrote above", "still R991", "R991"]


def reply_fires():
    s = begin("Where is my sack of rye?")
    for asks, tells in zip(ASKS, TELLS):
        s.says(asks)
        s.human(tells)
    return s


def reply_fires_objected():
    s = begin("mean() crashes where there are no sacks.")
    for said in ("it still crashes without sacks", "that is the same code", "no, same error", "wrong again"):
        s.says("I am sorry for the trouble! Here is the corrected function: def mean(sacks): return sum(sacks) / len(sacks)")
        s.human(said)
    return s


def reply_quiet():
    s = begin("Where is my sack of rye?")
    for asks in ASKS[:2]:
        s.says(asks)
        s.human("R991")
    s.says("It stands in the barn, behind the door.")
    s.human("Thanks")
    return s


def reply_quiet_guesses():
    s = begin("Let me guess which tree the wheel is made of.")
    for tree in ("oak", "elm", "ash", "fir", "yew", "birch"):
        s.says("Not quite, the wheel of the mill is made of another tree. Guess once more!")
        s.human(f"Then {tree}?")
    return s


def reply_quiet_asked():
    s = begin("Grind sack R991.")
    for _ in range(6):
        s.human("Is sack R991 ground?")
        s.says("Not yet, the wheel of the mill turns slowly today. Please wait a little longer.")
    return s


def reply_quiet_tried():
    s = begin("The mill stands still.")
    for number, said in enumerate(("still no", "no", "same as before", "it still stands", "again nothing", "no")):
        s.bash(f"turn wheel {number}", f"turned {number} times round")
        s.says("I turned the wheel of the mill a little. Does the mill grind now?")
        s.human(said)
    return s


def reply_quiet_other_questions():
    s = begin("I want to order flour.")
    for asks, tells in (("Which flour would you like to order?", "rye 991"), ("How many sacks of flour?", "4 of rye 991"),
                        ("Where is the flour to be sent?", "to the barn"), ("Shall the flour be fine?", "yes, fine"),
                        ("When would you like the flour?", "on Monday"), ("Your order of flour is made.", "good")):
        s.says(asks)
        s.human(tells)
    return s


# ---- loop/replanning --------------------------------------------------------------------------------------

STEPS = ["Measure the wheel", "Draw the new wheel", "Order oak", "Ask the miller", "Saw the spokes", "Hang the wheel",
         "Oil the axle", "Check the gate", "Write it down"]


def write_plan(s, items, done=0):
    todos = [{"content": item, "status": "completed" if i < done else "pending", "activeForm": item}
             for i, item in enumerate(items)]
    s.call("TodoWrite", {"todos": todos}, "Todos have been modified")


def replanning_fires():
    s = begin("Build a new wheel.")
    for number in range(11):
        s.says("Let me put the plan in a better order.")
        write_plan(s, [f"{number + 1} {step}" for step in STEPS[number % 4:]])
    return s


def replanning_quiet():
    s = begin("Build a new wheel.")
    for number in range(4):
        write_plan(s, STEPS[number:])
    return s


def replanning_quiet_work():
    s = begin("Build a new wheel.")
    for number in range(8):
        write_plan(s, STEPS[number:] + STEPS[:number // 2])
        s.bash(f"saw spoke {number}", f"spoke {number} is {number + 4} feet long")
    return s


def replanning_quiet_done():
    s = begin("Describe the new wheel.")
    for number in range(8):
        s.says(f"{STEPS[number]}: this is how it goes.")
        write_plan(s, STEPS, number + 1)
    return s


def replanning_quiet_asked():
    s = begin("Plan a new wheel.")
    for number in range(8):
        write_plan(s, STEPS[number:] + STEPS[:number // 2])
        s.human("Put it in another order.")
    return s


# ---- loop/chanting ----------------------------------------------------------------------------------------

THOUGHT = ("The miller said that the grain is wet. Wet grain does not grind well, so the stones have to turn slowly. If "
           "they turn slowly the water has to be held back, and the gate is the only place to do that. But the gate is "
           "rusty, so somebody has to oil it first, and the oil stands in the barn behind the sacks. ")


def chant_session(text, reasoning=False):
    s = begin("Tell me about the grain.")
    s.bash("cat grain.txt", "wet")
    s.respond([{"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"} if reasoning else
               {"type": "text", "text": text}])
    return s


# So many sentences, one of a few each time, in no order.
def in_no_order(sentences, count, end=" "):
    return "".join(sentences[(7 * number * number + number // 2) % 97 % len(sentences)] + end for number in range(count))


STARTS = ["I will oil the gate now.", "Let me begin.", "First the gate.", "Now I open the barn.", "I will start with the oil."]


def chanting_quiet_verdicts():
    verdicts = ["It is sound.", "It is worn.", "It needs oil.", "Nothing to do."]
    return chant_session("\n".join(f"Stone {number}: {verdicts[(number * number) % 4]}" for number in range(60)))


# One label for each of many sacks, in their order.
def chanting_quiet_labels():
    labels = ["The stone is sound.", "The stone is worn.", "The stone needs oil."]
    return chant_session("In the order of the sacks:\n" + in_no_order(labels, 80, "\n"))


def chanting_quiet_refrain():
    verses = [f"The {a} goes to the {b} at night,\nand finds the {b} out of sight.\n" for a in ("miller", "cat", "rat")
              for b in ("gate", "barn", "wheel", "sack")]
    return chant_session("".join(verse + "Turn, stone, turn, the whole day long.\nTurn, stone, turn, and sing this song.\n"
                                 for verse in verses))


def chanting_quiet_list():
    stones = [a + b for a in ("north", "south", "east", "west", "upper", "lower") for b in
              ("ern", "most", "ward", " gate", " wheel", " bank", " tower", " yard", " bridge", " field")]
    return chant_session("".join(f"- Replaced the worn out bearing of the mill stone in the {stone}\n" for stone in stones))


def chanting_quiet_fence():
    rows = "".join("    {.stone = GRANITE, .speed = SLOW, .wet = true},\n" for _ in range(80))
    return chant_session(f"The table begins empty:\n\n```c\nstatic const struct row rows[] = {{\n{rows}}};\n```\n")


def chanting_quiet_table():
    return chant_session("| stone | turns | wet |\n|---|---|---|\n" + "| yes | yes | yes |\n" * 60)


def chanting_quiet_drawing():
    rule = "-" * 120 + "\n"
    wall = "+---+---+---+---+---+---+---+---+\n| o | o | o | o | o | o | o | o |\n" * 12
    return chant_session("The mill from above:\n\n" + rule * 8 + wall + "\u2500" * 400 + "\n" + "o  o  o  o\n" * 16)


# ---- loop/self-appending ----------------------------------------------------------------------------------

def appending_session(first, pieces, output="Exit code 1\nno stone found"):
    s = begin("Find the stone.")
    command = first
    for number, piece in enumerate(["", *pieces]):
        command += piece
        s.bash(command, output + " " + TROUBLES[number].split()[-1], True)
    return s


def appending_fires():
    return appending_session("cd /home/noor/mill && grind --stone 2", [" && grind --stone 2"] * 9)


def appending_quiet():
    s = begin("Find the stone.")
    s.bash("find /home/noor/mill -name stone", "")
    s.bash("find /home/noor -name 'stone*'", "/home/noor/barn/stone.txt")
    return s


def appending_quiet_pipeline():
    return appending_session("cat /home/noor/mill/stones.log", [
        " | grep granite", " | sort -k 3", " | uniq -c", " | awk '{print $2}'", " | head -20", " > counted.txt"])


def appending_quiet_only_repeated():
    return appending_session("cd /home/noor/mill && grind --stone 2", [""] * 9)


def appending_quiet_short():
    return appending_session("make mill", [" mill"] * 3)


# ---- budget/limits ----------------------------------------------------------------------------------------

def budget_session(calls):
    s = begin("Count the sacks.")
    for number in range(calls):
        s.bash(f"cat sack{number}.txt", f"sack of {TROUBLES[number].split()[0]}")
    s.says("Counted.")
    return s


def budget_quiet_talk():
    s = budget_session(5)
    for trouble in TROUBLES:
        s.human(f"What does '{trouble}' mean?")
        s.says(f"That something is wrong with {trouble.split()[0]}.")
    return s


# ---- context/* ----------------------------------------------------------------------------------------------

def harvest(rows, sack=0):
    """A table of `rows` lines of 40 characters."""
    return "".join(f"field {row:05d} sack {sack:03d} weight {(row * 37 + sack) % 997:03d} kg dry\n" for row in range(rows))


def small_window(task):
    s = begin(task)
    s.model = "claude-haiku-4-5"  # 200,000 tokens
    s.prompt = (5, 300, 12_000)
    return s


def grown(s, tokens, new):
    """The next prompt has this length, of which `new` were not in the cache."""
    s.prompt = (5, new, tokens - new - 5)


def oversized(rows, prompt):
    s = small_window("How much did we harvest?")
    s.read("/home/noor/mill/README.md", "# Mill")
    s.bash("cat harvest.tsv", harvest(rows))
    grown(s, prompt, prompt - 12_305)
    s.says("About thirty tons.")
    return s


def oversized_quiet_cut_by_the_client():
    s = oversized(1700, 13_100)
    s.says("The client showed me the first lines only.")
    return s


def reread(times, changed=False, compacted=False):
    s = small_window("Grind finer.")
    for turn in range(times):
        s.read("/home/noor/mill/harvest.py", harvest(400, turn if changed else 0))
        if compacted:
            s.compaction("The harvest was read.")
        s.bash(f"python3 grind.py --stone {turn}", f"{40 + turn} grains")
    return s


def thrash(rounds, between, trigger="auto"):
    s = begin("Count the sacks of all years.")
    for turn in range(rounds):
        for step in range(between):
            s.bash(f"cat year{turn * between + step}.txt", f"{turn * 7 + step} sacks")
        s.compaction("Some years were counted.", trigger)
    s.says("Counted.")
    return s


def bloat(prompts):
    s = small_window("Repair the mill, whatever it takes.")
    s.read("/home/noor/mill/plan.md", harvest(60))
    for turn, tokens in enumerate(prompts):
        grown(s, tokens, 300)
        s.bash(f"./turn {turn}", f"turned {turn}")
    s.says("It turns.")
    return s


def cache(pauses, tokens=150_000, pause=7200, compacts=False):
    s = small_window("Watch the mill.")
    grown(s, tokens, 300)
    for turn in range(pauses):
        s.bash(f"./look {turn}", f"level {turn * 3}")
        s.delay += pause
        if compacts:
            s.compaction("The level was looked at.")
        s.prompt = (5, tokens, 0)
        s.says(f"The level is {turn * 3}.")
        grown(s, tokens, 300)
    return s


def dear(looks, model="claude-opus-4-6"):
    """Three times a sixth of a long prompt is sent again: few tokens, beside those of all prompts, and much money."""
    s = begin("Watch the mill.")
    s.model = model
    grown(s, 900_000, 300)
    for turn in range(looks):
        if turn in (2, 4, 6):
            s.prompt = (5, 150_000, 750_000)
        s.bash(f"./look {turn}", f"level {turn * 3}")
        grown(s, 900_000, 300)
    s.says("The level falls.")
    return s


DATA = {
    "context-bloat": {
        "fires": lambda: bloat([20_000 + 3000 * min(turn, 42) for turn in range(60)]),
        "quiet": lambda: bloat([20_000 + 1000 * turn for turn in range(60)]),
        "quiet-filled-quickly": lambda: bloat([20_000 + 5000 * turn for turn in range(30)])},
    "context-cache-miss": {
        "fires": lambda: cache(5), "quiet": lambda: cache(5, pause=60, tokens=20_000),
        "quiet-after-compactions": lambda: cache(5, compacts=True), "quiet-one-pause": lambda: cache(1),
        "fires-few-but-dear": lambda: dear(9), "quiet-cheaper-model": lambda: dear(9, "claude-sonnet-4-5"),
        "quiet-small-part-of-the-cost": lambda: dear(40)},
    "context-compaction-thrash": {
        "fires": lambda: thrash(4, 2), "quiet": lambda: thrash(2, 2), "quiet-work-between": lambda: thrash(4, 8),
        "quiet-by-hand": lambda: thrash(4, 2, "manual")},
    "context-oversized-result": {
        "fires": lambda: oversized(1700, 46_000), "quiet": lambda: oversized(30, 13_000),
        "quiet-cut-by-the-client": oversized_quiet_cut_by_the_client},
    "context-reread": {
        "fires": lambda: reread(7), "quiet": lambda: reread(2), "quiet-changed": lambda: reread(7, changed=True),
        "quiet-after-compactions": lambda: reread(7, compacted=True)},
    "loop-exact-repeat": {
        "fires-beside-an-order": lambda: repeat_ordered("npm install", "Exit code 1\nnpm error code ERESOLVE\nnpm error no such quern", True),
        "fires": repeat_fires, "fires-on-success": repeat_fires_on_success, "quiet": repeat_quiet,
        "fires-renumbered-button": lambda: turned_pages(["May"] * 6),
        "quiet-renumbered-months": lambda: turned_pages(["May", "June", "July", "August", "September", "October"]),
        "fires-reminded": repeat_fires_reminded, "fires-reminded-edit": repeat_fires_reminded_edit,
        "fires-shuffled-plan": lambda: repeated_plan([0] * 6),
        "quiet-plan-ticked-off": lambda: repeated_plan([0, 1, 2, 3, 4]), "quiet-long-plan": repeat_quiet_long_plan,
        "fires-other-process": repeat_fires_other_process, "quiet-comes-further": repeat_quiet_comes_further,
        "quiet-one-retry": repeat_quiet_one_retry, "quiet-growing-output": repeat_quiet_growing_output,
        "quiet-human-asks": repeat_quiet_human_asks, "quiet-parallel-copies": repeat_quiet_parallel_copies,
        "quiet-until-it-is-up": repeat_quiet_until_it_is_up,
        "fires-queued-again": lambda: sent_letters(["4f81c2d07b", "9a3e55b1c8", "07cd91ea24", "b62f80d3e1", "5e19a7c40f",
                                                    "c8d4037e9b", "1b7ae6f253"]),
        "quiet-queued-once": lambda: sent_letters(["4f81c2d07b"] * 7)},
    "loop-cycle": {
        "fires": cycle_fires, "quiet": cycle_quiet, "quiet-two-rounds": cycle_quiet_two_rounds,
        "fires-random-seed": cycle_fires_random_seed, "quiet-other-test": cycle_quiet_other_test,
        "quiet-failures-shrink": cycle_quiet_failures_shrink},
    "loop-poll-no-progress": {"fires": poll_fires, "quiet": poll_quiet, "quiet-progress": poll_quiet_progress},
    "loop-same-error": {
        "fires": same_error_fires, "fires-at-two-places": same_error_fires_at_two_places,
        "fires-between-looks": lambda: same_error_between_looks(10),
        "fires-new-scripts": lambda: same_error_new_scripts(["maps"] * 10),
        "quiet-scripts-lack-others": lambda: same_error_new_scripts(
            ["maps", "walls", "doors", "roofs", "gates", "wheels", "stones", "sacks", "carts", "barns"]),
        "quiet-scripts-until-installed": same_error_quiet_scripts_until_installed,
        "quiet-tests-first": same_error_quiet_tests_first, "quiet-script-mended": same_error_quiet_script_mended,
        "quiet-other-sites": lambda: same_error_gone(
            ["https://mill.example/price", "https://corn.example/shop", "https://quern.example/list"]),
        "fires-variants": lambda: same_error_gone(
            [f"https://mill.example/{page}.pdf" for page in ("price", "Price", "price-list", "prices")]),
        "quiet-few-between-looks": lambda: same_error_between_looks(5),
        "quiet-looks-before-each": lambda: same_error_between_looks(10, 1), "quiet": same_error_quiet, "quiet-success-between": same_error_quiet_success_between,
        "quiet-one-response": same_error_quiet_one_response, "quiet-pods": known_quiet_counts_none,
        "quiet-made-one-by-one": same_error_quiet_made_one_by_one,
        "quiet-fix-in-progress": same_error_quiet_fix_in_progress,
        "fires-quoted-query": lambda: same_error_quoted(["wet"] * 6),
        "quiet-other-columns": lambda: same_error_quoted(["wet", "damp", "soaked", "moist", "dripping", "dank"]),
        "fires-handed-over": lambda: same_error_handed_over(["weight"] * 6),
        "quiet-other-keys": lambda: same_error_handed_over(["weight", "sacks", "owner", "mill", "row", "date"])},
    "loop-error-streak": {
        "fires": streak_fires, "quiet": streak_quiet, "quiet-a-success": streak_quiet_a_success,
        "quiet-denied": streak_quiet_denied, "quiet-waiting": streak_quiet_waiting},
    "loop-interleaved-repeat": {
        "fires": interleaved_fires, "quiet": interleaved_quiet, "quiet-after-changes": interleaved_quiet_after_changes,
        "quiet-now-and-then": interleaved_quiet_now_and_then,
        "quiet-something-moves": interleaved_quiet_something_moves},
    "loop-near-repeat": {
        "fires": near_fires, "quiet": near_quiet, "quiet-other-answers": near_quiet_other_answers,
        "fires-port-after-port": lambda: near_ports(False), "quiet-servers": lambda: near_ports(True),
        "quiet-batch": near_quiet_batch, "fires-same-look-after-each-click": lambda: clicks(True),
        "quiet-clicks-elsewhere": lambda: clicks(True, 40), "quiet-clicks-alone": lambda: clicks(False)},
    "loop-stagnation": {
        "fires": stagnation_fires, "fires-behind-the-query": stagnation_fires_behind_the_query,
        "fires-page-to-sign-in": lambda: addresses(True), "quiet-pages": lambda: addresses(False),
        "quiet": stagnation_quiet, "quiet-one-response": stagnation_quiet_one_response,
        "quiet-acknowledged": stagnation_quiet_acknowledged, "quiet-new-words": stagnation_quiet_new_words,
        "fires-two-tables": lambda: rows_sought(["sacks", "carts"]),
        "quiet-one-column-after-the-other": columns_sought,
        "quiet-one-table-after-the-other": lambda: rows_sought(
            ["sacks", "carts", "mill.doors", "walls", "barns", "gates", "roads", "wheels"])},
    "loop-stalled-fix": {
        "fires": stalled_fires, "quiet": stalled_quiet, "quiet-failures-shrink": stalled_quiet_failures_shrink,
        "fires-rewritten-script": lambda: rewritten_script(lambda _: "IndexError: list index out of range"),
        "quiet-rewritten-script": lambda: rewritten_script(lambda number: f"KeyError: 'sack {STONES[number % len(STONES)]} {number}'"),
        "fires-waits-for-what-was-put-in": lambda: waited_for(True), "quiet-waits-for-the-next": lambda: waited_for(False),
        "fires-build-goes-on": stalled_fires_build_goes_on, "quiet-other-errors": stalled_quiet_other_errors,
        "quiet-types-shrink": stalled_quiet_types_shrink, "quiet-green": stalled_quiet_green,
        "fires-beside-a-page": lambda: stalled_beside_an_error("The page throws a TypeError. Mend it."),
        "quiet-styled": lambda: stalled_beside_an_error("Give the sacks more air, and softer colours.")},
    "loop-failed-retry": {
        "fires": retry_fires, "quiet": retry_quiet, "quiet-the-file-moves": retry_quiet_the_file_moves,
        "quiet-looks-elsewhere": retry_quiet_looks_elsewhere},
    "loop-known-answers": {
        "fires": known_fires, "fires-on-refusals": known_fires_on_refusals,
        "quiet-each-part": known_quiet_each_part, "quiet-counts-none": known_quiet_counts_none, "quiet-each-manifest": known_quiet_each_manifest, "quiet": known_quiet, "quiet-new-failures": known_quiet_new_failures,
        "quiet-batch": known_quiet_batch, "quiet-after-changes": known_quiet_after_changes},
    "loop-reworded-search": {
        "fires": search_fires, "quiet": search_quiet, "quiet-follows-up": search_quiet_follows_up,
        "quiet-new-documents": search_quiet_new_documents, "quiet-in-the-code": search_quiet_in_the_code},
    "loop-revisit-ratio": {
        "fires": revisit_fires, "quiet": revisit_quiet, "quiet-after-changes": revisit_quiet_after_changes},
    "loop-post-compaction-loop": {
        "fires": compaction_fires, "quiet": compaction_quiet,
        "quiet-reads-once-more": compaction_quiet_reads_once_more},
    "loop-repeated-state": {
        "fires": state_fires, "quiet": state_quiet, "quiet-answers-move": state_quiet_answers_move,
        "quiet-other-changes": state_quiet_other_changes},
    "loop-node-visits": {
        "fires": nodes_fires, "quiet": nodes_quiet, "quiet-new-plans": nodes_quiet_new_plans,
        "quiet-routing": nodes_quiet_routing},
    "loop-edit-oscillation": {
        "fires": oscillation_fires, "fires-on-writes": oscillation_fires_on_writes, "quiet": oscillation_quiet,
        "quiet-other-attempts": oscillation_quiet_other_attempts,
        "quiet-shows-the-test-fails": oscillation_quiet_shows_the_test_fails,
        "quiet-many-files": oscillation_quiet_many_files},
    "loop-edit-region-churn": {
        "fires": churn_fires, "fires-without-line-numbers": churn_fires_without_line_numbers,
        "fires-on-rewriting": churn_fires_on_rewriting,
        "fires-on-the-same-answer": churn_fires_on_the_same_answer, "quiet": churn_quiet,
        "quiet-measured": churn_quiet_measured, "quiet-passes": churn_quiet_passes,
        "quiet-failures-shrink": churn_quiet_failures_shrink, "quiet-docstrings": churn_quiet_docstrings,
        "quiet-writing": churn_quiet_writing, "quiet-read-edit": churn_quiet_read_edit},
    "loop-file-sweep": {
        "fires": sweep_fires, "fires-in-the-shell": sweep_fires_in_the_shell, "quiet": sweep_quiet,
        "quiet-overlap": sweep_quiet_overlap, "quiet-changes-between": sweep_quiet_changes_between,
        "quiet-few-reads": sweep_quiet_few_reads},
    "loop-monologue": {
        "fires": monologue_fires, "fires-streamed-in-parts": monologue_fires_streamed_in_parts,
        "quiet": monologue_quiet, "quiet-said-twice": monologue_quiet_said_twice,
        "quiet-parts-of-one-response": monologue_quiet_parts_of_one_response,
        "quiet-with-calls": monologue_quiet_with_calls, "quiet-human-asks": monologue_quiet_human_asks,
        "quiet-heartbeat": monologue_quiet_heartbeat, "quiet-different-messages": monologue_quiet_different_messages},
    "loop-monologue-near": {
        "fires": monologue_near_fires, "fires-courtesies": monologue_near_fires_courtesies,
        "quiet-courtesies": monologue_near_quiet_courtesies, "quiet": monologue_near_quiet, "quiet-with-calls": monologue_near_quiet_with_calls,
        "quiet-list-worked-off": monologue_near_quiet_list_worked_off,
        "quiet-human-asks": monologue_near_quiet_human_asks},
    "loop-repeated-reply": {
        "fires": reply_fires, "fires-objected": reply_fires_objected, "quiet": reply_quiet,
        "quiet-guesses": reply_quiet_guesses, "quiet-asked": reply_quiet_asked, "quiet-tried": reply_quiet_tried,
        "quiet-other-questions": reply_quiet_other_questions},
    "loop-replanning": {
        "fires": replanning_fires, "quiet": replanning_quiet, "quiet-work": replanning_quiet_work,
        "quiet-done": replanning_quiet_done, "quiet-asked": replanning_quiet_asked},
    "loop-chanting": {
        "fires": lambda: chant_session("The stones turn slowly because the grain is wet. " * 40),
        "fires-one-word-a-line": lambda: chant_session("grain\n" * 400),
        "fires-reasoning-block": lambda: chant_session(THOUGHT * 8, True),
        "fires-two-list-items": lambda: chant_session("- Oil the gate\n- Clean the upper stone\n" * 60),
        "fires-four-rounds": lambda: chant_session(THOUGHT * 4),
        "fires-sentences-in-no-order": lambda: chant_session("The gate is stuck. " + in_no_order(STARTS, 70)),
        "fires-lines-in-no-order": lambda: chant_session(in_no_order(STARTS, 48, "\n"), True),
        "quiet-few-sentences-in-no-order": lambda: chant_session("The gate is stuck. " + in_no_order(STARTS, 36)),
        "quiet-verdicts": chanting_quiet_verdicts, "quiet-labels": chanting_quiet_labels, "quiet-refrain": chanting_quiet_refrain,
        "quiet": lambda: chant_session(THOUGHT), "quiet-list": chanting_quiet_list, "quiet-fence": chanting_quiet_fence,
        "quiet-table": chanting_quiet_table, "quiet-drawing": chanting_quiet_drawing,
        "quiet-three-rounds": lambda: chant_session(THOUGHT * 3),
        "quiet-very-very": lambda: chant_session("The grain is very, very, " + "very " * 20 + "wet. " + THOUGHT)},
    "loop-self-appending": {
        "fires": appending_fires, "quiet": appending_quiet, "quiet-pipeline": appending_quiet_pipeline,
        "quiet-only-repeated": appending_quiet_only_repeated, "quiet-short": appending_quiet_short},
    "budget-limits": {"fires": lambda: budget_session(8), "quiet": lambda: budget_session(5),
                      "quiet-talk-is-no-call": budget_quiet_talk},
}
SETTINGS = {"budget-limits": "tool-calls=5\n"}


def files():
    for rule, cases in DATA.items():
        for name, make in cases.items():
            yield OUT / rule / f"{name}.jsonl", "".join(line + "\n" for line in make().lines)
    for rule, text in SETTINGS.items():
        yield OUT / rule / "settings", text


def main():
    check = sys.argv[1:] == ["--check"]
    for path, text in files():
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            sys.exit(f"{path.parent.name}/{path.name} is not what {pathlib.Path(__file__).name} writes")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
