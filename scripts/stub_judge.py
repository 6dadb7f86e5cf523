#!/usr/bin/env python3
"""A stand-in for a judge: an OpenAI-compatible chat server on this machine that answers by a rule one can read.

    stub_judge.py [--port N]      prints its address, serves until it is ended

It knows what any judge is shown, the goal and the marked steps, and nothing else; above all it reads no labels. Asked
whether an agent spins it says yes when one call makes up half of the calls and occurs three times or more. Asked whether
it left the goal it says yes when less than a twentieth of the words of the steps are words of the goal. It is no model: its figures say what the machinery does, not what judging is worth.
"""
import argparse
import collections
import http.server
import json
import re

FEWEST_WORDS = 8
COMMON = set("the and for that this with from have has had are was were will would can could should not but you your our "
             "they them its his her into over then than there here what which when where who how all any some more most "
             "please need want make use using used get let now step steps result file files line code test tests".split())


def words(text):
    """Words of four letters and more, and pairs of Chinese characters."""
    found = [w[:7] for w in re.findall(r"[a-z]{4,}", text.lower()) if w not in COMMON]
    return found + re.findall(r"(?=([\u4e00-\u9fff]{2}))", text)


def part(question, title):
    at = re.search(r'<data id="([^"]*)" what="' + re.escape(title) + r'">\n(.*?)\n</data id="\1">', question, re.S)
    return at.group(2) if at else ""


def share(steps, goal):
    said = [w for step in steps for w in words(step)]
    return sum(w in goal for w in said) / len(said) if len(said) >= FEWEST_WORDS else None


def judge_drift(goal, steps):
    goal = set(words(goal))
    near = share(steps, goal)
    if not goal or near is None:
        return False, "too little is said to tell"
    return near < 0.05, f"{near:.0%} of the words of the steps are words of the goal"


def judge_spin(steps):
    calls = collections.Counter(step for step in steps if step.startswith("[call]"))
    if not calls:
        return False, "there are no calls among the steps"
    _, most = calls.most_common(1)[0]
    return most >= 3 and 2 * most >= sum(calls.values()), f"one call occurs {most} times among {sum(calls.values())}"


def verdict(question):
    steps = [s for s in re.split(r"\n(?=\[)", part(question, "the marked steps")) if s]
    drift = question.rstrip().endswith("Has the agent left its goal?")
    yes, reason = judge_drift(part(question, "the goal of the session"), steps) if drift else judge_spin(steps)
    return {"left_goal" if drift else "is_spinning": yes, "reason": reason, "suggestions": [], "next_actions": []}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = asked["messages"][-1]["content"]
        answer = {"choices": [{"message": {"role": "assistant", "content": json.dumps(verdict(question))}}],
                  "usage": {"prompt_tokens": len(question) // 4, "completion_tokens": 40}}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(port=0):
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0 (default) = any that is free")
    server = serve(parser.parse_args().port)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
