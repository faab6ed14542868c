
let session
let starting

const shown = ["setup", "beforeRun"]

// Cline keeps what its plugins print.
const log = (message) => process.stderr.write(message)
const report = (message) => log(`hookrail: ${message}\n`)

const call = (event, snapshot, input, guards) =>
  bridge(event, { cwd: process.cwd(), session_id: session ?? snapshot?.conversationId, ...input }, guards)

// After three seconds Cline ends the hook, and with it the run. A guard may need longer: its call is refused then, and the
// same call made again finds the answer.
const patience = 2500
const undecided = "The hooks for this call have not decided yet. Make exactly the same call again for their answer."
const answers = new Map()

// Cline also reports results of calls that were skipped.
const skipped = new Set()
const skip = (id, reason, stop) => {
  skipped.add(id)
  return { skip: true, stop, reason }
}

const refused = ({ message }) => ({ decision: "deny", reason: message })

const decided = async (key, ask) => {
  const answer = answers.get(key) ?? ask().catch(refused).then((value) => ({ value }))
  answers.delete(key)
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, patience)))
  const soon = await Promise.race([answer, late])
  clearTimeout(timer)
  if (!soon) answers.set(key, answer)
  return soon?.value
}

const prompt = (messages) => {
  const content = messages?.findLast((message) => message.role === "user")?.content ?? []
  const text = content.filter((part) => part.type === "text").map((part) => part.text).join("\n")
  return /^<user_input[^>]*>([^]*)<\/user_input>\s*$/.exec(text)?.[1] ?? text
}

export default {
  name: "hookrail",
  manifest: { capabilities: ["hooks"] },
  setup(_, ctx) {
    session = ctx?.session?.sessionId
    starting = call("setup", undefined, { source: "startup" })
  },
  hooks: {
    beforeRun: async ({ snapshot }) => {
      // A subagent's task is not a person's prompt.
      if (snapshot.parentAgentId) return
      answers.clear()
      await starting
      const answer = await call("beforeRun", snapshot, { prompt: prompt(snapshot.messages) }, true).catch(refused)
      if (answer.decision) {
        report(answer.reason)
        return { stop: true, reason: answer.reason }
      }
      return { appendContext: answer.hookSpecificOutput?.additionalContext }
    },
    beforeTool: async ({ snapshot, toolCall, input }) => {
      const { toolName, toolCallId } = toolCall
      const ask = () => call("beforeTool", snapshot, { call_id: toolCallId, tool_name: toolName, tool_input: input }, true)
      const answer = await decided(JSON.stringify([toolName, input]), ask)
      if (!answer) return skip(toolCallId, undecided)
      if (answer.continue === false) return skip(toolCallId, answer.stopReason, true)
      if (answer.decision) return skip(toolCallId, answer.reason)
      const { tool_input, additionalContext } = answer.hookSpecificOutput ?? {}
      return { input: tool_input, appendContext: additionalContext }
    },
    afterTool: async ({ snapshot, toolCall, input, result }) => {
      if (skipped.delete(toolCall.toolCallId)) return
      const answer = await call("afterTool", snapshot, {
        call_id: toolCall.toolCallId, tool_name: toolCall.toolName, tool_input: input,
        tool_response: { output: result.output, is_error: result.isError },
      })
      return {
        stop: answer.continue === false,
        reason: answer.stopReason,
        result: answer.decision ? { ...result, output: answer.reason } : undefined,
        appendContext: answer.hookSpecificOutput?.additionalContext,
      }
    },
    afterRun: async ({ snapshot, result }) => {
      if (!snapshot.parentAgentId && result.status === "completed")
        await call("afterRun", snapshot, { prompt_response: result.outputText })
    },
  },
}
