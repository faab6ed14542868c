//! The condition `if` of Claude Code's hooks as a `when`: a permission rule such as `Bash(git push *)` or `Edit(*.ts)`.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::tools::to_ours;

/// The same condition as ours; `None` if it cannot be told. It holds for every call that the rule means, and where the
/// rule compares text, for some that do the same in other words.
pub(super) fn when_of(agent: Agent, condition: &Value) -> Option<Value> {
    let text = condition.as_str()?.trim();
    let (name, pattern) = match text.split_once('(') {
        Some((name, rest)) => (name, Some(rest.strip_suffix(')')?.trim())),
        None => (text, None),
    };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if !is_name {
        return None;
    }
    let tool = to_ours(agent, name, &Value::Null).name;
    let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty() && *pattern != "*") else {
        return Some(json!({ "tool": tool }));
    };
    match tool.as_str() {
        "run_shell_command" => Some(json!({ "tool": tool, "command": command(pattern)? })),
        "read_file" => Some(json!({ "reads": path(pattern)? })),
        // A rule about `Edit` is about all tools that write files.
        "write_file" | "replace" => Some(json!({ "writes": path(pattern)? })),
        _ => None,
    }
}

/// `git push:*` and `git push *` are all commands that begin like this.
fn command(pattern: &str) -> Option<String> {
    let pattern = pattern.strip_suffix(":*").unwrap_or(pattern);
    // What a shell would not read as plain words is compared as text there, and cannot be compared so here.
    if pattern.contains(|c: char| "|&;<>$`\"'\\(){}[]?#!~=".contains(c)) {
        return None;
    }
    let mut words: Vec<&str> =
        pattern.split_whitespace().map(|word| if word == "*" { "..." } else { word }).collect();
    while words.last() == Some(&"...") {
        words.pop();
    }
    let is_program =
        words.first().is_some_and(|program| !program.starts_with(['-', '*']) && *program != "...");
    is_program.then(|| words.join(" "))
}

/// Patterns of paths are those of `.gitignore`: without a slash they mean files in every folder.
fn path(pattern: &str) -> Option<String> {
    if pattern.contains(['!', '\\', '{', '[']) {
        return None;
    }
    let inside = |rest: &str| if rest.ends_with('/') { format!("{rest}**") } else { rest.to_owned() };
    Some(if let Some(absolute) = pattern.strip_prefix("//") {
        inside(&format!("/{absolute}"))
    } else if pattern.starts_with("~/") {
        inside(pattern)
    } else if let Some(rooted) = pattern.strip_prefix('/').or_else(|| pattern.strip_prefix("./")) {
        inside(rooted)
    } else if pattern.trim_end_matches('/').contains('/') {
        inside(pattern)
    } else {
        format!("**/{}", inside(pattern))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permission_rules_become_conditions() {
        for (rule, expected) in [
            ("Bash(git push *)", json!({ "tool": "run_shell_command", "command": "git push" })),
            ("Bash(git push:*)", json!({ "tool": "run_shell_command", "command": "git push" })),
            (
                "Bash(npm run * --force)",
                json!({ "tool": "run_shell_command", "command": "npm run ... --force" }),
            ),
            ("Bash(*)", json!({ "tool": "run_shell_command" })),
            ("Bash", json!({ "tool": "run_shell_command" })),
            ("Edit(*.ts)", json!({ "writes": "**/*.ts" })),
            ("Write(src/**)", json!({ "writes": "src/**" })),
            ("Edit(//etc/hosts)", json!({ "writes": "/etc/hosts" })),
            ("Read(./secrets/)", json!({ "reads": "secrets/**" })),
            ("mcp__db__query", json!({ "tool": "mcp__db__query" })),
        ] {
            assert_eq!(when_of(Agent::Claude, &json!(rule)), Some(expected), "{rule}");
        }
        for rule in
            ["Bash(git push | sh)", "Bash(* --force)", "WebFetch(domain:x)", "Bash(x", "", "a b", "Edit(!x)"]
        {
            assert_eq!(when_of(Agent::Claude, &json!(rule)), None, "{rule}");
        }
        assert_eq!(when_of(Agent::Claude, &json!(["Bash"])), None);
    }
}
