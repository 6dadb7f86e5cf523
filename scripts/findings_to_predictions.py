#!/usr/bin/env python3
"""Turns findings of agent-audit into the input of the labelled sets' score.py.

    agent-audit scan -f ndjson --exit-zero DATASET/traces | findings_to_predictions.py DATASET > predictions.jsonl

Reads NDJSON from standard input. Our lines count from 1, the scorer's from 0. Findings of kinds that the labels do
not cover (budgets, context) are left out.
"""
import json
import pathlib
import sys

# One call failing again and again is a loop when nothing else lies between; with work in between it is an avoidable
# error that keeps coming back. The labels tell the two apart.
ERROR_RULES = ("loop/same-error", "loop/error-streak")


def kind_of(finding):
    rule = finding["rule"]
    if rule in ERROR_RULES:
        return "loop" if finding.get("contiguous", True) else "repeated_error"
    group = rule.split("/")[0]
    return group if group in ("loop", "drift") else None


def predictions(dataset, records):
    for finding in records:
        if finding["kind"] != "finding" or kind_of(finding) is None:
            continue
        span = finding["span"]
        yield {"dataset": dataset, "trace_id": pathlib.PurePath(finding["path"]).name.removesuffix(".jsonl"),
               "kind": kind_of(finding), "start_line": span["first_line"] - 1, "end_line": span["last_line"] - 1}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    records = (json.loads(line) for line in sys.stdin if line.strip())
    for prediction in predictions(sys.argv[1], records):
        print(json.dumps(prediction))


if __name__ == "__main__":
    main()
