#!/usr/bin/env python3
"""The tables of scripts/context-table.sh. Standard library only."""
import json
import pathlib
import subprocess
import sys

BOUNDS = ("never-forget", "hindsight")
SLACK = 1.01  # results that mend a broken pair are sent in addition


def run(*words: str) -> dict:
    done = subprocess.run(words, capture_output=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"context-table: {' '.join(words[:2])} said nothing: {done.stderr.decode(errors='replace')[:500]}")


def longest(program: str, folder: str, count: int) -> list:
    """Files with most messages, one session each: a file of many sessions is not one long session."""
    found = run(program, "scan", "--exit-zero", "-f", "json", "-q", folder)
    by_input = {}
    for session in found["sessions"]:
        sizes = session["counts"]
        length = sizes["human_messages"] + sizes["responses"] + sizes["results"]
        by_input[session["input"]] = max(by_input.get(session["input"], 0), length)
    paths = [entry["path"] for entry in found["inputs"]]
    ranked = sorted(by_input.items(), key=lambda item: (-item[1], paths[item[0]]))
    return [paths[index] for index, _ in ranked[:count]]


def dollars(micro: int) -> str:
    return f"${micro / 1e6:,.2f}"


def paid(row: dict) -> int:
    """For requests and summaries."""
    return row.get("cost_microusd", 0) + row.get("summary_cost_microusd", 0)


def main() -> int:
    program, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    sums, above, below, dear, sessions = {}, [], [], [], []
    for path in longest(program, folder, count):
        outcome = run(program, "replay", "--context", "all", "-f", "json", path)
        session = max(outcome["sessions"], key=lambda s: s["messages"])
        sessions.append((pathlib.Path(path).name, session))
        rows = {row["context"]: row for row in session["contexts"]}
        top, bottom = rows[BOUNDS[0]], rows[BOUNDS[1]]
        for name, row in rows.items():
            total = sums.setdefault(name, dict.fromkeys(
                ("peak", "mean", "compactions", "overflows", "cost", "summary", "regret", "lost", "edits", "paid", "priced"), 0))
            regret, cache = row.get("regret", {}), row.get("cache", {})
            total["peak"] = max(total["peak"], row["peak_tokens"])
            total["mean"] += row["mean_tokens"]
            total["compactions"] += row["compactions"]
            total["overflows"] += row["overflows"]
            total["cost"] += paid(row)
            total["summary"] += row.get("summary_cost_microusd", 0)
            total["priced"] += "cost_microusd" in row
            total["regret"] += regret.get("tokens", 0)
            total["lost"] += regret.get("lost_identifiers", 0)
            total["edits"] += cache.get("edits", {}).get("count", 0)
            total["paid"] += cache.get("edits", {}).get("paid_off", 0)
            where = f"{name} on {pathlib.Path(path).name}"
            if row["mean_tokens"] > top["mean_tokens"] * SLACK:
                above.append(f"{where}: mean {row['mean_tokens']:,}, never-forget {top['mean_tokens']:,}")
            if name not in (*BOUNDS, "recorded") and row["mean_tokens"] * SLACK < bottom["mean_tokens"]:
                below.append((name, regret.get("tokens", 0)))
            if paid(row) > paid(top) * SLACK:
                edits = cache.get("edits", {})
                dear.append(f"{where}: {dollars(paid(row))} against {dollars(paid(top))}, "
                            f"{edits.get('count', 0)} edits, {edits.get('paid_off', 0)} paid off")
    print("| Session | Messages | Requests | Window |\n|---|--:|--:|--:|")
    for name, session in sessions:
        print(f"| {name} | {session['messages']:,} | {session['requests']:,} | {session['window_tokens']:,} |")
    print("\n| Context | Largest prompt | Mean prompt | Compactions | Overflows | Cost | Of it summaries | Cache edits (paid off) "
          "| Regret tokens | Lost identifiers |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    n = max(len(sessions), 1)
    for name, t in sorted(sums.items(), key=lambda item: -item[1]["mean"]):
        print(f"| {name} | {t['peak']:,} | {t['mean'] // n:,} | {t['compactions']} | {t['overflows']} | {dollars(t['cost'])} "
              f"| {dollars(t['summary'])} | {t['edits']} ({t['paid']}) | {t['regret']:,} | {t['lost']} |")
    print(f"\nMean prompt above never-forget, which must not be: {len(above)}")
    for line in above:
        print(f"- {line}")
    print(f"\nMean prompt below hindsight (more is gone than was useless): {len(below)}, "
          f"of which with regret: {sum(1 for _, regret in below if regret > 0)}")
    print(f"\nDearer than never forgetting although less is sent: {len(dear)}")
    for line in dear:
        print(f"- {line}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
