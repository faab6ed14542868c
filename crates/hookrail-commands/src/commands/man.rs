//! `hookrail man`: manual pages, made from the command line's own types.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::cli::{Cli, ManArgs};
use crate::exit::ExitStatus;
use crate::terminal::printer::{Printer, escape_line};

/// One page for the program and one for each command that is not hidden.
pub(crate) fn run(args: &ManArgs, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    fs::create_dir_all(&args.folder)
        .with_context(|| format!("cannot make the folder `{}`", args.folder.display()))?;
    let mut root = Cli::command();
    // Completes the names of subcommands (`hookrail-check`), which become the names of the pages.
    root.build();
    write_page(&root, &args.folder, printer)?;
    Ok(ExitStatus::Success)
}

/// Writes the page of a command and those of its subcommands.
fn write_page(command: &clap::Command, folder: &Path, printer: &mut Printer) -> anyhow::Result<()> {
    let man = clap_mangen::Man::new(command.clone());
    let file = folder.join(man.get_filename());
    let mut page = Vec::new();
    man.render(&mut page).context("cannot make a page")?;
    fs::write(&file, page).with_context(|| format!("cannot write `{}`", file.display()))?;
    printer.data(escape_line(&file.display().to_string()))?;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
    {
        write_page(inner, folder, printer)?;
    }
    Ok(())
}
