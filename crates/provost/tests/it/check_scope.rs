//! `provost check scope` in real repositories: what counts, where the limits lie, what explains.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::world::{Ran, World};

/// A repository with one commit, and an agent in it.
struct Change {
    world: World,
}

impl Change {
    fn new() -> Self {
        Self::with("")
    }

    /// A repository whose first commit also holds what the script makes.
    fn with(more: &str) -> Self {
        let change = Self { world: World::new() };
        let text = "printf 'one\\ntwo\\nthree\\nfour\\n' > text; echo x > gone; echo r > run; \
            mkdir src; echo 1 > src/中文.rs; printf 'a\\0b' > bin; ln -s text link;";
        change.agent(&format!("{text} {more} git add -A; git commit -qm base; git tag base"));
        change
    }

    /// Runs a script in the repository and insists that it works.
    #[track_caller]
    fn agent(&self, text: &str) {
        let mut shell = self.world.program("sh");
        shell.args(["-ec", text]);
        for role in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{role}_NAME"), "A");
            shell.env(format!("GIT_{role}_EMAIL"), "a@example.com");
        }
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    }

    fn write(&self, path: &str, lines: usize) {
        let text: String = (0..lines).fold(String::new(), |mut text, it| {
            writeln!(text, "{path} {it}").unwrap();
            text
        });
        self.world.write(format!("repo/{path}"), text);
    }

    fn run(&self, more: &[&str]) -> Ran {
        self.world.provost().args(["check", "scope", "--json"]).args(more).run()
    }

    #[track_caller]
    fn report(&self, more: &[&str]) -> Value {
        let ran = self.run(more);
        assert!(matches!(ran.exit(), Some(0 | 1)), "{}", ran.text());
        let report = ran.json();
        let is_accepted = report["result"] == "accept";
        assert_eq!(ran.exit() == Some(0), is_accepted, "{}", ran.text());
        report
    }

    /// Result, files and lines.
    #[track_caller]
    fn check(&self, more: &[&str], expected: (&str, u64, u64)) -> Value {
        let report = self.report(more);
        let actual = (report["result"].as_str().unwrap(), report["files"].as_u64().unwrap());
        let actual = (actual.0, actual.1, report["lines"].as_u64().unwrap());
        assert_eq!(actual, expected, "{report:#}");
        report
    }

    fn explain(&self, entries: &Value) -> [&'static str; 2] {
        self.world.write("explained.json", entries.to_string());
        ["--explained", "../explained.json"]
    }

    fn declare(&self, files: &[&str]) -> [&'static str; 2] {
        self.world.write("declared.json", json!(files).to_string());
        ["--declared", "../declared.json"]
    }
}

/// What counts, as `kind path +additions -deletions`.
fn changed(report: &Value) -> Vec<String> {
    let list = report["changed"].as_array().unwrap();
    list.iter()
        .map(|it| {
            let (kind, path) = (it["kind"].as_str().unwrap(), it["path"].as_str().unwrap());
            format!("{kind} {path} +{} -{}", it["additions"], it["deletions"])
        })
        .collect()
}

fn codes(report: &Value) -> Vec<&str> {
    let list = report["findings"].as_array().unwrap();
    list.iter().map(|it| it["rule"].as_str().unwrap()).collect()
}

/// Explanations that stand, for everything that counts.
fn honest(report: &Value) -> Value {
    let list = report["changed"].as_array().unwrap();
    let numbered = list.iter().enumerate();
    let entry = |(number, it): (usize, &Value)| {
        let lines = it["additions"].as_u64().unwrap() + it["deletions"].as_u64().unwrap();
        let reason = format!("step {number} of the sign-in flow checks the session cookie");
        json!({"file": it["path"], "reason": reason, "lines": lines})
    };
    numbered.map(entry).collect()
}

/// STORY-3.3, STORY-3.4, STORY-6.2: exactly at the limits, and one over them.
#[test]
fn the_number_of_files_has_two_limits() {
    let change = Change::new();
    let mut written = 0;
    for (files, expected, explained) in [
        (15, "accept", "accept"),
        (16, "explain", "accept"),
        (25, "explain", "accept"),
        (26, "split", "split"),
        (50, "split", "split"),
    ] {
        for number in written..files {
            change.write(&format!("new/f{number}.rs"), 1);
        }
        written = files;
        let report = change.check(&[], (expected, files, files));
        let n_unexplained = if expected == "accept" { 0 } else { files };
        assert_eq!(report["unexplained"].as_array().unwrap().len() as u64, n_unexplained);
        let with = change.explain(&honest(&report));
        let report = change.check(&with, (explained, files, files));
        assert_eq!(report["unexplained"], json!([]));
        assert_eq!(report["proposal"].as_array().unwrap().is_empty(), explained != "split");
    }
}

/// STORY-3.1, STORY-3.3, STORY-3.4: lines are additions and deletions.
#[test]
fn the_number_of_lines_has_two_limits() {
    let change = Change::new();
    for (lines, expected, explained) in [
        (1500, "accept", "accept"),
        (1501, "explain", "accept"),
        (3000, "explain", "accept"),
        (3001, "split", "split"),
    ] {
        // Four lines and one are taken away.
        change.agent("rm -f text gone");
        change.write("large.rs", lines - 5);
        let lines = lines as u64;
        let report = change.check(&[], (expected, 3, lines));
        let with = change.explain(&honest(&report));
        change.check(&with, (explained, 3, lines));
    }
}

/// A binary file has no lines, and counts all the same.
#[test]
fn every_kind_of_change_counts_once() {
    let change = Change::with("mkdir -p lib; seq 20 > lib/moved;");
    change.agent(
        "rm gone; printf 'one\\n2\\nthree\\nfour\\n' > text; chmod +x run; printf 'c\\0d' > bin; \
         ln -sf src link; ln -s nowhere dangling; git mv lib/moved src/moved; echo 21 >> src/moved; \
         echo 2 >> src/中文.rs; printf 'y\\n' > 'tab\tand\nline'; echo e > 'é ü.txt'",
    );
    let report = change.check(&[], ("accept", 10, 11));
    assert_eq!(
        changed(&report),
        [
            "modified bin +0 -0",
            "symlink dangling +1 -0",
            "deleted gone +0 -1",
            "symlink link +1 -1",
            "mode run +0 -0",
            "renamed src/moved +1 -0",
            "modified src/中文.rs +1 -0",
            "added tab\tand\nline +1 -0",
            "modified text +1 -1",
            "added é ü.txt +1 -0",
        ]
        .map(str::to_owned)
    );
    // The same, however much of it is staged or committed.
    change.agent("git add -A");
    change.check(&[], ("accept", 10, 11));
    change.agent("git commit -qm work");
    change.check(&["--base", "base"], ("accept", 10, 11));
    change.check(&[], ("accept", 0, 0));
}

/// STORY-6.2: neither many small commits nor none at all hide a change.
#[test]
fn work_in_earlier_commits_counts() {
    let change = Change::new();
    for number in 0..26 {
        change.write(&format!("f{number}"), 1);
        change.agent("git add -A; git commit -qm step");
    }
    change.check(&["--base", "base"], ("split", 26, 26));
    change.check(&["--base", "HEAD~1"], ("accept", 1, 1));
    // What is committed counts, even if the disk looks as before.
    change.agent("git rm -q --cached -r .; git checkout -q base -- .; rm -f f*");
    change.check(&["--base", "base"], ("split", 26, 26));
}

#[test]
fn what_is_staged_and_not_on_the_disk_counts() {
    let change = Change::new();
    change.write("staged.rs", 100);
    change.agent("git add staged.rs; rm staged.rs");
    change.check(&[], ("accept", 1, 100));
}

/// STORY-3.2: lock files and generated files at any depth, and what the base ignores.
#[test]
fn generated_files_do_not_count() {
    let change = Change::with(
        "printf 'target/\\n*.log\\n' > .gitignore; printf '*.pb.go linguist-generated\\n' > .gitattributes;",
    );
    for path in [
        "pnpm-lock.yaml",
        "apps/web/pnpm-lock.yaml",
        "apps/api/Cargo.lock",
        "go.sum",
        "src/__snapshots__/a.snap",
        "dist/a.js",
        "apps/web/node_modules/x/index.js",
        "src/__generated__/a.ts",
        "api/a.pb.go",
        "target/debug/out.rs",
        "noise.log",
    ] {
        change.write(path, 100);
    }
    let report = change.check(&[], ("accept", 0, 0));
    // What the base ignores and nobody added is not part of the change at all.
    assert_eq!(report["excluded"]["files"].as_array().unwrap().len(), 9);
    assert_eq!(report["excluded"]["lines"], 900);
    change.agent("git add -f target");
    let report = change.check(&[], ("accept", 0, 0));
    assert_eq!(report["excluded"]["lines"], 1000);
    change.write("yarn.lock", 2001);
    let report = change.check(&[], ("explain", 0, 0));
    assert_eq!(codes(&report), ["EXPLANATION_INCOMPLETE"]);
    let entry = json!([{"file": "yarn.lock", "reason": "the lock file follows the new client library", "lines": 2001}]);
    let with = change.explain(&entry);
    change.check(&with, ("accept", 0, 0));
}

/// An agent cannot declare its own files away.
#[test]
fn rules_that_come_with_the_change_hide_nothing() {
    let change = Change::new();
    for number in 0..26 {
        change.write(&format!("f{number}.rs"), 1);
    }
    for (script, files) in [
        ("true", 26),
        ("echo '*' > .gitignore", 27),
        ("mkdir -p .git/info; echo '*' > .git/info/exclude", 27),
        ("echo '*' > x; git config core.excludesFile \"$PWD/x\"", 28),
        ("printf '* linguist-generated -diff binary\\n' > .gitattributes", 29),
        ("mkdir -p .git/info; printf '* linguist-generated -diff\\n' > .git/info/attributes", 29),
        ("sed -i '1i // @generated DO NOT EDIT' f1.rs", 29),
        ("git config core.worktree /tmp; git config core.bare false", 29),
        ("git config diff.renames copies; git config core.fsmonitor 'touch ../ran'", 29),
        ("git config filter.x.clean 'touch ../ran'; echo '* filter=x' >> .gitattributes", 29),
    ] {
        change.agent(script);
        let report = change.report(&[]);
        assert_eq!(
            (&report["result"], &report["files"]),
            (&json!("split"), &json!(files)),
            "{script}"
        );
    }
    assert!(!change.world.path("ran").exists());
    let report = change.report(&[]);
    assert!(codes(&report).contains(&"PROTECTED_PATH"), "{report:#}");
}

#[test]
fn flags_of_the_index_hide_nothing() {
    let change = Change::new();
    change.agent(
        "git update-index --assume-unchanged text; git update-index --skip-worktree gone; \
         touch -r text stamp; printf 'ONE\\ntwo\\nthree\\nfour\\n' > text; touch -r stamp text; \
         rm stamp gone",
    );
    change.check(&[], ("accept", 2, 3));
}

#[test]
fn another_repository_counts_as_one_file() {
    let change = Change::new();
    let commit = "git -c protocol.file.allow=always";
    change.agent(&format!(
        "git init -q ../lib; cd ../lib; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; \
         git commit -qam 2; cd ../repo; {commit} submodule --quiet add ../lib sub; \
         git commit -qm sub; git tag -f base"
    ));
    change.check(&[], ("accept", 0, 0));
    change.agent("cd sub; git checkout -q HEAD~1");
    let report = change.check(&[], ("accept", 1, 2));
    assert_eq!(changed(&report), ["submodule sub +1 -1"]);
    change.agent("git add sub");
    change.check(&[], ("accept", 1, 2));
    change.agent("git commit -qm moved");
    change.check(&["--base", "base"], ("accept", 1, 2));
    change.agent("git init -q hidden; cd hidden; for n in 1 2 3; do echo x > $n; done");
    let report = change.check(&[], ("accept", 1, 1));
    assert_eq!(changed(&report), ["submodule hidden +1 -0"]);
    let with = change.declare(&["hidden/"]);
    change.check(&with, ("accept", 1, 1));
}

#[test]
fn a_linked_work_tree_and_a_folder_below_it_are_measured() {
    let change = Change::new();
    change.agent("git worktree add -q ../linked; echo 5 >> ../linked/text; mkdir ../linked/deep");
    change.check(&["--repo", "../linked"], ("accept", 1, 1));
    change.check(&["--repo", "../linked/deep"], ("accept", 1, 1));
    change.check(&[], ("accept", 0, 0));
}

#[test]
fn the_home_does_not_count_unless_it_is_committed() {
    let change = Change::new();
    change.write(".provost/out/t1/status.json", 10);
    change.check(&[], ("accept", 0, 0));
    change.agent("git add -f .provost");
    change.check(&[], ("accept", 1, 10));
}

/// The person's index, references and files are left exactly as they were.
#[test]
fn nothing_is_written() {
    let change = Change::new();
    change.agent("echo 5 >> text; echo new > new; echo s > s; git add s");
    // Git renews the time of an object that is there already when it would write the same.
    let listing = || -> Vec<String> {
        let all = change.world.listing().into_iter();
        let is_object = |it: &str| it.contains("/.git/objects/");
        let untimed = |it: &str| it.split(" (").next().unwrap().to_owned();
        all.map(|it| if is_object(&it) { untimed(&it) } else { it }).collect()
    };
    let before = listing();
    change.check(&[], ("accept", 3, 3));
    assert_eq!(listing(), before);
}

/// STORY-4.2, STORY-4.3, STORY-4.4: outside the declaration, the guard asks at any size.
#[test]
fn a_change_outside_the_declaration_is_explained() {
    let change = Change::new();
    change.agent(
        "echo 5 >> text; echo 5 >> run; mkdir -p lib; echo 1 > lib/new.rs; echo 1 > src/n.rs",
    );
    let with = change.declare(&["text", "./run", "lib/new.rs", "src/n.rs"]);
    let report = change.check(&with, ("accept", 4, 4));
    assert_eq!((&report["deviation"], &report["reassess"]), (&json!(0.0), &json!(false)));
    let with = change.declare(&["text", "run"]);
    let report = change.check(&with, ("explain", 4, 4));
    assert_eq!(report["undeclared"], json!(["lib/new.rs", "src/n.rs"]));
    assert_eq!(report["unexplained"], json!(["lib/new.rs", "src/n.rs"]));
    assert_eq!((&report["deviation"], &report["reassess"]), (&json!(0.5), &json!(false)));
    assert_eq!(
        codes(&report),
        ["UNDECLARED_NEW_FILE", "UNDECLARED_NEW_DIR", "UNDECLARED_NEW_FILE"]
    );
}

/// STORY-4.5: over half asks for a re-assessment, until every file outside is explained.
#[test]
fn a_deviation_over_half_is_reassessed() {
    let change = Change::new();
    change.agent("echo 5 >> text; echo 5 >> run; echo 1 > n.rs");
    let declared = change.declare(&["text"]);
    let report = change.check(&declared, ("explain", 3, 3));
    assert_eq!(report["reassess"], json!(true));
    assert!(report["deviation"].as_f64().unwrap() > 0.66);
    assert!(codes(&report).contains(&"REEVALUATION_REQUIRED"));
    let explained = change.explain(&json!({
        "n.rs": {"reason": "the parser needs its own module", "lines": 1},
        "run": {"reason": "启动脚本需要加载新的解析模块", "lines": 1},
    }));
    let report = change.check(&[declared, explained].concat(), ("accept", 3, 3));
    assert_eq!((&report["reassess"], &report["unexplained"]), (&json!(true), &json!([])));
}

/// STORY-3.6: explanations that explain nothing refuse, each by the name of its rule.
#[test]
fn an_unreasonable_explanation_refuses() {
    let change = Change::new();
    for number in 0..16 {
        change.write(&format!("f{number:02}.rs"), 60);
    }
    let good = honest(&change.report(&[]));
    let with = change.explain(&good);
    change.check(&with, ("accept", 16, 960));
    let spoil = |position: usize, key: &str, value: Value| {
        let mut bad = good.clone();
        bad[position][key] = value;
        bad
    };
    let mut silent = good.clone();
    silent.as_array_mut().unwrap().pop();
    let mut same = good.clone();
    for position in 0..4 {
        same[position]["reason"] = json!("checks the session cookie of a visitor");
    }
    for (entries, code) in [
        (silent, "EXPLANATION_INCOMPLETE"),
        (spoil(0, "reason", json!("needed")), "EXPLANATION_VACUOUS"),
        (spoil(0, "reason", json!("这个文件的改动是必要的")), "EXPLANATION_VACUOUS"),
        (spoil(0, "reason", json!("f00.rs")), "EXPLANATION_VACUOUS"),
        (spoil(0, "lines", json!(600)), "EXPLANATION_LINES_MISMATCH"),
        (spoil(0, "lines", json!(null)), "EXPLANATION_LINES_MISMATCH"),
        (spoil(0, "file", json!("gone.rs")), "EXPLANATION_PHANTOM"),
        (spoil(0, "file", json!("./")), "EXPLANATION_INCOMPLETE"),
        (same, "EXPLANATION_DUPLICATED"),
    ] {
        let with = change.explain(&entries);
        let report = change.check(&with, ("explain", 16, 960));
        assert!(codes(&report).contains(&code), "{code} {report:#}");
    }
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let change = Change::new();
    change.world.write("bad.json", "[1]");
    change.world.write("out.json", r#"["../x"]"#);
    for arguments in [
        &["--base", "nowhere"][..],
        &["--base", "--help"],
        &["--repo", "../home"],
        &["--repo", "missing"],
        &["--declared", "../bad.json"],
        &["--declared", "../out.json"],
        &["--explained", "../bad.json"],
        &["--declared", "missing.json"],
        &["--declared", "-", "--explained", "-"],
    ] {
        let ran = change.run(arguments);
        assert_eq!(ran.exit(), Some(2), "{arguments:?} {}", ran.text());
        // A usage error has no document; no answer has a result.
        assert!(!ran.stdout().contains("\"result\""), "{arguments:?}");
    }
    change.agent("echo broken > .git/index");
    assert_eq!(change.run(&[]).exit(), Some(2));
    change.agent("rm .git/index; printf x > \"$(printf 'not\\377text')\"");
    assert_eq!(change.run(&[]).exit(), Some(2));
}

#[test]
fn a_person_reads_what_to_do() {
    let change = Change::new();
    for number in 0..26 {
        change.write(&format!("{}/f{number:02}.rs", if number < 13 { "api" } else { "web" }), 2);
    }
    provost_snapshot!(change.world.provost().args(["check", "scope"]), @r"
    exit: 1
    ----- stdout -----
    result: split
    files: 26 (explained over 15, split over 25)
    lines: 52 (explained over 1500, split over 3000)
    declaration: none
      P0 SCOPE_HARD: 26 files and 52 lines exceed the limit of 25 files or 3000 lines
      part 1: api (13 files, 26 lines)
      part 2: web (13 files, 26 lines)
    ----- stderr -----
    hint: split the change as proposed; an explanation does not help here
    ");
    change.agent("rm -r web api; echo 5 >> text; echo x > new.rs");
    change.declare(&["text"]);
    let arguments = ["check", "scope", "--declared", "../declared.json", "--lang", "zh"];
    provost_snapshot!(change.world.provost().args(arguments), @r"
    exit: 1
    ----- stdout -----
    结果：需要解释
    文件：2（超过 15 需解释，超过 25 需拆分）
    行：2（超过 1500 需解释，超过 3000 需拆分）
    声明：1 个文件在声明之外，偏差 1/2
      P1 UNDECLARED_NEW_FILE：新文件未声明（new.rs）
    ----- stderr -----
    提示：请说明其为何在范围内
    ");
}
