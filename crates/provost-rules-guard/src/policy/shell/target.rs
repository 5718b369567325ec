//! The files and folders that a program writes, as far as its words say which.

use provost_shell::{Part as Piece, Program, Trait, Word, Writes};

use super::{
    super::arguments::{Arguments, lead},
    git,
};

/// Options of those that copy whose value is not a file to be copied.
const VALUED: [&str; 12] = [
    "--exclude",
    "--exclude-from",
    "--filter",
    "--include",
    "--mode",
    "--owner",
    "--rsh",
    "-S",
    "-e",
    "-g",
    "-m",
    "-o",
];

/// Something that is written.
#[derive(Clone, Debug)]
pub(super) struct Target<'a> {
    /// The place among the arguments.
    pub(super) at: usize,
    /// The file or folder, without the option that names it.
    pub(super) word: Word,
    /// What is put into it under its own name, if it is a folder.
    pub(super) sources: Vec<&'a Word>,
    /// Whether names come to lie in it that do not stand in the command, or it is replaced.
    pub(super) is_open: bool,
}

/// What an invocation writes.
pub(super) fn written<'a>(
    program: &Program,
    arguments: Arguments<'a>,
    is_in_place: bool,
) -> Vec<Target<'a>> {
    let words = arguments.words();
    let operands = operands(words);
    let from = |from: usize| operands.get(from..).unwrap_or_default().iter().copied();
    let files = |places: Vec<usize>| -> Vec<Target<'a>> {
        let named = places.into_iter().filter_map(|at| Some((at, words.get(at)?)));
        named.map(|(at, word)| file(at, word.clone())).collect()
    };
    let after = |names: &[&str]| -> Vec<Target<'a>> {
        values(words, names).into_iter().map(|(at, word)| file(at, word)).collect()
    };
    match program.writes {
        Writes::Copied => copied(program.name, words, &operands),
        Writes::Operands => files(operands.clone()),
        Writes::OutputFile => {
            let is_output =
                |at: &usize| words.get(*at).is_some_and(|it| lead(it).starts_with("of="));
            let places = (0..words.len()).filter(is_output);
            places.filter_map(|at| Some(file(at, rest_of(words.get(at)?, 3)))).collect()
        }
        Writes::CurlOptions => {
            after(&["-o", "--output", "--output-dir", "-D", "--dump-header", "-c"])
        }
        Writes::WgetOptions => {
            after(&["-O", "--output-document", "-P", "--directory-prefix", "-o"])
        }
        Writes::OutputOption => after(&["-o", "-O", "--output"]),
        Writes::SecondOperand => files(from(1).collect()),
        Writes::FirstOperand => files(from(0).take(1).collect()),
        Writes::UnzipFolder => after(&["-d"]).into_iter().map(opened).collect(),
        Writes::Archive => archived(words),
        Writes::AwkOptions if !is_in_place => {
            after(&["--dump-variables", "--pretty-print", "--profile"])
        }
        Writes::ByGit => by_git(arguments),
        Writes::Nothing | Writes::AwkOptions if is_in_place => {
            // The first one is the program of `sed`, behind the empty ending that some want.
            let has_script = ["-e", "--expression", "-f", "--file"]
                .iter()
                .any(|it| words.iter().any(|word| lead(word).split('=').next() == Some(*it)));
            let is_script = program.is(Trait::TakesPattern) && !has_script;
            let is_empty = |at: &usize| words.get(*at).is_some_and(|it| it.text() == Some(""));
            let is_expression = |at: &usize| {
                let before = at.checked_sub(1).and_then(|it| words.get(it)).map(lead);
                let is_group = |it: &str| !it.starts_with("--") && it.ends_with(['e', 'f']);
                let is_option = |it: &str| {
                    it.starts_with('-') && (is_group(it) || matches!(it, "--expression" | "--file"))
                };
                program.is(Trait::TakesPattern) && has_script && before.is_some_and(is_option)
            };
            let all = operands.iter().copied().filter(|it| !is_expression(it));
            let all = all.skip_while(is_empty);
            files(all.skip(usize::from(is_script)).collect())
        }
        Writes::Nothing | Writes::AwkOptions => Vec::new(),
    }
}

fn file<'a>(at: usize, word: Word) -> Target<'a> {
    Target { at, word, sources: Vec::new(), is_open: false }
}

fn opened(target: Target<'_>) -> Target<'_> {
    Target { is_open: true, ..target }
}

/// The places of the words that are not options.
fn operands(words: &[Word]) -> Vec<usize> {
    let is_operand = |it: &Word| !lead(it).starts_with('-') || lead(it) == "-";
    let mut is_over = false;
    let places = words.iter().enumerate().filter(|(_, it)| {
        let was_over = is_over;
        is_over |= it.text() == Some("--");
        was_over || is_operand(it)
    });
    places.map(|(at, _)| at).collect()
}

/// The values of some options, written `-o x`, `-ox`, `--output x` or `--output=x`.
fn values(words: &[Word], names: &[&str]) -> Vec<(usize, Word)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let option = lead(word);
        let is_cut = |it: &&&str| {
            let given = option.split('=').next().unwrap_or_default();
            **it == given || (it.starts_with("--") && given.len() > 4 && it.starts_with(given))
        };
        if option.starts_with("--") {
            let Some(_) = names.iter().find(is_cut) else { continue };
            match option.find('=') {
                Some(sign) => found.push((at, rest_of(word, sign + 1))),
                None => found.extend(words.get(at + 1).map(|it| (at + 1, it.clone()))),
            }
        } else if let Some(group) = option.strip_prefix('-') {
            let is_named = |it: char| names.contains(&format!("-{it}").as_str());
            let Some(place) = group.find(is_named) else { continue };
            let value = rest_of(word, place + 2);
            if value.parts().is_empty() {
                found.extend(words.get(at + 1).map(|it| (at + 1, it.clone())));
            } else {
                found.push((at, value));
            }
        }
    }
    found
}

/// `cp a b dir`, `cp -t dir a b`, `rsync -a a/ dir`, `ln -sfn a dir`.
fn copied<'a>(name: &str, words: &'a [Word], operands: &[usize]) -> Vec<Target<'a>> {
    let folders =
        if name == "rsync" { Vec::new() } else { values(words, &["-t", "--target-directory"]) };
    let (at, folder, sources) = match (folders.into_iter().next(), operands) {
        (Some((at, folder)), _) => (at, folder, operands),
        (None, [sources @ .., last]) => {
            let Some(word) = words.get(*last) else { return Vec::new() };
            (*last, word.clone(), sources)
        }
        (None, []) => return Vec::new(),
    };
    let is_value = |it: usize| {
        let before = it.checked_sub(1).and_then(|it| words.get(it)).map(lead);
        before.is_some_and(|it| VALUED.contains(&it))
    };
    let sources: Vec<&Word> = sources
        .iter()
        .filter(|it| **it != at && !is_value(**it))
        .filter_map(|it| words.get(*it))
        .collect();
    let is_nameless = |it: &&Word| {
        let text = it.to_string();
        let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let empties = name == "rsync" && text.ends_with('/');
        empties || last.chars().all(|it| matches!(it, '*' | '?' | '.'))
    };
    // A link takes the place of what it is named by.
    let replaces = name == "ln" && !folder.to_string().ends_with('/');
    let is_open = replaces || sources.iter().any(is_nameless);
    vec![Target { at, word: folder, sources, is_open }]
}

/// `tar xf a -C dir`, `tar cf a x`.
fn archived<'a>(words: &[Word]) -> Vec<Target<'a>> {
    let first = words.first().map(lead).unwrap_or_default();
    let is_bundle = |it: &str| it.starts_with('-') && !it.starts_with("--");
    let groups = words.iter().map(lead).filter(|it| is_bundle(it));
    let letters: String =
        groups.chain([first].into_iter().filter(|it| !it.starts_with('-'))).collect();
    let has_long = |name: &str| words.iter().any(|it| lead(it) == name);
    let extracts = letters.contains('x') || has_long("--extract") || has_long("--get");
    let creates = letters.contains(['c', 'r', 'u']) || has_long("--create");
    if extracts {
        let folders = values(words, &["-C", "--directory", "--one-top-level"]);
        return folders.into_iter().map(|(at, word)| opened(file(at, word))).collect();
    }
    if !creates {
        return Vec::new();
    }
    let mut archives = values(words, &["-f", "--file"]);
    if !first.starts_with('-') && first.contains('f') {
        archives.extend(words.get(1).map(|it| (1, it.clone())));
    }
    archives.into_iter().map(|(at, word)| file(at, word)).collect()
}

/// git's commands that write a file of any name.
fn by_git<'a>(arguments: Arguments<'_>) -> Vec<Target<'a>> {
    let (name, rest) = git::subcommand(arguments);
    let before = arguments.words().len() - rest.words().len();
    let words = rest.words();
    let asks = ["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"];
    let found = match name.unwrap_or_default() {
        "config" if asks.iter().any(|it| rest.has(it)) => Vec::new(),
        "config" => values(words, &["-f", "--file"]),
        "archive" => values(words, &["-o", "--output"]),
        "format-patch" => values(words, &["-o", "--output", "--output-directory"]),
        "bundle" if rest.first() == Some("create") => {
            let operand = operands(words).into_iter().nth(1);
            operand.and_then(|it| Some((it, words.get(it)?.clone()))).into_iter().collect()
        }
        "clone" | "init" | "worktree" => Vec::new(),
        _ => values(words, &["--output"]),
    };
    found.into_iter().map(|(at, word)| file(at + before, word)).collect()
}

/// A word without its first bytes.
fn rest_of(word: &Word, bytes: usize) -> Word {
    let mut rest = Word::default();
    for (at, part) in word.parts().iter().enumerate() {
        match part {
            Piece::Text(text) => {
                let known = if at == 0 { text.get(bytes..).unwrap_or_default() } else { text };
                if !known.is_empty() {
                    rest.push_text(known);
                }
            }
            Piece::Hole { hole, quoted } => rest.push_hole(hole.clone(), *quoted),
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use provost_shell::parse;

    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[(&str, bool)]) {
        let script = parse(command);
        let invocation = &script.invocations[0];
        let program = Program::of(invocation.program().unwrap());
        let found = written(program, Arguments::of(invocation), false);
        let found: Vec<_> = found.iter().map(|it| (it.word.to_string(), it.is_open)).collect();
        let found: Vec<_> = found.iter().map(|it| (it.0.as_str(), it.1)).collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn what_is_written_is_found_in_every_form() {
        check("sort -o a b", &[("a", false)]);
        check("sort -uoa b", &[("a", false)]);
        check("sort --output=a b", &[("a", false)]);
        check("git diff --output=a", &[("a", false)]);
        check("git -C x archive -oa HEAD", &[("a", false)]);
        check("git bundle create a HEAD", &[("a", false)]);
        check("git config -f a b.c d", &[("a", false)]);
        check("git config -f a --list", &[]);
        check("cp -t a b", &[("a", false)]);
        check("cp b/. a", &[("a", true)]);
        check("rsync -a b a", &[("a", false)]);
        check("rsync -a b/ a", &[("a", true)]);
        check("tar xf b -C a", &[("a", true)]);
        check("tar czf a b", &[("a", false)]);
        check("tar -tf a", &[]);
        check("unzip -o b -d a", &[("a", true)]);
        check("uniq b a", &[("a", false)]);
        check("dd if=b of=a", &[("a", false)]);
    }
}
