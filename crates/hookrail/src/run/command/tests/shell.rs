//! Which shell is used, and what is decided again for each run.

use super::*;

#[test]
fn what_changes_between_runs_is_noticed() {
    let project = Project::new();
    let dir = project.dir();
    let environment = project.environment(&[("OLDPWD", "@/gone")]);
    let preparer = CommandPreparer::new(environment, &Redaction::default(), true);
    let tool = hook("tool");
    let link = dir.join("../link");

    let first = preparer.prepare(&tool, &dir);
    assert_eq!(
        get(&preparer.prepare(&tool, &link).env, "CLAUDE_PROJECT_DIR"),
        Some(link.as_os_str()),
        "HOOK-188"
    );
    assert_eq!(get(&preparer.prepare(&tool, &link).env, "PWD"), Some(dir.as_os_str()));
    assert_eq!(get(&first.env, "OLDPWD"), None);
    assert_eq!(first.program, dir.join("bin/tool"));

    std::fs::create_dir(dir.join("gone")).unwrap();
    let second = preparer.prepare(&tool, &dir);
    assert_eq!(get(&second.env, "OLDPWD"), Some(dir.join("gone").as_os_str()));

    std::fs::remove_file(dir.join("bin/tool")).unwrap();
    assert!(preparer.prepare(&tool, &dir).fallback.is_none(), "the shell says that it is missing");
    std::fs::copy(dir.join("show"), dir.join("bin/tool")).unwrap();
    assert!(preparer.prepare(&tool, &dir).fallback.is_some());

    std::fs::remove_file(&link).unwrap();
    symlink(dir.join("sub"), &link).unwrap();
    assert_eq!(get(&preparer.prepare(&tool, &link).env, "PWD"), Some(dir.join("sub").as_os_str()));
}

#[test]
fn a_pwd_of_the_hooks_own_is_left_to_the_shell() {
    let project = Project::new();
    let preparer = CommandPreparer::new(project.environment(&[]), &Redaction::default(), true);
    let mut own = Hook::clone(&hook("tool"));
    own.env.push(("PWD".to_owned(), "/x".to_owned()));
    let command = preparer.prepare(&own, &project.dir());
    assert!(command.fallback.is_none(), "bash will not use it");
    assert_eq!(get(&command.env, "PWD"), Some(OsStr::new("/x")));
}

#[test]
fn bash_is_preferred_and_sh_is_enough() {
    let bin = tempfile::tempdir().unwrap();
    let add = |name: &str| {
        let path = bin.path().join(name);
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.into_os_string()
    };
    let find = |folders: &[&Path]| {
        let shell = Shell::find_in(&folders.iter().map(PathBuf::from).collect::<Vec<_>>());
        (shell.program, shell.name)
    };
    let nowhere = ["/nonexistent", "relative", ""].map(Path::new);
    assert_eq!(find(&nowhere), ("/bin/sh".into(), "sh"));
    let sh = add("sh");
    assert_eq!(find(&[bin.path()]), (sh, "sh"));
    let bash = add("bash");
    assert_eq!(find(&[bin.path()]), (bash, "bash"));
    let usual = Shell::find(None);
    assert!(SHELL_FOLDERS.iter().any(|folder| Path::new(&usual.program).starts_with(folder)));
    let searched = Shell::find(Some(bin.path().as_os_str()));
    assert_eq!(searched.program, usual.program, "a search path has no say where the system has one");
}

#[tokio::test]
async fn the_shell_is_called_bash_and_knows_where_it_is() {
    let preparer = CommandPreparer::new(std::env::vars_os().collect(), &Redaction::default(), true);
    let command = preparer.prepare(&hook(r#"echo "$0 $# $BASH"; no-such-thing"#), Path::new("/"));
    let (exit, lines, complaint) = see(&command).await;
    assert_eq!(exit, Exit::Code(127));
    assert_eq!(lines, [format!("bash 0 {}\n", preparer.shell.program.display())]);
    assert_eq!(complaint, "bash: line 1: no-such-thing: command not found\n");
}

#[test]
fn nothing_is_executed_directly_without_bash() {
    let bin = tempfile::tempdir().unwrap();
    symlink("/bin/sh", bin.path().join("sh")).unwrap();
    let environment = vec![("PATH".into(), bin.path().as_os_str().to_owned())];
    let shell = Shell::find_in(&[bin.path().to_owned()]);
    let preparer = CommandPreparer::with_shell(shell, environment, &Redaction::default(), true);
    let command = preparer.prepare(&hook("./x.sh"), bin.path());
    assert_eq!(
        (command.program.as_os_str(), command.args.clone()),
        (bin.path().join("sh").as_os_str(), vec!["-c".into(), "./x.sh".into(), "sh".into()])
    );
}
