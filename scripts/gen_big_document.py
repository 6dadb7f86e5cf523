#!/usr/bin/env python3
"""Writes one huge session document to standard output: {"info": …, "messages": […], "trajectory_format": …}.

    scripts/gen_big_document.py BYTES [--one-line] | agent-audit scan -

The proof that documents are read in bounded memory; the size is reached to within one block of messages. Deterministic.
"""

import argparse
import json
import sys


def block(first: int, count: int, indent: str, newline: str) -> str:
    out = []
    for n in range(first, first + count):
        ok = n % 7 != 0
        pair = (
            {
                "role": "assistant",
                "content": f"Looking at part {n} of the module, because the part before it called \"{n}\".",
                "extra": {
                    "actions": [{"command": f"sed -n {n},{n + 40}p src/part_{n % 97}.py", "tool_call_id": f"call_{n}"}],
                    "response": {"usage": {"prompt_tokens": 900 + n % 50, "completion_tokens": 40}},
                },
            },
            {
                "role": "tool",
                "tool_call_id": f"call_{n}",
                "content": f"def part_{n}():\n    return [{n}, {{\"a\": \"}}\"}}]\n" * 40 if ok else f"sed: line {n}: no such file",
                "extra": {"returncode": 0 if ok else 1},
            },
        )
        out.extend(indent + json.dumps(message) for message in pair)
    return ("," + newline).join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bytes", type=int)
    parser.add_argument("--one-line", action="store_true", help="no newline anywhere")
    options = parser.parse_args()
    newline, indent = ("", "") if options.one_line else ("\n", "  ")
    write = sys.stdout.buffer.write

    write((f'{{{newline}"info": {{"mini_version": "2.0.0", "exit_status": "Submitted"}},{newline}"messages": [{newline}'
           f'{indent}{{"role": "system", "content": "You fix programs."}},{newline}'
           f'{indent}{{"role": "user", "content": "Read all parts."}}').encode())
    written, number = 0, 1
    # The same numbers come again and again: what matters is the size, and one block is quickly repeated.
    text = [("," + newline + block(number + i * 500, 500, indent, newline)).encode() for i in range(20)]
    while written < options.bytes:
        piece = text[number % len(text)]
        write(piece)
        written += len(piece)
        number += 1
    write(f'{newline}],{newline}"trajectory_format": "mini-swe-agent-1.1"{newline}}}{newline}'.encode())


if __name__ == "__main__":
    main()
