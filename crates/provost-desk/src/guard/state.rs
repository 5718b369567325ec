//! How the guard is set, and the ways out of its refusals: what waits for a person, what people
//! permitted, and the command that changes each of them.
//!
//! Commands are shown and never run here: a permission needs a terminal and a person's yes.

use std::collections::BTreeSet;

use camino::Utf8Path;
use provost_kernel::{
    Message as _, Text, Timestamp,
    guard::{
        PendingRefusal, Permit, PermitScope, RefusalCode, Snooze, TrustedPath,
        policy::{GuardLevel, GuardPacks, Pack},
    },
};
use provost_rules_guard::permit::{Overview, overview};
use provost_vault::{
    Layout,
    guard::{PermitsError, read_permits, read_refusals},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::GuardPort;
use crate::{DISK, Desk};

/// Stands in a command for the person's own reason.
const REASON: &str = "--because \"…\"";

/// The settings of the guard, and the ways out of its refusals.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GuardState {
    /// The policy of each hook that is installed, or of the home if none is.
    pub policies: Vec<GuardPolicy>,
    /// By the home that calls are recorded in: that of the project, then the person's own if it
    /// has any.
    pub homes: Vec<WaysOut>,
    /// What could not be read.
    pub problems: Vec<Text>,
}

/// What calls are judged by, besides the rules that are always in force.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GuardPolicy {
    /// The clients whose hook uses it; none if the guard is not installed.
    pub clients: Vec<&'static str>,
    pub level: GuardLevel,
    pub packs: Vec<PackSwitch>,
    /// How many rules of the person are in force.
    pub own_rules: usize,
    /// How many rules of the repository are; they only tighten.
    pub repository_rules: usize,
}

/// Whether a pack of built-in rules is in force; the rules of one that is off only record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PackSwitch {
    pub pack: Pack,
    pub is_on: bool,
}

/// What waits for a person in one home, and what people permitted there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaysOut {
    /// Whether it is the home of the person, for calls outside every home of a project.
    pub is_of_user: bool,
    pub refusals: Vec<WaitingRefusal>,
    pub permits: Vec<GrantedPermit>,
    pub trusted: Vec<TrustedFolder>,
    pub snooze: Option<RunningSnooze>,
}

/// A refusal that a person can still permit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaitingRefusal {
    pub code: RefusalCode,
    pub rule: String,
    /// The part of the call that the rule stands on.
    pub subject: String,
    pub tool: String,
    pub folder: String,
    pub at: Timestamp,
    pub expires: Timestamp,
    /// Permits it.
    pub command: String,
}

/// A call that a person permitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GrantedPermit {
    pub code: RefusalCode,
    pub scope: PermitScope,
    pub rule: String,
    pub subject: String,
    /// `cli:ann`.
    pub by: String,
    pub because: String,
    pub expires: Timestamp,
    /// Takes it back.
    pub command: String,
}

/// A path outside the project that agents may write to and delete in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustedFolder {
    pub path: String,
    pub by: String,
    pub because: String,
    /// Ends the trust.
    pub command: String,
}

/// A time in which nothing is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunningSnooze {
    pub by: String,
    pub because: String,
    pub expires: Timestamp,
    /// Ends it.
    pub command: String,
}

impl Desk {
    /// How the guard is set, and the ways out of its refusals. What cannot be read is named, and
    /// the rest is there.
    pub fn guard_state(&self, port: &dyn GuardPort) -> GuardState {
        let mut problems = Vec::new();
        let policies = port.policies().unwrap_or_else(|error| {
            problems.push(error.0.text());
            Vec::new()
        });
        let user = self.layout.for_user();
        let is_user = user.home().path() == self.layout.home().path();
        let mut layouts = vec![(&self.layout, is_user)];
        if !is_user {
            layouts.push((&user, true));
        }
        let mut homes = Vec::new();
        for (layout, is_of_user) in layouts {
            match self.overview_of(layout) {
                Ok(found) => homes.push(WaysOut::of(found, is_of_user, &layout.home().path())),
                Err(error) => problems.push(error.text()),
            }
        }
        homes.retain(|it| !it.is_of_user || !it.is_empty());
        GuardState { policies, homes, problems }
    }

    /// The codes that can still be permitted. Files that cannot be read permit nothing.
    pub(super) fn waiting_codes(&self) -> BTreeSet<RefusalCode> {
        let found = self.overview_of(&self.layout);
        found.map(|it| it.refusals.into_iter().map(|it| it.code).collect()).unwrap_or_default()
    }

    fn overview_of(&self, layout: &Layout) -> Result<Overview, PermitsError> {
        let (known, permits) = (read_refusals(&DISK, layout)?, read_permits(&DISK, layout)?);
        Ok(overview(&known, permits, self.clock.millis()))
    }
}

impl GuardPolicy {
    /// The switches of all packs, in their order.
    pub fn switches(packs: GuardPacks) -> Vec<PackSwitch> {
        Pack::ALL.iter().map(|&pack| PackSwitch { pack, is_on: packs.has(pack) }).collect()
    }
}

impl WaysOut {
    fn of(found: Overview, is_of_user: bool, home: &Utf8Path) -> Self {
        // Without it, a command answers for the project around the folder in which it is typed.
        let home = is_of_user.then(|| format!(" --home {}", quoted(home.as_str())));
        let home = home.unwrap_or_default();
        let command = |words: &str| format!("provost guard {words} {REASON}{home}");
        let Overview { refusals, permits } = found;
        let refusal = |it: PendingRefusal| WaitingRefusal {
            command: command(&format!("allow {}", it.code)),
            at: it.at.into(),
            expires: it.expires.into(),
            code: it.code,
            rule: it.rule,
            subject: it.subject,
            tool: it.tool,
            folder: it.directory,
        };
        let permit = |it: Permit| GrantedPermit {
            command: command(&format!("deny {}", it.code)),
            expires: it.expires.into(),
            by: it.by.to_string(),
            code: it.code,
            scope: it.scope,
            rule: it.rule,
            subject: it.subject,
            because: it.because,
        };
        let trust = |TrustedPath { path, because, by, .. }| TrustedFolder {
            command: command(&format!("trust {} --remove", quoted(&path))),
            by: by.to_string(),
            path,
            because,
        };
        let snooze = |Snooze { because, by, expires, .. }| RunningSnooze {
            command: command("snooze --off"),
            expires: expires.into(),
            by: by.to_string(),
            because,
        };
        Self {
            is_of_user,
            refusals: refusals.into_iter().map(refusal).collect(),
            permits: permits.permits.into_iter().map(permit).collect(),
            trusted: permits.trusted.into_iter().map(trust).collect(),
            snooze: permits.snooze.map(snooze),
        }
    }

    fn is_empty(&self) -> bool {
        let Self { is_of_user: _, refusals, permits, trusted, snooze } = self;
        refusals.is_empty() && permits.is_empty() && trusted.is_empty() && snooze.is_none()
    }
}

/// A word as a shell reads it; nothing if it holds a NUL, which no path can.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| "PATH".to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use provost_kernel::{
        Actor, Clock, Digest, Millis, RecordFile, Source,
        guard::{PendingRefusals, Permits},
    };
    use provost_vault::{RealDisk, write_json};

    use super::*;
    use crate::{
        PortError,
        guard::{GuardClient, GuardRuling},
    };

    const NOW: u64 = 10_000_000;

    struct At(u64);

    impl Clock for At {
        fn millis(&self) -> Millis {
            Millis(self.0)
        }
    }

    /// A guard with one pack off, or one whose configuration cannot be read.
    struct Configured {
        is_readable: bool,
    }

    impl GuardPort for Configured {
        fn clients(&self) -> Result<Vec<GuardClient>, PortError> {
            Ok(Vec::new())
        }

        fn policies(&self) -> Result<Vec<GuardPolicy>, PortError> {
            if !self.is_readable {
                return Err(PermitsError::Corrupt { path: "/x".into(), why: "y".into() }.into());
            }
            let packs = GuardPacks { cloud: false, ..GuardPacks::default() };
            Ok(vec![GuardPolicy {
                clients: Vec::new(),
                level: GuardLevel::Strict,
                packs: GuardPolicy::switches(packs),
                own_rules: 2,
                repository_rules: 0,
            }])
        }

        fn explain(&self, _: &str) -> Result<GuardRuling, PortError> {
            Err(PermitsError::Corrupt { path: "/x".into(), why: "y".into() }.into())
        }
    }

    fn code(n: u8) -> RefusalCode {
        RefusalCode::of_random([n; 6])
    }

    fn ann() -> Actor {
        Actor { source: Source::Cli, id: "ann".to_owned() }
    }

    fn refusal(n: u8, at: u64) -> PendingRefusal {
        PendingRefusal {
            code: code(n),
            call: Digest::of_bytes(&[n]),
            rule: "git.reset-hard".to_owned(),
            subject: "git reset --hard".to_owned(),
            tool: "Bash".to_owned(),
            directory: "/p".to_owned(),
            session: "s1".to_owned(),
            at: Millis(at),
            expires: Millis(at + 900_000),
            permanent: None,
        }
    }

    fn permits() -> Permits {
        Permits {
            permits: vec![Permit {
                code: code(9),
                call: Digest::of_bytes(b"9"),
                scope: PermitScope::Session,
                rule: "git.clean".to_owned(),
                subject: "git clean -fd".to_owned(),
                because: "<b>built</b>".to_owned(),
                by: ann(),
                at: Millis(NOW),
                expires: Millis(NOW + 1),
                is_spent: false,
            }],
            trusted: vec![TrustedPath {
                path: "/srv/it's $(here)".to_owned(),
                because: "fixtures".to_owned(),
                by: ann(),
                at: Millis(NOW),
            }],
            snooze: Some(Snooze {
                because: "I watch".to_owned(),
                by: ann(),
                at: Millis(NOW),
                expires: Millis(NOW + 1),
            }),
        }
    }

    /// A desk with a refusal that waits, an expired one, and every kind of permission.
    fn desk() -> (tempfile::TempDir, Desk) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap();
        let layout = Layout::new(&path.join("home"), None, &path.join("state"));
        let refusals = vec![refusal(1, NOW), refusal(2, NOW - 900_000)];
        let known = RecordFile::new(PendingRefusals { refusals });
        write_json(&RealDisk, &layout.refusals(), &known).unwrap();
        write_json(&RealDisk, &layout.permits(), &RecordFile::new(permits())).unwrap();
        (folder, Desk::new(layout, Arc::new(At(NOW))))
    }

    /// KEEP-1: each way out has the command of a person, whose words a shell takes as they are.
    #[test]
    fn each_way_out_has_the_command_that_changes_it() {
        let (_folder, desk) = desk();
        let state = desk.guard_state(&Configured { is_readable: true });
        assert!(state.problems.is_empty(), "{:?}", state.problems);
        let off: Vec<Pack> =
            state.policies[0].packs.iter().filter(|it| !it.is_on).map(|it| it.pack).collect();
        assert_eq!(off, [Pack::Cloud]);
        let [home] = state.homes.as_slice() else { panic!("{:?}", state.homes) };
        let codes: Vec<_> = home.refusals.iter().map(|it| it.code.clone()).collect();
        assert_eq!(codes, [code(1)], "one has expired");
        assert_eq!(
            home.refusals[0].command,
            format!("provost guard allow {} --because \"…\"", code(1))
        );
        assert_eq!(
            home.permits[0].command,
            format!("provost guard deny {} --because \"…\"", code(9))
        );
        assert_eq!(
            (home.permits[0].by.as_str(), home.permits[0].scope),
            ("cli:ann", PermitScope::Session)
        );
        let words = shlex::split(&home.trusted[0].command).unwrap();
        assert_eq!(words[3..5], ["/srv/it's $(here)", "--remove"]);
        let snooze = home.snooze.as_ref().unwrap();
        assert_eq!(snooze.command, "provost guard snooze --off --because \"…\"");
    }

    #[test]
    fn a_refusal_outside_every_project_names_the_home_of_the_person() {
        let (_folder, desk) = desk();
        let user = desk.layout().for_user();
        let known = RecordFile::new(PendingRefusals { refusals: vec![refusal(3, NOW)] });
        write_json(&RealDisk, &user.refusals(), &known).unwrap();
        let state = desk.guard_state(&Configured { is_readable: true });
        let [project, person] = state.homes.as_slice() else { panic!("{:?}", state.homes) };
        assert_eq!((project.is_of_user, person.is_of_user), (false, true));
        let words = shlex::split(&person.refusals[0].command).unwrap();
        assert_eq!(words[6..], ["--home", user.home().path().as_str()]);
    }

    /// What cannot be read is named, hides nothing else, and is left as it is.
    #[test]
    fn files_that_cannot_be_read_are_named() {
        let (_folder, desk) = desk();
        for location in [desk.layout().permits(), desk.layout().refusals()] {
            let path = location.path();
            #[expect(clippy::disallowed_methods, reason = "a test is whoever breaks files")]
            fs::write(&path, "{").unwrap();
        }
        let state = desk.guard_state(&Configured { is_readable: false });
        assert_eq!((state.problems.len(), state.policies.len(), state.homes.len()), (2, 0, 0));
        assert!(desk.waiting_codes().is_empty());
        assert_eq!(fs::read(desk.layout().refusals().path()).unwrap(), b"{");
    }
}
