#!/usr/bin/env python3
"""Makes recordings in the layout of Claude Code or Codex, for measuring. Deterministic: same arguments, same bytes.

    gen_corpus.py --out DIR [--size 10MB] [--files N] [--seed 1] [--style claude-code|codex]

Writes DIR/projects/p<k>/<session>.jsonl, or DIR/sessions/rollout-<session>.jsonl. The shape is that of real stores: about 3 KB a record on average, a third of
the bytes in toolUseResult (the second copy of an output), many small progress records, outputs from a line to tens of
kilobytes, responses split over records that share message id and usage, text with quotes, tabs, newlines and letters
beyond ASCII. Standard library only.
"""
import argparse
import json
import pathlib
import random

NOUNS = ("order cart invoice customer price ledger account stock parcel route driver ticket seat hall booking refund "
         "coupon tariff meter reading sensor panel grid pump valve tank recipe oven batch shelf label").split()
VERBS = "add drop find sort fold pack send hold mark sum pick load bind cast join trim open shut".split()
TALK = ("so now the a that this next first still maybe because tests pass fail here there value looks wrong right I will "
        "check change keep remove rename before after it returns nothing when empty list as expected").split()
FOREIGN = "größe prüfen état vérifié конец ошибка 設定 完了 naïve ✓ → … —".split()
FOLDERS = "src lib core web jobs test tools".split()
ENDINGS = "ts py go rs java sql".split()


class Writer:
    def __init__(self, rng):
        self.rng = rng

    def words(self, count, pool=TALK):
        rng = self.rng
        return " ".join(rng.choice(FOREIGN) if rng.random() < 0.02 else rng.choice(pool) for _ in range(count))

    def path(self):
        rng = self.rng
        return f"{rng.choice(FOLDERS)}/{rng.choice(NOUNS)}/{rng.choice(VERBS)}_{rng.choice(NOUNS)}.{rng.choice(ENDINGS)}"

    def code_line(self):
        rng = self.rng
        a, b, v = rng.choice(NOUNS), rng.choice(NOUNS), rng.choice(VERBS)
        indent = " " * (4 * rng.randrange(4)) if rng.random() < 0.8 else "\t" * rng.randrange(1, 4)
        return indent + rng.choice((
            f"const {a} = {v}({b}, {rng.randrange(900)});", f'if ({a}.{b} === "{v}") {{', "}",
            f'throw new Error("{a} without {b}: " + {a}.id);', f"// {self.words(rng.randrange(4, 12))}", "",
            f"return {v}_{a}({b}.{v}, [{rng.randrange(99)}, {rng.randrange(99)}]) // {b}",
            f"for (const {a} of {b}.{v}()) total += {a}.amount * {rng.random():.4f};"))

    def log_line(self):
        rng = self.rng
        return rng.choice((
            f"  ✓ {rng.choice(VERBS)}s the {rng.choice(NOUNS)} ({rng.randrange(1, 400)} ms)",
            f"{self.path()}:{rng.randrange(1, 900)}:{rng.randrange(1, 80)}: warning: unused '{rng.choice(NOUNS)}'",
            f"[{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}] {self.words(6, NOUNS)}",
            f"    at {rng.choice(VERBS)} ({self.path()}:{rng.randrange(1, 900)})", f"-rw-r--r-- 1 kim kim {rng.randrange(99999)} {self.path()}"))

    def text(self, size, line):
        out, length = [], 0
        while length < size:
            out.append(line())
            length += len(out[-1]) + 1
        return "\n".join(out)

    def hex(self, digits):
        return f"{self.rng.getrandbits(4 * digits):0{digits}x}"

    def uuid(self):
        h = self.hex(32)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-b{h[17:20]}-{h[20:]}"


class Session:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.w = Writer(self.rng)
        self.id = self.w.uuid()
        self.cwd = f"/home/kim/{self.rng.choice(NOUNS)}s"
        self.parent = None
        self.ms = 1767258000000 + self.rng.randrange(10**9)
        self.context = 18000
        self.lines = []
        self.size = 0

    def put(self, record):
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        self.lines.append(line)
        self.size += len(line.encode())

    def stamp(self):
        self.ms += self.rng.randrange(20, 9000)
        seconds, ms = divmod(self.ms, 1000)
        day, rest = divmod(seconds - 1767225600, 86400)
        return f"2026-01-{1 + day % 28:02}T{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}.{ms:03}Z"

    def record(self, kind, **fields):
        uuid = self.w.uuid()
        self.put({"parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": self.cwd,
                  "sessionId": self.id, "version": "2.1.40", "gitBranch": "main", "type": kind, **fields,
                  "uuid": uuid, "timestamp": self.stamp()})
        self.parent = uuid

    def respond(self, blocks):
        rng = self.rng
        fresh = rng.randrange(100, 4000)
        self.context += fresh
        usage = {"input_tokens": rng.randrange(1, 12), "cache_creation_input_tokens": fresh,
                 "cache_read_input_tokens": self.context, "output_tokens": rng.randrange(20, 1500),
                 "cache_creation": {"ephemeral_5m_input_tokens": fresh, "ephemeral_1h_input_tokens": 0},
                 "service_tier": "standard"}
        message_id, request = "msg_01" + self.w.hex(22), "req_011" + self.w.hex(21)
        for block in blocks:
            self.record("assistant", requestId=request,
                        message={"model": "claude-sonnet-4-5", "id": message_id, "type": "message", "role": "assistant",
                                 "content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage})

    def output_size(self):
        return min(60000, int(self.rng.lognormvariate(7.55, 1.2)))

    def tool(self):
        """Name, input, output and the structured second copy of it."""
        rng, w = self.rng, self.w
        path, size = f"{self.cwd}/{w.path()}", self.output_size()
        pick = rng.random()
        if pick < 0.45:
            out = w.text(size, w.log_line)
            command = f"cd {self.cwd} && npm run {rng.choice(VERBS)} -- --only \"{rng.choice(NOUNS)}\" 2>&1 | tail -{rng.randrange(9, 99)}"
            return "Bash", {"command": command, "description": w.words(5)}, out, {
                "stdout": out, "stderr": "", "interrupted": False, "isImage": False}
        if pick < 0.75:
            text = w.text(size, w.code_line)
            shown = "\n".join(f"{n:6}→{line}" for n, line in enumerate(text.split("\n"), 1))
            return "Read", {"file_path": path}, shown, {
                "type": "text", "file": {"filePath": path, "content": text, "numLines": text.count("\n") + 1, "startLine": 1}}
        if pick < 0.92:
            old, new = w.text(rng.randrange(60, 900), w.code_line), w.text(rng.randrange(60, 1200), w.code_line)
            patch = [{"oldStart": 7, "oldLines": old.count("\n") + 1, "newStart": 7, "newLines": new.count("\n") + 1,
                      "lines": ["-" + x for x in old.split("\n")] + ["+" + x for x in new.split("\n")]}]
            return "Edit", {"file_path": path, "old_string": old, "new_string": new}, \
                f"The file {path} has been updated.\n" + w.text(500, w.code_line), {
                    "filePath": path, "oldString": old, "newString": new, "structuredPatch": patch, "userModified": False}
        found = sorted(w.path() for _ in range(rng.randrange(1, 60)))
        return "Grep", {"pattern": f"{rng.choice(VERBS)}\\({rng.choice(NOUNS)}", "path": self.cwd}, \
            f"Found {len(found)} files\n" + "\n".join(found), {"mode": "files_with_matches", "filenames": found}

    def step(self):
        rng, w = self.rng, self.w
        name, arguments, out, structured = self.tool()
        call = "toolu_01" + w.hex(22)
        blocks = [{"type": "tool_use", "id": call, "name": name, "input": arguments}]
        if rng.random() < 0.4:
            blocks.insert(0, {"type": "text", "text": w.words(rng.randrange(5, 80))})
        if rng.random() < 0.15:
            blocks.insert(0, {"type": "thinking", "thinking": w.words(rng.randrange(30, 300)), "signature": w.hex(600)})
        self.respond(blocks)
        for _ in range(rng.randrange(4) if name == "Bash" else rng.randrange(2)):
            self.record("progress", toolUseID=f"bash-progress-{rng.randrange(9)}", parentToolUseID=call,
                        data={"type": "bash_progress", "output": w.text(200, w.log_line), "elapsedTimeSeconds": rng.randrange(60)})
        failed = name == "Bash" and rng.random() < 0.12
        result = {"tool_use_id": call, "type": "tool_result", "content": ("Exit code 1\n" if failed else "") + out}
        if failed:
            result["is_error"] = True
        self.record("user", message={"role": "user", "content": [result]}, toolUseResult=structured)

    def turn(self):
        rng, w = self.rng, self.w
        self.record("user", message={"role": "user", "content": w.words(rng.randrange(8, 120))})
        for _ in range(rng.randrange(6, 40)):
            self.step()
        self.respond([{"type": "text", "text": w.words(rng.randrange(40, 250))}])
        self.record("system", subtype="turn_duration", durationMs=rng.randrange(9000, 900000), isMeta=False)


class CodexSession(Session):
    """The same work as a rollout of Codex."""

    def __init__(self, seed):
        super().__init__(seed)
        self.turns = 0
        self.total = dict.fromkeys(("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"), 0)
        self.item("session_meta", id=self.id, timestamp=self.stamp(), cwd=self.cwd, originator="codex-tui",
                  cli_version="0.150.0", source="cli", model_provider="openai",
                  base_instructions={"text": self.w.words(900)})

    def item(self, kind, **payload):
        self.put({"timestamp": self.stamp(), "type": kind, "payload": payload})

    def message(self, role, text):
        kind = "output_text" if role == "assistant" else "input_text"
        self.item("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    def tokens(self):
        rng = self.rng
        fresh, out = rng.randrange(100, 4000), rng.randrange(20, 1500)
        last = {"input_tokens": self.context + fresh, "cached_input_tokens": self.context, "output_tokens": out,
                "reasoning_output_tokens": out // 3}
        self.context += fresh
        for key, value in last.items():
            self.total[key] += value
        sums = [dict(each, total_tokens=each["input_tokens"] + each["output_tokens"]) for each in (self.total, last)]
        self.item("event_msg", type="token_count", rate_limits={"primary": None, "secondary": None},
                  info={"total_token_usage": sums[0], "last_token_usage": sums[1], "model_context_window": 272000})

    def patch(self):
        rng, w = self.rng, self.w
        body = []
        for _ in range(rng.randrange(1, 4)):
            body.append("@@ " + w.code_line())
            body += [rng.choice(" -+ ") + w.code_line() for _ in range(rng.randrange(4, 24))]
        return "*** Begin Patch\n*** Update File: " + w.path() + "\n" + "\n".join(body) + "\n*** End Patch"

    def step(self):
        rng, w = self.rng, self.w
        call = "call_" + w.hex(24)
        if rng.random() < 0.5:
            self.item("response_item", type="reasoning", id="rs_" + w.hex(32), encrypted_content=w.hex(1600),
                      summary=[{"type": "summary_text", "text": w.words(rng.randrange(5, 60))}])
        if rng.random() < 0.3:
            text = w.words(rng.randrange(5, 60))
            self.message("assistant", text)
            self.item("event_msg", type="agent_message", message=text)
        if rng.random() < 0.2:
            self.item("response_item", type="custom_tool_call", status="completed", call_id=call, name="apply_patch",
                      input=self.patch())
            out = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nM " + w.path()
            self.item("response_item", type="custom_tool_call_output", call_id=call, output=out)
        else:
            command = f"rg -n \"{rng.choice(NOUNS)}\" {w.path()} | head -{rng.randrange(9, 99)}" if rng.random() < 0.5 else \
                f"npm run {rng.choice(VERBS)} -- --only \"{rng.choice(NOUNS)}\"\nsed -n '1,{rng.randrange(20, 300)}p' {w.path()}"
            self.item("response_item", type="function_call", name="exec_command", call_id=call,
                      arguments=json.dumps({"cmd": command, "workdir": self.cwd, "yield_time_ms": 1000}))
            code = 1 if rng.random() < 0.1 else 0
            size = self.output_size()
            out = f"Chunk ID: {w.hex(6)}\nWall time: 0.0521 seconds\nProcess exited with code {code}\n" \
                f"Original token count: {size // 4}\nOutput:\n" + w.text(size, w.log_line)
            self.item("response_item", type="function_call_output", call_id=call, output=out)
        self.tokens()

    def turn(self):
        rng, w = self.rng, self.w
        self.turns += 1
        name = f"{self.id[:-4]}{self.turns:04}"
        self.item("event_msg", type="task_started", turn_id=name, model_context_window=272000)
        self.item("turn_context", turn_id=name, cwd=self.cwd, approval_policy="never", model="gpt-5-codex", effort="high",
                  summary="auto")
        said = w.words(rng.randrange(8, 120))
        self.message("user", said)
        self.item("event_msg", type="user_message", message=said, images=[])
        for _ in range(rng.randrange(6, 40)):
            self.step()
        self.message("assistant", w.words(rng.randrange(40, 250)))
        self.tokens()
        self.item("event_msg", type="task_complete", turn_id=name, last_agent_message=None)


STYLES = {"claude-code": Session, "codex": CodexSession}


def size_of(text):
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if text.upper().endswith(unit):
            return int(float(text[:-2]) * factor)
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--size", default="10MB", type=size_of, help="bytes in all, about (default 10MB)")
    parser.add_argument("--files", default=8, type=int)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--style", default="claude-code", choices=STYLES)
    args = parser.parse_args()
    total = records = 0
    for k in range(args.files):
        session = STYLES[args.style](f"{args.seed}/{k}")
        while session.size < args.size / args.files:
            session.turn()
        folder = args.out / "projects" / f"p{k % 4}" if args.style == "claude-code" else args.out / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        prefix = "" if args.style == "claude-code" else "rollout-"
        (folder / f"{prefix}{session.id}.jsonl").write_text("".join(session.lines), encoding="utf-8")
        total += session.size
        records += len(session.lines)
    print(f"{args.files} files, {records} records, {total} bytes")


if __name__ == "__main__":
    main()
