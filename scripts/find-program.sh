#!/bin/sh
# Prints the path of a program that was built: AGENT_AUDIT_BIN when it names one, else that of build/release, build/ci or
# build/dev. For the scripts that measure what is there and build nothing.
# usage: find-program.sh [NAME]     NAME: agent-audit, the default, or a program of the tests      exit: 2 there is none
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
name=${1:-agent-audit}
if [ "$name" = agent-audit ] && [ -n "${AGENT_AUDIT_BIN:-}" ]; then
    if ! command -v "$AGENT_AUDIT_BIN" >/dev/null; then
        echo "find-program: cannot run $AGENT_AUDIT_BIN, which AGENT_AUDIT_BIN names" >&2
        exit 2
    fi
    echo "$AGENT_AUDIT_BIN"
    exit 0
fi
for preset in release ci dev; do
    built=$root/build/$preset/$name
    [ -x "$built" ] || continue
    echo "$built"
    exit 0
done
echo "find-program: no $name in build/: sh scripts/test.sh builds it, and AGENT_AUDIT_BIN can name an agent-audit" >&2
exit 2
