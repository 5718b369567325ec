//! What programs do, by their names: one table, and its schema.
//!
//! A row says what is true of a program whatever its options are; what its options change is
//! looked at by its judge, and [`Family`] says by which judgement. Programs that start
//! others have a row in `launcher` besides, with the options that stand before the other one.

pub(crate) mod launcher;
mod table;

use self::table::TABLE;

/// A program, as far as its name says what it does.
#[derive(Debug)]
pub struct Program {
    pub name: &'static str,
    pub family: Family,
    pub writes: Writes,
    /// One bit for each [`Trait`].
    traits: u64,
}

/// What is true of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// Its words are texts: `echo`.
    Speaks,
    /// It says something about the files that it names, and neither opens nor changes them.
    Looks,
    /// It reads the files that it names and changes none.
    Reads,
    /// It opens the files that it names.
    Opens,
    /// It reads the files that it names unless an option says otherwise.
    ReadsOrEdits,
    /// `-i` makes it write the files that it reads.
    EditsInPlace,
    /// The files that it names are gone afterwards, or are another's.
    Deletes,
    /// It reads what it copies, packs or sends.
    Copies,
    /// It writes its last operand.
    Places,
    /// Its work is to change files.
    ChangesFiles,
    /// It applies a patch.
    AppliesPatch,
    /// Its first operand is a pattern or a program text.
    TakesPattern,
    /// It searches for its first operand.
    Searches,
    /// It finds files, and may start a program for them.
    Finds,
    /// It finds them by conditions, with patterns of its own.
    FindsByCondition,
    /// It starts a program once for each text on its input.
    Multiplies,
    /// The value of `-m` is a text.
    TextAfterM,
    /// The value of `-b` is a text.
    TextAfterB,
    /// The value of `-t` is a text.
    TextAfterT,
    /// The value of `-g` is a text.
    TextAfterG,
    /// The value of `-x` is a text.
    TextAfterX,
    /// Its words are texts for people.
    Prose,
    /// It starts a shell from a line on its input.
    ShellEscapes,
    /// It runs the lines of a file, or of its input.
    RunsWithLines,
    /// It runs what it reads.
    RunsInput,
    /// It runs a text or a file in its own language.
    Interprets,
    /// It is a shell, or does what a shell does with its words.
    IsShell,
    /// In its language a command for the shell stands without quotes.
    CodeIsBare,
    /// It runs tests.
    RunsTests,
    /// It runs a package that it brings, named by one of its first words.
    RunsPackage,
    /// It runs a package after a word such as `exec`.
    StartsPackages,
    /// It is worth a look wherever its name stands.
    Suspect,
    /// It is worth a look where its name stands in code of another language.
    SuspectInCode,
    /// It formats, wipes or partitions.
    ChangesDisk,
    /// It ends the machine.
    EndsMachine,
    /// It changes the accounts of the machine, what it lets through, or its kernel.
    Administers,
    /// It speaks to a host on its words, with or without `http://`.
    Fetches,
    /// It brings text from the network.
    Downloads,
    /// It writes what it brings into a file.
    KeepsDownload,
    /// It decodes a text.
    Decodes,
    /// It decodes with `-d`, `-D` or `--decode`.
    DecodesByOption,
    /// It decodes with `-d`.
    DecodesByD,
    /// It decodes with `-r`.
    DecodesByR,
    /// Its output is meant to be evaluated by a shell.
    SetsUpShell,
    /// It keeps a database, or starts what does.
    KeepsDatabase,
    /// It does nothing.
    Idle,
    /// It makes ready and checks nothing.
    Prepares,
    /// It ends with 0 whatever happens.
    Succeeds,
    /// It shows what it is given and ends with 0.
    Views,
    /// It shows something of a file, or its name, and compares it with nothing.
    Shows,
    /// By it the presence or the absence of something is asked for.
    Asks,
}

/// By which judgement a program is judged besides its traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// None of its own.
    Other,
    Git,
    Database,
    Delete(DeleteKind),
    Remote(RemoteKind),
    Process(ProcessKind),
    System(SystemKind),
}

/// Programs that delete files, or may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteKind {
    Remove,
    Move,
    /// It makes one folder like another.
    Mirror,
    Pack,
    Find,
}

/// Programs that change what runs elsewhere, or publish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteKind {
    Container,
    Cluster,
    Helm,
    Terraform,
    /// It deploys with `up` or `deploy`.
    Deployer,
    Cloud,
    GitHub,
    /// It publishes packages with `publish` and the like.
    Registry,
    /// It publishes with `push`.
    GemPush,
    /// It publishes with `upload`.
    TwineUpload,
}

/// Programs that end processes, or start and stop services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    Kill,
    KillByName,
    Service,
}

/// Programs that change the machine itself, or the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemKind {
    Mount,
    Init,
    DiskUtility,
    StoragePool,
    Crontab,
    Schedule,
    /// It shows or clears the history of the shell.
    History,
    /// It sets or unsets variables of the shell.
    Environment,
    Permissions,
    /// It speaks to any port, and may start a program for it.
    RawNetwork,
    /// It rewrites the history of a repository.
    GitRewriter,
}

/// Which of its words a program writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Nothing,
    /// Its last operand or the value of `-t`, where its other operands go.
    Copied,
    Operands,
    FirstOperand,
    SecondOperand,
    /// `of=…`.
    OutputFile,
    /// The value of `-o`, `-O` or `--output`.
    OutputOption,
    CurlOptions,
    WgetOptions,
    AwkOptions,
    /// The value of `-d`, a folder.
    UnzipFolder,
    /// The archive it makes, or the folder that it unpacks into.
    Archive,
    /// What its subcommand says.
    ByGit,
}

static UNKNOWN: Program = Program::new("", Family::Other, Writes::Nothing, &[]);

impl Program {
    const fn new(name: &'static str, family: Family, writes: Writes, traits: &[Trait]) -> Self {
        let mut bits = 0;
        let mut rest = traits;
        while let [first, more @ ..] = rest {
            bits |= 1 << *first as u64;
            rest = more;
        }
        Self { name, family, writes, traits: bits }
    }

    /// The program of this name; one without traits if the name is not in the table.
    pub fn of(name: &str) -> &'static Self {
        let found = TABLE.binary_search_by(|it| it.name.cmp(name));
        found.ok().and_then(|at| TABLE.get(at)).unwrap_or(&UNKNOWN)
    }

    /// Whether something is true of it.
    pub const fn is(&self, it: Trait) -> bool {
        self.traits & (1 << it as u64) != 0
    }

    /// Whether one of these is true of it.
    pub fn is_any(&self, traits: &[Trait]) -> bool {
        traits.iter().any(|it| self.is(*it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_once_and_in_order() {
        for pair in TABLE.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} {}", pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn every_row_says_something_that_fits_together() {
        for it in TABLE {
            let is = |about: Trait| it.is(about);
            assert!(!it.name.is_empty() && !it.name.contains(char::is_whitespace), "{}", it.name);
            let says_nothing =
                it.traits == 0 && it.family == Family::Other && it.writes == Writes::Nothing;
            assert!(!says_nothing, "`{}` is in the table for nothing", it.name);
            assert!(!is(Trait::Reads) || is(Trait::Opens), "{}", it.name);
            assert!(!is(Trait::Searches) || is(Trait::TakesPattern), "{}", it.name);
            assert!(!is(Trait::FindsByCondition) || is(Trait::Finds), "{}", it.name);
            assert!(!(is(Trait::Speaks) && is(Trait::Opens)), "{}", it.name);
            assert!(!(is(Trait::Looks) && is(Trait::Opens)), "{}", it.name);
        }
    }

    #[test]
    fn a_name_leads_to_its_row() {
        for (name, about, expected) in [
            ("rm", Trait::Deletes, true),
            ("rm", Trait::Reads, false),
            ("cat", Trait::Reads, true),
            ("echo", Trait::Speaks, true),
            ("curl", Trait::Fetches, true),
            ("Cat", Trait::Reads, false),
            ("no such program", Trait::Reads, false),
            ("", Trait::Reads, false),
        ] {
            assert_eq!(Program::of(name).is(about), expected, "{name} {about:?}");
        }
        assert_eq!(Program::of("kubectl").family, Family::Remote(RemoteKind::Cluster));
        assert_eq!(Program::of("tar").writes, Writes::Archive);
        assert_eq!(Program::of("").family, Family::Other);
    }
}
