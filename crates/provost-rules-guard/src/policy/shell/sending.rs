//! What leaves this machine: files, archives and variables that a command sends elsewhere.

use provost_shell::{Hole, Invocation, Part as Piece, Place, RedirectKind, Script, Word};

use super::{
    super::{
        action::{Action, host_of},
        arguments::{Arguments, lead, program},
        builtin::BuiltIn::{CloudChange, ContainerChange, NetworkOpen, NetworkSend},
        path_zones::{PathZones, Tail, Zone},
    },
    Part, stdin,
};

/// Options of `curl` that carry data, and those that are files by themselves.
const DATA: [&str; 8] = [
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--form",
    "--json",
    "--form-string",
];
const UPLOADS: [&str; 1] = ["--upload-file"];

/// Programs that say something harmless, when they feed an upload.
const SPEAKERS: [&str; 5] = ["cat", "echo", "jq", "printf", "yq"];

/// Programs that say everything about this machine, a file or a database.
const TELLERS: [&str; 10] =
    ["base64", "cat", "compgen", "declare", "env", "export", "history", "printenv", "set", "tar"];

/// Programs that pack or dump what is then sent.
const PACKERS: [&str; 8] =
    ["bsdtar", "cpio", "dump", "mysqldump", "pg_dump", "rsync", "tar", "zip"];

/// Notes what an invocation sends to another machine.
pub(super) fn judge(part: &Part<'_>, name: &str, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let sends = match name {
        "curl" => curl(part, arguments),
        "wget" => arguments.values(&["--post-file", "--body-file"]).next().is_some(),
        "nc" | "ncat" | "netcat" | "telnet" => raw(part, arguments),
        "openssl" | "redis-cli" | "socat" => streams(part, name, arguments),
        "mail" | "mailx" | "mutt" | "sendmail" => is_given(part),
        "ssh" => is_fed_by(part.script, part.index, &PACKERS),
        "rsync" | "scp" | "sftp" => copies(part, arguments),
        "aws" | "gsutil" => stores(arguments),
        "ftp" | "tftp" => {
            stdin::of(part.script, part.index).texts.iter().any(|it| it.contains("put "))
        }
        _ => false,
    };
    if sends {
        action.meet(NetworkSend);
    }
    if deletes(name, arguments) {
        action.meet(CloudChange);
    }
    if orders_engine(name, arguments) {
        action.meet(ContainerChange);
    }
    if serves(part.zones, name, arguments) {
        action.meet(NetworkOpen);
    }
}

/// Notes what is fed to a program on another machine: `tar c . | ssh host 'cat > x'`. A part of the
/// project is deployed like that; all of it, and what lies elsewhere, is taken away.
pub(super) fn starting(part: &Part<'_>, action: &mut Action) {
    if program(part.invocation).as_deref() != Some("ssh") {
        return;
    }
    let feeders = stdin::of(part.script, part.index).programs;
    let feeders = feeders.iter().filter_map(|it| part.script.invocations.get(*it));
    let packs = |it: &&Invocation| {
        program(it).is_some_and(|it| PACKERS.contains(&it.as_str()) || it == "cat")
    };
    let is_taken = |it: &Word| {
        let target = part.zones.target(it, Some(&part.zones.directory));
        let is_known = target.tail != Tail::Anything && lead(it).contains(['.', '/', '~']);
        let is_home = matches!(it.parts(), [Piece::Hole { hole: Hole::Tilde(_), .. }, ..]);
        let zone = part.zones.reach(&target);
        (is_known || is_home) && matches!(zone, Zone::Whole | Zone::Outside)
    };
    if feeders.filter(packs).flat_map(|it| Arguments::of(it).operands()).any(is_taken) {
        action.meet(NetworkSend);
    }
}

/// Whether a host is this machine, or a neighbour without a full name.
pub(super) fn is_local(host: &str) -> bool {
    let ends = [".internal", ".local", ".localhost", ".localdomain"];
    host == "::1"
        || host.starts_with("127.")
        || !host.contains(['.', ':'])
        || host == "0.0.0.0"
        || ends.iter().any(|it| host.ends_with(it))
}

/// `curl -X DELETE` on another machine, or a request that empties what it names.
fn deletes(name: &str, arguments: Arguments<'_>) -> bool {
    let mut methods = arguments.values(match name {
        "curl" => &["-X", "--request"],
        "wget" => &["--method"],
        _ => &[],
    });
    let words = arguments.words();
    let is_word = |it: &Word| match name {
        "curl" => lead(it).eq_ignore_ascii_case("-XDELETE"),
        "http" | "https" | "xh" => it.text() == Some("DELETE"),
        _ => false,
    };
    let is_method =
        words.iter().any(is_word) || methods.any(|it| it.eq_ignore_ascii_case("delete"));
    let empties = |it: &str| it.contains("/_delete_by_query") || it.contains("/_all/_close");
    let texts: Vec<String> = words.iter().map(ToString::to_string).collect();
    let speaks = matches!(name, "curl" | "http" | "https" | "wget" | "xh");
    let is_named = texts.iter().any(|it| empties(it));
    // `http DELETE api.example.com/x`: the scheme is left out.
    let bare = |it: &String| (!it.starts_with('-')).then(|| host_of(&format!("http://{it}")))?;
    let hosts = texts.iter().filter_map(|it| host_of(it).or_else(|| bare(it)));
    speaks && (is_method || is_named) && hosts.into_iter().any(|it| is_elsewhere(&it))
}

/// Whether a host is not this machine: a name of one word is a neighbour that was started here,
/// unless it says that it is not.
fn is_elsewhere(host: &str) -> bool {
    let is_here = host.starts_with("127.")
        || matches!(host, "0.0.0.0" | "::1" | "host.docker.internal" | "localhost.localdomain")
        || host.ends_with(".localhost");
    let parts = host.split(['-', '_', '.']);
    let is_live = parts.into_iter().any(|it| matches!(it, "live" | "prd" | "prod" | "production"));
    !is_here && (host.contains(['.', ':']) || is_live)
}

/// A request to a container engine over its own socket, which can do whatever root can.
fn orders_engine(name: &str, arguments: Arguments<'_>) -> bool {
    let words = arguments.words();
    let is_socket = |it: &Word| {
        let text = it.to_string();
        ["containerd.sock", "crio.sock", "docker.sock", "podman.sock"]
            .iter()
            .any(|it| text.contains(it))
    };
    let tells = |it: &Word| {
        let given = lead(it);
        DATA.contains(&given.split('=').next().unwrap_or_default())
            || UPLOADS.contains(&given)
            || (given.starts_with("-d") || given.starts_with("-F") || given.starts_with("-T"))
            || ["DELETE", "PATCH", "POST", "PUT"]
                .iter()
                .any(|it| given.strip_prefix("-X").unwrap_or(given).eq_ignore_ascii_case(it))
    };
    words.iter().any(is_socket)
        && match name {
            "curl" => words.iter().any(tells),
            "nc" | "ncat" | "netcat" | "socat" => true,
            _ => false,
        }
}

fn is_far(arguments: Arguments<'_>) -> bool {
    let mut hosts = arguments.words().iter().filter_map(|it| host_of(&it.to_string()));
    hosts.any(|it| !is_local(&it))
}

fn curl(part: &Part<'_>, arguments: Arguments<'_>) -> bool {
    if !is_far(arguments) {
        return false;
    }
    let mut values: Vec<(bool, &Word)> = Vec::new();
    let words = arguments.words();
    for (option, value) in words.iter().zip(words.iter().skip(1)) {
        let given = lead(option);
        let is_group = given.starts_with('-') && !given.starts_with("--");
        let is_upload = UPLOADS.contains(&given) || (is_group && given.ends_with('T'));
        let is_data = DATA.contains(&given) || (is_group && given.ends_with(['d', 'F']));
        if is_upload || is_data {
            values.push((is_upload, value));
        }
    }
    let by = part.invocation.launched_by;
    by.is_some_and(|it| is_fed_by(part.script, it, &["env", "printenv", "set"]))
        || values.iter().any(|(is_upload, value)| *is_upload || carries(part, value))
}

/// Whether something is given to an invocation to read.
fn is_given(part: &Part<'_>) -> bool {
    let reads = part.invocation.redirects.iter().any(|it| it.kind == RedirectKind::Read);
    reads || !stdin::of(part.script, part.index).programs.is_empty()
}

/// Whether one of these programs writes into what an invocation reads.
pub(super) fn is_fed_by(script: &Script, index: usize, names: &[&str]) -> bool {
    let feeders = stdin::of(script, index).programs;
    let mut feeders = feeders.iter().filter_map(|it| script.invocations.get(*it));
    feeders.any(|it| program(it).is_some_and(|it| names.contains(&it.as_str())))
}

/// Whether the data of a request is a file from elsewhere, what a pipe brings, or a secret.
fn carries(part: &Part<'_>, value: &Word) -> bool {
    let text = value.to_string();
    let file = text
        .split_once(['@', '<'])
        .filter(|(before, _)| before.is_empty() || before.ends_with('='));
    match file.map(|(_, path)| path) {
        Some("-") => is_fed_with_secrets(part),
        Some(path) => {
            let path = path.split(';').next().unwrap_or_default();
            !matches!(part.zones.zone(&part.zones.target_of(path).path), Zone::Inside)
        }
        None => names_secret(value) || holds_output(part, value),
    }
}

/// A variable that is called after a secret.
fn names_secret(word: &Word) -> bool {
    word.parts().iter().any(|it| match it {
        Piece::Hole { hole: Hole::Parameter(name), .. } => is_secret_name(name),
        Piece::Hole { .. } | Piece::Text(_) => false,
    })
}

pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["SECRET", "TOKEN", "PASSW", "API_KEY", "APIKEY", "PRIVATE", "CREDENTIAL"]
        .iter()
        .any(|it| name.contains(it))
}

/// `-d "$(env)"`.
fn holds_output(part: &Part<'_>, word: &Word) -> bool {
    let is_hole = |it: &Piece| matches!(it, Piece::Hole { hole: Hole::Command(_), .. });
    let tells = |it: &Invocation| {
        it.place == Place::Substitution
            && program(it).is_some_and(|it| TELLERS.contains(&it.as_str()))
    };
    word.parts().iter().any(is_hole) && part.script.invocations.iter().any(tells)
}

/// Whether what a pipe brings is more than words that stand in the command.
fn is_fed_with_secrets(part: &Part<'_>) -> bool {
    let feed = stdin::of(part.script, part.index);
    let feeders = feed.programs.iter().filter_map(|it| part.script.invocations.get(*it));
    let is_grave = |it: &Invocation| {
        let is_plain = program(it).is_none_or(|it| SPEAKERS.contains(&it.as_str()));
        !is_plain || it.arguments().iter().any(names_secret)
    };
    feeders.into_iter().any(is_grave)
}

/// A connection without a protocol, into which something is fed.
fn raw(part: &Part<'_>, arguments: Arguments<'_>) -> bool {
    let mut operands = arguments.operands().map(lead);
    let is_fed = !stdin::of(part.script, part.index).programs.is_empty()
        || part.invocation.redirects.iter().any(|it| it.kind == RedirectKind::Read);
    let listens = arguments.has_letter("lz");
    is_fed && !listens && operands.any(|it| it.contains('.') && !is_local(it))
}

/// A connection that a file or a program is fed into: `socat - TCP:host:80 < x`.
fn streams(part: &Part<'_>, name: &str, arguments: Arguments<'_>) -> bool {
    let texts: Vec<String> = arguments.words().iter().map(ToString::to_string).collect();
    let hosts: Vec<String> = match name {
        "openssl" if arguments.has("s_client") => arguments.values(&["-connect"]).collect(),
        "redis-cli" => arguments.values(&["-h", "-u"]).collect(),
        "socat" => texts.iter().filter_map(|it| it.split_once(':')).map(|it| it.1.into()).collect(),
        _ => Vec::new(),
    };
    let is_far = |it: &String| {
        let host = host_of(it).or_else(|| it.split(':').next().map(str::to_owned));
        host.is_some_and(|it| it.contains('.') && !is_local(&it))
    };
    let is_file = |it: &str| !matches!(it, "/dev/null" | "/dev/zero");
    let mut redirects = part.invocation.redirects.iter();
    let is_given =
        redirects.any(|it| it.kind == RedirectKind::Read && it.target.text().is_none_or(is_file));
    let feeders = stdin::of(part.script, part.index).programs;
    let feeders = feeders.iter().filter_map(|it| part.script.invocations.get(*it));
    let brings = |it: &Invocation| {
        let silent = ["echo", "printf", "sleep", "true", "yes", ":"];
        program(it).is_some_and(|it| !silent.contains(&it.as_str()))
    };
    hosts.iter().any(is_far) && (is_given || feeders.into_iter().any(brings))
}

/// `rsync x host:y`: the last one is elsewhere, and one before it is not.
fn copies(part: &Part<'_>, arguments: Arguments<'_>) -> bool {
    let operands: Vec<String> = arguments.operands().map(ToString::to_string).collect();
    let is_far = |it: &str| {
        let host = it.split_once(':').map(|(host, _)| host.rsplit('@').next().unwrap_or_default());
        it.contains("://")
            || host.is_some_and(|it| !it.is_empty() && !it.contains('/') && !is_local_name(it))
    };
    // A part of the project is deployed; all of it, and what lies elsewhere, is taken away.
    let is_part = |it: &str| {
        let path = part.zones.target_of(it).path;
        part.zones.zone(&path) == Zone::Inside && path != part.zones.root
    };
    let takes = |it: &String| !is_far(it) && !is_part(it);
    operands.split_last().is_some_and(|(last, before)| is_far(last) && before.iter().any(takes))
}

fn is_local_name(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1")
}

/// `aws s3 cp x s3://y`.
fn stores(arguments: Arguments<'_>) -> bool {
    let operands: Vec<&str> = arguments.operands().map(lead).collect();
    let is_far = |it: &str| it.starts_with("s3://") || it.starts_with("gs://");
    let copies = operands.iter().any(|it| matches!(*it, "cp" | "mv" | "rsync" | "sync"));
    let is_verb = |it: &str| matches!(it, "cp" | "mv" | "rsync" | "s3" | "sync");
    let pairs = operands.iter().zip(operands.iter().skip(1));
    copies && pairs.into_iter().any(|(one, two)| is_far(two) && !is_far(one) && !is_verb(one))
}

/// `python -m http.server --bind 0.0.0.0`, or of a folder outside the project.
fn serves(zones: &PathZones, name: &str, arguments: Arguments<'_>) -> bool {
    let is_server = name.starts_with("python")
        && arguments.words().windows(2).any(|it| match it {
            [option, module] => lead(option) == "-m" && lead(module) == "http.server",
            _ => false,
        });
    let is_wide = |it: String| matches!(it.as_str(), "0.0.0.0" | "::");
    let is_far = |it: String| {
        let path = zones.spelled(&it.replace("$HOME", "~"), Some(&zones.directory)).path;
        path.starts_with('/')
            && matches!(zones.zone(&path), Zone::Outside | Zone::Whole)
            && !zones.is_inside(&path)
    };
    is_server
        && (arguments.values(&["--bind", "-b"]).any(is_wide)
            || arguments.values(&["--directory", "-d"]).any(is_far))
}
