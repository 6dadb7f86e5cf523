"""What the agent says: texts that run in circles, and texts that are only long or regular."""
from session_writer import Chat
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import ALMANAC, BEACON, FERRY, KILN, ORCHARD, Dice, numbered, set_out, settle

OPENING = ("I have read the module and its tests. The limit is applied before the list is sorted, so the last entry is lost "
           "whenever two entries share a rank. ")


@scenario("loop-one-sentence", "One sentence forty times in one message", row="t18", rules=["chanting"])
def one_sentence():
    s, p, dice = session("one-sentence", FERRY)
    set_out(s, p, dice, "ticket")
    with s.loop():
        s.says(OPENING + "Now I will write the corrected function to the file. " * 40)
    s.interrupted()
    return s


@scenario("loop-one-word-a-line", "One word, line after line, four hundred times", row="t19 e13", rules=["chanting"])
def one_word():
    s, p, dice = session("one-word", ALMANAC)
    set_out(s, p, dice, "fairs")
    with s.loop():
        s.says("The fairs of the county are held in:\n\n" + "court\n" * 400)
    return s


@scenario("loop-reasoning-block", "A block of six hundred characters comes back eight times in the reasoning", row="t20 e13",
          rules=["chanting"])
def reasoning_block():
    s, p, dice = session("reasoning", KILN)
    set_out(s, p, dice, "flame")
    block = ("The sensor gives the heat in tenths, but the curve counts in whole degrees, so the burner starts ten times too "
             "late. If I change the sensor, the log changes as well, and the potter reads the log. If I change the curve, "
             "every stored batch is wrong by a factor of ten. A third way is a conversion where both meet, in the firing "
             "module; but that module is shared with the drying program, which has no curve at all and takes the heat as "
             "it comes. So the conversion would have to know who asks. Wait, let me think about the sensor again before I "
             "decide anything about the rest of it. ")
    with s.loop():
        s.thinks("I should decide where to convert. " + block * 8)
    return s


@scenario("loop-bullets-in-turn", "A list of 120 lines in which two entries take turns", row="t21 e13", rules=["chanting"])
def bullets():
    s, p, dice = session("bullets", ORCHARD)
    set_out(s, p, dice, "label")
    with s.loop():
        s.says("What remains to be done:\n\n" + ("- print the labels for the pears\n- check the labels of the crates\n" * 60))
    return s


@scenario("loop-paragraph-in-message", "A closing paragraph that is written nine times", row="t20", rules=["chanting"])
def paragraph():
    s, p, dice = session("paragraph", BEACON)
    set_out(s, p, dice, "digest")
    with s.loop():
        s.says(OPENING + "\n\n" + ("In summary, the digest is now sent once an hour, the window is taken from the settings, and "
                                   "the tests for both are green. Let me know if the digest should also go to the second "
                                   "region, or whether the window should be longer on Sundays.\n\n") * 9)
    return s


@scenario("ok-sixty-bullets", "A list of sixty entries that all begin alike", row="n14 e13", beside="loop-bullets-in-turn")
def sixty_bullets():
    s, p, dice = session("sixty-bullets", ORCHARD)
    set_out(s, p, dice, "row")
    s.says("These still lack a test:\n\n" + "".join(
        f"- [ ] add a test for the {noun} module that covers its {verb} function\n" for noun in p.nouns for verb in p.verbs(noun)[:2]))
    settle(s, p, dice, "row")
    return s


@scenario("ok-rows-in-a-fence", "Eighty equal rows of a table inside a code fence", row="n15 e13", beside="loop-one-sentence")
def rows_in_fence():
    s, p, dice = session("fence", KILN)
    set_out(s, p, dice, "curve")
    s.says("The table has to begin empty:\n\n```rust\npub const CURVE: [(u32, u32, u32); 80] = [\n" + "    (0, 0, 0),\n" * 80 + "];\n```\n\n"
           "The recipe fills it when it is loaded.")
    settle(s, p, dice, "curve")
    return s


@scenario("ok-markdown-table", "A table of sixty rows in which most cells are equal", row="n16 e13", beside="loop-bullets-in-turn")
def markdown_table():
    s, p, dice = session("table", BEACON)
    set_out(s, p, dice, "status")
    s.says("| module | tests | lint | docs |\n|---|---|---|---|\n" + "".join(
        f"| {noun} {part} | yes | yes | no |\n" for noun in p.nouns for part in ("core", "edge")))
    settle(s, p, dice, "status")
    return s


@scenario("ok-song-with-refrain", "A song whose refrain comes after each of six verses", row="n14", beside="loop-paragraph-in-message")
def song():
    s, p, dice = session("song", ALMANAC)
    set_out(s, p, dice, "feasts", task="Write a harvest song of six verses with a refrain for the feasts page.")
    refrain = "Bring in, bring in, the barley and the rye,\nthe year is round, the barns are high.\n\n"
    verses = [f"The {a} came over the {b} at {c},\nand we were out in the {d} before {e}.\n\n" for a, b, c, d, e in [
        ("lark", "hill", "four", "dew", "day"), ("sun", "mill", "five", "wheat", "bread"), ("cart", "ford", "nine", "dust", "noon"),
        ("boys", "wall", "ten", "apples", "school"), ("cloud", "church", "two", "hay", "rain"), ("moon", "barn", "dusk", "lane", "sleep")]]
    s.says("".join(verse + refrain for verse in verses))
    s.edit(p.path("feasts"), "## How to", "## The song\n\n## How to")
    settle(s, p, dice, "feasts")
    return s


@scenario("ok-log-lines-quoted", "Forty lines of a log are quoted, alike but for their times and numbers", row="n15",
          beside="loop-one-sentence")
def log_lines():
    s, p, dice = session("log-lines", BEACON)
    set_out(s, p, dice, "relay")
    s.says("This is what the relay wrote in the night:\n\n" + "".join(
        f"    0{dice.between(1, 5)}:{dice.between(10, 59)}:{dice.between(10, 59)} relay {dice.pick(p.nouns)} took {dice.between(2, 900)} ms for batch {dice.between(100, 9999)}\n" for _ in range(40))
        + "\nEach batch is slow by itself; nothing waits for anything else.")
    settle(s, p, dice, "relay")
    return s


@scenario("loop-same-message", "The agent sends one message five times and calls nothing", row="t22", rules=["monologue"])
def same_message():
    s, p, dice = session("same-message", BEACON)
    set_out(s, p, dice, "replay")
    with s.loop():
        for _ in range(5):
            s.says("I will now run the replay against the stored shard and compare both ledgers.")
    return s


@scenario("loop-same-message-chat", "The same in a chat log, where somebody else's silence is not recorded", row="t22",
          rules=["monologue"])
def same_message_chat():
    s = Chat()
    s.system("You plan tours for a small ferry line.")
    s.human("Plan me a tour to the three islands, two days, no bus.")
    s.call("timetable", {"line": "islands"}, "Mo-Fr 07:10 09:40 14:00 17:30")
    with s.loop():
        for _ in range(6):
            s.says("I have your two-day tour ready. Shall I book the crossing at 07:10?")
    return s


@scenario("warn-restated-plan", "One plan in six wordings, and nothing is done", row="t23", rules=["monologue-near"])
def restated_plan():
    s, p, dice = session("restated", ORCHARD)
    set_out(s, p, dice, "press")
    with s.loop():
        for text in ["I will first read the press module, then change the limit, then run the tests.",
                     "First I will read the press module, then I will change the limit, then run the tests.",
                     "I will read the press module first, then change the limit and then run the tests.",
                     "I will first read the press module and then change the limit, then run the tests again.",
                     "Then I will first read the press module, change the limit, and then run the tests.",
                     "So I will first read the press module, then change the limit, and then run the tests."]:
            s.says(text)
    return s


@scenario("ok-status-lines", "Six short status messages in a row, each about another step", row="t23", beside="warn-restated-plan")
def status_lines():
    s, p, dice = session("status-lines", ORCHARD)
    set_out(s, p, dice, "press")
    for text in ["The press module counts litres in whole numbers.", "Half litres are lost, which explains the report of Tuesday.",
                 "Barrels have the same trouble, crates do not.", "I would store millilitres and show litres.",
                 "That touches four files and the export.", "The export must keep its old unit for the cooperative."]:
        s.says(text)
    settle(s, p, dice, "press")
    return s


@scenario("ok-done-after-each-wish", "A person wishes six things and hears the same word after each", row="n12",
          beside="loop-same-message")
def done_after_each():
    s, p, dice = session("done-each", ORCHARD)
    for noun in p.nouns[:6]:
        s.human(f"Rename the field weight to mass in {noun}.")
        s.edit(p.path(noun), "weight", "mass")
        s.says("Done.")
    return s


@scenario("ok-same-announcement", "The same announcement before each of fourteen different reads", row="n10",
          beside="loop-same-message")
def same_announcement():
    s, p, dice = session("announcement", FERRY)
    s.human("Which modules still sort by number? List them.")
    for noun in p.nouns[:14]:
        name = s.asks(("Read", {"file_path": p.path(noun)}), said="Let me look at the next module.")
        s.answer(name, numbered(p.source(noun)))
    s.says("Six of them: " + ", ".join(p.nouns[:6]) + ".")
    return s


@scenario("loop-nodes-in-turn", "A team of three named agents hands one task round without a word that is new", row="t07",
          rules=["node-visits", "monologue", "monologue-near", "cycle", "revisit-ratio"], slack=4,
          select=["all"], note="a chat of named agents; the span may be that of one speaker")
def nodes_in_turn():
    s = Chat()
    s.human("Write a leaflet about the new crossing.")
    with s.loop():
        for _ in range(12):
            s.message(role="assistant", name="planner", content="The leaflet needs a text. Writer, please write it.")
            s.message(role="assistant", name="writer", content="I need the times first. Researcher, please find them.")
            s.message(role="assistant", name="researcher", content="I need to know what to look for. Planner, please decide.")
    return s


@scenario("ok-nodes-that-work", "The same three named agents, each round adding a section", row="t07", beside="loop-nodes-in-turn",
          select=["all"])
def nodes_that_work():
    s = Chat()
    s.human("Write a leaflet about the new crossing.")
    for noun in FERRY.nouns[:12]:
        dice = Dice(f"leaflet/{noun}")
        s.message(role="assistant", name="planner", content=f"Next comes the part about the {noun}; {dice.between(40, 90)} words.")
        s.message(role="assistant", name="researcher", content=f"On the {noun}: built in {dice.between(1900, 2020)}, {dice.between(2, 60)} metres, kept by {dice.pick(FERRY.nouns)} crew {dice.hex(3)}.")
        s.message(role="assistant", name="writer", content=f"'Our {noun} has served since {dice.between(1900, 2020)} and is looked after by {dice.between(2, 9)} people.' That closes the {noun}.")
    return s


@scenario("loop-asks-for-what-was-told", "A desk asks six times, in ever other words, for a number that the person has told", row="t22",
          rules=["repeated-reply"])
def asks_for_what_was_told():
    s = Chat()
    s.system("You answer for a small ferry line.")
    s.human("My bicycle stayed on board yesterday.")
    with s.loop():
        for asks, tells in (("I am sorry to hear that. Could you tell me your booking number?", "It is F-7731."),
                            ("To look into it I need the number of your booking, please.", "F-7731, I just wrote it."),
                            ("May I have your booking number?", "F-7731!"),
                            ("Please give me the booking number so that I can find the crossing.", "still F-7731"),
                            ("Which booking is it? Please send me its number.", "F-7731, the same as before")):
            s.says(asks)
            s.human(tells)
        s.says("I can only look it up with the number of the booking.")
    return s


@scenario("ok-asks-for-one-thing-after-the-other", "A desk asks six things, and the person names the booking with each answer", row="t22",
          beside="loop-asks-for-what-was-told")
def asks_one_after_the_other():
    s = Chat()
    s.system("You answer for a small ferry line.")
    s.human("My bicycle stayed on board yesterday.")
    for asks, tells in (("I am sorry to hear that. Could you tell me your booking number?", "It is F-7731."),
                        ("Thank you. Which crossing of booking F-7731 was it?", "F-7731, the one at 17:30"),
                        ("What colour is the bicycle?", "red, it has the tag of F-7731"),
                        ("Does it have a basket or a lock?", "a lock"),
                        ("Where may we bring the bicycle?", "to the island, F-7731 has the address"),
                        ("Would tomorrow on the first crossing suit you?", "yes")):
        s.says(asks)
        s.human(tells)
    s.says("It comes with the crossing at 07:10.")
    return s


PLAN = ("read the press module", "count in millilitres", "mend the export", "ask the cooperative", "write the tests",
        "run all tests", "tell the growers")


def write_plan(s, items, done=0):
    s.call("TodoWrite", {"todos": [{"content": item, "status": "completed" if i < done else "pending", "activeForm": item}
                                   for i, item in enumerate(items)]}, "Todos have been modified successfully.")


@scenario("loop-plan-over-plan", "A to-do list is rewritten eleven times, each time in other words, and nothing of it is done", row="t23",
          rules=["replanning"], slack=1)
def plan_over_plan():
    s, p, dice = session("plans", ORCHARD)
    set_out(s, p, dice, "press")
    with s.loop():
        for round_ in range(11):
            first = round_ % len(PLAN)
            write_plan(s, [f"{way} {item}" for way, item in zip(("first", "then", "carefully", "at last") * 2,
                                                                PLAN[first:] + PLAN[:first // 2])])
    return s


@scenario("ok-plan-ticked-off", "The same list, of which one entry more is done each time it is written", row="t23",
          beside="loop-plan-over-plan")
def plan_ticked_off():
    s, p, dice = session("plan-ticked", ORCHARD)
    set_out(s, p, dice, "press")
    for done in range(len(PLAN) + 1):
        write_plan(s, PLAN, done)
    settle(s, p, dice, "press")
    return s
