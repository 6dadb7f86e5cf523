#!/bin/sh
# Holds what the program writes against tools of others: SARIF (sarif-multitool and the schema of SARIF 2.1.0), JUnit
# (xmllint with our XSD, junitparser), TAP (tap-parser), JSON and NDJSON (ajv with our published schemas). Each INPUT is
# scanned on its own. A tool that is not here is named and left out.
# The npm packages @microsoft/sarif-multitool-linux@5, tap-parser@18 and ajv@8 are looked for in a folder that
# AGENT_AUDIT_FORMAT_TOOLS names, or in or beside the project (npm install --ignore-scripts).
# usage: check-formats.sh [INPUT...]      exit: 0 nothing to complain of, 1 complaints
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

tools=
for folder in "${AGENT_AUDIT_FORMAT_TOOLS:-}" "$root" "$root/.."; do
    [ -n "$folder" ] && [ -d "$folder/node_modules" ] && tools=$folder/node_modules && break
done
program=$(sh "$root/scripts/find-program.sh")
[ $# -gt 0 ] || set -- "$root/testdata/demo/stuck-session.jsonl" "$root/testdata/golden" "$root/testdata/readers"

# Debian's python3-junitparser belongs to Debian's python3, which another one may hide.
python=python3
! /usr/bin/python3 -c 'import junitparser' 2>/dev/null || python=/usr/bin/python3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
missing=

fail() {
    echo "check-formats: $1" >&2
    failures=$((failures + 1))
}
has_package() { [ -n "$tools" ] && [ -e "$tools/$1" ] && command -v node >/dev/null 2>&1; }

"$program" schema result >"$work/result.schema.json"
"$program" schema ndjson >"$work/ndjson.schema.json"

# ajv FILE SCHEMA [lines]
cat >"$work/ajv.js" <<'JS'
const [tools, file, schemaFile, lines] = process.argv.slice(2);
const fs = require('fs');
const Ajv = require(tools + '/ajv/dist/2020').default;
const schema = JSON.parse(fs.readFileSync(schemaFile, 'utf8'));
delete schema.$schema;
const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
const text = fs.readFileSync(file, 'utf8');
const values = lines ? text.trim().split('\n') : [text];
let bad = 0;
for (const value of values) {
    if (validate(JSON.parse(value))) continue;
    bad++;
    if (bad <= 3) console.error(JSON.stringify(validate.errors.slice(0, 3)));
}
process.exit(bad ? 1 : 0);
JS

# The exit code of the multitool is 0 whatever it finds: its own log tells.
cat >"$work/sarif.js" <<'JS'
const log = JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8'));
let errors = 0;
for (const run of log.runs) {
    const said = (run.invocations || []).flatMap(i => i.toolExecutionNotifications || []);
    const bad = [...(run.results || []).filter(r => r.level === 'error').map(r => r.ruleId + ' ' + JSON.stringify(r.message)),
                 ...said.filter(n => n.level === 'error').map(n => JSON.stringify(n.message))];
    errors += bad.length;
    for (const line of bad.slice(0, 5)) console.error(line);
}
process.exit(errors ? 1 : 0);
JS

cat >"$work/tap.js" <<'JS'
const [tools, file] = process.argv.slice(2);
const { Parser } = require(tools + '/tap-parser');
const parser = new Parser({ strict: true }, results => {
    // Failing tests are findings; what counts is that nothing was misunderstood.
    const odd = results.failures.filter(f => f.tapError);
    const ok = odd.length === 0 && !results.bailout && results.plan && results.plan.end >= 0 &&
               results.count === (results.plan.end - results.plan.start + 1);
    if (!ok) console.error(JSON.stringify({ odd: odd.slice(0, 3), count: results.count, plan: results.plan }));
    process.exit(ok ? 0 : 1);
});
let extra = 0;
parser.on('extra', line => { if (line.trim()) { extra++; console.error('not TAP: ' + line); process.exitCode = 1; } });
parser.end(require('fs').readFileSync(file, 'utf8'));
JS

cat >"$work/junit.py" <<'PY'
import sys
from junitparser import JUnitXml, Failure, Error
xml = JUnitXml.fromfile(sys.argv[1])
tests = failures = errors = 0
for suite in xml:
    for case in suite:
        tests += 1
        failures += any(isinstance(r, Failure) for r in case.result)
        errors += any(isinstance(r, Error) for r in case.result)
said = (xml.tests, xml.failures, xml.errors)
if said != (tests, failures, errors):
    sys.exit("counts say %s, there are %s" % (said, (tests, failures, errors)))
PY

# sarif_checks FILE WHAT
sarif_checks() {
    if has_package ajv && [ -e "$tools/@microsoft/sarif-multitool-linux/sarif-2.1.0.json" ]; then
        node "$work/ajv.js" "$tools" "$1" "$tools/@microsoft/sarif-multitool-linux/sarif-2.1.0.json" ||
            fail "$2: sarif against the schema"
    fi
    multitool=${tools:-/nonexistent}/@microsoft/sarif-multitool-linux/Sarif.Multitool
    if [ -e "$multitool" ]; then
        [ -x "$multitool" ] || chmod +x "$multitool"
        DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$multitool" validate "$1" --rule-kind 'Sarif;Ghas' \
            --output "$work/log.sarif" --log ForceOverwrite >/dev/null 2>&1 || true
        node "$work/sarif.js" "$work/log.sarif" || fail "$2: sarif-multitool"
        rm -f "$work/log.sarif"
    else
        missing="$missing sarif-multitool"
    fi
}

# What the input has is unchanged under its own baseline, and absent from a clean session.
baseline_checks() {
    "$program" baseline create --baseline "$work/known.json" "$1" >/dev/null 2>&1 || return 0
    "$program" scan --exit-zero -q -f text --baseline "$work/known.json" -o sarif="$work/b.sarif" -o json="$work/b.json" \
        "$1" >/dev/null 2>&1 || true
    "$program" scan --exit-zero -q -f text --baseline "$work/known.json" -o sarif="$work/c.sarif" -o json="$work/c.json" \
        "$root/testdata/golden/clean/session.jsonl" >/dev/null 2>&1 || true
    for of in b c; do
        sarif_checks "$work/$of.sarif" "$1 under its baseline ($of)"
        ! has_package ajv || node "$work/ajv.js" "$tools" "$work/$of.json" "$work/result.schema.json" ||
            fail "$1: json under its baseline ($of)"
    done
}

inputs=0
for input in "$@"; do
    inputs=$((inputs + 1))
    status=0
    "$program" scan --exit-zero -q -f text -o json="$work/a.json" -o ndjson="$work/a.ndjson" -o sarif="$work/a.sarif" \
        -o junit="$work/a.xml" -o tap="$work/a.tap" -o gitlab="$work/a.gitlab" "$input" >/dev/null 2>&1 || status=$?
    # 3: some of the inputs are no session. There is a result all the same, and it must be well formed.
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { fail "$input: exit code $status"; continue; }

    if has_package ajv; then
        node "$work/ajv.js" "$tools" "$work/a.json" "$work/result.schema.json" || fail "$input: json"
        node "$work/ajv.js" "$tools" "$work/a.ndjson" "$work/ndjson.schema.json" lines || fail "$input: ndjson"
    else
        missing="$missing ajv"
    fi
    sarif_checks "$work/a.sarif" "$input"
    baseline_checks "$input"
    if has_package tap-parser; then
        node "$work/tap.js" "$tools" "$work/a.tap" || fail "$input: tap"
    else
        missing="$missing tap-parser"
    fi
    if command -v xmllint >/dev/null 2>&1; then
        xmllint --noout --huge --schema "$root/testdata/schemas/junit.xsd" "$work/a.xml" 2>"$work/xml.err" ||
            { head -n 3 "$work/xml.err" >&2; fail "$input: junit against the XSD"; }
    else
        missing="$missing xmllint"
    fi
    if "$python" -c 'import junitparser' 2>/dev/null; then
        "$python" "$work/junit.py" "$work/a.xml" || fail "$input: junitparser"
    else
        missing="$missing junitparser"
    fi
done

for tool in $(printf '%s\n' $missing | sort -u); do echo "check-formats: left out: there is no $tool here"; done
echo "check-formats: $inputs inputs, $failures complaints"
[ "$failures" -eq 0 ]
