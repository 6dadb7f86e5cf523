#!/usr/bin/env python3
"""Writes src/tokens/model_table.inc: windows and prices of models, as the program ships them.

Only facts are taken over (ids, sizes, prices); they were collected from two lists published under the MIT licence (the
provider data of pi-ai, and LiteLLM's price list). FACTS is JSON: {"generated": date, "models": {id: {provider,
context_window, max_output, and in USD per million tokens input, output, cache_read, cache_write, cache_write_1h;
tiers: [{input_tokens_above, …}]; cache_ttl_s: {short, long}}}}. A price of 0 for both input and output is no price.

RETIRED has models that the lists dropped when their providers did: recordings outlive models.

usage: scripts/gen_model_table.py FACTS > src/tokens/model_table.inc
"""

import json
import sys
from decimal import Decimal

RETIRED = {
    # 2025-11 to 2026-06, for months the model of Gemini CLI
    "gemini-3-pro-preview": {
        "provider": "google", "context_window": 1048576, "max_output": 65535, "input": 2, "output": 12, "cache_read": 0.2,
        "tiers": [{"input_tokens_above": 200000, "input": 4, "output": 18, "cache_read": 0.4}],
    },
}

KINDS = ["input", "output", "cache_read", "cache_write", "cache_write_1h"]


def prices(entry):
    """Millionths of a micro-dollar for one token: exact whole numbers."""
    out = []
    for kind in KINDS:
        price = Decimal(str(entry.get(kind, 0))) * 1_000_000
        assert price == int(price) and price >= 0, entry
        out.append(str(int(price)))
    return "{" + ", ".join(out) + "}"


def main():
    with open(sys.argv[1], encoding="utf-8") as facts:
        known = json.load(facts)
    print("// Written by scripts/gen_model_table.py; do not edit.")
    print("// clang-format off")
    print(f'inline constexpr std::string_view kModelTableDate = "{known["generated"]}";')
    rows = sorted({**RETIRED, **known["models"]}.items(), key=lambda item: item[0].encode())
    print(f"inline constexpr std::array<ModelRow, {len(rows)}> kModelTable{{{{")
    for name, entry in rows:
        assert all(c.isascii() and (c.isalnum() or c in "-._/") for c in name), name
        tiers = entry.get("tiers", [])
        assert len(tiers) <= 1, name
        above = tiers[0]["input_tokens_above"] if tiers else 0
        tier = prices(tiers[0]) if tiers else "{}"
        print(f'    {{"{name}", "{entry["provider"]}", {entry["context_window"]}, {entry["max_output"]}, '
              f"{prices(entry)}, {above}, {tier}}},")
    print("}};")


if __name__ == "__main__":
    main()
