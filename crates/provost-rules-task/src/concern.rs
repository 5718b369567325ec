//! What of a change only a person can decide on: files that programs outside the sandbox obey, links
//! that lead out of the repository, and repositories that are named in it.
//!
//! Each may be what the task asked for, and none is shown by a green test. A file that a person
//! permitted by its name is named all the same, and is not asked about.

use std::collections::BTreeSet;

use provost_kernel::{Finding, Message, Severity, shorten};
use provost_rules::secret;

use crate::{agent_config::reader, score::Ask};

/// The code of a file that a program outside the sandbox obeys.
pub const PLANTED: &str = "AGENT_CONFIG_PLANTED";
/// The code of a link that leads out of the repository.
pub const LEADS_OUT: &str = "LINK_LEADS_OUT";
/// The code of a repository that is named in this one.
pub const SUBMODULE: &str = "SUBMODULE_CHANGED";

/// A path of a change, as it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered<'a> {
    pub path: &'a str,
    pub form: Form<'a>,
}

/// What lies at the path. A file that was deleted is a file: what obeyed it behaves otherwise now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form<'a> {
    File,
    /// Where it leads; none where that cannot be read.
    Link {
        target: Option<&'a str>,
    },
    /// Another repository, by the id of a commit.
    Repository,
}

/// Something that a person decides on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concern {
    pub path: String,
    pub why: Why,
}

/// Why a person decides.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.concern")]
pub enum Why {
    #[message(
        en = "is obeyed by {reader} outside the sandbox",
        zh = "会在沙箱之外被 {reader} 读取并遵照执行",
        hint(
            en = "read it; to permit it, run `provost accept ID AGENT_CONFIG_PLANTED --because TEXT`",
            zh = "请查看此文件；如允许，请运行 `provost accept ID AGENT_CONFIG_PLANTED --because TEXT`"
        )
    )]
    Obeyed { reader: &'static str },
    #[message(
        en = "is a link that leads out of the repository, to `{target}`",
        zh = "是指向仓库之外的链接：`{target}`",
        hint(
            en = "look where it leads; to permit it, run `provost accept ID LINK_LEADS_OUT --because TEXT`",
            zh = "请查看它指向何处；如允许，请运行 `provost accept ID LINK_LEADS_OUT --because TEXT`"
        )
    )]
    LeadsOut { target: String },
    #[message(
        en = "names a commit of another repository, which was not looked at",
        zh = "指向另一个仓库的提交，其内容未经检查",
        hint(
            en = "look at that commit; to permit it, run `provost accept ID SUBMODULE_CHANGED --because TEXT`",
            zh = "请查看该提交；如允许，请运行 `provost accept ID SUBMODULE_CHANGED --because TEXT`"
        )
    )]
    Submodule,
}

/// What a change holds that a person decides on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Concerns {
    /// Everything, also what was permitted.
    pub found: Vec<Concern>,
    /// What no person permitted.
    pub open: Vec<Concern>,
}

impl Concerns {
    /// Looks at a change. What is named in `permitted`, file by file, is not open.
    pub fn of<'a>(
        delivered: impl IntoIterator<Item = Delivered<'a>>,
        permitted: &BTreeSet<String>,
    ) -> Self {
        let found: Vec<Concern> = delivered.into_iter().flat_map(concerns).collect();
        let open = found.iter().filter(|it| !permitted.contains(&it.path)).cloned().collect();
        Self { found, open }
    }

    /// What is asked before an approval counts.
    pub fn asks(&self) -> impl Iterator<Item = Ask> + '_ {
        self.open.iter().map(Concern::ask)
    }
}

/// The files that paths name one by one, in the form in which changes name them.
pub fn permitted(paths: &[String]) -> BTreeSet<String> {
    let plain = |it: &String| {
        let parts = it.split('/').filter(|it| !matches!(*it, "" | "."));
        parts.collect::<Vec<_>>().join("/")
    };
    paths.iter().map(plain).collect()
}

fn concerns(file: Delivered<'_>) -> impl Iterator<Item = Concern> + '_ {
    let obeyed = reader(file).map(|reader| Why::Obeyed { reader });
    let by_form = match file.form {
        Form::File => None,
        Form::Link { target: Some(target) } if !leads_out(file.path, target) => None,
        Form::Link { target } => Some(Why::LeadsOut { target: shown(target.unwrap_or("?")) }),
        Form::Repository => Some(Why::Submodule),
    };
    obeyed.into_iter().chain(by_form).map(|why| Concern { path: file.path.to_owned(), why })
}

/// Whether a link leads out of the files of the repository, its `.git` and provost's home counted as
/// outside.
///
/// Only a `..` before every name is followed: one that comes after a name goes up from wherever that
/// name leads, which may be another link.
fn leads_out(path: &str, target: &str) -> bool {
    let mut above = path.split('/').count() - 1;
    let mut names = target.split('/').filter(|it| !matches!(*it, "" | ".")).peekable();
    while names.next_if_eq(&"..").is_some() {
        match above.checked_sub(1) {
            Some(left) => above = left,
            None => return true,
        }
    }
    let folder: Vec<&str> = path.split('/').take(above).collect();
    let is_ours = |it: &str| [".git", ".provost"].iter().any(|own| it.eq_ignore_ascii_case(own));
    let names: Vec<&str> = names.collect();
    target.is_empty()
        || target.starts_with('/')
        || names.contains(&"..")
        || folder.iter().chain(&names).any(|it| is_ours(it))
}

/// A text of the change, safe to be shown.
fn shown(text: &str) -> String {
    shorten(&String::from_utf8_lossy(&secret::redact(text.as_bytes())))
}

impl Concern {
    /// The code by which a person accepts it.
    pub fn code(&self) -> &'static str {
        match self.why {
            Why::Obeyed { .. } => PLANTED,
            Why::LeadsOut { .. } => LEADS_OUT,
            Why::Submodule => SUBMODULE,
        }
    }

    /// Its path, safe to be shown.
    pub fn name(&self) -> String {
        shown(&self.path)
    }

    pub fn finding(&self) -> Finding {
        Finding::new(self.code(), Severity::P1, self.name(), &self.why)
    }

    fn ask(&self) -> Ask {
        let path = self.name();
        match &self.why {
            Why::Obeyed { reader } => Ask::Planted { path, reader: (*reader).to_owned() },
            Why::LeadsOut { target } => Ask::LeadsOut { path, target: target.clone() },
            Why::Submodule => Ask::Submodule { path },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Delivered<'_> {
        Delivered { path, form: Form::File }
    }

    fn link<'a>(path: &'a str, target: &'a str) -> Delivered<'a> {
        Delivered { path, form: Form::Link { target: Some(target) } }
    }

    #[test]
    fn a_permitted_file_is_named_exactly() {
        let change = ["AGENTS.md", ".claude/settings.json", "a.rs", ".npmrc"];
        let check = |paths: &[&str], expected: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|it| (*it).to_owned()).collect();
            let concerns = Concerns::of(change.map(file), &permitted(&paths));
            let open: Vec<&str> = concerns.open.iter().map(|it| it.path.as_str()).collect();
            assert_eq!(open, expected, "{paths:?}");
            assert_eq!((concerns.found.len(), concerns.asks().count()), (3, expected.len()));
        };
        check(&[], &["AGENTS.md", ".claude/settings.json", ".npmrc"]);
        check(&["AGENTS.md"], &[".claude/settings.json", ".npmrc"]);
        check(&[".claude"], &["AGENTS.md", ".claude/settings.json", ".npmrc"]);
        check(&[".", "./AGENTS.md", ".claude//settings.json", "/.npmrc"], &[]);
    }

    /// A link inside the repository is fine, wherever it stands.
    #[test]
    fn a_link_is_held_to_where_it_leads() {
        let leads = |path: &str, target: &str| {
            let concerns = Concerns::of([link(path, target)], &BTreeSet::new());
            concerns.open.iter().any(|it| it.code() == LEADS_OUT)
        };
        for (path, target) in [
            ("link", "notes.md"),
            ("link", "./docs/notes.md"),
            ("link", "."),
            ("a/link", "../notes.md"),
            ("a/b/link", "../../lib/x"),
            ("a/b/link", "..//./c/"),
            ("link", "missing/for/now"),
            ("link", "..a/..."),
        ] {
            assert!(!leads(path, target), "{path} -> {target}");
        }
        for (path, target) in [
            ("link", "/etc/passwd"),
            ("link", "//"),
            ("link", ".."),
            ("link", "../sibling"),
            ("a/link", "../../sibling"),
            ("a/b/link", "../../../x"),
            // Where `inner` is a link, this leads anywhere.
            ("link", "a/inner/../../x"),
            ("link", "a/../b"),
            ("link", ".git/hooks"),
            ("a/link", "../.GIT/config"),
            ("link", ".provost/local.toml"),
            ("link", ""),
        ] {
            assert!(leads(path, target), "{path} -> {target}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_asked_about() {
        let open = |form| Concerns::of([Delivered { path: "x", form }], &BTreeSet::new()).open;
        assert_eq!(open(Form::Link { target: None })[0].code(), LEADS_OUT);
        assert_eq!(open(Form::Repository)[0].code(), SUBMODULE);
        assert_eq!(open(Form::File), []);
        let both = Concerns::of([link(".claude", "/tmp/x")], &BTreeSet::new());
        let codes: Vec<_> = both.open.iter().map(Concern::code).collect();
        assert_eq!(codes, [PLANTED, LEADS_OUT]);
    }

    #[test]
    fn the_finding_names_the_file_the_reason_and_the_next_command() {
        let check = |file: Delivered<'_>, code: &str, message: &str| {
            let concerns = Concerns::of([file], &BTreeSet::new());
            let finding = concerns.open[0].finding();
            assert_eq!((finding.rule.as_ref(), finding.subject.as_str()), (code, file.path));
            assert_eq!(finding.message.to_string(), message);
            let hint = finding.hint.unwrap().to_string();
            assert!(
                hint.ends_with(&format!("`provost accept ID {code} --because TEXT`")),
                "{hint}"
            );
            let ask = concerns.asks().next().unwrap().text().to_string();
            assert!(ask.contains(file.path) && ask.contains(code), "{ask}");
        };
        check(file("AGENTS.md"), PLANTED, "is obeyed by Codex outside the sandbox");
        let message = "is a link that leads out of the repository, to `/etc/passwd`";
        check(link("data", "/etc/passwd"), LEADS_OUT, message);
        let message = "names a commit of another repository, which was not looked at";
        check(Delivered { path: "lib", form: Form::Repository }, SUBMODULE, message);
    }
}
