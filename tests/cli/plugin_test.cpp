#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>

// Agents that load plugins instead of calling programs: what init gives them, and what that makes of the hook's
// answers.

namespace {

namespace fs = std::filesystem;
namespace test = agent_audit::test;

// What stands behind `const COMMAND = ` in a plugin.
nlohmann::json command_in(const std::string& plugin) {
    constexpr std::string_view kBegin = "const COMMAND = ";
    const std::size_t begin = plugin.find(kBegin) + kBegin.size();
    return nlohmann::json::parse(plugin.substr(begin, plugin.find(";\n", begin) - begin), nullptr, false);
}

// A host in JavaScript for each agent: seven times the same call, which fails, and then what the model has read. `play`
// begins a call and gives its error, or the reason why it did not run.
constexpr const char* kPluginHost = R"js(
const [, , agent, file] = process.argv;
const plugin = (await import(file)).default;
const error = "ls: /nowhere: no such folder\n\nCommand exited with code 2";
const read = [];
const handlers = {};
const ctx = { sessionManager: { getSessionId: () => "s" }, cwd: process.cwd(), abort: () => read.push("ABORTED") };
const args = { command: "ls /nowhere" };
const agents = {
  pi: async () => {
    plugin({ on: (event, handle) => (handlers[event] = handle), sendMessage: (message) => read.push(message.content) });
    await handlers.input({ text: "go", source: "interactive" }, ctx);
    return async (toolCallId) => {
      const call = { toolName: "bash", toolCallId, input: args, args };
      await handlers.tool_execution_start(call, ctx);
      const kept = await handlers.tool_call(call, ctx);
      if (kept?.block) return kept.reason;
      const content = [{ type: "text", text: error }];
      const changed = await handlers.tool_result({ ...call, content, isError: true }, ctx);
      await handlers.tool_execution_end({ ...call, result: { content }, isError: true }, ctx);
      return (changed?.content ?? content).map((block) => block.text).join("");
    };
  },
  opencode: async () => {
    const client = { session: { abort: async () => read.push("ABORTED") } };
    const hooks = await plugin({ client, directory: process.cwd() });
    const parts = [{ type: "text", text: "go" }];
    await hooks["chat.message"]({ sessionID: "s" }, { parts });
    return async (callID) => {
      const call = { tool: "bash", sessionID: "s", callID };
      const part = { type: "tool", ...call, state: { status: "error", input: args, error } };
      try {
        await hooks["tool.execute.before"](call, { args });
      } catch (reason) {
        part.state.error = reason.message;
      }
      parts.push(part);
      await hooks["experimental.chat.messages.transform"]({}, { messages: [{ parts }] });
      return part.state.error;
    };
  },
  openclaw: async () => {
    let middleware;
    plugin.register({
      on: (event, handle) => (handlers[event] = handle),
      registerAgentToolResultMiddleware: (handle) => (middleware = handle),
    });
    const of = { sessionId: "s", workspaceDir: process.cwd() };
    await handlers.before_model_resolve({ prompt: "go" }, of);
    return async (toolCallId) => {
      const kept = await handlers.before_tool_call({ toolName: "exec", toolCallId, params: args }, of);
      const content = [{ type: "text", text: kept?.block ? kept.blockReason : error }];
      const result = { content, details: { exitCode: 2 } };
      const changed = await middleware({ toolCallId, toolName: "exec", args, isError: true, result }, of);
      return (changed?.result ?? result).content.map((block) => block.text).join("");
    };
  },
};
if (process.env.FULL) {
  const { openSync } = await import("node:fs");
  try {
    for (;;) openSync("/dev/null");
  } catch {
    // no file can be opened any more, and no program started
  }
}
const play = await agents[agent]();
for (let i = 1; i <= 7; ++i) read.push(await play(`c${i}`));
console.log(JSON.stringify(read));
)js";

struct PluginPlace {
    const char* agent;
    const char* user;     // below the home directory
    const char* project;  // below the project
};
constexpr PluginPlace kPluginPlaces[] = {
    {"pi", ".pi/agent/extensions/agent-audit.js", ".pi/extensions/agent-audit.js"},
    {"opencode", ".config/opencode/plugin/agent-audit.js", ".opencode/plugin/agent-audit.js"},
    {"openclaw", ".openclaw/extensions/agent-audit/index.js", ".openclaw/extensions/agent-audit/index.js"},
};

}  // namespace

TEST_SUITE("cli: plugins") {
    TEST_CASE("a plugin is made, made anew, and taken out, and nothing else is touched") {
        const test::Scratch scratch;
        for (const PluginPlace& place : kPluginPlaces) {
            const std::string agent = place.agent, user = place.user, project = place.project;
            CAPTURE(agent);
            const std::string init = "aa init --client " + agent;
            CHECK(scratch.status(init + " --dry-run") == 0);
            CHECK_FALSE(fs::exists(scratch / "home" / user));
            const test::Finished made = scratch.run(init);
            CHECK(made.status == 0);
            CHECK(test::holds(made.err, "Set the hook in "));
            const std::string text = test::slurp(scratch / "home" / user);
            CHECK(test::holds(text, "export default"));
            const nlohmann::json command = command_in(text);
            REQUIRE(command.is_array());
            REQUIRE(command.size() == 4);
            CHECK(command[1] == "hook");
            CHECK(command[3] == agent);
            CHECK(test::holds(scratch.run(init).err, "has this hook already"));
            CHECK(scratch.status(init + " --mode block --policy strict") == 0);
            CHECK(command_in(test::slurp(scratch / "home" / user))[5] == "block");
            CHECK(scratch.status(init + " --scope project") == 0);
            CHECK(fs::exists(scratch / project));
            CHECK(scratch.status(init + " --scope local") == 2);
            CHECK(scratch.status(init + " --remove") == 0);
            CHECK_FALSE(fs::exists(scratch / "home" / user));
            CHECK(fs::exists(scratch / project));
            CHECK(test::holds(scratch.run(init + " --remove").err, "has no hook of agent-audit"));
        }
    }

    TEST_CASE("agents are found where their variables say, and a policy file from wherever they run") {
        const test::Scratch scratch;
        CHECK(scratch.status(R"(aa policy init 'own "p".toml'
XDG_CONFIG_HOME=$PWD/x aa init --client opencode && PI_CODING_AGENT_DIR=$PWD/p aa init --client pi &&
OPENCLAW_STATE_DIR=$PWD/c aa init --client openclaw --policy 'own "p".toml')") == 0);
        const nlohmann::json command = command_in(test::slurp(scratch / "c/extensions/agent-audit/index.js"));
        REQUIRE(command.size() == 6);
        CHECK(command[5] == (scratch / "own \"p\".toml").string());
        CHECK(scratch.status("OPENCLAW_STATE_DIR=$PWD/c aa init --client openclaw --remove") == 0);
        CHECK_FALSE(fs::exists(scratch / "c/extensions/agent-audit"));
        CHECK(fs::exists(scratch / "x/opencode/plugin/agent-audit.js"));
        CHECK(fs::exists(scratch / "p/extensions/agent-audit.js"));
    }

    TEST_CASE("a file of somebody else's at the place of ours is left as it is") {
        const test::Scratch scratch;
        const fs::path place = scratch / ".opencode/plugin/agent-audit.js";
        fs::create_directories(place.parent_path());
        std::ofstream(place) << "export const Mine = async () => ({});\n";
        for (const char* words : {"", " --remove"}) {
            const test::Finished ran = scratch.run(std::string("aa init --client opencode --scope project") + words);
            CHECK(ran.status == 3);
            CHECK(test::holds(ran.err, "agent-audit did not write this file; nothing was changed"));
            CHECK(test::slurp(place) == "export const Mine = async () => ({});\n");
        }
    }

    TEST_CASE("a pipe at the place of ours is not waited for") {
        const test::Scratch scratch;
        const fs::path place = scratch / ".opencode/plugin/agent-audit.js";
        fs::create_directories(place.parent_path());
        REQUIRE(::mkfifo(place.c_str(), 0600) == 0);
        const test::Finished ran = scratch.run("aa init --client opencode --scope project");
        CHECK(ran.status == 3);
        CHECK(test::holds(ran.err, "not a file; nothing was changed"));
    }

    TEST_CASE("what the hook says reaches the model, and nothing that is wrong with it stops the agent") {
        const test::Scratch scratch;
        if (scratch.status("command -v node > /dev/null && node --version | grep -qE '^v(1[89]|[2-9][0-9])'") != 0) {
            MESSAGE("skipped: node 18 or later is not here");
            return;
        }
        std::ofstream(scratch / "host.mjs") << kPluginHost;
        for (const PluginPlace& place : kPluginPlaces) {
            const std::string agent = place.agent, project = place.project;
            CAPTURE(agent);
            // However busy the machine is.
            const std::string patient =
                R"(sed -e 's/^const COMMAND = \[\(.*\)\];/const COMMAND = [\1,"--time-limit","60000"];/')"
                " -e 's/LATEST_MS = 2000/LATEST_MS = 60000/' ";
            const auto play = [&](const std::string& mode) {
                const test::Finished ran = scratch.run(
                    "rm -rf home/.local; aa init --scope project --client " + agent + " --mode " + mode + " && " +
                    patient + project + " > plugin.mjs && node host.mjs " + agent + " \"$PWD/plugin.mjs\"");
                return nlohmann::json::parse(ran.out, nullptr, false);
            };
            const nlohmann::json advised = play("advise");
            REQUIRE(advised.is_array());
            REQUIRE(advised.size() == 7);
            CHECK_FALSE(test::holds(std::string(advised[1]), "[agent-audit "));
            CHECK(test::holds(std::string(advised[2]), "no such folder"));
            CHECK(test::holds(std::string(advised[2]), "[agent-audit loop/exact-repeat] "));
            const nlohmann::json blocked = play("block");
            REQUIRE(blocked.size() == 7);
            CHECK(std::string(blocked[6]).starts_with("[agent-audit loop/exact-repeat] "));
            CHECK(test::holds(scratch.run("cat home/.local/state/agent-audit/live/*").out, "\"refused\":"));
            CHECK(scratch.status("sed -i 's/^const COMMAND = .*/const COMMAND = [\"\\/nowhere\\/aa\"];/' plugin.mjs") ==
                  0);
            const test::Finished gone = scratch.run("node host.mjs " + agent + " \"$PWD/plugin.mjs\"");
            CHECK(gone.status == 0);
            CHECK(nlohmann::json::parse(gone.out, nullptr, false).size() == 7);
            CHECK_FALSE(test::holds(gone.out, "agent-audit"));
            const test::Finished full =
                scratch.run("ulimit -n 64; FULL=1 node host.mjs " + agent + " \"$PWD/plugin.mjs\"");
            CHECK(full.status == 0);
            CHECK(nlohmann::json::parse(full.out, nullptr, false).size() == 7);
            // Another program that has the name by now.
            CHECK(
                scratch.status(
                    R"(sed -i 's/^const COMMAND = .*/const COMMAND = ["sh","-c","echo usage >\&2; exit 2"];/' plugin.mjs)") ==
                0);
            const test::Finished other = scratch.run("node host.mjs " + agent + " \"$PWD/plugin.mjs\"");
            CHECK(test::holds(other.out, "no such folder"));
            CHECK_FALSE(test::holds(other.out, "usage"));
        }
        // Calls whose end nobody tells.
        CHECK(scratch
                  .run(R"(node -e 'const text = require("fs").readFileSync("plugin.mjs", "utf8");
const Recent = new Function(/class Recent[^]*?\n}\n/.exec(text)[0] + "return Recent")();
const some = new Recent();
for (let i = 0; i < 5000; ++i) some.set(i, i);
console.log(some.size, some.has(0), some.has(4999));')")
                  .out == "1000 false true\n");
    }

    TEST_CASE("what a host tells otherwise than expected ends none of opencode's requests") {
        const test::Scratch scratch;
        if (scratch.status("command -v node > /dev/null && node --version | grep -qE '^v(1[89]|[2-9][0-9])'") != 0)
            return;
        CHECK(scratch.status("aa init --scope project --client opencode && cp .opencode/plugin/agent-audit.js p.mjs") ==
              0);
        std::ofstream(scratch / "host.mjs") << R"js(
const hooks = await (await import(process.cwd() + "/p.mjs")).default({ directory: process.cwd() });
for (const handle of Object.values(hooks)) await handle({}, {});
await hooks["experimental.chat.messages.transform"]({}, { messages: [{}, { parts: [null] }] });
console.log("goes on");
)js";
        CHECK(scratch.run("node host.mjs").out == "goes on\n");
    }
}
