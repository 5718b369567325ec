//! The symbolic links on the way to what a call touches.
//!
//! A link that an earlier call made would lead this one out of the project, or into what is
//! protected, under an ordinary name.

use std::fs;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use provost_kernel::guard::policy::{FollowedLink, PolicyRuling};

/// How many paths of one call are looked at.
const MOST: usize = 256;

/// The links on the way to what was ruled on. Those above a project lead to it and nowhere else.
pub fn links(ruling: &PolicyRuling, root: Option<&str>) -> Vec<FollowedLink> {
    let mut found = Found { root: root.map(Utf8Path::new), links: Vec::new() };
    for path in ruling.touched.0.iter().take(MOST) {
        found.follow(Utf8Path::new(path));
    }
    found.links
}

struct Found<'a> {
    root: Option<&'a Utf8Path>,
    links: Vec<FollowedLink>,
}

impl Found<'_> {
    fn follow(&mut self, path: &Utf8Path) {
        let base = self.root.filter(|it| path.starts_with(it)).unwrap_or(Utf8Path::new("/"));
        let Ok(rest) = path.strip_prefix(base) else { return };
        let mut at = base.to_owned();
        for component in rest.components() {
            at.push(component);
            if let Some(known) = self.links.iter().find(|it| at == *it.at) {
                at = known.to.clone().into();
                continue;
            }
            // What is not there yet is no link.
            let Ok(metadata) = fs::symlink_metadata(&at) else { return };
            if metadata.is_symlink() {
                let Some(to) = self.end(&at) else { return };
                self.links.push(FollowedLink { at: at.into_string(), to: to.to_string() });
                at = to;
            }
        }
    }

    /// Where a link ends. One that leads nowhere yet is what a write would make.
    fn end(&self, link: &Utf8Path) -> Option<Utf8PathBuf> {
        let to = match link.canonicalize_utf8() {
            Ok(to) => to,
            Err(_) => tidy(&link.parent()?.join(link.read_link_utf8().ok()?)),
        };
        Some(self.by_root(&to).unwrap_or(to))
    }

    /// A path in the project as the project is called, where that has other names.
    fn by_root(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let root = self.root?;
        let rest = path.strip_prefix(root.canonicalize_utf8().ok()?).ok()?;
        Some(root.join(rest))
    }
}

/// A path without `.` and `..`.
fn tidy(path: &Utf8Path) -> Utf8PathBuf {
    let mut clean = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Utf8Component::ParentDir => drop(clean.pop()),
            Utf8Component::CurDir => {}
            Utf8Component::Prefix(_) | Utf8Component::RootDir | Utf8Component::Normal(_) => {
                clean.push(component);
            }
        }
    }
    clean
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use provost_kernel::guard::policy::{Policy, ToolCall};
    use provost_rules_guard::policy;

    use super::*;

    /// What is said of a command in a project with links, as they are followed.
    #[track_caller]
    #[expect(
        clippy::disallowed_methods,
        reason = "a folder that is thrown away; no home lies in it"
    )]
    fn check(command: &str, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        let (root, home) = (base.join("project"), base.join("person"));
        for folder in [root.join("src"), root.join(".git/hooks"), home.join(".ssh")] {
            fs::create_dir_all(folder).unwrap();
        }
        symlink(&home, root.join("home")).unwrap();
        symlink(".git", root.join("data")).unwrap();
        symlink("src", root.join("sources")).unwrap();
        symlink("/usr/share", root.join("shared")).unwrap();
        symlink("/usr/../usr/share/none", root.join("nowhere")).unwrap();
        symlink(root.join("home"), root.join("twice")).unwrap();
        let call = ToolCall {
            root: Some(root.to_string()),
            user_home: Some(home.to_string()),
            ..ToolCall::shell(command, root.as_str())
        };
        let ruling = policy::rule(&Policy::default(), &call);
        let links = links(&ruling, Some(root.as_str()));
        let followed = policy::rule(&Policy::default(), &ToolCall { links, ..call });
        assert_eq!(followed.rule, expected, "{command}");
    }

    #[test]
    fn what_a_link_leads_to_is_judged() {
        check("rm -rf shared/notes", "delete.system");
        check("cd shared && rm -rf notes", "delete.system");
        check("cp x shared/x", "path.system");
        check("cp x shared", "path.system");
        check("echo x >> nowhere", "path.system");
        check("rm -rf home/*", "delete.root");
        check("rm -rf twice/*", "delete.root");
        check("cat home/.ssh/id_rsa", "secret.path");
        check("cp hook data/hooks/pre-commit", "git.metadata");
    }

    #[test]
    fn who_deletes_a_link_deletes_nothing_else() {
        check("rm home", "default");
        check("rm -f nowhere twice shared", "default");
        check("rm sources/main.rs", "default");
        check("cp x sources/main.rs", "default");
    }
}
