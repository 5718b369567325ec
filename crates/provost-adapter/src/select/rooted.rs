//! Relative paths of an adapter, resolved against the folder of the configuration that names them.
//!
//! A path that is left relative is looked for where the program starts: there, an agent could have
//! put another program in its place.

use std::path::Path;

use super::AdapterConfig;
use crate::exchange::path_text;

impl AdapterConfig {
    /// The same adapter, with its relative paths below a folder.
    ///
    /// The program is a path when it has a slash; a bare name is looked for in `PATH`. Every other
    /// word is a path when it names a file of the folder, such as the script of an interpreter.
    #[must_use]
    pub fn rooted(&self, folder: &Path, is_file: impl Fn(&str) -> bool) -> Self {
        let below = |word: &str| path_text(&folder.join(inner(word)));
        let program = |word: &str| {
            if is_relative(word) && word.contains('/') { below(word) } else { word.to_owned() }
        };
        let file = |word: &str| {
            if is_relative(word) && is_file(inner(word)) { below(word) } else { word.to_owned() }
        };
        match self {
            Self::Command { argv, variables, remote } => {
                let mut words = argv.iter();
                let first = words.next().map(|it| program(it));
                let argv = first.into_iter().chain(words.map(|it| file(it))).collect();
                Self::Command { argv, variables: variables.clone(), remote: remote.clone() }
            }
            Self::Recording { file: name } => Self::Recording { file: file(name) },
            Self::Preset { preset, program: named, model, args, variables } => Self::Preset {
                preset: preset.clone(),
                program: named.as_deref().map(program),
                model: model.clone(),
                args: args.clone(),
                variables: variables.clone(),
            },
            Self::Chat { .. } | Self::Script { .. } => self.clone(),
        }
    }
}

fn is_relative(word: &str) -> bool {
    !word.is_empty() && Path::new(word).is_relative()
}

/// A path without the dot that it starts with.
fn inner(word: &str) -> &str {
    let mut rest = word;
    while let Some(it) = rest.strip_prefix("./") {
        rest = it.trim_start_matches('/');
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_lie_below_the_folder_of_the_configuration() {
        let is_file = |it: &str| matches!(it, "tools/judge.py" | "judge.sh" | "tape.jsonl");
        let words = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let check = |argv: &[&str], expected: &[&str]| {
            let command =
                |argv| AdapterConfig::Command { argv, variables: Vec::new(), remote: None };
            let rooted = command(words(argv)).rooted(Path::new("/base"), is_file);
            assert_eq!(rooted, command(words(expected)), "{argv:?}");
        };
        check(&["./judge.sh"], &["/base/judge.sh"]);
        check(&["tools/missing.sh", "x"], &["/base/tools/missing.sh", "x"]);
        check(&["python3", "tools/judge.py", "-v"], &["python3", "/base/tools/judge.py", "-v"]);
        check(&["sh", "./judge.sh"], &["sh", "/base/judge.sh"]);
        check(&["judge.sh"], &["judge.sh"]);
        check(&["/usr/bin/judge", "src"], &["/usr/bin/judge", "src"]);
        check(&["sh", "-c", "./judge.sh"], &["sh", "-c", "/base/judge.sh"]);
        check(&[], &[]);

        let preset = |program: Option<&str>| AdapterConfig::Preset {
            preset: "codex".to_owned(),
            program: program.map(str::to_owned),
            model: Some("m".to_owned()),
            args: words(&["--strict-config"]),
            variables: words(&["KEY"]),
        };
        let root = Path::new("/base");
        assert_eq!(preset(None).rooted(root, is_file), preset(None));
        assert_eq!(preset(Some("codex-2")).rooted(root, is_file), preset(Some("codex-2")));
        let rooted = preset(Some("bin/codex")).rooted(root, is_file);
        assert_eq!(rooted, preset(Some("/base/bin/codex")));

        let tape = |file: &str| AdapterConfig::Recording { file: file.to_owned() };
        assert_eq!(tape("tape.jsonl").rooted(root, is_file), tape("/base/tape.jsonl"));
        assert_eq!(tape("other.jsonl").rooted(root, is_file), tape("other.jsonl"));
    }
}
