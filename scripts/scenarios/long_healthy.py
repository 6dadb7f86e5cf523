"""Long sessions in which the work gets done, each in the habits of another kind of work.

They hold what healthy sessions hold: files read twice, a search without a hit, a red run that is run once more, clean looks
at git status, waits, acknowledgements that never change. A detector that speaks up here is switched off by its users.
"""
from session_writer import Chat, Codex
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import ALMANAC, BEACON, FERRY, KILN, ORCHARD, Dice, green, hits, numbered, red, title


@scenario("ok-long-tdd", "Test first: red, code, green, commit, for eighteen features", row="long")
def tdd():
    s, p, dice = session("tdd", FERRY)
    s.human("Build the winter timetable, test first, one small feature after the other.")
    s.read(f"{p.home}/pyproject.toml", numbered("[project]\nname = 'ferry'\n\n[tool.pytest.ini_options]\ntestpaths = ['tests']"))
    passed = 31
    for turn, noun in enumerate(p.nouns[:18]):
        test = f"test_winter_{noun}"
        s.edit(p.test_path(noun), "# winter", f"def {test}():\n    assert winter({noun}).days == {turn + 3}\n\n\n# winter")
        s.bash(f"pytest -q -k {test}", f"Exit code 1\nF\nE   AttributeError: {noun} has no winter\n1 failed in {dice.seconds()}s", True)
        s.edit(p.path(noun), "# winter", f"def winter_{noun}(days={turn + 3}):\n    return Season({noun}, days)\n\n\n# winter")
        if dice.chance(25):
            s.bash(f"pytest -q -k {test}", f"Exit code 1\nF\nE   NameError: name 'Season' is not defined\n1 failed in {dice.seconds()}s", True)
            s.edit(p.path(noun), '"""Keeps', f'from ferry.season import Season  # {noun}\n\n"""Keeps')
        passed += 1
        s.bash("pytest -q", green(p, passed, dice), description="All tests")
        if dice.chance(40):
            s.bash("git status --short", f" M {p.short(noun)}\n M {p.short_test(noun)}")
        s.bash(f"git commit -qam 'Winter days for {noun}'", "")
    s.says("The winter timetable is complete: eighteen features, each with a test.")
    return s


@scenario("ok-long-batch-edits", "One field is renamed in all thirty modules, with checks in between", row="long")
def batch_edits():
    s, p, dice = session("batch", ORCHARD)
    s.human("Rename the field weight to mass in the whole project.")
    s.call("Grep", {"pattern": "weight", "path": p.home, "output_mode": "files_with_matches"}, "\n".join(p.path(n) for n in p.nouns))
    for turn, noun in enumerate(p.nouns):
        s.read(p.path(noun), numbered(p.source(noun)))
        s.call("Edit", {"file_path": p.path(noun), "old_string": "x.weight", "new_string": "x.mass", "replace_all": True},
               f"The file {p.path(noun)} has been updated. All occurrences were replaced.")
        if turn % 6 == 5:
            left = 30 - turn - 1
            s.bash("npx tsc --noEmit", f"Exit code 2\nFound {left * 3} errors in {left} files." if left else "", left > 0)
    s.call("Grep", {"pattern": "weight", "path": p.home}, "No matches found")
    s.bash("npm test", green(p, 118, dice))
    s.bash("git commit -qam 'weight is called mass' && git log --oneline -1", f"{dice.hex(7)} weight is called mass")
    s.says("Renamed in thirty modules.")
    return s


@scenario("ok-long-exploration", "A stranger reads a whole project: listings, searches, files, some of them twice", row="long")
def exploration():
    s, p, dice = session("exploration", BEACON)
    s.human("Explain how an alert travels from the probe to the phone. Take your time.")
    s.call("LS", {"path": p.home}, "- go.mod\n- internal/\n- cmd/\n- README.md")
    s.read(f"{p.home}/README.md", numbered("# beacon\n\nWatches things and wakes people."))
    s.call("LS", {"path": f"{p.home}/internal"}, "\n".join(f"- {noun}/" for noun in p.nouns))
    for turn, noun in enumerate(p.nouns):
        if turn % 3 == 0:
            s.calls(("Read", {"file_path": p.path(noun)}, numbered(p.source(noun))),
                    ("Read", {"file_path": p.test_path(noun)}, numbered(p.test_source(noun))))
        else:
            s.read(p.path(noun), numbered(p.source(noun)))
        other = dice.pick(p.nouns)
        s.call("Grep", {"pattern": f"{title(p.verbs(noun)[0])}{title(noun)}\\(", "path": p.home},
               "No matches found" if dice.chance(20) else hits(p, noun, [other], dice))
        if dice.chance(25):
            s.read(p.path(other), numbered(p.source(other)))
        if dice.chance(20):
            s.thinks(f"So {noun} hands over to {other}; that fits what the {p.nouns[0]} does.")
    s.says("An alert starts in the probe, is weighed in the quorum, waits in the window and leaves through the channel.")
    return s


@scenario("ok-long-ci", "Three pushes, each followed through CI with pauses and looks that show progress", row="long")
def ci():
    s, p, dice = session("ci", BEACON)
    s.human("Get the release branch through CI.")
    jobs = ["build", "lint", "unit", "race", "arm", "image", "smoke", "docs"]
    for push, broken in enumerate(("race", "smoke", None)):
        s.bash("git push -q origin release", "", description="Push")
        run = 9001 + push
        s.bash("gh run list --limit 1", f"queued\trelease\tCI\t{run}")
        for done in range(len(jobs)):
            s.bash("sleep 45", "", description="Give it time")
            lines = [f"{'✓' if i < done else '*' if i == done else ' '} {job}" for i, job in enumerate(jobs)]
            s.bash(f"gh run view {run}", "\n".join(lines), description="How far is CI?")
            if dice.chance(40):
                s.bash("sleep 45", "", description="Give it time")
                s.bash(f"gh run view {run}", "\n".join(lines), description="How far is CI?")
            if jobs[done] == broken:
                s.bash(f"gh run view {run} --log-failed", f"{broken}: internal/{p.nouns[push]}/{p.nouns[push]}.go:{dice.between(9, 90)}: {'data race' if push == 0 else 'timeout'}", True)
                s.read(p.path(p.nouns[push]), numbered(p.source(p.nouns[push])))
                s.edit(p.path(p.nouns[push]), "kept := make", "var mu sync.Mutex\n\tkept := make" if push == 0 else "defer stop()\n\tkept := make")
                s.bash("go test ./...", green(p, 140, dice))
                s.bash(f"git commit -qam 'Mend {broken}'", "")
                break
    s.bash("gh run view 9003", "\n".join(f"✓ {job}" for job in jobs))
    s.says("CI is green.")
    return s


@scenario("ok-long-paging", "Three long logs and a paged service are read from the first page to the last", row="long")
def paging():
    s, p, dice = session("paging", BEACON)
    s.human("Read last night's three logs and the alert history. When did it begin?")
    for log in ("relay", "scrape", "quorum"):
        for start in range(1, 1500, 100):
            lines = "\n".join(f"0{start // 300}:{(start + i) % 60:02} {log} {Dice(f'{log}/{start + i}').pick(p.nouns)} {(start + i) * 37 % 997}" for i in range(0, 100, 4))
            s.call("Read", {"file_path": f"/var/log/beacon/{log}.log", "offset": start, "limit": 100}, numbered(lines, start))
        s.says(f"The {log} log is quiet until entry {dice.between(300, 1200)}.")
    for page in range(1, 16):
        s.call("mcp__pager__history", {"page": page}, "\n".join(f"{dice.hex(5)} {dice.pick(p.nouns)} 0{dice.between(1, 6)}:{dice.between(10, 59)}" for _ in range(4)))
    s.call("Read", {"file_path": "/var/log/beacon/relay.log", "offset": 611, "limit": 40}, numbered("\n".join(f"relay {n}" for n in p.nouns), 611))
    s.says("It began in the relay at 02:11; everything else followed.")
    return s


@scenario("ok-long-refactoring", "A module is taken apart: read, move, compile, test, look at the difference", row="long")
def refactoring():
    s, p, dice = session("refactoring", KILN)
    s.human("Split the library into crates of one module each, smallest first.")
    for turn, noun in enumerate(p.nouns[:16]):
        s.read(p.path(noun), numbered(p.source(noun)))
        s.call("Write", {"file_path": f"{p.home}/crates/{noun}/src/lib.rs", "content": p.source(noun)}, f"File created at {p.home}/crates/{noun}/src/lib.rs")
        s.call("Write", {"file_path": f"{p.home}/crates/{noun}/Cargo.toml", "content": f"[package]\nname = \"kiln-{noun}\"\n"}, f"File created at {p.home}/crates/{noun}/Cargo.toml")
        s.edit(f"{p.home}/src/lib.rs", f"pub mod {noun};", f"pub use kiln_{noun} as {noun};")
        if dice.chance(45):
            s.bash("cargo check", f"Exit code 101\nerror[E0432]: unresolved import `crate::{dice.pick(p.nouns)}`\n --> crates/{noun}/src/lib.rs:{dice.between(1, 9)}:5", True)
            s.edit(f"{p.home}/crates/{noun}/src/lib.rs", "use crate::", f"use kiln_{p.nouns[turn - 1]}::")
        s.bash("cargo check", "    Finished dev profile in " + dice.seconds() + "s")
        s.bash("cargo test", green(p, 212, dice))
        s.bash("git diff --stat", f" crates/{noun}/src/lib.rs | {dice.between(20, 60)} +\n src/lib.rs | 2 +-")
        s.bash(f"git commit -qam 'A crate for {noun}'", "")
    s.says("Sixteen crates; the rest is too tangled for today.")
    return s


@scenario("ok-long-docs", "A handbook is written: read the source, write a page, check the links, look at the table again", row="long")
def docs():
    s, p, dice = session("docs", ALMANAC)
    s.human("Write the handbook pages that are still missing.")
    s.read(f"{p.home}/docs/index.md", numbered("# Almanac\n\n" + "\n".join(f"- [{n}]({n}.md)" for n in p.nouns)))
    for turn, noun in enumerate(p.nouns[:22]):
        s.call("Write", {"file_path": p.path(noun), "content": f"# {title(noun)}\n\n{p.source(noun)}"}, f"File created at {p.path(noun)}")
        if turn % 3 == 0:
            s.says(f"The page about {noun} is there. So far:\n\n| page | words | checked |\n|---|---|---|\n" + "".join(f"| {n} | {Dice(n).between(90, 400)} | yes |\n" for n in p.nouns[:turn + 1]))
        if turn % 4 == 2:
            s.bash("make check-docs", red(p, noun, dice, said=f"{p.nouns[turn + 3]}.md is not there", passed=turn + 1), True)
            s.edit(p.path(noun), f"{p.nouns[turn + 3]}.md", "index.md")
        s.bash("make check-docs", green(p, turn + 1, dice))
        if turn % 7 == 6:
            s.read(f"{p.home}/docs/index.md", numbered("# Almanac\n\n" + "\n".join(f"- [{n}]({n}.md)" for n in p.nouns)))
    s.says("All pages are written.")
    return s


@scenario("ok-long-shrinking-failures", "Thirty-four failures become none, some steps forward and one back", row="long")
def shrinking():
    s, p, dice = session("shrinking", ORCHARD)
    s.human("The new database driver broke the tests. Repair them.")
    s.bash("npm test", red(p, "apple", dice, failed=34, passed=84, said="driver returns strings"), True, "Run the tests")
    counts = [33, 31, 31, 30, 27, 26, 22, 23, 19, 18, 15, 14, 11, 9, 8, 6, 5, 3, 2, 1]
    for turn, failed in enumerate(counts):
        noun = p.nouns[turn]
        s.bash(f"npx vitest run {p.short_test(noun)}", red(p, noun, dice, failed=dice.between(1, 4), passed=3, said=f"expected {turn} to be '{turn}'", at=turn + 8), True, "Only this one")
        s.read(p.path(noun), numbered(p.source(noun)))
        s.edit(p.path(noun), "row.number", f"Number(row.number)  // {noun}")
        s.bash("npm test", red(p, p.nouns[turn + 1], dice, failed=failed, passed=118 - failed, said="driver returns strings", at=turn + 3), True, "Run the tests")
    s.edit(p.path("well"), "row.depth", "Number(row.depth)")
    s.bash("npm test", green(p, 118, dice), description="Run the tests")
    s.bash("npm test", green(p, 118, dice), description="Once more, to be sure")
    s.says("All green, twice.")
    return s


@scenario("ok-long-notebook", "A notebook: cells are written, run, looked at, changed and run again", row="long")
def notebook():
    s, p, dice = session("notebook", FERRY)
    path = f"{p.home}/notes/ridership.ipynb"
    s.human("Find out why fewer people take the ferry on Tuesdays.")
    s.call("NotebookRead", {"notebook_path": path}, "3 cells")
    for cell in range(34):
        noun = p.nouns[cell % 30]
        s.call("NotebookEdit", {"notebook_path": path, "cell_number": cell + 3, "edit_mode": "insert",
                                "new_source": f"t.groupby('{noun}').size().sort_values().head({cell + 3})"}, f"Inserted cell {cell + 3}")
        if dice.chance(30):
            s.bash(f"jupyter execute --cell {cell + 3} {path}", f"Exit code 1\nKeyError: '{noun}'", True)
            s.call("NotebookEdit", {"notebook_path": path, "cell_number": cell + 3, "edit_mode": "replace",
                                    "new_source": f"t.groupby('{noun}_id').size().sort_values().head({cell + 3})"}, f"Updated cell {cell + 3}")
        s.bash(f"jupyter execute --cell {cell + 3} {path}", "\n".join(f"{dice.pick(p.nouns):10} {dice.between(1, 999)}" for _ in range(4)))
        if cell % 5 == 4:
            s.bash("python3 -c \"import pandas as pd; t = pd.read_csv('rides.csv'); print(t.shape)\"", "(18211, 14)", description="Shape")
    s.says("Tuesdays are market days on the mainland; people drive and stay.")
    return s


@scenario("ok-long-web-research", "A question of history: searches, some of them empty, pages, notes", row="long")
def web_research():
    s, p, dice = session("web", ALMANAC)
    s.human("Who made the oldest printed almanac of this county, and where is it kept?")
    makers = ["printer", "bookbinder", "vicar", "schoolmaster", "surveyor", "apothecary", "miller", "clerk", "engraver", "widow"]
    for turn in range(30):
        who, noun = makers[turn % 10], p.nouns[turn]
        query = f"{who} {noun} almanac {1650 + turn * 3} county"
        if turn % 6 == 4:
            s.call("WebSearch", {"query": query}, "No results found")
            query = f"{noun} almanac {who}"
        urls = [f"https://library.example/{dice.hex(6)}" for _ in range(2)]
        s.call("WebSearch", {"query": query}, "\n".join(f"{i + 1}. {title(who)} and {noun} ({u})" for i, u in enumerate(urls)))
        s.call("WebFetch", {"url": urls[0], "prompt": "who printed it, and when?"},
               "Request failed with status code 404" if dice.chance(15) else f"A {who} of {dice.pick(p.nouns)}, {dice.between(1640, 1790)}; {dice.between(8, 60)} leaves.")
        if turn % 4 == 3:
            s.call("Write", {"file_path": f"{p.home}/notes/{noun}.md", "content": f"{who}: {dice.between(1640, 1790)}\n"}, f"File created at {p.home}/notes/{noun}.md")
    s.says("A widow of the market town, in 1662; the only copy is in the county library.")
    return s


@scenario("ok-long-server", "A server is started, asked, stopped and changed until it does what it should", row="long")
def server():
    s, p, dice = session("server", ORCHARD)
    s.human("The shop answers wrongly for empty baskets. Mend it while it runs.")
    for turn in range(20):
        noun = p.nouns[turn]
        s.bash("kill $(cat shop.pid); node shop.js & echo $! > shop.pid", f"[1] {dice.between(2000, 60000)}", description="Restart")
        s.bash("sleep 2", "", description="Let it start")
        s.bash(f"curl -s localhost:8080/{noun}?basket=", f'{{"{noun}": {dice.between(0, 40)}, "total": {dice.between(0, 400)}}}')
        s.bash("tail -n 3 shop.log", f"GET /{noun} {[200, 500, 404][turn % 3]}\nbasket is empty\nanswered with {dice.between(0, 400)}")
        s.edit(p.path(noun), "basket[0]", f"basket[0] ?? {turn}")
        if turn % 5 == 4:
            s.bash("npm test", green(p, 118 + turn // 5, dice))
    s.says("Empty baskets are answered with zero everywhere.")
    return s


@scenario("ok-long-review", "Forty commits of a branch are read one by one", row="long")
def review():
    s, p, dice = session("review", KILN)
    s.human("Review the branch, commit by commit.")
    commits = [dice.hex(8) for _ in range(40)]
    s.bash("git log --oneline main..branch", "\n".join(f"{c} change {dice.pick(p.nouns)}" for c in commits))
    for turn, commit in enumerate(commits):
        noun = p.nouns[turn % 30]
        s.bash(f"git show --stat {commit}", f"commit {commit}\n src/{noun}.rs | {dice.between(1, 40)} +-")
        s.bash(f"git show {commit} -- src/{noun}.rs", f"-    let limit = {dice.between(2, 90)};\n+    let limit = {dice.between(2, 90)};")
        if turn % 8 == 7:
            s.bash(f"git stash -q; git checkout -q {commit}; cargo test", green(p, 190 + turn, dice))
            s.says(f"Up to {commit} I have {turn // 8} remarks.")
    s.says("Five remarks, none that stops the merge.")
    return s


@scenario("ok-long-codex-migration", "Codex: a table is moved column by column, with a query after each", row="long")
def codex_migration():
    p, dice = FERRY, Dice("migration")
    s = Codex(p.home)
    s.human("Move the old bookings table over, column by column, and check each.")
    for turn, noun in enumerate(p.nouns[:26]):
        s.thinks(f"**Column {noun}**")
        s.patch(f"*** Add File: migrations/{turn:03}_{noun}.sql\n+alter table booking add column {noun} text;", f"Success. Updated the following files:\nA migrations/{turn:03}_{noun}.sql")
        s.bash("python3 manage.py migrate", f"Applying {turn:03}_{noun}... OK")
        s.bash(f"psql ferry -c 'select count({noun}) from booking'", f" count\n-------\n {18211 - turn * dice.between(0, 9)}\n(1 row)")
        if turn % 5 == 3:
            s.bash("pytest -q", green(p, 88 + turn, dice))
            s.bash("git add -A && git commit -qm 'More columns'", "")
    s.says("All 26 columns are moved.")
    return s


@scenario("ok-long-desk", "Chat: thirty wishes of one guest at a booking desk, the same few tools for each", row="long")
def desk():
    s, dice = Chat(), Dice("desk")
    s.system("You are the desk of a small ferry line.")
    for turn in range(30):
        noun = FERRY.nouns[turn]
        s.human(f"And for the {noun} trip, can I still get {dice.between(1, 6)} seats on day {turn + 1}?")
        s.call("timetable", {"trip": noun}, f'{{"leaves": "{dice.between(6, 20):02}:{dice.between(10, 59)}"}}')
        s.call("seats", {"trip": noun, "day": turn + 1}, f'{{"free": {dice.between(0, 12)}}}')
        if turn % 3 == 1:
            s.call("book", {"trip": noun, "day": turn + 1}, '{"ok": true}')
        s.says("Booked." if turn % 3 == 1 else f"There are still seats on the {noun} trip.")
    return s
