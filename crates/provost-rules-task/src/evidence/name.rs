//! The name under which a file of a tree lies in the evidence.
//!
//! No client takes a file that ends in `.txt` for its settings, its instructions or a plugin, and
//! none looks for them in a folder that ends so.

use provost_kernel::Digest;

/// What is appended.
const SUFFIX: &str = ".txt";

/// The longest name of a file or folder, in bytes: Linux allows 255, and a file that is being
/// written has a longer name than the finished one.
const LONGEST: usize = 200;

/// How many digits of a digest tell two shortened names apart.
const DIGITS: usize = 16;

/// The parts of the path under which a file lies in the evidence.
///
/// `.txt` is appended to the name of the file, to hidden folders, and to folders that end in
/// `.txt`, so that two files of one tree never share a name and none is the folder of another.
pub fn file_name(path: &str) -> Vec<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    let file = parts.pop().unwrap_or_default();
    let folders = parts.into_iter().map(|it| {
        let is_plain = !it.starts_with('.') && !it.ends_with(SUFFIX);
        plain(it, if is_plain { "" } else { SUFFIX })
    });
    folders.chain([plain(file, SUFFIX)]).collect()
}

/// One component that every disk accepts; its text is kept where that is possible.
fn plain(name: &str, suffix: &str) -> String {
    let is_kept = !name.contains(['\\', '\0'])
        && name.len() + suffix.len() <= LONGEST
        && !(name.is_empty() && suffix.is_empty());
    if is_kept {
        return format!("{name}{suffix}");
    }
    let digest = Digest::of_bytes(name.as_bytes()).to_string();
    let head = &name[..name.floor_char_boundary(LONGEST - DIGITS - SUFFIX.len() - 1)];
    let head = head.replace(['\\', '\0'], "_");
    format!("{head}~{}{suffix}", &digest[..DIGITS])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(file_name(path).join("/"), expected, "{path}");
    }

    #[test]
    fn every_file_ends_in_txt() {
        check("src/main.rs", "src/main.rs.txt");
        check("CLAUDE.md", "CLAUDE.md.txt");
        check(".claude/settings.json", ".claude.txt/settings.json.txt");
        check("a/.opencode/plugins/x.js", "a/.opencode.txt/plugins/x.js.txt");
        check(".env", ".env.txt");
        check("notes.txt", "notes.txt.txt");
        check("notes.txt/a", "notes.txt.txt/a.txt");
        check("任务/说明.md", "任务/说明.md.txt");
        check("a b/c", "a b/c.txt");
    }

    #[test]
    fn no_two_files_of_a_tree_meet() {
        // What can stand in one tree: a name is a file or a folder, never both.
        let tree = ["a", "a.txt/b", "a.txt.txt/b", "b/c", "b.txt", ".h/a", ".h.txt/a", "c.txt/d"];
        let names: Vec<String> = tree.iter().map(|it| file_name(it).join("/")).collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        for name in &names {
            let is_folder = |it: &&String| it.starts_with(&format!("{name}/"));
            assert_eq!(names.iter().find(is_folder), None, "{name}");
        }
    }

    #[test]
    fn a_name_that_a_disk_refuses_is_replaced() {
        let long = "长".repeat(84);
        for (one, two) in [
            (format!("{long}a"), format!("{long}b")),
            ("a\\b".to_owned(), "a_b".to_owned()),
            (format!("{long}a/x"), format!("{long}b/x")),
        ] {
            let (one, two) = (file_name(&one), file_name(&two));
            assert_ne!(one, two);
            for part in one.iter().chain(&two) {
                assert!(part.len() <= LONGEST && !part.contains(['\\', '/', '\0']), "{part}");
            }
            assert!(one.last().unwrap().ends_with(SUFFIX));
        }
        // What policy refuses leads nowhere either.
        check("..", "...txt");
        check("../x", "...txt/x.txt");
        assert!(file_name("a//b").iter().all(|it| !it.is_empty()));
        assert!(file_name("").iter().all(|it| !it.is_empty()));
    }
}
