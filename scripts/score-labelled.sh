#!/bin/sh
# Scores the findings against a folder of labelled traces and prints the table of its score.py.
#
#   scripts/score-labelled.sh [--data DIR] [--gold FILE]
#
# DIR (default ../shared/labelled) holds <dataset>/traces/*.jsonl, labels and score.py. AGENT_AUDIT_BIN names the
# program; without it build/release/agent-audit is used, and built when missing. AGENT_AUDIT_PREDICTIONS names a file
# that keeps the findings in the scorer's form.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
default=$root/../shared/labelled
data=$default
gold=

while [ $# -gt 0 ]; do
    case $1 in
        --data) data=${2:?--data needs a folder}; shift 2 ;;
        --data=*) data=${1#*=}; shift ;;
        --gold) gold=${2:?--gold needs a file}; shift 2 ;;
        --gold=*) gold=${1#*=}; shift ;;
        *) echo "usage: score-labelled.sh [--data DIR] [--gold FILE]" >&2; exit 2 ;;
    esac
done

if ! command -v python3 >/dev/null 2>&1; then echo "score-labelled: skipped, there is no python3"; exit 0; fi
if [ ! -d "$data" ]; then echo "score-labelled: skipped, there is no folder $data"; exit 0; fi
scorer=$data/score.py
[ -f "$scorer" ] || scorer=$default/score.py
if [ ! -f "$scorer" ]; then echo "score-labelled: skipped, there is no score.py in $data"; exit 0; fi
if [ -z "$gold" ] && [ -f "$data/gold-dev.jsonl" ]; then gold=$data/gold-dev.jsonl; fi

program=${AGENT_AUDIT_BIN:-$root/build/release/agent-audit}
if [ ! -x "$program" ] && [ -z "${AGENT_AUDIT_BIN:-}" ]; then sh "$root/scripts/build-release.sh" >&2; fi
if [ ! -x "$program" ]; then echo "score-labelled: cannot run $program" >&2; exit 1; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
predictions=${AGENT_AUDIT_PREDICTIONS:-$work/predictions.jsonl}
: >"$predictions"
for traces in "$data"/*/traces; do
    [ -d "$traces" ] || continue
    dataset=$(basename "$(dirname "$traces")")
    # Exit 3 means that some trace could not be read; the scorer counts it as a trace without findings.
    "$program" scan -f ndjson --exit-zero --max-findings 100000 "$traces" >"$work/findings" </dev/null || {
        status=$?
        echo "score-labelled: $dataset: agent-audit ended with $status" >&2
        [ "$status" -eq 3 ] || exit 1
    }
    python3 "$root/scripts/findings_to_predictions.py" "$dataset" <"$work/findings" >>"$predictions"
done

set -- "$predictions" --data "$data"
if [ -n "$gold" ]; then set -- "$@" --gold "$gold"; fi
python3 "$scorer" "$@"
