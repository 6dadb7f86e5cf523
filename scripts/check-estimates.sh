#!/bin/sh
# How well prompts are predicted: over all recordings with usage in a folder, learns from the first 80 % of the requests of
# each session and predicts the prompt tokens of the rest (agent-audit tokens --calibrate).
# usage: check-estimates.sh [FOLDER]     FOLDER: recordings, by default ../shared/corpus
# exit: 0 within the limits (median 2 %, 95th percentile 8 %, run estimate 12 %), or skipped; 1 beyond
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
corpus=${1:-$root/../shared/corpus}
if [ ! -d "$corpus" ]; then
    echo "check-estimates: skipped: no folder $corpus"
    exit 0
fi
program=$(sh "$root/scripts/find-program.sh")
exec python3 "$root/scripts/check_estimates.py" --program "$program" "$corpus"
