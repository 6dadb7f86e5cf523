#!/bin/sh
# Scores the stop decisions of policies against a folder of labelled traces.
#
#   scripts/score-policies.sh [--data DIR] [--policies a,b,c] [--floor POLICY=PRECISION] [--list POLICY] [--json]
#
# DIR (default ../shared/labelled) holds <dataset>/traces/*.jsonl, index.jsonl and labels. AGENT_AUDIT_BIN names the
# program; without it build/release/agent-audit is used, and built when missing. With --floor the exit code is 1 when the
# precision is lower or a clean session was stopped.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
data=$root/../shared/labelled
policies=permissive,balanced,strict
rest=

while [ $# -gt 0 ]; do
    case $1 in
        --data) data=${2:?--data needs a folder}; shift 2 ;;
        --data=*) data=${1#*=}; shift ;;
        --policies) policies=${2:?--policies needs names}; shift 2 ;;
        --floor|--list) rest="$rest $1 ${2:?$1 needs a value}"; shift 2 ;;
        --json) rest="$rest --json"; shift ;;
        *) echo "usage: score-policies.sh [--data DIR] [--policies a,b] [--floor POLICY=PRECISION] [--list POLICY] [--json]" >&2; exit 2 ;;
    esac
done

if ! command -v python3 >/dev/null 2>&1; then echo "score-policies: skipped, there is no python3"; exit 0; fi
if [ ! -d "$data" ]; then echo "score-policies: skipped, there is no folder $data"; exit 0; fi
program=${AGENT_AUDIT_BIN:-$root/build/release/agent-audit}
if [ ! -x "$program" ] && [ -z "${AGENT_AUDIT_BIN:-}" ]; then sh "$root/scripts/build-release.sh" >&2; fi
if [ ! -x "$program" ]; then echo "score-policies: cannot run $program" >&2; exit 1; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for traces in "$data"/*/traces; do
    [ -d "$traces" ] || continue
    dataset=$(basename "$(dirname "$traces")")
    # 1: a run failed by the policy; 3: some trace could not be read, which counts as one that was not stopped.
    "$program" replay --policy "$policies" -f ndjson "$traces" >"$work/$dataset.ndjson" </dev/null || {
        status=$?
        [ "$status" -eq 1 ] || [ "$status" -eq 3 ] || { echo "score-policies: $dataset: agent-audit ended with $status" >&2; exit 1; }
    }
done
# shellcheck disable=SC2086  # words on purpose
python3 "$root/scripts/score_policies.py" --data "$data" $rest "$work"/*.ndjson
