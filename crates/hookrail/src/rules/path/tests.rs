use std::fs;
use std::os::unix::fs::symlink;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{Dots, Places};
use crate::rules::truth::Truth;
use hookrail_shell::Extent;

/// A project with a few links, beside a folder that does not belong to it.
struct Disk {
    _dir: TempDir,
    root: String,
    places: Places,
}

fn disk() -> Disk {
    let dir = TempDir::new().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for folder in ["project/src/deep", "elsewhere", "home"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    symlink("../elsewhere", root.join("project/out")).unwrap();
    symlink("src/deep", root.join("project/in")).unwrap();
    symlink("../elsewhere/not-yet/folder", root.join("project/dangling")).unwrap();
    symlink("loop", root.join("project/loop")).unwrap();
    symlink("project", root.join("door")).unwrap();
    // The project is entered by a link, as a home on another disk is.
    let places = Places::on_disk(&root.join("door"), &root.join("door"), Some(&root.join("home")));
    Disk { root: root.to_string_lossy().into_owned(), _dir: dir, places }
}

impl Disk {
    fn see(&self, text: &str, dots: Dots) -> String {
        let folder = self.places.folder([]);
        let Some(found) = self.places.resolve(folder.as_deref(), text, dots) else {
            return "unknown".to_owned();
        };
        let shown = |path: &super::ResolvedPath| {
            let shown = path.shown.replace(&self.root, "ROOT");
            if path.outside == Truth::Yes { format!("outside {shown}") } else { shown }
        };
        found.iter().map(shown).collect::<Vec<_>>().join(", ")
    }
}

/// Where no link leads to the project, it is not looked for any below it again.
#[test]
fn a_project_is_the_same_by_its_own_name_and_by_a_link() {
    let by_link = disk();
    let root = std::path::Path::new(&by_link.root);
    let places =
        Places::on_disk(&root.join("project"), &root.join("project"), Some(&root.join("home"))).noted();
    let direct = Disk { places, root: by_link.root.clone(), _dir: TempDir::new().unwrap() };
    for (text, expected) in [
        ("a", "a"),
        ("src/deep/x", "src/deep/x"),
        ("out/x", "outside ROOT/elsewhere/x"),
        ("in/x", "src/deep/x"),
        ("./in/../x", "src/x, x"),
        ("dangling/new/x", "outside ROOT/elsewhere/not-yet/folder/new/x"),
        ("loop/x", "loop/x"),
        ("../x", "outside ROOT/x"),
        ("../project/out", "outside ROOT/elsewhere"),
        ("../projects/out", "outside ROOT/projects/out"),
        (".", "."),
    ] {
        assert_eq!(direct.see(text, Dots::Both), expected, "{text}");
        assert_eq!(by_link.see(text, Dots::Both), expected, "{text}, by a link");
    }
}

/// What was noted where the call is made is all that a service needs: the files themselves are gone here.
#[test]
fn another_machine_sees_the_same_paths() {
    let Disk { _dir: dir, root, places } = disk();
    let noted = places.noted();
    let see = |places: &Places| {
        let mut seen = Vec::new();
        for text in [
            "a",
            "../x",
            "~/x",
            "~root/x",
            "out/x",
            "in/../x",
            "dangling/new/x",
            "loop/x",
            "out",
            "~-/x",
            "/dev/null",
        ] {
            for dots in [Dots::Physical, Dots::Both] {
                seen.push(format!("{text}: {:?}", places.resolve(places.folder([]).as_deref(), text, dots)));
            }
            let folder = places.is_folder(places.folder([]).as_deref(), text);
            seen.push(format!("{text} is a folder: {folder}"));
        }
        seen
    };
    let there = see(&noted);
    let caller = noted.caller();
    drop(dir);
    let told = serde_json::from_str(&serde_json::to_string(&caller).unwrap()).unwrap();
    assert_eq!(see(&Places::told(&told)), there);
    assert_eq!(caller.project, format!("{root}/project"));
    // Without being told, it would see something else.
    assert_ne!(see(&Places::imagined(&format!("{root}/project"), &format!("{root}/home"))), there);
}

#[test]
fn a_path_is_told_by_where_it_leads() {
    let disk = disk();
    for (text, expected) in [
        ("a", "a"),
        ("./a//b/", "a/b"),
        ("src/../a", "a"),
        (".", "."),
        ("../project/x", "x"),
        ("../x", "outside ROOT/x"),
        ("../../../../../../../../../../etc/passwd", "outside /etc/passwd"),
        ("/etc/../etc/./passwd", "outside /etc/passwd"),
        ("~/x", "outside ROOT/home/x"),
        ("~", "outside ROOT/home"),
        ("~root/x", "outside /root/x"),
        ("~-/x", "unknown"),
        ("", "unknown"),
        ("out/x", "outside ROOT/elsewhere/x"),
        ("out", "outside ROOT/elsewhere"),
        ("in/x", "src/deep/x"),
        ("in/../x", "src/x"),
        ("dangling/new/x", "outside ROOT/elsewhere/not-yet/folder/new/x"),
        ("missing/../x", "x"),
        ("missing/out/../../out/x", "outside ROOT/elsewhere/x"),
        ("loop/x", "loop/x"),
        ("src/*.rs", "src/*.rs"),
        ("/dev/null", ""),
        ("/dev/../dev/stdout", ""),
        ("/proc/self/root/etc/passwd", "outside /etc/passwd"),
        ("nul\0byte", "nul\0byte"),
    ] {
        assert_eq!(disk.see(text, Dots::Physical), expected, "{text:?}");
    }
    let direct = format!("{}/door/a", disk.root);
    assert_eq!(disk.see(&direct, Dots::Physical), "a");
    let sibling = format!("{}/project-2/a", disk.root);
    assert_eq!(disk.see(&sibling, Dots::Physical), "outside ROOT/project-2/a");
}

#[test]
fn where_programs_differ_about_dots_both_paths_count() {
    let disk = disk();
    assert_eq!(disk.see("in/../x", Dots::Both), "src/x, x");
    assert_eq!(disk.see("out/../x", Dots::Both), "outside ROOT/x, x");
    assert_eq!(disk.see("src/../x", Dots::Both), "x");
}

#[test]
fn folders_are_changed_by_text() {
    let disk = disk();
    for (steps, text, expected) in [
        (vec!["src", "deep"], "x", "src/deep/x"),
        (vec!["in", ".."], "x", "x"),
        (vec!["/etc"], "passwd", "outside /etc/passwd"),
        (vec!["~"], "x", "outside ROOT/home/x"),
        (vec!["out"], "x", "outside ROOT/elsewhere/x"),
    ] {
        let folder = disk.places.folder(steps.iter().copied());
        let found = disk.places.resolve(folder.as_deref(), text, Dots::Physical).unwrap();
        let shown = found[0].shown.replace(&disk.root, "ROOT");
        let shown = if found[0].outside == Truth::Yes { format!("outside {shown}") } else { shown };
        assert_eq!(shown, expected, "{steps:?}");
    }
    assert_eq!(disk.places.folder(["~root"]).as_deref(), Some("/root"));
    assert!(disk.places.resolve(None, "relative", Dots::Physical).is_none());
    assert!(disk.places.resolve(None, "/etc/x", Dots::Physical).is_some());
}

#[test]
fn case_is_probed_on_the_disk() {
    let disk = disk();
    let differs = !std::path::Path::new(&disk.root.to_uppercase()).exists();
    assert_eq!(disk.places.ignores_case(), !differs);
    let places = Places { ignores_case: true.into(), ..Places::imagined("/Work/Project", "/h") };
    let found = places.resolve(Some("/"), "/work/PROJECT/x", Dots::Physical).unwrap();
    assert_eq!((found[0].shown.as_str(), found[0].outside), ("x", Truth::No));
}

#[test]
fn a_long_path_costs_little() {
    let disk = disk();
    let long = "a/../".repeat(100_000);
    assert_eq!(disk.see(&format!("{long}x"), Dots::Both), "x");
    assert_eq!(disk.see(&"a/".repeat(100_000), Dots::Both).len(), 199_999);
}

proptest! {
    #[test]
    fn a_path_without_links_is_its_shortened_text(text in "[a-c./]{1,20}") {
        let disk = disk();
        let places = Places::imagined("/project", "/home");
        let here = disk.see(&text, Dots::Both);
        let there = places.resolve(Some("/project"), &text, Dots::Both).unwrap();
        let there = if there[0].outside == Truth::Yes { "outside".to_owned() } else { there[0].shown.clone() };
        prop_assert_eq!(here.split(' ').next().unwrap_or_default(), there);
    }
}

#[test]
fn a_beginning_is_told_by_its_folder() {
    let disk = disk();
    for (text, extent, expected) in [
        ("/etc/", Extent::Beginning, "/etc/? Yes"),
        ("/etc/x", Extent::Beginning, "/etc/x? Yes"),
        ("src/", Extent::Beginning, "src/? No"),
        ("./", Extent::Beginning, "? No"),
        ("x", Extent::Beginning, "x? No"),
        ("out/", Extent::Beginning, "ROOT/elsewhere/? Yes"),
        ("~/", Extent::Beginning, "ROOT/home/? Yes"),
        ("/", Extent::Beginning, "/? Unknown"),
        ("/", Extent::Everything, "/? Yes"),
        ("../", Extent::Beginning, "ROOT/? Unknown"),
    ] {
        let folder = disk.places.folder([]);
        let found = disk.places.resolve_beginning(folder.as_deref(), text, extent).unwrap();
        let shown = format!("{} {:?}", found.shown.replace(&disk.root, "ROOT"), found.outside);
        assert_eq!(shown, expected, "{text}");
    }
}

/// Everything lies below `/`, so that being below the project says nothing there.
#[test]
fn a_project_that_is_the_root_has_nothing_inside() {
    let places = Places::imagined("/", "/home/user");
    for (path, outside) in [
        ("etc/passwd", true),
        ("/home/user/x", true),
        ("~/x", true),
        (".", true),
        ("/tmp/x", false),
        ("var/tmp/a/b", false),
        ("/tmp", true),
        ("/tmpfoo/x", true),
        ("/tmp/../etc/x", true),
    ] {
        let found = places.resolve(Some("/"), path, Dots::Physical).unwrap();
        assert_eq!(
            found.iter().map(|path| path.outside).collect::<Vec<_>>(),
            [Truth::from(outside)],
            "{path}: {found:?}"
        );
        assert!(found.iter().all(|path| path.shown.starts_with('/')), "{found:?}");
    }
}
