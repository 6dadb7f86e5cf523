#!/bin/sh
# Line coverage of src/ by the tests. Fails below 90 %.
set -eu
cd "$(dirname "$0")/.."
least=90

sh scripts/setup.sh build test coverage
find build/coverage -name '*.gcda' -delete 2>/dev/null || true
# No ccache: it would write the notes of one directory into those of another.
cmake --preset coverage -D CMAKE_CXX_COMPILER_LAUNCHER= </dev/null
cmake --build --preset coverage </dev/null
ctest --preset coverage --parallel "$(nproc)" </dev/null

gcovr --root . --filter 'src/' --filter 'include/' --object-directory build/coverage --gcov-executable gcov \
      --fail-under-line "$least" "$@"
