#!/usr/bin/env python3
"""Writes the .eval samples in testdata/readers/inspect: small evaluation logs in ZIP archives, some of them damaged.

    scripts/gen_zip_fixtures.py        no arguments; the same bytes every time (entries are stored or deflated, undated)
"""
import io
import json
import pathlib
import struct
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "testdata/readers/inspect"


def sample(number, epoch, question, answer):
    return {
        "id": number,
        "epoch": epoch,
        "input": question,
        "target": "",
        "messages": [
            {"id": f"u{number}", "role": "user", "source": "input", "content": question},
            {"id": f"a{number}", "role": "assistant", "content": "",
             "tool_calls": [{"id": f"c{number}", "function": "bash", "arguments": {"cmd": "ls"}}]},
            {"id": f"t{number}", "role": "tool", "tool_call_id": f"c{number}", "function": "bash", "content": answer},
            {"id": f"e{number}", "role": "assistant", "content": "One file."},
        ],
        "events": [{"event": "model", "timestamp": "2026-01-02T03:04:05+00:00",
                    "output": {"choices": [{"message": {"id": f"a{number}"}}],
                               "usage": {"input_tokens": 20, "output_tokens": 3, "total_tokens": 23}}}],
    }


HEADER = {"version": 2, "status": "success", "eval": {"task": "list_files", "model": "acme/small-1",
                                                      "packages": {"inspect_ai": "0.3.135"}}}


def archive(entries):
    """Entries are (name, value, method)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zip_file:
        for name, value, method in entries:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            text = value if isinstance(value, str) else json.dumps(value, indent=2)
            zip_file.writestr(info, text)
    return out.getvalue()


def main():
    stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    first, second = sample(1, 1, "what is in here?", "todo.txt"), sample(2, 1, "and now?", "done.txt")
    whole = archive([
        ("_journal/start.json", HEADER, deflated),
        ("samples/1_epoch_1.json", first, deflated),
        ("samples/2_epoch_1.json", second, stored),
        ("_journal/summaries/1.json", [{"id": 1}], deflated),
        ("summaries.json", [{"id": 1}, {"id": 2}], deflated),
        ("header.json", HEADER, deflated),
    ])
    (FOLDER / "full-archive.eval").write_bytes(whole)
    (FOLDER / "bad-cut.eval").write_bytes(whole[:len(whole) // 2])
    # One byte of the first sample is another one.
    damaged = bytearray(whole)
    name = b"samples/1_epoch_1.json"
    at = damaged.find(name) + len(name)
    damaged[at + 40] ^= 0xFF
    (FOLDER / "bad-sample.eval").write_bytes(bytes(damaged))
    # The directory gives the second sample the place of the first one.
    overlap = bytearray(whole)
    entry = overlap.rfind(b"samples/2_epoch_1.json") - 46
    place_of_first = struct.unpack_from("<I", overlap, overlap.rfind(b"samples/1_epoch_1.json") - 46 + 42)[0]
    struct.pack_into("<I", overlap, entry + 42, place_of_first)
    (FOLDER / "bad-overlap.eval").write_bytes(bytes(overlap))
    # Names are labels: none of these is a file anywhere.
    (FOLDER / "bad-names.eval").write_bytes(archive([
        ("../../samples/1_epoch_1.json", first, stored),
        ("/etc/passwd", "{}", stored),
        ("samples/../../2.json", second, stored),
        ("samples/", "", stored),
        ("samples/3.json", "not JSON at all", stored),
    ]))


if __name__ == "__main__":
    main()
