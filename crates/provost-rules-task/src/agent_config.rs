//! Files that programs outside the sandbox obey: settings, hooks and instructions of agents, tasks
//! of editors, workflows, git hooks.
//!
//! A change that adds or edits one may be what the task asked for, and may be a trap for the next
//! program that is started in the repository. A person decides.

use std::collections::BTreeSet;

use provost_kernel::{Finding, Message, Severity, shorten};

/// What a program reads in a repository.
struct Reader {
    name: &'static str,
    /// A name is a file or a folder at any depth, a path with `/` one at any depth.
    paths: &'static [&'static str],
}

/// Every reader. Of several that read the same file, the first is named.
const READERS: [Reader; 24] = [
    Reader { name: "provost", paths: &["provost.toml"] },
    Reader {
        name: "Claude Code",
        paths: &[
            ".claude",
            ".claude-plugin",
            ".claude.json",
            ".mcp.json",
            "CLAUDE.md",
            "CLAUDE.local.md",
        ],
    },
    Reader { name: "Codex", paths: &[".codex", "AGENTS.md", "AGENTS.override.md"] },
    Reader { name: "agents", paths: &[".agents", ".agent"] },
    Reader { name: "Gemini CLI", paths: &[".gemini", "GEMINI.md", "gemini-extension.json"] },
    Reader { name: "Qwen Code", paths: &[".qwen", "QWEN.md"] },
    Reader { name: "Cursor", paths: &[".cursor", ".cursorrules"] },
    Reader { name: "opencode", paths: &[".opencode", "opencode.json", "opencode.jsonc"] },
    Reader { name: "aider", paths: &[".aider.conf.yml", ".aider.model.settings.yml"] },
    Reader {
        name: "GitHub Copilot",
        paths: &[
            ".copilot",
            ".github/agents",
            ".github/chatmodes",
            ".github/copilot-instructions.md",
            ".github/hooks",
            ".github/instructions",
            ".github/prompts",
            ".github/skills",
        ],
    },
    Reader { name: "Windsurf", paths: &[".windsurf", ".windsurfrules"] },
    Reader { name: "Cline", paths: &[".cline", ".clinerules"] },
    Reader { name: "Roo Code", paths: &[".roo", ".roomodes", ".roorules", ".kilocode"] },
    Reader { name: "Junie", paths: &[".junie"] },
    Reader { name: "Amazon Q", paths: &[".amazonq", ".kiro"] },
    Reader { name: "Continue", paths: &[".continue", ".continuerules"] },
    Reader { name: "goose", paths: &[".goose", ".goosehints"] },
    Reader { name: "Trae", paths: &[".trae", ".augment"] },
    Reader {
        name: "VS Code",
        paths: &[
            ".vscode/launch.json",
            ".vscode/mcp.json",
            ".vscode/settings.json",
            ".vscode/tasks.json",
        ],
    },
    Reader { name: "dev containers", paths: &[".devcontainer", ".devcontainer.json"] },
    Reader {
        name: "editors",
        paths: &[
            ".dir-locals.el",
            ".exrc",
            ".fleet",
            ".idea/runConfigurations",
            ".nvim.lua",
            ".nvimrc",
            ".zed",
        ],
    },
    Reader { name: "direnv", paths: &[".envrc"] },
    Reader {
        name: "git hooks",
        paths: &[
            ".githooks",
            ".husky",
            ".lefthook.yml",
            ".pre-commit-config.yaml",
            ".pre-commit-config.yml",
            "lefthook.yml",
        ],
    },
    Reader {
        name: "CI",
        paths: &[
            ".buildkite",
            ".circleci",
            ".drone.yml",
            ".github/actions",
            ".github/workflows",
            ".gitlab-ci.yml",
            ".travis.yml",
            ".woodpecker",
            "Jenkinsfile",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
        ],
    },
];

/// The code of the finding.
pub const PLANTED: &str = "AGENT_CONFIG_PLANTED";

/// A file of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered<'a> {
    pub path: &'a str,
    /// A link can stand for a folder with everything in it.
    pub is_link: bool,
}

/// A file that a program outside the sandbox obeys.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.agent_config",
    en = "is obeyed by {reader} outside the sandbox",
    zh = "会在沙箱之外被 {reader} 读取并遵照执行",
    hint(
        en = "read it; to permit it, run `provost accept ID AGENT_CONFIG_PLANTED --because TEXT`",
        zh = "请查看此文件；如允许，请运行 `provost accept ID AGENT_CONFIG_PLANTED --because TEXT`"
    )
)]
pub struct Planted {
    pub path: String,
    pub reader: &'static str,
}

/// The files of a change that a program outside the sandbox obeys, except those that are named in
/// `permitted`, one by one.
pub fn planted<'a>(
    delivered: impl IntoIterator<Item = Delivered<'a>>,
    permitted: &BTreeSet<String>,
) -> Vec<Planted> {
    delivered
        .into_iter()
        .filter(|it| !permitted.contains(it.path))
        .filter_map(|it| Some(Planted { path: it.path.to_owned(), reader: reader(it)? }))
        .collect()
}

/// The program that obeys a file.
pub fn reader(file: Delivered<'_>) -> Option<&'static str> {
    let read = |reader: &&Reader| reader.paths.iter().any(|it| is_read(it, file));
    READERS.iter().find(read).map(|it| it.name)
}

/// Whether a file lies where a program looks: at the path, below it, or, as a link, above it.
fn is_read(path: &str, file: Delivered<'_>) -> bool {
    let looked: Vec<&str> = path.split('/').collect();
    let parts: Vec<&str> = file.path.split('/').collect();
    // Hidden names are compared as a disk may that ignores case, and so are those at the root.
    let same = |one: &str, two: &str| {
        let ignores_case = one.starts_with('.') || parts.len() == 1;
        one == two || (ignores_case && one.eq_ignore_ascii_case(two))
    };
    let starts = |long: &[&str], short: &[&str]| {
        long.len() >= short.len() && short.iter().zip(long).all(|(one, two)| same(one, two))
    };
    (0..parts.len()).any(|at| {
        let rest = &parts[at..];
        starts(rest, &looked) || (file.is_link && starts(&looked, rest))
    })
}

impl Planted {
    pub fn finding(&self) -> Finding {
        Finding::new(PLANTED, Severity::P1, shorten(&self.path), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<&str>) {
        assert_eq!(reader(Delivered { path, is_link: false }), expected, "{path}");
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

    #[test]
    fn a_link_stands_for_what_lies_below_it() {
        let link = |path| reader(Delivered { path, is_link: true });
        assert_eq!(link(".github"), Some("GitHub Copilot"));
        assert_eq!(link(".vscode"), Some("VS Code"));
        assert_eq!(link(".claude"), Some("Claude Code"));
        assert_eq!(link("CLAUDE.md"), Some("Claude Code"));
        assert_eq!(link("docs"), None);
    }

    #[test]
    fn a_permitted_file_is_named_exactly() {
        let change = ["AGENTS.md", ".claude/settings.json", "a.rs"];
        let check = |permitted: &[&str], expected: &[&str]| {
            let permitted = permitted.iter().map(|it| (*it).to_owned()).collect();
            let delivered = change.map(|path| Delivered { path, is_link: false });
            let found = planted(delivered, &permitted);
            let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
            assert_eq!(paths, expected, "{permitted:?}");
        };
        check(&[], &["AGENTS.md", ".claude/settings.json"]);
        check(&["AGENTS.md"], &[".claude/settings.json"]);
        check(&[".claude"], &["AGENTS.md", ".claude/settings.json"]);
        check(&["AGENTS.md", ".claude/settings.json"], &[]);
    }

    #[test]
    fn the_finding_names_the_file_the_reader_and_the_next_command() {
        let planted = Planted { path: "AGENTS.md".to_owned(), reader: "Codex" };
        let finding = planted.finding();
        assert_eq!((finding.rule.as_ref(), finding.subject.as_str()), (PLANTED, "AGENTS.md"));
        assert_eq!(finding.message.to_string(), "is obeyed by Codex outside the sandbox");
        let hint = finding.hint.unwrap().to_string();
        assert!(
            hint.ends_with("`provost accept ID AGENT_CONFIG_PLANTED --because TEXT`"),
            "{hint}"
        );
    }

    #[test]
    fn the_table_is_well_formed() {
        let paths: Vec<&str> = READERS.iter().flat_map(|it| it.paths).copied().collect();
        let distinct: BTreeSet<&str> = paths.iter().copied().collect();
        assert_eq!(paths.len(), distinct.len());
        for path in paths {
            let is_plain = path.split('/').all(|it| !matches!(it, "" | "." | ".."));
            assert!(is_plain && !path.contains('*'), "{path}");
        }
    }
}
