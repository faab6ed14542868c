use super::*;
use crate::rules::facts::{Facts, Subject};
use crate::rules::path::Places;
use crate::rules::truth::Truth;

#[test]
fn every_guard_is_read_without_a_finding_and_keeps_its_examples() {
    for text in TEXTS {
        let findings = with_object(text, |object| {
            let matcher = Matcher::compile(&text_of(object, "matcher").unwrap());
            let place = RulePlace { event: Guard::EVENT, matcher: &matcher };
            let RuleReading { problems, warnings, failed_examples, .. } = Rule::read(object, place);
            let name = text_of(object, "name").unwrap();
            [problems, warnings, failed_examples].concat().into_iter().map(|p| format!("{name}: {}", p.message)).collect()
        });
        assert_eq!(findings, Some(Vec::<String>::new()));
    }
    let all: Vec<Guard> = all().collect();
    assert_eq!(all.len(), TEXTS.len());
    for guard in &all {
        assert!(guard.description.len() > 20 && guard.description.ends_with('.'), "{}", guard.name);
        assert!(guard.matcher.problem().is_none(), "{}", guard.name);
        let kept = |matches| guard.rule.examples().iter().filter(|example| example.matches == matches).count();
        assert!(kept(true) >= 4 && kept(false) >= 3, "{}", guard.name);
        assert!(guard.rule.output().reason.is_some(), "{}", guard.name);
    }
    assert_eq!(names().collect::<Vec<_>>(), all.iter().map(|guard| guard.name.clone()).collect::<Vec<_>>());
    assert!(find("no-force-push").is_some());
    assert!(find("no-such-guard").is_none());
}

fn verdict(guard: &str, line: &str) -> Truth {
    let guard = find(guard).unwrap();
    let serde_json::Value::Object(input) = serde_json::json!({ "command": line }) else { unreachable!() };
    let subject = Subject { tool_name: Some("run_shell_command"), tool_input: Some(&input), ..Subject::default() };
    guard.rule.evaluate(&Facts::imagined(subject, Places::imagined("/project", "/home/user")))
}

/// Ways in which a shell line hides what it does. Each must be seen, or be said to be unknown; none may pass as harmless.
const EVASIONS: &[(&str, &[&str])] = &[
    (
        "no-force-push",
        &[
            r"git push -''f",
            r#"git pu"sh" --force"#,
            r"g\it push -f",
            "/usr/bin/git push -f",
            "git push --forc",
            "git push -vf",
            "git push -q -u -f origin main",
            "git -c push.default=current push -f",
            "git -c user.name=x -C . --no-pager push origin HEAD -f",
            "git --git-dir=.git --work-tree=. push --force=x",
            "git --git-dir .git push origin +HEAD:main",
            "git push --mirr origin",
            "X=--force; git push $X",
            "true && { git push -f; }",
            "if true; then git push -f; fi",
            "(cd x; git push -f)",
            "echo $(git push -f)",
            "f() { git push -f; }; f",
            "bash -c 'git push -f'",
            "env A=b git push -f",
            "env -S 'git push -f'",
            "timeout 5 git push -f",
            "xargs git push -f",
            "git push {-f,origin}",
            "eval 'git push -f'",
            "bash <<< 'git push -f'",
            "trap 'git push -f' EXIT",
            "git -c alias.x='!git push -f' x",
            "G=git; $G push -f",
            "$(echo git) push -f",
            "echo Z2l0IHB1c2ggLWY= | base64 -d | sh",
            "git push $FORCE",
        ],
    ),
    (
        "no-delete-outside",
        &[
            "rm -rf /home/user/x/",
            "rm -r -f ./../x",
            "rm -rf ././../../x",
            "rm --recurs --forc /opt/x",
            "rm -rf -- /opt/x",
            "rm /opt/x -rf",
            "cd .. && rm -rf x",
            "cd /opt; cd ..; rm -rf x",
            "rm -rf ~",
            "rm -rf /tmp/../opt",
            "rm -rf /tmp",
            "rm -rf a /opt/x b",
            "D=/opt/x; rm -rf $D",
            "sudo -u root rm -Rf /opt/x",
            "find /opt -delete",
            "rm -rf $UNSET/x",
        ],
    ),
    (
        "no-secret-files",
        &[
            "cat .env", "cat ./.env", "cat a/../.env", "cat '.env'", "cat .e''nv", "cat < .env", "cd config; cat ../.env",
            "cat ~/.ssh/id_rsa", "tail -n 5 -- .env", "cp .env x", "cat .env{,.local}", "F=.env; cat $F", "cat /project/.env",
            "grep -r x .env", "mv .env x", "cat .//.env", "source .env", ". ./.env", "echo x | tee -a .env",
        ],
    ),
    (
        "ask-before-publish",
        &["npm --tag x publish", "npm publish --otp=1", "pnpm -r publish", "yarn --cwd a publish", "cargo --locked publish", "cargo +nightly publish", "npm pub''lish"],
    ),
    ("ask-before-discard", &["git reset --har", "git reset HEAD --hard", "git -C a reset -q --hard", "git clean -xdf", "git clean --forc", "git checkout -qf x", "git checkout HEAD -- a"]),
    ("no-system-tools", &["/sbin/mkfs.ext4 x", "dd bs=1 of=/dev/sda if=x", "echo > /etc/../etc/passwd", "sudo sh -c 'echo x >> /etc/hosts'", "tee -a /etc//hosts", "busybox reboot"]),
    ("no-hook-settings", &["echo x > ./.llxprt/settings.json", "cd .llxprt && rm settings.json", "sed -i s/a/b/ .git/config", "mv x .claude/settings.json", "ln -sf x .git/hooks/pre-commit", "rm -r .llxprt/"]),
];

#[test]
fn evasions_are_seen_or_unknown() {
    let mut missed = Vec::new();
    for (guard, lines) in EVASIONS {
        for line in *lines {
            if verdict(guard, line) == Truth::No {
                missed.push(format!("{guard}: {line}"));
            }
        }
    }
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

/// Lines that only speak of such things.
#[test]
fn harmless_lines_pass() {
    for guard in all() {
        for line in [
            "ls -la",
            "echo 'rm -rf / && git push --force && curl x | sh'",
            "git commit -m 'npm publish after git reset --hard, see .env'",
            "grep -rn 'mkfs' src",
            "cargo test --workspace 2>&1 | tail -20",
            "git push origin main",
            "rm -rf target/debug",
            "npm install && npm test",
            "cat README.md > /tmp/x",
            "for f in a b; do echo $f; done",
        ] {
            assert_eq!(verdict(&guard.name, line), Truth::No, "{}: {line}", guard.name);
        }
    }
}
