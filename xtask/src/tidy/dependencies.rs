//! Dependencies: few, exact, with a reason and a licence that we may pass on.

use spdx::{Expression, LicenseReq, ParseMode};

use super::Problem;
use crate::metadata::Package;

/// The most packages that `Cargo.lock` has, over all platforms. A change that raises it says why.
const BUDGET: usize = 640;

/// Licences under which we may pass a dependency on, together with our own.
const LICENCES: [&str; 10] = [
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Zlib",
];

/// Packages that may have a licence which others may not.
const EXCEPTIONS: [(&str, &str); 1] = [("frankenstein", "WTFPL")];

/// Checks the number of packages in `Cargo.lock`.
pub(super) fn check_budget(lock: &str) -> Vec<Problem> {
    let table: toml::Table = match lock.parse() {
        Ok(table) => table,
        Err(error) => return vec![Problem::new("Cargo.lock", error.to_string())],
    };
    let count = table.get("package").and_then(|it| it.as_array()).map_or(0, Vec::len);
    if (1..=BUDGET).contains(&count) {
        return Vec::new();
    }
    let message = format!("has {count} packages; the budget is {BUDGET}");
    vec![Problem::new("Cargo.lock", message)]
}

/// Checks the licence of every package.
pub(super) fn check_licences(packages: &[Package]) -> Vec<Problem> {
    packages
        .iter()
        .filter_map(|it| {
            let subject = format!("{} {}", it.name, it.version);
            let Some(licence) = &it.license else {
                return Some(Problem::new(subject, "names no licence"));
            };
            // Older packages write `MIT/Apache-2.0`; the library reads it as the choice it means.
            match Expression::parse_mode(licence, ParseMode::LAX) {
                Err(error) => Some(Problem::new(
                    subject,
                    format!("cannot read the licence `{licence}`: {}", error.reason),
                )),
                Ok(expression) if expression.evaluate(|term| is_allowed(&it.name, term)) => None,
                Ok(_) => Some(Problem::new(
                    subject,
                    format!("the licence `{licence}` is not among {}", LICENCES.join(", ")),
                )),
            }
        })
        .collect()
}

fn is_allowed(package: &str, term: &LicenseReq) -> bool {
    // An exception to a licence only adds permissions.
    let Some(id) = term.license.id() else {
        return false;
    };
    LICENCES.contains(&id.name) || EXCEPTIONS.contains(&(package, id.name))
}

/// Checks that every dependency of the workspace is exact and has its reason in the record.
pub(super) fn check_manifest(manifest: &str, record: &str) -> Vec<Problem> {
    let table: toml::Table = match manifest.parse() {
        Ok(table) => table,
        Err(error) => return vec![Problem::new("Cargo.toml", error.to_string())],
    };
    let dependencies = table
        .get("workspace")
        .and_then(|it| it.get("dependencies")?.as_table())
        .cloned()
        .unwrap_or_default();
    let mut problems = Vec::new();
    for (name, value) in &dependencies {
        if value.get("path").is_some() {
            continue;
        }
        let version = value.get("version").unwrap_or(value).as_str().unwrap_or_default();
        if !version.starts_with('=') {
            problems.push(Problem::new(
                "Cargo.toml",
                format!("`{name}` must have one exact version, as in `=1.2.3`"),
            ));
        }
        if !record.contains(&format!("`{name}`")) {
            problems.push(Problem::new(
                "docs/decisions/0002-dependencies.md",
                format!("gives no reason for `{name}`"),
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{super::assert_problems, *};

    #[test]
    fn the_lock_file_stays_within_its_budget() {
        let lock = |count: usize| "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n".repeat(count);
        assert_problems(&check_budget(&lock(BUDGET)), &[]);
        assert_problems(
            &check_budget(&lock(BUDGET + 1)),
            &["Cargo.lock: has 641 packages; the budget is 640"],
        );
        assert_eq!(check_budget("").len(), 1);
        assert_eq!(check_budget("[[package").len(), 1);
    }

    #[track_caller]
    fn check_licence(name: &str, licence: Option<&str>, is_good: bool) {
        let package = Package {
            id: String::new(),
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: licence.map(str::to_owned),
            dependencies: Vec::new(),
        };
        assert_eq!(check_licences(&[package]).is_empty(), is_good, "{name}: {licence:?}");
    }

    #[test]
    fn only_licences_that_we_may_pass_on() {
        check_licence("a", Some("MIT"), true);
        check_licence("a", Some("MIT OR Apache-2.0"), true);
        check_licence("a", Some("MIT/Apache-2.0"), true);
        check_licence("a", Some("GPL-3.0-only OR ISC"), true);
        check_licence("a", Some("(MIT OR Apache-2.0) AND Unicode-3.0"), true);
        check_licence("a", Some("Apache-2.0 WITH LLVM-exception"), true);
        check_licence("a", Some("GPL-3.0-only"), false);
        check_licence("a", Some("MIT AND LGPL-2.1-or-later"), false);
        check_licence("a", Some("AGPL-3.0-or-later"), false);
        check_licence("a", Some("LicenseRef-ours"), false);
        check_licence("a", Some("no licence at all"), false);
        check_licence("a", None, false);
        check_licence("a", Some("WTFPL"), false);
        check_licence("frankenstein", Some("WTFPL"), true);
    }

    #[track_caller]
    fn check_line(line: &str, record: &str, expected: &[&str]) {
        let manifest = format!("[workspace.dependencies]\n{line}\n");
        assert_problems(&check_manifest(&manifest, record), expected);
    }

    #[test]
    fn a_dependency_is_exact_and_has_a_reason() {
        check_line("serde = \"=1.0.0\"", "`serde`: why", &[]);
        check_line("serde = { version = \"=1.0.0\" }", "`serde`: why", &[]);
        check_line("ours = { path = \"crates/ours\" }", "", &[]);
        let inexact = "Cargo.toml: `serde` must have one exact version, as in `=1.2.3`";
        check_line("serde = \"1.0.0\"", "`serde`", &[inexact]);
        check_line("serde = { git = \"x\" }", "`serde`", &[inexact]);
        let silent = "docs/decisions/0002-dependencies.md: gives no reason for `serde`";
        check_line("serde = \"=1.0.0\"", "`serde_json`: why", &[silent]);
    }
}
