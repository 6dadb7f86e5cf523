#!/bin/bash
# Fuzzes every reader, the outcome normaliser, the reading of calls, databases, archives, the whole pipeline and the
# conversions for a while each, AGENT_AUDIT_FUZZ_JOBS (default: 2) at a time.
#
#   scripts/fuzz-smoke.sh [SECONDS [TARGET…]]      default: AGENT_AUDIT_FUZZ_SECONDS or 60, all targets
#
# When no TARGET is named, AGENT_AUDIT_FUZZ_OTHER_SECONDS (default: as long) is the time of all but the readers of the
# formats that most logs have, the whole pipeline and the conversions.
#
# TARGET is reader:<format>, outcome, touch, database, archive, whole or convert. Prints the executions of each; ends 1
# when there was a finding. Its input stays in build/PRESET/artifacts. Corpora grow in build/PRESET/corpus from the seeds in testdata/readers.
set -euo pipefail
cd "$(dirname "$0")/.."
main_readers=' reader:claude-code reader:claude-code-stream reader:codex reader:codex-exec reader:codex-legacy reader:pi
    reader:openclaw reader:chat-completions reader:anthropic-messages '
pipeline=' whole convert '  # they meet every format, and get as much time as the readers above
seconds=${1:-${AGENT_AUDIT_FUZZ_SECONDS:-60}}
other_seconds=$seconds
jobs=${AGENT_AUDIT_FUZZ_JOBS:-2}
shift || true
# AGENT_AUDIT_PRESET chooses another build that has the targets (ci-sanitizers).
preset=${AGENT_AUDIT_PRESET:-fuzz}
build=build/$preset

sh scripts/setup.sh build ci
{ cmake --preset "$preset" && cmake --build --preset "$preset"; } </dev/null >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }

if [ $# -eq 0 ]; then
    other_seconds=${AGENT_AUDIT_FUZZ_OTHER_SECONDS:-$seconds}
    mapfile -t readers < <("$build/tests/fuzz/fuzz_reader" --list)
    # What takes longest begins first, or the run would wait for it alone in the end.
    # shellcheck disable=SC2206  # it is words that are meant
    first=($pipeline $main_readers archive database)
    set -- "${first[@]}" outcome touch
    for reader in "${readers[@]/#/reader:}"; do
        [[ " ${first[*]} " == *" $reader "* ]] || set -- "$@" "$reader"
    done
fi
mkdir -p "$build/artifacts" "$build/logs"

fuzz_one() {
    local target=$1 name=${1//[:\/]/-} format=${1#reader:} program seeds=() samples=()
    local time=$other_seconds
    [[ $main_readers$pipeline == *[[:space:]]"$target"[[:space:]]* ]] && time=$seconds
    # What libFuzzer of clang 14 does to choose inputs by their entropy costs more than what is fuzzed: without it, the same
    # time has more than twice the executions, and reaches more.
    local args=(-max_total_time="$time" -rss_limit_mb=1024 -timeout=20 -max_len=65536 -print_final_stats=1 -verbosity=0
                -entropic=0 -artifact_prefix="$build/artifacts/$name-")
    # A short run is a check of what changed: it is the same each time, and only longer ones go where none has been.
    [ "$time" -lt 60 ] && args+=(-seed=1)
    case $target in
        reader:*)
            program=fuzz_reader
            # The words of all JSON formats, and those of the family: codex.dict serves codex-exec as well.
            local family=${format%%-*}
            [ "$family" = openclaw ] && family=pi
            cat tests/fuzz/json.dict >"$build/artifacts/$name.dict"
            [ -f "tests/fuzz/$family.dict" ] && cat "tests/fuzz/$family.dict" >>"$build/artifacts/$name.dict"
            args+=("--reader=$format" -dict="$build/artifacts/$name.dict")
            [ -d "testdata/readers/$format" ] && seeds=("testdata/readers/$format") ;;
        outcome) program=fuzz_outcome; args+=(-dict=tests/fuzz/outcome.dict) ;;
        touch) program=fuzz_touch; args+=(-dict=tests/fuzz/touch.dict) ;;
        database | archive)
            program=fuzz_$target
            mkdir -p "$build/seeds/$target"
            "$build/tests/fuzz/$program" "--seeds=$build/seeds/$target" </dev/null >/dev/null 2>&1
            seeds=("$build/seeds/$target") ;;
        whole | convert)
            program=fuzz_$target
            args+=(-dict=tests/fuzz/json.dict)
            # To run all samples once takes longer than a short run has; one of each format leaves time to change them.
            for seed in testdata/readers/*/; do
                if [ "$time" -lt 60 ]; then
                    local sample
                    for sample in "$seed"full* "$seed"*; do [ -f "$sample" ] && break; done
                    samples+=("$sample")
                else
                    seeds+=("$seed")
                fi
            done
            if [ ${#samples[@]} -gt 0 ]; then args+=(-seed_inputs="$(IFS=,; echo "${samples[*]}")"); fi ;;
        *) echo "unknown target $target" >&2; return 2 ;;
    esac
    mkdir -p "$build/corpus/$name"
    if ! "$build/tests/fuzz/$program" "${args[@]}" "$build/corpus/$name" "${seeds[@]}" >"$build/logs/$name" 2>&1 </dev/null; then
        echo "fuzz $target: FINDING"
        tail -n 60 "$build/logs/$name"
        return 1
    fi
    echo "fuzz $target: $(sed -n 's/stat::number_of_executed_units: *//p' "$build/logs/$name") executions, no finding"
}

# A finding in one reader says nothing about the others, so all of them get their turn.
status=0
running=0
for target in "$@"; do
    if [ "$running" -ge "$jobs" ]; then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz_one "$target" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
done
exit "$status"
