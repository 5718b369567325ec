//! Trees that would hold git up or that it cannot list in full, and commands that are ended.

use std::{fs, os::unix::net::UnixListener, sync::Arc};

use provost_exec::{
    Canceller,
    git::{GitError, ObjectId, Obstacle, Watch, changes, clone, restore, snapshot},
};
use provost_kernel::{Lang, Message};

use crate::repository::{Repository, identity, script};

#[track_caller]
fn refused(repository: &Repository) -> (String, Obstacle) {
    match snapshot::take(&repository.git, &repository.clone) {
        Err(GitError::Unfit { path, why }) => (path, why),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(plant: &str, path: &str, why: Obstacle) {
    let repository = Repository::new();
    repository.agent(plant);
    assert_eq!(refused(&repository), (path.to_owned(), why), "{plant}");
}

#[test]
fn what_git_would_wait_for_is_refused_before_git_looks() {
    use Obstacle::{NotAFile, Special};

    check("mkfifo .gitattributes", ".gitattributes", Special);
    check("rm .gitignore; mkfifo .gitignore", ".gitignore", Special);
    check("mkfifo folder/.gitattributes", "folder/.gitattributes", Special);
    check("mkdir -p 新/b; mkfifo 新/b/.gitignore", "新/b/.gitignore", Special);
    check("mkdir x.log; mkfifo x.log/.gitignore", "x.log/.gitignore", Special);
    check("mkfifo pipe", "pipe", Special);
    check("rm text; mkfifo text", "text", Special);
    check("mkdir a; mkfifo a/.git", "a/.git", Special);
    check("rm .gitignore; mkdir .gitignore", ".gitignore", NotAFile);
    check("rm .gitignore; ln -s text .gitignore", ".gitignore", NotAFile);
    check("ln -s /dev/zero folder/.gitmodules", "folder/.gitmodules", NotAFile);

    let repository = Repository::new();
    let socket = UnixListener::bind(repository.clone.tree.join("socket")).unwrap();
    assert_eq!(refused(&repository), ("socket".to_owned(), Special));
    drop(socket);
    fs::remove_file(repository.clone.tree.join("socket")).unwrap();
    assert_eq!(repository.described(), [""; 0]);
}

/// Git opens files of a repository inside the tree to see whether it is one.
#[test]
fn a_repository_inside_the_tree_cannot_hold_git_up() {
    use Obstacle::{Elsewhere, Special};

    let head = "git init -q inner; rm inner/.git/HEAD; mkfifo inner/.git/HEAD";
    check(head, "inner/.git/HEAD", Special);
    let reference = "git init -q inner; mkfifo inner/.git/refs/heads/main";
    check(reference, "inner/.git/refs/heads/main", Special);
    let link = "git init -q inner; mkfifo $W/pipe; ln -s $W/pipe inner/.git/packed-refs";
    check(link, "inner/.git/packed-refs", Elsewhere);
    let shared = "git init -q inner; echo /tmp > inner/.git/commondir";
    check(shared, "inner/.git/commondir", Elsewhere);
    let moved = "git init -q inner; mv inner/.git $W/moved; ln -s $W/moved inner/.git";
    check(moved, "inner/.git", Elsewhere);
    let named = "git init -q $W/far; mkdir inner; echo gitdir: $W/far/.git > inner/.git";
    check(named, "inner/.git", Elsewhere);
    check("git worktree add -q inner", ".git/worktrees/inner/commondir", Elsewhere);

    let repository = Repository::new();
    repository.agent("git init -q --separate-git-dir=x.log inner");
    assert_eq!(repository.snapshot().nested, [b"inner/"], "one that stays in the tree is named");
}

/// Git leaves such paths out with no more than a warning.
#[test]
fn what_git_cannot_list_is_refused() {
    let repository = Repository::new();
    repository.agent("mkdir -p $(printf 'd/%.0s' $(seq 300)); echo 1 > d/d/d/file");
    assert_eq!(refused(&repository).1, Obstacle::TooDeep);

    let repository = Repository::new();
    repository.agent(
        "name=$(printf 'n%.0s' $(seq 250)); for i in $(seq 18); do mkdir $name; cd -P $name; done",
    );
    let (path, why) = refused(&repository);
    assert_eq!(
        (path.chars().count(), why),
        (201, Obstacle::TooLong),
        "not longer than a person reads"
    );

    let repository = Repository::new();
    repository.agent("mkdir -p $(printf 'd/%.0s' $(seq 250)); echo 1 > d/d/d/file");
    assert_eq!(repository.described(), ["d/d/d/file +1 -0 ->file untracked"]);
}

/// A repository in a folder with tracked files hides nothing that is new there.
#[test]
fn a_repository_made_in_a_tracked_folder_hides_nothing() {
    let repository = Repository::new();
    repository.agent("git init -q folder; echo 1 > folder/new; echo 2 >> folder/中文.txt");
    let seen = repository.described();
    assert!(seen.contains(&"folder/new +1 -0 ->file untracked".to_owned()), "{seen:?}");
    assert!(seen.contains(&"folder/中文.txt +1 -0 file>file unstaged".to_owned()), "{seen:?}");
}

#[test]
fn a_refusal_names_the_path_in_both_languages() {
    let repository = Repository::new();
    repository.agent("mkfifo $(printf 'a\\033[31mb')");
    let error = snapshot::take(&repository.git, &repository.clone).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read the working tree: `a\\u{1b}[31mb` is a pipe, a socket or a device"
    );
    assert!(
        Lang::Zh.render(&error.text()).contains("`a\\u{1b}[31mb` 是管道"),
        "{}",
        Lang::Zh.render(&error.text())
    );
}

/// Programs may leave a socket in a checkout; what would hold git up is refused there too.
#[test]
fn a_checkout_that_programs_ran_in_is_restored_without_waiting() {
    let repository = Repository::new();
    let base = &repository.clone.base;
    let into = repository.world.path.join("clean");
    let clean = clone::exact(&repository.git, &repository.clone, base, &into, &identity()).unwrap();
    script(&repository.world, "clean", "mkfifo pipe; echo 3 > text; rm gone; mkfifo gone");
    let mut restored = restore::tracked(&repository.git, &clean).unwrap();
    restored.sort();
    assert_eq!(restored, ["gone", "text"]);
    assert_eq!(fs::read_to_string(clean.tree.join("gone")).unwrap(), "x\n");

    script(&repository.world, "clean", "mkfifo folder/.gitattributes");
    let error = restore::tracked(&repository.git, &clean).unwrap_err();
    assert!(matches!(error, GitError::Unfit { why: Obstacle::Special, .. }), "{error:?}");
}

/// Wants the end of every command at once.
#[derive(Debug)]
struct Impatient;

impl Watch for Impatient {
    fn during(&self, job: Canceller, wait: &mut dyn FnMut()) {
        let cancelling = std::thread::spawn(move || job.cancel());
        wait();
        cancelling.join().unwrap();
    }
}

/// Never waits.
#[derive(Debug)]
struct Absent;

impl Watch for Absent {
    fn during(&self, _: Canceller, _: &mut dyn FnMut()) {}
}

#[derive(Debug)]
struct Patient;

impl Watch for Patient {
    fn during(&self, _: Canceller, wait: &mut dyn FnMut()) {
        wait();
        wait();
    }
}

#[test]
fn a_command_that_hangs_ends_when_it_is_cancelled() {
    let mut repository = Repository::new();
    let digits = "0123456789012345678901234567890123456789";
    let id: ObjectId = digits.parse().unwrap();
    let folder = repository.clone.git_dir.join("objects/01");
    fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join(&digits[2..]);
    repository.agent(&format!("mkfifo {}", pipe.display()));
    for watch in [Arc::new(Impatient) as Arc<dyn Watch>, Arc::new(Absent)] {
        repository.git = repository.git.with_watch(watch);
        let read = changes::read_blob(&repository.git, &repository.clone, &id, 100);
        assert!(matches!(read, Err(GitError::Cancelled { .. })), "{read:?}");
    }
}

#[test]
fn a_command_under_watch_does_what_it_does_without() {
    let mut repository = Repository::new();
    repository.agent("echo 1 > new");
    repository.git = repository.git.with_watch(Arc::new(Patient));
    assert_eq!(repository.described(), ["new +1 -0 ->file untracked"]);
}
