//! Both ways of looking at processes see the same.

use std::process::{Command, Stdio};

use super::{MARK, descriptors, is_alive, peak_memory, ps, resident_memory, table, threads};

#[test]
fn ps_shows_what_proc_shows() {
    let mut child =
        Command::new("sleep").arg("600").env(MARK, "compared").stdin(Stdio::piped()).spawn().expect("sleep");
    let pid = child.id();
    crate::wait_until(std::time::Duration::from_secs(30), "the child's program", || {
        table::one(pid).is_some_and(|process| process.name == "sleep")
    });
    assert_eq!(ps::one(pid), table::one(pid));
    assert!(ps::all().contains(&table::one(pid).expect("it sleeps")));
    let variable = format!("{MARK}=compared");
    assert_eq!(ps::with_variable(&variable), table::with_variable(&variable));
    assert!(is_alive(pid));
    let argument = format!("6{}", "0".repeat(7));
    let mut long = Command::new("sleep").arg(&argument).stdin(Stdio::null()).spawn().expect("sleep");
    crate::wait_until(std::time::Duration::from_secs(30), "the other child's program", || {
        table::with_argument(&argument).iter().any(|process| process.name == "sleep")
    });
    assert_eq!(ps::with_argument(&argument), table::with_argument(&argument));
    long.kill().and_then(|()| long.wait()).expect("its end");

    child.kill().expect("it can be ended");
    crate::wait_until(std::time::Duration::from_secs(30), "its end", || !is_alive(pid));
    assert!(ps::one(pid).is_some_and(|process| process.zombie));
    child.wait().expect("its end");
    assert_eq!((ps::one(pid), table::one(pid)), (None, None));
}

#[test]
fn ps_measures_what_proc_measures() {
    let numbers =
        |open: Vec<(u32, std::path::PathBuf)>| open.into_iter().map(|(number, _)| number).collect::<Vec<_>>();
    // Other tests of this process start threads and open files meanwhile.
    let limit = std::time::Duration::from_secs(30);
    crate::wait_until(limit, "the same descriptors", || numbers(ps::descriptors()) == numbers(descriptors()));
    crate::wait_until(limit, "the same threads", || ps::threads() == threads());
    let close = |one: u64, other: u64| one.abs_diff(other) < one.max(other) / 2;
    let resident = (ps::resident_memory(std::process::id()), resident_memory());
    assert!(close(resident.0, resident.1), "{resident:?}");
    // The system's count also has what the process held before it became this program.
    assert!(ps::peak_memory() >= peak_memory() / 2, "{} {}", ps::peak_memory(), peak_memory());
}
