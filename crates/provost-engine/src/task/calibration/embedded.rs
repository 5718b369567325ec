//! The files of `calibration/` that are part of the program.

/// Names the files of each type and its cases, and holds their contents.
macro_rules! files {
    ($($task_type:literal: $($case:literal)+;)+) => {
        &[
            $(
                (
                    concat!($task_type, "/recorded.jsonl"),
                    include_str!(concat!(root!(), $task_type, "/recorded.jsonl")),
                ),
                $(
                    (
                        concat!($task_type, "/cases/", $case, ".json"),
                        include_str!(concat!(root!(), $task_type, "/cases/", $case, ".json")),
                    ),
                    (
                        concat!($task_type, "/expected/", $case, ".json"),
                        include_str!(concat!(root!(), $task_type, "/expected/", $case, ".json")),
                    ),
                    (
                        concat!($task_type, "/examples/", $case, ".md"),
                        include_str!(concat!(root!(), $task_type, "/examples/", $case, ".md")),
                    ),
                )+
            )+
        ]
    };
}

macro_rules! root {
    () => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../calibration/")
    };
}

/// Each file with its path below `calibration/`.
pub(super) const FILES: &[(&str, &str)] = files! {
    "requirements_doc": "gated" "good" "mediocre";
    "engineering_impl": "gated" "good" "mediocre";
    "douyin_script": "gated" "good" "mediocre";
    "storyboard": "gated" "good" "mediocre";
    "paid_mini_drama": "gated" "good" "mediocre";
};

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    /// A case in the folder that is not in the table above would never be run.
    #[test]
    fn every_file_of_the_folder_is_part_of_the_program() {
        let root = Path::new(root!());
        let names = |path: &Path| -> Vec<String> {
            let entries = fs::read_dir(path).unwrap();
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
        };
        let mut found = BTreeSet::new();
        for task_type in names(root) {
            for kind in names(&root.join(&task_type)) {
                match kind.as_str() {
                    "README.md" | "drifted.jsonl" => {}
                    "recorded.jsonl" => _ = found.insert(format!("{task_type}/{kind}")),
                    folder => {
                        let inside = names(&root.join(&task_type).join(folder));
                        found.extend(inside.iter().map(|it| format!("{task_type}/{folder}/{it}")));
                    }
                }
            }
        }
        let embedded: BTreeSet<String> = FILES.iter().map(|(it, _)| (*it).to_owned()).collect();
        assert_eq!(found, embedded);
    }
}
