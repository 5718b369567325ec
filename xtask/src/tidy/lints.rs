//! The lints that hold the architecture: still there, and in force in every crate.

use super::Problem;
use crate::project::File;

/// What clippy must refuse (HOOK-2.1: a lint proves that no state is written directly).
const METHODS: [&str; 14] = [
    "std::fs::write",
    "std::fs::File::create",
    "std::fs::File::create_new",
    "std::fs::OpenOptions::open",
    "std::fs::rename",
    "std::fs::copy",
    "std::fs::remove_file",
    "std::fs::remove_dir_all",
    "std::fs::create_dir",
    "std::fs::create_dir_all",
    "std::process::Command::new",
    "std::time::SystemTime::now",
    "std::env::var",
    "std::env::var_os",
];
const TYPES: [&str; 2] = ["std::collections::HashMap", "std::collections::HashSet"];

/// Checks that `clippy.toml` still refuses what the architecture forbids.
pub(super) fn check_clippy(text: &str) -> Vec<Problem> {
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(error) => return vec![Problem::new("clippy.toml", error.to_string())],
    };
    let listed = |key: &str, path: &str| {
        table.get(key).and_then(|it| it.as_array()).is_some_and(|it| {
            it.iter().any(|it| it.get("path").unwrap_or(it).as_str() == Some(path))
        })
    };
    let missing = |key: &'static str, paths: &'static [&str]| {
        paths
            .iter()
            .filter(move |path| !listed(key, path))
            .map(move |path| Problem::new("clippy.toml", format!("`{key}` lacks `{path}`")))
    };
    missing("disallowed-methods", &METHODS).chain(missing("disallowed-types", &TYPES)).collect()
}

/// Checks that every crate of the workspace takes the workspace's lints.
pub(super) fn check_manifests(files: &[File]) -> Vec<Problem> {
    let is_member = |path: &str| {
        path == "xtask/Cargo.toml" || (path.starts_with("crates/") && path.ends_with("/Cargo.toml"))
    };
    let inherits = |text: &str| {
        let table: Option<toml::Table> = text.parse().ok();
        table.and_then(|it| it.get("lints")?.get("workspace")?.as_bool()) == Some(true)
    };
    files
        .iter()
        .filter(|it| is_member(&it.path) && !inherits(&it.text))
        .map(|it| Problem::new(&it.path, "does not take the lints of the workspace"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{assert_problems, file},
        *,
    };

    fn clippy(methods: &[&str], types: &[&str]) -> String {
        let entry = |path: &&str| format!("{{ path = \"{path}\", reason = \"x\" }},");
        format!(
            "disallowed-methods = [{}]\ndisallowed-types = [{}]\n",
            methods.iter().map(entry).collect::<String>(),
            types.iter().map(entry).collect::<String>(),
        )
    }

    /// HOOK-2.1: whoever takes a line out of the list meets this check.
    #[test]
    fn no_forbidden_method_may_leave_the_list() {
        assert_problems(&check_clippy(&clippy(&METHODS, &TYPES)), &[]);
        assert_problems(
            &check_clippy(&clippy(&METHODS[1..], &TYPES)),
            &["clippy.toml: `disallowed-methods` lacks `std::fs::write`"],
        );
        assert_problems(
            &check_clippy(&clippy(&METHODS, &TYPES[..1])),
            &["clippy.toml: `disallowed-types` lacks `std::collections::HashSet`"],
        );
        assert_eq!(check_clippy("").len(), METHODS.len() + TYPES.len());
        assert_eq!(check_clippy("disallowed-methods = [").len(), 1);
    }

    #[test]
    fn every_crate_takes_the_lints() {
        let good = "[package]\nname = \"a\"\n[lints]\nworkspace = true\n";
        let bad = "[package]\nname = \"b\"\n# lints.workspace = true\n";
        let off = "lints.workspace = false";
        let files = [
            file("Cargo.toml", "[workspace]"),
            file("crates/a/Cargo.toml", good),
            file("crates/b/Cargo.toml", bad),
            file("crates/c/Cargo.toml", off),
            file("xtask/Cargo.toml", bad),
            file("fuzz/Cargo.toml", bad),
        ];
        assert_problems(
            &check_manifests(&files),
            &[
                "crates/b/Cargo.toml: does not take the lints of the workspace",
                "crates/c/Cargo.toml: does not take the lints of the workspace",
                "xtask/Cargo.toml: does not take the lints of the workspace",
            ],
        );
    }
}
