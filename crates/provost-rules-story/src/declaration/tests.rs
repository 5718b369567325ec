use provost_kernel::{Lang, Message, story::ScopeLimits};

use super::*;

fn delta(path: &str, kind: DeltaKind) -> FileDelta {
    let (path, old_path) = match path.split_once(" > ") {
        Some((old, new)) => (new, Some(old.to_owned())),
        None => (path, None),
    };
    let path = path.to_owned();
    FileDelta { path, old_path, additions: 1, deletions: 0, bytes: 0, kind, is_binary: false }
}

fn base() -> BaseTree {
    let many = (0..21).map(|it| format!("many/{it}.rs"));
    let paths = ["a.rs", "b.rs", "src/x.rs", "src/y.rs", "app/[id]/page.tsx", "caf\u{e9}.md"];
    let paths: Vec<String> = paths.map(str::to_owned).into_iter().chain(many).collect();
    BaseTree::new(paths.iter().map(String::as_str), [])
}

#[track_caller]
fn compare(declared: &[&str], changed: &[&str]) -> Reconciliation {
    let declared = parse(declared.iter().copied()).unwrap();
    let deltas: Vec<FileDelta> = changed
        .iter()
        .map(|it| delta(it, if it.contains(" > ") { DeltaKind::Renamed } else { DeltaKind::Added }))
        .collect();
    reconcile(&declared, &deltas.iter().collect::<Vec<_>>(), &base())
}

#[track_caller]
fn check(declared: &[&str], changed: &[&str], undeclared: &[&str], deviation: (u64, u64)) {
    let found = compare(declared, changed);
    let paths: Vec<&str> = found.undeclared.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, undeclared, "{declared:?} {changed:?}");
    let (differing, of) = deviation;
    assert_eq!(found.deviation, Deviation { differing, of }, "{declared:?} {changed:?}");
}

/// STORY-4.2, STORY-4.5: declared and actual files, and the larger of both deviations.
#[test]
fn what_changed_is_compared_with_what_was_declared() {
    check(&[], &[], &[], (0, 1));
    check(&["a.rs"], &["a.rs"], &[], (0, 1));
    check(&["a.rs", "b.rs"], &["a.rs"], &[], (1, 2));
    check(&["a.rs"], &["a.rs", "b.rs"], &["b.rs"], (1, 2));
    check(&["a.rs"], &["b.rs"], &["b.rs"], (1, 1));
    check(&[], &["a.rs"], &["a.rs"], (1, 1));
    check(&["a.rs"], &[], &[], (1, 1));
    // Half of three and a half: 2 of 4 is not over half, 3 of 5 is.
    check(&["a.rs", "b.rs"], &["a.rs", "b.rs", "c", "d"], &["c", "d"], (2, 4));
    check(&["a.rs", "b.rs"], &["a.rs", "b.rs", "c", "d", "e"], &["c", "d", "e"], (3, 5));
    // To declare everything is not free.
    check(&["a.rs", "b.rs", "src/x.rs", "src/y.rs"], &["a.rs"], &[], (3, 4));
}

#[test]
fn every_spelling_of_a_path_is_the_same_path() {
    for spelling in
        ["./src/x.rs", "/src/x.rs", "src\\x.rs", "src//x.rs", "src/./x.rs", " src/x.rs "]
    {
        check(&[spelling], &["src/x.rs"], &[], (0, 1));
    }
    check(&["cafe\u{301}.md"], &["caf\u{e9}.md"], &[], (0, 1));
    check(&["caf\u{e9}.md"], &["cafe\u{301}.md"], &[], (0, 1));
    check(&["SRC/x.rs"], &["src/x.rs"], &["src/x.rs"], (1, 1));
    check(&["a\tb"], &["a\tb"], &[], (0, 1));
}

#[test]
fn a_new_folder_covers_what_is_in_it() {
    check(&["new/"], &["new/a.rs", "new/deep/b.rs"], &[], (0, 2));
    check(&["new/"], &["newer/a.rs"], &["newer/a.rs"], (1, 1));
    check(&["new"], &["new/a.rs"], &["new/a.rs"], (1, 1));
    check(&["src/"], &["src/x.rs"], &["src/x.rs"], (1, 1));
    assert_eq!(compare(&["src/"], &["src/x.rs"]).too_wide, ["src/"]);
}

#[test]
fn a_glob_is_narrow_or_covers_nothing() {
    check(&["src/*.rs"], &["src/x.rs", "src/y.rs", "src/z.rs"], &[], (0, 3));
    check(&["src/*.rs"], &["src/deep/z.rs"], &["src/deep/z.rs"], (1, 1));
    check(&["src/**"], &["src/x.rs", "src/y.rs", "src/deep/z.rs"], &[], (0, 3));
    check(&["src/?.rs"], &["src/x.rs"], &[], (1, 2));
    check(&["app/[id]/page.tsx"], &["app/[id]/page.tsx"], &[], (0, 1));
    check(&["app/[id]/*.tsx"], &["app/[id]/page.tsx"], &[], (0, 1));
    check(&["app/[id]/*.tsx"], &["app/i/page.tsx"], &["app/i/page.tsx"], (1, 1));
    for wide in ["many/*.rs", "many/", "many/**"] {
        assert_eq!(compare(&[wide], &["a.rs"]).too_wide, [wide]);
        check(&[wide], &["a.rs"], &["a.rs"], (1, 1));
        let error = require_narrow(&parse([wide]).unwrap(), &base()).unwrap_err().to_string();
        assert!(error.contains("matches too many files"), "{error}");
    }
    for narrow in ["*.rs", "src/*.rs", "new/", "src/x.rs", "many/1*.rs"] {
        assert_eq!(require_narrow(&parse([narrow]).unwrap(), &base()), Ok(()), "{narrow}");
    }
    assert_eq!(compare(&["many/1*.rs"], &["a.rs"]).too_wide, Vec::<String>::new());
}

/// What begins with a wildcard would cover everything, and is told at once.
#[test]
fn a_pattern_begins_with_a_name() {
    for wide in [
        "**", "**/*.rs", "**/x.rs", "***", "m*/*", "*/**", "*/", "*", "?*", "*.*", "./*/x", "?/a",
        "a**",
    ] {
        let error = parse([wide]).unwrap_err().to_string();
        assert!(error.ends_with("it begins with a wildcard"), "{error}");
    }
}

#[test]
fn a_renamed_file_is_declared_by_where_it_went() {
    check(&["c.rs"], &["a.rs > c.rs"], &[], (0, 1));
    check(&["a.rs", "c.rs"], &["a.rs > c.rs"], &[], (0, 1));
    check(&["a.rs"], &["a.rs > c.rs"], &["c.rs"], (1, 1));
}

#[test]
fn what_nobody_writes_takes_no_part() {
    check(&["a.rs", "Cargo.lock", "dist/x.js"], &["a.rs"], &[], (0, 1));
}

#[test]
fn another_repository_is_declared_by_its_exact_path() {
    let deltas = [delta("new/sub", DeltaKind::Submodule)];
    let deltas: Vec<&FileDelta> = deltas.iter().collect();
    for (declared, n_undeclared) in [("new/sub", 0), ("new/sub/", 0), ("new/", 1), ("new/*", 1)] {
        let found = reconcile(&parse([declared]).unwrap(), &deltas, &base());
        assert_eq!(found.undeclared.len(), n_undeclared, "{declared}");
    }
}

/// STORY-4.3: a file that is new, and a folder that is new, are told apart.
#[test]
fn new_files_and_folders_are_known_as_such() {
    for (path, expected) in [
        ("a.rs", Novelty::Known),
        ("c.rs", Novelty::NewFile),
        ("src/c.rs", Novelty::NewFile),
        ("lib/c.rs", Novelty::NewFolder("lib".to_owned())),
        ("src/new/deep/c.rs", Novelty::NewFolder("src/new".to_owned())),
    ] {
        assert_eq!(compare(&[], &[path]).undeclared[0].novelty, expected, "{path}");
    }
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
}

#[test]
fn what_is_no_list_of_paths_is_refused() {
    assert_eq!(read(br#"["b", "./a", "a"]"#).unwrap().files, ["a", "b"]);
    assert_eq!(read(br#"{"expectedFiles": ["new/"]}"#).unwrap().files, ["new/"]);
    assert_eq!(read(b"[]").unwrap().files, Vec::<String>::new());
    for text in ["{}", "3", "null", r#""a""#, "[1]", r#"{"expectedFiles": []  , "x": 1}"#] {
        check_error(text, "a declaration must be a list of paths");
    }
    check_error(r#"["../a"]"#, "cannot declare \"../a\": it leads out of the repository");
    check_error(r#"["a/../../b"]"#, "cannot declare \"a/../../b\": it leads out of the repository");
    check_error(r#"["..\\a"]"#, "cannot declare \"..\\\\a\": it leads out of the repository");
    for empty in ["", ".", "./", "/", " "] {
        let error = parse([empty]).unwrap_err().to_string();
        assert!(error.ends_with("it names no file"), "{error}");
    }
    check_error(r#"["a\u0000"]"#, "cannot declare \"a\\0\": it is not a valid path");
    assert_eq!(MAX_ENTRIES as u64, 2 * ScopeLimits::SEED.hard_files);
    let names: Vec<String> = (0..51).map(|it| it.to_string()).collect();
    let names = || names.iter().map(String::as_str);
    assert!(parse(names().take(50)).is_ok());
    assert_eq!(Lang::Zh.render(&parse(names()).unwrap_err().text()), "声明最多 50 项");
}
