use std::os::unix::fs::symlink;

use hookrail_testkit::TestProject;

use super::*;
use crate::tools::failure::NOT_FOUND;

#[test]
fn only_paths_that_end_in_the_project_resolve() {
    let project = TestProject::new();
    project.file("src/main.rs", "fn main() {}");
    let outside = project.home().join("secret");
    std::fs::write(&outside, "secret").unwrap();
    let dir = project.dir();
    symlink(&outside, dir.join("link-out")).unwrap();
    symlink(project.home(), dir.join("dir-out")).unwrap();
    symlink(dir.join("src/main.rs"), dir.join("link-in")).unwrap();
    symlink("src", dir.join("dir-in")).unwrap();
    symlink("../home/new", dir.join("dangling-out")).unwrap();
    symlink("nothing", dir.join("dangling-in")).unwrap();
    symlink("loop", dir.join("loop")).unwrap();
    symlink("/proc/self/root", dir.join("magic")).unwrap();
    let absolute = dir.join("src/main.rs");
    let prefix = format!("{}-other/x", dir.display());

    let workspace = Workspace::open(&dir, &ProtectedPaths::default()).unwrap();
    for (given, expected) in [
        (".", "."),
        ("", "."),
        ("src/main.rs", "src/main.rs"),
        ("./src/../src/main.rs", "src/main.rs"),
        (absolute.to_str().unwrap(), "src/main.rs"),
        ("link-in", "src/main.rs"),
        ("dir-in/main.rs", "src/main.rs"),
        ("dir-in/../link-in", "src/main.rs"),
        ("new/deep/file", "new/deep/file (new)"),
        ("dir-in/new", "src/new (new)"),
        ("..", OUTSIDE),
        ("../home/secret", OUTSIDE),
        ("../home/new", OUTSIDE),
        ("../project/../home/secret", OUTSIDE),
        ("/etc/passwd", OUTSIDE),
        ("/", OUTSIDE),
        (&prefix, OUTSIDE),
        ("link-out", OUTSIDE),
        ("dir-out", OUTSIDE),
        ("dir-out/secret", OUTSIDE),
        ("dir-out/new", OUTSIDE),
        ("dir-out/../home/secret", OUTSIDE),
        ("dangling-out", OUTSIDE),
        ("dangling-in", OUTSIDE),
        ("dangling-in/x", OUTSIDE),
        ("magic/etc/passwd", OUTSIDE),
        ("new/../../home/secret", NOT_FOUND),
        ("src/main.rs/x", NOT_DIRECTORY),
        ("loop", READ_FAILED),
        ("nul\0byte", READ_FAILED),
    ] {
        let found = match workspace.resolve(given) {
            Ok(inside) => inside.shown() + if inside.exists { "" } else { " (new)" },
            Err(failure) => failure.kind.to_owned(),
        };
        assert_eq!(found, expected, "{given:?}");
    }
}

#[test]
fn a_link_that_appears_after_resolving_is_not_followed() {
    let project = TestProject::new();
    project.file("folder/file", "inside");
    std::fs::write(project.home().join("file"), "outside").unwrap();
    let workspace = Workspace::open(&project.dir(), &ProtectedPaths::default()).unwrap();
    let inside = workspace.resolve("folder/file").unwrap();

    std::fs::rename(project.dir().join("folder"), project.dir().join("moved")).unwrap();
    symlink(project.home(), project.dir().join("folder")).unwrap();
    assert_eq!(workspace.open_file(&inside).unwrap_err().kind, NOT_DIRECTORY, "the folder became a link");

    std::fs::remove_file(project.dir().join("folder")).unwrap();
    std::fs::create_dir(project.dir().join("folder")).unwrap();
    symlink(project.home().join("file"), project.dir().join("folder/file")).unwrap();
    assert_eq!(workspace.open_file(&inside).unwrap_err().kind, OUTSIDE, "the file became a link");
}

#[test]
fn near_names_are_suggested() {
    let project = TestProject::new();
    project.file("src/main.rs", "");
    project.file("README.md", "");
    let workspace = Workspace::open(&project.dir(), &ProtectedPaths::default()).unwrap();
    for (given, expected) in [
        ("src/mian.rs", "`src/mian.rs` does not exist; did you mean `src/main.rs`?"),
        ("readme.md", "`readme.md` does not exist; did you mean `README.md`?"),
        ("nothing-like-it", "`nothing-like-it` does not exist"),
        ("no/folder", "`no/folder` does not exist"),
    ] {
        assert_eq!(workspace.resolve_existing(given).unwrap_err().message, expected);
    }
}
