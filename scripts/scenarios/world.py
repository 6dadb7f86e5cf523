"""The invented world of the scenarios: projects with files, and what their tools print.

Nothing here is random: Dice turns a name into the same throws on every machine and Python.
"""
import hashlib


class Dice:
    def __init__(self, name):
        self.name, self.thrown = name, 0

    def below(self, n):
        self.thrown += 1
        digest = hashlib.sha256(f"{self.name}/{self.thrown}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % n

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def pick(self, items):
        return items[self.below(len(items))]

    def chance(self, percent):
        return self.below(100) < percent

    def shuffled(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    def hex(self, digits):
        self.thrown += 1
        return hashlib.sha256(f"{self.name}/{self.thrown}".encode()).hexdigest()[:digits]

    def seconds(self):
        return f"{self.between(0, 9)}.{self.between(10, 99)}"


VERBS = ["load", "find", "merge", "check", "sort", "price", "book", "close", "print", "count", "move", "split"]


def title(word):
    return word[0].upper() + word[1:]


class Project:
    """Some thirty small source files, all different, and how their tests are run."""

    def __init__(self, name, language, test_command, nouns):
        self.name, self.language, self.test_command, self.nouns = name, language, test_command, nouns
        self.home = f"/home/noor/{name}"

    def path(self, noun):
        return f"{self.home}/{self.short(noun)}"

    def short(self, noun):
        return {"py": f"src/{noun}.py", "ts": f"src/{noun}.ts", "rs": f"src/{noun}.rs",
                "go": f"internal/{noun}/{noun}.go", "md": f"docs/{noun}.md"}[self.language]

    def test_path(self, noun):
        return f"{self.home}/{self.short_test(noun)}"

    def short_test(self, noun):
        return {"py": f"tests/test_{noun}.py", "ts": f"src/{noun}.test.ts", "rs": f"tests/{noun}.rs",
                "go": f"internal/{noun}/{noun}_test.go", "md": f"docs/{noun}.check.md"}[self.language]

    def verbs(self, noun):
        return Dice(f"{self.name}/{noun}/verbs").shuffled(VERBS)[:4]

    def source(self, noun):
        """The text of a file; the same whenever it is read."""
        dice = Dice(f"{self.name}/{noun}")
        return "\n".join(line for verb in self.verbs(noun) for line in FUNCTION[self.language](dice, noun, verb))

    def test_source(self, noun):
        dice = Dice(f"{self.name}/{noun}/test")
        return "\n".join(line for verb in self.verbs(noun)[:3] for line in TEST[self.language](dice, noun, verb))


def py_function(dice, noun, verb):
    limit = dice.between(2, 90)
    return [f"def {verb}_{noun}({noun}s, limit={limit}):",
            f'    """{title(verb)} the {noun}s up to the limit."""',
            f"    chosen = [{noun} for {noun} in {noun}s if {noun}.{dice.pick(['weight', 'age', 'rank', 'fee'])} <= limit]",
            f"    return sorted(chosen, key=lambda {noun}: {noun}.{dice.pick(['name', 'number', 'since'])})", "", ""]


def ts_function(dice, noun, verb):
    return [f"export function {verb}{title(noun)}(list: {title(noun)}[], limit = {dice.between(2, 90)}): {title(noun)}[] {{",
            f"  const kept = list.filter((x) => x.{dice.pick(['weight', 'age', 'rank', 'fee'])} <= limit);",
            f"  return kept.sort((a, b) => a.{dice.pick(['name', 'since'])}.localeCompare(b.name));", "}", ""]


def rs_function(dice, noun, verb):
    return [f"pub fn {verb}_{noun}(all: &[{title(noun)}], limit: u32) -> Vec<&{title(noun)}> {{",
            f"    let limit = limit.max({dice.between(2, 90)});",
            f"    all.iter().filter(|x| x.{dice.pick(['weight', 'age', 'rank', 'fee'])} <= limit).collect()", "}", ""]


def go_function(dice, noun, verb):
    return [f"func {title(verb)}{title(noun)}(all []{title(noun)}, limit int) []{title(noun)} {{",
            f"\tkept := make([]{title(noun)}, 0, {dice.between(2, 90)})", "\tfor _, x := range all {",
            f"\t\tif x.{dice.pick(['Weight', 'Age', 'Rank', 'Fee'])} <= limit {{", "\t\t\tkept = append(kept, x)", "\t\t}",
            "\t}", "\treturn kept", "}", ""]


def md_section(dice, noun, verb):
    return [f"## How to {verb} a {noun}", "",
            f"Open the {noun} list, choose up to {dice.between(2, 90)} entries and press **{title(verb)}**.", ""]


def py_test(dice, noun, verb):
    return [f"def test_{verb}_{noun}_respects_the_limit():",
            f"    found = {verb}_{noun}(sample({dice.between(3, 40)}), limit={dice.between(2, 30)})",
            f"    assert len(found) == {dice.between(1, 20)}", "", ""]


def ts_test(dice, noun, verb):
    return [f'test("{verb} respects the limit of {noun}s", () => {{',
            f"  expect({verb}{title(noun)}(sample({dice.between(3, 40)}), {dice.between(2, 30)})).toHaveLength({dice.between(1, 20)});",
            "});", ""]


def rs_test(dice, noun, verb):
    return ["#[test]", f"fn {verb}_{noun}_respects_the_limit() {{",
            f"    assert_eq!({verb}_{noun}(&sample({dice.between(3, 40)}), {dice.between(2, 30)}).len(), {dice.between(1, 20)});",
            "}", ""]


def go_test(dice, noun, verb):
    return [f"func Test{title(verb)}{title(noun)}(t *testing.T) {{",
            f"\tif n := len({title(verb)}{title(noun)}(sample({dice.between(3, 40)}), {dice.between(2, 30)})); n != {dice.between(1, 20)} {{",
            '\t\tt.Fatalf("got %d", n)', "\t}", "}", ""]


FUNCTION = {"py": py_function, "ts": ts_function, "rs": rs_function, "go": go_function, "md": md_section}
TEST = {"py": py_test, "ts": ts_test, "rs": rs_test, "go": go_test, "md": md_section}

FERRY = Project("ferry", "py", "pytest -q", [
    "tide", "berth", "ticket", "crew", "engine", "route", "buoy", "cargo", "fare", "season", "deck", "gangway", "anchor",
    "pilot", "harbour", "signal", "lifeboat", "galley", "voyage", "manifest", "ramp", "mooring", "fog", "chart", "bell",
    "cabin", "hull", "rudder", "pier", "lantern"])
ORCHARD = Project("orchard", "ts", "npm test", [
    "apple", "pear", "crate", "ladder", "picker", "row", "graft", "frost", "bee", "press", "barrel", "market", "order",
    "customer", "invoice", "delivery", "season", "label", "pallet", "cellar", "yield", "sapling", "fence", "well", "plum",
    "cherry", "basket", "scale", "stall", "route"])
KILN = Project("kiln", "rs", "cargo test", [
    "clay", "glaze", "bowl", "flame", "shelf", "cone", "vent", "batch", "firing", "potter", "wheel", "mould", "slip", "ash",
    "brick", "burner", "chimney", "damper", "sensor", "curve", "recipe", "oxide", "tile", "cup", "plate", "vase", "jar",
    "stamp", "apron", "sieve"])
BEACON = Project("beacon", "go", "go test ./...", [
    "probe", "alert", "window", "region", "target", "check", "quorum", "digest", "rota", "silence", "metric", "scrape",
    "relay", "shard", "lease", "token", "quota", "bucket", "replay", "export", "filter", "merge", "panel", "status",
    "uptime", "budget", "escalation", "channel", "receipt", "ledger"])
ALMANAC = Project("almanac", "md", "make check-docs", [
    "moon", "harvest", "frost", "solstice", "tides", "planting", "weather", "saints", "feasts", "stars", "winds", "rain",
    "bees", "orchards", "vines", "hedges", "wells", "roads", "fairs", "markets", "tools", "seeds", "pruning", "storage",
    "cheese", "bread", "candles", "wool", "dyes", "salt"])


# ---- what tools print -------------------------------------------------------------------------------------

def numbered(text, first=1):
    """A file as the Read tool shows it."""
    return "\n".join(f"{first + i:6}→{line}" for i, line in enumerate(text.split("\n")))


def listing(project, nouns):
    return "\n".join(project.path(noun) for noun in nouns)


def hits(project, noun, others, dice):
    """What grep finds: the definition and some uses."""
    verb = project.verbs(noun)[0]
    lines = [f"{project.short(noun)}:{dice.between(3, 60)}:{verb} {noun}"]
    lines += [f"{project.short(other)}:{dice.between(3, 160)}:  uses {verb} {noun} for {other}" for other in others]
    return "\n".join(lines)


def green(project, passed, dice):
    seconds = dice.seconds()
    return {"py": f"{'.' * min(passed, 60)}\n{passed} passed in {seconds}s",
            "ts": f"\n> {project.name}@2.4.1 test\n> vitest run\n\n Test Files  {passed // 6 + 1} passed\n      Tests  {passed} passed\n   Duration  {seconds}s",
            "rs": f"   Compiling {project.name} v0.3.0\n    Finished test profile in {seconds}s\nrunning {passed} tests\ntest result: ok. {passed} passed; 0 failed; finished in {seconds}s",
            "go": f"ok  \t{project.name}/internal\t{seconds}s\t{passed} tests",
            "md": f"checked {passed} pages, 0 broken links in {seconds}s"}[project.language]


def red(project, noun, dice, failed=1, passed=20, said="expected 4 entries, got 3", at=31):
    """The failing run: the same names and places each time, only the duration is another one."""
    seconds = dice.seconds()
    test = f"{project.verbs(noun)[0]} {noun} respects the limit"
    return {"py": f"Exit code 1\n{'.' * min(passed, 40)}F\n____ test_{test.replace(' ', '_')} ____\n{project.short_test(noun)}:{at}: in test\nE   AssertionError: {said}\n{failed} failed, {passed} passed in {seconds}s",
            "ts": f"Exit code 1\n> vitest run\n\n FAIL  {project.short_test(noun)} > {test}\nAssertionError: {said}\n ❯ {project.short_test(noun)}:{at}:17\n\n      Tests  {failed} failed | {passed} passed\n   Duration  {seconds}s",
            "rs": f"Exit code 101\nrunning {failed + passed} tests\n---- {test.replace(' ', '_')} stdout ----\nthread panicked at {project.short_test(noun)}:{at}:5:\n{said}\ntest result: FAILED. {passed} passed; {failed} failed; finished in {seconds}s",
            "go": f"Exit code 1\n--- FAIL: Test{title(noun)} ({seconds}s)\n    {noun}_test.go:{at}: {said}\nFAIL\nFAIL\t{project.name}/internal/{noun}\t{seconds}s",
            "md": f"Exit code 1\n{project.short(noun)}:{at}: {said}\n{failed} broken links in {passed} pages in {seconds}s"}[project.language]


def words(dice, n, pool):
    return " ".join(dice.pick(pool) for _ in range(n))


# ---- healthy stretches that stand around a loop ---------------------------------------------------------------

TASKS = ["The {0} list ignores its limit since last week. Find out why and mend it.",
         "Please make the {0} module handle an empty list.",
         "A customer says that every {0} is shown twice. Can you look into it?",
         "Bring the {0} code up to date with the new naming.",
         "We need the {0} report before noon; the test for it is red."]


def set_out(s, project, dice, noun, task=None, leave=()):
    """A task, a look around, a few reads: how most sessions begin. What stands in `leave` is not read."""
    others = [n for n in dice.shuffled(project.nouns) if n != noun and n not in leave][:dice.between(1, 5)]
    s.human(task or dice.pick(TASKS).format(noun))
    if dice.chance(40):
        s.thinks(f"The {noun} code first; {others[0]} seems to depend on it.")
    s.says(f"I'll look at how the {noun} code hangs together first.")
    if dice.chance(50):
        s.bash("git log --oneline -3", "\n".join(f"{dice.hex(7)} {dice.pick(VERBS)} {n}s" for n in project.nouns[:3]))
    s.call("Glob", {"pattern": f"**/*{noun}*"}, f"{project.path(noun)}\n{project.test_path(noun)}")
    s.read(project.path(noun), numbered(project.source(noun)))
    s.call("Grep", {"pattern": f"{project.verbs(noun)[0]}.?{noun}", "path": project.home, "output_mode": "content"},
           hits(project, noun, others, dice))
    for other in others:
        s.read(project.path(other), numbered(project.source(other)))
    if dice.chance(40):
        s.call("TodoWrite", {"todos": [{"content": f"understand {noun}", "status": "completed"},
                                       {"content": f"change {noun}", "status": "in_progress"}]}, "Todos have been modified.")


def settle(s, project, dice, noun):
    """An edit, a green run, a commit: how most sessions end well."""
    verb = project.verbs(noun)[-1]
    s.edit(project.path(noun), f"{verb}_{noun}(limit)", f"{verb}_{noun}(limit, strict=True)")
    s.read(project.test_path(noun), numbered(project.test_source(noun)))
    s.bash(project.test_command, green(project, dice.between(40, 90), dice), description="Run the tests")
    s.bash(f"git commit -qam 'Mind the limit of {noun}s' && git log --oneline | head -1",
           f"{dice.hex(7)} Mind the limit of {noun}s", description="Commit")
    s.says(f"Done: {verb} of {noun}s minds its limit now, and the tests are green.")
