//! Files that a command line writes, and then runs.

use provost_shell::{Family, Hole, Invocation, Part, Place, RedirectKind, Script, Trait, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, known, lead, program},
        builtin::BuiltIn::CodeDownloaded,
        call::content,
    },
    ShellAnalyzer, code, git, is_beyond_doubt, stdin,
};

/// Programs that run a file of a known name, in the folder that they are started in.
const RUNNERS: [(&str, &[&str]); 22] = [
    ("bun", &["package.json"]),
    ("bundle", &["Gemfile"]),
    ("cargo", &["build.rs", "Cargo.toml"]),
    ("cmake", &["CMakeLists.txt"]),
    ("deno", &["deno.json"]),
    ("direnv", &[".envrc"]),
    ("docker", &["Dockerfile", "docker-compose.yml", "compose.yml", "compose.yaml"]),
    ("gmake", &["Makefile", "makefile", "GNUmakefile"]),
    ("gradle", &["build.gradle", "build.gradle.kts", "settings.gradle"]),
    ("just", &["justfile"]),
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    ("mvn", &["pom.xml"]),
    ("npm", &["package.json", ".npmrc"]),
    ("npx", &["package.json"]),
    ("pip", &["setup.py", "pyproject.toml"]),
    ("pnpm", &["package.json", ".pnpmfile.cjs"]),
    ("pytest", &["conftest.py", "sitecustomize.py"]),
    ("python", &["conftest.py", "sitecustomize.py"]),
    ("python3", &["conftest.py", "sitecustomize.py"]),
    ("rake", &["Rakefile"]),
    ("tox", &["tox.ini"]),
    ("yarn", &["package.json", ".yarnrc.yml"]),
];

/// A file that is written, and what is put into it.
struct Staged {
    /// The last part of its path.
    name: String,
    texts: Vec<String>,
    at: usize,
}

/// Judges what is reached through a link that the line itself makes: `ln -s ~ x && rm -rf x/*`.
pub(super) fn links(look: &mut ShellAnalyzer<'_>, script: &Script) {
    for (at, invocation) in script.invocations.iter().enumerate() {
        let arguments = Arguments::of(invocation);
        let is_link = program(invocation).as_deref() == Some("ln") && arguments.has_letter("s");
        let operands: Vec<String> = arguments.operands().map(Word::to_string).collect();
        let [target, link] = operands.as_slice() else { continue };
        if !is_link {
            continue;
        }
        let bare = |it: &str| it.trim_start_matches("./").trim_end_matches('/').to_owned();
        let name = link.rsplit('/').next().unwrap_or_default();
        let resolve = |word: &Word| {
            let text = bare(&word.to_string());
            match text.strip_prefix(&bare(link)) {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{target}{rest}"),
                _ if text == name => target.clone(),
                _ => word.to_string(),
            }
        };
        for later in script.invocations.iter().skip(at + 1) {
            let words: Vec<String> = later.words.iter().map(resolve).collect();
            let before: Vec<String> = later.words.iter().map(Word::to_string).collect();
            if words != before {
                look.suspect(&words.join(" "));
                // A link to a program that another one starts.
                look.suspect(&words.get(1..).unwrap_or_default().join(" "));
            }
        }
    }
}

/// Judges a program that is started where a download was put: its content was not reviewed.
pub(super) fn fetched(look: &mut ShellAnalyzer<'_>, script: &Script) {
    let fetches = |it: &Invocation| {
        known(it).is(Trait::Downloads)
            || (known(it).family == Family::Git
                && git::subcommand(Arguments::of(it)).0 == Some("clone"))
    };
    let Some(first) = script.invocations.iter().position(fetches) else { return };
    let is_temporary = |it: &str| it.starts_with("/tmp/") || it.starts_with("/var/tmp/");
    let mut is_there = false;
    // A stream stands behind the program that reads it, or before it.
    for (at, it) in script.invocations.iter().enumerate().filter(|(at, _)| *at != first) {
        let name = it.words.first().map(lead).unwrap_or_default();
        let operand = Arguments::of(it).operands().next().map(lead).unwrap_or_default();
        is_there |= at > first && program(it).as_deref() == Some("cd") && is_temporary(operand);
        let is_stream = |it: &Word| {
            let is_hole = |it: &Part| matches!(it, Part::Hole { hole: Hole::Process, .. });
            it.parts().iter().any(is_hole)
        };
        let runs_stream = !known(it).is_any(&[Trait::Reads, Trait::Shows])
            && it.place != Place::Process
            && script.invocations.get(first).is_some_and(|it| it.place == Place::Process)
            && it.arguments().iter().any(is_stream);
        let reads_makefile = matches!(program(it).as_deref(), Some("gmake" | "make"))
            && Arguments::of(it).values(&["-f", "--file"]).any(|it| it == "-")
            && script.feeders(at).contains(&first);
        let is_later = at > first && (is_temporary(name) || (is_there && name.starts_with("./")));
        if is_later || reads_makefile || runs_stream {
            let mut action = Action::on(&it.shown());
            action.meet(CodeDownloaded);
            look.actions.push(action);
        }
    }
}

/// Judges what is put into files that run later in the same line, as if it ran.
pub(super) fn judge(look: &mut ShellAnalyzer<'_>, script: &Script) {
    let staged = (0..script.invocations.len()).flat_map(|at| written(script, at));
    for it in staged.collect::<Vec<_>>() {
        if content::is_patch(&it.name) {
            look.actions.extend(content::patched(look.zones, &it.texts));
        }
        let later = script.invocations.iter().skip(it.at + 1);
        let runners: Vec<&Invocation> = later.filter(|one| runs(one, &it.name)).collect();
        for text in it.texts.iter().filter(|_| !runners.is_empty()) {
            let by_name = code::Language::of(&it.name);
            let by_runner = || runners.iter().find_map(|it| code::Language::of(&program(it)?));
            look.suspect_code_of(by_name.or_else(by_runner), text);
            if runners.iter().any(|it| known(it).family == Family::Database) {
                look.statements(text);
            }
        }
    }
}

impl ShellAnalyzer<'_> {
    /// Looks at a text as a script, line by line, and as code of any language.
    pub(in super::super) fn suspect_code(&mut self, text: &str) {
        self.suspect_code_of(None, text);
    }

    /// The same, in the language that a name stands for.
    pub(in super::super) fn suspect_code_in(&mut self, name: &str, text: &str) {
        let name = name.rsplit('/').next().unwrap_or(name);
        let by_name = match name {
            "gemfile" | "rakefile" | "vagrantfile" => code::Language::of("x.rb"),
            _ => code::Language::of(name),
        };
        match by_name {
            Some(language) => self.guess(text.len(), is_beyond_doubt, |look, _| {
                code::foreign(look, Some(language), text, false);
            }),
            None => {
                code::quoted(self, text);
            }
        }
    }

    /// The same, where the language is known.
    pub(super) fn suspect_code_of(&mut self, language: Option<code::Language>, text: &str) {
        let mut is_read = false;
        if language.is_some() {
            self.guess(text.len(), is_beyond_doubt, |look, _| {
                is_read = code::foreign(look, language, text, false).is_some();
            });
        }
        if is_read {
            return;
        }
        self.suspect(text);
        for line in text.lines().take(100) {
            // A recipe, a key with its value: the command stands behind the first colon.
            let inner = line.split_once(':').map(|(_, it)| it.trim()).unwrap_or_default();
            for part in [line.trim().trim_start_matches('@'), inner] {
                self.suspect(&part.replace("$(HOME)", "$HOME").replace("$ENV{HOME}", "$HOME"));
            }
        }
        code::quoted(self, text);
        code::bare(self, text);
        let length = text.len();
        self.guess(length, is_beyond_doubt, |look, _| {
            code::foreign(look, None, text, false);
        });
    }
}

/// The files that an invocation writes, with what is known of their content.
fn written(script: &Script, at: usize) -> Vec<Staged> {
    let Some(invocation) = script.invocations.get(at) else { return Vec::new() };
    let mut files: Vec<String> = invocation
        .redirects
        .iter()
        .filter(|it| matches!(it.kind, RedirectKind::Write | RedirectKind::Append))
        .map(|it| it.target.to_string())
        .collect();
    let arguments = Arguments::of(invocation);
    let name = program(invocation).unwrap_or_default();
    let mut texts = stdin::printed(invocation);
    match name.as_str() {
        "tee" | "sponge" => files.extend(arguments.operands().map(Word::to_string)),
        "dd" => files.extend(
            arguments
                .words()
                .iter()
                .filter_map(|it| lead(it).strip_prefix("of=").map(str::to_owned)),
        ),
        "find" => {
            let words = arguments.words();
            let at = words.iter().position(|it| matches!(lead(it), "-fprintf" | "-fprint"));
            let [file, rest @ ..] = at.and_then(|it| words.get(it + 1..)).unwrap_or_default()
            else {
                return Vec::new();
            };
            files.push(file.to_string());
            texts.extend(rest.first().map(|it| stdin::unescape(&it.to_string())));
        }
        "sed" if arguments.has_letter("i") => {
            let operands: Vec<String> = arguments.operands().map(Word::to_string).collect();
            let script = operands.first().map(|it| stdin::unescape(&it.replace("\\\\", "\\")));
            texts.extend(script);
            files.extend(operands.into_iter().skip(1));
        }
        "npm" if arguments.has("pkg") && arguments.has("set") => {
            files.push("package.json".to_owned());
            let values = arguments.words().iter().map(Word::to_string);
            texts.extend(values.filter_map(|it| it.split_once('=').map(|(_, it)| it.to_owned())));
        }
        _ => {}
    }
    if files.is_empty() {
        return Vec::new();
    }
    texts.extend(stdin::of(script, at).texts);
    let name = |it: &String| it.rsplit('/').next().unwrap_or_default().to_owned();
    let names = files.iter().map(name).filter(|it| !it.is_empty() && it != "null");
    names.map(|name| Staged { name, texts: texts.clone(), at }).collect()
}

/// Whether an invocation could run a file of this name.
pub(super) fn runs(invocation: &Invocation, name: &str) -> bool {
    let runner = program(invocation).unwrap_or_default();
    let by_name = RUNNERS.iter().find(|(it, _)| *it == runner);
    if by_name.is_some_and(|(_, files)| files.contains(&name)) {
        return true;
    }
    // A program of one's own, put in front of the real one.
    if runner == name && invocation.assignments.iter().any(|it| it.name == "PATH") {
        return true;
    }
    let reads = matches!(
        runner.as_str(),
        "cat"
            | "chmod"
            | "cp"
            | "diff"
            | "echo"
            | "git"
            | "grep"
            | "head"
            | "ls"
            | "mv"
            | "rm"
            | "tail"
            | "wc"
    );
    let names = |it: &Word| {
        let text = it.to_string();
        text.rsplit(['/', '=', ' ']).next() == Some(name)
    };
    let assigned = invocation.assignments.iter().any(|it| names(&it.value));
    (!reads && invocation.words.iter().any(names)) || assigned
}
