#!/bin/bash
# What the program makes of a collection of real sessions, as Markdown tables.
#
#   AGENT_AUDIT_BIN=build/release/agent-audit scripts/corpus-table.sh [FOLDER]      default: ../shared/corpus
#
# FOLDER holds one folder a format and, if there is one, INDEX.md that names them. Prints a row a format, the files whose
# detected format is not that of their folder, and every file with calls that have no result, by reason. Ends 1 when a
# file was taken for another format, or when less than 99.5 % of the calls in closed turns have their result.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${AGENT_AUDIT_BIN:-build/dev/agent-audit}
folder=${1:-../shared/corpus}
[ -d "$folder" ] || { echo "corpus-table: skipped, there is no $folder"; exit 0; }
command -v python3 >/dev/null || { echo "corpus-table: needs python3" >&2; exit 2; }
exec python3 scripts/corpus_table.py "$program" "$folder"
