#!/usr/bin/env python3
"""What a judge adds where words and structure say little: derailing in HyperAgent, plans that miss the intent in Magentic-One.

    judge_figures.py [--data DIR] [--judge-url URL --judge-model NAME]

Prints precision, recall, F1 and kappa of a whole trace being marked, for the drift rules alone, for what is left of them
after the judge, and for both with its word on the farthest stretch of sessions without a finding. Without --judge-url the
stand-in of stub_judge.py is asked, whose figures say what the machinery does and not what a model is worth. DIR (default
../shared/labelled) holds <dataset>/traces/*.jsonl and index.jsonl. AGENT_AUDIT_BIN names the program.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import threading

sys.dont_write_bytecode = True

import stub_judge  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = [("mast-hyperagent", "drift"), ("whowhen-hc", "intent_plan_misalignment"), ("agentrx-tau", "intent_plan_misalignment"),
        ("splice-drift", "drift")]


def records(program, traces, *flags):
    run = subprocess.run([program, "scan", "-f", "json", "--exit-zero", "--max-findings", "100000", *flags, str(traces)],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        sys.exit(f"judge_figures: the program ended with {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def stem(path):
    return pathlib.PurePath(path).name.removesuffix(".jsonl")


def marked(report):
    """{trace} by the rules, by what the judge left of them, and with its word on stretches."""
    rules, kept, added = set(), set(), set()
    for f in report["findings"]:
        if not f["rule"].startswith("drift/"):
            continue
        rules.add(stem(f["path"]))
        if f.get("judge", {}).get("verdict") != "denied":
            kept.add(stem(f["path"]))
    for note in report.get("notes", []):
        text = note["text"] if isinstance(note, dict) else note
        if "the judge says that lines" in text:
            added.add(stem(text.split(":")[0]))
    return rules, kept, kept | added


def figures(said, truth):
    tp = sum(said_it and true for said_it, true in zip(said, truth))
    fp = sum(said_it and not true for said_it, true in zip(said, truth))
    fn = sum(true and not said_it for said_it, true in zip(said, truth))
    n, tn = len(truth), len(truth) - tp - fp - fn
    expected = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n / n
    kappa = ((tp + tn) / n - expected) / (1 - expected) if expected < 1 else 0.0
    return tp / max(1, tp + fp), tp / max(1, tp + fn), 2 * tp / max(1, 2 * tp + fp + fn), kappa


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/labelled")
    parser.add_argument("--judge-url")
    parser.add_argument("--judge-model", default="stub")
    args = parser.parse_args()
    program = os.environ.get("AGENT_AUDIT_BIN", str(ROOT / "build/release/agent-audit"))
    if not any((args.data / name / "traces").is_dir() for name, _ in SETS):
        print(f"judge_figures: skipped, {args.data} holds none of the data sets")
        return
    url = args.judge_url
    if not url:
        server = stub_judge.serve()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
    print(f"{'set':42}{'marked by':26}{'precision':>10}{'recall':>8}{'F1':>6}{'kappa':>7}")
    for name, label in SETS:
        folder = args.data / name
        if not (folder / "traces").is_dir():
            continue
        with open(folder / "index.jsonl", encoding="utf-8") as lines:
            truth = {r["trace_id"]: bool(r["truth"][label]) for r in map(json.loads, lines) if label in r["truth"]}
        if not truth:
            continue
        report = records(program, folder / "traces", "--judge-url", url, "--judge-model", args.judge_model,
                         "--judge-budget", "500")
        rows = [("always", set(truth)), *zip(("drift rules", "rules and judge", "and its word on stretches"), marked(report))]
        head = f"{name}, {label} ({sum(truth.values())} of {len(truth)})"
        for row, said in rows:
            values = figures([t in said for t in truth], list(truth.values()))
            print(f"{head:42}{row:26}{values[0]:10.2f}{values[1]:8.2f}{values[2]:6.2f}{values[3]:7.2f}")
            head = ""


if __name__ == "__main__":
    main()
