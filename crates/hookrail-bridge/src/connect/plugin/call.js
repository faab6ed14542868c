import { spawn } from "node:child_process"

// The exit of a project's script that finds no hookrail.
const missing = 69

const bridge = (event, input, guards) =>
  new Promise((resolve, reject) => {
    const gone = (why) => (guards ? reject(new Error(`${broken} (${why})`)) : resolve({}))
    const child = spawn(program, [...words, event])
    // Not `timeout` of `spawn`, whose timer outlives a program that cannot be started.
    const timer = setTimeout(() => child.kill(), 600000)
    timer.unref?.()
    let stdout = ""
    let stderr = ""
    child.on("error", (error) => gone(error.message))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (stdout += data))
    child.stderr.on("data", (data) => (stderr += data))
    child.on("close", (code) => {
      clearTimeout(timer)
      if (stderr) log(stderr)
      if (code === missing && absent) {
        if (guards && absent.required) return reject(new Error(absent.message))
        if (shown.includes(event)) report(absent.message)
        return resolve({})
      }
      if (code !== 0) return gone(`exit ${code}`)
      try {
        resolve(stdout.trim() ? JSON.parse(stdout) : {})
      } catch {
        gone("unreadable answer")
      }
    })
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...input }))
  })
