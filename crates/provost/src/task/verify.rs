//! `provost verify`: the whole gate on any branch, without an agent and without a task.
//!
//! The configuration is that of the base: neither `provost.toml` of the branch nor a home that the
//! branch could have committed is read. Nothing is written but the reports that were asked for.

mod junit;
mod page;
mod sarif;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use provost_engine::task::{
    Progress, Update, VerifyReport, VerifyRequest, VerifyTarget, VerifyUpdate, detect, resolve,
    verify,
};
use provost_exec::git::Git;
use provost_kernel::{
    Exit,
    task::{Strictness, VerifyOutcome},
};
use provost_rules_task::verification::VerifyError;
use provost_vault::eval::publish;

use crate::{
    environment, git, home, ignored,
    live::{LiveLine, Weight},
    rows,
    session::{AnyFault, Preparation, Run, Session},
    wiring::{Wiring, base_file},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost verify\n  provost verify feature --base main --strict\n  provost verify --test \"npm test\" --junit verify.xml --sarif verify.sarif\n\nHolds the change of REF against the rules, runs the test on the base and on a clean checkout of\nREF, and finds out what a green test proves, as for a task. `provost.toml` of the base counts.\nThe base is the newest commit in common with the branch that REF is to be merged into:\n`--base`, else origin/HEAD, main or master.\n\nExit codes: 0 verified, 1 refused, 2 could not be verified, 3 you have to decide"
)]
pub(crate) struct Args {
    /// A branch, a tag or a commit; HEAD, if not given
    #[arg(value_name = "REF")]
    revision: Option<String>,
    /// The branch that it is to be merged into
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The command that tests it
    #[arg(long, value_name = "CMD")]
    test: Option<String>,
    /// A file or folder that may change; can be repeated
    #[arg(long = "in", value_name = "PATH")]
    paths: Vec<String>,
    /// A test file or folder that may change, because what is expected changes; can be repeated
    #[arg(long, value_name = "PATH")]
    tests_may_change: Vec<String>,
    /// Refuse what is green without the change, too
    #[arg(long)]
    strict: bool,
    /// Write a report as `JUnit` XML
    #[arg(long, value_name = "FILE")]
    junit: Option<Utf8PathBuf>,
    /// Write findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    sarif: Option<Utf8PathBuf>,
}

/// What there is to tell comes from the verification itself.
#[derive(Debug)]
struct Unwatched;

impl Progress for Unwatched {
    fn update(&self, _: &Update<'_>) {}
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        // The configuration of the worktree may be the branch's.
        Preparation::None
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let folder = environment::current_folder()?;
        let root = home::git_root(&folder)
            .ok_or_else(|| VerifyError::NoRepository { folder: folder.to_string() })?;
        let root = root.canonicalize_utf8().unwrap_or(root);
        let variables: BTreeMap<String, String> = session.environment.texts().collect();
        let path = variables.get("PATH").map_or("", String::as_str);
        let git = Git::new(environment::guardian()?, path);
        let repository = root.as_std_path();
        let target = resolve(&git, repository, self.revision.as_deref(), self.base.as_deref())?;
        ignored::refuse_tracked(session)?;
        self.check_reports()?;
        let base = base_file(&git, repository, &target.base);
        if base.content != base_file(&git, repository, &target.tip).content {
            let (name, base) = (target.name, target.base_ref);
            return Err(VerifyError::ConfigurationMoved { name, base }.into());
        }
        session.configure_for(&base)?;
        let wiring = Wiring::looking(session, repository, &target.base)?;
        let configured = wiring.settings().test.clone();
        let given = self.test.clone().filter(|it| !it.trim().is_empty());
        let Some(command) = given.or(configured).filter(|it| !it.trim().is_empty()) else {
            let found = detect(&git, repository, &target.base)?.checks.test;
            return Err(VerifyError::NoTest { base: target.base_ref, found }.into());
        };
        self.note_uncommitted(session, &root);
        let report = self.verify(session, &wiring, &root, &target, &command)?;
        self.write(session, &report, &command)?;
        session.output.show(&page::Answer { report: &report, command: &command });
        Ok(exit(report.outcome))
    }
}

impl Args {
    fn verify(
        &self,
        session: &mut Session,
        wiring: &Wiring,
        root: &Utf8Path,
        target: &VerifyTarget,
        command: &str,
    ) -> Result<VerifyReport, AnyFault> {
        wiring.listen()?;
        let request = VerifyRequest {
            repository: root.as_std_path(),
            target,
            command,
            checks: &wiring.settings().checks,
            paths: &self.paths,
            tests_may_change: &self.tests_may_change,
            strictness: if self.strict { Strictness::NoGaps } else { Strictness::AsTask },
        };
        session.output.begin(|page| page::head(page, target));
        let live = LiveLine::new(session.output.lang, session.flags.quiet);
        let output = &mut session.output;
        let mut tell = |update: VerifyUpdate<'_>| match update {
            VerifyUpdate::Starts(command) => {
                live.show(Weight::Last, |_| rows::running(command));
            }
            VerifyUpdate::Prepared(step) => {
                live.clear();
                output.begin(|page| rows::step(page, step));
            }
            VerifyUpdate::Checked(check) => {
                live.clear();
                output.begin(|page| page::check(page, check));
            }
        };
        let verified = verify(wiring.engine(&Unwatched), &request, &mut tell);
        live.clear();
        Ok(verified?)
    }

    /// Refuses to write a report through a link: the branch that is checked out may have made it.
    fn check_reports(&self) -> Result<(), VerifyError> {
        for path in self.junit.iter().chain(&self.sarif) {
            let own = path.ancestors().filter(|it| !it.as_str().is_empty());
            let is_link = |it: &Utf8Path| it.as_std_path().is_symlink();
            // What lies above the working folder is the person's own.
            if own.take_while(|it| path.is_relative() || *it == path).any(is_link) {
                return Err(VerifyError::ReportOverLink { path: path.to_string() });
            }
        }
        Ok(())
    }

    /// Writes the reports that were asked for.
    fn write(
        &self,
        session: &Session,
        report: &VerifyReport,
        command: &str,
    ) -> Result<(), AnyFault> {
        let lang = session.output.lang;
        if let Some(path) = &self.junit {
            publish(path, |out| out.write_all(junit::junit(report, command, lang).as_bytes()))?;
        }
        if let Some(path) = &self.sarif {
            publish(path, |out| out.write_all(sarif::sarif(report, lang)?.as_bytes()))?;
        }
        Ok(())
    }

    /// Says what is not verified: changes that are not committed.
    fn note_uncommitted(&self, session: &mut Session, root: &Utf8Path) {
        let question =
            ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"];
        let is_head = self.revision.as_deref().is_none_or(|it| it == "HEAD");
        let Ok(answer) = git::ask(&session.environment, root, &question) else { return };
        let changed = answer.stdout.split(|it| *it == 0).filter(|it| it.len() > 3).count();
        if !is_head || changed == 0 {
            return;
        }
        let files = if changed == 1 { "file is" } else { "files are" };
        session.output.message(&session.output.lang.pick(
            format!("{changed} uncommitted {files} not part of this: commits are verified"),
            format!("有 {changed} 个未提交的文件不在其中：验证的是提交"),
        ));
    }
}

fn exit(outcome: VerifyOutcome) -> Exit {
    match outcome {
        VerifyOutcome::Passed => Exit::Success,
        VerifyOutcome::Refused => Exit::Refused,
        VerifyOutcome::NeedsPerson => Exit::Paused,
    }
}
