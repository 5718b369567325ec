//! The page's libraries are those that `vendor.json` describes, letter for letter.

use super::Problem;
use crate::{
    project::File,
    vendor::{self, FOLDER, RECORD, Record, TAKEN},
};

pub(super) fn check(record: &str, files: &[File]) -> Vec<Problem> {
    let record: Record = match serde_json::from_str(record) {
        Ok(record) => record,
        Err(error) => return vec![Problem::new(RECORD, error.to_string())],
    };
    let mut problems = Vec::new();
    let mut known = vec![RECORD.to_owned()];
    for taken in &TAKEN {
        let path = format!("{FOLDER}/{}", taken.file);
        let licence = format!("{FOLDER}/{}", vendor::licence_file(taken.package));
        let text = files.iter().find(|it| it.path == path).map(|it| it.text.as_str());
        match (record.get(taken.file), text) {
            (Some(entry), Some(text))
                if (&*entry.package, &*entry.version, &*entry.licence)
                    == (taken.package, taken.version, taken.licence) =>
            {
                if (entry.sha256_after.as_str(), entry.bytes) != (&vendor::digest(text), text.len())
                {
                    problems.push(Problem::new(&path, "differs from its digest in `vendor.json`"));
                }
            }
            (Some(_) | None, _) => {
                problems.push(Problem::new(&path, "is not as listed: run `cargo xtask vendor`"));
            }
        }
        if !files.iter().any(|it| it.path == licence) {
            problems.push(Problem::new(&licence, "the licence of a library is missing"));
        }
        known.extend([path, licence]);
    }
    let strange = |it: &&File| {
        it.path.strip_prefix(FOLDER).is_some_and(|rest| rest.starts_with('/'))
            && !known.contains(&it.path)
    };
    problems.extend(
        files
            .iter()
            .filter(strange)
            .map(|it| Problem::new(&it.path, "is not among the libraries of `vendor.json`")),
    );
    problems
}

#[cfg(test)]
mod tests {
    use super::{
        super::{assert_problems, file},
        *,
    };
    use crate::project;

    fn vendored() -> Vec<File> {
        let files = project::files().unwrap();
        files.into_iter().filter(|it| it.path.starts_with(FOLDER)).collect()
    }

    #[test]
    fn the_libraries_are_as_they_were_fetched() {
        assert_problems(&check(&project::read(RECORD).unwrap(), &vendored()), &[]);
    }

    #[test]
    fn a_change_an_absence_and_an_addition_are_noticed() {
        let record = project::read(RECORD).unwrap();
        let mut files = vendored();
        files.retain(|it| !it.path.ends_with("/htm.js") && !it.path.ends_with("/htm.LICENSE.txt"));
        files.iter_mut().find(|it| it.path.ends_with("/hooks.js")).unwrap().text += " ";
        files.push(file("web/vendor/other.js", ""));
        assert_problems(
            &check(&record, &files),
            &[
                "web/vendor/hooks.js: differs from its digest in `vendor.json`",
                "web/vendor/htm.js: is not as listed: run `cargo xtask vendor`",
                "web/vendor/htm.LICENSE.txt: the licence of a library is missing",
                "web/vendor/other.js: is not among the libraries of `vendor.json`",
            ],
        );
        let older = record.replace("11.2.0", "11.1.0");
        let problems = check(&older, &vendored());
        assert_problems(
            &problems,
            &["preact", "hooks"]
                .map(|it| format!("web/vendor/{it}.js: is not as listed: run `cargo xtask vendor`"))
                .each_ref()
                .map(String::as_str),
        );
    }
}
