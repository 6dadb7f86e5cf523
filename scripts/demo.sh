#!/bin/sh
# From a fresh machine to a first report:
#
#   sh scripts/demo.sh            builds the program and audits a recorded session in which the agent is stuck
#   sh scripts/demo.sh ARGS…      builds the program and runs: agent-audit ARGS…
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

sh "$root/scripts/build-release.sh" >&2
program=$root/build/release/agent-audit
if [ $# -gt 0 ]; then exec "$program" "$@"; fi

cd "$root"
echo '$ agent-audit scan testdata/demo/stuck-session.jsonl'
status=0
"$program" scan testdata/demo/stuck-session.jsonl || status=$?
# 1 is the verdict on the session, an error finding, and what this demo is about; anything else went wrong.
[ "$status" -eq 1 ] && exit 0
echo "demo.sh: expected exit code 1 (findings), got $status" >&2
exit 1
