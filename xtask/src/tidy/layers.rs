//! The layer table: which of our crates may depend on which.
//!
//! The table is the architecture. Because it is checked, "Telegram cannot reach a model" is a
//! fact about the dependency tree and not a habit.

use super::Problem;
use crate::metadata::{Kind, Package};

/// What a crate may depend on, among our own.
#[derive(Clone, Copy, Debug)]
enum Allowed {
    Only(&'static [&'static str]),
    /// Everything but the tools that are never shipped.
    All,
}

use Allowed::{All, Only};

/// A row names only rows above it, so that the table has no circle. Crates of later capabilities
/// have their place already; a crate without a row is an error.
const LAYERS: [(&str, Allowed); 28] = [
    ("macros", Only(&[])),
    ("shell", Only(&[])),
    ("http", Only(&[])),
    ("kernel", Only(&["macros"])),
    ("form", Only(&["kernel"])),
    ("rules", Only(&["kernel", "form", "shell"])),
    ("rules-proof", Only(&["kernel", "form", "shell", "rules"])),
    ("rules-story", Only(&["kernel", "form", "shell", "rules", "rules-proof"])),
    ("rules-task", Only(&["kernel", "form", "shell", "rules", "rules-proof", "rules-story"])),
    ("rules-guard", Only(&["kernel", "form", "shell", "rules"])),
    ("rules-eval", Only(&["kernel", "form", "rules", "rules-task"])),
    ("rules-learn", Only(&["kernel", "form", "rules", "rules-task"])),
    ("vault", Only(&["kernel", "form"])),
    ("store", Only(&["kernel"])),
    ("exec", Only(&["kernel"])),
    ("adapter", Only(&["kernel", "form", "http", "rules", "exec"])),
    (
        "desk",
        Only(&[
            "kernel",
            "form",
            "rules",
            "rules-proof",
            "rules-task",
            "rules-story",
            "rules-eval",
            "rules-learn",
            "rules-guard",
            "vault",
            "store",
        ]),
    ),
    (
        "engine",
        Only(&[
            "kernel",
            "form",
            "shell",
            "rules",
            "rules-proof",
            "rules-task",
            "rules-story",
            "rules-eval",
            "rules-learn",
            "rules-guard",
            "vault",
            "store",
            "exec",
            "adapter",
            "desk",
        ]),
    ),
    ("mcp", Only(&["kernel", "engine"])),
    ("web", Only(&["kernel", "desk"])),
    ("telegram", Only(&["kernel", "http", "desk"])),
    ("tui", Only(&["kernel", "desk"])),
    ("notify", Only(&["kernel", "http", "desk"])),
    ("fleet-client", Only(&["kernel", "desk"])),
    ("fleet", Only(&["kernel", "desk", "engine", "fleet-client"])),
    ("provost", All),
    ("testkit", All),
    ("xtask", Only(&[])),
];

/// Holds the dependencies of our crates against the table.
pub(super) fn check(members: &[Package]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for member in members {
        let from = short(&member.name);
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == from) else {
            problems.push(Problem::new(&member.name, "has no row in the layer table"));
            continue;
        };
        for dependency in &member.dependencies {
            let is_ours = members.iter().any(|it| it.name == dependency.name);
            let to = short(&dependency.name);
            if is_ours && !is_allowed(*allowed, to, dependency.kind) {
                problems.push(Problem::new(
                    &member.name,
                    format!(
                        "may not depend on `{}`{}: {}",
                        dependency.name,
                        if to == "testkit" { " outside its tests" } else { "" },
                        describe(*allowed),
                    ),
                ));
            }
        }
    }
    problems
}

fn is_allowed(allowed: Allowed, to: &str, kind: Option<Kind>) -> bool {
    match to {
        // Its fixtures and scripted agents must never be in what is shipped.
        "testkit" => kind == Some(Kind::Dev),
        "xtask" => false,
        // Derives, for every crate that knows another one of ours.
        "macros" => !matches!(allowed, Only([])),
        _ => match allowed {
            Only(names) => names.contains(&to),
            All => true,
        },
    }
}

fn describe(allowed: Allowed) -> String {
    match allowed {
        Only([]) => "it may depend on none of our crates".to_owned(),
        Only(names) => format!("it may depend on {}", names.join(", ")),
        All => "it may depend on everything but testkit and xtask".to_owned(),
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix("provost-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{super::assert_problems, *};
    use crate::metadata::Dependency;

    /// A crate is written `from -> to, to(dev)`.
    #[track_caller]
    fn check_edges(edges: &[&str], expected: &[&str]) {
        let members: Vec<Package> = edges
            .iter()
            .map(|it| {
                let (from, to) = it.split_once("->").unwrap_or((it, ""));
                let dependencies = to.split(',').map(str::trim).filter(|it| !it.is_empty());
                Package {
                    id: String::new(),
                    name: from.trim().to_owned(),
                    version: "0.1.0".to_owned(),
                    license: None,
                    dependencies: dependencies.map(dependency).collect(),
                }
            })
            .collect();
        assert_problems(&check(&members), expected);
    }

    fn dependency(text: &str) -> Dependency {
        let (name, kind) = match text.split_once('(') {
            Some((name, "dev)")) => (name, Some(Kind::Dev)),
            Some((name, _)) => (name, Some(Kind::Build)),
            None => (text, None),
        };
        Dependency { name: name.to_owned(), kind }
    }

    #[test]
    fn an_edge_of_the_table_is_allowed() {
        check_edges(
            &[
                "provost-kernel -> serde",
                "provost-shell",
                "provost-macros -> syn",
                "provost-rules -> provost-kernel, provost-shell, provost-macros, regex",
                "provost-rules-story -> provost-rules",
                "provost-rules-task -> provost-kernel, provost-rules, provost-rules-story",
                "provost-exec -> provost-kernel, provost-testkit(dev)",
                "provost-testkit -> provost-kernel, provost-exec",
                "provost -> provost-kernel, provost-rules, provost-exec, provost-testkit(dev)",
                "xtask -> serde_json",
            ],
            &[],
        );
    }

    #[test]
    fn any_other_edge_names_both_crates_and_what_is_allowed() {
        check_edges(
            &["provost-kernel -> provost-rules", "provost-rules -> provost-kernel"],
            &["provost-kernel: may not depend on `provost-rules`: it may depend on macros"],
        );
        check_edges(
            &["provost-telegram -> provost-adapter", "provost-adapter"],
            &[
                "provost-telegram: may not depend on `provost-adapter`: it may depend on kernel, http, desk",
            ],
        );
        check_edges(
            &["xtask -> provost-kernel", "provost-kernel"],
            &["xtask: may not depend on `provost-kernel`: it may depend on none of our crates"],
        );
    }

    /// The edges between capabilities are listed like those between layers.
    #[test]
    fn a_capability_reaches_another_one_only_by_an_edge_of_the_table() {
        check_edges(
            &["provost-rules-story -> provost-rules-task", "provost-rules-task"],
            &["provost-rules-story: may not depend on `provost-rules-task`: \
               it may depend on kernel, form, shell, rules, rules-proof"],
        );
        for to in ["kernel", "macros"] {
            check_edges(
                &[&format!("provost-shell -> provost-{to}"), &format!("provost-{to}")],
                &[&format!(
                    "provost-shell: may not depend on `provost-{to}`: it may depend on none of our crates"
                )],
            );
        }
    }

    #[test]
    fn a_row_names_only_rows_above_it() {
        for (at, (name, allowed)) in LAYERS.iter().enumerate() {
            let Only(names) = allowed else { continue };
            for it in *names {
                assert!(LAYERS[..at].iter().any(|(above, _)| above == it), "`{name}`: `{it}`");
            }
        }
    }

    #[test]
    fn tests_may_add_the_testkit_and_nothing_else() {
        check_edges(
            &["provost-vault -> provost-exec(dev)", "provost-exec"],
            &["provost-vault: may not depend on `provost-exec`: it may depend on kernel, form"],
        );
        let outside = "provost-vault: may not depend on `provost-testkit` outside its tests: \
                       it may depend on kernel, form";
        check_edges(&["provost-vault -> provost-testkit", "provost-testkit"], &[outside]);
        check_edges(&["provost-vault -> provost-testkit(build)", "provost-testkit"], &[outside]);
        check_edges(
            &["provost -> provost-testkit", "provost-testkit"],
            &["provost: may not depend on `provost-testkit` outside its tests: \
               it may depend on everything but testkit and xtask"],
        );
    }

    #[test]
    fn a_crate_without_a_row_is_an_error() {
        check_edges(&["provost-helper"], &["provost-helper: has no row in the layer table"]);
    }

    /// A row that allowed a way around the others would make the table worthless.
    #[test]
    fn no_allowed_path_leads_from_telegram_to_a_model() {
        let mut reached = vec!["telegram"];
        let mut at = 0;
        while let Some(name) = reached.get(at) {
            let (_, allowed) = LAYERS.iter().find(|(it, _)| it == name).unwrap();
            let Only(names) = allowed else { panic!("`{name}` may depend on everything") };
            reached.extend(*names);
            at += 1;
        }
        for forbidden in ["adapter", "exec", "engine"] {
            assert!(!reached.contains(&forbidden), "{reached:?}");
        }
    }
}
