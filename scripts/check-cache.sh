#!/bin/sh
# How well the model of prompt caches agrees with recorded bills: for each session of a folder of recordings the deviation of
# simulated from recorded cache reads, under the recorded history and times.
# usage: check-cache.sh [FOLDER]     FOLDER: recordings, by default ../shared/corpus/claude-code
# exit: 0 within 8 % over all, or skipped; 1 beyond
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
corpus=${1:-$root/../shared/corpus/claude-code}
if [ ! -d "$corpus" ]; then
    echo "check-cache: skipped: no folder $corpus"
    exit 0
fi
program=$(sh "$root/scripts/find-program.sh" tests/cache_table)
exec "$program" "$corpus"
