#!/usr/bin/env python3
"""The table of scripts/eval.sh. Standard library only."""
import argparse
import collections
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import findings_to_predictions  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
US = "agent-audit"
COLUMNS = ["precision", "recall", "F1", "span F1", "onset", "dated", "alarms/1000", "loops noticed", "loops stopped",
           "legit disturbed", "legit stopped"]
LOWER_IS_BETTER = {"onset", "alarms/1000", "legit disturbed", "legit stopped"}

# What a detector said about one session: lines count from 1, level is "warning" or "error" (it would have stopped).
Alarm = collections.namedtuple("Alarm", "first last level kind words")


# ---- asking the program -----------------------------------------------------------------------------------

def ask(*arguments):
    """What a run prints. Status 3 means that some input could not be read: it then has no findings."""
    run = subprocess.run([os.environ["AGENT_AUDIT_BIN"], "scan", "--exit-zero", "--max-findings", "100000",
                          *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        sys.exit(f"eval: the program ended with {run.returncode}: {run.stderr.strip()}")
    return run.stdout


def scan(*arguments):
    return [json.loads(line) for line in ask("-f", "ndjson", *arguments).splitlines()]


def scan_suite(index):
    """Most scenarios are judged with the rules that are on by default; some ask for others."""
    choices = collections.defaultdict(list)
    for s in index:
        choices[tuple(s.get("select", ()))].append(s)
    records = []
    for rules, scenarios in choices.items():
        records += scan(*[word for rule in rules for word in ("--select", rule)], *suite_files(scenarios))
    return records


def knows_peers():
    usage = subprocess.run([os.environ["AGENT_AUDIT_BIN"], "scan", "--help"], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, check=False)
    return "--as" in usage.stdout


def stem(path):
    return pathlib.PurePath(path).name.removesuffix(".jsonl")


def our_alarms(records):
    """{session: alarms}, and {session: steps}."""
    alarms, steps = collections.defaultdict(list), collections.Counter()
    for r in records:
        if r["kind"] == "session":
            steps[stem(r["path"])] += r["counts"]["steps"]
        if r["kind"] == "finding" and r["severity"] != "info":
            span = r["span"]
            alarms[stem(r["path"])].append(Alarm(span["first_line"], span["last_line"], r["severity"],
                                                 findings_to_predictions.kind_of(r), f"{r['rule']}: {r['message']}"))
    return alarms, steps


def outcomes_in(value):
    """Every object that says what a profile did in a session, wherever it stands."""
    if isinstance(value, dict):
        if isinstance(value.get("profile"), str) and ("stopped" in value or "warned" in value or "verdict" in value):
            yield value
        else:
            value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from outcomes_in(part)


def peer_alarms(*paths):
    """{profile: {session: alarms}}. A guard names the line at which it acts, not where the loop began."""
    report = json.loads(ask("-f", "json", "--as", "all", *paths))
    alarms = {}
    for session in report["sessions"]:
        for outcome in outcomes_in(session):
            of_profile = alarms.setdefault(outcome["profile"], collections.defaultdict(list))
            reaction = outcome.get("stopped") or outcome.get("warned")
            if reaction:
                level = "error" if outcome.get("stopped") else "warning"
                of_profile[stem(session["path"])].append(Alarm(reaction["line"], reaction["line"], level, "loop", ""))
    return alarms


# ---- scores -----------------------------------------------------------------------------------------------

def merged(alarms):
    """Alarms that overlap or touch are one."""
    out = []
    for a in sorted(alarms):
        if out and a.first <= out[-1][1] + 1:
            out[-1][1] = max(out[-1][1], a.last)
        else:
            out.append([a.first, a.last])
    return out


def overlap(a, b):
    common = max(0, min(a[1], b[1]) - max(a[0], b[0]) + 1)
    return common / (max(a[1], b[1]) - min(a[0], b[0]) + 1)


def ratio(part, whole):
    return part / whole if whole else 0.0


def f1(found, false, missed):
    return ratio(2 * found, 2 * found + false + missed)


def score_suite(index, alarms, steps, enough=0.5):
    """`enough`: how much of a loop an alarm must cover to have found it; a guard that names one line needs none."""
    found = false = missed = hit = false_spans = 0
    late = []
    for s in index:
        said = merged(alarms[s["id"]])
        if s["want"] == "ok":
            false += bool(said)
            false_spans += len(said)
            continue
        true = (s["first_line"], s["last_line"])
        found, missed = found + bool(said), missed + (not said)
        best = max(said, key=lambda span: overlap(span, true), default=None)
        if best and overlap(best, true) > 0 and overlap(best, true) >= enough:
            late.append(abs(best[0] - true[0]))
        hit += best is not None and overlap(best, true) >= 0.5
        false_spans += sum(1 for span in said if overlap(span, true) == 0)
    loops = [s for s in index if s["want"] == "loop"]
    legit = [s for s in index if s["want"] == "ok"]
    healthy = sum(steps[s["id"]] for s in legit)

    def at_the_loop(s, a):
        return overlap((a.first, a.last), (s["first_line"], s["last_line"])) > 0

    return {"precision": ratio(found, found + false), "recall": ratio(found, found + missed), "F1": f1(found, false, missed),
            "span F1": f1(hit, false_spans, found + missed - hit), "onset": sorted(late)[len(late) // 2] if late else None,
            "alarms/1000": 1000 * ratio(sum(len(merged(alarms[s["id"]])) for s in legit), healthy),
            "loops noticed": (sum(any(at_the_loop(s, a) for a in alarms[s["id"]]) for s in loops), len(loops)),
            "loops stopped": (sum(any(at_the_loop(s, a) and a.level == "error" for a in alarms[s["id"]]) for s in loops), len(loops)),
            "legit disturbed": (sum(bool(alarms[s["id"]]) for s in legit), len(legit)),
            "legit stopped": (sum(any(a.level == "error" for a in alarms[s["id"]]) for s in legit), len(legit))}


def score_labelled(scorer, data, gold, predictions):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as out:
        out.writelines(json.dumps(p) + "\n" for p in predictions)
        out.flush()
        command = [sys.executable, "-B", str(scorer), out.name, "--data", str(data), "--json"]
        result = json.loads(subprocess.run([*command, "--gold", str(gold)], capture_output=True, text=True, check=True).stdout)
    rows = {}
    for name, key in (("gold", "gold loops"), ("synthetic", "synthetic loops")):
        if key in result:
            r = result[key]
            rows[name] = {"precision": r["precision"], "recall": r["recall"], "F1": r["f1"], "span F1": r["span_f1"],
                          "onset": None if r["median_onset"] is None else abs(r["median_onset"])}
    clean = result.get("clean sessions", {})
    # Guards of other agents look for loops only.
    if "splice-drift/drift" in result and any(p["kind"] == "drift" for p in predictions):
        r, onset = result["splice-drift/drift"], result.get("drift onset", {})
        rows["splice-drift"] = {"precision": r["precision"], "recall": r["recall"], "F1": r["f1"],
                                "onset": None if onset.get("median_lines") is None else abs(onset["median_lines"]),
                                "dated": (onset.get("within_5", 0), onset.get("found", 0)),
                                "alarms/1000": clean.get("drift_per_1000_steps")}
    if clean.get("steps"):
        rows["clean"] = {"alarms/1000": clean["loop_per_1000_steps"] + clean["repeated_error_per_1000_steps"]}
    return rows


def score_drift_suite(index, records):
    """As the test has it: found by its rule and dated within three turns (six records), and no near miss above info."""
    findings = collections.defaultdict(list)
    for r in records:
        if r["kind"] == "finding":
            findings[stem(r["path"])].append(r)
    found = false = missed = dated = 0
    listed = []
    for s in index:
        said = findings[s["id"]]
        if not s["rule"]:
            loud = [f for f in said if f["severity"] != "info"]
            false += bool(loud)
            listed += [f"  {s['id']}: disturbed by {f['rule']}" for f in loud]
            continue
        right = [f for f in said if s["rule"] in (f["rule"], *f.get("also", ()))]
        found, missed = found + bool(right), missed + (not right)
        dated += any(abs(f["span"]["first_line"] - s["line"]) <= 6 for f in right)
        if not right:
            listed.append(f"  {s['id']}: {s['rule']} is missed")
    return {"precision": ratio(found, found + false), "recall": ratio(found, found + missed), "F1": f1(found, false, missed),
            "dated": (dated, found)}, listed


def score_real(alarms, steps):
    return {"alarms/1000": 1000 * ratio(sum(len(a) for a in alarms.values()), sum(steps.values()))}


# ---- the sets ---------------------------------------------------------------------------------------------

def suite_index():
    with open(ROOT / "testdata/scenarios/index.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def drift_index():
    with open(ROOT / "testdata/drift/index.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def suite_files(index):
    return [ROOT / "testdata/scenarios" / f"{s['id']}.jsonl" for s in index]


def datasets(data):
    return sorted(p.parent for p in data.glob("*/traces") if p.is_dir())


def measure_us(index, data, scorer, gold, corpus):
    rows = {}
    if scorer:
        predictions = [p for d in datasets(data) for p in findings_to_predictions.predictions(d.name, scan(d / "traces"))]
        rows.update(score_labelled(scorer, data, gold, predictions))
    alarms, steps = our_alarms(scan_suite(index))
    rows["scenarios"] = score_suite(index, alarms, steps)
    drift = drift_index()
    rows["drift-suite"], listed_drift = score_drift_suite(drift, scan(*(ROOT / "testdata/drift" / f"{s['id']}.jsonl" for s in drift)))
    listed = listed_drift + [f"  {s['id']}: {what}" for s in index for what in suite_complaints(s, alarms[s["id"]])]
    real_steps = {}
    if corpus:
        alarms, real_steps = our_alarms(scan(*corpus))
        rows["real"] = score_real(alarms, real_steps)
        listed += [f"  real session {name}, lines {a.first}-{a.last}: {a.level} {a.words}" for name in sorted(alarms) for a in alarms[name]]
    return rows, listed, steps, real_steps


def measure_peers(index, data, scorer, gold, corpus, steps, real_steps):
    suite = peer_alarms(*suite_files(index))
    real = peer_alarms(*corpus) if corpus else {}
    predictions = {profile: [] for profile in suite}
    for d in datasets(data) if scorer else []:
        for profile, sessions in peer_alarms(d / "traces").items():
            predictions[profile] += [{"dataset": d.name, "trace_id": name, "kind": "loop", "start_line": a.first - 1,
                                      "end_line": a.last - 1} for name, alarms in sessions.items() for a in alarms]
    table = []
    for profile in suite:
        rows = score_labelled(scorer, data, gold, predictions[profile]) if scorer else {}
        rows["scenarios"] = score_suite(index, suite[profile], steps, enough=0)
        if corpus:
            rows["real"] = score_real(real.get(profile, {}), real_steps)
        table.append((profile, rows))
    return table


def suite_complaints(s, alarms):
    true = (s["first_line"], s["last_line"])
    if s["want"] == "ok":
        return [f"disturbed by {a.words}" for a in alarms]
    there = [a for a in alarms if overlap((a.first, a.last), true) > 0]
    complaints = [f"disturbed by {a.words}" for a in alarms if a not in there]
    if not there:
        complaints.append(f"missed (lines {true[0]}-{true[1]}): {s['title']}")
    elif s["want"] == "loop" and all(a.level != "error" for a in there):
        complaints.append(f"only warned: {s['title']}")
    elif s["want"] == "warn" and any(a.level == "error" for a in there):
        complaints.append(f"an error, though a warning is right: {s['title']}")
    return complaints


# ---- the table --------------------------------------------------------------------------------------------

def cell(column, value):
    if value is None:
        return ""
    if isinstance(value, tuple):
        return f"{value[0]}/{value[1]}"
    return str(value) if column == "onset" else f"{value:.2f}"


def print_table(table):
    head = ["detector", "set", *COLUMNS]
    lines = [[name, rows_of, *(cell(c, figures.get(c)) for c in COLUMNS)]
             for name, rows in table for rows_of, figures in rows.items()]
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        left = [text.ljust(w) for text, w in zip(line[:2], widths)]
        right = [text.rjust(w) for text, w in zip(line[2:], widths[2:])]
        print("  ".join(left + right).rstrip())


# ---- floors -----------------------------------------------------------------------------------------------

def plain(value):
    return value[0] / value[1] if isinstance(value, tuple) else float(value)


def measured_floors(rows):
    """Three decimals, rounded to the lenient side: a floor must hold for the very run that set it."""
    floors = {}
    for rows_of, figures in rows.items():
        for column, value in figures.items():
            if value is None:
                continue
            lenient = math.ceil if column in LOWER_IS_BETTER else math.floor
            floors[f"{rows_of} {column}"] = lenient(round(plain(value) * 1000, 6)) / 1000
    return floors


def worse(name, value, floor):
    return value > floor + 1e-9 if name.split(" ", 1)[1] in LOWER_IS_BETTER else value < floor - 1e-9


def bless(path, kept, measured, data_mark):
    for name in sorted(measured):
        old = kept["floors"].get(name)
        note = "" if old is None or not worse(name, measured[name], old) else "   WORSE than before"
        if old != measured[name]:
            print(f"floor of {name}: {'none' if old is None else old} -> {measured[name]}{note}")
    kept["floors"].update(measured)
    if data_mark:
        kept["labelled data"] = data_mark
    path.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"wrote {path}")


def below_floor(kept, rows, compare_labelled):
    bad = []
    now = {f"{rows_of} {column}": plain(value) for rows_of, figures in rows.items()
           for column, value in figures.items() if value is not None}
    for name, floor in sorted(kept["floors"].items()):
        rows_of, column = name.split(" ", 1)
        if rows_of not in rows or (rows_of in ("gold", "synthetic", "clean", "splice-drift") and not compare_labelled):
            continue
        if name not in now:
            bad.append(f"{name} could not be measured, the floor is {floor}")
        elif worse(name, now[name], floor):
            bad.append(f"{name} is {now[name]:.3f}, {'at most' if column in LOWER_IS_BETTER else 'at least'} {floor} is allowed")
    return bad


def mark_of(data, gold):
    """Names the labels, wherever they lie: a floor holds for the data it was measured on."""
    digest = hashlib.sha256()
    for path in [*sorted(data.glob("*/index.jsonl")), *sorted(data.glob("*/labels.jsonl")), gold]:
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(prog="eval.sh", description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, default=SHARED / "labelled", help="labelled traces")
    parser.add_argument("--gold", type=pathlib.Path, help="traces with spans (default gold-dev.jsonl of the data)")
    parser.add_argument("--corpus", type=pathlib.Path, default=SHARED / "corpus", help="real sessions")
    parser.add_argument("--floors", type=pathlib.Path, default=ROOT / "scripts/eval-floors.json")
    parser.add_argument("--bless", action="store_true", help="write the measured figures as the new floors")
    args = parser.parse_args()

    gold = args.gold or args.data / "gold-dev.jsonl"
    scorer = next((p for p in (args.data / "score.py", SHARED / "labelled/score.py") if p.is_file()), None)
    if not datasets(args.data) or not scorer or not gold.is_file():
        print(f"eval: the labelled traces are left out, {args.data} does not hold them (traces, {gold.name}, score.py)")
        scorer = None
    corpus = [p for p in (args.corpus / "claude-code", args.corpus / "codex") if p.is_dir()]
    if not corpus:
        print(f"eval: the real sessions are left out, there is no {args.corpus}")
    index = suite_index()

    rows, listed, steps, real_steps = measure_us(index, args.data, scorer, gold, corpus)
    table = [(US, rows)]
    if knows_peers():
        table += measure_peers(index, args.data, scorer, gold, corpus, steps, real_steps)
    print_table(table)
    if listed:
        print("\nscenarios that are not judged as they should be, and what was said about real sessions:")
        print("\n".join(listed))

    kept = {"floors": {}}
    if args.floors.is_file():
        kept = json.loads(args.floors.read_text(encoding="utf-8"))
    data_mark = mark_of(args.data, gold) if scorer else None
    print()
    if args.bless:
        return bless(args.floors, kept, measured_floors(rows), data_mark)
    same_data = data_mark == kept.get("labelled data")
    if scorer and not same_data:
        print("the floors of the labelled traces are not compared: they were measured on other data")
    bad = below_floor(kept, rows, same_data)
    for line in bad:
        print(f"below the floor: {line}")
    if bad:
        sys.exit(1)
    print("no figure is below its floor")


if __name__ == "__main__":
    main()
