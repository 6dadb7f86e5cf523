// See check-html.sh.
import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [root, packages, chromium, program, ...given] = process.argv.slice(2);
const require = createRequire(join(packages, 'node_modules', 'x.js'));
const { chromium: browserType } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let shots = '';
const sessions = [];
for (let i = 0; i < given.length; i++) {
  if (given[i] === '--shots') shots = given[++i];
  else sessions.push({ name: basename(given[i]).replace(/\.[^.]*$/, ''), path: given[i] });
}
if (shots) mkdirSync(shots, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'check-html-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

// ---- invented sessions ---------------------------------------------------------------------------------------

// In the layout of Claude Code: prompts that grow until they are compacted, and a call that is repeated for a while.
async function writeLong(path, turns) {
  const out = createWriteStream(path);
  let tokens = 20000;
  let number = 0;
  const put = async (kind, fields) => {
    const record = { parentUuid: number ? `r${number}` : null, isSidechain: false, userType: 'external', cwd: '/home/noor/mill',
      sessionId: 'long', version: '2.1.90', type: kind, ...fields, uuid: `r${++number}`,
      timestamp: new Date(Date.UTC(2026, 4, 4, 9) + number * 2000).toISOString() };
    if (!out.write(JSON.stringify(record) + '\n')) await once(out, 'drain');
  };
  await put('user', { message: { role: 'user', content: 'Go through all files.' } });
  for (let turn = 1; turn <= turns; turn++) {
    tokens += 300 + (turn * 7919) % 900;
    if (tokens > 165000) {
      await put('system', { subtype: 'compact_boundary', content: 'Conversation compacted', compactMetadata: { trigger: 'auto', preTokens: tokens } });
      tokens = 24000;
      await put('user', { isCompactSummary: true, message: { role: 'user', content: 'What happened so far: files were read.' } });
    }
    const stuck = turn > turns / 2 && turn < turns / 2 + 40;
    const command = stuck ? 'npm test' : `cat file${turn}.txt`;
    await put('assistant', { message: { id: `m${turn}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5',
      content: [{ type: 'tool_use', id: `t${turn}`, name: 'Bash', input: { command } }],
      usage: { input_tokens: 4, cache_creation_input_tokens: 800, cache_read_input_tokens: tokens - 804, output_tokens: 60 } }, requestId: `q${turn}` });
    const content = stuck ? 'Exit code 1\n1 test failed: due date' : `line ${turn} of the file, which says ${(turn * 7907) % 1000}`;
    await put('user', { message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${turn}`, content, is_error: stuck }] } });
  }
  out.end();
  await once(out, 'close');
}

// Texts that would run, load or break out, wherever a report might quote them.
const attacks = ['</script><script>window.hacked=1</script>', '"><img src=x onerror="window.hacked=1">',
  "' onmouseover='window.hacked=1' x='", '<svg/onload=window.hacked=1>', '--><script>window.hacked=1</script><!--',
  '<iframe srcdoc="<script>parent.hacked=1</script>">', '<a href="javascript:window.hacked=1">x</a>',
  ']]><script>window.hacked=1</script>', '</style><script>window.hacked=1</script>', '<link rel=stylesheet href=//example.invalid/x>',
  '<img src="http://example.invalid/p.png">', '<base href="http://example.invalid/">', '\u202Egpj.exe', '\u2028window.hacked=1//',
  '&lt;script&gt;window.hacked=1&lt;/script&gt;', '<!--', '</title><script>window.hacked=1</script>', '{{constructor.constructor("window.hacked=1")()}}'];

async function writeAttack(path) {
  const out = createWriteStream(path);
  let number = 0;
  const put = (kind, fields) => out.write(JSON.stringify({ parentUuid: number ? `r${number}` : null, isSidechain: false, userType: 'external',
    cwd: '/home/noor/' + attacks[1], sessionId: attacks[0], version: attacks[2], type: kind, ...fields, uuid: `r${++number}`,
    timestamp: new Date(Date.UTC(2026, 4, 4, 9) + number * 2000).toISOString() }) + '\n');
  put('user', { message: { role: 'user', content: attacks.join(' ') } });
  let turn = 0;
  for (const attack of attacks) {
    put('user', { message: { role: 'user', content: 'next' } });
    for (let i = 0; i < 6; i++) {
      turn++;
      const tool = { type: 'tool_use', id: `t${turn}`, name: i % 2 ? attack : 'Bash', input: { command: attack, file_path: attack } };
      if (i % 2) tool.name = attack.slice(0, 60);
      put('assistant', { message: { id: `m${turn}`, type: 'message', role: 'assistant', model: attack,
        content: [{ ...tool, name: 'Bash' }], usage: { input_tokens: 900 + turn, output_tokens: 60 } }, requestId: `q${turn}` });
      put('user', { message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${turn}`, content: attack, is_error: true }] } });
    }
  }
  out.end('not JSON: ' + attacks[0] + '\n');
  await once(out, 'close');
}

// ---- checks --------------------------------------------------------------------------------------------------

let failed = 0, passed = 0;
function check(what, good, detail = '') {
  if (good) passed++;
  else {
    failed++;
    console.log(`FAILED  ${what}${detail ? ': ' + detail : ''}`);
  }
}

async function open(browser, file, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(20000);
  const page = await context.newPage();
  const seen = { requests: [], console: [], dialogs: 0 };
  page.on('request', (request) => seen.requests.push(request.url()));
  page.on('console', (message) => seen.console.push(message.text()));
  page.on('pageerror', (error) => seen.console.push(String(error)));
  page.on('dialog', (dialog) => { seen.dialogs++; dialog.dismiss(); });
  const begin = process.hrtime.bigint();
  await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  if (options.javaScriptEnabled !== false) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  return { context, page, seen, loaded: Number(process.hrtime.bigint() - begin) / 1e6 };
}

async function accessible(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  check(`${what}: accessible`, found.violations.length === 0,
    found.violations.map((v) => `${v.id} (${v.nodes.length}: ${v.nodes[0].target} ${v.nodes[0].failureSummary.replaceAll('\n', ' ')})`).join('; '));
}

async function checkReport(browser, name, file) {
  const times = [];
  for (const width of [1280, 390]) {
    for (const colorScheme of ['light', 'dark']) {
      const what = `${name} at ${width} px, ${colorScheme}`;
      const { context, page, seen, loaded } = await open(browser, file, { viewport: { width, height: 900 }, colorScheme });
      times.push(loaded);
      check(`${what}: charts came up`, await page.evaluate(() => {
        const first = document.querySelector('figure[data-chart]');
        if (!first || !first.querySelector('.curve:not(.key)')) return true;
        first.scrollIntoView();
        return new Promise((done) => setTimeout(() => done(first.querySelector('.live canvas') !== null), 200));
      }));
      await page.evaluate(() => window.scrollTo(0, 0));
      if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      await accessible(page, what);
      await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
      await accessible(page, what + ', unfolded');
      if (shots && colorScheme === 'light') await page.screenshot({ path: join(shots, `${name}-${width}-unfolded.png`), fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      check(`${what}: nothing is wider than the page`, wide <= 0, `${wide} px`);
      const cut = await page.evaluate(() => [...document.querySelectorAll('caption')].map((caption) => ({
        words: caption.textContent, over: caption.getBoundingClientRect().right - caption.closest('.scroll').getBoundingClientRect().right,
      })).filter(({ over }) => over > 1));
      check(`${what}: every caption fits its frame`, cut.length === 0, cut.map(({ words, over }) => `${words} (${over} px)`).join('; '));
      for (const button of await page.$$('.tools button')) await button.click();
      check(`${what}: no request but the file`, seen.requests.length === 1, seen.requests.slice(1).join(' '));
      check(`${what}: nothing on the console`, seen.console.length === 0, seen.console.join(' | '));
      check(`${what}: no script out of the transcript`, seen.dialogs === 0 && await page.evaluate(() => window.hacked === undefined));
      await context.close();
    }
    const { context, page, seen } = await open(browser, file, { viewport: { width, height: 900 }, javaScriptEnabled: false });
    check(`${name} at ${width} px without scripts: the drawn chart is there`,
      await page.locator('.still svg').count() === 0 || await page.locator('.still svg').first().isVisible());
    check(`${name} at ${width} px without scripts: no request but the file`, seen.requests.length === 1);
    if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-noscript.png`), fullPage: true });
    await context.close();
  }
  // Opening it a second time is what a reader sees; the first one also warms up the browser.
  return Math.min(...times);
}

const limits = { 'long-10000': 1500, 'long-50000': 3000 };
const long = join(work, 'long-10000.jsonl'), longer = join(work, 'long-50000.jsonl'), attack = join(work, 'attack.jsonl');
await writeLong(long, 10000);
await writeLong(longer, 50000);
await writeAttack(attack);
sessions.unshift({ name: 'demo', path: join(root, 'testdata/demo') }, { name: 'long-10000', path: long },
  { name: 'long-50000', path: longer }, { name: 'attack', path: attack });

// With all that a page can have: other agents' detectors, nearness to the goal, limits of which some are passed.
const asked = ['--as', 'all', '--similarity', 'all', '--set', 'budget/limits.window-share=60', '--set', 'budget/limits.tokens=1000000',
  '--set', 'budget/limits.tool-calls=50'];

const browser = await browserType.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const { name, path } of sessions) {
    const file = join(work, name + '.html');
    const run = spawnSync(program, ['scan', ...asked, '-o', `html=${file}`, path], { stdio: ['ignore', 'ignore', 'inherit'] });
    check(`${name}: scanned`, run.status === 0 || run.status === 1, `exit ${run.status}`);
    const again = execFileSync(program, ['scan', ...asked, '--exit-zero', '-j', '1', '-f', 'html', path], { maxBuffer: 1 << 30 });
    check(`${name}: the same bytes again`, readFileSync(file).equals(again));
    const loaded = await checkReport(browser, name, file);
    if (limits[name]) check(`${name}: loads in ${limits[name]} ms`, loaded < limits[name], `${loaded.toFixed(0)} ms`);
    console.log(`${name.padEnd(44)} ${(statSync(file).size / 1000).toFixed(0).padStart(6)} kB  loaded in ${loaded.toFixed(0)} ms`);
  }
  // Pages of a replay: contexts and policies of one session, policies of several, and texts that would break out.
  const stuck = join(root, 'testdata/demo/stuck-session.jsonl');
  const replays = [['contexts', ['--context', 'claude-code,codex,gemini,openhands,none', '--window', '16000', stuck]],
    ['contexts-10000', ['--context', 'claude-code,codex,none', long]], ['policies', ['--policy', 'permissive,balanced,strict', stuck]],
    ['policies-many', ['--policy', 'permissive,strict', stuck, join(root, 'testdata/golden')]],
    ['policies-attack', ['--policy', 'balanced,strict', attack]], ['contexts-attack', ['--context', 'codex,none', attack]]];
  for (const { name, path } of sessions.slice(4)) replays.push([name + '-contexts', ['--context', 'claude-code,codex,none', path]]);
  for (const [name, args] of replays) {
    const file = join(work, `replay-${name}.html`);
    const run = spawnSync(program, ['replay', '-f', 'html', ...args], { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
    check(`replay ${name}: a page`, run.stdout.length > 1000, `exit ${run.status}`);
    writeFileSync(file, run.stdout);
    const loaded = await checkReport(browser, `replay-${name}`, file);
    check(`replay ${name}: loads in 1500 ms`, loaded < 1500, `${loaded.toFixed(0)} ms`);
    console.log(`${('replay ' + name).padEnd(44)} ${(run.stdout.length / 1000).toFixed(0).padStart(6)} kB  loaded in ${loaded.toFixed(0)} ms`);
  }
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
