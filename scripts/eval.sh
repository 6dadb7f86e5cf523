#!/bin/sh
# How good the rules are, in one table: on labelled traces, on the scenario suite and on clean real sessions, for this
# program and for every agent whose guard it can imitate. Fails when a figure is worse than scripts/eval-floors.json.
#
#   scripts/eval.sh [--data DIR] [--gold FILE] [--corpus DIR] [--floors FILE] [--bless]
#
# DIR (default ../shared/labelled) holds <dataset>/traces/*.jsonl, labels and score.py; the corpus (default
# ../shared/corpus) holds claude-code/ and codex/. What is absent is left out, and said. --bless writes the measured
# figures as the new floors and prints the old ones beside them. AGENT_AUDIT_BIN names the program; without it
# build/release/agent-audit is used, and built when missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v python3 >/dev/null 2>&1; then echo "eval: skipped, there is no python3"; exit 0; fi
for argument in "$@"; do
    case $argument in -h|--help) exec python3 "$root/scripts/eval.py" --help ;; esac
done
program=${AGENT_AUDIT_BIN:-$root/build/release/agent-audit}
if [ ! -x "$program" ] && [ -z "${AGENT_AUDIT_BIN:-}" ]; then sh "$root/scripts/build-release.sh" >&2; fi
if [ ! -x "$program" ]; then echo "eval: cannot run $program" >&2; exit 1; fi
AGENT_AUDIT_BIN=$program exec python3 "$root/scripts/eval.py" "$@"
