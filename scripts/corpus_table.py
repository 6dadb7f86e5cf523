#!/usr/bin/env python3
"""The tables of scripts/corpus-table.sh. Standard library only."""
import collections
import json
import pathlib
import re
import subprocess
import sys

GOAL = 0.995
# Folders hold a product's sessions; a product may write several formats. Others bear the name of their format.
FORMATS_OF = {
    "aider": {"aider"},
    "anthropic": {"anthropic-messages", "anthropic-managed-agents", "managed-agents"},
    "claude-code": {"claude-code", "claude-code-stream"},
    "cline": {"cline", "cline-sdk"},
    "codex": {"codex", "codex-legacy", "codex-exec"},
    "gemini-cli": {"gemini-cli", "gemini-stream"},
    "inspect": {"inspect", "inspect-eval"},
    "openclaw": {"openclaw", "openclaw-trajectory"},
    "otel": {"otel", "otlp", "openinference"},
    "who-and-when": {"agent-history", "who-and-when"},
}
SUMS = ["turns", "calls", "results", "paired", "unanswered", "unanswered_at_end", "unanswered_stopped",
        "unanswered_compacted", "orphans", "errors", "denied", "compactions"]


def scan(program: str, folder: pathlib.Path) -> dict:
    files = sorted(str(p) for p in folder.rglob("*") if p.is_file() and p.name != "INDEX.md")
    done = subprocess.run([program, "scan", "--format", "json", *files], capture_output=True, check=False)
    if not done.stdout:
        sys.exit(f"corpus-table: {program} said nothing: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def signals_of(program: str) -> dict:
    done = subprocess.run([program, "formats", "--format", "json"], capture_output=True, check=False)
    try:
        listed = json.loads(done.stdout)
    except json.JSONDecodeError:
        return {}
    return {row["format"]: set(row.get("signals", [])) for row in listed.get("formats", [])}


def row(cells) -> str:
    return "| " + " | ".join(str(c) for c in cells) + " |"


def table(title: str, head: list, rows: list) -> None:
    print(f"\n## {title}\n")
    if not rows:
        print("none")
        return
    print(row(head))
    print(row("---" for _ in head))
    for r in rows:
        print(row(r))


def rate(paired: int, lost: int) -> str:
    return f"{100 * paired / (paired + lost):.2f} %" if paired + lost else "-"


def indexed(folder: pathlib.Path) -> set:
    """The files that INDEX.md names."""
    index = folder / "INDEX.md"
    if not index.exists():
        return set()
    named, section = set(), ""
    for line in index.read_text().splitlines():
        if line.startswith("## "):
            section = line[3:].strip()
        cell = re.match(r"\| ([^|]+?) \|", line)
        if cell and (folder / section / cell[1]).is_file():
            named.add(f"{section}/{cell[1]}")
    return named


def main() -> int:
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    result = scan(program, folder)
    signals = signals_of(program)
    inputs = result["inputs"]
    name_of = lambda i: str(pathlib.Path(i["path"]).resolve().relative_to(folder))  # noqa: E731

    by_input = collections.defaultdict(list)
    for session in result["sessions"]:
        by_input[session["input"]].append(session)
    sums = collections.defaultdict(collections.Counter)
    unpaired, mistaken, unread, lost_records = [], [], [], []
    for number, entry in enumerate(inputs):
        name, got = name_of(entry), entry.get("format", "")
        home = name.split("/")[0]
        if not got:
            unread.append((name, entry.get("error", "")))
            continue
        if got not in FORMATS_OF.get(home, {home}):
            mistaken.append((name, got))
        files = sums[got]
        files["files"] += 1
        records = entry.get("records", {})
        fates = {k: v for k, v in records.items() if k != "total"}
        files["unequal"] += sum(fates.values()) != records.get("total", 0)
        bad = {k: fates[k] for k in ("malformed_json", "too_long", "missing_field", "partial") if fates.get(k)}
        if bad:
            lost_records.append((name, ", ".join(f"{v} {k}" for k, v in bad.items())))
        one = collections.Counter()
        for session in by_input[number]:
            for key in SUMS:
                one[key] += session["counts"].get(key, 0)
            one["requests"] += session.get("tokens", {}).get("requests", 0)
            one["sessions"] += 1
        # A recording that never has results lost none.
        told = "tool_results" in signals.get(got, {"tool_results"})
        gone = one["unanswered"] - sum(one[f"unanswered_{why}"] for why in ("at_end", "stopped", "compacted"))
        one["lost" if told else "untold"] = gone
        files.update(one)
        if one["unanswered"] or one["orphans"]:
            unpaired.append((name, one["calls"], one["unanswered_at_end"], one["unanswered_stopped"],
                             one["unanswered_compacted"], one["denied"],
                             0 if told else gone, gone if told else 0, one["orphans"]))

    total = collections.Counter()
    rows = []
    for got in sorted(sums):
        c = sums[got]
        total.update(c)
        rows.append((got, c))
    cells = lambda n, c: (n, c["files"], c["sessions"], c["turns"], c["calls"], c["results"],  # noqa: E731
                          rate(c["paired"], c["lost"]), c["requests"], c["errors"], c["compactions"])
    print("# What is made of the corpus")
    table("By format", ["format", "files", "sessions", "turns", "calls", "results", "paired in closed turns",
                        "requests with usage", "errors", "compactions"],
          [cells(n, c) for n, c in rows] + [cells("all", total)])
    table("Taken for another format than that of their folder", ["file", "detected"], mistaken)
    table("Not read", ["file", "why"], unread)
    table("Calls without a result, and results without a call",
          ["file", "calls", "running at the end", "broken off", "compacted meanwhile", "denied (have a result)", "never recorded by the format",
           "lost", "results of calls before the file"], unpaired)
    table("Records that were lost", ["file", "records"], lost_records)
    named = indexed(folder)
    seen = {name_of(i) for i in inputs}
    table("In INDEX.md and not here, or the other way round", ["file"], [(n,) for n in sorted(named ^ seen)] if named else [])

    paired, lost = total["paired"], total["lost"]
    good = not mistaken and total["unequal"] == 0 and (paired + lost == 0 or paired / (paired + lost) >= GOAL)
    print(f"\n{len(inputs)} files, {len(unread)} not read, {len(mistaken)} taken for another format; pairing in closed turns "
          f"{rate(paired, lost)} ({lost} lost); fates add up in all but {total['unequal']} files.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
