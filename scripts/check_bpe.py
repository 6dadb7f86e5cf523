#!/usr/bin/env python3
"""The comparison behind check-bpe.sh.

Both sides are timed in processor time of the same run, without loading the vocabulary: js-tiktoken around its encode(),
ours as the time of a run over the text minus that of a run over an empty one.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# argv: package folder, encoding, folder to write the vocabulary to, texts
PEER = r"""
const [, , peers, encoding, vocabulary, ...texts] = process.argv;
const fs = require('fs'), path = require('path');
const {Tiktoken} = require(path.join(peers, 'node_modules/js-tiktoken/dist/lite.cjs'));
let ranks = require(path.join(peers, 'node_modules/js-tiktoken/dist/ranks', encoding + '_base.cjs'));
ranks = ranks.default ?? ranks;
let lines = '';
for (const line of ranks.bpe_ranks.split('\n').filter(Boolean)) {
    const [, offset, ...tokens] = line.split(' ');
    tokens.forEach((token, i) => { lines += `${token} ${Number(offset) + i}\n`; });
}
fs.writeFileSync(vocabulary, lines);
const peer = new Tiktoken(ranks);
for (const file of texts) {
    const text = fs.readFileSync(file, 'utf8');
    const before = process.cpuUsage();
    const count = peer.encode(text, [], []).length;
    const used = process.cpuUsage(before);
    console.log(JSON.stringify({file, count, seconds: (used.user + used.system) / 1e6}));
}
"""


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def count(program, vocabulary, encoding, text):
    """Our counts and the processor time of the run, the best of three."""
    best = None
    for _ in range(3):
        before = children_seconds()
        out = subprocess.run([program, "tokens", "-f", "json", "--vocab", vocabulary, "--pre-tokeniser", encoding, text],
                             check=True, capture_output=True).stdout
        seconds = children_seconds() - before
        best = seconds if best is None else min(best, seconds)
    return json.loads(out), best


def real_texts(folder, limit):
    """Recordings of the shared corpus, cut to `limit` bytes each."""
    corpus = ROOT.parent / "shared" / "corpus"
    if not corpus.is_dir():
        corpus = pathlib.Path(os.environ.get("AGENT_AUDIT_CORPUS", "/nonexistent"))
    picked = {}
    for path in sorted(p for p in corpus.glob("*/*") if p.is_file() and p.suffix in (".jsonl", ".json")):
        picked.setdefault(path.parent.name, path)
    out = []
    for name, path in list(picked.items())[:6]:
        target = folder / f"real-{name}.txt"
        target.write_text(path.read_bytes()[:limit].decode("utf-8", "replace"), encoding="utf-8", newline="")
        out.append(target)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--encoding", default="o200k", choices=["o200k", "cl100k"])
    parser.add_argument("--min-speedup", type=float, default=10.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        subprocess.run([sys.executable, ROOT / "scripts/gen_bpe_texts.py", folder, str(options.megabytes)], check=True)
        texts = sorted(folder.glob("*.txt")) + real_texts(folder, int(options.megabytes * 1_000_000))
        vocabulary = folder / "ranks"
        script = folder / "peer.cjs"
        script.write_text(PEER)
        said = subprocess.run(["node", script, options.peers, options.encoding, vocabulary, *texts], check=True,
                              capture_output=True, text=True).stdout
        theirs = {row["file"]: row for row in map(json.loads, said.splitlines())}
        empty = folder / "empty"
        empty.write_bytes(b"")
        _, load = count(options.program, vocabulary, options.encoding, empty)
        failed = False
        names = None
        for text in texts:
            ours, seconds = count(options.program, vocabulary, options.encoding, text)
            size = text.stat().st_size / 1e6
            peer = theirs[str(text)]
            if names is None:
                names = [e["estimator"] for e in ours["estimates"]]
                print(f"{options.encoding}_base, vocabulary loaded in {load * 1000:.0f} ms")
                print(f"{'text':<22}{'MB':>6}{'tokens':>9}{'js-tiktoken':>12}{'MB/s':>8}{'theirs':>8}{'times':>7}"
                      + "".join(f"{n:>10}" for n in names))
            speed, their_speed = size / max(seconds - load, 1e-3), size / max(peer["seconds"], 1e-6)
            equal = ours["exact"] == peer["count"]
            # Recordings are as long as they are: short ones say little about speed.
            fast = size < 0.5 or speed >= options.min_speedup * their_speed
            failed |= not equal or not fast
            errors = "".join(f"{100 * (e['tokens'] / max(ours['exact'], 1) - 1):>+9.1f}%" for e in ours["estimates"])
            print(f"{text.stem:<22}{size:>6.2f}{ours['exact']:>9}{peer['count']:>12}{speed:>8.1f}{their_speed:>8.3f}"
                  f"{speed / their_speed:>7.0f}{errors}" + ("" if equal else "  DIFFERENT") + ("" if fast else "  SLOW"))
        print("check-bpe: " + ("FAILED" if failed else "equal"))
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
