//! The paths that common programs read and write, by their operands.
//!
//! The list is short on purpose: these are the programs with which a shell line commonly changes files. A rule about
//! paths is a guard rail against accidents; a program that is not listed may write any path; no list can be complete.

mod named;
mod patch;
mod words;

use self::words::ProgramArguments;
use super::facts::{Access, Extent};
use super::field::{Field, Likely};
use super::walk::{Context, Walker};

/// What the operands of a program are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// All are read.
    Read,
    /// All are written.
    Write,
    /// The last, or the value of `-t`, is written and the others are read.
    Copy,
    /// As for a copy, and the sources are written too.
    Move,
    /// All but the first are written.
    WriteAfterFirst,
    /// All but the first are read.
    ReadAfterFirst,
    /// All are read and written.
    Edit,
}

/// What is known about a program.
struct KnownProgram {
    operands: Operands,
    /// Letters of options with a value.
    values: &'static str,
    /// Long names of options with a value as the next word.
    long_values: &'static [&'static str],
}

/// What is known about the program `name`; `None` if its operands are no paths.
fn program(name: &str) -> Option<KnownProgram> {
    use Operands::{Copy, Edit, Move, Read, ReadAfterFirst, Write, WriteAfterFirst};
    let (operands, values, long_values): (Operands, &'static str, &'static [&'static str]) = match name {
        "tee" | "rm" | "rmdir" | "unlink" | "sponge" => (Write, "", &[]),
        "shred" => (Write, "ns", &["iterations", "size", "random-source"]),
        "touch" => (Write, "drt", &["date", "reference"]),
        "truncate" => (Write, "sr", &["size", "reference"]),
        "mkdir" => (Write, "mZ", &["mode"]),
        "chmod" => (WriteAfterFirst, "", &["reference"]),
        "chown" | "chgrp" => (WriteAfterFirst, "", &["reference", "from"]),
        "chattr" => (WriteAfterFirst, "pv", &[]),
        "setfacl" => (Write, "mxMX", &["modify", "remove", "modify-file", "remove-file"]),
        "cp" | "ln" => (Copy, "tS", &["target-directory", "suffix"]),
        "install" => {
            (Copy, "tSgmo", &["target-directory", "suffix", "group", "mode", "owner", "strip-program"])
        }
        "mv" => (Move, "tS", &["target-directory", "suffix"]),
        "cat" | "more" | "rev" | "wc" | "cksum" | "md5sum" | "sha1sum" | "sha256sum" | "sha512sum" => {
            (Read, "", &[])
        }
        "ed" | "ex" | "vi" | "vim" | "nvim" | "nano" | "pico" | "emacs" => {
            (Edit, "cSuUTwWs", &["cmd", "eval", "load"])
        }
        "patch" => (Write, "pdiorBDFVYzg", &["strip", "directory", "input", "output", "reject-file"]),
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" => (Edit, "ST", &["suffix", "threads"]),
        "xxd" | "zstd" => (Read, "closgTo", &[]),
        "zip" => (ReadAfterFirst, "bitnx", &[]),
        "jq" | "yq" => (ReadAfterFirst, "fL", &["from-file", "arg", "argjson", "indent"]),
        "tac" => (Read, "s", &["separator"]),
        "nl" => (Read, "bdfhilnsvw", &[]),
        "od" | "hexdump" => (Read, "AjNtSefns", &["address-radix", "skip-bytes", "read-bytes", "format"]),
        "strings" => (Read, "netT", &["bytes", "radix", "encoding", "target"]),
        "base64" | "base32" => (Read, "w", &["wrap"]),
        "cut" => (Read, "bcdf", &["bytes", "characters", "delimiter", "fields", "output-delimiter"]),
        "paste" => (Read, "d", &["delimiters"]),
        "sort" => {
            (Read, "kStTo", &["key", "buffer-size", "field-separator", "temporary-directory", "output"])
        }
        "diff" | "cmp" => (Read, "CUILFxXWn", &["label", "exclude", "bytes", "width"]),
        "awk" | "gawk" | "mawk" => (ReadAfterFirst, "Fvf", &["field-separator", "assign", "file"]),
        "head" => (Read, "nc", &["lines", "bytes"]),
        "tail" => (Read, "ncs", &["lines", "bytes", "pid", "sleep-interval", "max-unchanged-stats"]),
        "less" => (Read, "bhjkoOpPtTxyz", &["pattern", "log-file", "tag", "tabs", "window"]),
        "grep" | "egrep" | "fgrep" => (
            ReadAfterFirst,
            "efmABCDd",
            &[
                "regexp",
                "file",
                "max-count",
                "after-context",
                "before-context",
                "context",
                "label",
                "include",
                "exclude",
                "exclude-from",
                "exclude-dir",
                "devices",
                "directories",
                "binary-files",
            ],
        ),
        "sed" => (WriteAfterFirst, "efl", &["expression", "file", "line-length"]),
        _ => return None,
    };
    Some(KnownProgram { operands, values, long_values })
}

/// Notes the paths that `name` would read and write with `args`.
pub(super) fn operands(walker: &mut Walker, name: &str, args: &[Field], context: &Context) {
    if name == "dd" {
        dd(walker, args, context);
        return;
    }
    if named::named_files(walker, name, args, context) {
        return;
    }
    if matches!(name, "apply_patch" | "applypatch") {
        match args.iter().find_map(Field::as_str) {
            Some(text) => patch::apply(walker, text, patch::Strip::Folders(0), context),
            None => patch::from_stdin(walker, patch::Strip::Folders(0), context),
        }
    }
    let Some(program) = program(name) else { return };
    let words = ProgramArguments::of(args, &program);
    let mut operands = program.operands;
    let mut named = words.operands.as_slice();
    match name {
        "sed" => {
            let in_place = words.has(&["i", "in-place"]);
            operands = match (in_place, words.has(&["e", "f", "expression", "file"])) {
                (true, true) => Operands::Write,
                (true, false) => Operands::WriteAfterFirst,
                (false, true) => Operands::Read,
                (false, false) => Operands::ReadAfterFirst,
            };
        }
        "awk" | "gawk" | "mawk" if words.has(&["f", "file"]) => operands = Operands::Read,
        "grep" | "egrep" | "fgrep" if words.has(&["e", "f", "regexp", "file"]) => operands = Operands::Read,
        "chmod" | "chown" | "chgrp" if words.has(&["reference"]) => operands = Operands::Write,
        // `chmod -x file`: what looks like an option is the mode.
        "chmod" | "chattr" if args.iter().any(is_mode) => operands = Operands::Write,
        "install" if words.has(&["d", "directory"]) => operands = Operands::Write,
        "jq" | "yq" if words.has(&["f", "from-file"]) => operands = Operands::Read,
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" if words.has(&["c", "stdout", "t", "l"]) => {
            operands = Operands::Read;
        }
        _ => {}
    }
    if let Some(script) = words.value(&["f", "file"]).filter(|_| matches!(name, "grep" | "egrep" | "fgrep")) {
        walker.use_path(Access::Read, script, context);
    }
    if let Some(output) = words.value(&["o", "output"]).filter(|_| name == "sort") {
        walker.use_path(Access::Write, output, context);
    }
    if name == "patch" && named.is_empty() {
        let count = words.value(&["p", "strip"]).and_then(Field::as_str).and_then(|text| text.parse().ok());
        let strip = count.map_or(patch::Strip::AllOrNone, patch::Strip::Folders);
        if let Some(file) = words.value(&["i", "input"]) {
            walker.use_path(Access::Read, file, context);
            walker.use_path(Access::Write, &Field::unknown(), context);
        } else {
            patch::from_stdin(walker, strip, context);
        }
    }
    if matches!(operands, Operands::WriteAfterFirst | Operands::ReadAfterFirst) {
        named = named.get(1..).unwrap_or_default();
    }
    match operands {
        Operands::Read | Operands::ReadAfterFirst => uses(walker, &[Access::Read], named, context),
        Operands::Write | Operands::WriteAfterFirst => uses(walker, &[Access::Write], named, context),
        Operands::Edit => {
            // `vim +12 file` names a line.
            let is_file = |field: &&&Field| !field.as_str().is_some_and(|text| text.starts_with('+'));
            let files: Vec<&Field> = named.iter().filter(is_file).copied().collect();
            uses(walker, &[Access::Read, Access::Write], &files, context);
        }
        Operands::Copy | Operands::Move => {
            let accesses: &[Access] =
                if operands == Operands::Move { &[Access::Read, Access::Write] } else { &[Access::Read] };
            let is_file = words.has(&["T", "no-target-directory"]);
            if let Some(target) = words.value(&["t", "target-directory"]) {
                uses(walker, accesses, named, context);
                walker.use_path(Access::Write, target, context);
                into_folder(walker, target, named, context);
                if name == "ln" {
                    note_links(walker, target, named);
                }
            } else if let ([source], "ln") = (named, name) {
                // The link is made in the present directory.
                uses(walker, accesses, named, context);
                let link = source.as_str().map(|path| super::walk::base_name(path.trim_end_matches('/')));
                walker.use_path(Access::Write, &link.map_or_else(Field::unknown, Field::known), context);
                walker.note_link(link.unwrap_or_default());
            } else if let Some((target, sources)) = named.split_last() {
                uses(walker, accesses, sources, context);
                walker.use_path(Access::Write, target, context);
                if !is_file {
                    into_folder(walker, target, sources, context);
                }
                if name == "ln" {
                    note_links(walker, target, sources);
                }
            }
        }
    }
}

/// Whether a word with a dash takes rights or attributes away. The options of `chmod` and `chattr` have other letters.
fn is_mode(field: &Field) -> bool {
    let letters = field.as_str().and_then(|text| text.strip_prefix('-'));
    letters.is_some_and(|letters| {
        !letters.is_empty()
            && letters.chars().all(|letter| "rwxXstugoaidAS,+=-".contains(letter))
            && !letters.starts_with('-')
    })
}

/// Notes the links that are made: the target itself, or entries in it.
fn note_links(walker: &mut Walker, target: &Field, sources: &[&Field]) {
    let Some(target) = target.as_str() else { return };
    walker.note_link(target);
    for source in sources.iter().filter_map(|source| source.as_str()) {
        let name = super::walk::base_name(source.trim_end_matches('/'));
        walker.note_link(&format!("{}/{name}", target.trim_end_matches('/')));
    }
}

/// Notes what is written if the target is a folder: an entry with the name of each source.
fn into_folder(walker: &mut Walker, target: &Field, sources: &[&Field], context: &Context) {
    let likely = |field: &Field| match field.likely.as_slice() {
        [only] if only.extent == Extent::Whole => Some(only.path.clone()),
        _ => None,
    };
    let Some(folder) = target.text.clone().or_else(|| likely(target)) else { return };
    for source in sources {
        let Some(path) = source.text.clone().or_else(|| likely(source)) else { continue };
        let name = super::walk::base_name(path.trim_end_matches('/'));
        if matches!(name, "" | "." | "..") {
            continue;
        }
        let inside = format!("{}/{name}", folder.trim_end_matches('/'));
        let entry = match target.text {
            Some(_) => Field { text: Some(inside), ..target.clone() },
            None => Field::likely(vec![Likely { path: inside, extent: Extent::Whole }]),
        };
        walker.use_path_in_folder(Access::Write, &entry, context);
    }
}

/// Notes each access to each of `fields`; a single dash means a stream.
fn uses(walker: &mut Walker, accesses: &[Access], fields: &[&Field], context: &Context) {
    for field in fields.iter().filter(|field| !field.is("-")) {
        for access in accesses {
            walker.use_path(*access, field, context);
        }
    }
}

/// `dd`, whose operands are `name=value`.
fn dd(walker: &mut Walker, args: &[Field], context: &Context) {
    for arg in args {
        let Some(text) = arg.as_str() else {
            // It may be either.
            walker.use_path(Access::Write, arg, context);
            continue;
        };
        for (prefix, access) in [("of=", Access::Write), ("if=", Access::Read)] {
            if let Some(path) = text.strip_prefix(prefix) {
                walker.use_path(access, &Field { text: Some(path.to_owned()), ..arg.clone() }, context);
            }
        }
    }
}
