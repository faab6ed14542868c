use super::*;

#[test]
fn only_the_user_root_and_the_owner_of_the_home_may_write() {
    let identity = UserIdentity { user: 1000, group: 1000, home_owner: Some(1001) };
    for (what, owner, group, mode, is_folder, expected) in [
        ("private", 1000, 1000, 0o600, false, None),
        ("readable", 1000, 50, 0o644, false, None),
        ("the system's", 0, 0, 0o644, false, None),
        ("root's group may be root's", 0, 0, 0o664, false, None),
        ("the owner of the home", 1001, 1001, 0o644, false, None),
        ("the user's own group", 1000, 1000, 0o664, false, None),
        ("a stranger's", 1002, 1000, 0o600, false, Some("chown 1000")),
        ("another group", 1000, 50, 0o664, false, Some("chmod go-w")),
        ("everybody", 1000, 1000, 0o646, false, Some("chmod o-w")),
        ("everybody's folder", 1000, 1000, 0o777, true, Some("chmod o-w")),
        ("a sticky folder", 0, 0, 0o1777, true, None),
        ("a file has no such bit", 1000, 1000, 0o1666, false, Some("chmod o-w")),
    ] {
        let kind = if is_folder { FOLDER } else { 0o100_000 };
        let found = identity.objection(Path::new("/x"), owner, group, kind | mode);
        match expected {
            None => assert_eq!(found, None, "{what}"),
            Some(help) => assert!(found.is_some_and(|(_, said)| said.contains(help)), "{what}"),
        }
    }
}
