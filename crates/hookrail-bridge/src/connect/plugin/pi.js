
let screen

const shown = ["input", "session_start"]

// Without a terminal pi shows nothing of an extension; with one, a line on stderr would disturb the screen.
const log = (message) => (screen ? screen.notify(message, "warning") : process.stderr.write(message))
const report = (message) => (screen ? screen.notify(message, "error") : process.stderr.write(`hookrail: ${message}\n`))

const texts = (content) =>
  typeof content === "string" ? content : (content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")

const call = (event, ctx, input, guards) => {
  screen = ctx.hasUI ? ctx.ui : undefined
  return bridge(event, { cwd: ctx.cwd, session_id: ctx.sessionManager.getSessionId(), ...input }, guards)
}

export default function (pi) {
  // pi blocks a call whose handler throws, with the message as reason. At other events it goes on.
  pi.on("tool_call", async (event, ctx) => {
    const input = { call_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input }
    const answer = await call("tool_call", ctx, input, true)
    const changed = answer.hookSpecificOutput?.tool_input
    if (answer.continue === false) {
      report(answer.stopReason)
      ctx.abort()
      return { block: true, reason: answer.stopReason }
    }
    if (answer.decision === "ask") {
      const question = `${answer.reason}\n\n${event.toolName} ${JSON.stringify(changed ?? event.input)}`
      const isAllowed = ctx.hasUI && (await ctx.ui.confirm("hookrail", question))
      if (!isAllowed) return { block: true, reason: `${answer.reason} (Nobody allowed it.)` }
    } else if (answer.decision) {
      return { block: true, reason: answer.reason }
    }
    if (changed) Object.assign(event.input, changed)
  })
  pi.on("tool_result", async (event, ctx) => {
    const answer = await call("tool_result", ctx, {
      call_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input,
      tool_response: { content: event.content, is_error: event.isError },
    })
    if (answer.continue === false) {
      report(answer.stopReason)
      ctx.abort()
    }
    const context = answer.hookSpecificOutput?.additionalContext
    if (!answer.decision && !context) return
    const content = answer.decision ? [{ type: "text", text: answer.reason }] : [...event.content]
    if (context) content.push({ type: "text", text: context })
    return { content }
  })
  pi.on("input", async (event, ctx) => {
    const answer = await call("input", ctx, { prompt: event.text }, true).catch(({ message }) => ({ decision: "deny", reason: message }))
    if (answer.decision) {
      report(answer.reason)
      return { action: "handled" }
    }
    const context = answer.hookSpecificOutput?.additionalContext
    if (context) return { action: "transform", text: `${event.text}\n\n${context}`, images: event.images }
  })
  pi.on("agent_before_settle", async (event, ctx) => {
    if (event.outcome !== "completed") return
    const reply = event.context.contextMessages.findLast((message) => message.role === "assistant")
    const answer = await call("agent_before_settle", ctx, { prompt_response: texts(reply?.content) })
    if (!answer.decision) return
    const message = { type: "custom_message", customType: "hookrail", content: answer.reason, display: true }
    return { entries: [...event.entries, message], continue: true }
  })
  pi.on("session_start", async (event, ctx) => void (await call("session_start", ctx, { source: event.reason })))
  pi.on("session_shutdown", async (event, ctx) => void (await call("session_shutdown", ctx, { reason: event.reason })))
  pi.on("session_before_compact", async (event, ctx) => void (await call("session_before_compact", ctx, { trigger: event.reason })))
}
