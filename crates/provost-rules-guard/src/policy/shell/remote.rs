//! Programs that change what runs elsewhere, or publish.

use provost_shell::{Program, RemoteKind, Trait, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, lead},
        builtin::BuiltIn::{
            CloudChange, CloudDestroy, ContainerChange, ContainerDestroy, KubernetesChange,
            KubernetesDestroy, Publish, SecretPrinted,
        },
    },
    database, process,
};

/// Folders that are the machine's own, or hold what belongs to every person on it.
const MACHINE: [&str; 19] = [
    "Users",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib64",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "var/lib/docker",
    "var/run",
];

/// The words after which a runner of packages names one.
const RUNS: [&str; 4] = ["dlx", "exec", "run", "x"];

/// Judges a program that speaks to a container engine, a cluster, a cloud or a registry.
pub(super) fn judge(
    program: &Program,
    kind: RemoteKind,
    arguments: Arguments<'_>,
    action: &mut Action,
) {
    let plain: Vec<&str> = arguments.operands().map(lead).collect();
    let has = |word: &str| plain.contains(&word);
    let first = plain.first().copied().unwrap_or_default();
    started(program, kind, arguments, action);
    match kind {
        RemoteKind::Container => container(arguments, &plain, action),
        RemoteKind::Cluster => cluster(arguments, &plain, action),
        RemoteKind::Helm => {
            if matches!(first, "uninstall" | "delete" | "rollback") {
                action.meet(KubernetesChange);
            }
        }
        RemoteKind::Terraform => {
            let destroys = has("destroy")
                || has("destroy-all")
                || arguments.has("-destroy")
                || arguments.has("--destroy");
            let is_state = first == "state" && (has("rm") || has("push"));
            if destroys {
                action.meet(CloudDestroy);
            } else if has("apply") || is_state {
                action.meet(CloudChange);
            }
        }
        RemoteKind::Deployer if has("destroy") => action.meet(CloudDestroy),
        RemoteKind::Deployer if has("up") || has("deploy") => action.meet(CloudChange),
        RemoteKind::Cloud => cloud(arguments, &plain, action),
        RemoteKind::GitHub => github(arguments, &plain, action),
        RemoteKind::GemPush if first == "push" => action.meet(Publish),
        RemoteKind::TwineUpload if first == "upload" => action.meet(Publish),
        RemoteKind::Registry => {
            let is_rehearsal = arguments.has("--dry-run") || arguments.has("-n");
            let at = plain
                .iter()
                .take(4)
                .position(|it| matches!(*it, "publish" | "unpublish" | "yank" | "deprecate"));
            // What stands before it is the value of an option, or another command.
            let is_other = matches!(
                first,
                "run"
                    | "run-script"
                    | "test"
                    | "t"
                    | "exec"
                    | "install"
                    | "i"
                    | "add"
                    | "help"
                    | "view"
                    | "info"
                    | "create"
                    | "init"
                    | "new"
                    | "search"
                    | "remove"
                    | "rm"
            );
            if first == "config" && plain.iter().any(|it| it.ends_with("_authToken")) {
                action.meet(SecretPrinted);
            }
            let publishes = at.is_some() && !is_other;
            // `npm run publish` is a script of the project, which may do just that.
            if publishes && !is_rehearsal {
                action.meet(Publish);
            }
        }
        RemoteKind::Deployer | RemoteKind::GemPush | RemoteKind::TwineUpload => {}
    }
}

/// What a runner starts: a tool of a database, an agent, or provost itself.
fn started(program: &Program, kind: RemoteKind, arguments: Arguments<'_>, action: &mut Action) {
    let words = arguments.words();
    let at = words.iter().position(|it| RUNS.contains(&lead(it)));
    let rest = at.and_then(|it| words.get(it + 1..)).unwrap_or_default();
    if program.is(Trait::StartsPackages) {
        // `yarn prisma` and `pnpm prisma` do without the word.
        database::tools(if rest.is_empty() { words } else { rest }, action);
        process::packaged(rest, action);
    }
    if matches!(kind, RemoteKind::Container | RemoteKind::Cluster) {
        database::tools(words, action);
    }
    if program.name == "cargo" && matches!(arguments.first(), Some("run" | "r")) {
        let is_provost = |it: &str| it.rsplit('=').next() == Some("provost");
        if words.iter().any(|it| is_provost(lead(it))) {
            let dashes = words.iter().position(|it| it.text() == Some("--"));
            let named = words.iter().position(|it| is_provost(lead(it)));
            let at = dashes.or(named).unwrap_or_default();
            process::provost(Arguments::new(words.get(at + 1..).unwrap_or_default()), action);
        }
    }
}

fn github(arguments: Arguments<'_>, plain: &[&str], action: &mut Action) {
    if plain.first() == Some(&"api") {
        interface(arguments, plain, action);
    }
    for pair in plain.windows(2).take(3) {
        match pair {
            ["repo", "delete" | "archive"] => action.meet(CloudDestroy),
            ["release", "create" | "upload"] => action.meet(Publish),
            [
                "release" | "secret" | "variable" | "run" | "workflow" | "repo",
                "delete" | "set" | "remove" | "edit" | "rename",
            ] => action.meet(CloudChange),
            _ => {}
        }
    }
}

/// `gh api -X DELETE /repos/o/r`.
fn interface(arguments: Arguments<'_>, plain: &[&str], action: &mut Action) {
    let texts: Vec<String> = arguments.words().iter().map(ToString::to_string).collect();
    let named = arguments.values(&["-X", "--method"]);
    let attached = texts.iter().filter_map(|it| it.strip_prefix("-X").map(str::to_owned));
    let methods: Vec<String> = named.chain(attached).map(|it| it.to_ascii_uppercase()).collect();
    let uses = |it: &[&str]| methods.iter().any(|method| it.contains(&method.as_str()));
    let is_whole = plain.iter().any(|it| {
        let path = it.rsplit_once("api.github.com/").map_or(*it, |(_, path)| path);
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        matches!(parts.as_slice(), ["repos", _, _] | ["orgs", _])
    });
    let mutates = ["deleteRepository", "archiveRepository"];
    if (is_whole && uses(&["DELETE"]))
        || texts.iter().any(|it| mutates.iter().any(|m| it.contains(m)))
    {
        action.meet(CloudDestroy);
    } else if uses(&["DELETE"])
        || (is_whole && uses(&["PATCH", "PUT"]))
        || (plain.iter().any(|it| it.contains("/git/refs")) && uses(&["PATCH", "POST", "PUT"]))
    {
        action.meet(CloudChange);
    }
}

fn container(arguments: Arguments<'_>, plain: &[&str], action: &mut Action) {
    let is = |one: &str, two: &[&str]| {
        plain.iter().zip(plain.iter().skip(1)).any(|(a, b)| *a == one && two.contains(b))
    };
    if is("system", &["prune", "reset"]) || is("volume", &["rm", "remove", "prune"]) {
        action.meet(ContainerDestroy);
        return;
    }
    let drops_volumes =
        plain.contains(&"down") && (arguments.has("-v") || arguments.has_long("--volumes"));
    let is_host = |it: &str| matches!(it, "--pid=host" | "--privileged" | "--privileged=true");
    let mut values = arguments.values(&["--pid", "--cap-add"]);
    let opens_machine = arguments.words().iter().any(|it| is_host(lead(it)))
        || values.any(|it| matches!(it.as_str(), "host" | "ALL" | "SYS_ADMIN" | "CAP_SYS_ADMIN"))
        || mounts_machine(arguments);
    let pushes = plain.first() == Some(&"push") || is("image", &["push"]);
    if drops_volumes || opens_machine {
        action.meet(ContainerChange);
    }
    if pushes {
        action.meet(Publish);
    }
    let is_open = |it: &Word| it.text().is_none();
    let ends = matches!(plain.first(), Some(&("kill" | "rm" | "stop")));
    if ends && arguments.words().iter().any(is_open) {
        action.meet(ContainerChange);
    }
    if arguments.words().iter().any(|it| it.to_string().contains(".Config.Env")) {
        action.meet(SecretPrinted);
    }
}

/// `-v /:/host` gives a container the whole machine, and so does the engine's own socket.
fn mounts_machine(arguments: Arguments<'_>) -> bool {
    let words: Vec<String> = arguments.words().iter().map(ToString::to_string).collect();
    words.iter().any(|word| {
        let value = word.strip_prefix("--volume=").or_else(|| word.strip_prefix("-v"));
        let value = value.unwrap_or(word).trim_start_matches("--mount=");
        let named = value.split(',').find_map(|it| {
            it.strip_prefix("source=").or_else(|| it.strip_prefix("src=")).map(str::to_owned)
        });
        let bound = value.split_once(':').map(|(source, _)| source.to_owned());
        value.contains("docker.sock") || named.or(bound).is_some_and(|it| is_machine(&it))
    })
}

fn is_machine(source: &str) -> bool {
    let mut known: Vec<&str> = Vec::new();
    for part in source.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                known.pop();
            }
            _ => known.push(part),
        }
    }
    let path = known.join("/");
    let is_home = matches!(source.trim_end_matches('/'), "~" | "$HOME" | "${HOME}")
        || matches!(known.as_slice(), ["home" | "Users", _]);
    is_home && !source.is_empty()
        || source.starts_with('/')
            && (path.is_empty() || MACHINE.contains(&path.as_str()) || is_home)
}

fn cluster(arguments: Arguments<'_>, plain: &[&str], action: &mut Action) {
    let Some(at) = plain.iter().position(|it| *it == "delete") else {
        let is_rehearsal = arguments.words().iter().any(|it| lead(it).starts_with("--dry-run"));
        let changes = |it: &&str| matches!(*it, "drain" | "replace" | "apply" | "scale");
        if plain.iter().take(3).any(changes) && !is_rehearsal {
            action.meet(KubernetesChange);
        }
        return;
    };
    let kinds = plain.get(at + 1).copied().unwrap_or_default();
    let is_grave = kinds.split(',').any(|it| {
        let kind = it.split('/').next().unwrap_or_default();
        matches!(
            kind,
            "ns" | "namespace"
                | "namespaces"
                | "all"
                | "pv"
                | "pvc"
                | "persistentvolume"
                | "persistentvolumes"
                | "persistentvolumeclaim"
                | "persistentvolumeclaims"
                | "crd"
                | "node"
                | "nodes"
                | "project"
        )
    });
    let is_all = arguments.has_long("--all") || arguments.has("-A");
    action.meet(if is_grave || is_all { KubernetesDestroy } else { KubernetesChange });
}

fn cloud(arguments: Arguments<'_>, plain: &[&str], action: &mut Action) {
    let is_deletion = |it: &str| {
        it == "rm"
            || it == "rb"
            || it.starts_with("delete")
            || it.starts_with("terminate")
            || it == "purge"
            || it.starts_with("destroy")
    };
    let verb = plain.iter().take(4).copied().find(|it| is_deletion(it));
    let is_single =
        verb == Some("rm") && !arguments.has_long("--recursive") && !arguments.has_letter("r");
    match verb {
        Some(_) if is_single => action.meet(CloudChange),
        Some(_) => action.meet(CloudDestroy),
        None => {}
    }
}
