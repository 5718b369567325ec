//! What the deeds of a code meet: the same judgements as those of commands.

use std::collections::BTreeSet;

use super::{
    super::{
        super::{
            action::{Action, host_of, is_metadata},
            builtin::BuiltIn::{
                CodeDecoded, CodeDownloaded, HostMetadata, NetworkRaw, NetworkSend, PathOutside,
                PathSystem, SecretPrinted, ShellDynamic, Sudo, SystemDevice, SystemForkBomb,
            },
            path_zones::{ANY, ONE, PathZones, Tail, Target, UNKNOWN, Zone},
            protected::Access,
        },
        ShellAnalyzer, database, delete,
    },
    deed::{Deed, Verb},
    parse::{Language, Read},
    value::Origin,
};

/// How many deeds of one code are looked at as commands.
const MAX_COMMANDS: usize = 256;

/// Judges what a code does; `action` is about the code as a whole.
pub(super) fn judge(
    look: &mut ShellAnalyzer<'_>,
    language: Language,
    deeds: &BTreeSet<Deed>,
    action: &mut Action,
) {
    for deed in deeds {
        paths(look.zones, deed, action);
        texts(deed, action);
    }
    connections(deeds, action);
    let starts = |it: &&Deed| {
        matches!(it.verb, Verb::Line | Verb::Words | Verb::Give | Verb::GiveToWriter | Verb::Code)
    };
    for deed in deeds.iter().filter(starts).take(MAX_COMMANDS) {
        commands(look, language, deed);
    }
    if deeds.iter().filter(starts).count() > MAX_COMMANDS {
        action.meet(super::super::super::builtin::BuiltIn::ShellLimits);
    }
}

/// Judges what is done to files.
fn paths(zones: &PathZones, deed: &Deed, action: &mut Action) {
    let access = match deed.verb {
        Verb::Delete | Verb::Link | Verb::Move | Verb::Unpack => Access::Delete,
        Verb::Write | Verb::GiveToWriter => Access::Write,
        Verb::Read | Verb::Give => Access::Read,
        _ => return,
    };
    let is_given = matches!(deed.verb, Verb::Give | Verb::GiveToWriter);
    for (text, origin) in &deed.words {
        let looks_like_path = !text.is_empty() && !text.contains(char::is_whitespace);
        if is_given && (!looks_like_path || text.contains(UNKNOWN)) {
            continue;
        }
        let target = target(zones, text, deed);
        let goes = access == Access::Delete && target.tail != Tail::Anything;
        let below = || zones.protects_below(&target.path).filter(|_| goes);
        if let Some(rule) = zones.protects(&target.path, access).or_else(below) {
            action.meet_with(rule, text);
        }
        match deed.verb {
            Verb::Delete => {
                let is_callers = target.tail == Tail::Anything && origin.has(Origin::CALLER);
                if let Some(rule) = delete::gone(zones, &target).filter(|_| !is_callers) {
                    action.meet_with(rule, text);
                }
            }
            Verb::Move if target.tail != Tail::Anything => {
                if let Some(rule) = delete::gone(zones, &target) {
                    action.meet_with(rule, text);
                }
            }
            Verb::Unpack if target.tail != Tail::Anything => match zones.zone(&target.path) {
                Zone::System | Zone::Device => action.meet_with(PathSystem, text),
                Zone::Outside | Zone::Whole if !zones.is_inside(&target.path) => {
                    action.meet_with(PathOutside, text);
                }
                Zone::Whole | Zone::Outside | Zone::Inside | Zone::Temporary | Zone::Pseudo => {}
            },
            Verb::Write if target.tail != Tail::Anything => match zones.zone(&target.path) {
                Zone::System => action.meet_with(PathSystem, text),
                Zone::Device => action.meet_with(SystemDevice, text),
                Zone::Whole if target.path == "/" => action.meet_with(PathSystem, text),
                Zone::Outside => action.meet_with(PathOutside, text),
                Zone::Whole | Zone::Inside | Zone::Temporary | Zone::Pseudo => {}
            },
            _ => {}
        }
    }
}

/// What a path of the code names.
fn target(zones: &PathZones, text: &str, deed: &Deed) -> Target {
    let text = text.strip_prefix("file://").unwrap_or(text);
    let target = zones.spelled(text, deed.folder.as_deref());
    // Those that were picked out of a folder are not all of it.
    if deed.is_picked && target.tail == Tail::Everything {
        return Target { tail: Tail::Some("\u{F0001}~".to_owned()), ..target };
    }
    target
}

/// Judges code, statements and what is sent.
fn texts(deed: &Deed, action: &mut Action) {
    for (text, origin) in &deed.words {
        match deed.verb {
            Verb::Code => {
                // What is put together of what is known can be read, and is.
                let is_open = text.contains([UNKNOWN, ANY, ONE]);
                if origin.has(Origin::CALLER) {
                    // Who calls it decides, and nobody does.
                } else if origin.has(Origin::DECODED) {
                    action.meet(CodeDecoded);
                } else if origin.has(Origin::FETCHED) {
                    action.meet(CodeDownloaded);
                } else if is_open && !defines(text) {
                    action.meet(ShellDynamic);
                }
            }
            Verb::Line if origin.has(Origin::CALLER) => {}
            Verb::Line if origin.has(Origin::DECODED) => {
                action.meet(CodeDecoded);
            }
            Verb::Line if origin.has(Origin::FETCHED) => action.meet(CodeDownloaded),
            Verb::Line | Verb::Words => {
                // What is run is not known at all.
                let is_first = deed.words.first().is_some_and(|it| it.0 == *text);
                let is_unknown = !text.is_empty() && text.chars().all(|it| it == UNKNOWN);
                let is_alone = is_unknown && is_first;
                if is_alone && deed.verb == Verb::Line {
                    action.meet(ShellDynamic);
                }
            }
            Verb::Statement => {
                let spelled = text.replace([UNKNOWN, ANY, ONE], "x");
                database::statements(&spelled, action);
            }
            Verb::Send | Verb::Fetch => {
                let is_private = origin.has(Origin::ENVIRONMENT) || origin.has(Origin::FILE);
                if is_private && !origin.has(Origin::CALLER) {
                    action.meet(NetworkSend);
                }
                if host_of(text).is_some_and(|it| is_metadata(&it)) {
                    action.meet(HostMetadata);
                }
                action.hosts.extend(host_of(text));
            }
            Verb::Hide if origin.has(Origin::CALLER) => {}
            Verb::Hide => action.meet(ShellDynamic),
            Verb::Fork if origin.has(Origin::CALLER) => {}
            Verb::Fork => action.meet(SystemForkBomb),
            Verb::Become => action.meet(Sudo),
            Verb::Give | Verb::GiveToWriter => {
                if host_of(text).is_some_and(|it| is_metadata(&it)) {
                    action.meet(HostMetadata);
                }
            }
            Verb::Delete
            | Verb::Move
            | Verb::Link
            | Verb::Unpack
            | Verb::Write
            | Verb::Read
            | Verb::Content
            | Verb::Connect
            | Verb::Redirect => {}
        }
    }
}

/// Whether a code that is put together does nothing but define: what is open in it are names.
fn defines(code: &str) -> bool {
    let code = code.trim_start();
    ["class ", "def ", "lambda "].iter().any(|it| code.starts_with(it))
}

/// A shell on a socket; a variable or a file on one.
fn connections(deeds: &BTreeSet<Deed>, action: &mut Action) {
    let has = |verb: Verb| deeds.iter().any(|it| it.verb == verb);
    let is_shell = |it: &Deed| {
        let first = it.words.first().map(|it| it.0.rsplit('/').next().unwrap_or_default());
        let program = first.and_then(|it| it.split_whitespace().next());
        matches!(it.verb, Verb::Line | Verb::Words)
            && matches!(program, Some("sh" | "bash" | "zsh" | "dash" | "cmd.exe"))
    };
    if has(Verb::Connect) && (has(Verb::Redirect) || deeds.iter().any(is_shell)) {
        action.meet(NetworkRaw);
    }
}

/// What is printed of all the variables, where the code looks for secrets.
pub(super) fn printed(read: &Read, is_whole: bool, action: &mut Action) {
    let is_secret = |it: &String| {
        let it = it.to_ascii_lowercase();
        let is_name = it.len() < 60 && !it.contains(char::is_whitespace);
        is_name && ["key", "passw", "secret", "token"].iter().any(|word| it.contains(word))
    };
    if is_whole && read.literals.iter().any(is_secret) {
        action.meet(SecretPrinted);
    }
}

/// Looks at what is started as the command that it is.
fn commands(look: &mut ShellAnalyzer<'_>, language: Language, deed: &Deed) {
    let is_callers = deed.words.iter().any(|it| it.1.has(Origin::CALLER));
    let line = match deed.verb {
        Verb::Words => {
            let words: Vec<String> = deed.words.iter().map(|it| quoted(&it.0)).collect();
            words.join(" ")
        }
        Verb::Line => deed.words.first().map(|it| opened(&it.0)).unwrap_or_default(),
        Verb::Code => {
            let is_read = |it: &&(String, Origin)| !it.0.contains(UNKNOWN) || defines(&it.0);
            if let Some((text, _)) = deed.words.first().filter(is_read) {
                let text = text.replace(UNKNOWN, "_");
                look.nested(text.len(), |look, _| super::inner(look, language, &text));
            }
            return;
        }
        _ => {
            let text = deed.words.first().map(|it| opened(&it.0)).unwrap_or_default();
            let mut words = text.split(|it: char| it.is_whitespace() || ";|&()`".contains(it));
            let is_command = words.any(super::text::is_suspect);
            if is_command && text.contains(char::is_whitespace) {
                look.suspect(&text);
            }
            return;
        }
    };
    let is_empty = line.chars().all(|it| "${_}\" ".contains(it));
    if is_empty {
        return;
    }
    // What depends on a caller that is not there is doubted; what is known is what it is.
    if is_callers {
        look.suspect(&line);
    } else {
        let folder = deed.folder.clone();
        look.nested(line.len(), |look, _| look.text(&line, folder.as_deref()));
    }
}

/// A text for a shell, with a variable in the place of what is not known.
fn opened(text: &str) -> String {
    text.replace(UNKNOWN, "${_}").replace(ANY, "*").replace(ONE, "?")
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    let mut word = String::new();
    let mut known = String::new();
    let close = |known: &mut String, word: &mut String| {
        if !known.is_empty() {
            word.extend(["'", &known.replace('\'', "'\\''"), "'"]);
            known.clear();
        }
    };
    for one in text.chars() {
        match one {
            UNKNOWN => {
                close(&mut known, &mut word);
                word.push_str("\"${_}\"");
            }
            ANY => {
                close(&mut known, &mut word);
                word.push('*');
            }
            ONE => {
                close(&mut known, &mut word);
                word.push('?');
            }
            other => known.push(other),
        }
    }
    close(&mut known, &mut word);
    if word.is_empty() { "''".to_owned() } else { word }
}
