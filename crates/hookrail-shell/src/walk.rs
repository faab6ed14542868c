//! From [`Script`] to facts: goes through the commands in the order in which a shell would.
//!
//! Where it cannot be determined which way a shell would go, both are gone, and what they disagree about is not known
//! afterwards. So the facts hold whatever the conditions say.

mod assign;
mod builtin;
mod compound;
mod environment;
mod expand;
mod output;
mod simple;
mod variables;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::book::Entry;
use super::facts::{Access, Cause, CommandFact, Extent, PathBase, PathUse, ShellFacts};
use super::field::{Field, Likely};
use super::parse::{MAX_NESTING, parse, parse_quoted};
use super::state::{ShellState, StateKey, Value};
use super::syntax::{ParsedCommand, Script, WordPart};

pub(super) use self::environment::may_name_environment;
pub(super) use self::simple::How;

/// How many commands are looked at, including those of functions each time they are called.
const MAX_STEPS: usize = 40_000;

/// How many bytes of words are looked at.
const MAX_BYTES: usize = 16 << 20;

/// More links are not followed; what is behind their names cannot be determined then.
const MAX_LINKS: usize = 32;
/// Longer values of variables are not followed.
const MAX_VALUE: usize = 64 << 10;

/// More changes of the directory than this are not followed.
const MAX_DIRECTORIES: usize = 64;

/// How often a function may call itself with arguments that are followed. Then it is read once more with variables of
/// which nothing is known, which stands for all further calls.
const MAX_RECURSION: usize = 3;

/// How often a loop is read until it is known which variables it changes. Then it is read with none of them known.
const MAX_ROUNDS: usize = 3;

/// For so many words the body of `for` is read once for each.
const MAX_ITERATIONS: usize = 128;

/// More files that the line itself writes are not kept in mind.
const MAX_FILES: usize = 1024;

/// How many aliases may stand for each other.
const MAX_ALIASES: usize = 6;

/// The surroundings of a command.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    /// The launchers that start it, the outermost first.
    pub(super) via: Rc<[String]>,
    /// What its standard input is, as far as that is known.
    pub(super) stdin: Option<Value>,
    /// Whether it runs where paths mean something else: on another machine, in a container.
    pub(super) foreign: bool,
    /// Whether the shell may be one that does not know what Bash has added to the language.
    pub(super) posix: bool,
}

impl Context {
    /// The text on its standard input, if that is known.
    pub(super) fn text(&self) -> Option<Rc<str>> {
        self.stdin.as_ref()?.text().cloned()
    }

    /// The context of what the launcher `name` starts.
    pub(super) fn behind(&self, name: &str) -> Self {
        let via = self.via.iter().cloned().chain(std::iter::once(name.to_owned())).collect();
        Self { via, ..self.clone() }
    }
}

/// Goes through commands and collects what they would do.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a walk")]
pub(super) struct Walker {
    facts: ShellFacts,
    /// How often something could not be determined.
    pub(super) doubts: usize,
    state: ShellState,
    /// Above zero while a loop's body is read only to see which variables it sets.
    silent: usize,
    depth: usize,
    steps: usize,
    bytes: usize,
    /// A bound was reached: nothing more is read.
    stopped: bool,
    /// Code that runs at some later time, such as that of `trap`.
    later: Vec<(String, Context)>,
    /// Every function that was defined, with where that was.
    functions: Vec<(Rc<ParsedCommand>, Context)>,
    called: HashSet<*const ParsedCommand>,
    active: Vec<*const ParsedCommand>,
    /// The local variables of each active call.
    locals: Vec<Vec<String>>,
    aliases_in_use: Vec<String>,
    /// The names of links that the text makes, with where they lead if that is known. They are not on the disk yet.
    links: Vec<(String, Option<String>)>,
    /// Whether the present program changes a link instead of what is behind it.
    pub(super) changes_links: bool,
    /// The words of code that a signal can start between any two commands.
    interrupting: HashSet<String>,
    /// What the last command wrote to its standard output.
    output: Option<Value>,
    /// The files that the line fills before it may run them, with their content where the line shows it.
    files: HashMap<String, Option<Rc<str>>>,
    /// The programs that are given an environment from a file.
    given_environments: HashSet<String>,
    /// Whether there is arithmetic, which runs the substitutions in the subscripts that a value holds.
    has_arithmetic: bool,
    /// Whether there is a text that would be such a value (`a[$(rm x)]`).
    has_subscript_code: bool,
}

impl Walker {
    /// The facts, after whatever runs later has been read too.
    pub(super) fn finish(mut self) -> ShellFacts {
        self.forget_variables();
        let mut next = 0;
        while let Some((code, context)) = self.later.get(next).cloned() {
            next += 1;
            self.code(&code, &context);
        }
        // A function that nothing calls can still be called in ways that are not seen here, for example
        // `command_not_found_handle`.
        let mut next = 0;
        while let Some((body, context)) = self.functions.get(next).cloned() {
            next += 1;
            if self.called.insert(Rc::as_ptr(&body)) {
                self.command(&body, &context);
                self.forget_variables();
            }
        }
        if self.has_arithmetic && self.has_subscript_code {
            // Which way the text took, through `read`, a function or an array, is not followed.
            self.dynamic(Cause::Eval);
        }
        self.show_environments();
        self.facts
    }

    /// What runs cannot be determined.
    pub(super) fn dynamic(&mut self, cause: Cause) {
        self.doubts += 1;
        self.facts.causes.insert(cause);
    }

    /// Reads code in which words are missing: a program name among them was not a variable of the text.
    pub(super) fn with_holes(&mut self, read: impl FnOnce(&mut Self)) {
        let before = self.facts.causes.contains(&Cause::Variable);
        read(self);
        if !before && self.facts.causes.remove(&Cause::Variable) {
            self.dynamic(Cause::Eval);
        }
    }

    /// Counts work; false, and the walk ends, when a bound is reached.
    pub(super) fn step(&mut self, bytes: usize) -> bool {
        self.steps += 1;
        self.bytes += bytes;
        if self.steps > MAX_STEPS || self.bytes > MAX_BYTES {
            self.stopped = true;
            self.dynamic(Cause::Bound);
        }
        !self.stopped
    }

    /// Runs `walk` one level deeper; beyond the bound it is left out, and the line cannot be determined.
    pub(super) fn deeper(&mut self, walk: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_NESTING {
            self.dynamic(Cause::Bound);
            return;
        }
        self.depth += 1;
        walk(self);
        self.depth -= 1;
    }

    /// Reads `text` as commands of the present shell.
    pub(super) fn code(&mut self, text: &str, context: &Context) {
        if !self.step(text.len()) {
            return;
        }
        self.deeper(|walker| {
            let parsed = parse(text, walker.depth);
            if parsed.too_deep {
                walker.dynamic(Cause::Bound);
            } else if parsed.broken {
                walker.dynamic(Cause::Syntax);
            }
            walker.script(&parsed.tree, context);
        });
    }

    /// Reads `text` as commands of a new shell, which knows functions but no variables of this one. The first of its
    /// arguments is its name.
    pub(super) fn new_shell(&mut self, text: &str, args: Option<&[Field]>, context: &Context) {
        let positional = args.and_then(|args| self.known_values(args));
        let positional_is_known = positional.is_some();
        let mark = self.state.mark();
        self.forget_variables();
        // Only exported functions are known there, and which those are is not followed.
        self.steps += self.state.doubt_functions() / 8;
        let mut values = positional.into_iter().flatten();
        let name = values.next().map(|name| Value::Text(name.into()));
        self.state.set(StateKey::Variable("0".to_owned()), name);
        self.state.set(StateKey::Positional, positional_is_known.then(|| Value::List(values.collect())));
        self.state.set(StateKey::OddSplitting, None);
        for (at, arg) in args.unwrap_or_default().iter().enumerate().filter(|_| !positional_is_known) {
            let likely = match &arg.text {
                Some(path) if !arg.glob => vec![Likely::whole(path.clone())],
                _ => arg.likely.clone(),
            };
            if !likely.is_empty() {
                self.state.set(StateKey::Variable(at.to_string()), Some(Value::Likely(likely.into())));
            }
        }
        self.code(text, context);
        self.state.undo(mark);
    }

    /// Reads the substitutions in a text that the shell will expand as if it stood in double quotes.
    pub(super) fn expanded_later(&mut self, text: &str, context: &Context) {
        if !text.contains("$(") && !text.contains('`') && !text.contains("${") {
            return;
        }
        if !self.step(text.len()) {
            return;
        }
        self.deeper(|walker| {
            let parsed = parse_quoted(text, walker.depth);
            if parsed.too_deep {
                walker.dynamic(Cause::Bound);
            }
            walker.expand_quoted(&parsed.tree, context);
        });
    }

    /// Reads the substitutions in the subscript of an array, which Bash expands once more when it does arithmetic
    /// with the text.
    pub(super) fn expanded_as_subscript(&mut self, text: &str, context: &Context) {
        if text.contains('[') {
            self.expanded_later(text, context);
        }
    }

    /// Keeps code that a shell runs at some other time.
    fn run_later(&mut self, code: &str, context: &Context) {
        if self.silent == 0 {
            self.later.push((code.to_owned(), context.clone()));
        }
    }

    /// Runs `walk` in `folders`, one after another, as with `cd`. Nothing that it changes stays.
    pub(super) fn within(&mut self, folders: &[Field], walk: impl FnOnce(&mut Self)) {
        let mark = self.state.mark();
        for folder in folders {
            self.change_directory("cd", std::slice::from_ref(folder));
        }
        walk(self);
        if !folders.is_empty() {
            self.state.undo(mark);
        }
    }

    /// Forgets all variables.
    pub(super) fn forget_variables(&mut self) {
        let count = self.state.forget_variables();
        self.steps += count / 8;
    }

    /// Reads commands whose changes stay in a shell of their own.
    fn subshell(&mut self, script: &Script, context: &Context) {
        let mark = self.state.mark();
        self.script(script, context);
        self.state.undo(mark);
    }

    /// Notes a command.
    fn emit(&mut self, argv: &[Field], builtin: bool, context: &Context) {
        if self.silent > 0 {
            return;
        }
        let words: Vec<Option<String>> = argv.iter().map(|field| field.text.clone()).collect();
        let is_operand = |field: &Field| {
            let is_path = |likely: &Likely| !likely.path.starts_with('-');
            field.text.is_none() && !field.likely.is_empty() && field.likely.iter().all(is_path)
        };
        let operands =
            argv.iter().enumerate().filter(|(_, field)| is_operand(field)).map(|(at, _)| at).collect();
        let fact = CommandFact { argv: words, operands, via: context.via.to_vec(), builtin };
        let name = fact.argv.first().and_then(Option::as_deref).filter(|_| !builtin).map(base_name);
        self.facts.programs.extend(name.map(str::to_owned));
        let plain = name.and_then(Entry::name_without_g).map(|plain| {
            self.facts.programs.insert(plain.to_owned());
            let words = fact.argv.iter().skip(1).cloned();
            CommandFact {
                argv: std::iter::once(Some(plain.to_owned())).chain(words).collect(),
                ..fact.clone()
            }
        });
        self.facts.commands.push(fact);
        self.facts.commands.extend(plain);
    }

    /// Notes that `link` leads to `target` from now on.
    pub(super) fn note_link(&mut self, link: &str, target: Option<&str>) {
        let link = link.trim_start_matches("./").trim_end_matches('/');
        if matches!(link, "" | "." | "..") || self.silent > 0 {
            return;
        }
        if self.links.len() >= MAX_LINKS {
            self.dynamic(Cause::Bound);
            return;
        }
        let folder = link.rfind('/').and_then(|end| link.get(..=end)).unwrap_or_default();
        let target = target.map(|target| {
            if target.starts_with(['/', '~']) { target.to_owned() } else { format!("{folder}{target}") }
        });
        self.links.push((link.to_owned(), target));
    }

    /// The paths that a path may lead to through links of the text; `None` for one that cannot be determined.
    fn behind_links(&self, access: Access, path: &str, folders: &[String]) -> Vec<Option<Likely>> {
        let path = path.trim_start_matches("./");
        let whole = folders.join("/") + "/" + path;
        let is_absolute = |path: &str| path.starts_with(['/', '~']);
        let mut found = Vec::new();
        for (link, target) in &self.links {
            let rest = |path: &str| path.strip_prefix(link.as_str()).map(str::to_owned);
            let rest = rest(path).map(|rest| (rest, true)).or_else(|| {
                let whole = whole.trim_start_matches("./");
                rest(whole).filter(|_| !folders.is_empty() && !is_absolute(path)).map(|rest| (rest, false))
            });
            let Some((rest, is_here)) = rest else { continue };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            found.push(None);
            let is_kept =
                access == Access::Write && self.changes_links && rest.trim_end_matches('/').is_empty();
            let target = target.as_ref().filter(|target| !is_kept && (is_here || is_absolute(target)));
            found.extend(target.map(|target| Some(Likely::whole(format!("{target}{rest}")))));
        }
        found
    }

    /// Notes the use of a path that counts only where the folder above it exists.
    pub(super) fn use_path_in_folder(&mut self, access: Access, field: &Field, context: &Context) {
        let before = self.facts.paths.len();
        self.use_path(access, field, context);
        for used in self.facts.paths.iter_mut().skip(before) {
            used.only_in_folder = true;
        }
    }

    /// Notes the use of a path.
    pub(super) fn use_path(&mut self, access: Access, field: &Field, context: &Context) {
        if self.silent > 0 || context.foreign || field.process {
            return;
        }
        let home = self.own_home().filter(|_| field.tilde);
        let mut paths: Vec<Option<Likely>> = match &field.text {
            Some(path) if path.is_empty() || is_stream(path) => return,
            Some(path) => {
                let in_home = home.as_ref().zip(path.strip_prefix("~/"));
                // The present directory by another name.
                let is_here = field.tilde && path.starts_with("~+/");
                vec![match in_home {
                    Some((home, rest)) => Some(Likely::whole(format!("{home}/{rest}"))),
                    None if is_here => path.get(3..).map(Likely::whole),
                    None => field.path(),
                }]
            }
            None if field.likely.is_empty() => vec![None],
            None => field.likely.iter().cloned().map(Some).collect(),
        };
        let is_below_root = |path: &Option<Likely>| {
            path.as_ref().is_some_and(|likely| likely.path == "/" && likely.extent != Extent::Whole)
        };
        if paths.iter().any(is_below_root) {
            // `/$X` is the root itself where the variable is empty.
            paths.push(Some(Likely::whole("/")));
        }
        if field.tilde && self.state.is_set(&StateKey::OddFolders) && home.is_none() {
            paths.push(None);
        }
        if field.text.is_none() && field.guess.is_some() {
            // A variable of the environment decides whether the guess is right.
            paths.push(None);
        }
        let base = match self.state.directory() {
            Some((operands, Extent::Whole)) => PathBase::CallDirectory(operands),
            Some((mut operands, _)) => {
                let start = operands.pop().unwrap_or_default();
                for path in &mut paths {
                    below(path, &start);
                }
                PathBase::CallDirectory(operands)
            }
            None => PathBase::Unknown,
        };
        let folders = match &base {
            PathBase::CallDirectory(operands) => operands.as_slice(),
            PathBase::Unknown => &[],
        };
        if !self.links.is_empty() {
            let of = |likely: &Likely| self.behind_links(access, &likely.path, folders);
            let behind: Vec<_> = paths.iter().flatten().flat_map(of).collect();
            paths.extend(behind);
        }
        for likely in paths {
            let (path, extent) =
                likely.map_or((None, Extent::Whole), |likely| (Some(likely.path), likely.extent));
            let (base, only_in_folder) = (base.clone(), false);
            self.facts.paths.push(PathUse { access, path, extent, base, only_in_folder });
        }
    }

    /// The home directory, if the line sets it to one that is known.
    pub(super) fn own_home(&self) -> Option<String> {
        self.variable_text("HOME")
    }

    /// The path of a file in a form that can be compared with others of the same line. Folders that cannot be determined
    /// count as one: `cd $(mktemp -d) && curl -O u/x && sh x` runs what it fetched.
    fn key_of(&self, path: &str) -> String {
        let folders = match self.state.directory() {
            _ if path.starts_with(['/', '~']) => Vec::new(),
            Some((operands, Extent::Whole)) => operands,
            _ => vec!["?".to_owned()],
        };
        let whole = folders.join("/") + "/" + path;
        let mut names: Vec<&str> = Vec::new();
        for name in whole.split('/') {
            match name {
                "" | "." => {}
                ".." if names.last().is_some_and(|last| *last != "..") => {
                    names.pop();
                }
                name => names.push(name),
            }
        }
        names.join("/")
    }

    /// Notes that the line fills a file, with `content` if that is known.
    pub(super) fn note_file(&mut self, field: &Field, content: Option<Rc<str>>) {
        let Some(key) = field.as_str().map(|path| self.key_of(path)) else { return };
        if self.silent > 0 || key.is_empty() {
            return;
        }
        if self.files.len() >= MAX_FILES {
            self.dynamic(Cause::Bound);
            return;
        }
        self.files.insert(key, content);
    }

    /// The same for content that is added to what the line put there before.
    pub(super) fn note_written(&mut self, field: &Field, content: Option<Rc<str>>, adds: bool) {
        let before =
            field.as_str().filter(|_| adds).and_then(|path| self.files.get(&self.key_of(path)).cloned());
        let content = match before {
            Some(before) => before.zip(content).map(|(before, content)| format!("{before}{content}").into()),
            None => content,
        };
        if self.step(content.as_deref().map_or(0, str::len)) {
            self.note_file(field, content);
        }
    }

    /// Notes that a file that the line filled is under another name, or in a folder of that name, as well.
    pub(super) fn note_copy(&mut self, source: &Field, target: &Field) {
        let (Some(source), Some(folder)) = (source.as_str(), target.as_str()) else { return };
        if let Some(content) = self.files.get(&self.key_of(source)).cloned() {
            let inside = format!("{folder}/{}", base_name(source));
            self.note_file(&Field::known(&inside), content.clone());
            self.note_file(target, content);
        }
    }

    /// Reads a file that a shell runs, if the line itself filled it. The content of any other file is not known here, and
    /// the shell is a command with that file among its words.
    pub(super) fn script_file(&mut self, file: &Field, context: &Context) {
        let Some(path) = file.as_str() else {
            self.dynamic(Cause::Source);
            return;
        };
        let key = self.key_of(path);
        // A folder that was filled holds files that nobody has seen.
        let ends = key.match_indices('/').map(|(end, _)| end).chain([key.len()]);
        let filled: Vec<Option<Rc<str>>> =
            ends.filter_map(|end| self.files.get(key.get(..end)?).cloned()).collect();
        for content in filled {
            match content {
                Some(text) => self.new_shell(&text, None, context),
                None => self.dynamic(Cause::Source),
            }
        }
    }

    /// Marks the line if the script of an interpreter comes from elsewhere.
    pub(super) fn note_fetched_source(&mut self, file: &Field) {
        let key = file.as_str().map(|path| self.key_of(path)).unwrap_or_default();
        if matches!(self.files.get(&key), Some(None)) {
            self.dynamic(Cause::Source);
        }
    }

    /// Marks the line if it put a program of this name, from elsewhere, where programs are looked for.
    pub(super) fn note_fetched_program(&mut self, name: &str) {
        let is_it = |key: &String| {
            let folder = key.strip_suffix(name).and_then(|folder| folder.strip_suffix('/'));
            folder.is_some_and(|folder| matches!(base_name(folder), "bin" | "sbin" | "games"))
        };
        if !name.is_empty() && self.files.iter().any(|(key, content)| content.is_none() && is_it(key)) {
            self.dynamic(Cause::Source);
        }
    }

    /// Reads the expansions in `parts` for what they run.
    fn expand_for_commands(&mut self, parts: &[WordPart], context: &Context) {
        let _ = self.expand_quoted(parts, context);
    }
}

/// Puts a relative path into a folder of which only the beginning `start` is known.
fn below(path: &mut Option<Likely>, start: &str) {
    let Some(likely) = path else { return };
    if likely.path.split('/').any(|name| name == "..") {
        *path = None;
    } else if !likely.path.starts_with(['/', '~']) {
        *likely = Likely { path: start.to_owned(), extent: likely.extent.max(Extent::Beginning) };
    }
}

/// The last component of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path stands for a stream and not for a file.
fn is_stream(path: &str) -> bool {
    let is_below = |folder: &str| path.starts_with(folder) && !path.contains("..");
    matches!(path, "/dev/null" | "/dev/tty") || is_below("/dev/std") || is_below("/dev/fd/")
}
