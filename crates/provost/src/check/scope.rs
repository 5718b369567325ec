//! `provost check scope`: how far the change in a repository goes, and whether it may.
//!
//! The change is measured from the base to what lies on the disk, in a private repository of its
//! own. What the change itself says is generated or ignored counts all the same.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use provost_exec::git::{Git, GitError, PrivateClone, disk, stat};
use provost_kernel::{
    Exit, Lang, Message,
    story::{Declaration, Explanation, FileDelta, ScopeLimits, ScopeReport, ScopeResult},
};
use provost_rules_story::{
    base::BaseTree,
    declaration, explanation,
    scope::{self, Said},
};

use crate::{
    environment, home,
    input::Source,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Counted is every file that differs from the base: committed, staged, unstaged or untracked.\nLock files, snapshots, `node_modules`, `.next`, `dist`, `__generated__` and what the base's own\n`.gitignore` and `.gitattributes` call generated are left out.\n\n  over 15 files or 1500 lines   every file needs an explanation\n  over 25 files or 3000 lines   the change must be split\n\nThe configuration of the base may set smaller limits, under `[story.scope]`.\n\nDeclared is a JSON list of paths; a folder that is new ends with `/`. Explained is a JSON list of\n{file, reason, lines}, or a map from paths to {reason, lines}.\n\nExamples:\n  provost check scope\n  provost check scope --base main --declared declared.json --explained explained.json --json\n\nExits with 0 if the change is accepted, with 1 if it must be explained or split, and with 2 if it\ncannot be measured."
)]
pub(super) struct Args {
    /// The commit, branch or tag to measure from
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// The declared files; `-` is standard input
    #[arg(long, value_name = "FILE")]
    declared: Option<String>,
    /// Why each file is in scope; `-` is standard input
    #[arg(long, value_name = "FILE")]
    explained: Option<String>,
    /// A folder in the repository [default: the current one]
    #[arg(long, value_name = "DIR")]
    repo: Option<Utf8PathBuf>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (declared, explained) = self.said()?;
        let (deltas, base, limits) = self.measure(session)?;
        let said = Said { declared: declared.as_ref(), explained: &explained };
        let report = scope::reconcile(&deltas, said, &base, limits);
        session.output.show(&report);
        Ok(match report.result {
            ScopeResult::Accept => Exit::Success,
            ScopeResult::Explain | ScopeResult::Split => Exit::Refused,
        })
    }
}

impl Args {
    /// What was declared and explained, as far as somebody did.
    fn said(&self) -> Result<(Option<Declaration>, Vec<Explanation>), AnyFault> {
        let source = |it: &Option<String>| it.as_deref().map(Source::from);
        let (declared, explained) = (source(&self.declared), source(&self.explained));
        if let (Some(one), Some(other)) = (&declared, &explained) {
            one.check_beside(other)?;
        }
        let declared = match declared {
            None => None,
            Some(source) => {
                let read = declaration::read(&source.read()?);
                Some(read.map_err(|error| source.content_error(error))?)
            }
        };
        let explained = match explained {
            None => Vec::new(),
            Some(source) => {
                let read = explanation::read(&source.read()?);
                read.map_err(|error| source.content_error(error))?
            }
        };
        Ok((declared, explained))
    }

    /// Measures the change, and reads what the base says of generated files and of limits.
    fn measure(
        &self,
        session: &Session,
    ) -> Result<(Vec<FileDelta>, BaseTree, ScopeLimits), AnyFault> {
        let tree = self.tree()?;
        // Without a home there is nothing to leave out.
        let home = session.home().ok();
        let home = home.as_ref().and_then(|it| it.path.strip_prefix(&tree).ok());
        let path = session.environment.text("PATH")?.unwrap_or_default().to_owned();
        let git = Git::new(environment::guardian()?, &path);
        let scratch = tempfile::Builder::new().prefix("provost-scope-").tempdir();
        let scratch = scratch.map_err(ScratchError)?;
        let git_dir = scratch.path().canonicalize().map_err(ScratchError)?.join("git");
        let clone = stat::beside(&git, tree.as_std_path(), &self.base, &git_dir)?;
        let variables = session.environment.texts().collect();
        let disk = disk::said(&git, tree.as_std_path(), &variables)?;
        let clone = PrivateClone { disk, ..clone };
        let content = stat::base(&git, &clone)?;
        let base = BaseTree::new(
            content.paths.iter().map(String::as_str),
            content.rules.iter().map(|(path, text)| (path.as_str(), text.as_str())),
        );
        let is_home =
            |path: &str| home.is_some_and(|it| it != "" && Utf8Path::new(path).starts_with(it));
        let deltas = stat::of_folder(&git, &clone, &|path| is_home(path) || base.is_ignored(path))?;
        let config = wiring::of_base(session, &git, tree.as_std_path(), &self.base)?;
        Ok((deltas, base, config.story.scope.limits()))
    }

    /// The root of the work tree, without links.
    fn tree(&self) -> Result<Utf8PathBuf, AnyFault> {
        let folder = match &self.repo {
            Some(folder) => folder.clone(),
            None => environment::current_folder()?,
        };
        let no_repository = || GitError::NotARepository { path: folder.clone().into() };
        let real = folder.canonicalize_utf8().map_err(|_| no_repository())?;
        Ok(home::git_root(&real).ok_or_else(no_repository)?)
    }
}

/// No place for the private repository.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "check.scratch",
    en = "cannot create a temporary folder",
    zh = "无法建立临时文件夹"
)]
struct ScratchError(#[source] std::io::Error);

impl View for ScopeReport {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, limits) = (page.lang, self.limits);
        let size = |value: u64, warn: u64, hard: u64| {
            lang.pick(
                format!("{value} (explained over {warn}, split over {hard})"),
                format!("{value}（超过 {warn} 需解释，超过 {hard} 需拆分）"),
            )
        };
        page.row("result", "结果", result(self.result, lang));
        page.row("files", "文件", size(self.files, limits.warn_files, limits.hard_files));
        page.row("lines", "行", size(self.lines, limits.warn_lines, limits.hard_lines));
        if !self.excluded.files.is_empty() {
            let (files, lines) = (self.excluded.files.len(), self.excluded.lines);
            let excluded = lang.pick(
                format!("{files} generated files with {lines} lines"),
                format!("{files} 个生成文件，共 {lines} 行"),
            );
            page.row("left out", "未计入", excluded);
        }
        page.row("declaration", "声明", declared(self, lang));
        let mut hints = BTreeSet::new();
        for it in &self.findings {
            let message = lang.render(&it.message);
            let about = match it.subject.as_str() {
                "" => message,
                subject => {
                    let subject = subject.escape_debug();
                    lang.pick(format!("{message} ({subject})"), format!("{message}（{subject}）"))
                }
            };
            page.line(&format!("  {:?} {}", it.severity, page.labelled(&it.rule, about)));
            hints.extend(it.hint.as_ref().map(|it| lang.render(it)));
        }
        for (position, part) in self.proposal.iter().enumerate() {
            let about = part.about.join(", ").escape_debug().to_string();
            page.part(position + 1, &about, part.files.len(), part.lines);
        }
        for hint in hints {
            page.hint(hint);
        }
    }
}

fn result(result: ScopeResult, lang: Lang) -> &'static str {
    match result {
        ScopeResult::Accept => lang.pick("accept", "接受"),
        ScopeResult::Explain => lang.pick("explain", "需要解释"),
        ScopeResult::Split => lang.pick("split", "需要拆分"),
    }
}

fn declared(report: &ScopeReport, lang: Lang) -> String {
    if !report.is_declared {
        return lang.pick("none", "无").to_owned();
    }
    let (outside, part) = (report.undeclared.len(), report.deviation);
    let (differing, of) = (part.differing, part.of);
    let mut text = lang.pick(
        format!("{outside} files outside, deviation {differing} of {of}"),
        format!("{outside} 个文件在声明之外，偏差 {differing}/{of}"),
    );
    if report.reassess {
        text += lang.pick(", reassess", "，需重新评估");
    }
    text
}
