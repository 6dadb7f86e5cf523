#!/bin/sh
# Every context policy over the longest sessions of a collection, between its two bounds, as Markdown tables.
#
#   scripts/context-table.sh [FOLDER] [SESSIONS]      default: ../shared/corpus 10
#
# The longest sessions are those with most messages. Sums over them: prompts, compactions, overflows, cost, regret. Then
# every inversion: a policy whose mean prompt lies outside the bounds (never-forget above, hindsight below), which must
# not be, and one that costs more than never forgetting although it sends less, which a broken prompt cache explains.
# Ends 1 when a mean prompt is above that of never-forget.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/../shared/corpus}
[ -d "$folder" ] || { echo "context-table: skipped, there is no $folder"; exit 0; }
command -v python3 >/dev/null || { echo "context-table: needs python3" >&2; exit 2; }
program=$(sh "$root/scripts/find-program.sh")
exec python3 "$root/scripts/context_table.py" "$program" "$folder" "${2:-10}"
