"""Edits that lead nowhere, and the many edits that do."""
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
