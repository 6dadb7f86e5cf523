const id = "agent-audit";

// The kinds of hooks that this needs see conversations only where plugins.entries.agent-audit.hooks.allowConversationAccess
// is true; without it no event tells when a person speaks.
const register = (api) => {
  const open = new Recent(); // calls that began and did not return, with the fields of their session
  const kept = new Recent(); // calls that did not run: what comes back is what the hook said

  const about = (ctx, fields) => {
    const session = ctx?.sessionId ?? ctx?.sessionKey ?? ctx?.runId;
    return { session_id: session, cwd: ctx?.workspaceDir ?? process.cwd(), ...fields };
  };
  const on = (event, handle) =>
    api.on(event, async (...of) => {
      try {
        return await handle(...of);
      } catch {
        return undefined; // an error in a handler of before_tool_call would keep the call from running
      }
    });

  on("before_model_resolve", async (event, ctx) => {
    if (event.prompt) await ask("UserPromptSubmit", about(ctx, { prompt: event.prompt }));
  });
  on("before_tool_call", async (event, ctx) => {
    const call = { tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input: event.params };
    const answer = await ask("PreToolUse", about(ctx, call));
    const reason = answer.refused ?? answer.over;
    if (reason === undefined) open.set(event.toolCallId, about(ctx, {}));
    else kept.set(event.toolCallId, true);
    return reason === undefined ? undefined : { block: true, blockReason: reason };
  });
  api.registerAgentToolResultMiddleware(
    async (event, ctx) => {
      try {
        if (kept.delete(event.toolCallId)) return undefined;
        const began = open.get(event.toolCallId);
        open.delete(event.toolCallId);
        const content = Array.isArray(event.result?.content) ? event.result.content : [];
        const exit = event.result?.details?.exitCode;
        const response = { content, isError: event.isError === true, exit_code: exit ?? undefined };
        const call = { tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input: event.args };
        const answer = await ask("PostToolUse", { ...about(ctx, call), ...began, ...call, tool_response: response });
        const advice = answer.advice ?? answer.over;
        if (!advice) return undefined;
        return { result: { ...event.result, content: [...content, { type: "text", text: advice }] } };
      } catch {
        return undefined;
      }
    },
    { runtimes: ["openclaw"] },
  );
  on("after_compaction", async (_, ctx) => void (await ask("PostCompact", about(ctx, {}))));
  on("agent_end", async (_, ctx) => void (await ask("Stop", about(ctx, {}))));
};

export default { id, name: id, description: "Tells the model when it goes in circles.", register };
