"""Writes invented sessions in the record layouts of the agents: Claude Code, Codex, pi, and plain chat messages.

All writers know the same verbs where the layouts do: human(), says(), call(), bash(). Inside `with s.loop():` stands
what a detector should point at; everything else is what happened before and after.
"""
import contextlib
import datetime
import json

DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
CASCADE = "<tool_use_error>Sibling tool call errored</tool_use_error>"
START = datetime.datetime(2026, 5, 4, 9, 0, 0)


class Recording:
    """Lines of a session file, and which of them are the loop."""

    def __init__(self):
        self.lines = []
        self.first = self.last = None
        self.open_calls = 0

    @contextlib.contextmanager
    def loop(self):
        """The loop: from its first record to its last. A second block makes it longer."""
        if self.first is None:
            self.first = len(self.lines) + 1
        yield
        self.last = len(self.lines)

    def text(self):
        return "".join(line + "\n" for line in self.lines)


class Session(Recording):
    """Claude Code: call() is a response with one call, calls() one with several."""

    def __init__(self, cwd="/home/noor/mill", name="mill", compact=False):
        super().__init__()
        self.cwd, self.name = cwd, name
        self.separators = (",", ":") if compact else None
        self.responses = 0
        self.agent = None      # the sub-agent that writes, if any
        self.delay = 0         # seconds that passed without a record
        self.model = "claude-sonnet-4-5"
        self.prompt = None     # tokens of the prompts to come: (input, cache write, cache read); None = small ones
        self.last_record = {}  # by agent

    def record(self, kind, **fields):
        number = len(self.lines) + 1
        when = START + datetime.timedelta(seconds=3 * number + self.delay)
        parent = self.last_record.get(self.agent)
        self.last_record[self.agent] = number
        self.lines.append(json.dumps({
            "parentUuid": f"record-{parent}" if parent else None, "isSidechain": self.agent is not None,
            "userType": "external", "cwd": self.cwd, "sessionId": self.name, "version": "2.1.90", "type": kind,
            **({"agentId": self.agent} if self.agent else {}), **fields,
            "uuid": f"record-{number}", "timestamp": when.isoformat(timespec="milliseconds") + "Z"},
            separators=self.separators, ensure_ascii=self.separators is None))

    # ---- what a person or the program around the agent says

    def human(self, text):
        self.record("user", message={"role": "user", "content": text})

    def queued(self, text):
        """Typed by a person while the agent was working."""
        self.record("queue-operation", operation="enqueue", content=text)
        self.record("attachment", attachment={"type": "queued_command", "prompt": text, "commandMode": "prompt"})

    def meta(self, text):
        """A user record that no person wrote."""
        self.record("user", message={"role": "user", "content": text}, isMeta=True)

    def interrupted(self):
        self.record("user", message={"role": "user", "content": [
            {"type": "text", "text": "[Request interrupted by user for tool use]"}]})

    def compaction(self, summary, trigger="auto"):
        self.last_record[self.agent] = None
        self.record("system", subtype="compact_boundary", content="Conversation compacted",
                    compactMetadata={"trigger": trigger, "preTokens": 151_000})
        self.record("user", message={"role": "user", "content":
                    "This session is being continued from a previous conversation. " + summary},
                    isCompactSummary=True, isVisibleInTranscriptOnly=True)

    @contextlib.contextmanager
    def sub_agent(self, agent, task):
        """What is written inside belongs to a sub-agent; blocks of several agents may alternate."""
        outer, self.agent = self.agent, agent
        if agent not in self.last_record:
            self.human(task)
        yield
        self.agent = outer

    # ---- what the agent says and does

    def respond(self, blocks):
        self.responses += 1
        for block in blocks:
            self.block(block)

    def block(self, block):
        """One more record of the current response."""
        usage = {"input_tokens": 5, "cache_creation_input_tokens": 300, "output_tokens": 40,
                 "cache_read_input_tokens": 9000 + 300 * self.responses}
        if self.prompt:
            usage.update(zip(("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"), self.prompt))
        self.record("assistant", requestId=f"req-{self.responses}", message={
            "id": f"msg-{self.responses}", "role": "assistant", "model": self.model, "content": [block],
            "usage": usage})

    def says(self, text):
        self.respond([{"type": "text", "text": text}])

    def thinks(self, text):
        self.respond([{"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"}])

    def asks(self, call, said=None, more=False):
        """A call that is not answered yet; returns what answer() needs. `more`: in the same response as before."""
        self.open_calls += 1
        name = f"call-{self.open_calls}"
        blocks = [{"type": "text", "text": said}] if said else []
        blocks.append({"type": "tool_use", "id": name, "name": call[0], "input": call[1]})
        if more:
            self.block(blocks[-1])
        else:
            self.respond(blocks)
        return name

    def answer(self, name, output, error=None):
        result = {"type": "tool_result", "tool_use_id": name, "content": output}
        if error is not None:
            result["is_error"] = error
        self.record("user", message={"role": "user", "content": [result]})

    def calls(self, *calls):
        """Each call is (tool, input, output) or (tool, input, output, True) for a failed one."""
        first = self.open_calls + 1
        self.open_calls += len(calls)
        self.respond([{"type": "tool_use", "id": f"call-{first + i}", "name": call[0], "input": call[1]}
                      for i, call in enumerate(calls)])
        for i, call in enumerate(calls):
            self.answer(f"call-{first + i}", call[2], call[3] if len(call) > 3 else None)

    def call(self, *call):
        self.calls(call)

    def bash(self, command, output, error=False, description="Run it"):
        self.call("Bash", {"command": command, "description": description}, output, error)

    def read(self, path, text):
        self.call("Read", {"file_path": path}, text)

    def edit(self, path, old, new, error=None):
        self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}, error or f"{path} was updated.",
                  error is not None)


class Codex(Recording):
    """Codex roll-out files."""

    def __init__(self, cwd="/home/noor/mill"):
        super().__init__()
        self.cwd = cwd
        self.record("session_meta", {"id": "0194f3a0-0000-7000-8000-00000000beef", "cwd": cwd, "source": "cli",
                                     "originator": "codex-tui", "cli_version": "0.150.0", "model_provider": "openai"})
        self.record("turn_context", {"cwd": cwd, "approval_policy": "never", "model": "gpt-5-codex"})

    def record(self, kind, payload):
        when = START + datetime.timedelta(seconds=2 * len(self.lines))
        self.lines.append(json.dumps({"timestamp": when.isoformat(timespec="milliseconds") + "Z", "type": kind,
                                      "payload": payload}, separators=(",", ":"), ensure_ascii=False))

    def item(self, **payload):
        self.record("response_item", payload)

    def human(self, text):
        self.item(type="message", role="user", content=[{"type": "input_text", "text": text}])
        self.record("event_msg", {"type": "user_message", "message": text, "images": []})

    def says(self, text):
        self.item(type="message", role="assistant", content=[{"type": "output_text", "text": text}])
        self.record("event_msg", {"type": "agent_message", "message": text})

    def thinks(self, text):
        self.item(type="reasoning", summary=[{"type": "summary_text", "text": text}], encrypted_content="Zm9v")

    def compaction(self, summary):
        self.record("compacted", {"message": summary})

    def call(self, tool, arguments, output):
        self.open_calls += 1
        name = f"call_{self.open_calls:04d}"
        self.item(type="function_call", name=tool, arguments=json.dumps(arguments), call_id=name)
        self.item(type="function_call_output", call_id=name, output=output)

    def bash(self, command, output, code=0):
        """exec_command, which answers with a chunk id and a wall time that are never the same."""
        self.call("exec_command", {"cmd": command, "workdir": self.cwd}, self.chunk(f"exited with code {code}", output))

    def start(self, command, output, session):
        self.call("exec_command", {"cmd": command, "yield_time_ms": 1000},
                  self.chunk(f"running with session ID {session}", output))

    def look(self, session, output, code=None):
        """Looks at a command that was started; `code` when it has ended."""
        state = f"running with session ID {session}" if code is None else f"exited with code {code}"
        self.call("write_stdin", {"session_id": session, "chars": ""}, self.chunk(state, output))

    def chunk(self, state, output):
        n = self.open_calls + 1
        return (f"Chunk ID: {n * 7919 % 16**6:06x}\nWall time: {n % 9}.{n * 37 % 10000:04d} seconds\nProcess {state}\n"
                f"Original token count: {len(output) // 4}\nOutput:\n{output}\n")

    def patch(self, body, output="Success. Updated the following files:"):
        self.open_calls += 1
        name = f"call_{self.open_calls:04d}"
        self.item(type="custom_tool_call", status="completed", call_id=name, name="apply_patch",
                  input=f"*** Begin Patch\n{body}\n*** End Patch")
        self.item(type="custom_tool_call_output", call_id=name,
                  output=f"Exit code: 0\nWall time: 0.{self.open_calls % 10} seconds\nOutput:\n{output}\n")


class Chat(Recording):
    """Chat messages with tool_calls, one a line, without times."""

    def message(self, **fields):
        self.lines.append(json.dumps(fields, separators=(",", ":"), ensure_ascii=False))

    def system(self, text):
        self.message(role="system", content=text)

    def human(self, text):
        self.message(role="user", content=text)

    def says(self, text):
        self.message(role="assistant", content=text)

    def ask(self, *calls, said=None):
        """Each call is (tool, arguments); arguments that are a text stand there as they are. Returns the ids."""
        names, asked = [], []
        for tool, arguments in calls:
            self.open_calls += 1
            names.append(f"call_{self.open_calls}")
            text = arguments if isinstance(arguments, str) or arguments is None else json.dumps(arguments)
            function = {"name": tool} if arguments is None else {"name": tool, "arguments": text}
            asked.append({"id": names[-1], "type": "function", "function": function})
        self.message(role="assistant", content=said, tool_calls=asked)
        return names

    def answer(self, name, output):
        self.message(role="tool", tool_call_id=name, content=output)

    def call(self, tool, arguments, output, said=None):
        self.answer(self.ask((tool, arguments), said=said)[0], output)


class Pi(Recording):
    """pi session files, version 3: a tree of entries, each answer of the model one message."""

    def __init__(self, cwd="/home/noor/mill"):
        super().__init__()
        self.parent = None
        self.rested = 0
        self.head(type="session", version=3, id="0199b1c0-0000-7000-8000-00000000beef", cwd=cwd)
        self.entry("model_change", provider="anthropic", modelId="claude-sonnet-4-5")

    def rest(self, seconds):
        """So much later than a line follows the one before."""
        self.rested += seconds

    def when(self):
        return (START + datetime.timedelta(seconds=2 * len(self.lines) + self.rested)).isoformat(timespec="milliseconds") + "Z"

    def head(self, **fields):
        self.lines.append(json.dumps({**fields, "timestamp": self.when()}, separators=(",", ":"), ensure_ascii=False))

    def entry(self, kind, **fields):
        name = f"{len(self.lines):08x}"
        parent, self.parent = self.parent, name
        self.head(type=kind, id=name, parentId=parent, **fields)

    def message(self, **message):
        self.entry("message", message={**message, "timestamp": 1777885200000 + 2000 * len(self.lines)})

    def human(self, text):
        self.message(role="user", content=[{"type": "text", "text": text}])

    def respond(self, *content, reason):
        used = 900 + 40 * len(self.lines)
        self.message(role="assistant", content=list(content), api="anthropic-messages", provider="anthropic",
                     model="claude-sonnet-4-5", stopReason=reason, responseId=f"msg_{len(self.lines)}",
                     usage={"input": 6, "output": 40, "cacheRead": used, "cacheWrite": 40, "totalTokens": used + 86,
                            "cost": {"input": 0.0, "output": 0.0006, "cacheRead": 0.0003, "cacheWrite": 0.0002,
                                     "total": 0.0011}})

    def says(self, text):
        self.respond({"type": "text", "text": text}, reason="stop")

    def call(self, tool, arguments, output, error=False):
        self.open_calls += 1
        name = f"toolu_{self.open_calls:04d}"
        self.respond({"type": "toolCall", "id": name, "name": tool, "arguments": arguments}, reason="toolUse")
        self.message(role="toolResult", toolCallId=name, toolName=tool, content=[{"type": "text", "text": output}],
                     isError=error)

    def bash(self, command, output, error=False):
        self.call("bash", {"command": command}, output, error)

    def read(self, path, text):
        self.call("read", {"path": path}, text)

    def edit(self, path, old, new):
        self.call("edit", {"path": path, "oldText": old, "newText": new}, f"Successfully replaced text in {path}.")


class Headless(Session):
    """Claude Code as `claude -p` runs it: one prompt, nobody to ask, and the program's own marks around it."""

    def __init__(self, prompt):
        super().__init__(compact=True)
        self.record("queue-operation", operation="enqueue", content=prompt)
        self.record("queue-operation", operation="dequeue")
        self.human(prompt)

    def record(self, kind, **fields):
        super().record(kind, entrypoint="sdk-cli", **fields)


def begin(task, **options):
    s = Session(**options)
    s.human(task)
    return s
