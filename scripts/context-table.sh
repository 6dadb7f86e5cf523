#!/bin/bash
# Every context policy over the longest sessions of a collection, between its two bounds, as Markdown tables.
#
#   AGENT_AUDIT_BIN=build/release/agent-audit scripts/context-table.sh [FOLDER] [SESSIONS]      default: ../shared/corpus 10
#
# The longest sessions are those with most messages. Sums over them: prompts, compactions, overflows, cost, regret. Then
# every inversion: a policy whose mean prompt lies outside the bounds (never-forget above, hindsight below), which must
# not be, and one that costs more than never forgetting although it sends less, which a broken prompt cache explains.
# Ends 1 when a mean prompt is above that of never-forget.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${AGENT_AUDIT_BIN:-build/dev/agent-audit}
folder=${1:-../shared/corpus}
[ -d "$folder" ] || { echo "context-table: skipped, there is no $folder"; exit 0; }
command -v python3 >/dev/null || { echo "context-table: needs python3" >&2; exit 2; }
exec python3 scripts/context_table.py "$program" "$folder" "${2:-10}"
