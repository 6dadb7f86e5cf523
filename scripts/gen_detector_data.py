#!/usr/bin/env python3
"""Writes testdata/detectors/<rule>/{fires,quiet}*.jsonl: for each rule, what it must find and what it must not.

All of it is invented; the record layout is that of Claude Code. A file name is its verdict: in fires*.jsonl the rule
finds something, in quiet*.jsonl nothing. `settings` in a folder holds the parameters a rule cannot do without.

    gen_detector_data.py [--check]      write the files, or fail when a committed one differs
"""
import pathlib
import sys

from session_writer import DENIED, begin

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


def same_error_quiet():
    s = begin("Find out who delivers our stones.")
    s.call("mcp__ledger__search", {"query": "stone"}, "401 invalid api key", True)
    s.call("mcp__ledger__login", {}, "logged in")
    s.call("mcp__ledger__search", {"query": "stone"}, "Quarry & Sons")
    return s


def same_error_quiet_success_between():
    s = begin("Find out who delivers our stones.")
    for query in LOOKUPS:
        s.call("mcp__ledger__search", {"query": query}, "no entry", True)
        s.call("mcp__ledger__search", {"query": query + " 2025"}, f"entry about {query}")
    return s


def same_error_quiet_one_response():
    s = begin("Edit all files.")
    s.calls(*[("Edit", {"file_path": f"/home/noor/{query}", "old_string": "a", "new_string": "b"},
               "<tool_use_error>File has not been read yet.</tool_use_error>", True) for query in LOOKUPS])
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


DATA = {
    "loop-exact-repeat": {
        "fires": repeat_fires, "fires-on-success": repeat_fires_on_success, "quiet": repeat_quiet,
        "quiet-one-retry": repeat_quiet_one_retry, "quiet-growing-output": repeat_quiet_growing_output,
        "quiet-human-asks": repeat_quiet_human_asks, "quiet-parallel-copies": repeat_quiet_parallel_copies},
    "loop-cycle": {
        "fires": cycle_fires, "quiet": cycle_quiet, "quiet-two-rounds": cycle_quiet_two_rounds,
        "quiet-failures-shrink": cycle_quiet_failures_shrink},
    "loop-poll-no-progress": {"fires": poll_fires, "quiet": poll_quiet, "quiet-progress": poll_quiet_progress},
    "loop-same-error": {
        "fires": same_error_fires, "quiet": same_error_quiet, "quiet-success-between": same_error_quiet_success_between,
        "quiet-one-response": same_error_quiet_one_response,
        "quiet-fix-in-progress": same_error_quiet_fix_in_progress},
    "loop-error-streak": {
        "fires": streak_fires, "quiet": streak_quiet, "quiet-a-success": streak_quiet_a_success,
        "quiet-denied": streak_quiet_denied},
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
