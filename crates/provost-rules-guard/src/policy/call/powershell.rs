//! Commands of PowerShell, put into the words of other shells.
//!
//! Only what deletes, runs a text, or starts a program by `&` has other words; the rest is read as
//! it stands.

/// The commands that have another name here.
const NAMES: [(&str, &str); 12] = [
    ("clear-content", "truncate -s0"),
    ("copy-item", "cp"),
    ("del", "rm -rf"),
    ("erase", "rm -rf"),
    ("get-content", "cat"),
    ("iex", "eval"),
    ("invoke-expression", "eval"),
    ("move-item", "mv"),
    ("rd", "rm -rf"),
    ("remove-item", "rm -rf"),
    ("ri", "rm -rf"),
    ("set-content", "tee"),
];

/// Switches that say nothing about what a command is done to; the second take a value.
const SWITCHES: [&str; 9] = [
    "-recurse",
    "-r",
    "-force",
    "-fo",
    "-path",
    "-literalpath",
    "-destination",
    "-confirm:$false",
    "-verbose",
];
const VALUED: [&str; 6] =
    ["-erroraction", "-ea", "-value", "-encoding", "-filter", "-warningaction"];

/// A text in other words, if it has one of these names.
///
/// The short names mean something else elsewhere, so they count where PowerShell itself is asked.
pub(in super::super) fn translate(text: &str, is_asked: bool) -> Option<String> {
    let lowered = text.to_lowercase();
    let mut words = lowered.split(|it: char| it.is_whitespace() || "|;&{}()".contains(it));
    let is_known = words.any(|word| {
        NAMES.iter().any(|(name, _)| *name == word) && (is_asked || word.contains('-'))
    });
    is_known.then(|| text.split_inclusive(['\n', ';', '|', '{', '}']).map(statement).collect())
}

fn statement(text: &str) -> String {
    let is_end = |it: char| "\n;|".contains(it);
    let (body, end) = match text.char_indices().last() {
        Some((at, last)) if is_end(last) || "{}".contains(last) => {
            (text.get(..at).unwrap_or_default(), if is_end(last) { last } else { ';' })
        }
        _ => (text, ' '),
    };
    let plain = body.replace('\\', "/").replace('`', "");
    let plain = replaced(&replaced(&plain, "$env:userprofile"), "$env:home");
    let mut words: Vec<&str> = Vec::new();
    let mut skips = false;
    for word in plain.split_whitespace().skip_while(|it| matches!(*it, "&" | "&&")) {
        let lowered = word.to_lowercase();
        let is_named = words.is_empty();
        let named = NAMES.iter().find(|(name, _)| is_named && *name == lowered);
        if std::mem::take(&mut skips) || SWITCHES.contains(&lowered.as_str()) {
            continue;
        }
        skips = VALUED.contains(&lowered.as_str());
        if !skips {
            words.push(named.map_or(word, |(_, name)| name));
        }
    }
    format!("{}{end}", words.join(" "))
}

/// The person's home by another name.
fn replaced(text: &str, name: &str) -> String {
    let mut clean = text.to_owned();
    while let Some(at) = clean.to_ascii_lowercase().find(name) {
        clean.replace_range(at..at + name.len(), "$HOME");
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_deletes_and_what_runs_a_text_is_put_into_other_words() {
        for (text, expected) in [
            ("Remove-Item -Recurse -Force $HOME", Some("rm -rf $HOME ")),
            ("iex \"git status\"", Some("eval \"git status\" ")),
            ("ls; ri -r $env:USERPROFILE\\x", Some("ls;rm -rf $HOME/x ")),
            ("Get-Content -Path .env -Encoding utf8", Some("cat .env ")),
            ("Get-ChildItem", None),
            ("ls -la", None),
            ("", None),
        ] {
            assert_eq!(translate(text, true).as_deref(), expected, "{text}");
        }
        assert_eq!(translate("ri String", false), None);
    }
}
