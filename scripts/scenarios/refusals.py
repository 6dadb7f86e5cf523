"""Told no, and told so as a success; and the same failure of what has another name, other words or another body."""
from session_writer import Chat
from scenarios.again import pod
from scenarios.registry import scenario
from scenarios.repeats import session
from scenarios.world import BEACON, KILN, ORCHARD, Dice, green, red, set_out, settle

CODE = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def desk(task):
    s = Chat()
    s.system("You keep the books of an orchard.")
    s.human(task)
    return s


def code(dice):
    """The number under which a service files that it said no."""
    return "K7" + "".join(dice.pick(CODE) for _ in range(6)) + "4Q"


def rejected(dice):
    return f"Pay-out rejected: the account is closed. Reference {code(dice)}"


@scenario("loop-paid-out-again", "A pay-out is rejected twelve times, whatever sum and reason are given, each time under another number",
          row="t03", rules=["known-answers"])
def paid_out_again():
    s, dice = desk("Pay the deposit for crate 41 back."), Dice("paid-out")
    s.call("get_deposit", {"crate": 41}, '{"crate": 41, "sum": 84, "account": "orch-7"}')
    with s.loop():
        for turn in range(12):
            s.call("pay_out", {"account": "orch-7", "sum": 84 - 3 * turn, "reason": dice.pick(["deposit", "goodwill", "crate returned", "as asked"])},
                   rejected(dice))
    return s


@scenario("ok-pay-outs-of-a-list", "Twelve pay-outs to twelve accounts, every third of them rejected", row="n05",
          beside="loop-paid-out-again")
def pay_outs_of_a_list():
    s, dice = desk("Pay back what is on the list and tell me which of them did not go through."), Dice("pay-outs")
    for turn in range(12):
        s.call("pay_out", {"account": f"orch-{turn}", "sum": dice.between(20, 90), "reason": "deposit"},
               rejected(dice) if turn % 3 == 0 else f'{{"state": "paid", "receipt": {dice.between(1000, 9999)}}}')
    s.says("Four did not go through.")
    return s


@scenario("loop-form-sent-again", "A form is filled in anew and sent eight times, and lacks the same digit", row="t10",
          rules=["interleaved-repeat", "known-answers"], slack=2)
def form_sent_again():
    s, dice = desk("Register the orchard for the autumn market."), Dice("form-again")
    with s.loop():
        for turn in range(8):
            s.call("fill_form", {"name": dice.pick(["Orchard", "ORCHARD", "Orchard Ltd"]), "number": "81" * (turn + 1)}, "2 fields filled")
            s.call("send_form", {}, "Not sent: invalid number, 9 digits are wanted")
    return s


@scenario("ok-form-for-each", "Eight stalls are registered, and the second form is sent twice", row="n05", beside="loop-form-sent-again")
def form_for_each():
    s, dice = desk("Register the eight stalls for the autumn market."), Dice("form-each")
    for turn in range(8):
        if turn == 1:
            s.call("fill_form", {"name": "Stall 1", "number": "811"}, "2 fields filled")
            s.call("send_form", {}, "Not sent: invalid number, 9 digits are wanted")
        s.call("fill_form", {"name": f"Stall {turn}", "number": dice.between(10**8, 10**9)}, "2 fields filled")
        s.call("send_form", {}, f"Sent. Registration {code(dice)}")
    s.says("All eight are registered.")
    return s


def fitted(dice, value):
    return f'{{"status": "finished", "rmse": {value}, "rows": 0, "seconds": {dice.between(2, 90)}.{dice.between(10, 99)}}}'


@scenario("loop-fit-tells-nothing", "A model is fitted eleven times with other settings, and its error is NaN", row="t08",
          rules=["known-answers"])
def fit_tells_nothing():
    s, dice = desk("Fit the harvest, the error must be below 9."), Dice("fit-nan")
    with s.loop():
        for turn in range(12):
            s.call("fit_model", {"kind": dice.pick(["ridge", "lasso", "trees"]), "alpha": 10 ** -turn}, fitted(dice, "NaN"))
    return s


@scenario("ok-fit-gets-better", "The same settings, and an error that falls", row="n08", beside="loop-fit-tells-nothing")
def fit_gets_better():
    s, dice = desk("Fit the harvest, the error must be below 9."), Dice("fit-better")
    for turn in range(12):
        s.call("fit_model", {"kind": dice.pick(["ridge", "lasso", "trees"]), "alpha": 10 ** -turn}, fitted(dice, f"{14 - turn / 2:.1f}"))
    s.says("The error is 8.5.")
    return s


@scenario("warn-trained-to-nan", "The settings of a training are edited eight times, and its loss is nan", row="t05", rules=["stalled-fix"], slack=10)
def trained_to_nan():
    s, p, dice = session("trained-nan", KILN)
    set_out(s, p, dice, "glaze")
    with s.loop():
        for turn in range(8):
            s.edit(f"{p.home}/train.toml", f"rate = {turn}", f"rate = {turn + 1}")
            s.bash("python train.py --config train.toml", f"step 100 loss nan ({dice.between(9, 30)} it/s)\nstopped: loss is nan")
    return s


@scenario("ok-training-comes-to-itself", "Three runs with a loss of nan, then a loss that falls", row="n08", beside="warn-trained-to-nan")
def training_comes_to_itself():
    s, p, dice = session("trained-well", KILN)
    set_out(s, p, dice, "glaze")
    for turn in range(8):
        s.edit(f"{p.home}/train.toml", f"rate = {turn}", f"rate = {turn + 1}")
        s.bash("python train.py --config train.toml", "step 100 loss nan" if turn < 3 else f"step 100 loss {3 - turn / 4:.2f}")
    s.says("The loss is 1.25.")
    return s


def pods(name, state):
    return f"NAME                          READY   STATUS             RESTARTS   AGE\n{name}   0/1     {state}   0          41s"


@scenario("loop-pods-deleted", "A pod that cannot pull its image is described and deleted six times", row="t07", rules=["stalled-fix"], slack=6)
def pods_deleted():
    s, p, dice = session("pods-deleted", BEACON)
    set_out(s, p, dice, "uptime")
    with s.loop():
        for _ in range(6):
            name = pod(p, dice)
            s.bash("kubectl get pods", pods(name, "ImagePullBackOff"))
            s.bash(f"kubectl describe pod {name}", f"Name: {name}\nEvents:\n  Warning  Failed  {dice.between(2, 50)}s  kubelet  "
                   f'Failed to pull image "reg.example/{p.name}:v4": manifest unknown')
            s.bash(f"kubectl delete pod {name}", f'pod "{name}" deleted')
    return s


@scenario("ok-pods-moved", "Seven pods are moved one after the other, beside one that has not come up for weeks", row="n05",
          beside="loop-pods-deleted")
def pods_moved():
    s, p, dice = session("pods-moved", BEACON)
    s.human("Move the pods off node 3 one by one, and see that each comes up again.")
    stuck = pod(p, dice)
    for _ in range(7):
        s.bash(f"kubectl delete pod {pod(p, dice)}", "deleted")
        s.bash("kubectl get pods", pods(stuck, "CrashLoopBackOff") + f"\n{pod(p, dice)}   1/1     Running   0          12s")
    s.says("All of them run on node 2.")
    return s


@scenario("loop-tried-and-taken-back", "An edit is tested and taken back five times, and the test fails as it did", row="t05",
          rules=["stalled-fix"], slack=2)
def tried_and_taken_back():
    s, p, dice = session("tried-back", ORCHARD)
    set_out(s, p, dice, "press")
    with s.loop():
        for turn in range(5):
            s.edit(p.path("press"), "return presses", f"return presses[:{turn + 2}]")
            s.bash(p.test_command, red(p, "press", dice), True)
            s.bash(f"git checkout {p.short('press')}", "Updated 1 path from the index")
    return s


@scenario("ok-mistakes-are-caught", "Five mistakes are made on purpose, and five tests catch them", row="n08", beside="loop-tried-and-taken-back")
def mistakes_are_caught():
    s, p, dice = session("mistakes", ORCHARD)
    s.human("Show that the tests catch mistakes in each of these files.")
    for noun in ("press", "cider", "sack", "stall", "tree"):
        s.edit(p.path(noun), "return", "return None and")
        s.bash(p.test_command, red(p, noun, dice), True)
        s.bash(f"git checkout {p.short(noun)}", "Updated 1 path from the index")
    s.bash(p.test_command, green(p, 21, dice))
    s.says("Each is caught.")
    return s


def script(dice, number, error):
    body = "\n".join(dice.pick(["import json", "rows = []", "for row in data:", "    rows.append(row)", "print(len(rows))"]) for _ in range(6))
    return (f"cat > /tmp/convert{number}.py <<'EOF'\n{body}\nEOF\npython3 /tmp/convert{number}.py",
            f"Traceback (most recent call last):\n  File \"/tmp/convert{number}.py\", line {dice.between(4, 60)}, in <module>\n    main()\n{error}")


@scenario("loop-script-written-anew", "Seven scripts with seven names want a column that is not there", row="t03", rules=["same-error", "known-answers"])
def script_written_anew():
    s, p, dice = session("script-anew", KILN)
    set_out(s, p, dice, "batch")
    with s.loop():
        for turn in range(7):
            s.bash(*script(dice, turn, "KeyError: 'weight'"), True)
    return s


@scenario("ok-script-comes-further", "Five scripts, each of which dies of something else", row="n08", beside="loop-script-written-anew")
def script_comes_further():
    s, p, dice = session("script-further", KILN)
    set_out(s, p, dice, "batch")
    for turn, error in enumerate(["KeyError: 'weight'", "TypeError: 'int' object is not iterable", "KeyError: 'shelf'",
                                  "ValueError: no date in row 9", "AttributeError: 'Row' has no 'cone'"]):
        s.bash(*script(dice, turn, error), True)
    settle(s, p, dice, "batch")
    return s


ASKED = ["Find out in which year the cider press was bought and report the year.", "In which year was the cider press bought? Look again.",
         "Please determine when the cider press was bought.", "Search all books for the year in which the cider press was bought.",
         "The cider press: when was it bought? Report the year.", "Look harder for the year of purchase of the cider press."]
IN_VAIN = ["I could not find the year in which the cider press was bought.", "The year in which the press was bought could not be determined.",
           "No year of purchase of the cider press could be found.", "I was unable to find out when the cider press was bought.",
           "Nothing was found about the year in which the press was bought.", "There is no information on when the cider press was bought."]


@scenario("warn-asked-in-other-words", "A helper is asked the same six times in other words, and finds nothing in other words", row="t13",
          rules=["known-answers"])
def asked_in_other_words():
    s = desk("When was the cider press bought?")
    with s.loop():
        for asked, said in zip(ASKED, IN_VAIN):
            s.call("ask_archivist", {"question": asked}, said)
    return s


@scenario("ok-asked-of-each", "A helper is asked the same of eight things, and knows nothing of any", row="n05", beside="warn-asked-in-other-words")
def asked_of_each():
    s = desk("When were the machines on the list bought?")
    for thing in ("press", "mill", "pump", "cart", "ladder", "scale", "boiler", "crane"):
        s.call("ask_archivist", {"question": f"Find out in which year the {thing} was bought and report the year."},
               f"I could not find the year in which the {thing} was bought.")
    s.says("None of them is in the books.")
    return s
