#!/bin/sh
# Records what a person sees: the program in a terminal of tmux, its screens written as files.
#
#   sh scripts/record-terminal.sh PROGRAM FOLDER
#
# FOLDER gets progress.txt (while a long input is read), done.txt (the screen after it), scan-80.txt and scan-40.txt (a
# report at two widths, as text), color.txt (the report with its colour codes), doctor-40.txt and explain-80.txt.
# Without tmux it says so and ends with code 77.
set -eu

[ $# -eq 2 ] || { echo "usage: sh scripts/record-terminal.sh PROGRAM FOLDER" >&2; exit 2; }
command -v tmux >/dev/null 2>&1 || { echo "record-terminal.sh: skipped, there is no tmux" >&2; exit 77; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d)
cp testdata/demo/stuck-session.jsonl "$work/session.jsonl"
mkdir "$work/home"

# A server of our own: nobody's sessions and no settings of the user.
screens=0
tmux_here() { tmux -f /dev/null -S "$work/socket-$screens" "$@"; }
trap 'tmux_here kill-server 2>/dev/null || true; rm -rf "$work"' EXIT

# begin COLUMNS LINES: a shell that waits for words.
begin() {
    tmux_here kill-server 2>/dev/null || true
    screens=$((screens + 1))  # a server that is going must not be met by the next one
    tmux_here new-session -d -x "$1" -y "$2" -c "$work" \
        "env -u NO_COLOR -u FORCE_COLOR -u CLICOLOR -u CLICOLOR_FORCE -u COLUMNS -u PAGER HOME='$work/home' TERM=screen-256color LC_ALL=C.UTF-8 PS1='> ' \
         PATH='$(dirname "$program"):/usr/bin:/bin' sh"
    wait_for '>'
}

# wait_for WORDS: until they are on the screen, a minute at most.
wait_for() {
    for _ in $(seq 600); do
        tmux_here capture-pane -p | grep -qF -- "$1" && return 0
        sleep 0.1
    done
    echo "record-terminal.sh: '$1' did not appear:" >&2
    tmux_here capture-pane -p >&2
    return 1
}

type_line() { tmux_here send-keys "$1" Enter; }

# The screen without the empty lines at its end; with -e its colours.
screen() { tmux_here capture-pane -p "$@" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }

# Long work: a pipe whose writer takes its time, as much as the recording needs.
begin 80 50
mkfifo "$work/slow"
type_line "(cat session.jsonl; until [ -e seen ]; do sleep 0.2; done) > slow & agent-audit slow; echo 'the 'end"
wait_for 'reading 1 input: '
screen >"$out/progress.txt"
: >"$work/seen"
wait_for 'the end'
screen >"$out/done.txt"

for width in 80 40; do
    begin $width 120
    type_line "agent-audit session.jsonl; echo code \$?"
    wait_for 'code 1'
    screen >"$out/scan-$width.txt"
    [ $width = 80 ] && screen -e >"$out/color.txt"
done

begin 40 80
type_line "agent-audit doctor; echo code \$?"
wait_for 'code 0'
screen >"$out/doctor-40.txt"

begin 80 24
type_line "agent-audit explain loop/exact-repeat"
wait_for 'Worst severity'
screen >"$out/explain-80.txt"
type_line q
