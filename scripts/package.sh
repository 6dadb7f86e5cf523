#!/bin/sh
# Makes the packages: a .deb for this Debian, and an archive that holds what other systems may lack and is unpacked
# anywhere. Prints their names.
#
#   sh scripts/package.sh [FOLDER]      (default: build/packages)
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

quietly() {
    "$@" >"$log" 2>&1 </dev/null || {
        cat "$log" >&2
        echo "package.sh: failed: $*" >&2
        exit 1
    }
}

# package GENERATOR BUILD [CMAKE ARGUMENTS...]
package() {
    generator=$1 build=$2
    shift 2
    quietly cmake --preset release -B "$build" "$@"
    quietly cmake --build "$build" --target agent-audit
    quietly cpack --config "$build/CPackConfig.cmake" -G "$generator" -B "$build/cpack"
    find "$build/cpack" -maxdepth 1 \( -name '*.deb' -o -name '*.tar.gz' -o -name '*.sha256' \) -exec mv {} "$out/" \;
}

sh scripts/setup.sh build
rm -rf build/release/cpack build/bundle/cpack
if command -v dpkg-shlibdeps >/dev/null 2>&1; then
    package DEB build/release
else
    echo "package.sh: no .deb is made: there is no dpkg-shlibdeps (Debian: dpkg-dev)" >&2
fi
package TGZ build/bundle -DAGENT_AUDIT_BUNDLE=ON
ls -l "$out"
