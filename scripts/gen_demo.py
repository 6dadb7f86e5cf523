#!/usr/bin/env python3
"""Writes testdata/demo/stuck-session.jsonl, the session of scripts/demo.sh and of the README.

A coding agent solves a first task without trouble. With the second it runs `npm test` nine times in a row, one
response after the other, and gets the same failure each time: only the duration in the output differs. Then it
gives up. All of it is invented; the record layout is that of Claude Code.

    gen_demo.py [--check]      write the file, or fail when the committed one differs
"""
import datetime
import hashlib
import json
import pathlib
import sys

OUT = pathlib.Path(__file__).resolve().parent.parent / "testdata/demo/stuck-session.jsonl"
SESSION = "5d0c4a7e-2f61-4b8e-9a33-8c1f0be27d10"
CWD = "/home/kim/invoice"
MODEL = "claude-sonnet-4-5"
REPEATS = 9

FORMAT_JS = """export function formatAmount(cents) {
  const euros = Math.floor(cents / 100);
  const rest = String(cents % 100).padStart(2, "0");
  return `${euros},${rest} €`;
}"""
DUE_JS = """export function dueDate(invoice, terms = 14) {
  const day = new Date(invoice.date);
  day.setDate(day.getDate() + terms);
  return day.toISOString().slice(0, 10);
}"""
DUE_TEST = """import { dueDate } from "../src/due.js";

test("a due date stays on the calendar day of the customer", () => {
  expect(dueDate({ date: "2026-03-28T00:30:00+01:00" }, 1)).toBe("2026-03-29");
});"""
FAILURE = """
> invoice@1.4.0 test
> vitest run

 FAIL  test/due.test.js > a due date stays on the calendar day of the customer
AssertionError: expected '2026-03-28' to be '2026-03-29' // Object.is equality

Expected: "2026-03-29"
Received: "2026-03-28"

 ❯ test/due.test.js:4:69

 Test Files  1 failed | 3 passed (4)
      Tests  1 failed | 21 passed (22)
   Duration  {duration}"""
PASSES = """
> invoice@1.4.0 test
> vitest run

 ✓ test/format.test.js (7)
 ✓ test/lines.test.js (9)
 ✓ test/total.test.js (5)

 Test Files  3 passed (3)
      Tests  21 passed (21)
   Duration  {duration}"""
HOPES = [
    "The fix is in. Running the tests.",
    "Still red. The edit may not have been picked up; running the tests again.",
    "",
    "That should have passed. Let me run it once more.",
    "",
    "Maybe a cached transform. Running the tests again.",
    "",
    "Let me check the test result one more time.",
    "",
]


def identifier(kind, number):
    """A stable made-up id: the same run gives the same file."""
    return hashlib.sha256(f"{kind}/{number}".encode()).hexdigest()


def uuid(number):
    h = identifier("record", number)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:32]}"


class Session:
    def __init__(self):
        self.lines = []
        self.now = datetime.datetime(2026, 4, 2, 9, 14, 3, 120000)
        self.parent = None
        self.responses = 0
        self.calls = 0
        self.context = 14200  # tokens sent with the next request
        self.cached = 0

    def stamp(self, seconds):
        self.now += datetime.timedelta(seconds=seconds)
        return self.now.isoformat(timespec="milliseconds") + "Z"

    def raw(self, record):
        self.lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))

    def record(self, kind, seconds, fields):
        number = len(self.lines)
        self.raw({"parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": CWD,
                  "sessionId": SESSION, "version": "2.1.37", "gitBranch": "main", "type": kind, **fields,
                  "uuid": uuid(number), "timestamp": self.stamp(seconds)})
        self.parent = uuid(number)

    def human(self, text, seconds=40):
        self.context += len(text) // 4
        self.record("user", seconds, {"message": {"role": "user", "content": text}})

    def respond(self, *blocks, stop="tool_use"):
        """One response: a record for each block, all with the ids and the usage of the response."""
        self.responses += 1
        size = sum(len(json.dumps(b, ensure_ascii=False)) for b in blocks) // 4 + 8
        usage = {"input_tokens": 6, "cache_creation_input_tokens": self.context - self.cached,
                 "cache_read_input_tokens": self.cached, "output_tokens": size, "service_tier": "standard"}
        self.cached = self.context
        self.context += size
        ids = identifier("response", self.responses)
        for block in blocks:
            message = {"model": MODEL, "id": "msg_01" + ids[:22], "type": "message", "role": "assistant",
                       "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}
            self.record("assistant", 2.31, {"message": message, "requestId": "req_011" + ids[22:43]})

    def step(self, say, tool, arguments, output, error=False, structured=None, seconds=1.7):
        """A call, with words before it or without, and its result."""
        self.calls += 1
        call = "toolu_01" + identifier("call", self.calls)[:22]
        blocks = [{"type": "text", "text": say}] if say else []
        self.respond(*blocks, {"type": "tool_use", "id": call, "name": tool, "input": arguments})
        result = {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": error}
        self.context += len(output) // 4
        self.record("user", seconds, {"message": {"role": "user", "content": [result]},
                                      "toolUseResult": structured or output})

    def bash(self, say, command, output, error=False, **more):
        text = ("Exit code 1\n" if error else "") + output
        structured = f"Error: {text}" if error else {"stdout": output, "stderr": "", "interrupted": False}
        self.step(say, "Bash", {"command": command, "description": "Run the tests"}, text, error, structured, **more)

    def read(self, say, path, text):
        numbered = "\n".join(f"{n:6}→{line}" for n, line in enumerate(text.split("\n"), 1))
        self.step(say, "Read", {"file_path": f"{CWD}/{path}"}, numbered,
                  structured={"type": "text", "file": {"filePath": f"{CWD}/{path}", "content": text,
                                                       "numLines": text.count("\n") + 1}})

    def edit(self, say, path, old, new):
        self.step(say, "Edit", {"file_path": f"{CWD}/{path}", "old_string": old, "new_string": new},
                  f"The file {CWD}/{path} has been updated.",
                  structured={"filePath": f"{CWD}/{path}", "oldString": old, "newString": new})


def story():
    s = Session()
    s.raw({"type": "file-history-snapshot", "messageId": uuid(1), "isSnapshotUpdate": False,
           "snapshot": {"messageId": uuid(1), "trackedFileBackups": {}, "timestamp": s.stamp(0)}})

    s.human("Amounts on invoices should read 1.234,50 € and not 1234,50 €. Please fix formatAmount.", 0)
    s.step("I'll look for the code first.", "Grep", {"pattern": "formatAmount", "path": CWD},
           "Found 3 files\nsrc/format.js\nsrc/total.js\ntest/format.test.js",
           structured={"mode": "files_with_matches", "numFiles": 3})
    s.read("", "src/format.js", FORMAT_JS)
    s.edit("Thousands need a dot.", "src/format.js", "return `${euros},${rest} €`;",
           'return `${euros.toLocaleString("de-DE")},${rest} €`;')
    s.bash("", "npm test", PASSES.replace("{duration}", "812ms"), seconds=3.4)
    s.respond({"type": "text", "text": "Done: amounts now read 1.234,50 €, and all 21 tests pass."}, stop="end_turn")

    s.human("Thanks. A customer in Berlin got an invoice that is due a day early: see test/due.test.js, which I just "
            "added. Make it pass without changing the test.", 95)
    s.read("I'll read the test, then the code.", "test/due.test.js", DUE_TEST)
    s.read("", "src/due.js", DUE_JS)
    s.step("", "Grep", {"pattern": "dueDate", "path": f"{CWD}/src"}, "Found 2 files\nsrc/due.js\nsrc/mail.js",
           structured={"mode": "files_with_matches", "numFiles": 2})
    s.edit("The day is counted in local time. I'll count in UTC.", "src/due.js",
           "day.setDate(day.getDate() + terms);", "day.setUTCDate(day.getUTCDate() + terms);")
    for turn in range(REPEATS):
        duration = f"{640 + 37 * turn % 211}ms"
        s.bash(HOPES[turn], "npm test", FAILURE.replace("{duration}", duration), error=True, seconds=2.9)
    s.respond({"type": "text", "text": "I could not get the test to pass. The change to src/due.js looks right to me; "
                                       "something in the set-up must be off."}, stop="end_turn")
    s.raw({"type": "summary", "summary": "Invoice amounts fixed, due date still a day early", "leafUuid": s.parent})
    return "".join(line + "\n" for line in s.lines)


def main():
    text = story()
    if sys.argv[1:] == ["--check"]:
        if OUT.read_text(encoding="utf-8") != text:
            sys.exit(f"{OUT.name} is not what {pathlib.Path(__file__).name} writes; run it without --check")
        return
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
