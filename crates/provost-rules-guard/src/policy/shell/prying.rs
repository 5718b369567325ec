//! What looks for secrets where it was not sent: in other processes, and in a whole home.

use provost_shell::{Hole, Invocation, Part as Piece, Trait, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, known, lead},
        builtin::BuiltIn::{SecretPath, SecretPrinted},
        path_zones::Zone,
    },
    Part, sending,
};

/// What stands in a pattern by which secrets are searched for.
const SECRETS: [&str; 17] = [
    "akia",
    "api[_-]",
    "api_key",
    "api-key",
    "apikey",
    "aws_",
    "begin",
    "credential",
    "ghp_",
    "mnemonic",
    "passw",
    "private key",
    "private.key",
    "private_key",
    "secret",
    "token",
    "xox",
];

/// What a debugger is told that should take the memory of a process.
const TAKES_MEMORY: [&str; 10] = [
    "call ",
    "dump ",
    "gcore",
    "generate-core",
    "memory read",
    "process save",
    "python",
    "save-core",
    "shell ",
    "x/",
];

/// Notes an invocation that looks for secrets.
pub(super) fn judge(part: &Part<'_>, name: &str, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let is_search = known(part.invocation).is(Trait::Searches) || name == "zgrep";
    if is_search && (searches_variables(part, arguments) || searches_home(part, arguments)) {
        action.meet(SecretPrinted);
    }
    if watches(name, arguments) {
        action.meet(SecretPrinted);
    }
    if reads_process(part) {
        action.meet(SecretPath);
    }
}

/// `env | grep -i token`.
fn searches_variables(part: &Part<'_>, arguments: Arguments<'_>) -> bool {
    let words = arguments.operands().map(|it| it.to_string().to_ascii_lowercase());
    let is_secret =
        |it: String| ["key", "passw", "secret", "token"].iter().any(|word| it.contains(word));
    words.into_iter().any(is_secret)
        && !arguments.has_letter("v")
        && sending::is_fed_by(part.script, part.index, &["env", "printenv", "set"])
}

/// `grep -r AKIA ~`: what a whole home keeps, by a pattern that means secrets.
fn searches_home(part: &Part<'_>, arguments: Arguments<'_>) -> bool {
    let patterns =
        arguments.values(&["-e", "--regexp"]).chain(arguments.first().map(str::to_owned));
    let is_secret = |it: String| {
        let it = it.to_ascii_lowercase();
        SECRETS.iter().any(|word| it.contains(word))
    };
    if !patterns.into_iter().any(is_secret) {
        return false;
    }
    let is_home = |it: &Word| {
        part.cwd.folders().any(|folder| {
            let target = part.zones.target(it, folder);
            let is_project = [&part.zones.root, &part.zones.directory].contains(&&target.path);
            let is_kept = matches!(target.path.as_str(), "/etc" | "/root" | "/var");
            target.path.starts_with('/')
                && (part.zones.reach(&target) == Zone::Whole || is_kept)
                && !is_project
        })
    };
    let all = &part.script.invocations;
    let by = part.invocation.launched_by;
    let feeders = by.map(|it| part.script.feeders(it)).unwrap_or_default();
    let finders = by.into_iter().chain(feeders).filter_map(|it| all.get(it));
    let finds = |it: &&Invocation| known(it).is(Trait::Finds);
    let roots = finders.filter(finds).flat_map(Invocation::arguments);
    let rest = part.invocation.arguments().iter().filter(|it| !lead(it).starts_with('-'));
    rest.chain(roots).any(is_home)
}

/// Whether a debugger is let loose on a process that runs, and not only counts or asks where it is.
fn watches(name: &str, arguments: Arguments<'_>) -> bool {
    let is_attached = |it: &&str| it.starts_with("-p") && it.len() > 2;
    let is_own = |it: &Word| {
        let is_last = |it: &Piece| matches!(it, Piece::Hole { hole: Hole::Parameter(name), .. } if name == "!");
        it.parts().iter().any(is_last)
    };
    let names = ["-p", "--attach", "--attach-pid", "--pid", "-pid", "attach"];
    let words = arguments.words();
    let attaches = words.iter().map(lead).any(|it| {
        let given = it.split('=').next().unwrap_or_default();
        names.contains(&given) || is_attached(&it)
    });
    if !attaches || words.iter().any(is_own) {
        return false;
    }
    match name {
        "dtruss" | "ltrace" | "strace" | "truss" => {
            !arguments.has_letter("c") && !arguments.has_long("--summary-only")
        }
        "gdb" | "lldb" => words.iter().any(|it| {
            let text = it.to_string().to_ascii_lowercase();
            TAKES_MEMORY.iter().any(|it| text.contains(it))
        }),
        _ => false,
    }
}

/// The variables or the memory of a process, whichever it is: `/proc/$(pgrep x)/environ`.
fn reads_process(part: &Part<'_>) -> bool {
    let redirected = part.invocation.redirects.iter().map(|it| &it.target);
    let looks = known(part.invocation).is_any(&[Trait::Looks, Trait::Speaks]);
    let words = part.invocation.arguments().iter().filter(|_| !looks);
    let is_text = |it: &Piece| matches!(it, Piece::Text(text) if text.contains("/proc"));
    redirected.chain(words).filter(|it| it.parts().iter().any(is_text)).any(|it| {
        let spelled = part.zones.spell(it, None);
        let rest = spelled.split_once("/proc/").map(|(_, it)| it);
        let end = rest.and_then(|it| it.rsplit_once('/'));
        end.is_some_and(|(process, file)| {
            matches!(file, "environ" | "mem") && !process.starts_with("sys")
        })
    })
}
