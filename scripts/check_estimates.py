#!/usr/bin/env python3
"""The table behind check-estimates.sh."""

import argparse
import json
import pathlib
import subprocess
import sys

ESTIMATES = ["calibrated", "run", "chars4"]


def sessions(program, path):
    done = subprocess.run([program, "tokens", "--calibrate", "-f", "json", path], capture_output=True)
    return json.loads(done.stdout)["sessions"] if done.returncode == 0 else []


def quantile(errors, share):
    errors = sorted(errors)
    return errors[min(len(errors) - 1, int(share * len(errors)))]


def row(name, count, errors):
    cells = "".join(f"{100 * quantile(errors[e], 0.5):>10.1f}{100 * quantile(errors[e], 0.95):>8.1f}" for e in ESTIMATES)
    print(f"{name[:44]:<46}{count:>8}{cells}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("corpus", type=pathlib.Path)
    options = parser.parse_args()
    print(f"{'errors in %: median, 95th percentile':<46}{'prompts':>8}" + "".join(f"{e:>18}" for e in ESTIMATES))
    pooled = {e: [] for e in ESTIMATES}
    by_format = {}
    listed = 0
    for path in sorted(p for p in options.corpus.rglob("*") if p.is_file()):
        for session in sessions(options.program, path):
            if not session["predicted"]:
                continue
            errors = {e: [abs(p[e] / p["prompt"] - 1) for p in session["predicted"]] for e in ESTIMATES}
            group = by_format.setdefault(session["format"], {e: [] for e in ESTIMATES})
            for e in ESTIMATES:
                pooled[e] += errors[e]
                group[e] += errors[e]
            listed += 1
            row(f"{session['format']} {path.stem}", len(session["predicted"]), errors)
    if not listed:
        print("check-estimates: skipped: no recording with usage")
        return 0
    print()
    for name, errors in sorted(by_format.items()):
        row(name, len(errors["run"]), errors)
    row(f"all {listed} sessions", len(pooled["run"]), pooled)
    good = (quantile(pooled["calibrated"], 0.5) <= 0.02 and quantile(pooled["calibrated"], 0.95) <= 0.08
            and quantile(pooled["run"], 0.5) <= 0.12)
    print("check-estimates: " + ("within the limits" if good else "BEYOND the limits"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
