//! How much a file counts for: its lines, or its bytes where they are more than its lines can hold.
//!
//! A line of a megabyte is not one line, and a binary file is not nothing. Lines of ordinary length
//! count as they always did.

use provost_kernel::story::FileDelta;

/// So many bytes count for one line, by what they are.
const TEXT: u64 = 200;
/// Pictures, fonts and the like are not read line by line.
const BINARY: u64 = 2048;
/// An archive holds many times its size in text.
const ARCHIVE: u64 = 200;

/// The endings of files that hold other files.
const ARCHIVES: [&str; 22] = [
    ".7z", ".aar", ".br", ".bz2", ".cab", ".deb", ".ear", ".egg", ".gem", ".gz", ".iso", ".jar",
    ".nupkg", ".rar", ".rpm", ".tar", ".tgz", ".war", ".whl", ".xz", ".zip", ".zst",
];

/// How many lines a file counts for.
pub(super) fn weight(delta: &FileDelta) -> u64 {
    let name = delta.path.to_ascii_lowercase();
    let is_archive = ARCHIVES.iter().any(|it| name.ends_with(it));
    let per_line = match (delta.is_binary, is_archive) {
        (false, _) => TEXT,
        (true, true) => ARCHIVE,
        (true, false) => BINARY,
    };
    delta.lines().max(delta.bytes.div_ceil(per_line))
}

#[cfg(test)]
mod tests {
    use provost_kernel::story::DeltaKind;

    use super::*;

    #[track_caller]
    fn check(path: &str, lines: u64, bytes: u64, is_binary: bool, expected: u64) {
        let kind = DeltaKind::Added;
        let path = path.to_owned();
        let delta = FileDelta {
            path,
            old_path: None,
            additions: lines,
            deletions: 0,
            bytes,
            kind,
            is_binary,
        };
        assert_eq!(weight(&delta), expected, "{delta:?}");
    }

    /// STORY-3.3, STORY-3.4: the limits are in lines, and bytes count where lines say nothing.
    #[test]
    fn bytes_count_where_lines_do_not_say_how_much_there_is() {
        // Ordinary text counts by its lines, long paragraphs and empty files included.
        check("src/a.rs", 100, 4_000, false, 100);
        check("docs/a.md", 100, 20_000, false, 100);
        check("a.txt", 0, 0, false, 0);
        // A line of a megabyte, and a bundle of few lines.
        check("dist.js", 1, 1 << 20, false, 5243);
        check("a.js", 3, 700_000, false, 3500);
        // A binary file is not nothing: an icon is little, five megabytes need an explanation.
        check("icon.png", 0, 4_000, true, 2);
        check("photo.jpg", 0, 500_000, true, 245);
        check("model.bin", 0, 5 << 20, true, 2560);
        // An archive holds more than it weighs.
        check("vendor.zip", 0, 1 << 20, true, 5243);
        check("LIB.TAR.GZ", 0, 100_000, true, 500);
        check("empty.zip", 0, 22, true, 1);
    }
}
