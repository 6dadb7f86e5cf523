// See check-contexts.sh. Own generator, own driver; the answers are those of the published functions.
import { spawnSync } from 'node:child_process';
import fs, { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const options = { peers: '.', judge: 'context_conformance', cases: '200', seed: '1', keep: '', kinds: '' };
for (let i = 2; i + 1 < process.argv.length; i += 2) options[process.argv[i].replace(/^--/, '')] = process.argv[i + 1];
const modules = join(options.peers, 'node_modules');
Date.now = () => 0;  // a missing result that a peer makes up has the time of its making

// ---- the peers ---------------------------------------------------------------------------------------------------

const absent = [];
async function peer(name, load) {
  try {
    return await load();
  } catch (error) {
    absent.push(`${name} (${String(error.message ?? error).split('\n')[0].slice(0, 90)})`);
    return undefined;
  }
}
const load = (...path) => import(pathToFileURL(join(modules, ...path)));

// Bundles name their files by their contents and their exports by letters: both are found by the functions' names.
function bundle(folder) {
  const files = readdirSync(folder).filter((name) => /\.m?js$/.test(name)).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  const declares = (text, name) => text.includes(`\nfunction ${name}(`);
  const file_of = (name) => {
    const found = files.find(([, text]) => declares(text, name));
    if (!found) throw new Error(`no ${name}`);
    return found;
  };
  return {
    async functions(...names) {
      const out = {};
      for (const name of names) {
        const [file, text] = file_of(name);
        const exported = await import(pathToFileURL(join(folder, file)));
        out[name] = Object.values(exported).find((value) => typeof value === 'function' && value.name === name)
          ?? new Function('SESSION_HISTORY_PRELUDE', `${['isSessionHistoryPrelude', name].map((one) => source(text, one)).join('')} return ${name}`)(Symbol());
      }
      return out;
    },
    region(name) {  // everything between the two marks around the source file that declares it
      const [, text] = file_of(name);
      const at = text.indexOf(`\nfunction ${name}(`);
      return text.slice(text.lastIndexOf('//#region', at), text.indexOf('//#endregion', at)).replace(/^const \S+ = createSubsystemLogger.*$/m, '');
    },
  };
}
function source(text, name) {
  const at = text.indexOf(`\nfunction ${name}(`);
  return at < 0 ? '' : text.slice(at, text.indexOf('\n}\n', at) + 3);
}

const pi_old = await peer('pi 0.73', () => load('@mariozechner/pi-coding-agent/dist/core/compaction/compaction.js'));
const pi_new = await peer('pi 0.87', () => load('@earendil-works/pi-coding-agent/dist/core/compaction/compaction.js'));
const claw_bundle = await peer('openclaw', () => bundle(join(modules, 'openclaw/dist')));
const claw = claw_bundle && await peer('openclaw', () => claw_bundle.functions('pruneExpiredCacheTtlToolResults',
  'resolveCacheTtlPruningSettings', 'truncateToolResultText', 'truncateToolResultMessage', 'truncateOversizedToolResultsInMessages',
  'resolveLiveToolResultMaxChars', 'createToolResultPromptProjectionState', 'repairToolUseResultPairing', 'limitHistoryTurns',
  'estimateStringChars', 'estimateMessagesTokens', 'computeAdaptiveChunkRatio', 'buildStageSplitPlan', 'findCutPoint', 'prepareCompaction',
  'estimateContextTokens', 'estimateTokens', 'shouldCompact'));
const claw_precheck = claw_bundle && await peer('openclaw precheck', () => claw_bundle.functions('shouldPreemptivelyCompactBeforePrompt'));
const claw_overflow = claw_bundle && await peer('openclaw overflow', () => claw_bundle.functions('isLikelyContextOverflowError'));
const cline = await peer('cline', () => load('@cline/core/dist/index.js'));
const pi_overflow = await peer('pi overflow', () => load('@earendil-works/pi-ai/dist/utils/overflow.js'));
const gemini = await peer('gemini-cli', async () => ({
  ...await load('@google/gemini-cli-core/dist/src/context/chatCompressionService.js'),
  ...await load('@google/gemini-cli-core/dist/src/context/toolOutputMaskingService.js'),
  ...await load('@google/gemini-cli-core/dist/src/utils/environmentContext.js'),
  ...await load('@google/gemini-cli-core/dist/src/utils/tokenCalculation.js'),
  ...await load('@google/gemini-cli-core/dist/src/utils/fileUtils.js'),
  ...await load('@google/gemini-cli-core/dist/src/core/turn.js'),
}));
const claw_old = await peer('openclaw 2026.3', () => {
  const dist = bundle(join(modules, 'openclaw-2026.3.2/dist'));
  const wanted = ['repairToolUseResultPairing', 'splitMessagesByTokenShare', 'truncateToolResultText', 'makeToolPrunablePredicate',
    'pruneContextMessages', 'computeEffectiveSettings', 'limitHistoryTurns', 'extractToolCallsFromAssistant', 'compileGlobPatterns',
    'estimateMessageCharsCached', 'installToolResultContextGuard'];
  return new Function('estimateTokens', 'log$3', `${wanted.map((name) => dist.region(name)).join('\n')}
    return { repairToolUseResultPairing, splitMessagesByTokenShare, computeAdaptiveChunkRatio, estimateMessagesTokens, truncateToolResultText,
      calculateMaxToolResultChars, truncateToolResultMessage, pruneContextMessages, computeEffectiveSettings, limitHistoryTurns,
      installToolResultContextGuard };`)(pi_old.estimateTokens, { info() {}, warn() {} });
});

// ---- what they answer --------------------------------------------------------------------------------------------

const places = (all, part) => part.map((one) => all.indexOf(one));
const changed = (before, after) => after.flatMap((one, at) => (one === before[at] ? [] : [at]));
const text_options = (input) => (input.suffix === undefined ? {} : { suffix: input.suffix });
const repaired = ({ messages, added, droppedDuplicateCount, droppedOrphanCount, moved }) =>
  ({ messages, added: added.length, droppedDuplicateCount, droppedOrphanCount, moved });

function guarded(input) {  // the guard edits in place, before the promise it returns is awaited
  const agent = {}, messages = structuredClone(input.messages);
  claw_old.installToolResultContextGuard({ agent, contextWindowTokens: input.contextWindowTokens });
  agent.transformContext(messages);
  return messages;
}
function entries_of(input, name) {
  return input.entries ?? input.messages.map((message, at) => ({ type: 'message', id: name + at, parentId: at ? name + (at - 1) : null,
    timestamp: new Date(message.timestamp ?? 0).toISOString(), message }));
}
function prepared(prepare, defaults, input) {
  const entries = entries_of(input, 'm');
  let found = prepare(entries, { ...defaults, ...input.settings });
  if (found && 'ok' in found) found = found.ok ? found.value : undefined;
  if (!found) return { prepared: null };
  const words = (entry) => JSON.stringify(entry.type === 'custom_message' ? entry.content : entry.summary);
  const place = (message) => {
    const same = entries.findIndex((entry) => entry.message === message);
    return same >= 0 ? same : entries.findIndex((entry) => entry.type !== 'message' && words(entry) === JSON.stringify(message.content ?? message.summary));
  };
  const { read, written, edited } = found.fileOps;
  return { prepared: { firstKeptEntryId: found.firstKeptEntryId, summarize: found.messagesToSummarize.map(place),
    turnPrefix: found.turnPrefixMessages.map(place), isSplitTurn: found.isSplitTurn, tokensBefore: found.tokensBefore,
    previousSummary: found.previousSummary ?? null, fileOps: { read: [...read], written: [...written], edited: [...edited] } } };
}
const pi_answers = (pi, defaults) => pi && ((input) => {
  if (input.op === 'prepare') return prepared(pi.prepareCompaction, defaults, input);
  if (input.op !== 'tokens') return pi.findCutPoint(entries_of(input, 'e'), 0, input.messages.length, input.keepRecentTokens);
  const context = pi.estimateContextTokens(input.messages);
  return { context, each: input.messages.map(pi.estimateTokens), shouldCompact: pi.shouldCompact(context.tokens, input.contextWindow, { ...defaults, ...input.settings }) };
});

// Gemini CLI as it is embedded: a chat that holds a history, a model that says what the case says, and no disk. What it
// would save has the name OUT. What it tells a new chat of the machine is filled up to whole tokens.
process.env.GEMINI_CLI_HOME = mkdtempSync(join(tmpdir(), 'check-contexts-home-'));  // else the person's
process.on('exit', () => rmSync(process.env.GEMINI_CLI_HOME, { recursive: true }));
console.debug = () => {};  // it tells of what it could not save
const gemini_host = (input, said = []) => ({
  getToolOutputMaskingConfig: async () => ({ protectionThresholdTokens: 50000, minPrunableThresholdTokens: 30000, protectLatestTurn: true, ...input }),
  getSessionId: () => 's', getUsageStatisticsEnabled: () => false, getHookSystem: () => undefined, getExperiments: () => undefined,
  getContentGeneratorConfig: () => undefined, isInteractive: () => false, getCompressionThreshold: async () => input.threshold,
  getTruncateToolOutputThreshold: () => input.truncateToolOutputThreshold ?? 40000, getNextCompressionTruncationId: () => 1,
  storage: { getProjectTempDir: () => '/t' }, getIncludeDirectoryTree: () => false,
  getSessionMemory: () => ' '.repeat(input.padding ?? 0) + '.', config: { getActiveModel: () => 'gemini-2.5-pro', getApprovedPlanPath: () => undefined },
  getContentGenerator: () => ({ countTokens: async () => { throw new Error('no service'); } }),
  getBaseLlmClient: () => ({ generateContent: async (asked) => {
    said.push(asked);
    const text = said.length === 1 ? input.summary : input.verified;
    return { candidates: text === undefined ? [] : [{ content: { parts: [{ text: 'thinking', thought: true }, { text }] } }] };
  } }),
});
async function without_disk(work) {
  const kept = [path.join, fs.promises.mkdir, fs.promises.writeFile];
  path.join = (...parts) => (String(parts.at(-1)).endsWith('.txt') ? 'OUT' : kept[0](...parts));
  fs.promises.mkdir = async () => undefined;
  fs.promises.writeFile = async (name, words) => { if (typeof words !== 'string') throw new TypeError('nothing to write'); };
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    [path.join, fs.promises.mkdir, fs.promises.writeFile] = kept;
    syncBuiltinESMExports();
  }
}
const told_of_the_machine = async (padding) => (await gemini.getInitialChatHistory(gemini_host({ padding }), []))[0].content.parts[0].text.length;
const gemini_padding = gemini && 4 - (await told_of_the_machine(0)) % 4;
const gemini_environment = gemini && (await told_of_the_machine(gemini_padding)) / 4;
const gemini_mask = (input) => without_disk(async () => {
  const done = await new gemini.ToolOutputMaskingService().mask(input.contents, gemini_host(input));
  return { maskedCount: done.maskedCount, tokensSaved: done.tokensSaved, history: done.newHistory };
});
const gemini_compress = (input) => without_disk(async () => {
  const said = [], chat = { getHistory: () => input.contents, getLastPromptTokenCount: () => input.lastPromptTokens };
  const { newHistory, info } = await new gemini.ChatCompressionService().compress(chat, 'p', input.force ?? false, input.model ?? 'gemini-2.5-pro',
    gemini_host({ ...input, padding: gemini_padding }, said), input.hasFailedCompressionAttempt ?? false);
  return { status: gemini.CompressionStatus[info.compressionStatus], llmCalls: said.length, newHistoryLength: newHistory?.length ?? null,
    originalTokenCount: info.originalTokenCount, newTokenCount: info.newTokenCount, history: newHistory,
    ...(said.length > 0 ? { summarised: said[0].contents.length - 1, readsOriginal: said[0].contents[0] === input.contents[0] } : {}) };
});

// Cline's runtime when the provider refuses a prompt (`overflow`), or would take it while the plain strategy is on. A
// message of ours is one of its own: a result alone in a message of the user.
const cline_block = (part) => part.type === 'toolCall' ? { type: 'tool_use', id: part.id, name: part.name, input: part.arguments }
  : part.type === 'thinking' ? { type: 'thinking', thinking: part.thinking, signature: part.thinkingSignature } : { type: 'text', text: part.text };
const cline_message = (message) => message.role === 'toolResult' ? { role: 'user', content: [{ type: 'tool_result', tool_use_id: message.toolCallId, content: message.content }] }
  : { role: message.role, content: message.content.map(cline_block) };
function cline_words(message) {  // what is compared: who says what
  const words = (part) => part.text ?? part.thinking ?? part.id;
  const [first] = message.content;
  return first?.type === 'tool_result' ? ['result', first.tool_use_id, ...(Array.isArray(first.content) ? first.content.map(words) : [first.content])] : [message.role, ...message.content.map(words)];
}
async function cline_turn(input) {
  const compact = cline.createContextCompactionPrepareTurn({ providerId: 'p', modelId: 'm', compaction: { enabled: true, strategy: 'basic' } });
  const messages = input.messages.map(cline_message);
  let target = null;
  const done = await compact({ agentId: 'a', conversationId: 'c', parentAgentId: null, iteration: 1, messages, apiMessages: messages, abortSignal: new AbortController().signal, tools: [],
    systemPrompt: 's'.repeat(input.system), model: { id: 'm', provider: 'p', info: { contextWindow: input.contextWindowTokens, ...(input.maxTokens ? { maxTokens: input.maxTokens } : {}) } },
    overflowRecovery: input.overflow, emitStatusNotice: (words, told) => { if (told.phase === 'started') target = told; } });
  return { target, messages: done ? done.messages.map(cline_words) : null };
}
const kPiDefaults = { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 };

const answers = {
  openclaw_history_limit: {
    legacy: claw_old && ((input) => ({ kept: places(input.messages, claw_old.limitHistoryTurns(input.messages, input.limit)) })),
    current: claw && ((input) => ({ kept: places(input.messages, claw.limitHistoryTurns(input.messages, input.limit)) })),
  },
  openclaw_pairing_repair: {
    legacy: claw_old && ((input) => repaired(claw_old.repairToolUseResultPairing(input.messages))),
    current: claw && ((input) => repaired(claw.repairToolUseResultPairing(input.messages))),
  },
  openclaw_prune: {
    legacy: claw_old && ((input) => {
      const messages = claw_old.pruneContextMessages({ messages: input.messages, ctx: {}, contextWindowTokensOverride: input.contextWindowTokens,
        settings: claw_old.computeEffectiveSettings({ mode: 'cache-ttl', ...input.settings }) });
      return { changed: changed(input.messages, messages), messages };
    }),
    current: claw && ((input) => {
      if (Object.keys(input.settings ?? {}).some((key) => !['tools', 'hardClear'].includes(key))) return undefined;
      const messages = claw.pruneExpiredCacheTtlToolResults({ messages: input.messages, pruneNewRounds: true, lastCacheTouchAt: 1, now: 1e12,
        projectionState: claw.createToolResultPromptProjectionState(), contextWindowTokens: input.contextWindowTokens,
        settings: claw.resolveCacheTtlPruningSettings({ mode: 'cache-ttl', ...input.settings }) });
      const at = changed(input.messages, messages);
      return { changed: at, messages, pruned: at.length > 0 };
    }),
  },
  openclaw_truncate: {
    legacy: claw_old && ((input) => ({
      text: () => ({ text: claw_old.truncateToolResultText(input.text, input.maxChars, text_options(input)) }),
      limit: () => ({ maxChars: claw_old.calculateMaxToolResultChars(input.contextWindowTokens) }),
      message: () => ({ message: claw_old.truncateToolResultMessage(input.message, input.maxChars) }),
      session: () => ({ messages: guarded(input) }),
    })[input.op]()),
    current: claw && ((input) => ({
      text: () => ({ text: claw.truncateToolResultText(input.text, input.maxChars, text_options(input)) }),
      limit: () => ({ maxChars: claw.resolveLiveToolResultMaxChars({ contextWindowTokens: input.contextWindowTokens }) }),
      message: () => ({ message: claw.truncateToolResultMessage(input.message, input.maxChars) }),
      session: () => claw.truncateOversizedToolResultsInMessages(input.messages, input.contextWindowTokens),
    })[input.op]()),
  },
  openclaw_compaction_plan: {
    legacy: claw_old && ((input) => ({
      chars: () => ({ chars: input.text.length }),
      estimate: () => ({ tokens: claw_old.estimateMessagesTokens(input.messages), each: input.messages.map((one) => claw_old.estimateMessagesTokens([one])) }),
      ratio: () => ({ ratio: claw_old.computeAdaptiveChunkRatio(input.messages, input.contextWindowTokens) }),
      split: () => ({ chunks: claw_old.splitMessagesByTokenShare(input.messages, input.parts).map((part) => places(input.messages, part)) }),
      precheck: () => undefined,
    })[input.op]()),
    current: claw && ((input) => ({
      chars: () => ({ chars: claw.estimateStringChars(input.text) }),
      estimate: () => ({ tokens: claw.estimateMessagesTokens(input.messages), each: input.messages.map((one) => claw.estimateMessagesTokens([one])) }),
      ratio: () => ({ ratio: claw.computeAdaptiveChunkRatio(input.messages, input.contextWindowTokens) }),
      split: () => {
        const plan = claw.buildStageSplitPlan({ messages: input.messages, parts: input.parts, maxChunkTokens: 1 });
        return plan.chunks ? { mode: plan.mode, chunks: plan.chunks.map((part) => places(input.messages, part)) } : { mode: plan.mode };
      },
      precheck: () => claw_precheck && (({ route, shouldCompact, estimatedPromptTokens, pressureSource, promptBudgetBeforeReserve, overflowTokens,
        toolResultReducibleChars, effectiveReserveTokens }) => ({ route, shouldCompact, estimatedPromptTokens, pressureSource,
        promptBudgetBeforeReserve, overflowTokens, toolResultReducibleChars, effectiveReserveTokens }))(
        claw_precheck.shouldPreemptivelyCompactBeforePrompt({ messages: input.messages, systemPrompt: input.systemPrompt, prompt: input.prompt ?? '',
          contextTokenBudget: input.contextWindowTokens, reserveTokens: input.reserveTokens, toolSchemaTokens: input.toolSchemaTokens })),
    })[input.op]()),
  },
  pi_cutpoint: {
    pi: pi_answers(pi_old, pi_old?.DEFAULT_COMPACTION_SETTINGS),
    'pi-new': pi_answers(pi_new, pi_new?.DEFAULT_COMPACTION_SETTINGS),
    openclaw: pi_answers(claw, kPiDefaults),
  },
  gemini_compress: {
    peer: gemini && ((input) => ({
      split: () => ({ split: gemini.findCompressSplitPoint(input.contents, input.fraction) }),
      tokens: () => ({ tokens: gemini.estimateTokenCountSync(input.parts), each: input.parts.map((part) => gemini.estimateTokenCountSync([part])) }),
      truncate: () => ({ text: gemini.formatTruncatedToolOutput(input.text, 'OUT', input.maxChars) }),
      mask: () => gemini_mask(input),
      compress: () => gemini_compress(input),
    })[input.op]()),
  },
  cline_fold: { peer: cline && (async (input) => ({ messages: (await cline_turn(input)).messages })) },
  overflow_classify: {
    peer: pi_overflow && claw_overflow && ((input) => ({ rows: input.errors.map((error) => ({ error,
      pi: pi_overflow.isContextOverflow({ stopReason: 'error', errorMessage: error, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }),
      openclaw: Boolean(claw_overflow.isLikelyContextOverflowError(error)) })) })),
  },
};

// ---- histories ---------------------------------------------------------------------------------------------------

let state = BigInt(options.seed) * 0x9e3779b97f4a7c15n;
function chance() {  // splitmix64
  state = (state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
  let z = state;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
  return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
}
const from = (low, high) => low + Math.floor(chance() * (high - low + 1));
const pick = (list) => list[from(0, list.length - 1)];
const maybe = (share) => chance() < share;
const some = (most, make) => Array.from({ length: from(0, most) }, make);

// What programs that count, cut and pad are apt to get wrong.
const kBits = ['word ', 'line of text\n', 'x', '\u00e9', '\u6f22\u5b57', '\ud55c\uad6d\uc5b4', '\u{1f642}', '\t', '"q" \\ ', '0123456789', 'Error: failed\n', '}\n',
  '\u2028', 'a\r\n', '\u3000', '\u2026', '\uff71', '\u{20bb7}', '\u0001', 'e\u0301', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}', '\u0e01', '\n\n'];
const kEnds = ['Error: x failed', 'Exception in thread', 'total 5 summary', '}', 'Traceback (most recent call last)', 'exit code 1', 'done', 'fatal: no',
  'panic: stack trace', 'errno 2', 'result: ok', 'complete'];
const kSizes = [0, 1, 3, 10, 50, 200, 1000, 1999, 2000, 2001, 3999, 4000, 4001, 5000, 8000, 20000, 50000];
const any_size = () => pick([...kSizes, from(0, 3000), from(0, 30000)]);

function text(size) {
  if (size <= 0) return '';
  const style = from(0, 5);
  if (style === 0) {
    const bit = pick(kBits);
    return bit.repeat(Math.ceil(size / bit.length));
  }
  let out = '';
  const few = [pick(kBits), pick(kBits), pick(kBits)];
  for (let line = 0; out.length < size; ++line) out += style === 1 ? `line ${line} ${'x'.repeat(from(0, 80))}\n` : pick(style < 4 ? few : kBits).repeat(from(1, 6));
  if (style === 1 && maybe(0.5)) out = out.slice(0, size);
  if (maybe(0.2)) out += `\n${pick(kEnds)}`;
  if (maybe(0.08)) {  // half a character
    const at = from(0, out.length);
    out = out.slice(0, at) + pick(['\ud83d', '\ude42']) + out.slice(at);
  }
  return out;
}

const image = () => ({ type: 'image', data: 'AAAA', mimeType: 'image/png' });
function usage(share) {
  const out = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  if (!maybe(share)) return out;
  Object.assign(out, { input: from(0, 9000), output: from(0, 900), cacheRead: from(0, 90000), cacheWrite: from(0, 900) });
  if (maybe(0.7)) out.totalTokens = out.input + out.output + out.cacheRead + out.cacheWrite;
  return out;
}

// A history as pi and OpenClaw keep it, with every fault that a recording may have.
function history({ most = 14, size = any_size, used = 0.3, tools = ['read', 'bash', 'Read', 'read_many', 'browser_open', 'exec', 'image', 'web.fetch', 'a b', '\u65e5\u672c'], notes = true }) {
  const messages = [], open = [];
  let ids = 0, timestamp = 1700000000000;
  const call = () => {
    const id = maybe(0.1) && ids ? `c${from(0, ids)}` : `c${ids++}`;
    const name = pick(tools);
    open.push({ id, name });
    const given = { path: `/w/${id}`, ...(maybe(0.3) ? { content: text(from(0, 400)), n: pick([1, 1.5, 1e21, -0, null, true, 1e-7]) } : {}) };
    return { type: maybe(0.9) ? 'toolCall' : pick(['toolUse', 'functionCall']), id, name, arguments: maybe(0.85) ? given : pick([{}, null, 'str', [1, 2]]) };
  };
  const part = () => pick([() => ({ type: 'text', text: text(size()) }), () => ({ type: 'thinking', thinking: text(size()), ...(maybe(0.5) ? { thinkingSignature: 'c2ln' } : {}) }), call, call])();
  const result = () => {
    const at = from(0, open.length - 1);
    const { id, name } = maybe(0.85) ? open[at] : { id: `z${messages.length}`, name: 'read' };
    if (maybe(0.8)) open.splice(at, 1);
    const content = some(maybe(0.8) ? 1 : 3, () => (maybe(0.88) ? { type: 'text', text: text(size()) } : image()));
    if (content.length === 0 && maybe(0.8)) content.push({ type: 'text', text: text(size()) });
    return { role: 'toolResult', [maybe(0.95) ? 'toolCallId' : 'toolUseId']: id, toolName: maybe(0.85) ? name : pick(['', ` ${name} `]), content, isError: maybe(0.1),
      timestamp, ...(maybe(0.15) ? { details: { a: text(100), spill: 1 } } : {}) };
  };
  const note = () => pick([
    () => ({ role: 'bashExecution', command: `ls ${text(from(0, 50))}`, output: text(size()), exitCode: pick([0, 1, null]), cancelled: false, truncated: maybe(0.3), timestamp, ...(maybe(0.3) ? { excludeFromContext: true } : {}) }),
    () => ({ role: 'compactionSummary', summary: text(size()), tokensBefore: from(0, 99999), timestamp }),
    () => ({ role: 'branchSummary', summary: text(size()), fromId: 'x', timestamp }),
    () => ({ role: 'custom', customType: 'x', content: maybe(0.5) ? text(size()) : [{ type: 'text', text: text(size()) }], display: true, timestamp }),
  ])();
  for (let left = from(0, most); left > 0; --left) {
    timestamp += 1000;
    const kind = chance();
    if (kind < 0.25) {
      messages.push({ role: 'user', content: maybe(0.6) ? text(size()) : [{ type: 'text', text: text(size()) }, ...(maybe(0.3) ? [image()] : [])], timestamp });
    } else if (kind < 0.55 || open.length === 0) {
      messages.push({ role: 'assistant', content: some(3, part), api: 'anthropic-messages', provider: 'anthropic', model: 'm', usage: usage(used),
        stopReason: pick(['stop', 'toolUse', 'toolUse', 'stop', 'error', 'aborted', 'length']), timestamp });
    } else if (kind < 0.92) {
      messages.push(result());
    } else if (notes) {
      messages.push(note());
    }
  }
  return messages;
}

// The same as lines of a session file, some of them compactions and notes.
function session_lines(messages) {
  const lines = [];
  const add = (line) => lines.push({ ...line, id: `e${lines.length}`, parentId: lines.at(-1)?.id ?? null, timestamp: new Date(1700000000000 + 1000 * lines.length).toISOString() });
  for (const message of messages) {
    if (maybe(0.08)) add(pick([{ type: 'model_change', provider: 'a', modelId: 'b' }, { type: 'thinking_level_change', thinkingLevel: 'high' }, { type: 'label', targetId: 'e0', label: 'l' }, { type: 'custom', customType: 'x', data: 1 }]));
    if (message.role === 'compactionSummary') {
      add({ type: 'compaction', summary: message.summary, firstKeptEntryId: `e${from(0, Math.max(0, lines.length - 1))}`, tokensBefore: from(0, 9999),
        ...(maybe(0.5) ? { details: { readFiles: [`/r/${from(0, 3)}`], modifiedFiles: [`/m/${from(0, 3)}`] } } : {}), ...(maybe(0.2) ? { fromHook: true } : {}) });
    } else if (message.role === 'branchSummary') {
      add({ type: 'branch_summary', summary: message.summary, fromId: 'x' });
    } else if (message.role === 'custom') {
      add({ type: 'custom_message', customType: 'x', content: message.content, display: true });
    } else {
      add({ type: 'message', message });
    }
  }
  return lines;
}

// Questions, answers with and without calls, each with its results; some calls still open.
function plain_history() {
  const messages = [];
  const words = (most) => (maybe(0.9) ? text(from(1, most)) : pick(['', ' ', '\n x \n']));
  const block = (type, value) => (type === 'text' ? { type, text: value } : { type, thinking: value, thinkingSignature: 'c2ln' });
  for (let turns = from(0, 9); turns > 0; --turns) {
    messages.push({ role: 'user', content: [block('text', words(pick([20, 200, 3000]))), ...(maybe(0.15) ? [block('text', words(90))] : [])], timestamp: 1 });
    for (let rounds = from(0, 4); rounds > 0; --rounds) {
      const calls = [1, ...some(1, () => 1)].map((_, at) => ({ type: 'toolCall', id: `c${messages.length}_${at}`, name: pick(['read', 'exec']), arguments: { path: text(from(0, 60)) } }));
      messages.push({ role: 'assistant', content: [...some(1, () => block('thinking', words(300))), ...some(1, () => block('text', words(300))), ...calls], stopReason: 'toolUse', timestamp: 1 });
      for (const { id, name } of calls) {
        if (maybe(0.97)) messages.push({ role: 'toolResult', toolCallId: id, toolName: name, content: [block('text', text(pick([0, 30, 900, 6000])))], isError: false, timestamp: 1 });
      }
    }
    if (maybe(0.8)) messages.push({ role: 'assistant', content: [...some(1, () => block('thinking', words(300))), block('text', words(pick([60, 900])))], stopReason: 'stop', timestamp: 1 });
  }
  return messages;
}
async function cline_case() {
  const input = { messages: plain_history(), contextWindowTokens: pick([1000, 4000, 16000, from(500, 20000)]), system: from(0, 3000), overflow: maybe(0.6), ...(maybe(0.5) ? { maxTokens: pick([100, 1000, 50000]) } : {}) };
  const told = cline && (await cline_turn({ ...input, overflow: true })).target;
  return { ...input, overheadTokens: told ? told.targetTokens - told.messageTargetTokens : 0 };
}

const kRefusals = ['prompt is too long', 'prompt too long', '; exceeded ', 'max ', 'context length', 'request_too_large', 'input is too long for requested model',
  'exceeds the context window', 'exceeds ', 'the ', "model's ", 'model ', 'maximum context length', ' of 4,096 tokens', '(128,000)', 'input token count ', 'exceeds the maximum',
  'maximum prompt length is 12', 'reduce the length of the messages', 'maximum allowed input length of 5 tokens', "input (12 tokens) is longer than the model's context length (8 tokens)",
  'exceeds the limit of 7', 'exceeds the available context size', 'greater than the context length', 'context window exceeds limit', 'exceeded model token limit',
  'prompt has 1,000 tokens, but the configured context size is 10 tokens', 'model_context_window_exceeded', 'range of input length should be', 'context_length_exceeded',
  'too many tokens', 'token limit exceeded', '413 (no body)', '413', 'too large', 'Throttling error: ', 'Service unavailable: ', 'rate limit', 'too many requests', 'context_overflow',
  'invalid_argument', 'maximum number of tokens', 'context window', 'ran out of room', 'context overflow:', 'exceed context limit', 'max_tokens', 'exceed', 'input length',
  '\u4e0a\u4e0b\u6587\u8fc7\u957f', '\u8bf7\u538b\u7f29\u4e0a\u4e0b\u6587', 'tokens per minute', 'quota', '429', 'overflow', 'prompt', 'request', 'limit', '\n', ' ', '. ', '{"error":"', '"}', 'K', '\u00e9'];
function refusal() {
  let out = '';
  for (let left = from(1, 5); left > 0; --left) {
    let bit = pick(kRefusals);
    if (maybe(0.1)) bit = bit.toUpperCase();
    if (maybe(0.08)) bit = bit.slice(0, from(0, bit.length)) + pick([' ', '', 'x', '\n']) + bit.slice(from(0, bit.length));
    out += bit + pick(['', ' ', ' ', ', ']);
  }
  return out;
}

const gemini_part = () => pick([
  () => ({ text: text(any_size()) }), () => ({ functionCall: { name: 't', args: { p: text(from(0, 100)) } } }),
  () => ({ functionResponse: { name: 't', id: '1', response: { output: text(any_size()) } } }), () => ({ inlineData: { mimeType: pick(['image/png', 'application/pdf', 'audio/wav']), data: 'AAAA' } }),
  () => ({ text: text(from(0, 20)), thought: true }), () => ({ fileData: { mimeType: 'image/jpeg', fileUri: 'x' } }),
  () => ({ functionResponse: { name: 't', response: { output: 'x', error: text(from(0, 50)) }, parts: [{ inlineData: { mimeType: 'image/png', data: 'A' } }] } }),
])();

// What Gemini CLI keeps: calls are answered by the next message, in parts of it, unless they are still open.
const kShellWords = ['Output: ', 'Error: ', 'Exit Code: 1', 'Signal: 9', 'Background PIDs: 1, 2', 'Process Group PGID: 7', '(none)', 'x', '', 'Output:', ' Error: '];
function shell_words() {
  const out = some(8, () => pick(kShellWords) + (maybe(0.3) ? text(from(0, 60)) : ''));
  if (maybe(0.4)) out.splice(from(0, out.length + 1), 0, ...some(45, () => `line ${from(0, 99)}`));
  return out.join(pick(['\n', '\n', '\n\n', '\r\n', '\u2028']));
}
const gemini_tool = () => pick(['read_file', 'run_shell_command', 'run_shell_command', 'activate_skill', 'ask_user', 'enter_plan_mode', 'exit_plan_mode', 'grep', 'a b', '\u65e5']);
function gemini_response(name, id, size) {
  const words = () => (name === 'run_shell_command' ? shell_words() : text(size()));
  const response = pick([() => ({ output: words() }), () => ({ output: words() }), () => ({ output: words(), exitCode: pick([0, 1, null, '2']), error: pick(['', 'bad', null, [1, 2]]) }),
    () => ({ content: words() }), () => ({ stdout: words(), exit_code: pick([0, 3]) }), () => ({ error: words() }), () => ({ output: pick([{ a: words() }, [words()], 0, 7, false, true]) }),
    () => ({}), () => words(), () => null, () => undefined, () => [words()], () => ({ output: `<tool_output_masked>\n${words()}` })])();
  return { functionResponse: { ...(maybe(0.95) ? { name } : {}), ...(maybe(0.9) ? { id } : {}), response,
    ...(maybe(0.05) ? { parts: [{ inlineData: { mimeType: 'image/png', data: 'A' } }, { text: words() }] } : {}) }, ...(maybe(0.05) ? { thoughtSignature: 'c2ln' } : {}) };
}
function gemini_history({ most = 12, size = any_size, odd = true } = {}) {
  const out = [];
  for (let left = from(0, most); left > 0; --left) {
    out.push({ role: 'user', parts: [{ text: text(from(0, 300)) }, ...(odd && maybe(0.1) ? [gemini_part()] : [])] });
    if (odd && maybe(0.05)) continue;
    for (let rounds = from(0, 4); rounds > 0; --rounds) {
      const calls = [1, ...some(2, () => 1)].map((_, at) => ({ name: gemini_tool(), id: `c${out.length}_${at}` }));
      out.push({ role: 'model', parts: [...some(1, () => ({ text: text(size()), ...(maybe(0.3) ? { thought: true } : {}) })), ...calls.map((call) => ({ functionCall: { ...call, args: { p: text(from(0, 80)) } } }))] });
      if (left === 1 && rounds === 1 && maybe(0.4)) return out;  // still open
      out.push({ role: 'user', parts: [...calls.map((call) => gemini_response(call.name, call.id, size)), ...(odd && maybe(0.1) ? [gemini_part()] : [])] });
    }
    if (left > 1 || maybe(0.6)) out.push({ role: 'model', parts: [{ text: text(size()) }] });
  }
  return out;
}
// Outputs that do not fit into the tokens that responses may have.
const large = () => pick([0, 300, 3000, 9000, 40000, 90000, 100001, from(1000, 130000)]);
function gemini_compression() {
  const big = maybe(0.6);
  const contents = gemini_history({ most: big ? 5 : 12, size: big ? large : any_size, odd: maybe(0.5) });
  const summary = pick([undefined, '', ' \n', text(300), text(4000), ` ${text(40)}\n`, text(60000)]);
  return { op: 'compress', contents, lastPromptTokens: pick([0, 524287, 524288, 600000, from(0, 40000), from(0, 3000)]), environmentTokens: gemini_environment,
    ...(maybe(0.5) ? { threshold: pick([0, 0.001, 0.2, 0.5, 0.00001]) } : {}), ...(maybe(0.3) ? { force: maybe(0.7) } : {}), ...(maybe(0.4) ? { hasFailedCompressionAttempt: maybe(0.8) } : {}),
    ...(maybe(0.4) ? { truncateToolOutputThreshold: pick([0, 1, 7, 100, 2000, 5000, -40]) } : {}), ...(maybe(0.3) ? { model: pick(['gemma-4-31b-it', 'gemini-9', 'gemini-2.5-flash']) } : {}),
    ...(summary === undefined ? {} : { summary }), ...(maybe(0.5) ? { verified: pick(['', '  ', text(200), ` ${text(20)} `]) } : {}) };
}
const window_of = (...sizes) => pick([...sizes, from(500, 100000)]);

const cases = {
  history: ['openclaw_history_limit', () => ({ messages: history({ most: 40, size: () => from(0, 20) }), limit: pick([-1, 0, 1, 2, 3, 5, 7, 10, 1.5, 2.7]) })],
  repair: ['openclaw_pairing_repair', () => ({ messages: history({ size: () => from(0, 30) }) })],
  prune: ['openclaw_prune', () => ({ messages: history({ most: 24, notes: maybe(0.3) }), contextWindowTokens: window_of(1000, 3000, 6000, 20000, 50000),
    ...(maybe(0.5) ? { settings: {
      ...(maybe(0.4) ? { tools: { ...(maybe(0.6) ? { allow: [pick(['read*', '*', 'ba?h', 'Read', '*_many', 'r*d', ' READ ', ''])] } : {}), ...(maybe(0.5) ? { deny: [pick(['*_many', 'bash', 'image', 'browser*', 'w*.*'])] } : {}) } } : {}),
      ...(maybe(0.4) ? { hardClear: { ...(maybe(0.5) ? { enabled: maybe(0.6) } : {}), ...(maybe(0.5) ? { placeholder: pick(['gone', '  x  ', '   ', '\u6f22']) } : {}) } } : {}),
    } } : {}) })],
  prune_settings: ['openclaw_prune', () => ({ messages: history({ most: 24, notes: maybe(0.3) }), contextWindowTokens: window_of(1000, 3000, 6000, 20000, 50000),
    settings: { keepLastAssistants: pick([0, 1, 2, 3, 5, 2.7, -1]), softTrimRatio: pick([0, 0.1, 0.3, 2, -1]), hardClearRatio: pick([0, 0.2, 0.5, 5]), minPrunableToolChars: pick([0, 1000, 5000.5]),
      softTrim: { maxChars: pick([0, 10, 2000, 4000]), headChars: pick([0, 1, 7, 1500, 1e9]), tailChars: pick([0, 1, 7, 1500]) } } })],
  truncate_text: ['openclaw_truncate', () => ({ op: 'text', text: text(pick([0, 100, 1999, 2500, 5000, 9000, 20000, 40000])), maxChars: pick([0, 1, 50, 60, 100, 500, 1999, 2000, 2001, 2500, 3000, 5000, 8000, from(0, 12000)]),
    ...(maybe(0.15) ? { suffix: pick(['', '...', '[cut]', '\u6f22\u5b57', '\n']) } : {}) })],
  truncate_limit: ['openclaw_truncate', () => ({ op: 'limit', contextWindowTokens: pick([0, 1, 100, 8000, 99999, 100000, 100001, 199999, 200000, 1e6, 2e6, from(1, 3e6)]) })],
  truncate_message: ['openclaw_truncate', () => ({ op: 'message', maxChars: pick([0, 100, 500, 2000, 3000, 5000, 8000, 20000, from(0, 30000)]),
    message: { role: 'toolResult', toolCallId: 'a', toolName: 'read', content: [...(maybe(0.2) ? [image()] : []), ...some(4, () => ({ type: 'text', text: text(pick([0, 10, 500, 2000, 2500, 9000, from(0, 20000)])) }))], isError: false, timestamp: 1 } })],
  truncate_session: ['openclaw_truncate', () => ({ op: 'session', messages: history({ most: 20, notes: false }), contextWindowTokens: window_of(1000, 4000, 8000, 16000, 32000) })],
  chars: ['openclaw_compaction_plan', () => ({ op: 'chars', text: text(from(0, 60)) })],
  estimate: ['openclaw_compaction_plan', () => ({ op: 'estimate', messages: history({ most: 10 }) })],
  ratio: ['openclaw_compaction_plan', () => ({ op: 'ratio', messages: history({ most: 12 }), contextWindowTokens: window_of(8000, 32000, 200000) })],
  split: ['openclaw_compaction_plan', () => ({ op: 'split', messages: history({ most: 20 }), parts: pick([1, 2, 3, 4, 0, -1, 2.5, 50]) })],
  precheck: ['openclaw_compaction_plan', () => ({ op: 'precheck', messages: history({ most: 20, used: 0.2 }), contextWindowTokens: window_of(1000, 4000, 8000, 16000, 32000, 64000, 200000), reserveTokens: pick([0, 1000, 20000, 60000]),
    ...(maybe(0.4) ? { prompt: text(from(0, 400)) } : {}), ...(maybe(0.4) ? { systemPrompt: text(from(0, 4000)) } : {}), ...(maybe(0.2) ? { toolSchemaTokens: from(0, 9000) } : {}) })],
  cut: ['pi_cutpoint', () => ({ messages: history({ most: 24 }), keepRecentTokens: pick([0, 1, 100, 500, 2000, 5000, 20000, from(0, 30000)]) })],
  tokens: ['pi_cutpoint', () => ({ op: 'tokens', messages: history({ most: 12, used: 0.6 }), contextWindow: window_of(2000, 32000, 200000), ...(maybe(0.5) ? { settings: { reserveTokens: pick([0, 100, 16384]), ...(maybe(0.2) ? { enabled: false } : {}) } } : {}) })],
  prepare: ['pi_cutpoint', () => {
    const messages = history({ most: 24, used: 0.5, tools: ['read', 'write', 'edit', 'bash', 'Read'] });
    const settings = { keepRecentTokens: pick([0, 1, 100, 500, 2000, 5000, 20000, from(0, 30000)]), ...(maybe(0.3) ? { reserveTokens: pick([0, 1000, 16384]) } : {}) };
    return maybe(0.4) ? { op: 'prepare', settings, messages } : { op: 'prepare', settings, entries: session_lines(messages) };
  }],
  gemini_tokens: ['gemini_compress', () => ({ op: 'tokens', parts: some(6, gemini_part) })],
  gemini_truncate: ['gemini_compress', () => ({ op: 'truncate', text: text(pick([0, 100, 2000, 9000])), maxChars: pick([10, 100, 1000, 5000, from(5, 3000)]) })],
  gemini_split: ['gemini_compress', () => ({ op: 'split', fraction: pick([0.1, 0.3, 0.5, 0.7, 0.9]), contents: some(14, () => ({ role: pick(['user', 'model']), parts: [gemini_part(), ...some(1, gemini_part)] })) })],
  gemini_pending: ['gemini_compress', () => ({ op: 'split', fraction: pick([0.1, 0.3, 0.5, 0.7, 0.9, from(1, 99) / 100]), contents: gemini_history({ odd: maybe(0.5) }) })],
  gemini_mask: ['gemini_compress', () => ({ op: 'mask', contents: gemini_history({ odd: maybe(0.6) }),
    ...(maybe(0.9) ? { protectionThresholdTokens: pick([0, 1, 50, 300, 2000, from(0, 8000)]), minPrunableThresholdTokens: pick([0, 0, 1, 100, 1000, from(0, 4000)]) } : {}),
    ...(maybe(0.3) ? { protectLatestTurn: maybe(0.3) } : {}) })],
  gemini_compress: ['gemini_compress', gemini_compression],
  cline_fold: ['cline_fold', cline_case],
  overflow: ['overflow_classify', () => ({ errors: some(9, refusal) })],
};

// ---- both sides --------------------------------------------------------------------------------------------------

async function write_case(folder, kind, number) {
  const [oracle, make] = cases[kind];
  const input = JSON.parse(JSON.stringify(await make()));
  const expected = {};
  for (const [variant, answer] of Object.entries(answers[oracle])) {
    const said = await answer?.(structuredClone(input));
    if (said !== undefined) expected[variant] = JSON.parse(JSON.stringify(said));
  }
  if (Object.keys(expected).length === 0) return 0;
  const name = `${kind}_${String(number).padStart(5, '0')}`;
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ name, oracle, note: '', input, expected }));
  return Object.keys(expected).length;
}

const folder = options.keep || mkdtempSync(join(tmpdir(), 'check-contexts-'));
mkdirSync(folder, { recursive: true });
const made = {};
for (const kind of options.kinds ? options.kinds.split(',') : Object.keys(cases)) {
  made[kind] = 0;
  for (let number = 0; number < Number(options.cases); ++number) made[kind] += await write_case(folder, kind, number);
}
for (const name of absent) console.log(`left out: ${name}`);
console.log(Object.entries(made).map(([kind, answers_made]) => `${kind} ${answers_made}`).join(', '));
if (Object.values(made).every((count) => count === 0)) {
  console.log('check-contexts: skipped: none of the packages is there');
  process.exit(0);
}
const judged = spawnSync(options.judge, [folder], { encoding: 'utf8', maxBuffer: 1 << 30 });
const lines = judged.stdout.split('\n').filter(Boolean);
for (const line of lines.filter((one) => !one.startsWith('pass ')).slice(0, 20)) console.log(line.slice(0, 400));
if (!options.keep) rmSync(folder, { recursive: true });
process.exit(judged.status === 0 ? 0 : 1);
