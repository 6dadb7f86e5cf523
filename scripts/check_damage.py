#!/usr/bin/env python3
"""Damages every reader's samples in twenty ways and scans what is left.

Whatever stands in a file, the program must end by itself with an exit code of its own, write a result that is JSON,
give each record one fate, name no format where nothing is left of one, and need little memory and time for it.

    scripts/check_damage.py PROGRAM [--samples DIR] [--seed N] [--only WORD]
"""

import argparse
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

SECONDS = 10
MEMORY = 512 << 20  # bytes of address space beyond what the program has at rest
ENDS_WELL = (0, 1, 3)
WRONG = [None, True, -1, 1e308, 2**63, "", "\ud800", [], {}, [[]], [None], {"": {}}, "x" * 5000]


def documents(data):
    """The JSON values of a sample with the places they have in it, or nothing where it is no JSON."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        return [json.loads(text)], True
    except ValueError:
        pass
    values = []
    for line in text.splitlines():
        try:
            values.append(json.loads(line))
        except ValueError:
            pass
    return values, False


def written(values, whole):
    if whole:
        return json.dumps(values[0]).encode()
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def each_field(value, change):
    """The same value with `change(key, value)` in place of some of its fields."""
    if isinstance(value, dict):
        return {key: change(key, each_field(inner, change)) for key, inner in value.items()}
    if isinstance(value, list):
        return [each_field(inner, change) for inner in value]
    return value


def by_fields(change):
    def damage(data, rng, _others):
        values, whole = documents(data)
        if not values:
            return None
        return written([each_field(value, lambda k, v: change(k, v, rng)) for value in values], whole)

    return damage


def cut(share):
    return lambda data, _rng, _others: data[: int(len(data) * share)]


def flip(count):
    def damage(data, rng, _others):
        out = bytearray(data)
        for _ in range(min(count, len(out))):
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
        return bytes(out)

    return damage


def lines_of(data):
    return data.splitlines(keepends=True)


def shuffle_lines(data, rng, _others):
    lines = lines_of(data)
    rng.shuffle(lines)
    return b"".join(lines)


def mix(data, rng, others):
    out = []
    for line in lines_of(data):
        out += [line if line.endswith(b"\n") else line + b"\n", rng.choice(lines_of(rng.choice(others)) or [b"\n"])]
    return b"".join(out)


def drop_bytes(data, rng, _others):
    out = bytearray(data)
    for _ in range(8):
        if out:
            at = rng.randrange(len(out))
            del out[at : at + rng.randrange(1, 9)]
    return bytes(out)


def deepen(data, rng, _others):
    at = data.find(b":") + 1
    return data[:at] + b"[" * 3000 + b"]" * rng.randrange(2900, 3100) + data[at:]


def keys_twice(data, _rng, _others):
    """Each object has its first field again at its end, as a number."""
    values, whole = documents(data)
    if not values:
        return None

    def text(value):
        if isinstance(value, dict):
            fields = [json.dumps(key) + ":" + text(inner) for key, inner in value.items()]
            return "{" + ",".join(fields + [json.dumps(key) + ":7" for key in list(value)[:1]]) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(text, value)) + "]"
        return json.dumps(value)

    return "\n".join(map(text, values)).encode() if not whole else text(values[0]).encode()


DAMAGES = {
    "cut in the middle": cut(0.5),
    "cut behind the first bytes": cut(0.05),
    "the last byte missing": lambda data, _rng, _others: data[:-1],
    "the beginning missing": lambda data, _rng, _others: data[len(data) // 3 :],
    "a bit flipped": flip(1),
    "many bits flipped": flip(64),
    "bytes missing": drop_bytes,
    "zeros in the middle": lambda data, _rng, _others: data[: len(data) // 2] + bytes(4096) + data[len(data) // 2 :],
    "lines shuffled": shuffle_lines,
    "twice in one file": lambda data, _rng, _others: data + data,
    "lines without ends": lambda data, _rng, _others: data.replace(b"\n", b" "),
    "other formats in between": mix,
    "every field of a wrong type": by_fields(lambda _k, _v, rng: rng.choice(WRONG)),
    "some fields of a wrong type": by_fields(lambda _k, v, rng: rng.choice(WRONG) if rng.random() < 0.2 else v),
    "texts become objects": by_fields(lambda _k, v, _rng: {"text": v} if isinstance(v, str) else v),
    "lists become their first element": by_fields(lambda _k, v, _rng: v[0] if isinstance(v, list) and v else v),
    "numbers become huge": by_fields(
        lambda _k, v, _rng: 18446744073709551615 if isinstance(v, int) and not isinstance(v, bool) else v
    ),
    "fields renamed": by_fields(lambda _k, v, rng: {"x": v} if rng.random() < 0.3 else v),
    "keys twice": keys_twice,
    "nested deeply": deepen,
}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY + (1 << 30), MEMORY + (1 << 30)))


def complaint(program, path, reader):
    """What is wrong with how the program took this file; empty: nothing."""
    command = [program, "scan", "-f", "json", "-j1", *(["--input-format", reader] if reader else []), str(path)]
    try:
        run = subprocess.run(command, capture_output=True, timeout=SECONDS, preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return f"still running after {SECONDS} s"
    if run.returncode not in ENDS_WELL:
        return f"exit code {run.returncode}: {run.stderr.decode('utf-8', 'replace')[:200]}"
    try:
        result = json.loads(run.stdout)
    except ValueError as error:
        return f"the result is no JSON: {error}"
    if run.returncode == 3 and not run.stderr.strip():
        return "exit code 3 and no word why"
    for entry in result["inputs"]:
        records = entry.get("records", {})
        told = sum(count for fate, count in records.items() if fate != "total")
        if told != records.get("total", 0):
            return f"fates of {told} records of {records.get('total', 0)}: {records}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--samples", default=str(pathlib.Path(__file__).parent.parent / "testdata/readers"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a word of the path or of the kind of damage")
    parser.add_argument("--each", type=int, default=1000, help="samples of a reader, largest first")
    arguments = parser.parse_args()

    root = pathlib.Path(arguments.samples)
    endings = {".events", ".md5", ".py"}
    samples = {
        path: path.read_bytes()
        for path in sorted(root.glob("*/*"))
        if path.is_file() and path.suffix not in endings and not path.name.startswith("bad-")
    }
    by_reader = {}
    for path in sorted(samples, key=lambda path: -len(samples[path])):
        by_reader.setdefault(path.parent.name, []).append(path)
    chosen = sorted(path for paths in by_reader.values() for path in paths[: arguments.each])

    others = list(samples.values())
    runs, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path in chosen:
            for kind, damage in DAMAGES.items():
                name = path.relative_to(root)
                if arguments.only not in f"{name} {kind}":
                    continue
                rng = random.Random(f"{arguments.seed} {name} {kind}")
                data = damage(samples[path], rng, others)
                if data is None:
                    continue
                damaged = pathlib.Path(folder) / ("damaged" + path.suffix)
                damaged.write_bytes(data)
                for reader in ("", path.parent.name):
                    runs += 1
                    words = complaint(arguments.program, damaged, reader)
                    if words:
                        wrong += 1
                        print(f"{name}: {kind}{', by name' if reader else ''}: {words}")
    print(f"check_damage: {runs} files, {wrong} taken wrongly")
    return 1 if wrong or runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
