#!/bin/sh
# Builds build/release/agent-audit, after installing what the machine lacks. Quiet unless it fails.
set -eu
cd "$(dirname "$0")/.."

sh scripts/setup.sh build
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake --preset release && cmake --build --preset release --target agent-audit; } >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    exit 1
fi
