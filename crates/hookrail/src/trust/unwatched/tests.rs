use std::fs;

use super::*;
use crate::hook::fixtures::project_hook as hook;

#[test]
fn what_cannot_be_told_from_a_command_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("hooks")).unwrap();
    fs::write(dir.path().join("hooks/plain.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    fs::write(dir.path().join("hooks/sourcing.sh"), "#!/bin/sh\n  . ./lib.sh\n").unwrap();
    fs::write(dir.path().join("hooks/relative.py"), "#!venv/bin/python\n").unwrap();
    fs::write(dir.path().join("package.json"), "{}").unwrap();
    let project = ProjectDir::new(dir.path());
    for (command, expected) in [
        ("./hooks/plain.sh --strict", ""),
        ("bash hooks/plain.sh 'a*b' \"c?d\" a\\*", ""),
        ("\"$LLXPRT_PROJECT_DIR/hooks/plain.sh\"", ""),
        ("cd hooks && ./plain.sh", ""),
        ("jq -e '.tool_input[\"x\"]' | grep -q '[a-z]*'", ""),
        ("./hooks/*.sh", "pattern"),
        ("bash hooks/[p]lain.sh", "pattern"),
        ("[ -f x ] && [[ -n $PWD ]]; exit $?", ""),
        ("[ -f x ]; ./hooks/*.sh; exit $?", "pattern"),
        ("case $PWD in *x) ./hooks/plain.sh;; esac", ""),
        ("grep -q make hooks/plain.sh", "`make` runs"),
        ("grep -q 'make' hooks/plain.sh", ""),
        ("'make' check", "`make` runs"),
        ("./hooks/{plain,other}.sh", "braces"),
        ("bash $'hooks/\\x70lain.sh'", "$'…'"),
        ("bash $SCRIPT", "variable"),
        ("bash \"${SCRIPT:-x}\"", "variable"),
        ("bash $(ls hooks)", "variable"),
        ("bash `ls hooks`", "variable"),
        ("make check", "`make` runs"),
        ("true && /usr/bin/npm run guard", "`npm` runs"),
        ("python3 -m guard", "`-m` runs"),
        ("python3 -I -m guard", "`-m` runs"),
        ("grep -m 1 x", ""),
        ("python3 hooks", "`hooks` is a folder"),
        ("./hooks/plain.sh --config package.json", "`package.json` is handed over as data"),
        ("./hooks/plain.sh --config missing.json", ""),
        ("./hooks/sourcing.sh", "`hooks/sourcing.sh` reads further scripts"),
        ("./hooks/relative.py", "`hooks/relative.py` has an interpreter"),
    ] {
        let hook = hook(command);
        let reading = Reading::load(&project, &hook);
        let reasons = unwatched(&project, &hook, &reading).join("; ");
        assert!(
            reasons.contains(expected) && reasons.is_empty() == expected.is_empty(),
            "{command}: {reasons:?}"
        );
        let watched = Hook { watch: vec!["hooks/**".to_owned()], ..hook };
        assert_eq!(unwatched(&project, &watched, &reading), Vec::<String>::new(), "{command}: watched");
    }
}
