#!/bin/sh
# Installs the Debian packages that the project needs and this machine lacks; touches nothing when all are there.
#
#   sh scripts/setup.sh [build] [test] [manners] [ci] [coverage] [bench]      (default: build)
#
# `manners` is what the tests of completions, manual pages, packages and terminals use; without it they say what they skip.
# Needs root or sudo only when something is missing. AGENT_AUDIT_SKIP_SETUP=1 skips it altogether.
set -eu

packages_for() {
    case $1 in
        build) echo g++ clang cmake ninja-build ccache libfmt-dev libsimdjson-dev libcli11-dev nlohmann-json3-dev \
                    libtomlplusplus-dev libxxhash-dev libre2-dev zlib1g-dev libzstd-dev libsqlite3-dev \
                    libpugixml-dev \
                    libjs-dygraphs libcurl4-openssl-dev ;;
        test) echo doctest-dev python3 ;;
        manners) echo bash zsh fish tmux groff mandoc less shellcheck dpkg-dev ;;
        ci) echo clang-format libclang-rt-14-dev lld llvm valgrind python3 ;;
        coverage) echo gcovr ;;
        bench) echo libbenchmark-dev python3 ;;
        *) echo "setup.sh: unknown group '$1'; there are: build test manners ci coverage bench" >&2; return 2 ;;
    esac
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if [ "${AGENT_AUDIT_SKIP_SETUP:-0}" = 1 ]; then exit 0; fi
[ $# -gt 0 ] || set -- build

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "setup.sh: this is not a Debian system, so nothing is installed here. Needed, by their Debian names:" >&2
    for group in "$@"; do echo "    $(packages_for "$group")" >&2; done
    exit 0
fi

missing=
for group in "$@"; do
    packages=$(packages_for "$group")
    for package in $packages; do
        is_installed "$package" || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
else
    echo "setup.sh: these packages are missing and we are neither root nor have sudo. Please run as root:" >&2
    echo "    apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi

echo "setup.sh: installing$missing" >&2
# Output goes to stderr: whoever calls us may care about what is on stdout.
{
    $as_root apt-get update -qq
    # shellcheck disable=SC2086  # a list of names
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
} </dev/null >&2 || {
    echo "setup.sh: apt-get failed. Is the network there, and are the package lists those of Debian 12?" >&2
    exit 1
}
