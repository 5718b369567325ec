//! What every command has at hand, and the order in which it is prepared.

use std::rc::Rc;

use provost_kernel::{Exit, Fault, Lang};
use provost_vault::{Layout, RealDisk, inspect_home};

use crate::{
    cli::Flags,
    config::{self, BaseFile, Configuration, Failure},
    environment::{self, Environment},
    home::{self, Home, HomeError},
    identity,
    output::Output,
};

/// An error on its way to the person.
#[derive(Debug)]
pub(crate) struct AnyFault(pub(crate) Box<dyn Fault>);

/// One run of the program.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) environment: Environment,
    pub(crate) flags: Flags,
    pub(crate) output: Output,
    configuration: Option<Rc<Configuration>>,
}

/// What must hold before a command starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preparation {
    /// Nothing: the command reads no file.
    None,
    /// The configuration is valid; it also chooses the language.
    Configuration,
    /// The user and the machine are the configured ones too (LOOP-A1).
    Identity,
}

/// A command.
pub(crate) trait Run {
    /// What must hold before it starts. A command that neither runs nor writes anything may ask
    /// for less; those that read tasks and stories write down what they find, such as that a
    /// coordinator is gone.
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    /// Does the work; the answer is the exit code.
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault>;
}

impl Session {
    pub(crate) fn new(environment: Environment, flags: Flags, output: Output) -> Self {
        Self { environment, flags, output, configuration: None }
    }

    /// Prepares a command and runs it.
    pub(crate) fn run(&mut self, command: &dyn Run) -> Result<Exit, AnyFault> {
        match command.preparation() {
            Preparation::None => {}
            Preparation::Configuration => {
                self.configuration()?;
            }
            Preparation::Identity => {
                let configuration = self.configuration()?;
                identity::guard(&configuration.config.identity)?;
            }
        }
        command.run(self)
    }

    /// The configuration, read when it is asked for the first time. From then on the messages
    /// are in the language it chooses.
    pub(crate) fn configuration(&mut self) -> Result<Rc<Configuration>, AnyFault> {
        if let Some(known) = &self.configuration {
            return Ok(Rc::clone(known));
        }
        let folder = environment::current_folder()?;
        let loaded = config::load(&self.environment, &self.flags, &folder);
        self.settle(loaded)
    }

    /// Reads the configuration with the project's file as a revision has it, for all that follows:
    /// that of the worktree is not looked at.
    pub(crate) fn configure_for(&mut self, base: &BaseFile) -> Result<(), AnyFault> {
        let folder = environment::current_folder()?;
        let loaded = config::load_for_repository(&self.environment, &self.flags, &folder, base);
        identity::guard(&self.settle(loaded)?.config.identity)?;
        Ok(())
    }

    fn settle(
        &mut self,
        loaded: Result<Configuration, Failure>,
    ) -> Result<Rc<Configuration>, AnyFault> {
        let lang = match &loaded {
            Ok(configuration) => configuration.config.lang,
            Err(failure) => failure.lang,
        };
        self.output.lang = language(self.flags.lang, lang, &self.environment);
        let configuration = Rc::new(loaded.map_err(|failure| failure.fault)?);
        self.configuration = Some(Rc::clone(&configuration));
        Ok(configuration)
    }

    /// The home of this run, which need not exist yet.
    pub(crate) fn home(&self) -> Result<Home, AnyFault> {
        let folder = environment::current_folder()?;
        Ok(home::find(self.flags.home.as_deref(), &self.environment, &folder)?)
    }

    /// Where everything of the home lies, for a command that uses the home: one that somebody
    /// named is there, and it is ours and of a format that this provost knows.
    pub(crate) fn layout(&self) -> Result<Layout, AnyFault> {
        let layout = self.intended_layout()?;
        home::check(&self.home()?)?;
        inspect_home(&RealDisk, &layout)?;
        Ok(layout)
    }

    /// The same, for a command that works without a home too: nothing outside a repository, if no home
    /// is named.
    pub(crate) fn layout_if_any(&self) -> Result<Option<Layout>, AnyFault> {
        let folder = environment::current_folder()?;
        match home::find(self.flags.home.as_deref(), &self.environment, &folder) {
            Err(HomeError::Nowhere { .. }) => Ok(None),
            Err(error) => Err(error.into()),
            Ok(_) => self.layout().map(Some),
        }
    }

    /// The home of the person, which is not of any project.
    pub(crate) fn user_layout(&self) -> Result<Layout, AnyFault> {
        Ok(Layout::of_user(&home::state(&self.environment)?))
    }

    /// Where everything of the home will lie, whatever is there now.
    pub(crate) fn intended_layout(&self) -> Result<Layout, AnyFault> {
        let folder = environment::current_folder()?;
        Ok(home::layout(&self.home()?, &self.environment, &folder)?)
    }
}

/// Chooses the language: the flag, then the configuration, then the locale, then English.
///
/// `PROVOST_LANG` is a layer of the configuration, later than its files, so it wins over `lang`
/// in a file, like every other variable does. Before the configuration is read, or when it
/// cannot be, the variable is asked directly.
pub(crate) fn language(
    flag: Option<Lang>,
    configured: Option<Lang>,
    environment: &Environment,
) -> Lang {
    let variable = |name: &str| environment.text(name).ok().flatten();
    let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    flag.or_else(|| variable("PROVOST_LANG")?.parse().ok())
        .or(configured)
        .or_else(|| locale().map(Lang::from_locale))
        .unwrap_or_default()
}

impl<F: Fault> From<F> for AnyFault {
    fn from(fault: F) -> Self {
        Self(Box::new(fault))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        flag: Option<Lang>,
        configured: Option<Lang>,
        variables: &[(&str, &str)],
        expected: Lang,
    ) {
        let actual = language(flag, configured, &Environment::of(variables));
        assert_eq!(actual, expected, "{flag:?} {configured:?} {variables:?}");
    }

    #[test]
    fn the_nearest_word_chooses_the_language() {
        use Lang::{En, Zh};
        check(None, None, &[], En);
        check(None, None, &[("LANG", "zh_CN.UTF-8")], Zh);
        check(None, None, &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")], En);
        check(None, None, &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "")], Zh);
        check(None, None, &[("LANG", "en_GB"), ("LC_MESSAGES", "zh_TW")], Zh);
        check(None, Some(En), &[("LANG", "zh_CN.UTF-8")], En);
        check(None, Some(En), &[("PROVOST_LANG", "zh")], Zh);
        check(None, Some(Zh), &[("PROVOST_LANG", "klingon")], Zh);
        check(Some(En), Some(Zh), &[("PROVOST_LANG", "zh")], En);
    }
}
