#!/bin/sh
# Records which functions runs of the program need (cmake/release_order.ld), so that release builds have them side by side:
# a run then maps a few of the program's megabytes instead of nearly all. Run it when the hot path changed, and commit the
# result; nothing breaks when nobody does.
#
#   scripts/make-order.sh      the program: build/release/agent-audit, or AGENT_AUDIT_BIN
#
# The sessions are those of our own generator, our test data and, where they are, the recordings beside the checkout. What the
# host's valgrind cannot run is named by pattern.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh build ci
if [ -z "${AGENT_AUDIT_BIN:-}" ]; then sh scripts/build-release.sh; fi
program=${AGENT_AUDIT_BIN:-build/release/agent-audit}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 scripts/gen_corpus.py --out "$work/corpus" --size 16MB --files 24 >/dev/null
python3 scripts/gen_corpus.py --out "$work/codex" --size 8MB --files 8 --style codex >/dev/null

run() {
    out=$1
    shift
    valgrind --tool=callgrind --demangle=no --callgrind-out-file="$work/$out" "$program" "$@" >/dev/null 2>"$work/log" </dev/null ||
        [ $? -lt 4 ] || { cat "$work/log" >&2; exit 1; }
}
# What a scan of Claude Code's sessions needs comes first, then what findings of all kinds do, then other formats and commands.
real=../shared/corpus/claude-code
[ -d "$real" ] || real=testdata/demo
# Another generator's sessions, where it is: whose loops come after work that a reset would keep.
reference=../shared/bench/make_corpus.py
[ ! -f "$reference" ] || python3 "$reference" --out "$work/corpus/other" --size 16MB --files 24 >/dev/null
run 1 scan -f json -j2 "$work/corpus" "$real"
run 2 scan -f json -j2 testdata/demo testdata/detectors testdata/drift testdata/scenarios
run 3 scan -f json -j2 "$work/codex"
run 4 scan -j2 "$work/corpus" testdata/demo
run 5 scan testdata/readers
run 6 replay --context all "$(find "$work/corpus" -name '*.jsonl' | sort | head -n 1)"
run 7 replay --policy strict -j1 "$work/codex"
python3 scripts/function_order.py "$program" cmake/release_order.ld "$work"/[1-7]
