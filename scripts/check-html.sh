#!/bin/sh
# Opens HTML reports in a headless browser: no request but the file, nothing on the console, no script out of a
# transcript, no accessibility complaint in light and dark, on 1280 and 390 pixels, with and without scripts, nothing
# wider than the page, and loaded in time at 10,000 and 50,000 turns. Sessions: invented ones, the demo, and those given.
# Needs node, a Chromium (AGENT_AUDIT_CHROMIUM names one) and the npm packages playwright-core and axe-core, installed
# (npm install --ignore-scripts) in a folder that AGENT_AUDIT_BROWSER names, or in or beside the project.
# usage: check-html.sh [--shots DIR] [SESSION...]      exit: 0 as it should be or skipped, 1 not
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

packages=
for folder in "${AGENT_AUDIT_BROWSER:-}" "$root" "$root/.."; do
    [ -n "$folder" ] && [ -d "$folder/node_modules/playwright-core" ] && packages=$folder && break
done
chromium=${AGENT_AUDIT_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$packages" ] || [ -z "$chromium" ] || ! command -v node >/dev/null; then
    echo "check-html: skipped: no node, no Chromium, or no packages (AGENT_AUDIT_BROWSER names the folder that holds node_modules)"
    exit 0
fi

program=$(sh "$root/scripts/find-program.sh")
exec node "$root/scripts/check_html.mjs" "$root" "$packages" "$chromium" "$program" "$@"
