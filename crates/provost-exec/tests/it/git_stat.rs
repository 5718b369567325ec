//! How much a change holds: of a snapshot, and of a folder as it lies on the disk.

use provost_exec::git::{GitError, stat};
use provost_kernel::story::FileDelta;

use crate::repository::{Repository, script};

fn described(deltas: &[FileDelta]) -> Vec<String> {
    deltas
        .iter()
        .map(|it| format!("{} {:?} +{} -{}", it.kind, it.path, it.additions, it.deletions))
        .collect()
}

/// STORY-3.1: the whole change of an agent, whatever it committed, staged or left lying about.
#[test]
fn a_snapshot_is_counted_with_renames_and_every_stage() {
    let it = Repository::with("seq 30 > long;");
    it.agent(
        "git mv long longer; echo 31 >> longer; git commit -qam 1; echo a > early; git add early; \
         git commit -qm 2; rm early; echo s > staged; git add staged; echo u > untracked; \
         chmod +x text; git init -q inner; echo x > inner/x",
    );
    let deltas = stat::of_snapshot(&it.git, &it.clone, &it.snapshot()).unwrap();
    assert_eq!(
        described(&deltas),
        [
            "added \"early\" +1 -0",
            "submodule \"inner\" +1 -0",
            "renamed \"longer\" +1 -0",
            "added \"staged\" +1 -0",
            "mode \"text\" +0 -0",
            "added \"untracked\" +1 -0",
        ]
    );
}

#[test]
fn a_folder_is_measured_against_any_commit_and_by_the_rules_of_the_base() {
    let it = Repository::with("echo '* linguist-generated' > folder/.gitattributes;");
    script(
        &it.world,
        "person",
        "echo '*' >> .gitignore; echo x > hidden; echo y > noise.log; echo 3 >> text",
    );
    let git_dir = it.world.path.join("scratch");
    let clone = stat::beside(&it.git, &it.path, "main", &git_dir).unwrap();
    let base = stat::base(&it.git, &clone).unwrap();
    assert_eq!(
        base.rules,
        [
            (".gitignore".to_owned(), "*.log\n".to_owned()),
            ("folder/.gitattributes".to_owned(), "* linguist-generated\n".to_owned()),
        ]
    );
    assert!(base.paths.contains(&"folder/中文.txt".to_owned()));
    let measure = |is_left_out: &dyn Fn(&str) -> bool| {
        described(&stat::of_folder(&it.git, &clone, is_left_out).unwrap())
    };
    let expected = ["modified \".gitignore\" +1 -0", "added \"hidden\" +1 -0"];
    let text = "modified \"text\" +1 -0";
    assert_eq!(measure(&|path| path == "noise.log"), [&expected[..], &[text]].concat());
    assert_eq!(measure(&|_| false), [&expected[..], &["added \"noise.log\" +1 -0", text]].concat());
    assert_eq!(measure(&|_| true), ["modified \".gitignore\" +1 -0", text]);
    // What is staged cannot be left out.
    script(&it.world, "person", "git add -f noise.log");
    assert_eq!(measure(&|_| true).len(), 3);
}

#[test]
fn what_git_cannot_answer_is_an_error() {
    let it = Repository::new();
    let git_dir = it.world.path.join("scratch");
    let error = stat::beside(&it.git, &it.path, "nowhere", &git_dir).unwrap_err();
    assert!(matches!(error, GitError::BadRevision { .. }), "{error}");
    let clone = stat::beside(&it.git, &it.path, "main", &git_dir).unwrap();
    script(&it.world, "person", "echo broken > .git/index");
    assert!(stat::of_folder(&it.git, &clone, &|_| false).is_err());
    script(&it.world, "person", "rm .git/index; ln -s /dev/zero .git/index");
    assert!(stat::of_folder(&it.git, &clone, &|_| false).is_err());
}
