"""Edits that lead nowhere, and the many edits that do."""
from session_writer import Session
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import ALMANAC, BEACON, FERRY, KILN, ORCHARD, green, numbered, red, set_out, settle


@scenario("loop-edit-and-undo", "An edit, a red test, the edit back, the red test: eight times there and back", row="t14",
          rules=["edit-oscillation", "cycle", "stalled-fix"], slack=2, note="the last run may count or not")
def edit_and_undo():
    s, p, dice = session("edit-undo", FERRY)
    set_out(s, p, dice, "fog")
    with s.loop():
        for turn in range(16):
            old, new = [("<=", "<"), ("<", "<=")][turn % 2]
            s.edit(p.path("fog"), f"if fog.depth {old} limit:", f"if fog.depth {new} limit:")
            s.bash("pytest -q tests/test_fog.py", red(p, "fog", dice, said="expected 4 entries, got 3"), True)
    s.interrupted()
    return s


@scenario("ok-one-way-back", "An edit makes it worse and is taken back; the next idea works", row="t14",
          beside="loop-edit-and-undo")
def one_way_back():
    s, p, dice = session("way-back", FERRY)
    set_out(s, p, dice, "fog")
    s.bash("pytest -q tests/test_fog.py", red(p, "fog", dice, failed=1), True)
    s.edit(p.path("fog"), "if fog.depth <= limit:", "if fog.depth < limit:")
    s.bash("pytest -q tests/test_fog.py", red(p, "fog", dice, failed=4, passed=16, said="nothing found"), True)
    s.edit(p.path("fog"), "if fog.depth < limit:", "if fog.depth <= limit:")
    s.edit(p.path("fog"), "depth = metres", "depth = metres or 0")
    s.bash("pytest -q tests/test_fog.py", green(p, 20, dice))
    settle(s, p, dice, "fog")
    return s


@scenario("loop-red-whatever-is-edited", "Nine different edits in different files, and the test fails alike after each",
          row="e05", rules=["stalled-fix"], slack=2, note="the run before the first edit may count or not")
def red_whatever():
    s, p, dice = session("red-whatever", KILN)
    set_out(s, p, dice, "cone")
    with s.loop():
        s.bash("cargo test cone", red(p, "cone", dice), True)
        for noun in ("cone", "vent", "shelf", "flame", "batch", "wheel", "slip", "ash", "brick"):
            s.edit(p.path(noun), f"{noun}.weight", f"{noun}.mass()")
            s.bash("cargo test cone", red(p, "cone", dice), True)
    s.says("None of the nine changes moves this test; it may not run what I edit.")
    return s


@scenario("warn-red-after-five-edits", "The test fails alike after each of five edits, and there the session ends", row="e05",
          rules=["stalled-fix"], slack=2)
def red_after_some():
    s, p, dice = session("red-some", KILN)
    set_out(s, p, dice, "cone")
    with s.loop():
        s.bash("cargo test cone", red(p, "cone", dice), True)
        for noun in ("cone", "vent", "shelf", "flame", "batch"):
            s.edit(p.path(noun), f"{noun}.weight", f"{noun}.mass()")
            s.bash("cargo test cone", red(p, "cone", dice), True)
    return s


@scenario("ok-green-after-each-edit", "Twelve files, each edited and followed by the same green test run", row="n07 e05",
          beside="loop-red-whatever-is-edited")
def green_after_each():
    s, p, dice = session("green-each", KILN)
    set_out(s, p, dice, "cup")
    for noun in p.nouns[:12]:
        s.edit(p.path(noun), "pub fn", "#[must_use]\npub fn")
        s.bash("cargo test", green(p, 86, dice), description="Still green?")
    settle(s, p, dice, "cup")
    return s


@scenario("ok-red-then-other-red", "The test fails after each of eight edits, at another place each time", row="e05 n08",
          beside="loop-red-whatever-is-edited")
def red_then_other_red():
    s, p, dice = session("other-red", KILN)
    set_out(s, p, dice, "cone")
    for at, noun in enumerate(("cone", "vent", "shelf", "flame", "batch", "wheel", "slip", "ash")):
        s.edit(p.path(noun), f"{noun}.weight", f"{noun}.mass()")
        s.bash("cargo check", f"Exit code 101\nerror[E0599]: no method named `mass` found for `{p.nouns[at + 9].title()}`\n --> src/{p.nouns[at + 9]}.rs:{at * 7 + 4}:18", True)
    settle(s, p, dice, "cone")
    return s


@scenario("loop-three-lines-over-and-over", "Fourteen tiny edits of the same three lines, and the test fails alike", row="t31",
          rules=["edit-region-churn", "stalled-fix"], slack=2, note="the last run may count or not")
def three_lines():
    s, p, dice = session("three-lines", ORCHARD)
    set_out(s, p, dice, "yield")
    lines = ["  const sum = list.reduce((a, x) => a + x.fee, {0});", "  return Math.round(sum * {0});", "  if (sum > {0}) return 0;"]
    state = [0, 0, 0]
    with s.loop():
        for turn in range(14):
            which = turn % 3
            old = lines[which].replace("{0}", str(state[which]))
            state[which] += turn + 1
            s.edit(p.path("yield"), old, lines[which].replace("{0}", str(state[which])))
            s.bash(p.test_command, red(p, "yield", dice, said="expected 12.5 to be 13"), True)
    return s


@scenario("ok-docstrings", "Fifteen functions of one file get a comment each", row="n18", beside="loop-three-lines-over-and-over")
def docstrings():
    s, p, dice = session("docstrings", ORCHARD)
    set_out(s, p, dice, "yield")
    for noun in p.nouns[:15]:
        s.edit(p.path("yield"), f"export function yieldOf{noun.title()}(", f"/** The yield of one {noun}. */\nexport function yieldOf{noun.title()}(")
    settle(s, p, dice, "yield")
    return s


@scenario("ok-twenty-edits-one-file", "One file is edited twenty times; the answer names only the file", row="e04",
          beside="loop-three-lines-over-and-over")
def twenty_edits():
    s, p, dice = session("twenty-edits", ORCHARD)
    set_out(s, p, dice, "scale")
    for turn in range(20):
        s.edit(p.path("scale"), f"weight{turn} * 1000", f"grams(weight{turn})")
    settle(s, p, dice, "scale")
    return s


@scenario("ok-licence-header", "The same licence header goes into 25 files", row="n06", beside="loop-three-lines-over-and-over")
def licence_header():
    s, p, dice = session("licence", BEACON)
    s.human("Put the licence line at the top of every module.")
    for noun in p.nouns[:25]:
        s.edit(p.path(noun), f"package {noun}", f"// SPDX-License-Identifier: Apache-2.0\n\npackage {noun}")
    settle(s, p, dice, "probe")
    return s


@scenario("ok-constant-acknowledgement", "Fifteen different writes are acknowledged with one and the same word", row="n19",
          beside="loop-page-that-is-not-there")
def constant_acknowledgement():
    s, p, dice = session("acknowledged", BEACON)
    set_out(s, p, dice, "channel")
    for noun in p.nouns[:15]:
        s.call("mcp__store__put", {"key": f"channel/{noun}", "value": f"{dice.hex(6)}"}, "OK")
    settle(s, p, dice, "channel")
    return s


@scenario("ok-read-edit-one-file", "One file is read and edited in turn, eight times; its text moves on", row="n17",
          beside="loop-read-edit-test")
def read_edit_one_file():
    s, p, dice = session("read-edit-file", ALMANAC)
    set_out(s, p, dice, "moon")
    text = p.source("moon")
    for verb in ["wax", "wane", "rise", "set", "turn", "halve", "fill", "hide"]:
        s.read(p.path("moon"), numbered(text))
        s.edit(p.path("moon"), "## How to", f"## When to {verb}\n\nIn the first week.\n\n## How to")
        text = text.replace("## How to", f"## When to {verb}\n\nIn the first week.\n\n## How to", 1)
    settle(s, p, dice, "moon")
    return s


@scenario("loop-rewritten-there-and-back", "A file is written as a whole in two versions, seven times each, checked in between",
          row="t14", rules=["edit-oscillation", "cycle", "stalled-fix", "repeated-state"], slack=2)
def rewritten():
    s, p, dice = session("rewritten", ALMANAC)
    set_out(s, p, dice, "winds")
    versions = [p.source("winds") + "\n[north](north.md)\n", p.source("winds") + "\n[north](../north.md)\n"]
    with s.loop():
        for turn in range(14):
            s.call("Write", {"file_path": p.path("winds"), "content": versions[turn % 2]}, f"{p.path('winds')} was updated.")
            s.bash("make check-docs", red(p, "winds", dice, said="north.md is not there", passed=30), True)
    return s


@scenario("ok-snapshots-rewritten", "A generated file is written anew after each change, with another content each time",
          row="t14", beside="loop-rewritten-there-and-back")
def snapshots():
    s, p, dice = session("snapshots", ALMANAC)
    set_out(s, p, dice, "winds")
    text = p.source("winds")
    for wind in ["north", "east", "south", "west", "fall", "sea", "land", "hill"]:
        text += f"\n[{wind}]({wind}.md)\n"
        s.call("Write", {"file_path": p.path("winds"), "content": text}, f"{p.path('winds')} was updated.")
        s.bash("make check-docs", green(p, 30, dice))
    settle(s, p, dice, "winds")
    return s


@scenario("loop-look-try-fail", "A file is read, an edit of it fails, and it is read again, nine times over", row="t32",
          rules=["failed-retry", "cycle"])
def look_try_fail():
    s, p, dice = session("look-try-fail", KILN)
    set_out(s, p, dice, "ramp", leave=("ramp",))
    text = numbered(p.source("ramp"))
    with s.loop():
        for attempt in range(9):
            s.read(p.path("ramp"), text)
            s.edit(p.path("ramp"), f"ramp = {attempt}  # {dice.hex(4)}", "ramp = 90",
                   f"<tool_use_error>String to replace not found in file. String: ramp = {attempt}</tool_use_error>")
        s.read(p.path("ramp"), text)
    return s


@scenario("ok-look-again-and-do-it", "An edit fails, the file is read again, and the next edit works; five files", row="t32",
          beside="loop-look-try-fail")
def look_again():
    s, p, dice = session("look-again", KILN)
    set_out(s, p, dice, "ramp")
    for noun in p.nouns[:5]:
        s.read(p.path(noun), numbered(p.source(noun)))
        s.edit(p.path(noun), f"{noun} = 1", f"{noun} = 2", "<tool_use_error>String to replace not found in file.</tool_use_error>")
        s.read(p.path(noun), numbered(p.source(noun)))
        s.edit(p.path(noun), f"{noun}=1", f"{noun}=2")
    settle(s, p, dice, "ramp")
    return s


@scenario("loop-known-refusals", "Patch after patch goes to a bench that gives one of two known refusals", row="t32",
          rules=["known-answers", "stagnation"], slack=2)
def known_refusals():
    s, p, dice = session("known-refusals", KILN)
    set_out(s, p, dice, "ramp")
    refusals = ["Rejected: the patch leaves line 22 as it is, which the report names as faulty.",
                "Applied, but 1 test fails: testColdKiln expected 0 and got 20."]
    with s.loop():
        for turn in range(16):
            s.call("mcp__bench__submit_patch", {"patch": f"@@ {turn} @@ +ramp = {dice.between(10, 900)} if {dice.hex(6)} else cold"},
                   refusals[turn if turn < 2 else dice.between(0, 1)])
    return s


@scenario("ok-patches-that-get-on", "Patch after patch goes to a bench, and another test passes each time", row="t32",
          beside="loop-known-refusals")
def patches_get_on():
    s, p, dice = session("patches-get-on", KILN)
    set_out(s, p, dice, "ramp")
    for turn in range(12):
        s.call("mcp__bench__submit_patch", {"patch": f"@@ {turn} @@ +ramp = {dice.between(10, 900)} if {dice.hex(6)} else cold"},
               f"Applied, but {12 - turn} tests fail: {', '.join(p.nouns[:12 - turn])}")
    settle(s, p, dice, "ramp")
    return s


def compiled(kind, line):
    """What the compiler says; where it stands is where the edits have moved it."""
    says, quoted = {"borrow": ("error[E0502]: cannot borrow `self.shelf` as mutable because it is also borrowed as immutable",
                               "self.shelf.push(cup);"),
                    "move": ("error[E0505]: cannot move out of `cup` because it is borrowed", "drop(cup);")}[kind]
    return (f"Exit code 101\n   Compiling kiln v0.3.0\n{says}\n  --> src/shelf.rs:{line}:9\n   |\n{line} |         {quoted}\n"
            "   |         ^^^^^ used here\n\nerror: could not compile `kiln` (lib) due to 1 previous error")


@scenario("loop-two-errors-in-turn", "What mends one error brings back the other, a line further down each time", row="t14 t31",
          rules=["stalled-fix"], slack=6, note="the first run of either may count or not")
def two_errors_in_turn():
    s, p, dice = session("two-errors", KILN)
    set_out(s, p, dice, "shelf")
    with s.loop():
        for turn in range(14):
            s.edit(p.path("shelf"), f"let cup = self.shelf.get({turn});",
                   f"let cup = self.shelf.{dice.pick(['get', 'iter', 'first'])}({turn + 1});\n        let held = {turn};")
            s.bash("cargo build", compiled(("borrow", "move")[turn % 2], 80 + turn), True)
    s.interrupted()
    return s


@scenario("ok-two-kinds-mended-in-turn", "Errors of two kinds in turn, the next of each sixty lines further down", row="t31 n08",
          beside="loop-two-errors-in-turn")
def two_kinds_mended():
    s, p, dice = session("two-kinds", KILN)
    set_out(s, p, dice, "shelf")
    for turn in range(12):
        s.edit(p.path("shelf"), f"let cup = self.shelf.get({turn});",
               f"let cup = self.shelf.{dice.pick(['get', 'iter', 'first'])}({turn + 1});\n        let held = {turn};")
        s.bash("cargo build", compiled(("borrow", "move")[turn % 2], 80 + 31 * turn), True)
    s.edit(p.path("shelf"), "let cup = self.shelf.get(12);", "let cup = self.shelf.take(12);")
    s.bash("cargo build", "   Compiling kiln v0.3.0\n    Finished dev profile in 4.1s")
    settle(s, p, dice, "shelf")
    return s


@scenario("ok-styled-beside-an-old-error", "A card is styled in ten steps, and the console shows an old error at each look", row="n18",
          beside="warn-edits-beside-the-error")
def styled_beside_an_old_error():
    s = Session(cwd=FERRY.home, name="styled", compact=True)
    s.human("The berth card is too cramped. Give it more air, as in the mockup.")
    for turn in range(10):
        s.edit(FERRY.path("berth"), f"padding: {turn}px", f"padding: {turn + 1}px")
        s.call("browser_take_screenshot", {}, f"A card of {200 + 4 * turn} by {90 + 2 * turn} pixels.\n"
               "Console: [ERROR] Uncaught ReferenceError: count is not defined at count.js:7")
    s.says("The card has more air now. The error of count.js was there before.")
    return s


@scenario("warn-edits-beside-the-error", "A page throws, and does so after each of ten edits", row="t05", rules=["stalled-fix"], slack=10)
def edits_beside_the_error():
    s = Session(cwd=FERRY.home, name="edits-beside", compact=True)
    s.human("The berth page throws an error since yesterday. Mend it.")
    with s.loop():
        for turn in range(10):
            s.edit(FERRY.path("berth"), f"const berth{turn}", f"const berth{turn + 1}")
            s.call("browser_take_screenshot", {}, f"A card of {200 + 4 * turn} by {90 + 2 * turn} pixels.\n"
                   "Console: [ERROR] Uncaught ReferenceError: count is not defined at count.js:7")
    s.interrupted()
    return s
