use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};

use tempfile::TempDir;

use super::{assert_order, uses_between_modules};

/// A crate with three modules. Comments, strings and test code name modules that do not count.
fn sources() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let files = [
        ("main.rs", "mod low;\nmod middle;\nmod top;\nfn helper() {}\n"),
        (
            "low.rs",
            "// crate::top\n/* /* crate::top */ crate::top */\nconst A: &str = \"crate::top\";\n\
                    const B: &str = r#\"\"crate::top\"#;\nconst C: &[u8] = br\"\\\";\nfn f<'a>(x: &'a str) -> char { '\"' }\n",
        ),
        (
            "middle.rs",
            "#[cfg(test)]\nuse crate::top::{a, b};\n#[cfg(test)]\nmod fixtures;\nmod inner;\n\
                       #[cfg(test)]\n#[expect(x, reason = \"y\")]\nfn t<A, B>(a: [u8; 2]) { crate::top::a() }\n\
                       struct S {\n    #[cfg(test)]\n    field: crate::top::T,\n    other: crate::low::T,\n}\n\
                       #[cfg(test)]\nmod tests {\n    use crate::top;\n}\n\
                       use crate::low;\n",
        ),
        ("middle/fixtures.rs", "use crate::top;\n"),
        ("middle/inner.rs", "use super::super::low;\nuse super::own::super_thing;\n"),
        ("middle/tests.rs", "use crate::top;\n"),
        (
            "top.rs",
            "use crate::{\n    low::{middle, x},\n    middle,\n};\nuse super::low;\nfn f() { crate::helper() }\n",
        ),
        ("top/tests/deep.rs", "use crate::nothing;\n"),
    ];
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    folder
}

#[test]
fn uses_are_found_with_their_lines_and_test_code_is_not_read() {
    let expected: BTreeMap<(String, String), Vec<String>> = [
        ("middle", "low", vec!["middle.rs:12", "middle.rs:18", "middle/inner.rs:1"]),
        ("top", "crate", vec!["top.rs:6"]),
        ("top", "low", vec!["top.rs:2", "top.rs:5"]),
        ("top", "middle", vec!["top.rs:3"]),
    ]
    .into_iter()
    .map(|(from, to, places)| {
        ((from.to_owned(), to.to_owned()), places.into_iter().map(str::to_owned).collect())
    })
    .collect();
    assert_eq!(uses_between_modules(sources().path()), expected);
}

#[test]
fn an_order_fails_for_a_backward_use_a_use_of_the_root_and_a_room_that_is_missing() {
    let folder = sources();
    let failure = |modules: &[&str]| {
        let result = panic::catch_unwind(AssertUnwindSafe(|| assert_order(folder.path(), modules)));
        result.err().and_then(|payload| payload.downcast_ref::<String>().cloned())
    };
    let root_alone = failure(&["low", "middle", "top"]).expect("the root is used");
    assert!(root_alone.ends_with(":\n  top uses crate: top.rs:6\n"), "{root_alone}");
    let backward = failure(&["middle", "low", "top"]).expect("backward");
    assert!(
        backward.contains("  middle uses low: middle.rs:12, middle.rs:18, middle/inner.rs:1\n"),
        "{backward}"
    );
    let missing = failure(&["low", "top"]).expect("missing");
    assert!(missing.contains("are not those of the list"), "{missing}");
    fs::write(folder.path().join("top.rs"), "use crate::low;\n").expect("written");
    assert_eq!(failure(&["low", "middle", "top"]), None);
}
