#!/bin/sh
# The cost gate: instructions per input byte of a whole scan, counted by callgrind over a made corpus. Unlike a time,
# the figure repeats to four digits on any machine, however busy. valgrind has no AVX-512, so this is the AVX2 path: where
# the machine has it, the result is also compared with one of the machine's own kernels.
#
#   scripts/check-instructions.sh [LIMIT]
#
# On the reference corpus, whose generator may lie beside the project, all rules of loops and budgets cost 4.2 and those
# of drift, which read words, 0.8 more. What a release promises is 5.0; our own generator's corpus, in which nearly
# every call is a command, costs 5.40.
set -eu
cd "$(dirname "$0")/.."
reference=../shared/bench/make_corpus.py
if [ -f "$reference" ]; then generator=$reference default=5.0; else generator=scripts/gen_corpus.py default=5.5; fi
limit=${1:-$default}
program=${AGENT_AUDIT_BIN:-build/release/agent-audit}

sh scripts/setup.sh build ci
if [ -z "${AGENT_AUDIT_BIN:-}" ]; then sh scripts/build-release.sh; fi

# Names that other scripts are told things by are no settings of the program, which would look for the ones that were meant.
for name in $(env | sed -n 's/^\(AGENT_AUDIT_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "check-instructions: corpus by $generator"
python3 "$generator" --out "$work/corpus" --size 40MB
corpus=$work/corpus
if [ -d "$corpus/projects" ]; then corpus=$corpus/projects; fi
bytes=$(find "$corpus" -name '*.jsonl' -exec cat {} + | wc -c)

valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" scan -f json --exit-zero -j1 "$corpus" \
    >"$work/result.json" 2>"$work/log" </dev/null || { cat "$work/log" >&2; exit 1; }
instructions=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/log")

# Every machine writes the same bytes, whichever kernels it has.
"$program" scan -f json --exit-zero -j1 "$corpus" >"$work/native.json" </dev/null
if ! cmp "$work/result.json" "$work/native.json"; then
    echo "check-instructions: another result than without AVX-512" >&2
    exit 1
fi
if grep -qs avx512bw /proc/cpuinfo; then echo "check-instructions: the same result with AVX-512 as without"
else echo "check-instructions: skipped: the kernels for AVX-512, this machine has none"; fi

# A scan that read nothing would be cheap.
python3 - "$work/result.json" "$instructions" "$bytes" "$limit" <<'EOF'
import json, sys
path, instructions, size, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
json.load(open(path, encoding="utf-8"))
if str(size) not in open(path, encoding="utf-8").read():
    sys.exit(f"check-instructions: the result does not say that all {size} bytes were read")
figure = instructions / size
print(f"instructions per input byte: {figure:.3f} (limit {limit}; {instructions} for {size} bytes)")
sys.exit(0 if figure <= limit else "check-instructions: above the limit")
EOF
