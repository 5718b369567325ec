//! Change measured by snapshot: whatever an agent does with its tree and its git is seen.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use provost_exec::git::{GitError, Part, changes, clone, snapshot};

use crate::repository::{Repository, describe, identity, script};

/// What the agent did, and what is seen of it.
#[track_caller]
fn check(agent: &str, expected: &[&str]) {
    let repository = Repository::new();
    repository.agent(agent);
    assert_eq!(repository.described(), expected, "{agent}");
}

#[test]
fn a_clean_tree_has_no_changes() {
    check("true", &[]);
    check("git status; touch text; git update-index --refresh", &[]);
}

#[test]
fn each_stage_counts() {
    check("echo 3 >> text; git commit -qam x", &["text +1 -0 file>file committed"]);
    check("echo 3 >> text; git add text", &["text +1 -0 file>file staged"]);
    check("echo 3 >> text", &["text +1 -0 file>file unstaged"]);
    check("echo 3 > new", &["new +1 -0 ->file untracked"]);
    check(
        "echo a > new; git add new; git commit -qm x; echo b >> new; git add new; echo c >> new",
        &["new +3 -0 ->file committed,staged,unstaged"],
    );
}

#[test]
fn each_kind_of_change_counts() {
    check("rm gone", &["gone +0 -1 file>- unstaged"]);
    check("git rm -q gone", &["gone +0 -1 file>- staged"]);
    check(
        "git mv gone moved; git commit -qm x",
        &["gone +0 -1 file>- committed", "moved +1 -0 ->file committed"],
    );
    check("chmod +x text", &["text +0 -0 file>program unstaged"]);
    check("rm text; ln -s gone text", &["text +1 -2 file>link unstaged"]);
    check("ln -sfn /etc/passwd link", &["link +1 -1 link>link unstaged"]);
    check("printf 'a\\0c' > binary", &["binary binary file>file unstaged"]);
    check(
        "rm text; mkdir text; echo 1 > text/inner",
        &["text +0 -2 file>- unstaged", "text/inner +1 -0 ->file untracked"],
    );
    check(
        "rm -r folder; echo 1 > folder",
        &["folder +1 -0 ->file untracked", "folder/中文.txt +0 -1 file>- unstaged"],
    );
    check(
        "rm -r folder; ln -s /etc folder",
        &["folder +1 -0 ->link untracked", "folder/中文.txt +0 -1 file>- unstaged"],
    );
}

#[test]
fn each_name_is_told_exactly() {
    check(
        "echo 1 > 文件; echo 2 > 'a b'; echo 3 > \"$(printf 'n\\nl\\tt')\"; echo 4 > '\"q\"'; echo 5 > ':(top)x'; echo 6 > -rf",
        &[
            "\\\"q\\\" +1 -0 ->file untracked",
            "-rf +1 -0 ->file untracked",
            ":(top)x +1 -0 ->file untracked",
            "a b +1 -0 ->file untracked",
            "n\\nl\\tt +1 -0 ->file untracked",
            "文件 +1 -0 ->file untracked",
        ],
    );
}

/// What was there for a while and is gone is seen, with every version that it had.
#[test]
fn what_was_taken_back_is_seen() {
    check(
        "echo k > .env; git add .env; git commit -qm x; git rm -q .env; git commit -qm y",
        &[".env +0 -0 ->- committed"],
    );
    check("echo k > .env; git add .env; rm .env", &[".env +0 -0 ->- staged,unstaged"]);
    check(
        "echo k >> text; git commit -qam x; git revert --no-edit HEAD >/dev/null",
        &["text +0 -0 file>file committed"],
    );
    check(
        "echo k >> text; git add text; git show HEAD:text > text",
        &["text +0 -0 file>file staged,unstaged"],
    );
    // On a side branch that was merged with nothing of it kept.
    check(
        "git checkout -qb side; echo k > .env; git add .env; git commit -qm x; \
         git checkout -q provost; echo 1 > a; git add a; git commit -qm y; \
         git merge -q -s ours side -m z",
        &[".env +0 -0 ->- committed", "a +1 -0 ->file committed"],
    );
    // In a merge alone.
    check(
        "git checkout -qb side; echo 1 > b; git add b; git commit -qm x; \
         git checkout -q provost; echo 1 > a; git add a; git commit -qm y; \
         git merge -q --no-commit side 2>/dev/null; echo k > .env; git add -f .env; \
         git commit -qm z; git rm -q .env; git commit -qm w",
        &[".env +0 -0 ->- committed", "a +1 -0 ->file committed", "b +1 -0 ->file committed"],
    );

    let repository = Repository::new();
    repository.agent(
        "echo first > .env; git add .env; git commit -qm x; echo second > .env; git add .env; \
         echo third > .env",
    );
    let [change] = repository.changes().try_into().unwrap();
    let mut versions: Vec<Vec<u8>> = change
        .versions
        .iter()
        .map(|id| changes::read_blob(&repository.git, &repository.clone, id, 1000).unwrap())
        .collect();
    versions.sort();
    assert_eq!(versions, [&b"first\n"[..], b"second\n", b"third\n"]);
}

/// Ignored files are not delivered and do not count; ignoring does not hide what is tracked.
#[test]
fn ignoring_hides_nothing_that_is_delivered() {
    check("echo x > new.log", &[]);
    check("echo x >> kept.log", &["kept.log +1 -0 file>file unstaged"]);
    check(
        "echo '*' >> .gitignore; echo x > new; echo y >> text",
        &[".gitignore +1 -0 file>file unstaged", "text +1 -0 file>file unstaged"],
    );
    check(
        "echo x > new; echo new >> .git/info/exclude 2>/dev/null || { mkdir -p .git/info; echo new > .git/info/exclude; }",
        &["new +1 -0 ->file untracked"],
    );
    check(
        "echo x > new.log; git add -f new.log; git commit -qm x",
        &["new.log +1 -0 ->file committed"],
    );
}

/// Flags in the agent's own index and settings in its own config change nothing.
#[test]
fn the_agents_own_index_cannot_hide_a_file() {
    check(
        "echo 3 >> text; git update-index --assume-unchanged text",
        &["text +1 -0 file>file unstaged"],
    );
    check(
        "echo 3 >> text; git update-index --skip-worktree text",
        &["text +1 -0 file>file unstaged"],
    );
    check("git config core.fileMode false; chmod +x text", &["text +0 -0 file>program unstaged"]);
    // The same size and the old time: only the change time betrays it.
    check(
        "printf 'ONE\\ntwo\\n' > x; touch -r text x; mv x text",
        &["text +1 -1 file>file unstaged"],
    );
    check(
        "touch -r text ref; printf 'ONE\\ntwo\\n' > text; touch -r ref text; rm ref",
        &["text +1 -1 file>file unstaged"],
    );
    // Nothing can be declared binary to escape the count.
    check(
        "printf '* -diff\\n*.rs binary\\n' > .gitattributes; echo 3 >> text",
        &[".gitattributes +2 -0 ->file untracked", "text +1 -0 file>file unstaged"],
    );
    check("rm .git/index; echo 3 >> text", &["text +1 -0 file>file unstaged"]);
}

/// In the second of the checkout not even the change time betrays a change: git compares whole
/// seconds.
#[test]
fn a_change_in_the_second_of_the_checkout_is_seen() {
    let repository = Repository::new();
    for attempt in ["attempt_002", "attempt_003", "attempt_004"] {
        let into = repository.world.path.join(attempt);
        // Clone and change mostly fall into one second, the snapshot into another.
        wait_for_the_next_second();
        let private =
            clone::private(&repository.git, &repository.path, "main", &into, &identity()).unwrap();
        let text = "touch -r text $W/ref; printf 'ONE\\ntwo\\n' > text; touch -r $W/ref text";
        script(&repository.world, attempt, text);
        wait_for_the_next_second();
        let taken = snapshot::take(&repository.git, &private).unwrap();
        let seen = changes::of(&repository.git, &private, &taken).unwrap();
        assert_eq!(
            seen.iter().map(describe).collect::<Vec<_>>(),
            ["text +1 -1 file>file unstaged"]
        );
    }
}

fn wait_for_the_next_second() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let passed = Duration::from_nanos(now.subsec_nanos().into());
    std::thread::sleep(Duration::from_secs(1).saturating_sub(passed));
}

#[test]
fn history_that_was_replaced_is_read_as_it_is() {
    check("echo 3 >> text; git commit -qa --amend -m x", &["text +1 -0 file>file committed"]);
    check(
        "git checkout -q --detach; echo 3 >> text; git commit -qam x; git pack-refs --all; git gc -q",
        &["text +1 -0 file>file committed"],
    );
    check(
        "git checkout -q --orphan fresh; git rm -rqf .; echo 1 > text; git add text; git commit -qm x; git checkout -q provost -- .; git reset -q; rm gone",
        &[
            ".gitignore +0 -0 file>file committed,untracked",
            "binary +0 -0 file>file committed,untracked",
            "folder/中文.txt +0 -0 file>file committed,untracked",
            "gone +0 -1 file>- committed",
            "kept.log +0 -0 file>file committed,untracked",
            "link +0 -0 link>link committed,untracked",
            "run.sh +0 -0 program>program committed,untracked",
            "text +0 -0 file>file committed,unstaged",
        ],
    );
}

/// A name that is not text cannot be judged, so it is refused by name; the snapshot stands.
#[test]
fn a_name_that_is_not_text_is_refused() {
    let repository = Repository::new();
    repository.agent("echo 1 > \"$(printf 'bad\\377name')\"");
    let snapshot = repository.snapshot();
    let error = changes::of(&repository.git, &repository.clone, &snapshot).unwrap_err();
    assert!(matches!(&error, GitError::BadPath { path } if path == "bad\\xffname"), "{error:?}");
    let patch = changes::patch(&repository.git, &repository.clone, &snapshot, 10_000).unwrap();
    assert!(!patch.bytes.is_empty());
}

#[test]
fn the_patch_is_cut_at_its_limit_and_says_so() {
    let repository = Repository::new();
    repository.agent("seq 10000 > numbers");
    let snapshot = repository.snapshot();
    let patch =
        |limit| changes::patch(&repository.git, &repository.clone, &snapshot, limit).unwrap();
    let whole = patch(1 << 20);
    assert_eq!(whole.dropped, 0);
    assert!(String::from_utf8(whole.bytes.clone()).unwrap().ends_with("+10000\n"));
    let cut = patch(500);
    assert_eq!(cut.bytes, whole.bytes[..500]);
    assert_eq!(cut.dropped, u64::try_from(whole.bytes.len()).unwrap() - 500);
}

/// A repository inside the tree is not entered and not delivered, but it is named.
#[test]
fn a_nested_repository_is_named() {
    check(
        "git init -q inner; echo 1 > inner/a; cd inner; git add a; git commit -qm x",
        &["inner +0 -0 ->repository untracked"],
    );
    check("git init -q inner", &["inner +0 -0 ->repository untracked"]);
    check(
        "git init -q inner; cd inner; echo 1 > a; git add a; git commit -qm x; cd ..; git add inner 2>/dev/null; git commit -qm y",
        &["inner +0 -0 ->repository committed,unstaged,untracked"],
    );
}

/// Where the base names another repository, the agent's tree has an empty folder. What the agent
/// puts there is not delivered, but it is named.
#[test]
fn a_repository_in_the_place_of_a_submodule_is_named() {
    let more =
        "git init -q inner; git -C inner commit -q --allow-empty -m x; git add inner 2>/dev/null;";
    let repository = Repository::with(more);
    assert_eq!(repository.described(), [""; 0]);
    repository.agent("git init -q inner; git -C inner commit -q --allow-empty -m y");
    assert_eq!(repository.described(), ["inner +0 -0 repository>repository untracked"]);
}

#[test]
fn what_the_agent_damaged_is_recorded_and_the_work_is_read() {
    for (damage, head, staged) in [
        ("rm -rf .git", false, false),
        ("rm -rf .git; echo gitdir: /nowhere > .git", false, false),
        ("mv .git $W/elsewhere; ln -s $W/elsewhere .git", false, false),
        ("echo garbage > .git/HEAD", false, true),
        ("echo ref: ../../person/.git/HEAD > .git/HEAD", false, true),
        ("rm .git/HEAD; ln -s $W/person/.git/HEAD .git/HEAD", false, true),
        ("rm .git/HEAD; mkfifo .git/HEAD", false, true),
        ("echo 0123456789012345678901234567890123456789 > .git/HEAD", false, true),
        ("echo garbage > .git/index", true, false),
        ("rm .git/index; mkfifo .git/index", true, false),
        ("rm .git/index", true, false),
        ("truncate -s 300M .git/index", true, false),
        ("head -c 20 .git/index > x; mv x .git/index", true, false),
        ("git update-index --split-index", true, false),
        (
            "echo $W/person/.git/objects > .git/objects/info/alternates; echo /tmp >> .git/objects/info/alternates; git commit -q --allow-empty -m x",
            false,
            true,
        ),
        (
            "git commit -q --allow-empty -m x; mv .git/objects $W/objects; ln -s $W/objects .git/objects",
            false,
            true,
        ),
        ("git commit -q --allow-empty -m x; rm -rf .git/objects/??", false, true),
        (
            "git commit -q --allow-empty -m x; mv .git/objects/pack $W/pack; \
             ln -s $W/pack .git/objects/pack",
            false,
            true,
        ),
        ("echo s > staged; git add staged; rm -rf .git/objects/??; rm staged", true, false),
    ] {
        let repository = Repository::new();
        repository.agent(&format!("echo 1 > new; {damage}"));
        let snapshot = repository.snapshot();
        let is_read = |part: &Part| matches!(part, Part::Read(_));
        assert_eq!(
            (is_read(&snapshot.head), is_read(&snapshot.staged)),
            (head, staged),
            "{damage}: {snapshot:?}"
        );
        let seen = changes::of(&repository.git, &repository.clone, &snapshot).unwrap();
        let new = seen.iter().find(|it| it.path == "new").unwrap();
        assert!(new.added == 1 && new.stages.untracked, "{damage}: {seen:?}");
    }
}

/// An object file that lies about its content changes neither what is delivered nor what is shown.
#[test]
fn a_forged_object_is_not_believed() {
    let forge = "echo innocent > cover; echo evil > payload; \
        real=$(git hash-object payload); cover=$(git hash-object -w cover); rm cover; \
        place() { mkdir -p .git/objects/${2%${2#??}}; rm -f .git/objects/${2%${2#??}}/${2#??}; \
        cp .git/objects/${1%${1#??}}/${1#??} .git/objects/${2%${2#??}}/${2#??}; }; place $cover $real;";
    let repository = Repository::new();
    repository.agent(forge);
    let [change] = repository.changes().try_into().unwrap();
    assert_eq!(change.path, "payload");
    let blob =
        changes::read_blob(&repository.git, &repository.clone, &change.versions[0], 100).unwrap();
    assert_eq!(blob, b"evil\n");

    // Committed and taken away: the history cannot be read, and that is said.
    let repository = Repository::new();
    repository.agent(&format!(
        "{forge} git update-index --add --cacheinfo 100644,$real,payload; git commit -qm x; \
         git rm -q --cached payload; rm payload; git commit -qm y"
    ));
    let snapshot = repository.snapshot();
    assert!(matches!(&snapshot.head, Part::Unreadable(_)), "{snapshot:?}");
    assert!(matches!(&snapshot.staged, Part::Read(_)), "{snapshot:?}");

    // The same in the index alone.
    let repository = Repository::new();
    repository.agent(&format!(
        "{forge} git update-index --add --cacheinfo 100644,$real,payload; rm payload"
    ));
    let snapshot = repository.snapshot();
    assert!(matches!(&snapshot.head, Part::Read(_)), "{snapshot:?}");
    assert!(matches!(&snapshot.staged, Part::Unreadable(_)), "{snapshot:?}");
}

#[test]
fn a_device_in_the_place_of_a_file_is_refused() {
    let repository = Repository::new();
    repository.agent("rm text; mkfifo text");
    assert!(snapshot::take(&repository.git, &repository.clone).is_err());
}
