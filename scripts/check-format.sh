#!/bin/sh
# Is every source file as .clang-format wants it? Names those that are not.
#
#   sh scripts/check-format.sh [--fix]      --fix: format them
#
# Other versions of clang-format break lines elsewhere, so only the one of Debian 12 decides.
set -eu
cd "$(dirname "$0")/.."
version=14

format=
for name in "clang-format-$version" clang-format; do
    if command -v "$name" >/dev/null 2>&1 && "$name" --version | grep -q "version $version\."; then
        format=$name
        break
    fi
done
if [ -z "$format" ]; then
    echo "check-format: there is no clang-format $version; 'sh scripts/setup.sh ci' installs it" >&2
    exit 2
fi

each_file() { find src include tests -name '*.[ch]pp' -print0 -o -name '*.inc' -print0 | xargs -0 -n 40 -P "$(nproc)" "$@"; }

if [ "${1:-}" = --fix ]; then
    each_file "$format" -i
    exit
fi
# A warning names a place; a file is enough.
odd=$(each_file "$format" --dry-run 2>&1 | sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: warning: .*/\1/p' | sort -u)
[ -z "$odd" ] && exit
echo "not as .clang-format wants it; run: sh scripts/check-format.sh --fix" >&2
echo "$odd" >&2
exit 1
