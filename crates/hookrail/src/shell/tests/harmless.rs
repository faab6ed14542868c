//! Lines that only speak of dangerous commands run none of them, and nothing about them is unclear.

use super::super::facts_of_line;

const LINES: [&str; 83] = [
    r#"echo "rm -rf /""#,
    "echo 'rm -rf /'",
    r"echo rm -rf /",
    "echo '$(rm -rf /)'",
    r#"echo "\$(rm -rf /)""#,
    "echo '`rm -rf /`'",
    r#"printf '%s\n' "rm -rf /""#,
    r#"git commit -m "rm: remove the old files""#,
    r"git commit -m 'stop calling `rm -rf` in tests'",
    r#"git commit -m "Fix $(nothing) in rm" --dry-run; git log --grep='rm -rf'"#,
    "git commit -am 'sudo rm -rf / is bad; do not; really && never'",
    "git commit -F - <<'E'\nrm -rf /\n\n$(rm -rf /)\nE",
    "git commit -m \"$(cat <<'E'\nRemove rm -rf\n\nit's gone\nE\n)\"",
    "git -c user.name=x -c core.pager=cat log",
    "git -c alias.st=status st",
    "git grep -n 'rm -rf'",
    "grep -rn 'rm -rf' .",
    r#"grep -E "rm|mkfs" -r src"#,
    r#"rg "sudo rm" --type sh"#,
    "cat <<'E' > run.sh\nrm -rf /\nE",
    "cat <<E > run.sh\nrm -rf /\nE",
    "cat > f <<'EOF'\n#!/bin/sh\nsudo rm -rf /\nEOF\nchmod +x f",
    "tee notes <<E\nnever rm -rf /\nE",
    "python3 -c 'import os; print(\"rm -rf /\")'",
    "python3 - <<'E'\nprint('rm -rf /')\nE",
    "node -e 'console.log(`rm -rf /`)'",
    "perl -e 'print q(rm -rf /)'",
    "awk '/rm -rf/ { print $1 }' f",
    "sed -n '/rm -rf/p' f",
    "sed 's/rm -rf/trash/g' f",
    "jq '.scripts | .[] | select(. == \"rm -rf /\")' package.json",
    "ls # rm -rf /",
    "# rm -rf /\nls",
    "ls # it's `rm` $(rm)\necho done",
    "make test # rm",
    "echo a#b rm",
    "man rm",
    "which rm",
    "type rm",
    "command -v rm",
    "command -V rm",
    "hash rm",
    "help rm",
    "apropos rm; whatis rm",
    "ls rm",
    "ls /bin/rm",
    "find . -name rm",
    "find . -name '*.rs' -not -path './target/*'",
    "find . -type f -exec grep -l rm {} +",
    "find . -exec echo rm {} \\;",
    "xargs -n 1 echo rm < list",
    "find . -print0 | xargs -0 grep -l 'rm -rf'",
    "X='rm -rf /'; echo \"$X\"",
    "X='rm -rf /'; echo $X",
    "CMD=rm; echo \"would run $CMD\"",
    "rm=1; echo $rm",
    "echo ${rm:-rm -rf}",
    "export rm=/bin/rm",
    "f=rm; case $f in rm) echo removed;; *) echo kept;; esac",
    "case rm in rm) ls;; esac",
    "[[ $x == rm ]] && echo yes",
    "[ \"$1\" = rm ] || echo no",
    "if [ \"$cmd\" = \"rm -rf\" ]; then echo no; fi",
    "for word in rm mkfs dd; do echo \"$word\"; done",
    "for f in *.txt; do wc -l \"$f\"; done",
    "while read -r line; do echo \"$line\"; done < list",
    "echo $((rm + 1))",
    "echo {rm,mkfs}",
    "alias",
    "trap - EXIT; trap '' INT",
    "trap 'echo rm' EXIT",
    "bash -c 'echo rm -rf /'",
    "sh -c \"echo 'rm -rf /'\"",
    "bash script.sh rm",
    "./run.sh rm -rf",
    "bash --version",
    "sudo -l rm",
    "sudo grep rm /var/log/x",
    "docker ps --filter name=rm",
    "docker run --rm -v /a:/b -e X=rm image ls",
    "ssh host 'echo rm -rf /'",
    "npm run rm && cargo test rm",
    "cd dir && ls && cd .. && echo \"$PWD: $(date) ${HOME}\" | tee -a log 2>&1",
];

#[test]
fn speaking_of_a_command_does_not_run_it() {
    for line in LINES {
        let facts = facts_of_line(line);
        assert!(!facts.dynamic, "{line:?} is not dynamic: {facts:?}");
        for name in ["rm", "mkfs", "dd"] {
            assert!(!facts.programs.contains(name), "{line:?} does not run {name}: {facts:?}");
        }
        assert!(
            facts.commands.iter().all(|command| command.argv.first() != Some(&Some("rm".to_owned()))),
            "{line:?}: {facts:?}"
        );
    }
}
