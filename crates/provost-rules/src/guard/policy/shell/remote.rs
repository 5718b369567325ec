//! Programs that change what runs elsewhere, or publish.

use super::super::{
    act::Act,
    arguments::{Arguments, lead},
    builtin::{CLOUD_CHANGE, CLOUD_DESTROY, PUBLISH},
};

/// Judges a program that speaks to a container engine, a cluster, a cloud or a registry.
pub(super) fn judge(program: &str, arguments: Arguments<'_>, act: &mut Act) {
    let plain: Vec<&str> = arguments.operands().map(lead).collect();
    let has = |word: &str| plain.contains(&word);
    let first = plain.first().copied().unwrap_or_default();
    match program {
        "docker" | "podman" | "nerdctl" | "docker-compose" => container(arguments, &plain, act),
        "kubectl" | "oc" => cluster(arguments, &plain, act),
        "helm" if matches!(first, "uninstall" | "delete" | "rollback") => act.meet(&CLOUD_CHANGE),
        "terraform" | "tofu" | "terragrunt" => {
            let destroys = has("destroy")
                || has("destroy-all")
                || arguments.has("-destroy")
                || arguments.has("--destroy");
            let is_state = first == "state" && (has("rm") || has("push"));
            if destroys {
                act.meet(&CLOUD_DESTROY);
            } else if has("apply") || is_state {
                act.meet(&CLOUD_CHANGE);
            }
        }
        "pulumi" | "cdk" if has("destroy") => act.meet(&CLOUD_DESTROY),
        "pulumi" | "cdk" if has("up") || has("deploy") => act.meet(&CLOUD_CHANGE),
        "aws" | "gcloud" | "az" | "gsutil" => cloud(arguments, &plain, act),
        "gh" => github(&plain, act),
        "gem" if first == "push" => act.meet(&PUBLISH),
        "twine" if first == "upload" => act.meet(&PUBLISH),
        "npm" | "pnpm" | "yarn" | "bun" | "cargo" | "poetry" | "uv" | "hatch" | "flit" | "vsce" => {
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
            let publishes = at.is_some() && !is_other;
            // `npm run publish` is a script of the project, which may do just that.
            if publishes && !is_rehearsal {
                act.meet(&PUBLISH);
            }
        }
        _ => {}
    }
}

fn github(plain: &[&str], act: &mut Act) {
    for pair in plain.windows(2).take(3) {
        match pair {
            ["repo", "delete" | "archive"] => act.meet(&CLOUD_DESTROY),
            ["release", "create" | "upload"] => act.meet(&PUBLISH),
            [
                "release" | "secret" | "variable" | "run" | "workflow" | "repo",
                "delete" | "set" | "remove" | "edit" | "rename",
            ] => act.meet(&CLOUD_CHANGE),
            _ => {}
        }
    }
}

fn container(arguments: Arguments<'_>, plain: &[&str], act: &mut Act) {
    let is = |one: &str, two: &[&str]| {
        plain.iter().zip(plain.iter().skip(1)).any(|(a, b)| *a == one && two.contains(b))
    };
    if is("system", &["prune", "reset"]) || is("volume", &["rm", "remove", "prune"]) {
        act.meet(&CLOUD_DESTROY);
        return;
    }
    let drops_volumes =
        plain.contains(&"down") && (arguments.has("-v") || arguments.has_long("--volumes"));
    let opens_machine = arguments.has("--privileged")
        || arguments.words().iter().any(|it| mounts_root(&it.to_string()));
    let pushes = plain.first() == Some(&"push") || is("image", &["push"]);
    if drops_volumes || opens_machine {
        act.meet(&CLOUD_CHANGE);
    }
    if pushes {
        act.meet(&PUBLISH);
    }
}

/// `-v /:/host` gives a container the whole machine, and so does the engine's own socket.
fn mounts_root(word: &str) -> bool {
    let value = word.trim_start_matches("--volume=").trim_start_matches("-v");
    value.starts_with("/:") || value.contains("docker.sock") || value.contains("source=/,")
}

fn cluster(arguments: Arguments<'_>, plain: &[&str], act: &mut Act) {
    let Some(at) = plain.iter().position(|it| *it == "delete") else {
        if plain.first().is_some_and(|it| matches!(*it, "drain" | "replace" | "apply" | "scale")) {
            act.meet(&CLOUD_CHANGE);
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
    act.meet(if is_grave || is_all { &CLOUD_DESTROY } else { &CLOUD_CHANGE });
}

fn cloud(arguments: Arguments<'_>, plain: &[&str], act: &mut Act) {
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
        Some(_) if is_single => act.meet(&CLOUD_CHANGE),
        Some(_) => act.meet(&CLOUD_DESTROY),
        None => {}
    }
}
