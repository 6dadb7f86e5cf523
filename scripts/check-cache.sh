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
program=${CACHE_TABLE_BIN:-}
for built in "$root/build/release/tests/cache_table" "$root/build/dev/tests/cache_table"; do
    [ -z "$program" ] && [ -x "$built" ] && program=$built
done
if [ -z "$program" ]; then
    echo "check-cache: no cache_table in build/ (it is built with the tests); CACHE_TABLE_BIN names one" >&2
    exit 2
fi
exec "$program" "$corpus"
