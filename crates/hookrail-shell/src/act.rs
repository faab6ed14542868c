//! What a program does with its words: which files it reads and writes, and what it starts.
//!
//! The book says which role each word has, and here the roles are carried out. What a table cannot say (how `find` nests
//! commands, what `env -S` splits) is in the modules below.

mod copy;
mod git;
mod languages;
mod nested;
mod patch;
mod search;
mod shells;
mod terminals;

use super::book::Entry;
use super::command_words::{CommandWords, Flag, FlagName, FlagValue, GivenWord, Item};
use super::facts::{Access, Cause, Extent};
use super::field::{Field, Likely};
use super::walk::{Context, Walker, base_name, may_name_environment};

pub(super) use self::git::is_git_code;
pub(super) use self::search::{found_by_fd, found_by_find, words_of};
pub(super) use self::shells::{from_stdin as source_stdin, is_shell, is_stream};

/// How many bytes of text reading one word with the book counts for.
const READING_COST: usize = 64;

impl Field {
    /// What it begins with, if only that is known.
    fn beginning(&self) -> Option<&str> {
        self.likely.first().map(|likely| likely.path.as_str())
    }
}

/// Reads the words behind a program with this entry.
fn read(entry: Option<Entry>, args: &[Field]) -> CommandWords {
    let given = |field| GivenWord { text: Field::as_str(field), beginning: field.beginning() };
    CommandWords::with_entry(entry, args.iter().map(given).collect())
}

/// The words of `fields` with blanks between them, as `eval` sees them. A word that cannot be determined becomes a
/// parameter that cannot be determined either.
pub(super) fn joined(fields: &[Field]) -> String {
    let words: Vec<&str> = fields.iter().map(|field| field.as_str().unwrap_or("$_")).collect();
    words.join(" ")
}

/// Reads what the program `name` does with `args`.
pub(super) fn act(walker: &mut Walker, name: &str, args: &[Field], context: &Context) {
    let Some(entry) = Entry::of(name) else {
        // What it does with a path is not known, and it may be a write.
        if args.iter().filter_map(Field::as_str).any(looks_like_path) {
            walker.use_path(Access::Write, &Field::unknown(), context);
        }
        return;
    };
    // Reading the words is more work than passing them on.
    if !walker.step(args.len().saturating_mul(READING_COST)) {
        return;
    }
    let words = read(Some(entry), args);
    let mut call =
        Call { name, args, words, inner: context.behind(name), context, doubts_before: walker.doubts };
    call.inner.posix = call.is("posix");
    // `chroot /` changes nothing.
    let stays = || call.operand_fields().next().is_some_and(|first| first.is("/"));
    call.inner.foreign |= call.is("elsewhere") && !stays();
    let special = call.words.path.iter().rev().find_map(|entry| entry.does());
    let is_done = special.is_some_and(|special| match special {
        "shell" => shells::shell(walker, name, args, &call.inner),
        "su" => shells::su(walker, &call),
        "env" => nested::split_env(walker, &call),
        "find" => search::find(walker, &call),
        "fd" => search::fd(walker, &call),
        "xargs" => search::xargs(walker, &call),
        "parallel" => search::parallel(walker, &call),
        "docker-run" => nested::docker_run(walker, &call),
        "crontab" => nested::crontab(walker, &call),
        "socat" => nested::socat(walker, &call),
        "git-config" => git::written_setting(walker, &call),
        "patch" => patch::act(walker, &call),
        "sed" => languages::sed(walker, &call),
        "tmux" => terminals::tmux(walker, &call),
        "dd" => copy::dd(walker, &call),
        "screen" => terminals::screen(walker, &call),
        "expect" => terminals::expect(walker, &call),
        "pwsh" => shells::powershell(walker, &call),
        "capsh" => shells::behind_dashes(walker, &call),
        "start-stop-daemon" => nested::start_daemon(walker, &call),
        _ => false,
    });
    if !is_done {
        walker.changes_links = call.is("unlinks");
        call.act(walker);
        walker.changes_links = false;
    }
}

/// Whether a word is probably the path of a file.
fn looks_like_path(text: &str) -> bool {
    !text.starts_with('-') && !text.contains("://") && (text.contains('/') || text.starts_with('~'))
}

/// A command with its words read.
struct Call<'c> {
    name: &'c str,
    args: &'c [Field],
    words: CommandWords,
    /// Where that runs which it starts.
    inner: Context,
    /// Where it runs itself.
    context: &'c Context,
    /// How many doubts the line raised before it.
    doubts_before: usize,
}

/// An operand, or a word that cannot be determined.
#[derive(Debug, Clone, Copy)]
struct Slot {
    at: usize,
    may_be_value: bool,
}

impl Call<'_> {
    /// Whether the program, or a subcommand that was named, has a property.
    fn is(&self, property: &str) -> bool {
        self.words.path.iter().any(|entry| entry.is(property))
    }

    /// The operands behind the subcommands.
    fn slots(&self) -> Vec<Slot> {
        let slot = |item: &Item| match item {
            Item::Operand(operand) if operand.subcommand.is_none() => {
                Some(Slot { at: operand.at, may_be_value: operand.may_be_value })
            }
            Item::Unknown(word) => Some(Slot { at: word.at, may_be_value: false }),
            Item::Operand(_) | Item::Flag(_) => None,
        };
        self.words.items.iter().filter_map(slot).collect()
    }

    /// The words of these operands.
    fn operand_fields(&self) -> impl DoubleEndedIterator<Item = Field> {
        self.slots().into_iter().map(|slot| self.field(slot.at))
    }

    /// The word at a place and all behind it.
    fn words_at(&self, at: usize) -> &[Field] {
        self.args.get(at..).unwrap_or_default()
    }

    fn field(&self, at: usize) -> Field {
        self.args.get(at).cloned().unwrap_or_default()
    }

    /// The flags before the word at `limit`.
    fn flags(&self, limit: usize) -> impl Iterator<Item = &Flag> {
        self.words.items.iter().filter_map(move |item| match item {
            Item::Flag(flag) if flag.at < limit => Some(flag),
            _ => None,
        })
    }

    /// Whether one of `names` (`-e|--expression`, `-i=inplace`) was given before the word at `limit`.
    fn has_before(&self, names: &str, limit: usize) -> bool {
        names.split('|').any(|wanted| {
            let (name, value) =
                wanted.split_once('=').map_or((wanted, None), |(name, value)| (name, Some(value)));
            let is_meant = |flag: &Flag| match (value, &flag.value) {
                (Some(value), FlagValue::Given(given)) => value == given,
                (Some(_), _) => false,
                (None, _) => true,
            };
            self.flags(limit).any(|flag| is_named(flag, name) && is_meant(flag))
        })
    }

    fn has(&self, names: &str) -> bool {
        self.has_before(names, usize::MAX)
    }

    /// The value of a flag.
    fn value_of(&self, flag: &Flag) -> Option<Field> {
        match (&flag.value, flag.value_at) {
            (_, Some(at)) => self.args.get(at).cloned(),
            (FlagValue::Given(text), None) => Some(Field::known(text.as_str())),
            (FlagValue::Unknown, None) => Some(behind_sign(&self.field(flag.at))),
            (FlagValue::None | FlagValue::Perhaps(_), None) => None,
        }
    }

    /// The value of the last flag that has one of `names`.
    fn value(&self, names: &str) -> Option<Field> {
        let is_meant = |flag: &&Flag| names.split('|').any(|name| is_named(flag, name));
        self.flags(usize::MAX).filter(is_meant).last().and_then(|flag| self.value_of(flag))
    }

    /// Carries out the roles of all words.
    fn act(mut self, walker: &mut Walker) {
        let slots = self.slots();
        let known = self.words.path.iter().rev().find(|entry| entry.operands().next().is_some());
        let lines: Vec<_> = known.map(|entry| entry.operands().collect()).unwrap_or_default();
        // Flags behind the beginning of another command belong to that one.
        let dashes = self.args.iter().position(|field| field.is("--"));
        let starts = lines.iter().filter_map(|line| {
            if line.roles.contains(" -- ") {
                return dashes.filter(|_| line.roles.split_ascii_whitespace().any(is_command));
            }
            let before = line.roles.split_ascii_whitespace().take_while(|role| !is_command(role));
            let is_fixed = before.clone().all(|role| !role.ends_with("...")) && line.roles.contains("...");
            let at = slots.get(before.filter(|role| !role.contains('=')).count())?.at;
            line.roles.split_ascii_whitespace().any(is_command).then_some(at).filter(|_| is_fixed)
        });
        let limit = starts.min().unwrap_or(usize::MAX);
        let holds = |line: &&super::book::Operands| {
            line.conditions.split_ascii_whitespace().all(|names| match names {
                "--" => dashes.is_some(),
                _ => self.has_before(names, limit),
            })
        };
        let fitting: Vec<_> = lines.iter().filter(holds).collect();
        let fits = |line: &&&super::book::Operands| {
            let roles = || line.roles.split_ascii_whitespace().filter(|role| is_operand(role));
            let fixed = roles().filter(|role| !role.ends_with("...")).count();
            if roles().any(|role| role.ends_with("...")) {
                slots.len() >= fixed
            } else {
                slots.len() == fixed
            }
        };
        // Conditions make a line the one that is meant; among those without, the number of operands decides.
        let chosen =
            fitting.iter().find(|line| !line.conditions.is_empty() || fits(line)).or(fitting.first());
        let roles = chosen.map_or("", |line| line.roles);
        // `git checkout NAME -- file…`: without the dashes the first operand is the name.
        let (roles, slots) = match roles.split_once(" -- ") {
            None => (roles, slots),
            Some((_, behind)) => {
                let is_behind =
                    |(number, slot): &(usize, Slot)| dashes.map_or(*number > 0, |dashes| slot.at > dashes);
                (behind, slots.into_iter().enumerate().filter(is_behind).map(|(_, slot)| slot).collect())
            }
        };
        let mut is_foreign = self.inner.foreign;
        let mut uses: Vec<(&'static str, Field)> = Vec::new();
        let (mut folders, mut inside, mut rest, mut environments) =
            (Vec::new(), Vec::new(), None, Vec::new());
        for flag in self.flags(limit) {
            let FlagName::Known(known) = &flag.name else { continue };
            let chosen = roles.split_ascii_whitespace().find_map(|role| {
                let (name, role) = role.strip_prefix('-').and(role.split_once('='))?;
                known.is_named(name).then_some(role)
            });
            let role = chosen.unwrap_or(known.role).trim_start_matches('2');
            match (role, self.value_of(flag)) {
                ("root", _) => is_foreign = true,
                ("run..." | "line...", Some(_)) if flag.value_at.is_some() => {
                    rest = flag.value_at.map(|at| (role, at));
                }
                ("cd", Some(folder)) => folders.push(folder),
                ("into", Some(folder)) => inside.push(folder),
                ("environment", Some(file)) => environments.push(file),
                (role, Some(value)) if is_role(role) => uses.push((role, value)),
                _ => {}
            }
        }
        self.inner.foreign = is_foreign;
        if self.is("unseen") {
            walker.dynamic(Cause::Eval);
        }
        walker.within(&folders, |walker| {
            for (role, value) in &uses {
                self.carry_out(walker, role, value);
            }
            if let Some((role, at)) = rest {
                let slot = Slot { at, may_be_value: false };
                self.command(walker, role.trim_end_matches("..."), &[slot]);
            }
            walker.within(&inside, |walker| self.operands(walker, roles, &slots));
            if !environments.is_empty() {
                let has_code = uses.iter().any(|(role, _)| *role == "text");
                let shows = has_code || self.may_show_environment(walker);
                walker.use_environments(self.name, &environments, shows, self.context);
            }
        });
    }

    /// Whether the environment that it gets from a file may be shown, as far as that is told without the commands that it
    /// starts: by code that the line shows or hides, or because a flag is not in the book.
    fn may_show_environment(&self, walker: &Walker) -> bool {
        let is_unknown = |flag: &Flag| matches!(flag.name, FlagName::Other(_) | FlagName::Letter(_));
        // A module of JavaScript may be in its address.
        let is_module = |text: &str| text.contains("data:text/") || text.contains("data:application/");
        walker.doubts > self.doubts_before
            || self.flags(usize::MAX).any(is_unknown)
            || self.args.iter().filter_map(Field::as_str).any(is_module)
            || self.inner.text().is_some_and(|text| may_name_environment(&text))
    }

    /// Carries out the roles of operands: those before the one that repeats, those behind it, and the rest.
    fn operands(&self, walker: &mut Walker, roles: &'static str, slots: &[Slot]) {
        let (roles, otherwise) = roles.split_once(" else ").unwrap_or((roles, ""));
        for role in roles.split_ascii_whitespace() {
            if let Some(role) = role.strip_prefix(".=") {
                self.carry_out(walker, role, &Field::known("."));
            } else if let Some((name, role)) = role.split_once('=').filter(|(name, _)| !name.starts_with('-'))
            {
                self.named_operands(walker, name, role, slots);
            } else if role == "stdin" && !self.has("--help|--version") {
                shells::from_stdin(walker, &self.inner);
            } else if let ("stdin-text", Some(text)) = (role, self.inner.text())
                && slots.first().is_none_or(|slot| self.field(slot.at).is("-"))
            {
                languages::quoted_names(walker, &text, self.context);
            }
        }
        let mut roles: Vec<&'static str> =
            roles.split_ascii_whitespace().filter(|role| is_operand(role)).collect();
        let mut assigned = 0;
        if roles.first() == Some(&"assign...") {
            roles.remove(0);
            // A single dash empties the environment.
            let is_own = |field: &Field| is_assignment(field) || field.is("-");
            assigned = slots.iter().take_while(|slot| is_own(&self.field(slot.at))).count();
        }
        let (assigned, slots) = slots.split_at(assigned);
        self.with_variables(walker, assigned, |walker| {
            let fixed = roles.iter().filter(|role| !role.ends_with("...")).count();
            if !self.assigned_roles(walker, &roles, slots)
                && otherwise == "stdin"
                && slots.len() >= fixed
                && !self.has("--help|--version")
            {
                shells::from_stdin(walker, &self.inner);
            }
        });
    }

    /// Gives each operand its role. Says whether a command was found among them.
    fn assigned_roles(&self, walker: &mut Walker, roles: &[&'static str], slots: &[Slot]) -> bool {
        let repeated = roles.iter().position(|role| role.ends_with("..."));
        let before = repeated.unwrap_or(roles.len()).min(slots.len());
        let after = repeated.map_or(0, |at| roles.len() - at - 1).min(slots.len() - before);
        let mut files = copy::CopiedFiles::default();
        let mut found = false;
        for (at, slot) in slots.iter().enumerate() {
            let role = if at < before {
                roles.get(at)
            } else if at >= slots.len() - after {
                roles.get(roles.len() + at - slots.len())
            } else {
                repeated.and_then(|repeated| roles.get(repeated))
            };
            let Some(role) = role.map(|role| role.trim_end_matches("...")) else { break };
            let field = self.field(slot.at);
            if role == "self" {
                // The same program once more, in another folder or with other settings.
                let words = self.words_at(slot.at).iter().cloned();
                let whole: Vec<Field> = std::iter::once(Field::known(self.name)).chain(words).collect();
                walker.start(&whole, &self.inner);
                found = true;
                break;
            }
            if matches!(role, "run" | "line") {
                // `aws-vault exec profile -- command`: here the sign is an operand like the others.
                if field.is("--") && at + 1 < slots.len() {
                    continue;
                }
                self.command(walker, role, slots.get(at..).unwrap_or_default());
                found = true;
                break;
            }
            if copy::is_copied(role) {
                files.add(role, field, self.is("remote"));
                continue;
            }
            if role == "code" {
                if !found {
                    self.note_unclear(walker, slot.at);
                }
                found = true;
            } else if self.starts_something(roles) && field.text.is_none() && !field.single {
                walker.dynamic(Cause::Variable);
            }
            self.carry_out(walker, role, &field);
        }
        files.finish(walker, self, self.context);
        found
    }

    fn starts_something(&self, roles: &[&str]) -> bool {
        roles.iter().any(|role| is_command(role)) && !self.is("loose")
    }

    /// Operands of the form `name=value`.
    fn named_operands(&self, walker: &mut Walker, name: &str, role: &str, slots: &[Slot]) {
        for field in slots.iter().map(|slot| self.field(slot.at)) {
            let written = field.as_str().or_else(|| field.beginning());
            match written.and_then(|text| text.split_once('=')) {
                Some((given, _)) if given == name => {
                    // Bash replaces a `~` here.
                    let value = Field { tilde: true, ..behind_sign(&field) };
                    self.carry_out(walker, role, &value);
                }
                None if field.text.is_none() => {
                    self.carry_out(walker, role, &Field::unknown());
                }
                _ => {}
            }
        }
    }

    /// Starts the command whose words begin with the first of `slots`.
    fn command(&self, walker: &mut Walker, role: &str, slots: &[Slot]) {
        let Some(first) = slots.first() else { return };
        if self.has_before("--help|--version", first.at) {
            return;
        }
        self.note_unclear(walker, first.at);
        let words = self.words_at(first.at);
        if role == "line" {
            shells::joined_code(walker, words, &self.inner);
            return;
        }
        walker.start(words, &self.inner);
        let is_several = words.first().is_some_and(|word| word.text.is_none() && !word.single);
        // The next word may be the program: then this one is the value of a flag, or nothing at all.
        if (first.may_be_value || is_several)
            && let Some(next) = slots.get(1)
        {
            walker.start(self.words_at(next.at), &self.inner);
        }
    }

    /// Marks the line if it cannot be determined where the command of a launcher begins.
    fn note_unclear(&self, walker: &mut Walker, start: usize) {
        if self.is("loose") {
            return;
        }
        let is_number =
            |name: &str| name.trim_start_matches(['-', '+']).bytes().all(|byte| byte.is_ascii_digit());
        let is_unclear = self.words.items.iter().any(|item| match item {
            Item::Flag(flag) if flag.at < start => match &flag.name {
                FlagName::Other(name) => !is_number(name),
                FlagName::Letter(_) => true,
                FlagName::Known(_) | FlagName::Abbreviated(..) => false,
            },
            Item::Unknown(word) => {
                word.at < start && !self.args.get(word.at).is_some_and(|field| field.single)
            }
            Item::Flag(_) | Item::Operand(_) => false,
        });
        if is_unclear {
            walker.dynamic(Cause::Variable);
        }
    }

    /// Runs a command with the assignments before it, and reads what they make it run. They count for it alone.
    fn with_variables(&self, walker: &mut Walker, slots: &[Slot], run: impl FnOnce(&mut Walker)) {
        let before = walker.start_files();
        for field in slots.iter().map(|slot| self.field(slot.at)) {
            if let Some((name, value)) = field.assignment() {
                walker.note_variable(name, value, &self.inner);
            }
        }
        run(walker);
        walker.set_start_files(before);
    }

    /// Carries out the role of one value.
    fn carry_out(&self, walker: &mut Walker, role: &str, value: &Field) {
        let (inner, context) = (&self.inner, self.context);
        if value.is("-") && matches!(role, "read" | "use" | "write" | "edit" | "fetch" | "source") {
            return;
        }
        match role {
            "makefile" if value.is("-") => walker.dynamic(Cause::Stdin),
            "use" => walker.use_path(Access::Use, value, context),
            "read" | "makefile" => walker.use_path(Access::Read, value, context),
            "write" => walker.use_path(Access::Write, value, context),
            "edit" => {
                walker.use_path(Access::Read, value, context);
                walker.use_path(Access::Write, value, context);
            }
            "fetch" => {
                walker.use_path(Access::Write, value, context);
                walker.note_file(value, None);
            }
            "script" => walker.script_file(value, inner),
            "download" => {
                let path = value.as_str().map(|url| url.split(['?', '#']).next().unwrap_or(url));
                let name = path.map(|path| base_name(path.trim_end_matches('/')).trim_end_matches(".git"));
                let name = name.filter(|name| !name.is_empty() && !name.starts_with('-'));
                self.carry_out(walker, "fetch", &name.map_or_else(Field::unknown, Field::known));
                self.carry_out(walker, "url", value);
            }
            "url" => {
                let text = value.as_str().unwrap_or_default();
                if let Some(path) = text.strip_prefix("file://") {
                    walker.use_path(Access::Read, &Field::known(path), context);
                } else if let Some(code) = text.strip_prefix("ext::") {
                    shells::code(walker, &Field::known(code), None, inner);
                }
            }
            "@read" => {
                let (text, tilde) = shown(value);
                let file = text.as_deref().and_then(|text| {
                    let file = text.strip_prefix('@').or_else(|| text.split_once("=@").map(|(_, file)| file));
                    let file = file.or_else(|| text.split_once("=<").map(|(_, file)| file));
                    // `--data-urlencode name@file`, but not a header with an address in it.
                    let named =
                        || text.split_once('@').filter(|(name, _)| name.chars().all(char::is_alphanumeric));
                    file.or_else(|| named().map(|(_, file)| file))?.split(';').next()
                });
                if let Some(file) = file.filter(|file| *file != "-") {
                    walker.use_path(Access::Read, &Field { tilde, ..Field::known(file) }, context);
                    // `-F name=@a,b` sends both.
                    for part in file.split(',').filter(|part| *part != file) {
                        walker.use_path(Access::Read, &Field::known(part), context);
                    }
                }
            }
            "text" => languages::quoted_names(walker, value.as_str().unwrap_or_default(), context),
            "ex" | "client" | "calls" => {
                if let Some(code) = languages::code_in(role, value.as_str().unwrap_or_default()) {
                    shells::code(walker, &Field::known(code), None, inner);
                }
            }
            "blob" => {
                let name = value.as_str().map(|text| text.rsplit(':').next().unwrap_or(text).to_owned());
                let field = name.map_or_else(|| value.clone(), Field::known);
                walker.use_path(Access::Read, &field, context);
            }
            "mount" => nested::mount(walker, value, context),
            "code" => shells::code(walker, value, None, inner),
            "code+" => nested::code_with_word(walker, value, inner),
            "checkpoint" => {
                if let Some(command) = value.as_str().and_then(|text| text.strip_prefix("exec=")) {
                    nested::code_with_word(walker, &Field::known(command), inner);
                }
            }
            "run" => walker.start(std::slice::from_ref(value), inner),
            // Words for a program that the value does not name.
            "cargo-code" | "tmux-code" => {
                let program = role.trim_end_matches("-code");
                let code = value.as_str().map(|text| format!("{program} {text}"));
                shells::code(walker, &code.map_or_else(Field::unknown, Field::known), None, inner);
            }
            // A script for another interpreter than a shell.
            "source" => {
                walker.use_path(Access::Read, value, context);
                walker.note_fetched_source(value);
            }
            "ssh-option" => nested::ssh_option(walker, value, inner),
            "git-setting" => git::setting(walker, value, inner),
            "unseen" => walker.dynamic(Cause::Eval),
            _ => {}
        }
    }
}

/// The text of a word that is known but for a place in it (`@$HOME/x`), and whether a `~` in it is that place.
fn shown(value: &Field) -> (Option<String>, bool) {
    match (&value.text, value.likely.as_slice()) {
        (None, [Likely { path, extent: Extent::Whole }]) => (Some(path.clone()), true),
        (text, _) => (text.clone(), value.tilde),
    }
}

/// Whether a flag has this name.
fn is_named(flag: &Flag, name: &str) -> bool {
    match &flag.name {
        FlagName::Known(known) => known.is_named(name),
        FlagName::Abbreviated(prefix, entry) => entry.flags_from(prefix).any(|known| known.is_named(name)),
        FlagName::Letter(letter) => name.strip_prefix('-').is_some_and(|rest| rest.chars().eq([*letter])),
        FlagName::Other(other) => other == name,
    }
}

/// Whether a word of the book is a role and not a name for readers.
fn is_role(role: &str) -> bool {
    role.starts_with(|first: char| first.is_ascii_lowercase() || first == '@')
}

/// Whether the words with this role are a command or code.
fn is_command(role: &str) -> bool {
    matches!(role.trim_end_matches("..."), "run" | "line" | "code" | "self")
}

/// Whether a word of a line about operands stands for operands.
fn is_operand(role: &str) -> bool {
    !role.contains('=') && !matches!(role, "stdin" | "stdin-text" | "else")
}

/// Whether a word before the command sets a variable. One whose value cannot be determined and is outside of quotes may
/// end in other words.
fn is_assignment(field: &Field) -> bool {
    let is_name = |name: &str| !name.is_empty() && !name.starts_with(['-', '/', '.']);
    (field.text.is_some() || field.variable.is_some())
        && field.assignment().is_some_and(|(name, _)| is_name(name))
}

/// What follows the first `=` of a word.
fn behind_sign(field: &Field) -> Field {
    let behind = |text: &str| text.split_once('=').map(|(_, value)| value.to_owned());
    if let Some(text) = &field.text {
        return behind(text).map_or_else(Field::unknown, Field::known);
    }
    let known = field
        .likely
        .iter()
        .filter_map(|likely| behind(&likely.path).map(|path| Likely { path, extent: likely.extent }));
    let known: Vec<Likely> =
        known.filter(|likely| likely.extent == Extent::Whole || !likely.path.is_empty()).collect();
    Field::likely(known)
}
