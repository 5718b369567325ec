//! Ignore rules: what provost and its forerunner keep in a checkout is never committed
//! (HOOK-2.6).
//!
//! A search for the text `.omc/` is not enough: it also finds `.omc/state/`, and says nothing
//! about files that were committed before the rule was written. So git itself is asked.

use super::Problem;

/// The folders that must be ignored, each as a whole line of the root's `.gitignore`.
pub(super) const FOLDERS: [&str; 2] = [".provost/", ".omc/"];

/// Paths for which git must say that they are ignored.
pub(super) const PROBES: [&str; 2] = [".provost/x", ".omc/state/x"];

/// What the root's `.gitignore` and git itself say.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) rules: String,
    /// The probes that git does not ignore.
    pub(super) not_ignored: Vec<&'static str>,
    /// What is committed under the folders all the same.
    pub(super) tracked: Vec<String>,
}

pub(super) fn check(facts: &Facts) -> Vec<Problem> {
    let missing = FOLDERS
        .iter()
        .filter(|folder| !facts.rules.lines().any(|it| it == **folder))
        .map(|folder| Problem::new(".gitignore", format!("the line `{folder}` is missing")));
    let not_ignored = facts
        .not_ignored
        .iter()
        .map(|path| Problem::new(".gitignore", format!("git does not ignore `{path}`")));
    let tracked = facts
        .tracked
        .iter()
        .map(|path| Problem::new(path, "is committed, but belongs to a folder that is ignored"));
    missing.chain(not_ignored).chain(tracked).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::assert_problems, *};

    #[track_caller]
    fn check_rules(rules: &str, expected: &[&str]) {
        let facts = Facts { rules: rules.to_owned(), not_ignored: vec![], tracked: vec![] };
        assert_problems(&check(&facts), expected);
    }

    /// HOOK-2.6: the ignore rule is verified wherever the tests run.
    #[test]
    fn both_folders_must_be_whole_lines() {
        check_rules("/target/\n.provost/\n.omc/\n", &[]);
        check_rules(".provost/\n", &[".gitignore: the line `.omc/` is missing"]);
        check_rules(
            ".provost/\n.omc/state/\n# .omc/\n",
            &[".gitignore: the line `.omc/` is missing"],
        );
        check_rules("!.provost/\n.omc/\n", &[".gitignore: the line `.provost/` is missing"]);
    }

    /// HOOK-2.6: git is asked, because a later rule or an earlier commit undoes the line.
    #[test]
    fn what_git_says_counts() {
        let facts = Facts {
            rules: ".provost/\n.omc/\n".to_owned(),
            not_ignored: vec![".omc/state/x"],
            tracked: vec![".omc/audit.log".to_owned()],
        };
        assert_problems(
            &check(&facts),
            &[
                ".gitignore: git does not ignore `.omc/state/x`",
                ".omc/audit.log: is committed, but belongs to a folder that is ignored",
            ],
        );
    }
}
