#!/usr/bin/env python3
"""Writes testdata/scenarios/<id>.jsonl, sessions with and without loops, and index.jsonl, what to say about each.

The scenarios themselves are in scripts/scenarios/, one file a kind; all of them are invented. A session that is healthy
but for its loop shows more than a bare loop, so most loops here stand within other work, and each loop has a near miss
beside it that must be left alone. Sessions too large to keep are made by tests/scenarios/huge_test.cpp.

    gen_scenarios.py [--check]      write the files, or fail when a committed one differs
"""
import json
import pathlib
import sys

sys.dont_write_bytecode = True

from scenarios import again, editing, lists, long_healthy, other_layouts, refusals, repeats, rounds, searching, services, speaking, waiting, walls  # noqa: F401, E402
from scenarios.registry import SCENARIOS  # noqa: E402

OUT = pathlib.Path(__file__).resolve().parent.parent / "testdata/scenarios"


def files():
    names = {s.name for s in SCENARIOS}
    index = []
    for s in SCENARIOS:
        recording = s.make()
        if (recording.first is None) != (s.verdict["want"] == "ok") or s.verdict["beside"] not in names | {None}:
            sys.exit(f"{s.name}: marks and verdict do not fit together")
        index.append(json.dumps(s.index_entry(recording), ensure_ascii=False))
        yield f"{s.name}.jsonl", recording.text()
    yield "index.jsonl", "".join(line + "\n" for line in index)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    written = dict(files())
    kept = {path.name for path in OUT.glob("*.jsonl")}
    if not check:
        OUT.mkdir(parents=True, exist_ok=True)
        for name in kept - set(written):
            (OUT / name).unlink()
        for name, text in written.items():
            (OUT / name).write_text(text, encoding="utf-8")
        return
    for name in sorted(kept | set(written)):
        if name not in kept or name not in written or (OUT / name).read_text(encoding="utf-8") != written[name]:
            sys.exit(f"testdata/scenarios/{name} is not what {pathlib.Path(__file__).name} writes")


if __name__ == "__main__":
    main()
