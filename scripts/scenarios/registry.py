"""The list of scenarios: each is a function that returns a recording, and a verdict that stands beside it."""
SCENARIOS = []
WANTS = ("loop", "warn", "ok")


class Scenario:
    def __init__(self, name, make, verdict):
        self.name, self.make, self.verdict = name, make, verdict

    def index_entry(self, recording):
        v = self.verdict
        entry = {"id": self.name, "title": v["title"], "want": v["want"], "row": v["row"],
                 "rules": ["loop/" + rule for rule in v["rules"]], "first_line": recording.first,
                 "last_line": recording.last}
        entry.update({key: v[key] for key in ("slack", "beside", "flags", "select", "note") if v.get(key)})
        return entry


def scenario(name, title, *, row, want=None, rules=(), slack=0, beside=None, flags=(), select=(), note=""):
    """
    want    loop (an error is right), warn (a warning is right, an error is not) or ok (silence is right);
            the first word of the name when not given
    rules   any of these may find it
    slack   lines by which an honest description of the span may differ, beyond the one that everything may
    beside  the loop that this near miss resembles
    select  rules to switch on for it, where those on by default cannot see it
    row     where the idea comes from: t a loop shape, n a legitimate pattern, e an edge case of the design
    """
    want = want or name.split("-")[0]
    if want not in WANTS or (want == "ok") == bool(rules) or any(s.name == name for s in SCENARIOS):
        raise ValueError(f"scenario {name} does not make sense")

    def keep(make):
        SCENARIOS.append(Scenario(name, make, dict(title=title, want=want, rules=list(rules), row=row, slack=slack,
                                                   beside=beside, flags=list(flags), select=list(select), note=note)))
        return make
    return keep
