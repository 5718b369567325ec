//! Programs that change what runs elsewhere, or publish.

use provost_shell::{Invocation, Join, Program, RemoteKind, Trait, Word};

use super::{
    super::{
        action::{Action, host_of},
        arguments::{Arguments, lead, program as program_of},
        builtin::BuiltIn::{
            CloudChange, CloudDestroy, ContainerChange, ContainerDestroy, KubernetesChange,
            KubernetesDestroy, Publish, SecretPrinted,
        },
    },
    Part, database, process,
    sending::is_local,
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
            let is_change = matches!(first, "uninstall" | "delete" | "rollback" | "upgrade");
            if is_change && !arguments.has_long("--dry-run") {
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

/// Whether a call is about a cluster that runs on this machine: by its context, or because the line
/// itself has just made one.
pub(super) fn is_cluster_here(part: &Part<'_>, arguments: Arguments<'_>) -> bool {
    let is_here = |it: &String| {
        ["k3d-", "kind-"].iter().any(|start| it.starts_with(start))
            || matches!(it.as_str(), "colima" | "docker-desktop" | "minikube" | "orbstack")
            || it == "rancher-desktop"
    };
    let contexts: Vec<String> = arguments.values(&["--context", "--kube-context"]).collect();
    if !contexts.is_empty() {
        return contexts.iter().all(is_here);
    }
    let all = part.script.invocations.get(..=part.index).unwrap_or_default();
    let is_tied = |it: &&Invocation| matches!(it.join, Join::And | Join::Pipe);
    let n_tied = all.iter().rev().take_while(is_tied).count();
    all.iter().rev().skip(1).take(n_tied).any(|it| {
        let words: Vec<&str> = Arguments::of(it).operands().map(lead).collect();
        match program_of(it).as_deref() {
            Some("kind") => words.starts_with(&["create", "cluster"]),
            Some("k3d") => words.starts_with(&["cluster", "create"]),
            Some("minikube") => words.first() == Some(&"start"),
            Some(_) | None => false,
        }
    })
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
    let ends = matches!(plain.first(), Some(&("kill" | "rm")));
    if ends && arguments.words().iter().any(is_open) {
        action.meet(ContainerChange);
    }
    // What an image sets is there for everybody who can fetch it.
    let is_image = is("image", &["inspect"]);
    if !is_image && arguments.words().iter().any(|it| it.to_string().contains(".Config.Env")) {
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
        let is_rollout = plain.iter().zip(plain.iter().skip(1)).any(|(one, two)| {
            *one == "rollout" && matches!(*two, "pause" | "restart" | "resume" | "undo")
        });
        if (is_rollout || plain.iter().take(3).any(changes)) && !is_rehearsal {
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

/// What opens a part of a cloud to everybody.
const WORLD: [&str; 9] = [
    "--allow-blob-public-access=true",
    "--allow-unauthenticated",
    "--publicly-accessible",
    "0.0.0.0/0",
    "::/0",
    "allauthenticatedusers",
    "allusers",
    "public-read",
    "source-address-prefixes=*",
];

/// How the words begin by which a cloud is changed, and not only asked.
const CHANGES: [&str; 13] = [
    "authorize-",
    "cancel-",
    "deregister-",
    "detach-",
    "disable-",
    "disassociate-",
    "modify-",
    "put-bucket-",
    "reboot-",
    "release-",
    "revoke-",
    "stop-",
    "update-",
];

/// Whether a part of a cloud is changed, or opened to everybody.
fn is_changed(arguments: Arguments<'_>, plain: &[&str]) -> bool {
    let asks = ["describe", "get", "list", "show"];
    if plain.iter().take(4).any(|it| asks.iter().any(|verb| it.starts_with(verb))) {
        return false;
    }
    let texts = arguments.words().iter().map(|it| it.to_string().to_ascii_lowercase());
    let texts: Vec<String> = texts.collect();
    let pairs = texts.iter().zip(texts.iter().skip(1)).map(|(one, two)| format!("{one}={two}"));
    let opens = |it: &str| WORLD.iter().any(|word| it.contains(word));
    // It only writes a file of this machine.
    let changes =
        |it: &&str| CHANGES.iter().any(|verb| it.starts_with(verb)) && *it != "update-kubeconfig";
    texts.iter().any(|it| opens(it))
        || pairs.into_iter().any(|it| opens(&it))
        || plain.iter().take(3).any(changes)
        || plain.iter().take(3).any(|it| *it == "deploy")
}

fn cloud(arguments: Arguments<'_>, plain: &[&str], action: &mut Action) {
    let mut endpoints = arguments.values(&["--endpoint-url"]).filter_map(|it| host_of(&it));
    if endpoints.next().is_some_and(|it| is_local(&it)) {
        return;
    }
    if is_changed(arguments, plain) {
        action.meet(CloudChange);
    }
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
