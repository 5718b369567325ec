//! Everything an agent may put into a repository to have a command run: none runs.

use std::{fs, os::unix::fs::PermissionsExt as _};

use provost_exec::git::{changes, clone, publish};
use provost_kernel::{AttemptNumber, TaskId, Timestamp};

use crate::repository::{Repository, identity, script};

/// A repository in which `$W/canary` is a program that leaves a trace when it runs, wherever a
/// sandbox lets it.
fn repository() -> Repository {
    // `module` is a repository of its own, as a submodule is.
    let repository = Repository::with(
        "echo '*.x filter=evil' > .gitattributes; echo 1 > a.x; git init -q module; \
         echo 1 > module/m; git -C module add m; git -C module commit -q -m x; git add module 2>/dev/null;",
    );
    let world = &repository.world;
    let program = format!(
        "#!/bin/sh\necho \"$*\" >> {}\necho ran >> {}\nexit 1\n",
        world.at("ran"),
        repository.clone.git_dir.join("ran").display(),
    );
    world.write("canary", &program);
    let path = world.path.join("canary");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    repository
}

fn has_run(repository: &Repository) -> bool {
    repository.world.path.join("ran").exists() || repository.clone.git_dir.join("ran").exists()
}

/// Plants something, shows where possible that ordinary git falls for it, and then goes through
/// everything that provost does with the tree.
#[track_caller]
fn check(plant: &str, falls_for_it: &str) {
    let repository = repository();
    repository.agent(&format!("echo 1 > new; echo 2 > b.x; {plant}"));
    if !falls_for_it.is_empty() {
        repository.agent(&format!("timeout 5 sh -c '{falls_for_it}' >/dev/null 2>&1 || true"));
        assert!(has_run(&repository), "the plant is dead: {plant}");
    }
    let _ = fs::remove_file(repository.world.path.join("ran"));
    let _ = fs::remove_file(repository.clone.git_dir.join("ran"));

    let (git, private) = (&repository.git, &repository.clone);
    let snapshot = repository.snapshot();
    let seen = changes::of(git, private, &snapshot).unwrap();
    assert!(seen.iter().any(|it| it.path == "new" && it.added == 1), "{plant}: {seen:?}");
    assert!(seen.iter().any(|it| it.path == "b.x" && it.added == 1), "{plant}: {seen:?}");
    assert!(seen.iter().all(|it| it.path != "text"), "{plant}: {seen:?}");
    changes::patch(git, private, &snapshot, 1 << 20).unwrap();
    let task: TaskId = "t1".parse().unwrap();
    let label = publish::Label {
        task: &task,
        attempt: AttemptNumber::FIRST,
        identity: &identity(),
        when: Timestamp::EPOCH,
        message: "result",
    };
    let published = publish::publish(git, private, &snapshot, &repository.path, &label).unwrap();
    let into = repository.world.path.join("clean");
    let clean = clone::exact(git, private, &published.commit, &into, &identity()).unwrap();
    assert_eq!(fs::read_to_string(clean.tree.join("new")).unwrap(), "1\n");
    assert!(!has_run(&repository), "{plant}: {:?}", fs::read_to_string(repository.world.at("ran")));
}

#[test]
fn a_file_system_monitor_does_not_run() {
    check("git config core.fsmonitor $W/canary", "git status");
}

#[test]
fn hooks_do_not_run() {
    let plant = "mkdir -p .git/hooks; for hook in pre-commit post-checkout post-index-change \
        reference-transaction post-merge pre-auto-gc fsmonitor-watchman post-rewrite update \
        pre-receive post-receive proc-receive push-to-checkout; do \
        cp $W/canary .git/hooks/$hook; done";
    check(plant, "git add new");
    check(
        "mkdir $W/hooks; cp $W/canary $W/hooks/post-index-change; git config core.hooksPath $W/hooks",
        "git add new",
    );
}

#[test]
fn filters_do_not_run() {
    let plant = "git config filter.evil.clean $W/canary; git config filter.evil.smudge $W/canary";
    check(plant, "git add b.x");
    check(
        "git config filter.evil.process $W/canary; git config filter.evil.required true",
        "git add b.x",
    );
    check(
        "echo '* filter=evil' > .gitattributes; git config filter.evil.clean $W/canary",
        "git add new",
    );
}

#[test]
fn drivers_of_diff_and_merge_do_not_run() {
    check("git config diff.external $W/canary; echo 2 >> a.x", "git diff");
    check(
        "echo '* diff=evil' > .gitattributes; git config diff.evil.textconv $W/canary; echo 2 >> a.x",
        "git diff",
    );
    check(
        "echo '* diff=evil' > .gitattributes; git config diff.evil.command $W/canary; echo 2 >> a.x",
        "git diff",
    );
    check("echo '* merge=evil' > .gitattributes; git config merge.evil.driver $W/canary", "");
}

#[test]
fn programs_named_in_the_configuration_do_not_run() {
    check("git config alias.st !$W/canary; git config alias.write-tree !$W/canary", "git st");
    check(
        "git config core.pager $W/canary; git config core.editor $W/canary; git config sequence.editor $W/canary",
        "git commit --allow-empty",
    );
    check(
        "git config core.sshCommand $W/canary; git config core.askPass $W/canary; git config credential.helper $W/canary",
        "git ls-remote ssh://x/y",
    );
    check(
        "git config gpg.program $W/canary; git config commit.gpgSign true; git config log.showSignature true",
        "git commit --allow-empty -m x",
    );
    check(
        "git config uploadpack.packObjectsHook $W/canary; git config core.gitProxy $W/canary; git config core.alternateRefsCommand $W/canary",
        "",
    );
    check(
        "git config remote.origin.url \"ext::$W/canary\"; git config protocol.ext.allow always; git config extensions.partialClone origin; git config remote.origin.promisor true",
        "git fetch origin",
    );
    check(
        "git config trailer.x.command $W/canary; git config browser.x.cmd $W/canary; git config core.fsmonitorHookVersion 2",
        "",
    );
}

#[test]
fn configuration_from_elsewhere_is_not_read() {
    check(
        "printf '[core]\\n\\tfsmonitor = %s\\n' $W/canary > evil; git config include.path ../evil",
        "git status",
    );
    check(
        "printf '[core]\\n\\tfsmonitor = %s\\n' $W/canary > .git/config.worktree; git config extensions.worktreeConfig true",
        "git status",
    );
    check("mkdir $W/other; git config core.worktree $W/other", "");
    check(
        "git config core.bare true; git config core.repositoryFormatVersion 1; git config extensions.unknown x",
        "",
    );
}

#[test]
fn repositories_inside_the_tree_are_not_entered() {
    let inner = "git init -q inner; cd inner; echo 1 > a; git add a; git commit -qm x; \
        git config core.fsmonitor $W/canary; cd ..;";
    check(inner, "cd inner; git status");
    check(&format!("{inner} git add inner 2>/dev/null; git commit -qm sub"), "git status");
    check(
        &format!("{inner} git add inner 2>/dev/null; git commit -qm sub; echo 2 >> inner/a"),
        "git diff",
    );
    let modules = "printf '[submodule \"inner\"]\\n\\tpath = inner\\n\\turl = ../x\\n\\tupdate = none\\n' > .gitmodules;";
    check(
        &format!(
            "{inner} {modules} git add -A 2>/dev/null; git commit -qm sub; git config submodule.recurse true; git config submodule.inner.update '!'$W/canary"
        ),
        "git status",
    );
    // In the place where the base names another repository.
    let module = "rm -rf module; git clone -q $W/person/module module; cd module; \
        git config core.fsmonitor $W/canary; git config filter.evil.clean $W/canary; \
        mkdir -p .git/info; echo '* filter=evil' > .git/info/attributes; echo 2 > m; cd ..";
    check(module, "git status");
    // A folder that is a repository without being called `.git`.
    check(
        "git init -q --bare bare; git -C bare config core.fsmonitor $W/canary; git -C bare config core.worktree ..",
        "",
    );
    check(
        "git init -q --separate-git-dir=evil sub; git -C sub config core.fsmonitor $W/canary",
        "cd sub; git status",
    );
}

#[test]
fn a_replaced_git_folder_is_not_entered() {
    let evil = "git init -q $W/evil; git -C $W/evil config core.fsmonitor $W/canary; rm -rf .git;";
    check(&format!("{evil} echo gitdir: $W/evil/.git > .git"), "git status");
    check(&format!("{evil} ln -s $W/evil/.git .git"), "git status");
    check(&format!("{evil} mkdir .git; cp -r $W/evil/.git/. .git"), "git status");
}

/// The person's own repository is read and written with the same care: a hook in it does not run
/// when a result arrives.
#[test]
fn hooks_of_the_person_do_not_run_when_a_result_arrives() {
    let plant = "mkdir -p $W/person/.git/hooks; for hook in reference-transaction post-merge \
        pre-auto-gc; do cp $W/canary $W/person/.git/hooks/$hook; done; \
        git -C $W/person config core.fsmonitor $W/canary";
    check(plant, "git -C $W/person update-ref refs/x HEAD");
    let repository = repository();
    assert_eq!(script(&repository.world, "person", "git for-each-ref refs/provost"), "");
}
