"""Walls that agents run against: pages, terminals, ports, tools and sub-agents that do not give way."""
from session_writer import Chat
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import BEACON, FERRY, KILN, ORCHARD, Dice, green, set_out, settle

MONTHS = ["May", "June", "July", "August", "September", "October", "November", "December", "January", "February"]


def page(heading, look):
    """A page as a browser server tells it, whose elements have other numbers with each look."""
    return (f"- Page URL: https://ferry.example/book\n- Page Title: Book\n```yaml\n- heading \"{heading}\" [ref=s{look}e3]\n"
            f"- button \"Next month\" [ref=s{look}e54]\n- button \"Close\" [ref=s{look}e55]\n```")


def click(s, element, look, answer):
    s.call("mcp__playwright__browser_click", {"element": element, "ref": f"s{look}e54"}, answer)


@scenario("loop-renumbered-button", "A button is clicked nine times; the page stays, its elements get other numbers", row="t01 t16",
          rules=["exact-repeat"])
def renumbered_button():
    s, p, dice = session("renumbered-button", FERRY)
    set_out(s, p, dice, "berth", task="Book the ferry of the 14th of next May.")
    with s.loop():
        for look in range(9):
            click(s, "Next month", look, page("May", look + 1))
    return s


@scenario("ok-renumbered-months", "The same button turns a calendar on, a month each time", row="n13", beside="loop-renumbered-button")
def renumbered_months():
    s, p, dice = session("renumbered-months", FERRY)
    set_out(s, p, dice, "berth", task="Book the ferry of the 14th of next February.")
    for look, month in enumerate(MONTHS):
        click(s, "Next month", look, page(month, look + 1))
    s.says("February is open; the 14th has two crossings.")
    return s


@scenario("loop-selectors-of-one-button", "A button that is not there is looked for by seven selectors", row="t11 t30",
          rules=["same-error", "known-answers"])
def selectors_of_one_button():
    s, p, dice = session("selectors", FERRY)
    set_out(s, p, dice, "berth", task="Send the form.")
    with s.loop():
        for place in ["#submit", "button[type=submit]", ".btn-submit", "text=Send", "form button", "//button[1]", "input[value=Send]"]:
            s.call("browser_click", {"selector": place},
                   f"Error: page.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for locator('{place}')", True)
    return s


@scenario("warn-page-to-sign-in", "Nine addresses of a shop that all lead to the page to sign in", row="t28", rules=["stagnation"])
def page_to_sign_in():
    s, p, dice = session("sign-in", ORCHARD)
    set_out(s, p, dice, "market", task="Put my last nine orders into a table.")
    with s.loop():
        for order in p.nouns[:9]:
            s.call("browser_navigate", {"url": f"https://orchard.example/orders/{order}"},
                   f"- Page URL: https://orchard.example/login?next=/orders/{order}\n- Page Title: Sign in\n"
                   "- heading \"Sign in to go on\"\n- textbox \"Mail\"\n- textbox \"Password\"")
    s.says("All of them want a password, which I do not have.")
    return s


@scenario("ok-nine-orders", "Nine addresses of a shop, an order on each", row="n03", beside="warn-page-to-sign-in")
def nine_orders():
    s, p, dice = session("nine-orders", ORCHARD)
    set_out(s, p, dice, "market", task="Put my last nine orders into a table.")
    for order in p.nouns[:9]:
        s.call("browser_navigate", {"url": f"https://orchard.example/orders/{order}"},
               f"- Page URL: https://orchard.example/orders/{order}\n- Page Title: Order\n- text: {dice.between(2, 90)} crates")
    settle(s, p, dice, "market")
    return s


def typed(s, keys, printed, pause=1.0):
    """A command line in a terminal; the answer is its screen, with the echo and the next prompt."""
    s.call("bash_command", {"keystrokes": keys + "\n", "duration": pause},
           f"New Terminal Output:\n\nroot@kiln:/kiln# {keys}\n{printed}{'' if not printed else chr(10)}root@kiln:/kiln# ")


@scenario("loop-terminal-frozen-log", "A terminal: pauses of many lengths, and a log that has stopped", row="t13 e06",
          rules=["poll-no-progress", "cycle"])
def terminal_frozen_log():
    s, dice = Chat(), Dice("terminal-frozen")
    s.human("Run the firing and tell me when it is done.")
    typed(s, "nohup ./fire.sh > fire.log 2>&1 &", f"[1] {dice.between(300, 900)}")
    with s.loop():
        for turn in range(27):
            typed(s, f"sleep {30 + 5 * (turn % 7)}; tail -1 fire.log", "batch 41 of 90, 612 degrees")
    return s


@scenario("ok-terminal-log-grows", "A terminal: pauses of many lengths, and a log that goes on", row="n01", beside="loop-terminal-frozen-log")
def terminal_log_grows():
    s, dice = Chat(), Dice("terminal-grows")
    s.human("Run the firing and tell me when it is done.")
    typed(s, "nohup ./fire.sh > fire.log 2>&1 &", f"[1] {dice.between(300, 900)}")
    for turn in range(27):
        typed(s, f"sleep {30 + 5 * (turn % 7)}; tail -1 fire.log", f"batch {41 + turn} of 90, {612 + dice.between(0, 9)} degrees")
    s.says("It is at batch 67 of 90.")
    return s


@scenario("loop-keys-into-a-prompt", "A terminal: whatever is typed, the program asks for the password", row="t12 t32",
          rules=["stagnation", "cycle", "known-answers"], slack=2)
def keys_into_a_prompt():
    s = Chat()
    s.human("Copy the plans to the server.")
    typed(s, "ls plans | head -2", "dome.svg\nflue.svg")
    with s.loop():
        for keys in ["scp plans/dome.svg kiln:\n", "C-c", "y\n", "q", "\n", "C-d", "exit\n", "clear\n", "C-z", "ls\n", "yes\n", "C-l", "reset\n"]:
            s.call("bash_command", {"keystrokes": keys, "duration": 5.0}, "New Terminal Output:\n\nnoor@kiln's password: ")
    return s


@scenario("loop-port-in-use", "A port is freed eight times, and is in use eight times", row="t07", rules=["known-answers", "interleaved-repeat", "cycle"])
def port_in_use():
    s, p, dice = session("port-in-use", BEACON)
    set_out(s, p, dice, "uptime", task="Start the panel.")
    with s.loop():
        for _ in range(8):
            number = str(dice.between(2000, 32000))
            s.bash("lsof -ti :3000", number)
            s.bash(f"kill -9 {number}", "")
            s.bash("npm run dev", "Exit code 1\nError: listen EADDRINUSE: address already in use :::3000", True)
    return s


@scenario("ok-ports-of-many-servers", "Eight servers, each started behind a look at its port", row="n06", beside="loop-port-in-use")
def ports_of_many_servers():
    s, p, dice = session("many-ports", BEACON)
    set_out(s, p, dice, "uptime", task="Start all eight panels anew.")
    for turn in range(8):
        number = str(dice.between(2000, 32000))
        s.bash(f"lsof -ti :{3000 + turn}", number)
        s.bash(f"kill {number}", "")
        s.bash(f"npm run dev -- --port {3000 + turn} --panel {p.nouns[turn]}", f"{p.nouns[turn]} listens on {3000 + turn}")
    settle(s, p, dice, "uptime")
    return s


@scenario("loop-refused-at-two-places", "A file is written to two places in turn, and refused at both", row="t03 t04",
          rules=["same-error", "known-answers"])
def refused_at_two_places():
    s, p, dice = session("two-places", BEACON)
    set_out(s, p, dice, "uptime", task="Write the settings of the panel.")
    with s.loop():
        for turn in range(12):
            place = ("/etc/beacon/panel.conf", "/opt/beacon/panel.conf")[turn % 2]
            s.call("Write", {"file_path": place, "content": f"interval = {5 + turn}\n"}, f"EACCES: permission denied, open '{place}'", True)
    return s


@scenario("warn-survey-of-red-tests", "Eighteen test files, each run once, and all of them red in another way", row="t29", rules=["error-streak"])
def survey_of_red_tests():
    s, p, dice = session("survey", ORCHARD)
    set_out(s, p, dice, "stall", task="Run every test file on its own and tell me which ones fail.")
    with s.loop():
        for noun in p.nouns[:18]:
            s.bash(f"npx vitest run src/{noun}.test.ts", f"Exit code 1\n FAIL  src/{noun}.test.ts > {noun}\nAssertionError: the {noun} "
                   f"weighs {dice.between(2, 90)} and not {dice.between(100, 900)}", True)
    s.says("All eighteen fail, each in its own way.")
    return s


@scenario("loop-empty-handed-sub-agents", "Eight sub-agents for one question, none of which comes back with an answer", row="t01 t16",
          rules=["exact-repeat", "cycle"])
def empty_handed_sub_agents():
    s, p, dice = session("empty-handed", KILN)
    set_out(s, p, dice, "flue", task="Find where the heat is lost.")
    with s.loop():
        for turn in range(8):
            s.call("Task", {"description": "Find the loss", "subagent_type": "Explore",
                            "prompt": "Find in the sources where the heat is lost, and name the file."},
                   f"The agent ended without an answer.\nagentId: {dice.hex(7)} (to go on with it)\n<usage>total_tokens: "
                   f"{dice.between(9000, 99000)}\ntool_uses: {dice.between(4, 40)}\nduration_ms: {dice.between(9000, 90000)}</usage>")
    return s


@scenario("loop-sub-agents-that-give-up", "A sub-agent is sent out eight times and gives up eight times; only its name is another one", row="t01 t16",
          rules=["exact-repeat", "cycle"])
def sub_agents_that_give_up():
    s, p, dice = session("give-up", KILN)
    set_out(s, p, dice, "flue", task="Find where the heat is lost.")
    with s.loop():
        for turn in range(8):
            s.call("Task", {"description": "Find the loss", "subagent_type": "Explore",
                            "prompt": "Find in the sources where the heat is lost, and name the file."},
                   f"I ran out of calls before I found it.\nagentId: {dice.hex(7)} (to go on with it)")
    return s


@scenario("ok-sub-agents-asked-again", "The same question to eight sub-agents, each of which finds another place", row="n06",
          beside="loop-sub-agents-that-give-up")
def sub_agents_asked_again():
    s, p, dice = session("asked-again", KILN)
    set_out(s, p, dice, "flue", task="Find where the heat is lost; ask until nothing new is found.")
    for noun in p.nouns[:8]:
        s.call("Task", {"description": "Find the loss", "subagent_type": "Explore",
                        "prompt": "Find in the sources where the heat is lost, and name the file."},
               f"Heat is lost in {p.short(noun)}.\nagentId: {dice.hex(7)} (to go on with it)")
    settle(s, p, dice, "flue")
    return s


@scenario("ok-sub-agents-with-answers", "Eight sub-agents, each for another part, each with an answer", row="n06",
          beside="loop-empty-handed-sub-agents")
def sub_agents_with_answers():
    s, p, dice = session("with-answers", KILN)
    set_out(s, p, dice, "flue", task="Find where the heat is lost.")
    for noun in p.nouns[:8]:
        s.call("Task", {"description": f"Look at {noun}", "subagent_type": "Explore",
                        "prompt": f"Find out whether heat is lost in {p.short(noun)}."},
               f"In {p.short(noun)} {dice.between(1, 9)} % are lost.\nagentId: {dice.hex(7)} (to go on with it)\n<usage>total_tokens: "
               f"{dice.between(9000, 99000)}\ntool_uses: {dice.between(4, 40)}\nduration_ms: {dice.between(9000, 90000)}</usage>")
    settle(s, p, dice, "flue")
    return s


@scenario("loop-image-never-builds", "A recipe of an image is edited nine times; a pipe takes the exit code of its build", row="t31",
          rules=["stalled-fix", "edit-region-churn"])
def image_never_builds():
    s, p, dice = session("image", BEACON)
    set_out(s, p, dice, "uptime", task="Get the image to build.")
    s.edit(f"{p.home}/Dockerfile", "FROM node:latest", "FROM node:12")
    with s.loop():
        for turn in range(9):
            if turn > 0:
                s.edit(f"{p.home}/Dockerfile", f"FROM node:{11 + turn}", f"FROM node:{12 + turn}")
            s.bash("docker build -t panel . 2>&1 | tail -3", f"#7 [4/9] RUN npm ci\n#7 {dice.seconds()} no lock file\n#7 ERROR: process "
                   "\"/bin/sh -c npm ci\" did not complete successfully: exit code: 1")
    return s


@scenario("ok-image-comes-further", "The same, and each edit takes the build one step further", row="n08", beside="loop-image-never-builds")
def image_comes_further():
    s, p, dice = session("image-further", BEACON)
    set_out(s, p, dice, "uptime", task="Get the image to build.")
    for turn in range(7):
        s.edit(f"{p.home}/Dockerfile", f"RUN step {turn}", f"RUN step {turn} --quiet")
        s.bash("docker build -t panel . 2>&1 | tail -3", f"#{5 + turn} [{2 + turn}/9] RUN step {turn + 1}\n#{5 + turn} {dice.seconds()} no "
               f"{p.nouns[turn]}\n#{5 + turn} ERROR: process \"/bin/sh -c step {turn + 1}\" did not complete successfully: exit code: 1")
    s.bash("docker build -t panel . 2>&1 | tail -3", "#14 exporting layers\n#14 naming to docker.io/library/panel done")
    settle(s, p, dice, "uptime")
    return s


def forbidden(s, command):
    """What Claude Code answers where a rule of its settings forbids a command."""
    s.bash(command, f"Permission to use Bash with command {command} has been denied.", True)


def not_granted(s, command):
    """What Claude Code answers to a command that nobody allowed, where there is nobody to ask."""
    s.bash(command, "Claude requested permissions to use Bash, but you haven't granted it yet.", True)


@scenario("loop-forbidden-command", "A run without a person asks for the same forbidden command seven times", row="t04 t05",
          rules=["exact-repeat", "same-error"])
def forbidden_command():
    s, p, dice = session("forbidden-command", KILN)
    set_out(s, p, dice, "clay", task="Bring the style of the clay module in order, and let the linter prove it.")
    with s.loop():
        for _ in range(7):
            s.says("I will let the linter look at it.")
            forbidden(s, "ruff check src/clay.py --fix")
    return s


@scenario("ok-forbidden-once-or-twice", "Three commands are forbidden; each time the work goes on in an allowed way", row="n21",
          beside="loop-forbidden-command")
def forbidden_once():
    s, p, dice = session("forbidden-once", KILN)
    set_out(s, p, dice, "clay", task="Bring the style of the clay module in order.")
    forbidden(s, "ruff check src/clay.py --fix")
    s.read(p.path("clay"), p.source("clay"))
    forbidden(s, "python -m ruff check src/clay.py")
    s.edit(p.path("clay"), "import os, sys", "import os\nimport sys")
    s.bash(p.test_command, green(p, 21, dice))
    forbidden(s, "git push")
    s.says("The imports are in order and the tests pass; I may not push.")
    return s


@scenario("loop-nobody-to-allow", "Nine ways to the same end, none of them allowed, and nobody there to be asked", row="t08 t29",
          rules=["error-streak", "same-error"])
def nobody_to_allow():
    s, p, dice = session("nobody-to-allow", BEACON)
    set_out(s, p, dice, "lamp", task="Build the lamp and tell me how large it is.")
    with s.loop():
        for command in ["npm run build", "npx tsc -p .", "node_modules/.bin/tsc -p .", "sh -c 'npm run build'", "make build",
                        "yarn build", "pnpm build", "npm exec tsc", "node build.mjs"]:
            not_granted(s, command)
    s.says("I could not build it: I have no permission to run anything.")
    return s


@scenario("ok-person-says-no", "A person refuses the same command six times, with other words each time", row="n18",
          beside="loop-forbidden-command")
def person_says_no():
    s, p, dice = session("person-says-no", FERRY)
    set_out(s, p, dice, "berth", task="Release the berth planner with me, step by step.")
    for reason in ["not yet, the notes first", "still no notes", "add the date", "the date is wrong", "wait for Ida", "one more minute"]:
        s.bash("git push --tags", "The user doesn't want to proceed with this tool use. The tool use was rejected. The user "
               f"provided the following reason for the rejection: {reason}", True)
        s.edit("/home/noor/ferry/NOTES.md", "## Next", f"## Next\n\n- {reason}")
    s.bash("git push --tags", "To git.example:ferry\n * [new tag] v3 -> v3")
    s.says("Released.")
    return s
