//! `provost guard scan`: what scripts, workflows and recipes would run, held against the policy.
//!
//! What could not be judged is named and is never counted as clean: the answer is then 2, whatever
//! the other files say.

mod page;

use std::{error::Error, io, path::Path};

use camino::{Utf8Path, Utf8PathBuf};
use provost_engine::guard::place::place;
use provost_kernel::{
    Clock as _, Exit, Lang, Message, Severity, Text,
    guard::policy::{Effect, Policy},
};
use provost_rules_guard::scan::{self, ScanFinding, ScanPlace, Source};
use provost_vault::{SystemClock, eval::publish};

use crate::{
    config, environment,
    output::escaped,
    regular::{self, Unread},
    report,
    sarif::{Sarif, SarifFinding, SarifResult},
    session::{AnyFault, Preparation, Run, Session},
    walk::{self, Visit},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard scan\n  provost guard scan .github scripts --sarif scan.sarif\n  provost guard scan --fail-on ask --json\n\nShell scripts, GitHub workflows and actions, .gitlab-ci.yml, package.json, Makefiles, justfiles,\nDockerfiles and hooks of pre-commit are judged; nothing is run. Folders are searched as by\n`provost check secrets`.\n\nExit codes: 0 nothing found, 1 something at or above --fail-on, 2 something could not be judged"
)]
pub(super) struct Args {
    /// Files and folders
    #[arg(value_name = "PATHS", default_value = ".")]
    paths: Vec<Utf8PathBuf>,
    /// Write the findings to a SARIF 2.1.0 file
    #[arg(long, value_name = "FILE")]
    sarif: Option<Utf8PathBuf>,
    /// The weakest effect that fails
    #[arg(long, value_name = "EFFECT", value_enum, default_value = "deny")]
    fail_on: FailOn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    Ask,
    Deny,
}

/// What was found in all files.
#[derive(Debug)]
struct Report {
    fail_on: FailOn,
    n_files: usize,
    n_commands: usize,
    findings: Vec<Finding>,
    unchecked: Vec<(String, String)>,
}

#[derive(Debug)]
struct Finding {
    path: String,
    found: ScanFinding,
}

/// A path that could not be judged.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.scan.unchecked", en = "{why}", zh = "{why}", inherit = why)]
struct Unchecked {
    why: Why,
    source: Option<Cause>,
}

type Cause = Box<dyn Error + Send + Sync>;

#[derive(Debug, Message)]
#[message(code = "guard.scan.why")]
enum Why {
    #[message(en = "cannot read `{0}`", zh = "无法读取 `{0}`")]
    Unreadable(String),
    #[message(en = "cannot judge `{path}`: {reason}", zh = "无法判断 `{path}`：{reason}")]
    NotJudged { path: String, reason: Text },
    #[message(
        en = "`{0}` has more than {limit} KiB and was not judged",
        zh = "`{0}` 超过 {limit} KiB，未判断",
        arg(limit = scan::MAX_LEN / 1024),
        hint(
            en = "name the other files on the command line",
            zh = "请在命令行中只列出其他文件"
        )
    )]
    TooLarge(String),
    #[message(
        en = "`{0}` is not text in UTF-8 and was not judged",
        zh = "`{0}` 不是 UTF-8 文本，未判断"
    )]
    NotText(String),
    #[message(
        en = "`{0}` is not a regular file and was not judged",
        zh = "`{0}` 不是普通文件，未判断"
    )]
    Special(String),
    #[message(
        en = "unknown kind of file: `{0}`",
        zh = "`{0}` 不是已知其命令写法的文件",
        hint(
            en = "a shell script ends in `.sh` or begins with `#!/bin/sh`",
            zh = "Shell 脚本以 `.sh` 结尾，或以 `#!/bin/sh` 开头"
        )
    )]
    Unknown(String),
}

/// How a path was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    Named,
    Walked,
}

/// Judges files one after the other.
struct Scanner<'a> {
    session: &'a mut Session,
    policy: Policy,
    place: ScanPlace,
    report: Report,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let current = environment::current_folder()?;
        let layout = session.intended_layout()?;
        let compiled = config::compile(&session.environment, &layout.home().path())?;
        let user_home = session.environment.text("HOME")?;
        let at = place(Some(&layout), Some(current.as_str()), user_home, None, None);
        let home = session.home().ok().and_then(|it| it.path.canonicalize_utf8().ok());
        let mut scanner = Scanner {
            policy: compiled.policy(SystemClock.now()),
            place: ScanPlace {
                root: at.root.unwrap_or_else(|| current.to_string()),
                home: at.home,
                user_home: at.user_home,
            },
            report: Report::new(self.fail_on),
            session,
        };
        for path in &self.paths {
            scanner.add_path(path, home.as_deref());
        }
        let Scanner { report, session, .. } = scanner;
        let exit = report.exit();
        if let Some(path) = &self.sarif {
            let lang = session.output.lang;
            publish(path, |out| out.write_all(report.sarif(lang)?.as_bytes()))?;
        }
        session.output.show(&page::Answer::of(&report, session.output.lang));
        Ok(exit)
    }
}

impl Scanner<'_> {
    fn add_path(&mut self, path: &Utf8Path, home: Option<&Utf8Path>) {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => walk::folder(path, home, |visit| match visit {
                Visit::File(file) => self.add_file(file, Chosen::Walked),
                Visit::Special(_) => {}
                Visit::Unreadable(file, error) => {
                    self.refuse(Why::Unreadable(shown(file)), shown(file), Some(error.into()));
                }
                Visit::IgnoreFile(file) => {
                    self.refuse(Why::Special(shown(file)), shown(file), None);
                }
            }),
            Ok(_) => self.add_file(path.as_std_path(), Chosen::Named),
            Err(error) => {
                let path = path.to_string();
                self.refuse(Why::Unreadable(path.clone()), path, Some(error.into()));
            }
        }
    }

    fn add_file(&mut self, file: &Path, chosen: Chosen) {
        let path = shown(file);
        let by_name = Source::of_name(&path);
        let has_ending = file.extension().is_some();
        // A file with another ending is not opened: it is data, as a rule, and may be large.
        if by_name.is_none() && has_ending && chosen == Chosen::Walked {
            return;
        }
        let limit = u64::try_from(scan::MAX_LEN).unwrap_or(u64::MAX);
        let bytes = match regular::read(file, limit) {
            Ok(bytes) => bytes,
            // A program without an ending may be as large as it likes.
            Err(Unread::TooLarge) if by_name.is_none() && chosen == Chosen::Walked => return,
            Err(error) => return self.refuse_unread(path, error),
        };
        let source = by_name.or_else(|| Source::of_first_line(&bytes));
        match (source, chosen) {
            (Some(source), _) => self.judge(&path, source, bytes),
            (None, Chosen::Named) => self.refuse(Why::Unknown(path.clone()), path, None),
            (None, Chosen::Walked) => {}
        }
    }

    fn judge(&mut self, path: &str, source: Source, bytes: Vec<u8>) {
        let Ok(text) = String::from_utf8(bytes) else {
            return self.refuse(Why::NotText(path.to_owned()), path.to_owned(), None);
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
        match scan::scan(&self.policy, &self.place, source, path, &text) {
            Ok(scanned) => {
                self.report.n_files += 1;
                self.report.n_commands += scanned.n_commands;
                let findings = scanned
                    .findings
                    .into_iter()
                    .map(|found| Finding { path: path.to_owned(), found });
                self.report.findings.extend(findings);
            }
            Err(error) => {
                let why = Why::NotJudged { path: path.to_owned(), reason: error.text() };
                self.refuse(why, path.to_owned(), None);
            }
        }
    }

    fn refuse_unread(&mut self, path: String, error: Unread) {
        let (why, cause): (Why, Option<Cause>) = match error {
            Unread::TooLarge => (Why::TooLarge(path.clone()), None),
            Unread::Special | Unread::Folder => (Why::Special(path.clone()), None),
            Unread::System(error) => (Why::Unreadable(path.clone()), Some(error.into())),
        };
        self.refuse(why, path, cause);
    }

    fn refuse(&mut self, why: Why, path: String, source: Option<Cause>) {
        let error = Unchecked { why, source };
        report::complain(&mut self.session.output, &error);
        let reason = self.session.output.lang.render(&error.text());
        self.report.unchecked.push((path, reason));
    }
}

impl Report {
    fn new(fail_on: FailOn) -> Self {
        Self { fail_on, n_files: 0, n_commands: 0, findings: Vec::new(), unchecked: Vec::new() }
    }

    fn exit(&self) -> Exit {
        let weakest = match self.fail_on {
            FailOn::Ask => Effect::Ask,
            FailOn::Deny => Effect::Deny,
        };
        if !self.unchecked.is_empty() {
            Exit::Unable
        } else if self.findings.iter().any(|it| it.found.effect >= weakest) {
            Exit::Refused
        } else {
            Exit::Success
        }
    }

    /// The findings as SARIF.
    fn sarif(&self, lang: Lang) -> io::Result<String> {
        let results = self.findings.iter().map(|Finding { path, found }| {
            let why = lang.render(&found.why);
            let part = &found.part;
            let finding = SarifFinding {
                rule: &found.rule,
                severity: severity(found.effect),
                text: lang.pick(format!("{why}: `{part}`"), format!("{why}：`{part}`")),
                fingerprint: ("provostScan/v1", format!("{}/{path}/{part}", found.rule)),
            };
            SarifResult::new(finding).at(path, u32::try_from(found.line).ok())
        });
        let (version, exit) = (env!("CARGO_PKG_VERSION"), self.exit().code());
        let sarif = Sarif::new("provost guard scan", version, exit, results.collect());
        Ok(sarif.text()?)
    }
}

fn severity(effect: Effect) -> Severity {
    match effect {
        Effect::Deny => Severity::P0,
        Effect::Allow | Effect::Record | Effect::Ask => Severity::P2,
    }
}

/// The path as text, without the `./` of a walk from the current folder.
fn shown(path: &Path) -> String {
    escaped(path.strip_prefix(".").unwrap_or(path).as_os_str())
}
