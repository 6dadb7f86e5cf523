"""Searching and reading: what finds nothing new, and what only takes long."""
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import BEACON, FERRY, KILN, ORCHARD, Dice, hits, numbered, set_out, settle


@scenario("loop-grep-reshuffled", "The words of a search change places 24 times; the same lines come back", row="t12",
          rules=["stagnation", "reworded-search", "near-repeat"])
def grep_reshuffled():
    s, p, dice = session("reshuffled", BEACON)
    set_out(s, p, dice, "quorum")
    found = hits(p, "quorum", ["probe", "region", "relay", "lease"], dice)
    orders = []
    while len(orders) < 24:
        order = "|".join(dice.shuffled(["quorum", "majority", "votes", "elect"]))
        if order not in orders:
            orders.append(order)
    with s.loop():
        for order in orders:
            s.call("Grep", {"pattern": order, "path": p.home, "output_mode": "content"}, found)
    s.interrupted()
    return s


@scenario("ok-greps-that-differ", "24 searches in one folder, each finding something else", row="t12",
          beside="loop-grep-reshuffled")
def greps_that_differ():
    s, p, dice = session("greps-differ", BEACON)
    set_out(s, p, dice, "quorum")
    for noun in p.nouns[:24]:
        s.call("Grep", {"pattern": f"{noun}|{noun}s", "path": p.home, "output_mode": "content"}, hits(p, noun, ["probe"], dice))
    settle(s, p, dice, "quorum")
    return s


@scenario("warn-empty-searches", "Ten different searches in a row, all without a result", row="t28",
          rules=["stagnation", "reworded-search", "near-repeat"])
def empty_searches():
    s, p, dice = session("empty-searches", BEACON)
    set_out(s, p, dice, "silence")
    with s.loop():
        for pattern in ["mute", "snooze", "suppress.*alert", "doNotDisturb", "quiet[_-]?hours", "inhibit", "pauseAlerts",
                        "holdOff", "blackout", "maintenance.*window"]:
            s.call("Grep", {"pattern": pattern, "path": p.home}, "No matches found")
    s.says("The code has no word for it; silences are what this project calls them, I will read that module.")
    settle(s, p, dice, "silence")
    return s


@scenario("ok-none-of-ten-is-used", "Ten names are to be searched for, and none of them is used any more", row="t28",
          beside="warn-empty-searches")
def none_of_ten():
    s, p, dice = session("none-of-ten", BEACON)
    names = ["mute", "snooze", "holdOff", "blackout", "inhibit", "pauseAlerts", "quietHours", "doNotDisturb", "suppress", "window"]
    set_out(s, p, dice, "silence", task="Check that none of these is used any more: " + ", ".join(names))
    for name in names:
        s.call("Grep", {"pattern": name, "path": p.home}, "No matches found")
    s.says("None of the ten is used any more.")
    return s


@scenario("ok-three-empty-searches", "Three searches without a result, then a hit, twice over", row="t28",
          beside="warn-empty-searches")
def three_empty():
    s, p, dice = session("three-empty", BEACON)
    set_out(s, p, dice, "silence")
    for words in (["mute", "snooze", "inhibit", "silence"], ["holdOff", "blackout", "pauseAlerts", "quota"]):
        for pattern in words[:3]:
            s.call("Grep", {"pattern": pattern, "path": p.home}, "No matches found")
        s.call("Grep", {"pattern": words[3], "path": p.home}, hits(p, words[3], ["rota"], dice))
        s.read(p.path(words[3]), numbered(p.source(words[3])))
    settle(s, p, dice, "silence")
    return s


PAGES = {"ferry": "Old ferries of the sound", "island": "Islands without a bridge", "tariff": "Tariff table 1931"}


def found_pages(dice, subject):
    return "\n".join(f"{i + 1}. {PAGES[k]} (https://archive.example/{k})" for i, k in enumerate(dice.shuffled(PAGES)))


@scenario("warn-reworded-web-search", "One question is put to a web search in nine wordings; the same three pages come back",
          row="t28 t12", rules=["reworded-search", "stagnation", "near-repeat"])
def reworded_web():
    s, p, dice = session("reworded", FERRY)
    set_out(s, p, dice, "fare", task="What did a foot passenger pay on the sound ferry in 1931?")
    same = found_pages(dice, "fare")
    with s.loop():
        for query in ["sound ferry fare 1931", "1931 fare sound ferry", "sound ferry 1931 foot passenger fare",
                      "foot passenger fare sound ferry 1931", "fare for foot passengers, sound ferry, 1931",
                      "sound ferry fares 1931 foot passengers", "1931 sound ferry passenger fare", "ferry fare sound 1931 foot",
                      "sound ferry foot passenger fare in 1931"]:
            s.call("WebSearch", {"query": query}, same)
    return s


@scenario("ok-web-search-that-narrows", "Nine searches about one subject, each after reading what the last one found",
          row="t28", beside="warn-reworded-web-search")
def narrowing_web():
    s, p, dice = session("narrowing", FERRY)
    set_out(s, p, dice, "fare", task="What did a foot passenger pay on the sound ferry in 1931?")
    for turn, words in enumerate(["sound ferry history", "sound ferry company founded", "steamship line tariffs",
                                  "tariff book 1930 ferries", "ferry line 1931 annual report", "foot passenger fare shillings",
                                  "price of a crossing 1931", "ferry ticket collection museum", "1931 ticket scan"]):
        url = f"https://archive.example/{dice.hex(6)}"
        s.call("WebSearch", {"query": words}, f"1. {words.title()} ({url})\n2. Notes on {words} (https://notes.example/{dice.hex(4)})")
        s.call("WebFetch", {"url": url, "prompt": "what does it say about fares?"}, f"Page {turn + 1}: fares of {1900 + dice.between(1, 40)} are listed, {dice.between(2, 19)} pence")
    s.says("Ninepence, according to the ticket in the museum.")
    return s


def windows(s, p, noun, starts, size):
    for start in starts:
        text = "\n".join(f"{p.name} {noun} entry {line}: {Dice(f'{noun}/{line}').hex(10)}" for line in range(start, start + size))
        s.call("Read", {"file_path": f"{p.home}/data/{noun}.log", "offset": start, "limit": size}, numbered(text, start))


@scenario("loop-file-paged-again", "A log is paged to its end, then from an offset once more, and once more", row="t26",
          rules=["file-sweep"], slack=2)
def paged_again():
    s, p, dice = session("paged-again", BEACON)
    set_out(s, p, dice, "scrape")
    with s.loop():
        windows(s, p, "scrape", range(1, 1000, 60), 60)
        windows(s, p, "scrape", range(31, 1000, 60), 60)
        windows(s, p, "scrape", range(16, 1000, 60), 60)
    s.interrupted()
    return s


@scenario("ok-file-paged-once", "A log is paged once, fifteen windows, and then two places are read again", row="n20",
          beside="loop-file-paged-again")
def paged_once():
    s, p, dice = session("paged-once", BEACON)
    set_out(s, p, dice, "scrape")
    windows(s, p, "scrape", range(1, 900, 60), 60)
    windows(s, p, "scrape", [200, 640], 40)
    settle(s, p, dice, "scrape")
    return s


@scenario("loop-growing-command", "Each command is the one before and one more copy of its last part", row="t27",
          rules=["self-appending"])
def growing_command():
    s, p, dice = session("growing", KILN)
    set_out(s, p, dice, "curve")
    command = "python3 tools/plot_curve.py --batch spring --smooth 3"
    with s.loop():
        for turn in range(12):
            s.bash(command, f"usage: plot_curve.py [-h] --batch BATCH\nplot_curve.py: error: argument --out is missing (after {turn * 2 + 6} words)", True)
            command += " --batch spring --smooth 3"
    return s


@scenario("ok-growing-pipeline", "A pipeline is built step by step; each step shows something new", row="t27",
          beside="loop-growing-command")
def growing_pipeline():
    s, p, dice = session("pipeline", KILN)
    set_out(s, p, dice, "sensor")
    command = "cat data/sensor-readings.csv"
    for more, shown in [("", "time,shelf,heat\n09:00,1,640\n09:00,2,655\n09:01,1,644"), (" | grep ',1,'", "09:00,1,640\n09:01,1,644"),
                        (" | cut -d, -f3", "640\n644"), (" | sort -n", "612\n640\n644"), (" | uniq -c", "  1 612\n  4 640\n  2 644"),
                        (" | sort -rn", "  4 640\n  2 644\n  1 612"), (" | head -1", "  4 640"), (" | awk '{print $2}'", "640")]:
        command += more
        s.bash(command, shown)
    settle(s, p, dice, "sensor")
    return s


@scenario("ok-opening-exploration", "A listing and then twelve different files: how work on strange code begins", row="n10",
          beside="loop-four-reads")
def opening_exploration():
    s, p, dice = session("opening", ORCHARD)
    s.human("I just inherited this. What does it do?")
    s.call("LS", {"path": f"{p.home}/src"}, "\n".join(f"- {noun}.ts" for noun in p.nouns))
    for noun in p.nouns[:12]:
        s.read(p.path(noun), numbered(p.source(noun)))
    s.says("It runs an orchard's shop: what grows, what is pressed, what is sold.")
    return s


@scenario("loop-numbered-variants", "Ports 3001, 3002, ... are asked one after the other; all are closed", row="t12",
          rules=["near-repeat", "same-error", "stagnation"])
def numbered_variants():
    s, p, dice = session("variants", ORCHARD)
    set_out(s, p, dice, "order")
    with s.loop():
        for port in range(3001, 3025):
            s.bash(f"nc -z localhost {port}", "Exit code 1", True, "Is it there?")
    s.interrupted()
    return s
