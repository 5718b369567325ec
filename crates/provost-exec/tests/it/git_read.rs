//! Files and commits of the person's repository, read at a revision.

use std::{error::Error as _, fs};

use provost_exec::git::{GitError, read};
use provost_kernel::{Exit, Message};

use crate::repository::{Repository, git, script};
use crate::world::{World, contents};

const LIMIT: u64 = 1000;

/// A repository whose file differs between a branch, a tag, the index and the work tree.
fn person() -> World {
    let world = World::new();
    fs::create_dir(world.path.join("person")).unwrap();
    script(
        &world,
        "person",
        "git init -q -b main; mkdir -p sub/deep; echo first > provost.toml; echo 1 > sub/deep/中; \
        ln -s provost.toml link; git add -A; git commit -qm x; git tag -a v1 -m x; \
        echo second > provost.toml; git commit -qam y; \
        echo staged > provost.toml; git add -A; echo dirty > provost.toml; echo new > new",
    );
    world
}

#[test]
fn a_file_is_read_as_the_revision_has_it() {
    let world = person();
    let before = contents(&world.path);
    let check = |folder: &str, revision: &str, path: &str, expected: Option<&str>| {
        let found = read::file(&git(), &world.path.join(folder), revision, path, LIMIT).unwrap();
        assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{folder} {revision} {path}");
    };
    check("person", "main", "provost.toml", Some("second\n"));
    check("person", "HEAD", "provost.toml", Some("second\n"));
    check("person", "HEAD~", "provost.toml", Some("first\n"));
    check("person", "v1", "provost.toml", Some("first\n"));
    check("person", "main", "sub/deep/中", Some("1\n"));
    // The path counts from the root, wherever the question is asked.
    check("person/sub", "main", "provost.toml", Some("second\n"));
    check("person/sub", "main", "deep/中", None);
    check("person", "main", "new", None);
    check("person", "main", "provost", None);
    check("person", "main", "sub/*", None);
    check("person", "main", "provost.toml/x", None);
    assert_eq!(contents(&world.path), before);
}

#[test]
fn a_revision_is_resolved_to_its_commit() {
    let world = person();
    let repository = world.path.join("person");
    for revision in ["main", "HEAD", "v1", "v1^{}", "HEAD~"] {
        let expected = script(&world, "person", &format!("git rev-parse '{revision}^{{commit}}'"));
        let id = read::commit(&git(), &repository, revision).unwrap();
        assert_eq!(id.as_str(), expected.trim_end(), "{revision}");
        assert_eq!(read::commit(&git(), &repository, id.as_str()).unwrap(), id);
    }
}

#[test]
fn what_names_no_commit_is_refused_for_a_file_too() {
    let world = person();
    fs::create_dir(world.path.join("plain")).unwrap();
    let check = |repository: &str, revision: &str, expected: &str| {
        let repository = world.path.join(repository);
        let expected = expected.replace("$W", world.path.to_str().unwrap());
        let errors = [
            read::commit(&git(), &repository, revision).unwrap_err(),
            read::file(&git(), &repository, revision, "provost.toml", LIMIT).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.to_string(), expected, "{revision:?}");
            assert_eq!(error.exit(), Exit::Unable);
        }
    };
    check("plain", "HEAD", "`$W/plain` is not a git repository");
    check("absent", "HEAD", "`$W/absent` is not a git repository");
    check("person", "no-such-branch", "unknown revision `no-such-branch`");
    check("person", "--all", "unknown revision `--all`");
    check("person", "", "unknown revision ``");
    check("person", "a\nb", "unknown revision `a\\nb`");
    check("person", "HEAD:provost.toml", "unknown revision `HEAD:provost.toml`");
    check("person", "v1..main", "unknown revision `v1..main`");
}

#[test]
fn what_is_no_plain_file_inside_the_repository_is_refused() {
    let world = person();
    let nested = "git init -q inner; git -C inner commit -q --allow-empty -m x; \
        git add inner; git commit -qm z";
    script(&world, "person", nested);
    let check = |path: &str, limit: u64, expected: &str| {
        let repository = world.path.join("person");
        let error = read::file(&git(), &repository, "HEAD", path, limit).unwrap_err();
        let cause = error.source().map(|it| format!(": {it}")).unwrap_or_default();
        assert_eq!(format!("{error}{cause}"), expected);
    };
    let other = |path: &str, what: &str| {
        format!("cannot read `{path}`: the revision has {what} there, not a plain file")
    };
    check("link", LIMIT, &other("link", "a link"));
    check("sub", LIMIT, &other("sub", "a folder"));
    check("inner", LIMIT, &other("inner", "another repository"));
    check("provost.toml", 6, "the content of `provost.toml` is larger than 6 bytes");
    let repository = world.path.join("person");
    let whole = read::file(&git(), &repository, "HEAD", "provost.toml", 7).unwrap();
    assert_eq!(whole.as_deref(), Some("staged\n".as_bytes()));
    for path in ["", "..", "../person/provost.toml", "sub/", "/etc/passwd", "sub/./deep"] {
        let error = read::file(&git(), &repository, "HEAD", path, LIMIT).unwrap_err();
        assert!(matches!(error, GitError::BadPath { .. }), "{path:?} {error:?}");
    }
}

/// The stored bytes count, whatever the repository's configuration would make of them.
#[test]
fn no_filter_and_no_textconv_is_run() {
    let world = person();
    script(
        &world,
        "person",
        "echo '* filter=evil diff=evil text eol=crlf' > .gitattributes; \
        cp .gitattributes .git/info/attributes; \
        git config filter.evil.smudge \"touch $W/ran; cat\"; \
        git config filter.evil.process \"touch $W/ran\"; \
        git config filter.evil.required true; \
        git config diff.evil.textconv \"touch $W/ran; cat\"; \
        git config core.pager \"touch $W/ran; cat\"; \
        git config alias.cat-file \"!touch $W/ran\"; \
        git config core.fsmonitor \"touch $W/ran\"",
    );
    let repository = world.path.join("person");
    let found = read::file(&git(), &repository, "main", "provost.toml", LIMIT).unwrap();
    assert_eq!(found.as_deref(), Some("second\n".as_bytes()));
    assert!(!world.path.join("ran").exists());
}

#[test]
fn odd_content_and_odd_repositories_are_read() {
    let repository = Repository::with("");
    let found = read::file(&repository.git, &repository.path, "main", "binary", LIMIT).unwrap();
    assert_eq!(found.as_deref(), Some(b"a\0b".as_slice()));
    let check = |make: &str, folder: &str| {
        let world = World::new();
        fs::create_dir(world.path.join("person")).unwrap();
        script(&world, "person", make);
        let found = read::file(&git(), &world.path.join(folder), "HEAD", "a", LIMIT).unwrap();
        assert_eq!(found.as_deref(), Some(b"1\n".as_slice()), "{make}");
    };
    let commit = "echo 1 > a; git add a; git commit -qm x";
    check(&format!("git init -q --object-format=sha256; {commit}"), "person");
    check(&format!("git init -q; {commit}; git worktree add -q ../linked"), "linked");
    check(&format!("git init -q; {commit}; git clone -q --bare . ../bare.git"), "bare.git");
}
