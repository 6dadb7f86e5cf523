#!/bin/sh
# Holds the exact token counts against js-tiktoken: ten kinds of generated text, and real recordings where ../shared is
# there. Prints counts, the speed of both, and the error of each estimate.
# Needs node and the npm package js-tiktoken@1.0.21, installed (npm install --ignore-scripts) in a folder that
# AGENT_AUDIT_PEERS names, or in or beside the project. The vocabulary is written from the package.
# usage: check-bpe.sh [--megabytes N] [--encoding o200k|cl100k] [--min-speedup N]
# exit: 0 equal and fast enough, or skipped; 1 different or slower
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

peers=
for folder in "${AGENT_AUDIT_PEERS:-}" "$root" "$root/.."; do
    [ -n "$folder" ] && [ -d "$folder/node_modules/js-tiktoken" ] && peers=$folder && break
done
if [ -z "$peers" ] || ! command -v node >/dev/null; then
    echo "check-bpe: skipped: no node, or no js-tiktoken (AGENT_AUDIT_PEERS names the folder that holds node_modules)"
    exit 0
fi

program=$(sh "$root/scripts/find-program.sh")
exec python3 "$root/scripts/check_bpe.py" --peers "$peers" --program "$program" "$@"
