#!/usr/bin/env python3
"""Scores the stops of policies against labelled traces.

    agent-audit replay --policy a,b -f ndjson DATASET/traces > out.ndjson   (for every data set)
    score_policies.py --data DIR out.ndjson... [--floor POLICY=PRECISION] [--list POLICY]

A trace is a loop when the hand-read gold set says so, else when its data set's `truth` does; traces that are marked
clean are none, and traces about which nothing is said are not counted. A stop is right when its trace is a loop and,
where spans are known, when it does not come before the first of them begins. "left" is the median share of the trace's
lines that lie behind a right stop.
"""
import argparse
import collections
import json
import pathlib
import statistics
import sys


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def truths(data, gold):
    """(dataset, trace) -> (is a loop, first line of the first span or None, clean, lines)"""
    spans = collections.defaultdict(list)
    synthetic = data / "synth-loops" / "labels.jsonl"
    for label in rows(synthetic) if synthetic.exists() else []:
        if label["label"] == "loop":
            spans["synth-loops", label["trace_id"]].append(label["start_line"])
    known = {}
    for index in sorted(data.glob("*/index.jsonl")):
        dataset = index.parent.name
        for row in rows(index):
            truth, key = row["truth"], (dataset, row["trace_id"])
            clean = bool(truth.get("clean")) or (dataset == "sola-openhands" and not truth.get("step_repetition")
                                                 and not truth.get("thought_redundancy"))
            loop = truth.get("loop", False if clean else None)
            known[key] = (loop, min(spans[key]) if spans.get(key) else None, clean, row["n_lines"])
    for row in rows(gold) if gold and gold.exists() else []:
        key = (row["dataset"], row["trace_id"])
        if key not in known:
            continue
        begins = [span["start_line"] for span in row["spans"] if span["kind"].startswith("loop")]
        known[key] = (row["loop"], min(begins) if begins else None, known[key][2] and not row["loop"], known[key][3])
    return known


def key_of(path):
    path = pathlib.PurePath(path)
    return path.parent.parent.name, path.name.removesuffix(".jsonl")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outputs", nargs="+")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--gold", type=pathlib.Path)
    parser.add_argument("--floor", action="append", default=[], metavar="POLICY=PRECISION")
    parser.add_argument("--list", metavar="POLICY", help="name the wrong stops of this policy")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    known = truths(args.data, args.gold or args.data / "gold-dev.jsonl")
    stops = collections.defaultdict(dict)   # policy -> trace -> line, from 0
    seen = collections.defaultdict(set)
    for output in args.outputs:
        for record in rows(output):
            if record["kind"] != "outcome":
                continue
            seen[record["policy"]].add(key_of(record["path"]))
            if "stop_line" in record:
                stops[record["policy"]].setdefault(key_of(record["path"]), record["stop_line"] - 1)
    floors = dict(floor.split("=") for floor in args.floor)
    bad, table = False, []
    for policy, traces in seen.items():
        right = wrong = loops = clean_stops = clean = 0
        left = []
        for key in traces:
            loop, begin, is_clean, lines = known.get(key, (None, None, False, 0))
            if loop is None:
                continue
            loops += loop
            clean += is_clean
            stop = stops[policy].get(key)
            if stop is None:
                continue
            clean_stops += is_clean
            if loop and (begin is None or stop >= begin):
                right += 1
                left.append(1 - (stop + 1) / lines if lines else 0)
            else:
                wrong += 1
                if args.list == policy:
                    print("wrong:", *key, "line", stop + 1, file=sys.stderr)
        precision = right / (right + wrong) if right + wrong else 1.0
        row = {"policy": policy, "loops": loops, "stops": right + wrong, "right": right, "wrong": wrong, "precision": round(precision, 3),
               "recall": round(right / loops, 3) if loops else 0.0, "clean_sessions": clean, "stopped_clean": clean_stops,
               "left": round(statistics.median(left), 3) if left else 0.0}
        table.append(row)
        floor = floors.get(policy)
        bad = bad or (floor is not None and (precision < float(floor) or clean_stops > 0))
    if args.json:
        print(json.dumps(table, indent=1))
    else:
        print(f"{'policy':<12} {'loops':>6} {'stops':>6} {'right':>6} {'wrong':>6} {'precision':>10} {'recall':>7} {'clean':>6} {'stopped':>8} {'left':>6}")
        for r in table:
            print(f"{r['policy']:<12} {r['loops']:>6} {r['stops']:>6} {r['right']:>6} {r['wrong']:>6} {r['precision']:>10.3f} {r['recall']:>7.3f} "
                  f"{r['clean_sessions']:>6} {r['stopped_clean']:>8} {r['left']:>6.0%}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
