//! Tasks in repositories that keep their files in ways of their own.

use serde_json::json;

use crate::loop_world::Loop;

/// PROOF-11: line endings, modes, filters, links, submodules and what programs leave in ignored places.
#[test]
fn a_task_takes_a_tree_as_its_repository_keeps_it() {
    let it = Loop::new();
    let script = "set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost \
        GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@localhost; \
        mkdir ../lib; (cd ../lib; git init -q .; echo 'test \"$(cat answer.txt)\" = 42' > hold.sh; git add -A; git commit -qm lib); \
        git -c protocol.file.allow=always submodule --quiet add ../lib lib; \
        git config core.autocrlf true; git config filter.up.clean 'tr a-z A-Z'; \
        printf '*.doc text eol=crlf\\n*.up filter=up\\n' > .gitattributes; \
        printf 'one\\r\\n' > notes.doc; echo kept > a.up; ln -s notes.doc link; \
        printf '#!/bin/sh\\nsh lib/hold.sh && test -x run.sh && test -L link\\n' > run.sh; chmod +x run.sh; \
        printf '.provost/\\nrun/\\n' > .gitignore; git add -A; git commit -qm base";
    let made = it.world.program("sh").args(["-c", script]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    it.coder(
        "printf '42\\n' >answer.txt; mkdir run; mkfifo run/pipe; chmod +x check.sh; reply done",
    );
    it.check("kinds", json!({ "test_cmd": "./run.sh" }), 0, "READY_FOR_REVIEW");
    let head = it.text("kinds/attempt_001/head_commit.txt");
    let changed = it.git(&format!("diff --name-only main {}", head.trim()));
    assert_eq!(changed, "answer.txt\ncheck.sh\n");
    // What the coder changes in a submodule is not what is tested.
    it.coder("echo 41 >answer.txt; chmod -R u+w lib; echo true >lib/hold.sh; reply done");
    let ran = it.run("bent", json!({ "test_cmd": "./run.sh", "max_attempts": 1 }));
    assert_ne!(ran.exit(), Some(0), "{}", ran.text());
}
