//! Programs that change the machine itself.

use provost_shell::{Family, Program, SystemKind, Trait};

use super::{
    super::{
        action::{Action, bare_metadata_host, host_of, is_metadata},
        arguments::{Arguments, lead},
        builtin::BuiltIn::{
            GitRewrite, HostMetadata, NetworkRaw, SecretPath, SystemCrontab, SystemDisk,
            SystemHistory, SystemPermissions, SystemPower, SystemSchedule,
        },
        path_zones::{ANY, ONE, Tail, UNKNOWN, Zone, marked},
        protected::Access,
    },
    Part, database, process,
};

/// Judges a program that no other table knows.
pub(super) fn judge(part: &Part<'_>, known: &Program, program: &str, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    if known.is(Trait::Fetches) {
        fetched(arguments, action);
    }
    if known.is(Trait::KeepsDatabase) || program.starts_with("python") {
        let is_test = |it: &str| matches!(it, "RAILS_ENV" | "MIX_ENV" | "RACK_ENV");
        let assigned = &part.invocation.assignments;
        if !assigned.iter().any(|it| is_test(&it.name) && it.value.text() == Some("test")) {
            database::tools(&part.invocation.words, action);
        }
    }
    if known.is(Trait::RunsPackage) {
        process::packaged(arguments.words(), action);
    }
    if known.is(Trait::Opens) {
        opened(part, known, arguments, action);
    }
    // A drive has a letter; everything else of that name is a word.
    let is_word = program == "format" && !arguments.operands().any(|it| lead(it).ends_with(':'));
    if (known.is(Trait::ChangesDisk) && !is_word) || program.starts_with("mkfs") {
        let only_asks =
            arguments.has("--help") || arguments.has("--version") || arguments.has("-l");
        if !only_asks {
            action.meet(SystemDisk);
        }
    }
    // `shutdown -c` calls off what somebody else has ordered.
    if known.is(Trait::EndsMachine) && !(arguments.has("-c") || arguments.has("--help")) {
        action.meet(SystemPower);
    }
    if known.is(Trait::Administers) {
        let asks = ["--help", "--list", "--status", "--version", "-L", "-S", "list", "status"];
        let only_asks = asks.iter().any(|it| arguments.has(it));
        if !only_asks && !arguments.words().is_empty() {
            action.meet(SystemPermissions);
        }
    }
    if let Family::System(kind) = known.family {
        by_kind(part, kind, arguments, action);
    }
}

fn by_kind(part: &Part<'_>, kind: SystemKind, arguments: Arguments<'_>, action: &mut Action) {
    let first = arguments.first();
    match kind {
        SystemKind::Mount if first.is_some() => action.meet(SystemDisk),
        SystemKind::Init if matches!(first, Some("0" | "6")) => action.meet(SystemPower),
        SystemKind::DiskUtility if !matches!(first, Some("list" | "info") | None) => {
            action.meet(SystemDisk);
        }
        SystemKind::StoragePool if matches!(first, Some("destroy" | "labelclear")) => {
            action.meet(SystemDisk);
        }
        SystemKind::Crontab => crontab(arguments, action),
        SystemKind::Schedule => action.meet(SystemSchedule),
        SystemKind::History if arguments.has_letter("cdw") => action.meet(SystemHistory),
        SystemKind::Environment => {
            let is_history = |it: &str| it.split('=').next() == Some("HISTFILE");
            if arguments.words().iter().any(|it| is_history(lead(it))) {
                action.meet(SystemHistory);
            }
        }
        SystemKind::Permissions => permissions(part, arguments, action),
        SystemKind::RawNetwork => {
            let starts = arguments.has_letter("ec") || arguments.has_long("--exec");
            let is_address = |it: &str| it.to_ascii_lowercase().starts_with("exec:");
            if starts || arguments.words().iter().any(|it| is_address(lead(it))) {
                action.meet(NetworkRaw);
            }
        }
        SystemKind::GitRewriter => action.meet(GitRewrite),
        SystemKind::Mount
        | SystemKind::Init
        | SystemKind::DiskUtility
        | SystemKind::StoragePool
        | SystemKind::History => {}
    }
}

/// Notes the address that hands out credentials, on any word of a program that fetches.
fn fetched(arguments: Arguments<'_>, action: &mut Action) {
    for word in arguments.words() {
        let text = word.to_string();
        // `--resolve x:80:ADDRESS`, `--url=ADDRESS` and `TCP:ADDRESS:80` name it in a part.
        let pieces = text.split([':', '=', ',', ' ']).filter(|it| !it.is_empty());
        let hosts: Vec<String> = std::iter::once(text.as_str())
            .chain(pieces)
            .filter_map(|it| bare_metadata_host(it).or_else(|| host_of(it)))
            .filter(|it| is_metadata(it))
            .collect();
        if !hosts.is_empty() {
            action.meet(HostMetadata);
        }
        action.hosts.extend(hosts);
    }
}

/// Holds what a reader is given against what is protected, where a part of it is only known when
/// it runs: `cat ./$X/.env`, `cat .*`, `rg -g .env x`.
fn opened(part: &Part<'_>, program: &Program, arguments: Arguments<'_>, action: &mut Action) {
    let is_search = program.is(Trait::Searches);
    let names_pattern =
        arguments.has("-e") || arguments.has_long("--regexp") || arguments.has("-f");
    let has_text = program.is(Trait::TakesPattern) && !(is_search && names_pattern);
    for word in arguments.operands().skip(usize::from(has_text)) {
        for folder in part.cwd.folders() {
            let spelled = part.zones.spell(word, folder);
            if !spelled.contains([ANY, ONE, UNKNOWN]) {
                continue;
            }
            let is_every_hidden = spelled.rsplit('/').next().is_some_and(|it| {
                it.starts_with('.') && it.chars().skip(1).all(|it| it == ANY) && it.len() > 1
            });
            let is_copy = program.is(Trait::ChangesFiles);
            if let Some(rule) = part.zones.protects(&spelled, Access::Read) {
                action.meet_with(rule, &word.to_string());
            } else if is_every_hidden && !is_copy {
                action.meet_with(SecretPath, &word.to_string());
            }
        }
    }
    let filters = arguments.values(&["-g", "--glob", "--iglob", "--include"]);
    for filter in filters.filter(|it| is_search && !it.starts_with('!')) {
        if let Some(rule) = part.zones.protects(&marked(&filter), Access::Read) {
            action.meet_with(rule, &filter);
        }
    }
}

fn crontab(arguments: Arguments<'_>, action: &mut Action) {
    if arguments.has_letter("r") {
        action.meet(SystemCrontab);
    } else if !arguments.has_letter("l") {
        action.meet(SystemSchedule);
    }
}

/// Changes of owner or permission that reach beyond the project.
fn permissions(part: &Part<'_>, arguments: Arguments<'_>, action: &mut Action) {
    let is_recursive = arguments.has_letter("R") || arguments.has_long("--recursive");
    for word in arguments.operands().skip(1) {
        for folder in part.cwd.folders() {
            let target = part.zones.target(word, folder);
            if target.tail == Tail::Anything {
                continue;
            }
            let is_own = target.path == part.zones.root || target.path == part.zones.directory;
            let reaches = match part.zones.reach(&target) {
                Zone::Whole => (is_recursive || !part.zones.is_inside(&target.path)) && !is_own,
                Zone::System | Zone::Device => true,
                Zone::Inside | Zone::Temporary | Zone::Pseudo | Zone::Outside => false,
            };
            if reaches {
                action.meet(SystemPermissions);
            }
        }
    }
}
