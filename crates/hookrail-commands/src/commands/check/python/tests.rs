use hookrail::EventName;

use super::*;

#[test]
fn modules_of_the_project_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("json.py"), "").unwrap();
    std::fs::create_dir(dir.path().join("guard")).unwrap();
    std::fs::write(dir.path().join("guard/__init__.py"), "").unwrap();
    for (words, expected) in [
        (&["python3", "-c", "import sys, json; print(1)"][..], "python-shadowed-import"),
        (&["python3", "-c", "import sys\nfrom json import loads"], "python-shadowed-import"),
        (&["python3", "-uc", "import json.tool"], "python-shadowed-import"),
        (&["/usr/bin/python3", "-m", "guard.main"], "python-shadowed-import"),
        (&["python3", "-W", "ignore", "-m", "guard"], "python-shadowed-import"),
        (&["python3", "-c", "import sys"], "python-imports-from-project"),
        (&["python3", "-m", "other"], "python-imports-from-project"),
        (&["python3", "-I", "-c", "import json"], "fine"),
        (&["python3", "-Im", "guard"], "fine"),
        (&["python3", "-P", "-m", "guard"], "fine"),
        (&["python3", "/opt/guard.py", "-c"], "fine"),
        (&["node", "-c", "import json"], "fine"),
        (&["python3"], "fine"),
    ] {
        let hook = Hook::new(EventName::BeforeTool, words.join(" "));
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let found = problem(&hook, &words, dir.path()).map_or("fine", |problem| problem.code.as_str());
        assert_eq!(found, expected, "{words:?}");
        let mut own = hook;
        own.origin.level = Level::Project;
        assert!(problem(&own, &words, dir.path()).is_none(), "{words:?}");
    }
}
