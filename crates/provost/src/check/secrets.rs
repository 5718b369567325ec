//! `provost check secrets`: where files carry secrets.
//!
//! What could not be checked is named and is never counted as clean: the answer is then 2,
//! whatever the rest of the files say.

use std::{
    collections::BTreeSet,
    error::Error,
    io,
    path::{Path, PathBuf},
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Exit, Message};
use provost_rules::secret;
use serde::Serialize;

use crate::{
    output::escaped,
    regular::{self, Unread},
    report,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
    walk::{self, Visit},
};

/// A file that is larger is not checked, and that is said.
const LIMIT: u64 = 64 * 1024 * 1024;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Folders are searched with their hidden files; `.git`, the provost home and what `.gitignore` excludes are left out, unless they are named or tracked.\n\nExamples:\n  provost check secrets\n  provost check secrets src .env\n  git diff | provost check secrets -"
)]
pub(super) struct Args {
    /// Files and folders; `-` is standard input
    #[arg(value_name = "PATHS", default_value = ".")]
    paths: Vec<Utf8PathBuf>,
}

/// The answer, as a script reads it.
#[derive(Debug, Default, Serialize)]
struct Answer {
    /// How many files were checked.
    checked: usize,
    findings: Vec<Finding>,
    unchecked: Vec<Unchecked>,
}

/// One secret; what it says is not part of it.
#[derive(Debug, Serialize)]
struct Finding {
    path: String,
    line: usize,
    kind: &'static str,
}

/// A path that was asked for and not checked.
#[derive(Debug, Serialize)]
struct Unchecked {
    path: String,
    reason: String,
}

/// A path that could not be checked.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "secrets", en = "{why}", zh = "{why}", inherit = why)]
struct PathError {
    why: Why,
    source: Option<Cause>,
}

type Cause = Box<dyn Error + Send + Sync>;

#[derive(Debug, Message)]
#[message(code = "secrets.path")]
enum Why {
    #[message(en = "cannot read `{0}`", zh = "无法读取 `{0}`")]
    Unreadable(String),
    #[message(
        en = "`{0}` has more than {limit} MiB and was not checked",
        zh = "`{0}` 超过 {limit} MiB，未检查",
        arg(limit = LIMIT / (1024 * 1024)),
        hint(
            en = "split it, or send a part of it to `provost check secrets -`",
            zh = "请将其拆分，或将其中一部分传给 `provost check secrets -`"
        )
    )]
    TooLarge(String),
    #[message(
        en = "`{0}` is not a regular file and was not checked",
        zh = "`{0}` 不是普通文件，未检查",
        hint(
            en = "send what it carries to `provost check secrets -`",
            zh = "请将其内容传给 `provost check secrets -`"
        )
    )]
    Special(String),
    #[message(
        en = "an empty path names no file",
        zh = "空路径不指向任何文件",
        hint(en = "name a file or a folder", zh = "请指定文件或文件夹")
    )]
    Empty(String),
    #[message(
        en = "cannot find out which files git tracks in `{0}`",
        zh = "无法得知 git 在 `{0}` 中跟踪了哪些文件",
        hint(
            en = "see that `git ls-files` works there, or name the files one by one",
            zh = "请确认在该处可运行 `git ls-files`，或逐一指定文件"
        )
    )]
    Untold(String),
    /// A folder whose `.gitignore` is a pipe or a device.
    #[message(
        en = "`{0}` is not a regular file, so its folder was not checked",
        zh = "`{0}` 不是普通文件，其所在文件夹未检查",
        hint(en = "remove it", zh = "请将其删除")
    )]
    IgnoreFile(String),
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        // Without a home there is nothing to leave out.
        let home = session.home().ok().and_then(|it| it.path.canonicalize_utf8().ok());
        let mut answer = Answer::default();
        for path in &self.paths {
            answer.add_path(session, path, home.as_deref());
        }
        session.output.show(&answer);
        Ok(answer.exit())
    }
}

impl Answer {
    fn add_path(&mut self, session: &mut Session, path: &Utf8Path, home: Option<&Utf8Path>) {
        if path == "-" {
            let bytes = regular::read_up_to(io::stdin().lock(), LIMIT);
            return self.add_bytes(session, "-".to_owned(), bytes);
        }
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => {
                self.add_folder(session, path, home);
            }
            Ok(_) => self.add_file(session, path.as_std_path()),
            Err(_) if path.as_str().is_empty() => {
                self.refuse(session, String::new(), Why::Empty, None);
            }
            Err(error) => {
                self.refuse(session, path.to_string(), Why::Unreadable, Some(error.into()));
            }
        }
    }

    fn add_folder(&mut self, session: &mut Session, path: &Utf8Path, home: Option<&Utf8Path>) {
        let mut visited = BTreeSet::new();
        walk::folder(path, home, |visit| match visit {
            Visit::File(file) => {
                visited.insert(file.to_owned());
                self.add_file(session, file);
            }
            Visit::Special(file) => {
                let shown = shown(file);
                session.output.page().message(
                    format!("`{shown}` is not a regular file: skipped"),
                    format!("`{shown}` 不是普通文件：已跳过"),
                );
            }
            Visit::Unreadable(file, error) => {
                self.refuse(session, shown(file), Why::Unreadable, Some(error.into()));
            }
            Visit::IgnoreFile(file) => self.refuse(session, shown(file), Why::IgnoreFile, None),
        });
        self.add_tracked(session, path, &visited);
    }

    /// Adds the files that were left out of the walk and are committed all the same: git goes on
    /// tracking a file after a rule ignores it.
    fn add_tracked(&mut self, session: &mut Session, path: &Utf8Path, visited: &BTreeSet<PathBuf>) {
        let files = path
            .canonicalize_utf8()
            .map_err(|error| (Why::Unreadable as fn(String) -> Why, error.into()))
            .and_then(|real| {
                walk::tracked(&session.environment, path, &real)
                    .map_err(|error| (Why::Untold as fn(String) -> Why, Box::new(error).into()))
            });
        match files {
            Ok(files) => {
                for file in files.iter().filter(|it| !visited.contains(*it)) {
                    self.add_file(session, file);
                }
            }
            Err((why, cause)) => self.refuse(session, path.to_string(), why, Some(cause)),
        }
    }

    fn add_file(&mut self, session: &mut Session, path: &Path) {
        self.add_bytes(session, shown(path), regular::read(path, LIMIT));
    }

    fn add_bytes(&mut self, session: &mut Session, path: String, bytes: Result<Vec<u8>, Unread>) {
        match bytes {
            Ok(bytes) => {
                self.checked += 1;
                let finding = |hit: secret::Hit| Finding {
                    path: path.clone(),
                    line: hit.line,
                    kind: hit.kind,
                };
                self.findings.extend(secret::scan(&bytes).into_iter().map(finding));
            }
            Err(Unread::TooLarge) => self.refuse(session, path, Why::TooLarge, None),
            // The folder was a file a moment ago: what it is now was not checked.
            Err(Unread::Special | Unread::Folder) => {
                self.refuse(session, path, Why::Special, None);
            }
            Err(Unread::System(error)) => {
                self.refuse(session, path, Why::Unreadable, Some(error.into()));
            }
        }
    }

    fn refuse(
        &mut self,
        session: &mut Session,
        path: String,
        why: fn(String) -> Why,
        source: Option<Cause>,
    ) {
        let error = PathError { why: why(path.clone()), source };
        report::complain(&mut session.output, &error);
        let text = session.output.lang.render(&error.text());
        let reason = match &error.source {
            Some(source) => format!("{text}: {source}"),
            None => text,
        };
        self.unchecked.push(Unchecked { path, reason });
    }

    fn exit(&self) -> Exit {
        if !self.unchecked.is_empty() {
            Exit::Unable
        } else if self.findings.is_empty() {
            Exit::Success
        } else {
            Exit::Refused
        }
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        for Finding { path, line, kind } in &self.findings {
            page.line(&format!("{path}:{line} {kind}"));
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let (files, found, unchecked) = (self.checked, self.findings.len(), self.unchecked.len());
        let [en, zh] = match unchecked {
            0 => [String::new(), String::new()],
            n => [format!(", paths not checked: {n}"), format!("，{n} 个路径未检查")],
        };
        page.message(
            format!("files checked: {files}, secrets found: {found}{en}"),
            format!("已检查 {files} 个文件，发现 {found} 处机密{zh}"),
        );
        if found > 0 {
            page.hint(page.lang.pick(
                "revoke a secret that left this machine; removing it from the file is not enough",
                "已离开本机的机密必须吊销，仅从文件中删除是不够的",
            ));
        }
    }
}

/// The path as text, without the `./` that a walk from the current folder puts in front. A name
/// that is not UTF-8 is shown with escapes where it is not.
fn shown(path: &Path) -> String {
    escaped(path.strip_prefix(".").unwrap_or(path).as_os_str())
}
