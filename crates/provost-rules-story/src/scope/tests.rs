use provost_kernel::{
    Lang,
    story::{DeltaKind, ScopePart},
};

use super::*;

fn delta(path: &str, lines: u64) -> FileDelta {
    FileDelta {
        path: path.to_owned(),
        old_path: None,
        additions: lines,
        deletions: 0,
        bytes: 0,
        kind: DeltaKind::Modified,
        is_binary: false,
    }
}

/// A change of so many files with so many lines in all, evenly spread.
fn change(n_files: u64, n_lines: u64) -> Vec<FileDelta> {
    (0..n_files)
        .map(|it| {
            let rest = if it == 0 { n_lines % n_files } else { 0 };
            delta(&format!("src/f{it:02}.rs"), n_lines / n_files + rest)
        })
        .collect()
}

fn explain(deltas: &[FileDelta]) -> Vec<Explanation> {
    let reason = |it: usize| format!("step {it} of the login flow checks the session cookie");
    let numbered = deltas.iter().enumerate();
    numbered
        .map(|(position, it)| Explanation {
            file: it.path.clone(),
            reason: reason(position),
            lines: Some(it.lines()),
        })
        .collect()
}

fn base() -> BaseTree {
    let paths: Vec<String> = (0..40).map(|it| format!("src/f{it:02}.rs")).collect();
    BaseTree::new(paths.iter().map(String::as_str), [])
}

fn judge(deltas: &[FileDelta], said: Said<'_>) -> ScopeReport {
    reconcile(deltas, said, &base(), ScopeLimits::SEED)
}

fn codes(report: &ScopeReport) -> Vec<String> {
    report.findings.iter().map(|it| format!("{:?} {}", it.severity, it.rule)).collect()
}

/// STORY-3.3, STORY-3.4, STORY-6.2: the limits, exactly.
#[test]
fn a_value_equal_to_a_limit_is_allowed() {
    use ScopeResult::{Accept, Explain, Split};
    for (files, lines, silent, explained) in [
        (0, 0, Accept, Accept),
        (1, 1, Accept, Accept),
        (15, 15, Accept, Accept),
        (16, 16, Explain, Accept),
        (25, 25, Explain, Accept),
        (26, 26, Split, Split),
        (50, 50, Split, Split),
        (1, 1500, Accept, Accept),
        (1, 1501, Explain, Accept),
        (1, 3000, Explain, Accept),
        (1, 3001, Split, Split),
        (15, 1500, Accept, Accept),
        (25, 3000, Explain, Accept),
        (26, 3001, Split, Split),
        (1, u64::MAX, Split, Split),
    ] {
        let deltas = if files == 0 { Vec::new() } else { change(files, lines) };
        let report = judge(&deltas, Said::default());
        assert_eq!(report.result, silent, "{files} files, {lines} lines");
        assert_eq!((report.files, report.lines), (files, lines));
        let entries = explain(&deltas);
        let report = judge(&deltas, Said { explained: &entries, ..Said::default() });
        assert_eq!(report.result, explained, "{files} files, {lines} lines, explained");
        assert_eq!(report.unexplained, Vec::<String>::new());
        assert_eq!(report.proposal.is_empty(), explained != Split);
    }
}

#[test]
fn tighter_limits_hold_and_looser_ones_do_not() {
    let tight = ScopeLimits { warn_files: 1, ..ScopeLimits::SEED };
    let report = reconcile(&change(2, 2), Said::default(), &base(), tight);
    assert_eq!(report.result, ScopeResult::Explain);
}

#[test]
fn every_file_over_the_warning_needs_its_explanation() {
    let deltas = change(16, 1600);
    let mut entries = explain(&deltas);
    entries.remove(7);
    let report = judge(&deltas, Said { explained: &entries, ..Said::default() });
    assert_eq!(report.result, ScopeResult::Explain);
    assert_eq!(report.unexplained, ["src/f07.rs"]);
    assert_eq!(codes(&report), ["P1 EXPLANATION_INCOMPLETE"]);
    assert_eq!(outcome(&report), ScopeOutcome::Unexplained);
    let report = judge(&deltas, Said::default());
    assert_eq!(report.unexplained.len(), 16);
    assert_eq!(codes(&report), ["P1 SCOPE_WARN_UNEXPLAINED"]);
}

/// An entry about something that did not change refuses, even where nothing needs explaining.
#[test]
fn a_phantom_refuses_by_itself() {
    let deltas = change(1, 1);
    let mut entries = explain(&deltas);
    entries.push(Explanation { file: "src/gone.rs".to_owned(), ..entries[0].clone() });
    let report = judge(&deltas, Said { explained: &entries, ..Said::default() });
    assert_eq!(report.result, ScopeResult::Explain);
    assert_eq!(codes(&report), ["P1 EXPLANATION_PHANTOM"]);
}

/// STORY-4.3, STORY-4.4: outside the declaration, the guard asks whatever the size.
#[test]
fn what_was_not_declared_needs_an_explanation() {
    let deltas = [
        delta("src/f00.rs", 5),
        delta("src/f01.rs", 5),
        delta("src/new.rs", 5),
        delta("lib/a.rs", 5),
    ];
    let declared = declaration::parse(["src/f00.rs", "src/f01.rs"]).unwrap();
    let said = Said { declared: Some(&declared), explained: &[] };
    let report = judge(&deltas, said);
    assert_eq!(report.result, ScopeResult::Explain);
    assert_eq!(report.undeclared, ["lib/a.rs", "src/new.rs"]);
    assert_eq!(report.unexplained, ["lib/a.rs", "src/new.rs"]);
    assert_eq!((report.deviation.as_number(), report.reassess), (0.5, false));
    assert_eq!(
        codes(&report),
        ["P1 UNDECLARED_NEW_FILE", "P1 UNDECLARED_NEW_DIR", "P1 UNDECLARED_NEW_FILE"]
    );
    let entries = explain(&[deltas[2].clone(), deltas[3].clone()]);
    let report = judge(&deltas, Said { explained: &entries, ..said });
    assert_eq!(report.result, ScopeResult::Accept);
    assert_eq!(report.undeclared.len(), 2);
    assert_eq!(report.unexplained, Vec::<String>::new());
}

/// STORY-4.5: over half asks for a re-assessment until everything outside is explained.
#[test]
fn a_deviation_over_half_asks_for_a_reassessment() {
    let deltas = change(3, 3);
    let declared = declaration::parse(["src/f00.rs"]).unwrap();
    let said = Said { declared: Some(&declared), explained: &[] };
    let report = judge(&deltas, said);
    assert!(report.reassess);
    assert_eq!(report.result, ScopeResult::Explain);
    assert_eq!(outcome(&report), ScopeOutcome::Reassess);
    assert!(codes(&report).contains(&"P1 REEVALUATION_REQUIRED".to_owned()), "{report:?}");
    let entries = explain(&deltas[1..]);
    let report = judge(&deltas, Said { explained: &entries, ..said });
    assert!(report.reassess);
    assert_eq!(report.result, ScopeResult::Accept);
    assert_eq!(outcome(&report), ScopeOutcome::Accepted);
    assert!(codes(&report).contains(&"P2 REEVALUATION_REQUIRED".to_owned()), "{report:?}");
    // What was declared and left alone is said, and refuses nothing.
    let declared = declaration::parse(["src/f00.rs", "src/f01.rs", "src/f02.rs"]).unwrap();
    let report = judge(&change(1, 1), Said { declared: Some(&declared), explained: &[] });
    assert_eq!((report.result, report.reassess), (ScopeResult::Accept, true));
}

#[test]
fn without_a_declaration_there_is_no_declaration_rule() {
    let report = judge(&change(3, 3), Said::default());
    assert_eq!((report.result, report.is_declared), (ScopeResult::Accept, false));
    assert_eq!(report.deviation, Deviation::NONE);
    let declared = declaration::parse([]).unwrap();
    let report = judge(&change(3, 3), Said { declared: Some(&declared), explained: &[] });
    assert_eq!((report.result, report.is_declared), (ScopeResult::Explain, true));
    assert_eq!(report.undeclared.len(), 3);
}

#[test]
fn a_late_or_wide_declaration_is_named() {
    let late = Declaration { files: vec!["src/f00.rs".to_owned()], is_late: true };
    let report = judge(&change(1, 1), Said { declared: Some(&late), explained: &[] });
    assert_eq!(codes(&report), ["P2 DECLARATION_LATE"]);
    assert_eq!(report.result, ScopeResult::Accept);
    let wide = declaration::parse(["src/"]).unwrap();
    let report = judge(&change(1, 1), Said { declared: Some(&wide), explained: &[] });
    assert_eq!(codes(&report)[0], "P2 DECLARATION_TOO_WIDE");
    assert_eq!(report.result, ScopeResult::Explain);
}

/// STORY-3.2: what does not count is listed, and too much of it is explained all the same.
#[test]
fn what_does_not_count_has_a_limit_too() {
    let check = |lines: u64, entries: &[Explanation], expected: ScopeResult| {
        let deltas = [delta("Cargo.lock", lines), delta("src/f00.rs", 1)];
        let report = judge(&deltas, Said { explained: entries, ..Said::default() });
        assert_eq!(report.result, expected, "{lines}");
        assert_eq!((report.files, report.lines), (1, 1));
        assert_eq!((report.excluded.lines, report.excluded.files.len()), (lines, 1));
        report
    };
    check(3000, &[], ScopeResult::Accept);
    let report = check(3001, &[], ScopeResult::Explain);
    assert_eq!(report.unexplained, ["Cargo.lock"]);
    check(3001, &explain(&[delta("Cargo.lock", 3001)]), ScopeResult::Accept);
    check(9000, &explain(&[delta("Cargo.lock", 30)]), ScopeResult::Explain);
}

#[test]
fn a_rule_that_came_with_the_change_is_seen() {
    let deltas = [delta(".gitignore", 1), delta("src/.gitattributes", 1)];
    let report = judge(&deltas, Said::default());
    assert_eq!(codes(&report), ["P2 PROTECTED_PATH", "P2 PROTECTED_PATH"]);
    assert_eq!((report.files, report.result), (2, ScopeResult::Accept));
}

fn about(parts: &[ScopePart]) -> Vec<String> {
    parts
        .iter()
        .map(|it| format!("{} {} {}", it.about.join(","), it.files.len(), it.lines))
        .collect()
}

/// STORY-3.4: a split is proposed by folders; each part needs no explanation.
#[test]
fn a_proposal_keeps_folders_together() {
    let mut deltas: Vec<FileDelta> = Vec::new();
    for (folder, count) in [("api", 10), ("docs", 3), ("web/a", 9), ("web/b", 8)] {
        deltas.extend((0..count).map(|it| delta(&format!("{folder}/f{it}.rs"), 10)));
    }
    deltas.push(delta("README.md", 10));
    deltas.push(delta("zoo/large.rs", 2000));
    deltas.reverse();
    let report = judge(&deltas, Said::default());
    assert_eq!(
        about(&report.proposal),
        [".,api,docs 14 140", "web/a 9 90", "web/b 8 80", "zoo 1 2000"]
    );
    let again = judge(&deltas, Said::default());
    assert_eq!(report, again);
    let mut files: Vec<&String> = report.proposal.iter().flat_map(|it| &it.files).collect();
    files.sort();
    assert_eq!(files.len(), 32);
    files.dedup();
    assert_eq!(files.len(), 32);
}

#[test]
fn one_flat_folder_is_split_by_count() {
    let report = judge(&change(40, 400), Said::default());
    assert_eq!(outcome(&report), ScopeOutcome::Split);
    assert_eq!(about(&report.proposal), ["src 15 150", "src 15 150", "src 10 100"]);
}

#[test]
fn a_finding_reads_in_either_language() {
    let report = reconcile(&change(26, 26), Said::default(), &base(), ScopeLimits::SEED);
    assert_eq!(
        Lang::Zh.render(&report.findings[0].message),
        "26 个文件、26 行，超过 25 个文件或 3000 行的上限"
    );
}
