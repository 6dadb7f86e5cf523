import { spawn } from "node:child_process";

// What agent-audit init puts here is the program and its flags.
const COMMAND = ["agent-audit", "hook"];
// The hook itself goes on after a fifth of a second; this is for a program that does not even start.
const LATEST_MS = 2000;

// By calls. Not every host tells how each of them ended, and some run for months: the oldest are forgotten.
class Recent extends Map {
  set(key, value) {
    super.set(key, value);
    if (this.size > 1000) this.delete(this.keys().next().value);
    return this;
  }
}

const json = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

// What a finished hook says: {refused} and {over} are reasons, {advice} is text for the model. {} is "go on", which is also
// the answer where anything is wrong here: the agent is never in the way of itself. Status 2 alone says nothing: another
// program that has this name by now means its usage by it.
const meaning = (status, out, err) => {
  if (status === 2 && err.startsWith("[agent-audit ")) return { refused: err.trim() };
  const said = status === 0 ? json(out) : undefined;
  if (said?.continue === false) return { over: String(said.stopReason ?? "") };
  const advice = said?.hookSpecificOutput?.additionalContext;
  return typeof advice === "string" ? { advice } : {};
};

const ask = (event, fields) =>
  new Promise((answered) => {
    try {
      const hook = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
      const late = setTimeout(() => {
        hook.kill("SIGKILL");
        answered({});
      }, LATEST_MS);
      const finish = (answer) => {
        clearTimeout(late);
        answered(answer);
      };
      // Before all else: where no file can be opened any more there is no hook.stdout, and an error that nobody hears
      // would end the agent.
      hook.on("error", () => finish({}));
      let out = "";
      let err = "";
      hook.stdout.setEncoding("utf8").on("data", (piece) => (out += piece));
      hook.stderr.setEncoding("utf8").on("data", (piece) => (err += piece));
      hook.on("close", (status) => finish(meaning(status, out, err)));
      hook.stdin.on("error", () => {});
      hook.stdin.end(JSON.stringify({ hook_event_name: event, ...fields }));
    } catch {
      answered({});
    }
  });
