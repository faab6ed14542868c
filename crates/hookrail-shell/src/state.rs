//! What is known about a shell at one point of its text, with a journal that takes changes back.
//!
//! A subshell is read and its changes are undone. Branches are read one after another from the same state, and what
//! they leave behind is joined: a variable that not all of them set to the same value is not known afterwards.
//! Copies of the state would make a text with many variables and many branches quadratic.

use std::collections::HashMap;
use std::rc::Rc;

use super::facts::Extent;
use super::field::Likely;
use super::syntax::ParsedCommand;

/// What a state can know something about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum StateKey {
    /// A variable.
    Variable(String),
    /// A function.
    Function(String),
    /// An alias.
    Alias(String),
    /// The positional parameters.
    Positional,
    /// The working directory.
    Directory,
    /// Whether words are split as usual: an assignment to `IFS` ends that.
    OddSplitting,
    /// Whether names of folders mean what they usually do: an assignment to `CDPATH`, `HOME`, `PWD` or `TMPDIR` ends that.
    OddFolders,
    /// Whether values no longer follow from assignments (`declare -n`, `-i`, `lastpipe`).
    OddVariables,
    /// Whether the text gives new shells something that they run by themselves, by the number of the role of its variable.
    StartFile(usize),
}

/// A known value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// One value.
    Text(Rc<str>),
    /// The values of an array, or the positional parameters.
    List(Rc<[String]>),
    /// A value that is not known, with the paths that it may be.
    Likely(Rc<[Likely]>),
    /// A value that is not known, but is this one if a variable that the text does not set is unset.
    Guess(Rc<str>),
    /// The bodies that a function may have; the flag says that it is surely defined.
    Function(Rc<[Rc<ParsedCommand>]>, bool),
    /// The operands of `cd`, and how much of the last one is known (`cd /etc/$X`); `None` where the directory cannot be
    /// determined.
    Directory(Option<(Rc<[String]>, Extent)>),
    /// A flag that is set.
    Set,
}

impl Value {
    /// The one value that it is, if that is known.
    pub(super) fn text(&self) -> Option<&Rc<str>> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Whether two values are known to be the same. Bodies of functions are compared by identity.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(two)) => one == two,
            (Self::List(one), Self::List(two)) => one == two,
            (Self::Likely(one), Self::Likely(two)) => one == two,
            (Self::Function(one, sure), Self::Function(two, also)) => {
                sure == also
                    && one.len() == two.len()
                    && one.iter().zip(two.iter()).all(|(a, b)| Rc::ptr_eq(a, b))
            }
            (Self::Directory(one), Self::Directory(two)) => one == two,
            (Self::Set, Self::Set) => true,
            _ => false,
        }
    }
}

/// What is known, and how to take it back.
#[derive(Debug, Default)]
pub(super) struct ShellState {
    values: HashMap<StateKey, Value>,
    journal: Vec<(StateKey, Option<Value>)>,
}

/// What a branch left behind: its changes, each with the value at the branch's end.
pub(super) type Changes = HashMap<StateKey, Option<Value>>;

impl ShellState {
    /// What is known about `key`.
    pub(super) fn get(&self, key: &StateKey) -> Option<&Value> {
        self.values.get(key)
    }

    /// Sets what is known about `key`, or that nothing is.
    pub(super) fn set(&mut self, key: StateKey, value: Option<Value>) {
        let old = match value {
            Some(value) => self.values.insert(key.clone(), value),
            None => self.values.remove(&key),
        };
        self.journal.push((key, old));
    }

    /// The present point of the journal.
    pub(super) fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Takes back every change since `mark`.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.journal.len() > mark {
            let Some((key, old)) = self.journal.pop() else { return };
            match old {
                Some(value) => self.values.insert(key, value),
                None => self.values.remove(&key),
            };
        }
    }

    /// Takes back every change since `mark` and returns what they had led to.
    pub(super) fn take_changes(&mut self, mark: usize) -> Changes {
        let keys = self.journal.get(mark..).unwrap_or_default();
        let changes =
            keys.iter().map(|(key, _)| (key.clone(), self.values.get(key).cloned())).collect::<Changes>();
        self.undo(mark);
        changes
    }

    /// Whether `changes` would lead to something else than what is known.
    pub(super) fn differs_from(&self, changes: &Changes) -> bool {
        changes.iter().any(|(key, after)| !are_same(self.values.get(key), after.as_ref()))
    }

    /// Joins what branches left behind, of which exactly one was taken.
    pub(super) fn join(&mut self, branches: &[Changes]) {
        for (at, branch) in branches.iter().enumerate() {
            for key in branch.keys() {
                if branches.iter().take(at).any(|earlier| earlier.contains_key(key)) {
                    continue;
                }
                let before = self.values.get(key).cloned();
                let ends: Vec<_> = branches
                    .iter()
                    .map(|branch| branch.get(key).cloned().unwrap_or_else(|| before.clone()))
                    .collect();
                self.set(key.clone(), joined(key, &ends));
            }
        }
    }

    /// Forgets every variable and the positional parameters.
    pub(super) fn forget_variables(&mut self) -> usize {
        self.change_all(|key, _| match key {
            StateKey::Variable(_) | StateKey::Positional => Some((key.clone(), None)),
            _ => None,
        })
    }

    /// Makes every function one that may be defined or not, as in a shell that was started anew.
    pub(super) fn doubt_functions(&mut self) -> usize {
        self.change_all(|key, value| match value {
            Value::Function(bodies, true) => {
                Some((key.clone(), Some(Value::Function(Rc::clone(bodies), false))))
            }
            _ => None,
        })
    }

    /// Sets what `change` gives another value, and says how many these are.
    fn change_all(
        &mut self,
        change: impl Fn(&StateKey, &Value) -> Option<(StateKey, Option<Value>)>,
    ) -> usize {
        let changes: Vec<_> = self.values.iter().filter_map(|(key, value)| change(key, value)).collect();
        let count = changes.len();
        for (key, value) in changes {
            self.set(key, value);
        }
        count
    }

    /// The operands of `cd` so far, and how much of the last one is known.
    pub(super) fn directory(&self) -> Option<(Vec<String>, Extent)> {
        match self.get(&StateKey::Directory) {
            None => Some((Vec::new(), Extent::Whole)),
            Some(Value::Directory(Some((operands, extent)))) => Some((operands.to_vec(), *extent)),
            Some(_) => None,
        }
    }

    /// Makes the working directory one that cannot be determined.
    pub(super) fn forget_directory(&mut self) {
        self.set(StateKey::Directory, Some(Value::Directory(None)));
    }

    /// Whether a flag is set.
    pub(super) fn is_set(&self, key: &StateKey) -> bool {
        self.values.contains_key(key)
    }
}

/// Whether two values are known to be the same, or neither is known.
fn are_same(one: Option<&Value>, two: Option<&Value>) -> bool {
    match (one, two) {
        (Some(one), Some(two)) => one.is_same(two),
        (None, None) => true,
        _ => false,
    }
}

/// The value of `key` when any of `ends` may be the real one.
fn joined(key: &StateKey, ends: &[Option<Value>]) -> Option<Value> {
    let (first, rest) = ends.split_first()?;
    if rest.iter().all(|end| are_same(first.as_ref(), end.as_ref())) {
        return first.clone();
    }
    match key {
        StateKey::Variable(_) | StateKey::Positional => None,
        StateKey::Directory => Some(Value::Directory(None)),
        StateKey::OddSplitting | StateKey::OddFolders | StateKey::OddVariables | StateKey::StartFile(_) => {
            Some(Value::Set)
        }
        // Each value is possible; the last alias is as good as any, because an alias never hides a program.
        StateKey::Alias(_) => ends.iter().rev().flatten().next().cloned(),
        StateKey::Function(_) => {
            let mut bodies: Vec<Rc<ParsedCommand>> = Vec::new();
            for end in ends.iter().flatten() {
                let Value::Function(found, _) = end else { continue };
                for body in found.iter() {
                    if !bodies.iter().any(|known| Rc::ptr_eq(known, body)) {
                        bodies.push(Rc::clone(body));
                    }
                }
            }
            Some(Value::Function(bodies.into(), false))
        }
    }
}
