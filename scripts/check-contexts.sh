#!/bin/sh
# Holds the context policies against the programs they stand for: seeded random histories go to what their makers publish
# and to ours (context_conformance), and every answer must be the same, byte for byte.
#
# Needs node and, in a folder that AGENT_AUDIT_PEERS names, or in or beside the project, the npm packages
#   openclaw@2026.9.6  @earendil-works/pi-coding-agent@0.87.1  @mariozechner/pi-coding-agent@0.73.1
#   @google/gemini-cli-core@0.61.0  @cline/core@0.0.83        (npm install --ignore-scripts --force)
# and, for openclaw-2026.3, `npm pack openclaw@2026.3.2` unpacked into node_modules/openclaw-2026.3.2. What is not there
# is named and left out; some of openclaw@2026.9.6 loads in node 22 and later only.
# usage: check-contexts.sh [--cases N] [--seed N] [--kinds A,B] [--keep DIR]      exit: 0 equal or skipped, 1 different
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

peers=
for folder in "${AGENT_AUDIT_PEERS:-}" "$root" "$root/.."; do
    [ -n "$folder" ] && [ -d "$folder/node_modules" ] && peers=$folder && break
done
node=${NODE:-node}
if [ -z "$peers" ] || ! command -v "$node" >/dev/null; then
    echo "check-contexts: skipped: no node, or no packages (AGENT_AUDIT_PEERS names the folder that holds node_modules)"
    exit 0
fi

judge=$(sh "$root/scripts/find-program.sh" tests/context_conformance)
exec "$node" "$root/scripts/check-contexts.mjs" --peers "$peers" --judge "$judge" "$@"
