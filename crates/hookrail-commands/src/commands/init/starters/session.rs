//! Starters around a session.
//!
//! Exit code 2 blocks none of these events; a hook of theirs can add context, write a file or notify a person.
//!
//! Every script reads all of stdin even where it needs none of it, because a hook that ends early can break the pipe
//! that its payload is written to. What it prints is JSON or nothing.

use super::Starter;

/// The shell version builds JSON by hand, so it prints nothing for a branch whose name would need escaping.
pub(super) const SESSION_START: Starter = Starter {
    name: "tell-git-branch",
    matcher: None,
    about: "when a session begins. They can give the model something to start from.",
    fields: &[("source", "startup, resume, clear or compress; a matcher is compared with it")],
    answers: &[(
        "{\"hookSpecificOutput\": {\"additionalContext\": \"…\"}}",
        "is what the session begins with",
    )],
    exit_two: "has no effect",
    does: "tells the model which git branch it works on.",
    sh: r#"
branch=$(git branch --show-current 2>/dev/null)
case $branch in
  '' | *[\"\\]*) exit 0 ;; # No repository, or nothing that could go into JSON as it is.
esac
printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"}}\n' \
  "The git branch is $branch."
"#,
    python: r#"
import json
import subprocess
import sys

payload = json.load(sys.stdin)
try:
    git = subprocess.run(["git", "branch", "--show-current"], capture_output=True, text=True)
    branch = git.stdout.strip()
except OSError:
    branch = ""  # There is no git.
if branch:
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": f"The git branch is {branch}.",
        }
    }))
"#,
    node: r#"
async function main(payload) {
  const { spawnSync } = await import("node:child_process");
  const git = spawnSync("git", ["branch", "--show-current"], { encoding: "utf8" });
  const branch = (git.stdout ?? "").trim();
  if (branch) {
    console.log(JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "SessionStart",
        additionalContext: `The git branch is ${branch}.`,
      },
    }));
  }
}
"#,
    try_also: None,
    needs_apply: true,
};

/// Shows the last event of a session, at which a hook has little time.
pub(super) const SESSION_END: Starter = Starter {
    name: "list-sessions",
    matcher: None,
    about: "when a session ends. They can tidy up or take notes.",
    fields: &[("reason", "exit, clear, logout, prompt_input_exit or other; a matcher is compared with it")],
    answers: &[("{\"systemMessage\": \"…\"}", "is kept in the log")],
    exit_two: "has no effect",
    does: "keeps a list of sessions in sessions.log beside it.",
    sh: r#"
printf '%s %s\n' "$(field timestamp)" "$(field reason)" >> "$(dirname "$0")/sessions.log"
"#,
    python: r#"
import json
import os.path
import sys

payload = json.load(sys.stdin)
log = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions.log")
with open(log, "a", encoding="utf-8") as file:
    file.write(f"{payload['timestamp']} {payload['reason']}\n")
"#,
    node: r#"
async function main(payload) {
  const { appendFileSync } = await import("node:fs");
  const { dirname, join } = await import("node:path");
  const log = join(dirname(process.argv[1]), "sessions.log");
  appendFileSync(log, `${payload.timestamp} ${payload.reason}\n`);
}
"#,
    try_also: None,
    needs_apply: false,
};

/// Shows that a hook can keep what the summary leaves out.
pub(super) const PRE_COMPRESS: Starter = Starter {
    name: "keep-transcript",
    matcher: None,
    about: "before a long conversation is summarised. They can save what will be lost.",
    fields: &[("trigger", "manual or auto; a matcher is compared with it")],
    answers: &[("{\"systemMessage\": \"…\"}", "is kept in the log")],
    exit_two: "has no effect",
    does: "keeps a copy of the transcript as it was.",
    sh: r#"
transcript=$(field transcript_path)
if [ -f "$transcript" ]; then
  cp "$transcript" "$transcript.$(date -u +%Y%m%dT%H%M%SZ).bak"
fi
"#,
    python: r#"
import datetime
import json
import os.path
import shutil
import sys

payload = json.load(sys.stdin)
transcript = payload.get("transcript_path") or ""
if os.path.isfile(transcript):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    shutil.copyfile(transcript, f"{transcript}.{now}.bak")
"#,
    node: r#"
async function main(payload) {
  const { copyFileSync, existsSync } = await import("node:fs");
  const transcript = payload.transcript_path;
  if (transcript && existsSync(transcript)) {
    const now = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    copyFileSync(transcript, `${transcript}.${now}.bak`);
  }
}
"#,
    try_also: None,
    needs_apply: false,
};

/// Shows an event that notifies a person, in a hook that never decides anything.
pub(super) const NOTIFICATION: Starter = Starter {
    name: "desktop-notification",
    matcher: None,
    about: "when the agent wants the user's attention. They can pass that on.",
    fields: &[
        ("notification_type", "ToolPermission, for instance; a matcher is compared with it"),
        ("message", "what the agent says"),
        ("details", "what it is about: type, title, …"),
    ],
    answers: &[("{\"systemMessage\": \"…\"}", "is kept in the log")],
    exit_two: "has no effect",
    does: "shows a desktop notification where notify-send exists.",
    sh: r#"
message=$(field message)
if command -v notify-send > /dev/null; then
  # Without a desktop there is nothing to show it on; that is not a failure.
  notify-send "The agent waits" "${message:-It has a question.}" > /dev/null 2>&1 || true
fi
"#,
    python: r#"
import json
import shutil
import subprocess
import sys

payload = json.load(sys.stdin)
if shutil.which("notify-send"):
    # Without a desktop there is nothing to show it on; that is not a failure.
    subprocess.run(
        ["notify-send", "The agent waits", payload["message"]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
"#,
    node: r#"
async function main(payload) {
  const { spawnSync } = await import("node:child_process");
  // Without notify-send or a desktop there is nothing to show it on, which is not a failure.
  spawnSync("notify-send", ["The agent waits", payload.message], { stdio: "ignore" });
}
"#,
    try_also: None,
    needs_apply: false,
};
