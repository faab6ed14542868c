//! The files that a patch names: `patch -p0 <<E`, `git apply <<E`, `apply_patch <<E`.

use super::Call;
use crate::facts::{Access, Extent};
use crate::field::{Field, Likely};
use crate::walk::{Context, Walker, base_name};

/// Any file below the folder that a patch is applied in: names that lead out of it are refused.
fn anything() -> Field {
    Field::likely(vec![Likely { path: "./".to_owned(), extent: Extent::Beginning }])
}

/// Notes the files that a patch writes. So many leading folders of their names are taken off, or all of them or none:
/// `patch` without `-p` looks for both.
fn apply(walker: &mut Walker, patch: &str, folders: Option<usize>, context: &Context) {
    let mut paths: Vec<&str> = Vec::new();
    for name in names(patch) {
        let both = match folders {
            Some(count) => [name.splitn(count + 1, '/').nth(count).unwrap_or(name); 2],
            None => [name, base_name(name)],
        };
        for path in both {
            if !paths.contains(&path) {
                paths.push(path);
                walker.use_path(Access::Write, &Field::known(path), context);
            }
        }
    }
}

/// The names in the headers of a patch, in any of the usual formats. A line of content that looks like a header counts as
/// one.
fn names(patch: &str) -> impl Iterator<Item = &str> {
    #[rustfmt::skip] // A list is read as a block.
    const WHOLE: [&str; 8] = [
        "*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:", "rename from ", "rename to ", "copy to ",
        "Index: ",
    ];
    patch.lines().map(str::trim).filter_map(|line| {
        let whole = WHOLE.iter().find_map(|header| line.strip_prefix(header));
        let dated = ["+++ ", "--- "].iter().find_map(|header| line.strip_prefix(header));
        let of_git = line.strip_prefix("diff --git ").and_then(|names| names.rsplit(' ').next());
        let dated = dated.map(|rest| rest.split('\t').next().unwrap_or(rest));
        let name = whole.or(dated).or(of_git)?.trim().trim_matches('"');
        (!matches!(name, "" | "/dev/null")).then_some(name)
    })
}

/// `patch`, `git apply` and `apply_patch`.
pub(super) fn act(walker: &mut Walker, call: &Call<'_>) -> bool {
    let context = call.context;
    if call.has("--check|--stat|--numstat|--summary|--dry-run") {
        return true;
    }
    let operands: Vec<Field> = call.operand_fields().collect();
    let given = call.value("-p").and_then(|field| field.as_str()?.parse().ok());
    let strip = given.or((call.name != "patch").then_some(usize::from(call.name == "git")));
    let folders: Vec<Field> = call.value("-d|--directory|-C").into_iter().collect();
    walker.within(&folders, |walker| {
        for file in ["-o", "-r"].iter().filter_map(|name| call.value(name).filter(|_| call.name == "patch")) {
            walker.use_path(Access::Write, &file, context);
        }
        let patch = call.value("-i").or_else(|| operands.get(1).cloned()).filter(|_| call.name == "patch");
        let patch =
            patch.or_else(|| operands.first().cloned().filter(|file| call.name == "git" && !file.is("-")));
        if let Some(file) = &patch {
            walker.use_path(Access::Read, file, context);
        }
        let text = operands.first().filter(|_| !matches!(call.name, "patch" | "git"));
        match (text.and_then(Field::as_str), operands.first(), call.name) {
            (Some(text), ..) => apply(walker, text, strip, context),
            (None, Some(file), "patch") if call.value("-o").is_some() => {
                walker.use_path(Access::Read, file, context);
            }
            (None, Some(file), "patch") => walker.use_path(Access::Write, file, context),
            _ if patch.is_some() || text.is_some() => {
                walker.use_path(Access::Write, &anything(), context);
            }
            _ => match context.text() {
                Some(text) => apply(walker, &text, strip, context),
                None => walker.use_path(Access::Write, &anything(), context),
            },
        }
    });
    true
}
