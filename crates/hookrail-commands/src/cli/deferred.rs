//! Arguments that are described to the parser only when their command is given.

use std::ops::Deref;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The arguments of a command. Describing those of all commands took a fifth of the time until a hook was started.
#[derive(Debug)]
pub(crate) struct Deferred<T>(pub(super) T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| keeping_about(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| keeping_about(command, T::augment_args_for_update))
    }
}

/// Describes the arguments of a command. The text about the command is that of its variant in the enum of commands; the
/// documentation of the type of its arguments does not replace it.
fn keeping_about(command: Command, describe: fn(Command) -> Command) -> Command {
    let about = command.get_about().cloned();
    let long_about = command.get_long_about().cloned();
    describe(command).about(Resettable::from(about)).long_about(Resettable::from(long_about))
}
