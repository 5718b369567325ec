//! Files that programs outside the sandbox obey: settings, hooks and instructions of agents, tasks
//! of editors, workflows, git hooks, configuration of package managers.
//!
//! A change that adds, edits or deletes one may be what the task asked for, and may be a trap for
//! the next program that is started in the repository. A person decides ([`crate::concern`]).

mod table;

use self::table::{READERS, Reader};
use crate::concern::{Delivered, Form};

/// The program that obeys a file.
pub fn reader(file: Delivered<'_>) -> Option<&'static str> {
    let read = |reader: &&Reader| reader.paths.iter().any(|it| is_read(it, file));
    READERS.iter().find(read).map(|it| it.name)
}

/// Each program, and what it obeys: as the documentation lists them.
pub fn readers() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    READERS.iter().map(|it| (it.name, it.paths))
}

/// Whether a file lies where a program looks: at the path, below it, or, as a link, above it.
fn is_read(path: &str, file: Delivered<'_>) -> bool {
    let parts: Vec<&str> = file.path.split('/').collect();
    if let Some(end) = path.strip_prefix('*') {
        let ends = |it: &&str| it.len() > end.len() && it.to_ascii_lowercase().ends_with(end);
        return parts.iter().any(ends);
    }
    let looked: Vec<&str> = path.split('/').collect();
    // Hidden names are compared as a disk may that ignores case, and so are those at the root.
    let same = |one: &str, two: &str| {
        let ignores_case = one.starts_with('.') || parts.len() == 1;
        one == two || (ignores_case && one.eq_ignore_ascii_case(two))
    };
    let starts = |long: &[&str], short: &[&str]| {
        long.len() >= short.len() && short.iter().zip(long).all(|(one, two)| same(one, two))
    };
    // A link can stand for a folder with everything in it.
    let is_link = matches!(file.form, Form::Link { .. });
    (0..parts.len()).any(|at| {
        let rest = &parts[at..];
        starts(rest, &looked) || (is_link && starts(&looked, rest))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<&str>) {
        assert_eq!(reader(Delivered { path, form: Form::File }), expected, "{path}");
    }

    #[test]
    fn what_programs_obey_is_known_by_its_path() {
        check(".claude/settings.json", Some("Claude Code"));
        check("sub/.claude/commands/x.md", Some("Claude Code"));
        check(".mcp.json", Some("Claude Code"));
        check("packages/a/CLAUDE.md", Some("Claude Code"));
        check("AGENTS.md", Some("Codex"));
        check("agents.md", Some("Codex"));
        check(".Codex/config.toml", Some("Codex"));
        check("GEMINI.md", Some("Gemini CLI"));
        check(".cursor/rules/a.mdc", Some("Cursor"));
        check(".opencode/plugins/p.js", Some("opencode"));
        check("opencode.json", Some("opencode"));
        check(".github/copilot-instructions.md", Some("GitHub Copilot"));
        check(".github/workflows/ci.yml", Some("CI"));
        check(".vscode/tasks.json", Some("VS Code"));
        check(".devcontainer/devcontainer.json", Some("dev containers"));
        check(".husky/pre-commit", Some("git hooks"));
        check(".envrc", Some("direnv"));
        for fine in [
            "src/main.rs",
            "docs/agents.md",
            "docs/claude.md",
            "claude/settings.json",
            ".github/ISSUE_TEMPLATE.md",
            ".vscode/extensions.json",
            "src/cursor/rules.ts",
            "workflows/ci.yml",
            ".github",
            "CLAUDE.md.txt",
        ] {
            check(fine, None);
        }
    }

    /// What configures a tool and runs code on the person's machine later.
    #[test]
    fn what_configures_tools_is_known_by_its_path() {
        for (path, reader) in [
            (".cargo/config.toml", "cargo"),
            ("crates/a/.cargo/config", "cargo"),
            (".npmrc", "npm"),
            ("web/.npmrc", "npm"),
            (".yarnrc", "yarn"),
            (".yarnrc.yml", "yarn"),
            (".yarn/releases/yarn-4.cjs", "yarn"),
            (".pnpmfile.cjs", "pnpm"),
            ("bunfig.toml", "Bun"),
            ("pip.conf", "pip"),
            ("uv.toml", "uv"),
            (".bundle/config", "Bundler"),
            (".mvn/extensions.xml", "Maven"),
            ("gradle/wrapper/gradle-wrapper.properties", "Gradle"),
            (".bazelrc", "Bazel"),
            (".gitattributes", "git"),
            ("deep/down/.gitattributes", "git"),
            (".gitmodules", "git"),
            (".lfsconfig", "git"),
            ("mise.toml", "mise"),
            (".mise.toml", "mise"),
            (".config/mise/config.toml", "mise"),
            (".tool-versions", "asdf"),
            ("rust-toolchain.toml", "rustup"),
            (".idea/runConfigurations/all.xml", "JetBrains IDEs"),
            (".idea/workspace.xml", "JetBrains IDEs"),
            (".run/all.run.xml", "JetBrains IDEs"),
            ("ide/All.run.xml", "JetBrains IDEs"),
            ("shop.code-workspace", "VS Code"),
            (".helix/languages.toml", "editors"),
            ("shop.sublime-project", "editors"),
            (".pre-commit-config.yaml", "git hooks"),
            ("lefthook.yml", "git hooks"),
            (".gitlab-ci.yml", "CI"),
            ("Jenkinsfile", "CI"),
            ("action.yml", "CI"),
            ("setup/action.yaml", "CI"),
            (".forgejo/workflows/ci.yml", "CI"),
        ] {
            check(path, Some(reader));
        }
        for fine in [
            ".gitignore",
            ".nvmrc",
            ".python-version",
            ".editorconfig",
            "Cargo.toml",
            "config.toml",
            "cargo/config.toml",
            ".cargo/audit.toml",
            "package.json",
            "Makefile",
            ".yarn/cache/a.zip",
            ".idea/codeStyles/Project.xml",
            "gradle/libs.versions.toml",
            "src/action.ts",
            "docs/npmrc.md",
            ".code-workspace",
            "run.xml",
        ] {
            check(fine, None);
        }
    }

    #[test]
    fn a_link_stands_for_what_lies_below_it() {
        let link = |path| reader(Delivered { path, form: Form::Link { target: None } });
        assert_eq!(link(".github"), Some("GitHub Copilot"));
        assert_eq!(link(".vscode"), Some("VS Code"));
        assert_eq!(link(".claude"), Some("Claude Code"));
        assert_eq!(link(".cargo"), Some("cargo"));
        assert_eq!(link("CLAUDE.md"), Some("Claude Code"));
        assert_eq!(link("docs"), None);
    }

    #[test]
    fn the_table_is_well_formed() {
        let paths: Vec<&str> = READERS.iter().flat_map(|it| it.paths).copied().collect();
        let distinct: BTreeSet<&str> = paths.iter().copied().collect();
        assert_eq!(paths.len(), distinct.len());
        for path in paths {
            let rest = path.strip_prefix("*.").unwrap_or(path);
            let is_plain = rest.split('/').all(|it| !matches!(it, "" | "." | ".."));
            assert!(is_plain && !rest.contains('*'), "{path}");
        }
    }
}
