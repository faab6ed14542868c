//! The files that a patch names: `patch -p0 <<E`, `git apply <<E`, `apply_patch <<E`.

use crate::facts::Access;
use crate::field::Field;
use crate::walk::{Context, Stdin, Walker};

/// How many leading folders of the names in a patch are taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strip {
    /// So many.
    Folders(usize),
    /// All of them, or none: `patch` without `-p` looks for both.
    AllOrNone,
}

/// Notes what a program writes that applies the patch on its standard input. A patch that is not known may write anything.
pub(super) fn from_stdin(walker: &mut Walker, strip: Strip, context: &Context) {
    match &context.stdin {
        Stdin::Text(text) => apply(walker, text, strip, context),
        Stdin::Nothing => {}
        Stdin::Unknown | Stdin::Path(_) => walker.use_path(Access::Write, &Field::unknown(), context),
    }
}

/// Notes the files that a patch writes.
pub(super) fn apply(walker: &mut Walker, patch: &str, strip: Strip, context: &Context) {
    let mut paths: Vec<&str> = Vec::new();
    for name in names(patch) {
        let both = match strip {
            Strip::Folders(count) => [name.splitn(count + 1, '/').nth(count).unwrap_or(name); 2],
            Strip::AllOrNone => [name, crate::walk::base_name(name)],
        };
        for path in both {
            if !paths.contains(&path) {
                paths.push(path);
                walker.use_path(Access::Write, &Field::known(path), context);
            }
        }
    }
}

/// The names in the headers of a patch, in any of the usual formats, each once. A line of content that looks like a header
/// counts as one.
fn names(patch: &str) -> Vec<&str> {
    const WHOLE: [&str; 8] = [
        "*** Add File:",
        "*** Update File:",
        "*** Delete File:",
        "*** Move to:",
        "rename from ",
        "rename to ",
        "copy to ",
        "Index: ",
    ];
    let mut names: Vec<&str> = Vec::new();
    for line in patch.lines().map(str::trim) {
        let whole = WHOLE.iter().find_map(|header| line.strip_prefix(header));
        let dated = ["+++ ", "--- "].iter().find_map(|header| line.strip_prefix(header));
        let of_git = line.strip_prefix("diff --git ").and_then(|names| names.rsplit(' ').next());
        let dated = dated.map(|rest| rest.split('\t').next().unwrap_or(rest));
        let name = whole.or(dated).or(of_git).map(|name| name.trim().trim_matches('"'));
        if let Some(name) = name.filter(|name| !matches!(*name, "" | "/dev/null"))
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}
