export default async ({ client, directory }) => {
  const open = new Recent(); // calls that began here and whose end nobody told
  const behind = new Recent(); // what the model is to read behind a failed call, by call

  const about = (session, fields) => ({ session_id: session, cwd: directory, ...fields });
  const end = async (session) => {
    try {
      await client.session.abort({ path: { id: session } });
    } catch {
      // it goes on, then
    }
  };
  const returned = async (session, call, tool, args, response) => {
    const answer = await ask(
      "PostToolUse",
      about(session, { tool_name: tool, tool_use_id: call, tool_input: args, tool_response: response }),
    );
    if (answer.over !== undefined) await end(session);
    return answer.advice ?? answer.over;
  };
  // A call that failed, or that nobody let run, comes to no hook of its own: it is seen when it goes to the model.
  const failed = async (part) => {
    if (part.type !== "tool" || part.state?.status !== "error" || !open.delete(part.callID)) return;
    const response = { content: part.state.error, isError: true };
    const advice = await returned(part.sessionID, part.callID, part.tool, part.state.input, response);
    if (advice) behind.set(part.callID, advice);
  };

  const before = async ({ tool, sessionID, callID }, { args }) => {
    const answer = await ask("PreToolUse", about(sessionID, { tool_name: tool, tool_use_id: callID, tool_input: args }));
    if (answer.over !== undefined) await end(sessionID);
    const reason = answer.refused ?? answer.over;
    if (reason === undefined) open.set(callID, true);
    return reason;
  };
  // What a handler throws ends the agent's request.
  const quiet =
    (handle) =>
    async (...of) => {
      try {
        return await handle(...of);
      } catch {
        return undefined;
      }
    };

  return {
    event: quiet(async ({ event }) => {
      const session = event.properties?.sessionID;
      if (event.type === "session.compacted") await ask("PostCompact", about(session, {}));
      if (event.type === "session.idle") await ask("Stop", about(session, {}));
    }),
    "chat.message": quiet(async ({ sessionID }, { parts }) => {
      const said = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
      if (said.length > 0) await ask("UserPromptSubmit", about(sessionID, { prompt: said.join("\n") }));
    }),
    "tool.execute.before": async (...of) => {
      const reason = await quiet(before)(...of);
      if (reason !== undefined) throw new Error(reason); // so that the call does not run
    },
    "tool.execute.after": quiet(async ({ tool, sessionID, callID, args }, result) => {
      open.delete(callID);
      // What comes from a server is a list of blocks, all else a text.
      const blocks = Array.isArray(result?.content);
      const response = blocks
        ? { content: result.content, isError: result.isError === true }
        : { content: result?.output, isError: false, exit_code: result?.metadata?.exit ?? undefined };
      const advice = await returned(sessionID, callID, tool, args, response);
      if (advice && blocks) result.content.push({ type: "text", text: advice });
      else if (advice && result) result.output = `${result.output ?? ""}\n\n${advice}`;
    }),
    "experimental.chat.messages.transform": quiet(async (_, { messages }) => {
      for (const part of messages.flatMap((message) => message.parts)) {
        await failed(part);
        const advice = behind.get(part.callID);
        if (advice && part.state.status === "error" && !part.state.error.endsWith(advice))
          part.state.error += `\n\n${advice}`;
      }
    }),
  };
};
