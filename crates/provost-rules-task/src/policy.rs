//! Which files an attempt may touch (LOOP-A4).
//!
//! The list of changed paths is the whole of it: committed, staged, unstaged and untracked, and
//! both names of a file that was renamed. What cannot be understood as a path is refused.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use provost_kernel::{
    Finding, Message, Severity, shorten,
    task::{ErrorClass, Row, TaskSpec},
};

/// What may never change, whatever a task says. The home of provost among them: its settings, its
/// state and its work would be the agent's.
pub const ALWAYS_FORBIDDEN: [&str; 6] =
    [".env", "**/.env", "**/secrets*", "**/*.pem", "**/.claude/settings.local.json", "**/.provost"];

/// Whether a row of the table refuses a change for what it touches: such a change enters no
/// repository, and stays for a person to look at.
pub fn refuses(row: Row) -> bool {
    matches!(row, Row::AllowedPaths | Row::ForbiddenGlobs | Row::Secrets)
}

/// What an attempt may touch.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Each as its components; none means that all paths are allowed.
    allowed: Vec<Vec<String>>,
    forbidden: GlobSet,
    /// The globs of the set, in its order.
    globs: Vec<String>,
}

/// What the change does that it may not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyRuling {
    /// Paths outside the allowed ones.
    pub outside: Vec<String>,
    pub forbidden: Vec<ForbiddenPath>,
}

/// A path that may not change, and why.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.policy.forbidden",
    en = "matches the forbidden glob `{glob}`",
    zh = "匹配禁止的 `{glob}`"
)]
pub struct ForbiddenPath {
    pub path: String,
    /// The first glob that it matches.
    pub glob: String,
}

#[derive(Debug, Message)]
#[message(
    code = "task.policy.outside",
    en = "is outside the allowed paths",
    zh = "不在允许的路径内"
)]
struct Outside;

/// A glob that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.policy.glob",
    en = "invalid glob `{glob}` in `forbidden_globs`",
    zh = "`forbidden_globs` 中的 `{glob}` 无效"
)]
pub struct PolicyError {
    pub glob: String,
    source: globset::Error,
}

impl Policy {
    /// The policy of a task.
    pub fn new(spec: &TaskSpec) -> Result<Self, PolicyError> {
        let globs: Vec<String> = ALWAYS_FORBIDDEN
            .into_iter()
            .map(str::to_owned)
            .chain(spec.forbidden_globs.iter().cloned())
            .collect();
        let fail = |glob: &str, source| PolicyError { glob: shorten(glob), source };
        let mut set = GlobSetBuilder::new();
        for glob in &globs {
            // A star also matches `/` and case does not count: in doubt, it is forbidden.
            let built = GlobBuilder::new(glob)
                .literal_separator(false)
                .case_insensitive(true)
                .backslash_escape(true)
                .build();
            set.add(built.map_err(|source| fail(glob, source))?);
        }
        let forbidden = set.build().map_err(|source| fail("", source))?;
        let allowed = spec.allowed_paths.iter().map(|it| components(it)).collect();
        Ok(Self { allowed, forbidden, globs })
    }

    /// Holds changed paths against the policy.
    pub fn check<'a>(&self, changed: impl IntoIterator<Item = &'a str>) -> PolicyRuling {
        let mut ruling = PolicyRuling::default();
        for path in changed {
            if !self.allows(path) {
                ruling.outside.push(path.to_owned());
            }
            if let Some(glob) = self.forbids(path) {
                let glob = glob.to_owned();
                ruling.forbidden.push(ForbiddenPath { path: path.to_owned(), glob });
            }
        }
        ruling
    }

    /// Whether a path is inside the repository, and under an allowed one, component by component.
    fn allows(&self, path: &str) -> bool {
        let is_inside = !path.is_empty()
            && !path.contains('\0')
            && path.split('/').all(|it| !matches!(it, "" | "." | ".."));
        let path = components(path);
        let is_allowed =
            self.allowed.is_empty() || self.allowed.iter().any(|it| path.starts_with(it));
        is_inside && is_allowed
    }

    /// The first glob that forbids a path, or one of the folders that it lies in.
    fn forbids(&self, path: &str) -> Option<&str> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let matched = ends.flat_map(|end| self.forbidden.matches(&path[..end])).min()?;
        self.globs.get(matched).map(String::as_str)
    }
}

/// The components of a path that a person wrote: `./src/` is `src`, and `.` is everything.
fn components(path: &str) -> Vec<String> {
    path.split('/').filter(|it| !matches!(*it, "" | ".")).map(str::to_owned).collect()
}

impl PolicyRuling {
    /// What the decision table is told; none when nothing is refused.
    pub fn error_class(&self) -> Option<ErrorClass> {
        if !self.outside.is_empty() {
            Some(ErrorClass::AllowedPaths)
        } else if !self.forbidden.is_empty() {
            Some(ErrorClass::ForbiddenGlobs)
        } else {
            None
        }
    }

    /// The paths as findings.
    pub fn findings(&self) -> Vec<Finding> {
        let outside = self.outside.iter().map(|path| {
            Finding::new("task.policy.allowed_paths", Severity::P0, shorten(path), &Outside)
        });
        let forbidden = self.forbidden.iter().map(|it| {
            Finding::new("task.policy.forbidden_globs", Severity::P0, shorten(&it.path), it)
        });
        outside.chain(forbidden).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(allowed: &[&str], forbidden: &[&str]) -> Policy {
        let mut spec = TaskSpec::new("t".parse().unwrap());
        spec.allowed_paths = allowed.iter().map(|it| (*it).to_owned()).collect();
        spec.forbidden_globs = forbidden.iter().map(|it| (*it).to_owned()).collect();
        Policy::new(&spec).unwrap()
    }

    #[track_caller]
    fn check_forbidden(forbidden: &[&str], path: &str, expected: Option<&str>) {
        let ruling = policy(&[], forbidden).check([path]);
        let glob = ruling.forbidden.first().map(|it| it.glob.as_str());
        assert_eq!(glob, expected, "{path}");
        let class = expected.map(|_| ErrorClass::ForbiddenGlobs);
        assert_eq!(ruling.error_class(), class, "{path}");
    }

    /// LOOP-A4: what is always protected, at the root and below it, whatever the task says.
    #[test]
    fn what_is_always_forbidden_is_forbidden_everywhere() {
        check_forbidden(&[], ".env", Some(".env"));
        check_forbidden(&[], "a/.env", Some("**/.env"));
        check_forbidden(&[], "a/b/c/.env", Some("**/.env"));
        check_forbidden(&[], ".ENV", Some(".env"));
        check_forbidden(&[], ".env/bin/activate", Some(".env"));
        check_forbidden(&[], "secrets.json", Some("**/secrets*"));
        check_forbidden(&[], "Secrets/db.txt", Some("**/secrets*"));
        check_forbidden(&[], "config/secrets/deep/x", Some("**/secrets*"));
        check_forbidden(&[], ".provost", Some("**/.provost"));
        check_forbidden(&[], ".provost/local.toml", Some("**/.provost"));
        check_forbidden(&[], "a/.Provost/out/t1/status.json", Some("**/.provost"));
        check_forbidden(&[], "docs/provost.md", None);
        check_forbidden(&[], "key.pem", Some("**/*.pem"));
        check_forbidden(&[], "tls/key.PEM", Some("**/*.pem"));
        check_forbidden(&[], ".claude/settings.local.json", Some("**/.claude/settings.local.json"));
        check_forbidden(
            &[],
            "sub/.claude/settings.local.json",
            Some("**/.claude/settings.local.json"),
        );
        for fine in [
            ".envrc",
            "env",
            "src/secret.rs",
            "my-secrets.txt",
            "a.pem.rs",
            ".claude/settings.json",
            "a.env",
        ] {
            check_forbidden(&[], fine, None);
        }
    }

    #[test]
    fn a_task_s_own_globs_come_on_top() {
        check_forbidden(&["migrations/**"], "migrations/001.sql", Some("migrations/**"));
        check_forbidden(&["**/go.sum"], "go.sum", Some("**/go.sum"));
        check_forbidden(&["*.lock"], "deep/down/yarn.lock", Some("*.lock"));
        check_forbidden(&["vendor"], "vendor/a/b.c", Some("vendor"));
        check_forbidden(&["vendor"], "vendored/b.c", None);
        check_forbidden(&["docs/[ab].md"], "docs/b.md", Some("docs/[ab].md"));
        check_forbidden(&["docs/[ab].md"], "docs/c.md", None);
        check_forbidden(&["x"], ".env", Some(".env"));
    }

    #[track_caller]
    fn check_allowed(allowed: &[&str], path: &str, expected: bool) {
        let ruling = policy(allowed, &[]).check([path]);
        assert_eq!(ruling.outside.is_empty(), expected, "{path}");
        let class = (!expected).then_some(ErrorClass::AllowedPaths);
        assert_eq!(ruling.error_class(), class, "{path}");
    }

    #[test]
    fn an_allowed_path_is_a_prefix_of_components() {
        check_allowed(&[], "anything/at/all", true);
        check_allowed(&["src"], "src/main.rs", true);
        check_allowed(&["src"], "src", true);
        check_allowed(&["src"], "src2/main.rs", false);
        check_allowed(&["src/"], "src2/main.rs", false);
        check_allowed(&["./src/a"], "src/a/b.rs", true);
        check_allowed(&["src/a"], "src/b.rs", false);
        check_allowed(&["src/a"], "src", false);
        check_allowed(&["docs/a.md", "src"], "docs/a.md", true);
        check_allowed(&["docs/a.md"], "docs/a.mdx", false);
        check_allowed(&["."], "x", true);
        check_allowed(&["src"], "SRC/main.rs", false);
    }

    #[test]
    fn what_is_no_path_inside_the_repository_is_refused() {
        for path in
            ["", "./.env", "/etc/passwd", "../x", "src/../../x", "a//b", "src/.", "src/\0", "a/"]
        {
            check_allowed(&[], path, false);
        }
        check_allowed(&["src"], "src/../x", false);
        check_allowed(&[], "a..b/...", true);
    }

    #[test]
    fn every_path_is_named() {
        let ruling = policy(&["src"], &[]).check(["src/a", "docs/b", "src/.env", ".env"]);
        let findings = ruling.findings();
        let lines: Vec<_> = findings
            .iter()
            .map(|it| format!("{} {} {}", it.rule, it.subject, it.message))
            .collect();
        assert_eq!(
            lines,
            [
                "task.policy.allowed_paths docs/b is outside the allowed paths",
                "task.policy.allowed_paths .env is outside the allowed paths",
                "task.policy.forbidden_globs src/.env matches the forbidden glob `**/.env`",
                "task.policy.forbidden_globs .env matches the forbidden glob `.env`",
            ],
        );
        assert_eq!(ruling.error_class(), Some(ErrorClass::AllowedPaths));
        assert_eq!(policy(&[], &[]).check([]).error_class(), None);
    }

    #[test]
    fn an_invalid_glob_is_refused() {
        let mut spec = TaskSpec::new("t".parse().unwrap());
        spec.forbidden_globs = vec!["a[".to_owned()];
        let error = Policy::new(&spec).unwrap_err();
        assert_eq!(error.to_string(), "invalid glob `a[` in `forbidden_globs`");
        assert!(std::error::Error::source(&error).is_some());
    }
}
