"""A list that was read and is gone through, in whatever words it was asked for; and names that stood in no list."""
from scenarios.registry import scenario
from scenarios.world import Dice
from session_writer import Session

UNITS = ["mill-grind", "mill-sieve", "bag-stacker", "orders-sync", "silo-gauge", "scale-feed", "dust-alarm", "lorry-gate",
         "price-board", "belt-watch", "shift-clock", "flour-lab"]


def session(task):
    s = Session(name="nightly", compact=True)
    s.human(task)
    return s


def units(names):
    return "UNIT LOAD ACTIVE\n" + "\n".join(f"{name}.service loaded inactive"
                                            for name in names)


def asked(s, name):
    s.bash(f"systemctl is-active {name}.service", "Exit code 3\ninactive", error=True)


@scenario("ok-units-of-a-list", "Headless, each of twelve units of a listing is asked whether it is active, and none is",
          row="n05", beside="loop-units-made-up")
def units_of_a_list():
    s = session("Nightly run.")
    s.bash("systemctl list-units --all", units(UNITS))
    for name in UNITS:
        asked(s, name)
    s.says("None of the twelve units is active.")
    return s


@scenario("loop-units-made-up", "Units that stand in no listing are asked whether they are active, one made-up name after the other",
          row="t10", rules=["error-streak"], want="warn", slack=2)
def units_made_up():
    s, dice = session("Nightly run."), Dice("made-up")
    s.bash("systemctl list-units --all", units(UNITS[:3]))
    with s.loop():
        for turn in range(12):
            asked(s, f"{dice.pick(['miller', 'hopper', 'feeder', 'dryer'])}-{dice.pick(['north', 'south', 'spare', 'new'])}{turn}")
    return s
