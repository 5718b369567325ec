//! Private clones: how they are made and refused, and how results come back.

use std::fs;

use provost_exec::git::{GitError, Identity, PrivateClone, clone, publish, snapshot};
use provost_exec::sandbox::{Network, Requirement, Sandbox};
use provost_kernel::{AttemptNumber, Exit, Message, TaskId, Timestamp};

use crate::repository::{Repository, git, identity, script};
use crate::world::{World, contents};

fn label<'a>(task: &'a TaskId, identity: &'a Identity) -> publish::Label<'a> {
    publish::Label {
        task,
        attempt: AttemptNumber::FIRST,
        identity,
        when: "2026-01-02T03:04:05Z".parse::<Timestamp>().unwrap(),
        message: "结果: result\n\nbody",
    }
}

#[test]
fn a_private_clone_is_an_ordinary_repository_for_the_agent() {
    let repository = Repository::new();
    assert_eq!(
        repository.agent("git status --porcelain; git branch --show-current; git remote"),
        "provost\n"
    );
    assert_eq!(
        repository.agent("git log --format=%s; ls .git/hooks 2>/dev/null | wc -l"),
        "base\n0\n"
    );
    // The agent can commit without any configuration of the person.
    let text = "unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL; \
        echo 3 >> text; git commit -qam work; git log -1 --format='%an <%ae>'";
    assert_eq!(repository.agent(text), "an agent <agent@example.com>\n");
    // It is a clone, not a copy: the objects stay with the person.
    assert_eq!(
        repository.agent("git cat-file -t HEAD~; find .git/objects -type f | grep -c pack || true"),
        "commit\n0\n"
    );
    assert_eq!(fs::read_link(repository.clone.tree.join("link")).unwrap().to_str(), Some("text"));
    let found = PrivateClone::open(&repository.git, &repository.clone.tree).unwrap();
    assert_eq!(found, repository.clone);
}

/// The person's repository is not writable inside the sandbox of an attempt, and the clone is.
#[test]
fn the_agent_works_in_its_sandbox() {
    let repository = Repository::new();
    let world = &repository.world;
    let before = contents(&repository.path);
    let mut job = world.job(&[
        "sh",
        "-ec",
        "echo 1 > new; git add new; git commit -qm x; \
        ! touch ../attempt_001.git/x 2>/dev/null; ! touch ../person/x 2>/dev/null",
    ]);
    job.cwd.clone_from(&repository.clone.tree);
    job.sandbox = Some(Sandbox {
        writable: vec![repository.clone.tree.clone()],
        hidden: Vec::new(),
        network: Network::Off(Requirement::Accept),
        files: Requirement::Must,
        limits: provost_exec::Limits::default(),
    });
    job.env.insert("HOME".to_owned(), "/nowhere".to_owned());
    let left = world.run(&job);
    assert_eq!(left.outcome.rc, 0, "{}", left.stderr);
    assert_eq!(repository.described(), ["new +1 -0 ->file committed"]);
    assert_eq!(contents(&repository.path), before);
}

#[test]
fn what_cannot_be_cloned_is_refused_by_name() {
    let world = World::new();
    for name in ["person", "plain", "empty"] {
        fs::create_dir(world.path.join(name)).unwrap();
    }
    script(
        &world,
        "person",
        "git init -q; echo 1 > a; git add a; git commit -qm x; git tag -a v1 -m x; git init -q --bare ../bare.git; git -C ../empty init -q",
    );
    let attempt = |repository: &str, base: &str, into: &str| {
        let repository = world.path.join(repository);
        clone::private(&git(), &repository, base, &world.path.join(into), &identity())
    };
    let check = |repository: &str, base: &str, expected: &str| {
        let error = attempt(repository, base, "clone").unwrap_err();
        let expected = expected.replace("$W", world.path.to_str().unwrap());
        assert_eq!(error.to_string(), expected, "{repository} {base:?}");
        assert_eq!(error.exit(), Exit::Unable);
        assert!(!world.path.join("clone").exists() && !world.path.join("clone.git").exists());
    };
    check("plain", "HEAD", "`$W/plain` is not a git repository");
    check("absent", "HEAD", "`$W/absent` is not a git repository");
    check("bare.git", "HEAD", "cannot work in `$W/bare.git`: it is a bare repository");
    check("empty", "HEAD", "unknown revision `HEAD`");
    check("person", "no-such-branch", "unknown revision `no-such-branch`");
    check("person", "--upload-pack=x", "unknown revision `--upload-pack=x`");
    check("person", "-h", "unknown revision `-h`");
    check("person", "", "unknown revision ``");
    check("person", "a\nb", "unknown revision `a\\nb`");
    check("person", "HEAD:a", "unknown revision `HEAD:a`");
    check("person", "HEAD..HEAD", "unknown revision `HEAD..HEAD`");

    attempt("person", "v1", "clone").unwrap();
    let error = attempt("person", "HEAD", "clone").unwrap_err();
    assert!(matches!(error, GitError::Exists { .. }), "{error:?}");
    assert!(world.path.join("clone/a").exists());
}

#[test]
fn odd_repositories_can_be_cloned() {
    let check = |make: &str, folder: &str| {
        let world = World::new();
        fs::create_dir(world.path.join("person")).unwrap();
        let commit = "echo 1 > a; git add a; git commit -qm x; echo 2 > a; git commit -qam y;";
        script(&world, "person", &make.replace("COMMIT", commit));
        let into = world.path.join("clone with: \"quotes\"");
        let clone =
            clone::private(&git(), &world.path.join(folder), "HEAD", &into, &identity()).unwrap();
        assert_eq!(fs::read_to_string(into.join("a")).unwrap(), "2\n", "{make}");
        script(
            &world,
            "clone with: \"quotes\"",
            "git log --format=%s >/dev/null; echo 3 > a; git commit -qam z; echo 4 > b; git add b; rm b",
        );
        let taken = snapshot::take(&git(), &clone).unwrap();
        assert!(taken.head.id().is_some() && taken.staged.id().is_some(), "{make}: {taken:?}");
        let task: TaskId = "t".parse().unwrap();
        let repository = world.path.join(folder);
        publish::publish(&git(), &clone, &taken, &repository, &label(&task, &identity())).unwrap();
        assert_eq!(script(&world, folder, "git show refs/provost/attempts/t/1:a"), "3\n", "{make}");
    };
    check("git init -q; COMMIT", "person");
    check("git init -q --object-format=sha256; COMMIT", "person");
    check("git init -q; COMMIT git worktree add -q ../linked", "linked");
    check("git init -q; COMMIT git clone -q --depth 1 file://$W/person ../shallow", "shallow");
    check("git init -q; COMMIT mkdir 子; cp a 子", "person/子");
    check("git init -q; COMMIT git pack-refs --all; git gc -q", "person");
}

/// The result arrives under a name of provost's own, twice the same, and never replaced.
#[test]
fn a_result_is_published_once() {
    let repository = Repository::new();
    repository
        .agent("echo 3 >> text; git commit -qam x; echo 4 > new; echo 5 > \"$(printf 'b\\377d')\"");
    let (git, private) = (&repository.git, &repository.clone);
    let (task, identity): (TaskId, _) = ("fix-1".parse().unwrap(), identity());
    let label = label(&task, &identity);
    let before = script(
        &repository.world,
        "person",
        "git status --porcelain; git for-each-ref; git branch -a",
    );

    let taken = repository.snapshot();
    let first = publish::publish(git, private, &taken, &repository.path, &label).unwrap();
    assert_eq!(first.reference, "refs/provost/attempts/fix-1/1");
    let again =
        publish::publish(git, private, &repository.snapshot(), &repository.path, &label).unwrap();
    assert_eq!(again, first);

    let show = "git log -1 --format='%an|%ad|%cn|%cd|%P|%B' --date=iso refs/provost/attempts/fix-1/1; \
        git show refs/provost/attempts/fix-1/1:text";
    let base = &private.base;
    let expected = format!(
        "an agent|2026-01-02 03:04:05 +0000|an agent|2026-01-02 03:04:05 +0000|{base}|结果: result\n\nbody\n\none\ntwo\n3\n"
    );
    assert_eq!(script(&repository.world, "person", show), expected);
    let after = script(
        &repository.world,
        "person",
        "git status --porcelain; git for-each-ref --exclude refs/provost; git branch -a; git fsck --strict",
    );
    assert_eq!(after, before);

    repository.agent("echo 6 > more");
    let taken = repository.snapshot();
    let error = publish::publish(git, private, &taken, &repository.path, &label).unwrap_err();
    assert!(matches!(&error, GitError::Published { .. }), "{error:?}");
    assert_eq!(error.exit(), Exit::Conflict);

    // What was there keeps a name of its own when the label is needed again.
    let aside = publish::displace(git, &repository.path, &label).unwrap().unwrap();
    assert_eq!(aside, format!("{}.{}", first.reference, &first.commit.as_str()[..12]));
    assert_eq!(publish::displace(git, &repository.path, &label).unwrap(), None);
    let second = publish::publish(git, private, &taken, &repository.path, &label).unwrap();
    assert_eq!(second.reference, first.reference);
    let shown =
        script(&repository.world, "person", &format!("git rev-parse {aside} {}", second.reference));
    assert_eq!(shown, format!("{}\n{}\n", first.commit, second.commit));
}

/// A clean checkout has the tracked content of the snapshot and nothing else.
#[test]
fn an_exact_clone_holds_what_was_delivered() {
    let repository = Repository::new();
    repository.agent(
        "echo 3 >> text; rm gone; echo 4 > new; mkdir build; echo 5 > build/x.log; chmod +x text",
    );
    let (git, private) = (&repository.git, &repository.clone);
    let (task, identity): (TaskId, _) = ("t".parse().unwrap(), identity());
    let commit =
        publish::commit(git, private, &repository.snapshot(), &label(&task, &identity)).unwrap();
    let into = repository.world.path.join("clean");
    let clean = clone::exact(git, private, &commit, &into, &identity).unwrap();
    let listed = script(
        &repository.world,
        "clean",
        "git status --porcelain; git ls-files; ls build 2>/dev/null || echo none; stat -c %A text",
    );
    assert_eq!(listed, ".gitignore\nbinary\nfolder/\\344\\270\\255\\346\\226\\207.txt\nkept.log\nlink\nnew\nrun.sh\ntext\nnone\n-rwxr-xr-x\n".replace("folder/\\344\\270\\255\\346\\226\\207.txt", "\"folder/\\344\\270\\255\\346\\226\\207.txt\""));
    let empty = snapshot::take(git, &clean).unwrap();
    assert_eq!(empty.base, commit);
    assert_eq!(provost_exec::git::changes::of(git, &clean, &empty).unwrap(), []);
}
