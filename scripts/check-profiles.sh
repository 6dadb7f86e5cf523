#!/bin/sh
# Holds the emulation profiles against the detectors that their makers publish: seeded random and structured sessions go
# to both, and the first warning and the first stop must be on the same record.
# Needs node and the npm packages @google/gemini-cli-core@0.61.0, @qwen-code/qwen-code@0.24.4 and openclaw@2026.9.6,
# installed (npm install --ignore-scripts) in a folder that AGENT_AUDIT_PEERS names, or in or beside the project.
# usage: check-profiles.sh [--sessions N] [--seed N]      exit: 0 equal or skipped, 1 different
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

peers=
for folder in "${AGENT_AUDIT_PEERS:-}" "$root" "$root/.."; do
    [ -n "$folder" ] && [ -d "$folder/node_modules" ] && peers=$folder && break
done
if [ -z "$peers" ] || ! command -v node >/dev/null; then
    echo "check-profiles: skipped: no node, or no packages (AGENT_AUDIT_PEERS names the folder that holds node_modules)"
    exit 0
fi

program=$(sh "$root/scripts/find-program.sh")
exec node "$root/scripts/check-profiles.mjs" --peers "$peers" --program "$program" "$@"
