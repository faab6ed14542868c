use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::hook::fixtures::hook;

fn brief(folder: &Path, command: &str) -> String {
    let env = [
        ("PATH", folder.join("bin").into_os_string()),
        ("HOME", folder.join("h").into()),
        ("PWD", folder.into()),
    ];
    let prepared = PreparedCommand {
        program: "/bin/bash".into(),
        arg0: None,
        args: Vec::new(),
        env: env.map(|(name, value)| (name.into(), value)).into(),
        cwd: folder.to_owned(),
        fallback: None,
    };
    match recognise(&hook(command), &prepared) {
        Err(ForkObstacle::NotPython(_)) => "not Python".to_owned(),
        Err(ForkObstacle::NotTheSame(_)) => "not the same".to_owned(),
        Ok(launch) => {
            let words = [&launch.interpreter, &launch.arg0].into_iter().chain(&launch.options);
            let words: Vec<_> = words
                .chain([&launch.script])
                .chain(&launch.args)
                .map(|word| word.to_string_lossy())
                .collect();
            words.join(" ").replace(&*folder.to_string_lossy(), "F")
        }
    }
}

#[test]
fn python_scripts_are_recognised_by_their_interpreter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::create_dir_all(path.join("bin")).unwrap();
    fs::create_dir_all(path.join("h")).unwrap();
    for (name, text) in [
        ("bin/python3", "x"),
        ("bin/python3.12", "x"),
        ("bin/node", "x"),
        ("a.py", "pass"),
        ("h/a.py", "pass"),
        ("env.py", "#!/usr/bin/env python3\n"),
        ("options.py", "#!/usr/bin/env -S python3 -u -B\n"),
        ("direct.py", "#! /usr/bin/python3 -u\n"),
        ("other.py", "#!/usr/bin/python3 -O\n"),
        ("x.js", "#!/usr/bin/env node\n"),
        ("bin/tool", "#!/usr/bin/env python3\n"),
        ("python", "x"),
        ("plain", "echo\n"),
    ] {
        fs::write(path.join(name), text).unwrap();
        fs::set_permissions(path.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (command, expected) in [
        ("python3 a.py", "F/bin/python3 python3 a.py"),
        ("python3.12 -u -Bs a.py x -m", "F/bin/python3.12 python3.12 -u -Bs a.py x -m"),
        ("python3 ~/a.py", "F/bin/python3 python3 F/h/a.py"),
        ("python3 \"$LLXPRT_PROJECT_DIR/a.py\"", "F/bin/python3 python3 F/a.py"),
        ("./env.py 1", "F/bin/python3 python3 ./env.py 1"),
        ("./options.py", "F/bin/python3 python3 -u -B ./options.py"),
        ("./direct.py", "/usr/bin/python3 /usr/bin/python3 -u ./direct.py"),
        ("tool", "F/bin/python3 python3 F/bin/tool"),
        ("./other.py", "not the same"),
        ("python3 -O a.py", "not the same"),
        ("python3 -m a", "not the same"),
        ("python3 - a.py", "not the same"),
        ("./python a.py", "not the same"),
        ("python3", "not Python"),
        ("python3 missing.py", "not Python"),
        ("python3 a.py | cat", "not Python"),
        ("python3 '~/a.py'", "not Python"),
        ("./x.js", "not Python"),
        ("./plain", "not Python"),
        ("./missing", "not Python"),
        ("node a.py", "not Python"),
    ] {
        assert_eq!(brief(&path, command), expected, "{command}");
    }
}
