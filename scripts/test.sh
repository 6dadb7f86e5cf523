#!/bin/sh
# Builds with warnings as errors and asserts, runs every test, and checks that made test data is what its scripts make
# and that the reference pages are those the program writes. AGENT_AUDIT_PRESET chooses another test preset (asan,
# coverage). The last line is "N passed, M failed".
set -eu
cd "$(dirname "$0")/.."
preset=${AGENT_AUDIT_PRESET:-dev}
build=build/$preset

sh scripts/setup.sh build test
cmake --preset "$preset" </dev/null
cmake --build --preset "$preset" </dev/null

status=0
ctest --preset "$preset" --parallel "$(nproc)" </dev/null || status=$?

# ctest counts test programs; people count test cases. Those of doctest are summed, every other entry counts as one.
counts=$(awk '
    /^\[doctest\] test cases:/ { split($0, part, "|"); passed += part[2]; failed += part[3]; cases = 1 }
    /^Test (Passed|Failed)\./  { ok = ($2 == "Passed."); if (!cases) { if (ok) passed++; else failed++ }
                                 else if (!ok && !failed) failed++
                                 cases = 0 }
    END { print passed + 0, failed + 0 }' "$build/Testing/Temporary/LastTest.log")
passed=${counts% *}
failed=${counts#* }
# A test program that crashed has no summary of its own.
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi

# Sessions that are made by a script are what the script makes.
if command -v python3 >/dev/null 2>&1; then
    for script in gen_detector_data gen_demo gen_drift gen_scenarios; do
        if python3 "scripts/$script.py" --check; then
            passed=$((passed + 1))
        else
            echo "run: python3 scripts/$script.py" >&2
            failed=$((failed + 1))
        fi
    done
else
    echo "test: the scripts that make test data are not checked, there is no python3" >&2
fi

if "$build/agent-audit" reference --out docs/reference --check; then
    passed=$((passed + 1))
else
    echo "docs/reference is not what the program writes; run: $build/agent-audit reference --out docs/reference" >&2
    failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
