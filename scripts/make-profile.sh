#!/bin/sh
# Records how scans and replays run (cmake/release.profdata) for the optimiser of release builds. Run it when the hot path changed,
# and commit the result; nothing breaks when nobody does.
#
#   scripts/make-profile.sh
#
# The sessions are those of our own generator and our test data, so the profile holds nothing of anybody's transcript.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh build ci
build=build/profile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The folder is named when the program runs, not when it is built: a compiler cache then knows what did not change.
cmake --preset release -B "$build" -D AGENT_AUDIT_PROFILE=OFF -D CMAKE_CXX_FLAGS="-fprofile-generate -mllvm -static-func-full-module-prefix=false" \
    -D CMAKE_EXE_LINKER_FLAGS=-fprofile-generate </dev/null
cmake --build "$build" --target agent-audit </dev/null
export LLVM_PROFILE_FILE="$work/raw/%m.profraw"  # %m: runs add to what the one before counted
# Sessions of the size that stores hold: what is done once for each counts.
python3 scripts/gen_corpus.py --out "$work/corpus" --size 60MB --files 120
python3 scripts/gen_corpus.py --out "$work/codex" --size 40MB --files 40 --style codex
for format in json text; do
    for corpus in corpus codex; do "$build/agent-audit" scan -f "$format" -j1 --exit-zero "$work/$corpus" >/dev/null; done
    "$build/agent-audit" scan -f "$format" -j1 --exit-zero testdata/readers >/dev/null 2>&1 || true
    # Sessions in which something is wrong: what looks into that is no cold code either.
    "$build/agent-audit" scan -f "$format" -j1 --exit-zero testdata/demo testdata/detectors testdata/drift testdata/scenarios >/dev/null
done
# valgrind has no AVX-512: how narrower machines run must not be taken for code that never runs.
python3 scripts/gen_corpus.py --out "$work/narrow" --size 8MB
valgrind --tool=none -q "$build/agent-audit" scan -f json -j1 --exit-zero "$work/narrow" >/dev/null
narrow=$(find "$work/narrow" -name '*.jsonl' | sort | head -n 1)
valgrind --tool=none -q "$build/agent-audit" replay --context all "$narrow" >/dev/null
python3 scripts/gen_corpus.py --out "$work/replayed" --size 20MB
for session in "$work"/replayed/projects/*/*.jsonl; do "$build/agent-audit" replay --context all "$session" >/dev/null; done
"$build/agent-audit" replay --policy strict -j1 "$work/replayed" >/dev/null || true  # 1: it would have stopped one
# A machine without AVX-512 says nothing of the kernels for it: there the last profile goes in as well.
former=
grep -qs avx512bw /proc/cpuinfo || former=cmake/release.profdata
# shellcheck disable=SC2086  # one name or none
llvm-profdata merge --sparse -o "$work/release.profdata" $former "$work"/raw/*.profraw
mv "$work/release.profdata" cmake/release.profdata
ls -l cmake/release.profdata
