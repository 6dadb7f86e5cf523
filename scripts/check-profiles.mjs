// See check-profiles.sh. Own generator, own driver; the detectors are the published ones.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const options = { peers: '.', program: 'agent-audit', sessions: '1200', seed: '1', keep: '' };
for (let i = 2; i + 1 < process.argv.length; i += 2) options[process.argv[i].replace(/^--/, '')] = process.argv[i + 1];
const modules = join(options.peers, 'node_modules');

// ---- sessions ----------------------------------------------------------------------------------------------------

class Random {
  constructor(seed) { this.state = seed >>> 0; }
  next() {  // mulberry32
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  below(n) { return Math.floor(this.next() * n); }
  from(low, high) { return low + this.below(high - low + 1); }
  pick(list) { return list[this.below(list.length)]; }
  chance(p) { return this.next() < p; }
}

// JSON text of a value with the freedoms that writers of JSON take: order of keys, spelling of numbers and strings.
function spelled(r, value, shuffle) {
  if (typeof value === 'number') return r.chance(0.2) && Number.isInteger(value) ? r.pick([`${value}.0`, `${value}e0`]) : `${value}`;
  if (typeof value === 'string' && r.chance(0.1)) {
    return '"' + [...value].map((c) => (/[a-z]/.test(c) && r.chance(0.3) ? '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0') : JSON.stringify(c).slice(1, -1))).join('') + '"';
  }
  if (Array.isArray(value)) return '[' + value.map((v) => spelled(r, v, shuffle)).join(',') + ']';
  if (value && typeof value === 'object') {
    const keys = Object.keys(value);
    if (shuffle) keys.sort(() => r.next() - 0.5);
    return '{' + keys.map((k) => JSON.stringify(k) + ':' + spelled(r, value[k], shuffle)).join(r.pick([',', ', '])) + '}';
  }
  return JSON.stringify(value);
}

const kTools = ['read_file', 'read', 'edit', 'replace', 'write', 'grep_search', 'search_file_content', 'list_directory',
  'web_fetch', 'process', 'command_status', 'task_list', 'message', 'exec', 'bash', 'run_shell_command', 'zoom_image', 'review'];
const kGit = ['git status', 'git status -s && git diff', 'git diff HEAD~1', 'git ls-files | git status', 'git -C /repo status',
  'git --no-pager diff --stat', 'git diff -- src/a.ts', 'git diff main..topic', 'git diff src', 'git log', 'git status; ls',
  'GIT status', 'git diff-index HEAD', 'git  -C  x  --no-pager  diff @~2', 'git statusx', 'git diff --', 'git diff 0123abc'];
const kSayings = ['ok', 'let me look at it again', 'The file is fine.', 'Trying the other way round now, it should work.'];

function arguments_of(r, tool, salt) {
  if (tool === 'exec' || tool === 'bash') return { command: `make step${salt % 7}`, timeout: 30 };
  if (tool === 'run_shell_command') return { command: r.chance(0.7) ? kGit[salt % kGit.length] : `npm test -- ${salt % 5}` };
  if (tool === 'process') return { action: ['poll', 'log', 'kill'][salt % 3], session: `p${salt % 2}` };
  if (tool === 'message') return { action: 'list', to: `#${salt % 3}` };
  return { path: `src/f${salt % 11}.ts`, offset: salt % 4, options: { deep: salt % 2 === 0, 10: 'x', 2: 'y' }, tags: ['a', salt % 3] };
}

// Sessions about one thing, so that the rules that general ones rarely reach are reached as well.
const kThemes = {
  git: (r) => ({ letters: Array.from({ length: 6 }, () => ({ name: 'run_shell_command', args: { command: r.pick(r.chance(0.7) ? kGit.slice(0, 6) : kGit) } })), talk: 0 }),
  failing: (r) => ({ letters: Array.from({ length: r.from(1, 5) }, (_, i) => ({ name: r.pick(['exec', 'bash']), args: { command: `make ${i}` } })), mood: r.pick(['volatile', 'silent', 'error']), talk: 0 }),
  board: (r) => ({ letters: [{ name: 'task_list', args: {} }, ...(r.chance(0.5) ? [{ name: 'task_list', args: { open: true } }, { name: 'edit', args: { path: 'a' } }] : [])], mood: r.pick(['same', 'new']), mix: r.pick([0, 0.1, 0.3]), talk: 0 }),
  missing: (r) => ({ letters: [{ name: 'serach', args: {} }, { name: 'serach', args: { q: 1 } }, { name: 'serach', args: { q: 2 } }].slice(0, r.from(1, 3)), mood: r.pick(['missing', 'error']), mix: r.pick([0, 0, 0.05]), talk: 0 }),
  variety: (r) => ({ letters: Array.from({ length: 60 }, (_, i) => ({ name: r.pick(r.chance(0.5) ? ['read_file', 'list_issues', 'zoom_image', 'edit'] : ['edit']), args: { path: `f${i}` } })), talk: 0 }),
  thoughts: (r) => ({ letters: Array.from({ length: 40 }, (_, i) => ({ name: `t${i}`, args: {} })), talk: 0.9, think: true, phrases: [' Once more: ' + words(r, r.pick([5, 300])), 'ONCE more'] }),
};

// A small alphabet of calls, some of them through qwen's bridge.
function alphabet(r, size) {
  const letters = [];
  for (let i = 0; i < size; ++i) {
    const tool = r.pick(kTools);
    const args = arguments_of(r, tool, r.below(40));
    letters.push(r.chance(0.06) ? { name: 'tool_call', args: { name: r.pick([tool, tool.toUpperCase()]), arguments: r.chance(0.8) ? args : JSON.stringify(args) } } : { name: tool, args });
  }
  return letters;
}

// What a call comes back with: always the same, something new, an error, or the same but for times and numbers.
function answer(r, mood, call, n) {
  const shell = call.name === 'exec' || call.name === 'bash';
  const clock = `2026-03-0${1 + (n % 9)} 1${n % 10}:0${n % 6}:2${n % 10}`;
  const volatile_text = `${clock} attempt ${n} failed after ${n}.5 ms (pid ${1000 + n}): no such target`;
  if (mood === 'missing') return { error: r.pick([`Unknown tool: ${call.name}`, `tool "${call.name}" not found`, `Tool ${call.name} is not available`]) };
  if (mood === 'error') return shell ? { text: 'make: *** no rule', exit: 2 } : { error: `cannot do it: ${call.name}` };
  if (mood === 'volatile') return shell ? { text: volatile_text, exit: 2 } : { text: volatile_text };
  if (mood === 'new') return shell ? { text: `line ${n}`, exit: n % 3 } : { text: `line ${n}` };
  if (mood === 'silent') return shell ? { text: r.pick(['', `(Command exited with code 3)`]), exit: 3 } : { text: '' };
  if (mood === 'running') return shell || call.name === 'process' ? { text: 'still at it', running: true } : { text: 'still at it' };
  if (mood === 'wrapped') return { text: `<<<EXTERNAL_UNTRUSTED_CONTENT id="${(0x1000000000000000n + BigInt(n)).toString(16)}">>>same<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${(0x1000000000000000n + BigInt(n)).toString(16)}">>>`, exit: shell ? 0 : undefined };
  return shell ? { text: 'done', exit: 0 } : { text: 'done' };
}
const kMoods = ['same', 'new', 'error', 'missing', 'volatile', 'silent', 'running', 'wrapped'];

function words(r, length) {
  let out = '';
  while (out.length < length) out += r.pick(['the ', 'a ', 'file ', 'still ', 'fails ', 'once ', 'more, ', 'so ', 'I ', 'look; ', 'é ', '\u{1f600} ', 'x', '\u4f60\u597d ']);
  return out.slice(0, length).replace(/[\ud800-\udbff]$/, '.');
}

function speech(r) {
  const unit = words(r, r.pick([5, 20, 49, 50, 51, 74, 75, 76, 120, 249, 250, 251, 300, 600, 1100]));
  const kind = r.below(10);
  if (kind === 0) return words(r, r.from(1, 6000));
  if (kind === 1) return unit.repeat(r.from(2, 30)) + words(r, 40);
  if (kind === 2) return Array.from({ length: r.from(5, 40) }, (_, i) => unit + (r.chance(0.5) ? i : '')).join('');
  if (kind === 3) return Array.from({ length: r.from(5, 60) }, () => r.pick(['- ', '* ', '+ ', '1. ']) + unit).join('\n');
  if (kind === 4) return r.pick(['```\n', '````', '# head\n', '> quote\n', '| a | b |\n', '---\n', '+-+-+\n', '   - x\n', '\n\n \t- ']) + unit.repeat(r.from(1, 20));
  if (kind === 5) return r.pick(['====', '----', '****', '____', 'AAAA_BBB', '123456', '\u2500\u2500\u2500', '-+=*']).repeat(r.from(1, 30));
  if (kind === 6) return '```' + unit.repeat(12) + '```' + (r.chance(0.5) ? '```' : '');
  if (kind === 7) return unit;
  if (kind === 8) return `${unit}\n`.repeat(r.from(3, 25));
  return r.pick(kSayings);
}

// Each plan writes calls in its own way: random, a planted cycle with noise, or a long productive turn.
function letter_stream(r, letters) {
  const plan = letters.length > 20 ? 0 : r.below(6);
  if (plan === 0) return () => r.pick(letters);
  if (plan === 5) {
    let n = 0;
    return () => (r.chance(0.04) ? letters[0] : { name: r.pick(['edit', 'read', 'web_fetch']), args: { path: `f${n++}` } });
  }
  const period = r.from(1, 8);
  const noise = r.pick([0, 0, 0, 0.03, 0.1, 0.25]);
  const round = Array.from({ length: period }, () => r.pick(letters));
  let at = 0;
  return () => (r.chance(noise) ? r.pick(letters) : round[at++ % period]);
}

function session(seed) {
  const r = new Random(seed);
  const theme = r.chance(0.4) ? r.pick(Object.values(kThemes))(r) : {};
  const letters = theme.letters ?? alphabet(r, r.pick([1, 2, 2, 3, 4, 6, 10]));
  const next = letter_stream(r, letters);
  const shuffle = r.chance(0.3);
  const talk = theme.talk ?? r.pick([0, 0, 0, 0.1, 0.4, 0.9]);
  const interrupt = r.pick([0, 0, 0, 0.02, 0.08]);
  const mood = theme.mood ?? r.pick(kMoods);
  const mix = theme.mix ?? r.pick([0, 0, 0.1, 0.4]);
  const fan_out = r.pick([0, 0, 0, 0.2]);
  const steps = r.chance(0.02) ? 1100 : r.pick([8, 20, 35, 60, 60, 130]);
  const phrases = theme.phrases ?? Array.from({ length: 2 }, () => speech(r));
  const events = [{ kind: 'user', text: 'please do it' }];
  let calls = 0;
  for (let step = 0; step < steps; ++step) {
    if (r.chance(interrupt)) events.push(r.chance(0.5) ? { kind: 'user', text: `go on ${step}` } : { kind: 'compaction' });
    while (r.chance(talk * 0.7)) {
      const text = r.chance(theme.think ? 0.9 : 0.5) ? r.pick(phrases) : speech(r);
      if (text) events.push({ kind: theme.think || r.chance(0.3) ? 'think' : 'text', text });
    }
    if (talk === 0.9 && r.chance(0.5)) continue;
    const batch = [];
    for (let n = r.chance(fan_out) ? r.from(2, 4) : 1; n > 0; --n) {
      const letter = next();
      batch.push({ kind: 'call', id: `c${++calls}`, name: letter.name, raw: spelled(r, letter.args, shuffle) });
    }
    events.push(...batch);
    for (const call of batch) {
      if (r.chance(0.01)) continue;  // no answer was recorded
      const how = r.chance(mix) ? r.pick(kMoods) : mood;
      events.push({ kind: 'result', id: call.id, name: call.name, raw: call.raw, ...answer(r, how, call, events.length) });
    }
  }
  return events;
}

// ---- recordings --------------------------------------------------------------------------------------------------

const quoted = JSON.stringify;

// pi's session format, one event a line: line 1 is the header, so event i is on line i + 2.
function recording(events, name) {
  const time = (i) => new Date(Date.UTC(2026, 2, 2, 10, 0, i)).toISOString();
  const lines = [quoted({ type: 'session', version: 3, id: name, timestamp: time(0), cwd: '/p' })];
  events.forEach((event, i) => {
    const head = `"id":"e${i}","parentId":${i ? quoted(`e${i - 1}`) : null},"timestamp":${quoted(time(i))}`;
    const message = (body) => lines.push(`{"type":"message",${head},"message":${body}}`);
    const assistant = (block) => message(`{"role":"assistant","content":[${block}],"stopReason":"stop"}`);
    if (event.kind === 'user') message(quoted({ role: 'user', content: event.text }));
    if (event.kind === 'text') assistant(quoted({ type: 'text', text: event.text }));
    if (event.kind === 'think') assistant(quoted({ type: 'thinking', thinking: event.text }));
    if (event.kind === 'call') assistant(`{"type":"toolCall","id":${quoted(event.id)},"name":${quoted(event.name)},"arguments":${event.raw}}`);
    if (event.kind === 'result') {
      const details = event.running ? { status: 'running' } : event.exit === undefined ? {} : { status: event.exit ? 'failed' : 'completed', exitCode: event.exit };
      message(quoted({ role: 'toolResult', toolCallId: event.id, toolName: event.name, content: [{ type: 'text', text: event.error ?? event.text }], details, isError: event.error !== undefined }));
    }
    if (event.kind === 'compaction') lines.push(`{"type":"compaction",${head},"summary":"so far","firstKeptEntryId":"e0","tokensBefore":9}`);
  });
  return lines.join('\n') + '\n';
}

// ---- the published detectors ---------------------------------------------------------------------------------------
// Each driver: async (events) -> {warned, stopped}, the first lines.

const version_of = (name) => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version;
const load = (path) => import(pathToFileURL(path).href);

async function gemini() {
  const { LoopDetectionService } = await load(join(modules, '@google/gemini-cli-core/dist/src/services/loopDetectionService.js'));
  const config = new Proxy({}, { get: (_, key) => () => (key === 'getSessionId' ? 's' : false) });
  return {
    'gemini-cli': (events) => {
      const service = new LoopDetectionService({ config });
      const seen = {};
      events.forEach((event, i) => {
        if (seen.stopped) return;
        if (event.kind === 'user') return service.reset(`p${i}`);
        let result = { count: 0 };
        if (event.kind === 'call') result = service.addAndCheck({ type: 'tool_call_request', value: { name: event.name, args: JSON.parse(event.raw) } });
        if (event.kind === 'text') result = service.addAndCheck({ type: 'content', value: event.text });
        if (result.count === 0) return;
        if (result.count === 1) seen.warned ??= i + 2;
        else seen.stopped = i + 2;
        service.clearDetection();  // as the client does before it tells the model
      });
      return seen;
    },
  };
}

// The service is not exported: its source is cut out of the bundle, between the comments that name the modules.
async function qwen() {
  const chunks = join(modules, '@qwen-code/qwen-code/chunks');
  const files = readdirSync(chunks).filter((f) => f.endsWith('.js'));
  const text = Object.fromEntries(files.map((f) => [f, readFileSync(join(chunks, f), 'utf8')]));
  const home = files.find((f) => text[f].includes('var LoopDetectionService = class'));
  const part = (module) => {
    const from = text[home].indexOf(`// packages/core/src/${module}`);
    const to = text[home].indexOf('\n// packages/', from + 10);
    if (from < 0 || to < 0) throw new Error(`no ${module} in ${home}`);
    return text[home].slice(from, to);
  };
  const constant = (name) => {
    for (const f of files) {
      const found = text[f].match(new RegExp(`^var ${name} = (.+);$`, 'm'));
      if (found) return `var ${name} = ${found[1]};\n`;
    }
    throw new Error(`no ${name}`);
  };
  const names = files.find((f) => /^function canonicalToolName\(/m.test(text[f]));
  const cut = (from, to) => text[names].slice(text[names].indexOf(from), text[names].indexOf(to));
  let source = part('tools/tool-call-repeat-key.ts') + part('services/loopDetectionService.ts');
  source = source.replace(/^import \{ createHash as (\w+) \} from "node:crypto";$/gm, 'var $1 = createHash;').replace(/^init_esbuild_shims\(\);$/gm, '');
  source = 'var __name = (f) => f; class LoopDetectedEvent {} class LoopDetectionDisabledEvent {}\n' +
    'function logLoopDetected() {} function logLoopDetectionDisabled() {}\n' +
    ['PREVIEW_SIZE_CHARS', 'FULL_OUTPUT_DIGEST_LABEL', 'TOOL_OUTPUT_TRUNCATED_PREFIX'].map(constant).join('') +
    cut('var ToolNames = {', 'var ToolDisplayNames = {') + cut('var ToolNamesMigration = {', '__name(canonicalToolName') + source + '\nreturn LoopDetectionService;';
  const LoopDetectionService = new Function('createHash', source)(createHash);
  const driver = (heuristics) => (events) => {
    const service = new LoopDetectionService({ getSkipLoopDetection: () => !heuristics, getMaxToolCallsPerTurn: () => 100, isMaxToolCallsPerTurnExplicit: () => false, getDebugLogger: () => ({ debug() {} }) });
    const seen = {};
    events.forEach((event, i) => {
      if (seen.stopped) return;
      if (event.kind === 'user') return service.reset(`p${i}`);
      let fired = false;
      const check = (e) => service.checkAlwaysOnSafeties(e) || (heuristics && service.addAndCheckHeuristicLoops(e));
      if (event.kind === 'call') fired = check({ type: 'tool_call_request', value: { callId: event.id, name: event.name, args: JSON.parse(event.raw) } });
      if (event.kind === 'text') fired = check({ type: 'content', value: event.text });
      if (event.kind === 'think') fired = check({ type: 'thought', value: { subject: '', description: event.text } });
      if (event.kind === 'result') fired = service.recordToolResultByCallId(event.id, [{ functionResponse: { response: { output: event.error ?? event.text } } }]);
      if (fired) seen.stopped = i + 2;
    });
    return seen;
  };
  return { 'qwen-code': driver(false), 'qwen-code+heuristics': driver(true) };
}

async function openclaw() {
  const dist = join(modules, 'openclaw/dist');
  const file = (start, holds) => readdirSync(dist).find((f) => f.startsWith(start) && f.endsWith('.mjs') && readFileSync(join(dist, f), 'utf8').includes(holds));
  const exported = async (start, names) => {
    const at = file(start, `function ${names[0]}`);
    const module = await load(join(dist, at));
    const list = readFileSync(join(dist, at), 'utf8').match(/export \{([^}]*)\}/)[1];
    return names.map((n) => module[list.match(new RegExp(`\\b${n} as (\\w+)`))?.[1] ?? n]);
  };
  const [detect, record, outcome] = await exported('tool-loop-detection-', ['detectToolCallLoop', 'recordToolCall', 'recordToolCallOutcome']);
  const [policy_name] = await exported('tool-policy-shared-', ['normalizeToolPolicyName']);
  // The guard is private to the runner's bundle: cut out between the comments that name the module and its error class.
  const runner = readFileSync(join(dist, file('embedded-agent-', 'function createPostCompactionLoopGuard')), 'utf8');
  const from = runner.indexOf('//#region src/agents/embedded-agent-runner/post-compaction-loop-guard.ts');
  const to = runner.indexOf('/** Error raised when the post-compaction', from);
  const source = runner.slice(from, to).replace(/^const log = .*$/m, 'const log = { info() {}, error() {} };');
  const make_guard = new Function(`${source}\nreturn createPostCompactionLoopGuard;`)();

  const config = { enabled: true };
  const result_of = (event, tool) => {
    const content = [{ type: 'text', text: event.text }];
    if (tool !== 'exec' && tool !== 'process') return { content, details: {} };
    if (event.running) return { content, details: { status: 'running', tail: event.text } };
    if (event.exit === undefined) return { content, details: {} };
    return { content, details: { status: event.exit ? 'failed' : 'completed', exitCode: event.exit, aggregated: event.text } };
  };
  return {
    openclaw: (events) => {
      const state = {};
      let run = 'r0';
      let guard = make_guard({ enabled: true });
      const seen = {};
      events.forEach((event, i) => {
        if (seen.stopped) return;
        if (event.kind === 'user') {
          run = `r${i}`;
          guard = make_guard({ enabled: true });
        }
        if (event.kind === 'compaction') guard.armPostCompaction();
        if (event.kind === 'call') {
          const tool = policy_name(event.name);
          const args = JSON.parse(event.raw);
          const verdict = detect(state, tool, args, config, { runId: run });
          if (verdict.stuck && verdict.level === 'critical') seen.stopped = i + 2;
          else if (verdict.stuck) seen.warned ??= i + 2;
          record(state, tool, args, event.id, config, { runId: run });
        }
        if (event.kind === 'result') {
          const tool = policy_name(event.name);
          const known = outcome(state, { toolName: tool, toolParams: JSON.parse(event.raw), toolCallId: event.id, runId: run, config,
            ...(event.error !== undefined ? { error: new Error(event.error) } : { result: result_of(event, tool) }) });
          if (known?.resultHash && guard.observe(known).shouldAbort) seen.stopped = i + 2;
        }
      });
      return seen;
    },
  };
}

// ---- comparison ----------------------------------------------------------------------------------------------------

const kPeers = [['@google/gemini-cli-core', gemini], ['@qwen-code/qwen-code', qwen], ['openclaw', openclaw]];

// Detectors log what they find; the verdicts are all we want to hear.
const quietly = (what) => {
  const write = process.stdout.write, complain = process.stderr.write;
  process.stdout.write = process.stderr.write = () => true;
  try {
    return what();
  } finally {
    process.stdout.write = write;
    process.stderr.write = complain;
  }
};

async function main() {
  const drivers = {};
  for (const [name, make] of kPeers) {
    if (!existsSync(join(modules, name))) {
      console.log(`skipped  ${name}: not installed`);
      continue;
    }
    for (const [profile, drive] of Object.entries(await make())) drivers[profile] = { drive, from: `${name} ${version_of(name)}` };
  }
  const profiles = Object.keys(drivers);
  if (profiles.length === 0) process.exit(0);

  const folder = options.keep || mkdtempSync(join(tmpdir(), 'check-profiles-'));
  mkdirSync(folder, { recursive: true });
  const all = new Map();
  for (let n = 0; n < Number(options.sessions); ++n) {
    const name = `s${String(n).padStart(5, '0')}.jsonl`;
    const events = session(Number(options.seed) * 1_000_003 + n);
    all.set(name, events);
    writeFileSync(join(folder, name), recording(events, name));
  }
  const out = execFileSync(options.program, ['scan', '--as', profiles.join(','), '--input-format', 'pi', '-f', 'json', '--exit-zero', folder], { maxBuffer: 1 << 30 });
  const report = JSON.parse(out);
  if (report.sessions.length !== all.size) throw new Error(`${all.size} sessions written, ${report.sessions.length} read`);

  let different = 0;
  for (const profile of profiles) {
    const count = { equal: 0, warned: 0, stopped: 0, silent: 0 };
    const wrong = [];
    const rules = {};
    for (const read of report.sessions) {
      const name = read.path.split('/').pop();
      const ours = read.peers.find((p) => p.profile === profile);
      const theirs = quietly(() => drivers[profile].drive(all.get(name)));
      for (const reaction of [ours.warned, ours.stopped]) if (reaction) rules[reaction.rule] = (rules[reaction.rule] ?? 0) + 1;
      count.warned += theirs.warned !== undefined;
      count.stopped += theirs.stopped !== undefined;
      count.silent += theirs.warned === undefined && theirs.stopped === undefined;
      if (ours.warned?.line === theirs.warned && ours.stopped?.line === theirs.stopped) ++count.equal;
      else wrong.push(`  ${name}: theirs warn ${theirs.warned} stop ${theirs.stopped}, ours warn ${ours.warned?.line} (${ours.warned?.rule}) stop ${ours.stopped?.line} (${ours.stopped?.rule})`);
    }
    different += wrong.length;
    console.log(`${wrong.length ? 'DIFFERENT' : 'equal'}  ${profile}: ${count.equal} of ${report.sessions.length} sessions ` +
      `(${count.warned} warned, ${count.stopped} stopped, ${count.silent} silent), ${drivers[profile].from}`);
    console.log('    ' + Object.entries(rules).map(([rule, n]) => `${rule}: ${n}`).sort().join(', '));
    for (const line of wrong.slice(0, 10)) console.log(line);
  }
  if (!options.keep) rmSync(folder, { recursive: true });
  process.exit(different ? 1 : 0);
}

await main();
