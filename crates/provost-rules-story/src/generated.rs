//! Files that do not count because programs write them: lock files, snapshots, generated files.
//!
//! The list is closed. Beyond it only the base's own rules exclude a file; neither a header in a
//! new file nor a rule that came with the change does.

use provost_kernel::story::{DeltaKind, FileDelta};
use provost_rules::ecosystem;

use super::base::BaseTree;

/// How the names of lock files and of snapshots end, in any ecosystem.
const ENDINGS: [&str; 2] = [".lock", ".snap"];

/// Whether a path is left out of the count.
pub fn is_excluded(path: &str, base: &BaseTree) -> bool {
    match base.is_generated(path) {
        Some(is_generated) => is_generated,
        None => is_listed(path) || base.is_ignored(path),
    }
}

/// Whether a change of a file is left out of the count: all of it must be.
pub fn is_excluded_delta(delta: &FileDelta, base: &BaseTree) -> bool {
    let was_excluded = delta.old_path.as_ref().is_none_or(|it| is_excluded(it, base));
    match delta.kind {
        // Another repository is never made by a program of this one.
        DeltaKind::Submodule => false,
        DeltaKind::Added
        | DeltaKind::Modified
        | DeltaKind::Deleted
        | DeltaKind::Renamed
        | DeltaKind::Mode
        | DeltaKind::Symlink => was_excluded && is_excluded(&delta.path, base),
    }
}

fn is_listed(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|it| ecosystem::any(|it| &it.generated_folders, it))
        || ecosystem::any(|it| &it.lock_files, name)
        || ENDINGS.iter().any(|it| name.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: bool) {
        assert_eq!(is_excluded(path, &BaseTree::default()), expected, "{path}");
    }

    /// STORY-3.2: the seed's three, and what is of their kind, at any depth.
    #[test]
    fn lock_files_snapshots_and_generated_folders_do_not_count() {
        for path in [
            "pnpm-lock.yaml",
            "apps/web/pnpm-lock.yaml",
            "x.snap",
            "src/__snapshots__/a.test.ts.snap",
            "yarn.lock",
            "Cargo.lock",
            "crates/a/Cargo.lock",
            "poetry.lock",
            "uv.lock",
            "bun.lock",
            "bun.lockb",
            "package-lock.json",
            "deep/er/package-lock.json",
            "npm-shrinkwrap.json",
            "packages.lock.json",
            "go.sum",
            "node_modules/a/index.js",
            "apps/web/node_modules/a/index.js",
            ".next/x",
            "dist/x.js",
            "packages/a/dist/x.js",
            "src/__generated__/types.ts",
        ] {
            check(path, true);
        }
    }

    #[test]
    fn what_only_looks_generated_counts() {
        for path in [
            "src/main.rs",
            "package.json",
            "Cargo.toml",
            "go.mod",
            "dist",
            "dist.js",
            "src/dist.rs",
            "distribution/x.js",
            "node_modules",
            "lock",
            "lock.rs",
            "x.lock.rs",
            "snap/x.rs",
            "x.snapshot",
            "pnpm-lock.yaml.js",
            "my-pnpm-lock.yaml",
            "PNPM-LOCK.YAML",
            "build/x.js",
            "out/x.js",
            "target/x.rs",
            "vendor/x.go",
            "generated/x.ts",
            "x.min.js",
            "x.generated.ts",
            "x.pb.go",
        ] {
            check(path, false);
        }
    }

    #[test]
    fn the_base_can_add_to_the_list_and_take_from_it() {
        let base = BaseTree::new(
            ["gen/kept.ts"],
            [
                (".gitignore", "gen/\n"),
                (".gitattributes", "*.pb.go linguist-generated\ndist/** -linguist-generated\n"),
            ],
        );
        for (path, expected) in [
            ("gen/x.ts", true),
            ("gen/kept.ts", false),
            ("a.pb.go", true),
            ("dist/x.js", false),
            ("packages/dist/x.js", true),
        ] {
            assert_eq!(is_excluded(path, &base), expected, "{path}");
        }
    }

    /// A file that is moved into a generated folder was not generated.
    #[test]
    fn a_move_into_a_generated_folder_counts() {
        let check = |old: Option<&str>, new: &str, kind, expected| {
            let delta = FileDelta {
                path: new.to_owned(),
                old_path: old.map(str::to_owned),
                additions: 1,
                deletions: 0,
                bytes: 0,
                kind,
                is_binary: false,
            };
            assert_eq!(is_excluded_delta(&delta, &BaseTree::default()), expected, "{delta:?}");
        };
        check(Some("src/a.js"), "dist/a.js", DeltaKind::Renamed, false);
        check(Some("dist/a.js"), "src/a.js", DeltaKind::Renamed, false);
        check(Some("dist/a.js"), "dist/b.js", DeltaKind::Renamed, true);
        check(None, "dist/a.js", DeltaKind::Added, true);
        check(None, "node_modules/a", DeltaKind::Submodule, false);
    }
}
