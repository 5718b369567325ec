//! What git's header of a file says about its mode, where that is not an ordinary file.

use provost_kernel::{Message, Text};

/// How the mode of a file is worth a look.
#[derive(Debug, Message)]
#[message(code = "task.mode")]
enum Mode {
    #[message(en = "symbolic link", zh = "符号链接")]
    Link,
    #[message(en = "submodule", zh = "子模块")]
    Submodule,
    #[message(en = "new, executable", zh = "新增，可执行")]
    Executable,
    #[message(en = "mode {old} → {new}", zh = "模式 {old} → {new}")]
    Changed { old: String, new: String },
}

/// What a person should know of the mode of a file; none for an ordinary one that stays as it is.
///
/// `text` is the part of a patch about one file. Its lines from the first hunk on say nothing here.
pub fn mode(text: &str) -> Option<Text> {
    let header = || text.lines().take_while(|it| !it.starts_with("@@ -"));
    let word = |prefix: &str| header().find_map(|it| it.strip_prefix(prefix)).map(str::to_owned);
    if let (Some(old), Some(new)) = (word("old mode "), word("new mode ")) {
        return Some(Mode::Changed { old, new }.text());
    }
    let added = word("new file mode ");
    let is_new = added.is_some();
    let unchanged = || word("index ")?.split_once(' ').map(|it| it.1.to_owned());
    let mode = added.or_else(|| word("deleted file mode ")).or_else(unchanged)?;
    let mode = match mode.as_str() {
        "120000" => Mode::Link,
        "160000" => Mode::Submodule,
        "100755" if is_new => Mode::Executable,
        _ => return None,
    };
    Some(mode.text())
}

#[cfg(test)]
mod tests {
    use super::mode;

    #[test]
    fn what_is_no_ordinary_file_is_named() {
        for (header, expected) in [
            ("index 1..2 100644\n", None),
            ("index 1..2 100755\n", None),
            ("new file mode 100644\nindex 0..2\n", None),
            ("new file mode 100755\nindex 0..2\n", Some("new, executable")),
            ("new file mode 120000\nindex 0..2\n", Some("symbolic link")),
            ("deleted file mode 120000\nindex 1..0\n", Some("symbolic link")),
            ("index 1..2 120000\n", Some("symbolic link")),
            ("new file mode 160000\nindex 0..2\n", Some("submodule")),
            ("index 1..2 160000\n", Some("submodule")),
            ("old mode 100644\nnew mode 100755\n", Some("mode 100644 → 100755")),
            ("old mode 100755\nnew mode 100644\nindex 1..2\n", Some("mode 100755 → 100644")),
            ("", None),
        ] {
            let text =
                format!("diff --git a/x b/x\n{header}@@ -0,0 +1 @@\n+new file mode 160000\n");
            assert_eq!(mode(&text).map(|it| it.to_string()).as_deref(), expected, "{header}");
        }
    }
}
