
let client

// Where a person reads a message of a project's plugin that finds no hookrail.
const shown = ["chat.message", "session.created"]

const log = (message, level = "warn") =>
  client?.app?.log?.({ body: { service: "hookrail", level, message } })?.catch?.(() => {})

// The agent shows no more than "unexpected error" when a prompt is refused. A terminal may hold its screen, which a
// line on stderr would disturb.
const report = (message) => {
  log(message, "error")
  client?.tui?.showToast?.({ body: { title: "hookrail", message, variant: "error" } })?.catch?.(() => {})
  if (!process.stderr.isTTY) process.stderr.write(`hookrail: ${message}\n`)
}

export const Hookrail = async (host) => {
  client = host.client
  return hooks(host.directory)
}

const hooks = (directory) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
    const answer = await bridge(
      "tool.execute.before",
      { cwd: directory, session_id: sessionID, call_id: callID, tool_name: tool, tool_input: output.args },
      true,
    )
    if (answer.decision) throw new Error(answer.reason)
    const changed = answer.hookSpecificOutput?.tool_input
    if (changed) output.args = Object.assign(output.args ?? {}, changed)
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
    const answer = await bridge("tool.execute.after", {
      cwd: directory, session_id: sessionID, call_id: callID, tool_name: tool, tool_input: args,
      tool_response: { title: output.title, output: output.output },
    })
    if (answer.decision) output.output = answer.reason
    const context = answer.hookSpecificOutput?.additionalContext
    if (context) output.output += `\n\n${context}`
  },
  "chat.message": async ({ sessionID }, output) => {
    const texts = output.parts.filter((part) => part.type === "text")
    const prompt = texts.map((part) => part.text).join("\n")
    const input = { cwd: directory, session_id: sessionID, prompt_id: output.message?.id, prompt }
    const answer = await bridge("chat.message", input, true).catch(({ message }) => ({ decision: "deny", reason: message }))
    if (answer.decision) {
      report(answer.reason)
      throw new Error(answer.reason)
    }
    const context = answer.hookSpecificOutput?.additionalContext
    if (context && texts.length) texts[texts.length - 1].text += `\n\n${context}`
  },
  "experimental.session.compacting": async ({ sessionID }) => {
    await bridge("experimental.session.compacting", { cwd: directory, session_id: sessionID })
  },
  event: async ({ event }) => {
    const session_id = event.properties?.sessionID ?? event.properties?.info?.id
    if (event.type === "session.created" || event.type === "session.idle")
      await bridge(event.type, { cwd: directory, session_id })
  },
})
