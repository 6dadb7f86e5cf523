export default (pi) => {
  const open = new Recent(); // calls that began and did not return, with their arguments

  const about = (ctx, fields) => ({ session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...fields });
  const returned = async (ctx, call, tool, args, { content, isError }) => {
    const text = content?.map((block) => block.text ?? "").join("") ?? "";
    const exit = /Command exited with code (\d+)\s*$/.exec(text);
    const response = { content, isError: isError === true, exit_code: exit ? Number(exit[1]) : undefined };
    const answer = await ask(
      "PostToolUse",
      about(ctx, { tool_name: tool, tool_use_id: call, tool_input: args, tool_response: response }),
    );
    if (answer.over !== undefined) ctx.abort();
    return answer.advice ?? answer.over;
  };
  // An error in a handler of tool_call would keep the call from running.
  const on = (event, handle) =>
    pi.on(event, async (...of) => {
      try {
        return await handle(...of);
      } catch {
        return undefined;
      }
    });

  on("session_start", (event, ctx) => ask("SessionStart", about(ctx, { source: event.reason })).then(() => undefined));
  on("input", async (event, ctx) => {
    if (event.source !== "extension") await ask("UserPromptSubmit", about(ctx, { prompt: event.text }));
  });
  on("tool_execution_start", (event) => void open.set(event.toolCallId, event.args));
  on("tool_call", async (event, ctx) => {
    const { toolName, toolCallId, input } = event;
    const answer = await ask(
      "PreToolUse",
      about(ctx, { tool_name: toolName, tool_use_id: toolCallId, tool_input: input }),
    );
    if (answer.over !== undefined) ctx.abort();
    const reason = answer.refused ?? answer.over;
    if (reason === undefined) return undefined;
    open.delete(toolCallId);
    return { block: true, reason };
  });
  on("tool_result", async (event, ctx) => {
    open.delete(event.toolCallId);
    const advice = await returned(ctx, event.toolCallId, event.toolName, event.input, event);
    if (!advice) return undefined;
    const content = [...(event.content ?? []), { type: "text", text: `\n\n${advice}` }];
    return event.structuredContent === undefined ? { content } : { content, structuredContent: event.structuredContent };
  });
  // Calls of tools that are not there, or with arguments that cannot be, come to no event but this one.
  on("tool_execution_end", async (event, ctx) => {
    if (!open.has(event.toolCallId)) return;
    const args = open.get(event.toolCallId);
    open.delete(event.toolCallId);
    const result = { content: event.result?.content, isError: event.isError };
    const advice = await returned(ctx, event.toolCallId, event.toolName, args, result);
    if (advice) pi.sendMessage({ customType: "agent-audit", content: advice, display: true }, { deliverAs: "steer" });
  });
  on("session_compact", async (event, ctx) => {
    await ask("PostCompact", about(ctx, { compact_summary: event.compactionEntry?.summary }));
  });
  on("agent_end", async (_, ctx) => void (await ask("Stop", about(ctx, {}))));
};
