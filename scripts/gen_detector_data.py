#!/usr/bin/env python3
"""Writes testdata/detectors/<rule>/{fires,quiet}*.jsonl: for each rule, what it must find and what it must not.

All of it is invented; the record layout is that of Claude Code. A file name is its verdict: in fires*.jsonl the rule
finds something, in quiet*.jsonl nothing. `settings` in a folder holds the parameters a rule cannot do without.

    gen_detector_data.py [--check]      write the files, or fail when a committed one differs
"""
import datetime
import json
import pathlib
import sys

OUT = pathlib.Path(__file__).resolve().parent.parent / "testdata/detectors"
DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
NO_MATCH = "<tool_use_error>String to replace not found in file.</tool_use_error>"


class Session:
    """Writes one session: call() is a response with one call, calls() one with several."""

    def __init__(self):
        self.lines = []
        self.responses = 0
        self.open_calls = 0

    def record(self, kind, **fields):
        number = len(self.lines) + 1
        when = datetime.datetime(2026, 5, 4, 9, 0, 0) + datetime.timedelta(seconds=3 * number)
        self.lines.append(json.dumps({
            "parentUuid": f"record-{number - 1}" if number > 1 else None, "isSidechain": False, "userType": "external",
            "cwd": "/home/noor/mill", "sessionId": "mill", "version": "2.1.90", "type": kind, **fields,
            "uuid": f"record-{number}", "timestamp": when.isoformat(timespec="milliseconds") + "Z"}))

    def human(self, text):
        self.record("user", message={"role": "user", "content": text})

    def respond(self, blocks):
        self.responses += 1
        usage = {"input_tokens": 5, "cache_creation_input_tokens": 300, "output_tokens": 40,
                 "cache_read_input_tokens": 9000 + 300 * self.responses}
        for block in blocks:
            self.record("assistant", requestId=f"req-{self.responses}", message={
                "id": f"msg-{self.responses}", "role": "assistant", "model": "claude-sonnet-4-5", "content": [block],
                "usage": usage})

    def says(self, text):
        self.respond([{"type": "text", "text": text}])

    def calls(self, *calls):
        """Each call is (tool, input, output) or (tool, input, output, True) for a failed one."""
        first = self.open_calls + 1
        self.open_calls += len(calls)
        self.respond([{"type": "tool_use", "id": f"call-{first + i}", "name": call[0], "input": call[1]}
                      for i, call in enumerate(calls)])
        for i, call in enumerate(calls):
            result = {"type": "tool_result", "tool_use_id": f"call-{first + i}", "content": call[2]}
            if len(call) > 3:
                result["is_error"] = call[3]
            self.record("user", message={"role": "user", "content": [result]})

    def call(self, *call):
        self.calls(call)

    def bash(self, command, output, error=False, description="Run it"):
        self.call("Bash", {"command": command, "description": description}, output, error)

    def read(self, path, text):
        self.call("Read", {"file_path": path}, text)

    def edit(self, path, old, new, error=None):
        self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}, error or f"{path} was updated.",
                  error is not None)


def begin(task):
    s = Session()
    s.human(task)
    return s


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
    "loop-monologue": {
        "fires": monologue_fires, "fires-streamed-in-parts": monologue_fires_streamed_in_parts,
        "quiet": monologue_quiet, "quiet-said-twice": monologue_quiet_said_twice,
        "quiet-parts-of-one-response": monologue_quiet_parts_of_one_response,
        "quiet-with-calls": monologue_quiet_with_calls, "quiet-human-asks": monologue_quiet_human_asks,
        "quiet-heartbeat": monologue_quiet_heartbeat, "quiet-different-messages": monologue_quiet_different_messages},
    "loop-monologue-near": {
        "fires": monologue_near_fires, "quiet": monologue_near_quiet, "quiet-with-calls": monologue_near_quiet_with_calls,
        "quiet-list-worked-off": monologue_near_quiet_list_worked_off,
        "quiet-human-asks": monologue_near_quiet_human_asks},
    "loop-chanting": {
        "fires": lambda: chant_session("The stones turn slowly because the grain is wet. " * 40),
        "fires-one-word-a-line": lambda: chant_session("grain\n" * 400),
        "fires-reasoning-block": lambda: chant_session(THOUGHT * 8, True),
        "fires-two-list-items": lambda: chant_session("- Oil the gate\n- Clean the upper stone\n" * 60),
        "fires-four-rounds": lambda: chant_session(THOUGHT * 4),
        "quiet": lambda: chant_session(THOUGHT), "quiet-list": chanting_quiet_list, "quiet-fence": chanting_quiet_fence,
        "quiet-table": chanting_quiet_table, "quiet-drawing": chanting_quiet_drawing,
        "quiet-three-rounds": lambda: chant_session(THOUGHT * 3),
        "quiet-very-very": lambda: chant_session("The grain is very, very, " + "very " * 20 + "wet. " + THOUGHT)},
    "loop-self-appending": {
        "fires": appending_fires, "quiet": appending_quiet, "quiet-pipeline": appending_quiet_pipeline,
        "quiet-only-repeated": appending_quiet_only_repeated, "quiet-short": appending_quiet_short},
    "budget-limits": {"fires": lambda: budget_session(8), "quiet": lambda: budget_session(5)},
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
