#!/usr/bin/env python3
"""Writes src/tokens/unicode_classes.inc: the character classes the pre-tokenisers tell apart.

Taken from Python's unicodedata (Debian 12: Unicode 14), plus the ideographs assigned since. Blocks of 128 code points, equal ones once; a digit is a class:

  0 other   1 white space   2 line break (CR, LF)   3 number (N)
  4 upper or title case (Lu, Lt)   5 lower case (Ll)   6 other letter (Lm, Lo)   7 mark (M)

usage: scripts/gen_unicode_classes.py > src/tokens/unicode_classes.inc
"""

import unicodedata

BLOCK = 128

# What \s means in JavaScript: Unicode's white space without U+0085, and the byte order mark.
SPACES = {0x09, 0x0B, 0x0C, 0x20, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF, *range(0x2000, 0x200B)}

# Ideographs assigned since Unicode 14: (first, last, general category). Scripts that were added since are left out: their
# letters count as other characters.
SINCE_14 = [
    (0x2B739, 0x2B73F, "Lo"), (0x2CEA2, 0x2CEAD, "Lo"), (0x2EBF0, 0x2EE5D, "Lo"), (0x31350, 0x33479, "Lo"),
]

CLASS_OF_CATEGORY = {"Lu": 4, "Lt": 4, "Ll": 5, "Lm": 6, "Lo": 6}


def category(code):
    known = unicodedata.category(chr(code))
    if known == "Cn":
        for first, last, newer in SINCE_14:
            if first <= code <= last:
                return newer
    return known


def class_of(code):
    if code in (0x0A, 0x0D):
        return 2
    if code in SPACES:
        return 1
    cat = category(code)
    if cat in CLASS_OF_CATEGORY:
        return CLASS_OF_CATEGORY[cat]
    return {"N": 3, "M": 7}.get(cat[0], 0)


def main():
    numbers = {}
    index = []
    for start in range(0, 0x110000, BLOCK):
        block = "".join(str(class_of(code)) for code in range(start, start + BLOCK))
        index.append(numbers.setdefault(block, len(numbers)))
    assert len(numbers) < 256
    # Planes without letters end the index: everything beyond is `other`.
    while index[-1] == index[-2]:
        index.pop()
    print("// Written by scripts/gen_unicode_classes.py; do not edit.")
    print("// clang-format off")
    print(f"inline constexpr std::array<std::string_view, {len(numbers)}> kClassBlocks{{")
    for block in numbers:
        print(f'    "{block[:64]}"')
        print(f'    "{block[64:]}",')
    print("};")
    print(f"inline constexpr std::array<std::uint8_t, {len(index)}> kBlockOf{{")
    for at in range(0, len(index), 28):
        print("    " + " ".join(f"{n}," for n in index[at:at + 28]))
    print("};")


if __name__ == "__main__":
    main()
