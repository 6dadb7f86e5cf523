#!/usr/bin/env python3
"""Writes a linker script that puts the functions of a program side by side that its runs need.

    function_order.py PROGRAM OUT CALLGRIND_FILE...

The files are callgrind's of runs of PROGRAM, their names not demangled. Functions of the first file come first, those that
took most instructions in front; functions that only later files have follow in the same way.
"""
import re
import subprocess
import sys

HEAD = """/* Made by scripts/make-order.sh. The functions that a scan needs are a tenth of the program. Where they lie among the
 * others, the system maps nearly all of it: it brings in sixteen pages for each that is missing. */
SECTIONS
{
  .text.needed :
  {
    *(.text.*avx512*)
    *(.text.*4wide*)
"""
TAIL = """  }
}
INSERT BEFORE .text;
"""


def functions_of(program):
    """Names of the functions that the program holds itself."""
    lines = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for _, kind, name in (line.split(None, 2) for line in lines) if kind in "tTwW"}


def costs_of(path):
    """Instructions of each function itself, by name."""
    names, costs, function, of_call = {}, {}, None, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            named = re.match(r"c?fn=(\(\d+\))(?: (\S+))?", line)
            if named:
                if named[2]:
                    names[named[1]] = re.sub(r"'\d+$", "", named[2])  # without how deep it calls itself
                if line.startswith("fn="):
                    function = names[named[1]]
            elif line.startswith("calls="):
                of_call = True
            elif line[0] in "0123456789+-*" and function:
                if not of_call:
                    costs[function] = costs.get(function, 0) + int(line.split()[1])
                of_call = False
    return costs


def sections_of(name):
    """Where a compiler puts a function: constructors and destructors that are alike share the section of one of them."""
    alike = {name} | {re.sub(f"({kind})[12](?=E)", rf"\g<1>{number}", name) for kind in "CD" for number in "12"}
    return sorted(alike, key=lambda other: (other != name, other))


def main():
    program, out, *paths = sys.argv[1:]
    own, order = functions_of(program), {}
    for path in paths:
        costs = costs_of(path)
        for name in sorted(costs, key=lambda name: (-costs[name], name)):
            if name in own:
                order.setdefault(name)
    if not order:
        sys.exit("function_order: not one function of " + program + " was run")
    with open(out, "w", encoding="utf-8") as file:
        file.write(HEAD)
        # Without quotes: of quoted names GNU ld 2.40 forgets some, each time others.
        file.writelines(f"    *(.text.{section})\n" for section in dict.fromkeys(s for name in order for s in sections_of(name)))
        file.write(TAIL)
    print(f"{out}: {len(order)} of {len(own)} functions")


if __name__ == "__main__":
    main()
