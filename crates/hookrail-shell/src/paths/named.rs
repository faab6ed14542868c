//! Files that are named in other ways than as plain operands: by options, with a sign before them, or behind a subcommand.

use super::words::ProgramArguments;
use super::{KnownProgram, Operands, uses};
use crate::facts::Access;
use crate::field::Field;
use crate::walk::{Context, Walker};

/// Notes the files that `name` names so. True if it is one of the programs that are looked at here.
pub(super) fn named_files(walker: &mut Walker, name: &str, args: &[Field], context: &Context) -> bool {
    match name {
        "curl" => curl(walker, args, context),
        "wget" => wget(walker, args, context),
        "openssl" => openssl(walker, args, context),
        "rsync" | "scp" => copy_between_hosts(walker, name, args, context),
        "perl" | "ruby" => in_place(walker, args, context),
        "git" => git(walker, args, context),
        "find" => find(walker, args, context),
        "unzip" => {
            let program = KnownProgram { operands: Operands::Read, values: "dxP", long_values: &[] };
            let words = ProgramArguments::of(args, &program);
            uses(walker, &[Access::Read], words.operands.get(..1).unwrap_or_default(), context);
            if let Some(folder) = words.value(&["d"]) {
                walker.use_path(Access::Write, folder, context);
            }
        }
        "xargs" => {
            let program =
                KnownProgram { operands: Operands::Read, values: "adEILnPs", long_values: &["arg-file"] };
            if let Some(file) = ProgramArguments::of(args, &program).value(&["a", "arg-file"]) {
                walker.use_path(Access::Read, file, context);
            }
        }
        _ => return false,
    }
    true
}

/// `curl`: where the answer is written, and what is sent. A file that is sent stands behind `@` or, in a form, `=@`.
fn curl(walker: &mut Walker, args: &[Field], context: &Context) {
    let program = KnownProgram {
        operands: Operands::Read,
        values: "AbcCdDeEFHKmoPQrtTuUwxXyYz",
        long_values: &[
            "output",
            "upload-file",
            "data",
            "data-binary",
            "data-raw",
            "data-urlencode",
            "json",
            "form",
            "dump-header",
            "cookie-jar",
            "cookie",
            "config",
            "header",
            "request",
            "user",
            "user-agent",
        ],
    };
    let words = ProgramArguments::of(args, &program);
    for (option, value) in &words.options {
        let Some(value) = value else { continue };
        match option.as_str() {
            "o" | "output" | "D" | "dump-header" | "c" | "cookie-jar" => {
                uses(walker, &[Access::Write], &[value], context);
                walker.note_file(value, None);
            }
            "T" | "upload-file" | "K" | "config" => uses(walker, &[Access::Read], &[value], context),
            "d" | "data" | "data-binary" | "data-urlencode" | "json" | "F" | "form" => {
                let file = value.as_str().and_then(|text| {
                    let file = text.strip_prefix('@').or_else(|| text.split_once("=@").map(|(_, file)| file));
                    let file = file.or_else(|| text.split_once("=<").map(|(_, file)| file))?;
                    file.split(';').next()
                });
                if let Some(file) = file {
                    uses(walker, &[Access::Read], &[&Field::known(file)], context);
                }
            }
            _ => {}
        }
    }
}

/// `wget`.
fn wget(walker: &mut Walker, args: &[Field], context: &Context) {
    let program = KnownProgram {
        operands: Operands::Read,
        values: "aeioOPQtTUw",
        long_values: &[
            "output-document",
            "output-file",
            "post-file",
            "body-file",
            "input-file",
            "append-output",
        ],
    };
    let words = ProgramArguments::of(args, &program);
    for (option, value) in &words.options {
        let access = match option.as_str() {
            "O" | "output-document" | "P" | "directory-prefix" | "o" | "output-file" | "a"
            | "append-output" => Access::Write,
            "post-file" | "body-file" | "i" | "input-file" => Access::Read,
            _ => continue,
        };
        if let Some(value) = value {
            uses(walker, &[access], &[value], context);
            if access == Access::Write {
                walker.note_file(value, None);
            }
        }
    }
}

/// `openssl`, whose options are words with one dash.
fn openssl(walker: &mut Walker, args: &[Field], context: &Context) {
    for (option, value) in args.iter().zip(args.iter().skip(1)) {
        let access = match option.as_str() {
            Some("-in" | "-inkey" | "-key" | "-cert") => Access::Read,
            Some("-out" | "-keyout") => Access::Write,
            _ => continue,
        };
        uses(walker, &[access], &[value], context);
    }
}

/// `rsync` and `scp`: a copy, of which one side may be on another machine.
fn copy_between_hosts(walker: &mut Walker, name: &str, args: &[Field], context: &Context) {
    let program = KnownProgram {
        operands: Operands::Copy,
        values: if name == "scp" { "cDFiJloPSX" } else { "efTBM" },
        long_values: &[
            "rsh",
            "exclude",
            "include",
            "exclude-from",
            "include-from",
            "files-from",
            "filter",
            "rsync-path",
            "backup-dir",
            "suffix",
            "temp-dir",
            "link-dest",
            "log-file",
            "port",
            "bwlimit",
            "timeout",
        ],
    };
    let words = ProgramArguments::of(args, &program);
    let is_local = |field: &&&Field| {
        let text = field.as_str().unwrap_or_default();
        text.find(':').is_none_or(|colon| text.find('/').is_some_and(|slash| slash < colon))
    };
    let Some((target, sources)) = words.operands.split_last() else { return };
    let local: Vec<&Field> = sources.iter().filter(is_local).copied().collect();
    uses(walker, &[Access::Read], &local, context);
    if is_local(&target) {
        uses(walker, &[Access::Write], &[target], context);
        super::into_folder(walker, target, sources, context);
    }
}

/// `perl -i` and `ruby -i` write their operands; without a script on the command line the first is the script.
fn in_place(walker: &mut Walker, args: &[Field], context: &Context) {
    let program = KnownProgram { operands: Operands::WriteAfterFirst, values: "eEIrCx", long_values: &[] };
    let words = ProgramArguments::of(args, &program);
    if words.has(&["i"]) {
        let scripts = usize::from(!words.has(&["e", "E"]));
        uses(walker, &[Access::Write], words.operands.get(scripts..).unwrap_or_default(), context);
    }
}

/// Subcommands of git that change files of the working tree by name.
fn git(walker: &mut Walker, args: &[Field], context: &Context) {
    let (moves, args) = match args {
        [option, _, rest @ ..] if option.is("-C") => (true, rest),
        _ => (false, args),
    };
    let Some((verb, rest)) = args.split_first() else { return };
    let program = KnownProgram { operands: Operands::Write, values: "sp", long_values: &["source"] };
    let words = ProgramArguments::of(rest, &program);
    let named = match verb.as_str() {
        Some("restore" | "rm" | "mv") => words.operands,
        Some("apply") => {
            let count = words.value(&["p"]).and_then(Field::as_str).and_then(|text| text.parse().ok());
            if words.operands.iter().all(|field| field.is("-")) {
                super::patch::from_stdin(walker, super::patch::Strip::Folders(count.unwrap_or(1)), context);
            } else {
                uses(walker, &[Access::Read], &words.operands, context);
                walker.use_path(Access::Write, &Field::unknown(), context);
            }
            return;
        }
        // Before the dashes it may be a branch.
        Some("checkout" | "reset") => {
            let dashes = rest.iter().position(|field| field.is("--")).map_or(rest.len(), |at| at + 1);
            rest.get(dashes..).unwrap_or_default().iter().collect()
        }
        _ => return,
    };
    walker.elsewhere(moves, |walker| uses(walker, &[Access::Write], &named, context));
}

/// `find`: with `-delete` the folders that it starts from are written; `-fprint` and similar options name a file.
fn find(walker: &mut Walker, args: &[Field], context: &Context) {
    let is_expression = |field: &Field| field.as_str().is_some_and(|text| text.starts_with(['-', '(', '!']));
    let is_option = |field: &&Field| field.as_str().is_some_and(|text| matches!(text, "-H" | "-L" | "-P"));
    let rest = args.get(args.iter().take_while(is_option).count()..).unwrap_or_default();
    if rest.iter().any(|field| field.is("-delete")) {
        let folders: Vec<&Field> = rest.iter().take_while(|field| !is_expression(field)).collect();
        uses(walker, &[Access::Write], &folders, context);
    }
    for (option, file) in rest.iter().zip(rest.iter().skip(1)) {
        if matches!(option.as_str(), Some("-fprint" | "-fprint0" | "-fprintf" | "-fls")) {
            uses(walker, &[Access::Write], &[file], context);
        }
    }
}
