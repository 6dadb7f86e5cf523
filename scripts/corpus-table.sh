#!/bin/sh
# What the program makes of a collection of real sessions, as Markdown tables.
#
#   scripts/corpus-table.sh [FOLDER]      default: ../shared/corpus
#
# FOLDER holds one folder a format and, if there is one, INDEX.md that names them. Prints a row a format, the files whose
# detected format is not that of their folder, and every file with calls that have no result, by reason. Ends 1 when a
# file was taken for another format, or when less than 99.5 % of the calls in closed turns have their result.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/../shared/corpus}
[ -d "$folder" ] || { echo "corpus-table: skipped, there is no $folder"; exit 0; }
command -v python3 >/dev/null || { echo "corpus-table: needs python3" >&2; exit 2; }
program=$(sh "$root/scripts/find-program.sh")
exec python3 "$root/scripts/corpus_table.py" "$program" "$folder"
