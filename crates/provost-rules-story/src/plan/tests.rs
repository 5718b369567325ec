//! The reader over whole documents, and over hostile documents.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use provost_kernel::{Lang, Message, story::CriterionId};

use super::*;

/// Beside the documents, what each of them is read as.
const OUTCOMES: &str = include_str!("../../../../fixtures/stories/outcomes.txt");
const SEED: &str = include_str!("../../../../fixtures/stories/seed.md");

fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/stories/plans")).to_owned()
}

/// What a document is read as, in the form of `outcomes.txt`.
fn outcome(name: &str, bytes: &[u8]) -> String {
    let plan = match read(name, bytes) {
        Ok(plan) => plan,
        Err(fault) => return format!("{} {}\n", fault.code(), fault),
    };
    let mut text = format!("{} {} {}\n", plan.branch, plan.priority, plan.title);
    if plan.description != plan.title {
        writeln!(text, "= {}", plan.description.replace('\n', " | ")).unwrap();
    }
    if !plan.dependencies.is_empty() {
        writeln!(text, "after {}", plan.dependencies.join(" ")).unwrap();
    }
    for story in &plan.stories {
        writeln!(text, "{} {} {}", story.id, story.priority, story.title).unwrap();
        if !story.description.is_empty() {
            writeln!(text, "  = {}", story.description.replace('\n', " | ")).unwrap();
        }
        if !story.tests_may_change.is_empty() {
            writeln!(text, "  leave {}", story.tests_may_change.join(" ")).unwrap();
        }
        for it in &story.criteria {
            let verify = it.verify.as_ref().map(|it| format!(" $ {it}")).unwrap_or_default();
            writeln!(text, "  {} {}{verify}", it.id, it.text).unwrap();
        }
    }
    for it in &plan.notices {
        writeln!(text, "! {:?} {} {}", it.severity, it.rule, it.subject).unwrap();
    }
    text
}

/// The sections of `outcomes.txt`: the name of a document after `== `, and its outcome.
fn expected() -> Vec<(&'static str, &'static str)> {
    let sections = OUTCOMES.split("== ").filter(|it| !it.is_empty());
    sections.map(|it| it.split_once('\n').unwrap()).collect()
}

#[test]
fn every_document_is_read_as_its_author_meant_it() {
    for (name, expected) in expected() {
        let bytes = std::fs::read(folder().join(name)).unwrap();
        assert_eq!(outcome(name, &bytes), expected, "{name}");
    }
}

#[test]
fn every_document_has_its_outcome() {
    let known: Vec<_> = expected().into_iter().map(|(name, _)| name.to_owned()).collect();
    let mut found: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(known, found);
    assert!(known.len() >= 40);
}

/// The document from which the requirements of stories come is itself a plan.
#[test]
fn the_seed_is_a_plan_of_four_stories() {
    let plan = read("seed.md", SEED.as_bytes()).unwrap();
    let stories: Vec<_> = plan
        .stories
        .iter()
        .map(|it| (it.id.as_str(), it.title.as_str(), it.criteria.len(), it.priority))
        .collect();
    assert_eq!(
        stories,
        [
            ("US-001", "证据驱动 AC 验证", 5, 1),
            ("US-002", "Per-AC 证据映射", 5, 2),
            ("US-003", "范围护栏（程序化 gate）", 6, 3),
            ("US-004", "预先声明 + diff 对账", 5, 4),
        ]
    );
    assert_eq!(plan.title, "Ralph MCP - 信任基线（Trust Baseline）");
    assert_eq!(plan.notices, []);
    assert_eq!(plan.dependencies, [""; 0]);
    assert!(plan.description.starts_with("建立 Ralph MCP 的信任基线"));
    let first = &plan.stories[0];
    assert_eq!(
        first.description,
        "Agent 必须提供结构化证据来证明 AC 完成，而不是简单地声称\"完成了\"。",
    );
    assert_eq!(first.criteria[4].text, "缺少证据的 AC 自动标记为 `passes: false`");
    assert_eq!(
        first.criteria[3].text,
        "证据格式为 JSON：`{ \"AC-1\": { evidence: \"...\", command: \"...\", output: \"...\" } }`",
    );
    assert!(plan.stories.iter().all(|it| it.criteria.iter().all(|it| it.verify.is_none())));
}

#[test]
fn a_plan_has_limits() {
    let stories = |count: usize| {
        (1..=count).map(|it| format!("# US-{it}: x\n- a\n")).collect::<Vec<_>>().concat()
    };
    let criteria = |count: usize| -> String {
        let items: Vec<_> = (1..=count).map(|it| format!("- a{it}\n")).collect();
        let items = items.concat();
        format!("# US-1: x\n{items}")
    };
    let code = |text: &str| read("p.md", text.as_bytes()).map_err(|it| (it.code(), it.line()));
    assert_eq!(code(&stories(200)).unwrap().stories.len(), 200);
    assert_eq!(code(&stories(201)).unwrap_err(), ("PLAN_TOO_MANY_STORIES", Some(401)));
    assert_eq!(code(&criteria(100)).unwrap().stories[0].criteria.len(), 100);
    assert_eq!(code(&criteria(101)).unwrap_err(), ("PLAN_TOO_MANY_CRITERIA", Some(102)));
    assert_eq!(code(&criteria(20_000)).unwrap_err(), ("PLAN_TOO_MANY_CRITERIA", Some(102)));
    let filled =
        |length: usize| format!("{}{}", criteria(1), " ".repeat(length - criteria(1).len()));
    assert!(code(&filled(1024 * 1024)).is_ok());
    assert_eq!(code(&filled(1024 * 1024 + 1)).unwrap_err(), ("PLAN_TOO_LARGE", None));
}

/// Each of these repeats what could make a reader go over it again and again. That this test
/// ends is what it shows.
#[test]
fn a_document_that_repeats_itself_is_read_in_time() {
    let filled = |start: &str, piece: &str, end: &str| {
        let room = LIMITS.bytes / 8 - start.len() - end.len();
        format!("{start}{}{end}", piece.repeat(room / piece.len()))
    };
    let story = "# US-1: x\n- a\n";
    let dots = ".".repeat(LIMITS.bytes / 16);
    for (name, text, code) in [
        ("p.md", filled("", "# US-1: x\n", ""), "PLAN_TOO_MANY_STORIES"),
        ("p.md", filled("", story, ""), "PLAN_TOO_MANY_STORIES"),
        ("p.md", filled("# US-1: x\n- a ", "(verify: ", &dots), ""),
        ("p.md", filled("# US-1: x\n- a ", "verify: `x` ", ""), "PLAN_VERIFY_UNCLEAR"),
        ("p.md", filled("# US-1: x\n- a ", "[", ""), ""),
        ("p.md", filled("# US-1: x\n- a ", "`", ""), ""),
        ("p.md", filled("# US-1: x\n- a ", "*a_", ""), ""),
        ("p.md", filled("# US-1: x\n", "- ", "a"), ""),
        ("p.md", filled("# US-1: x\n", "> ", "a"), "PLAN_NO_CRITERIA"),
        ("p.md", filled(story, "## Dependencies\n- b c\n", ""), ""),
        ("p.md", filled("## Dependencies\n", "b\n", story), ""),
        ("p.md", filled("---\n", "a: b\n", "---\n"), "PLAN_FRONT_MATTER"),
        ("tasks.md", filled("", "- [ ] T1 [US1] x\n", ""), "PLAN_TOO_MANY_CRITERIA"),
        ("p.json", filled("", "[", ""), "PLAN_NOT_JSON"),
    ] {
        let found = read(name, text.as_bytes()).map_or_else(|it| it.code(), |_| "");
        assert_eq!(found, code, "{name} {text:.60}");
    }
}

#[test]
fn a_document_that_is_not_utf8_is_refused_where_it_stops_to_be() {
    let fault = read("p.md", b"# a\n# b \xff\n").unwrap_err();
    assert_eq!((fault.code(), fault.line()), ("PLAN_NOT_UTF8", Some(2)));
}

#[test]
fn a_fault_speaks_both_languages_and_says_what_to_do() {
    let fault = read("dir/p.md", "# x\n\n## US-2: y\n".as_bytes()).unwrap_err();
    assert_eq!(fault.to_string(), "dir/p.md:3: story `US-2` has no acceptance criteria");
    assert_eq!(Lang::Zh.render(&fault.text()), "dir/p.md:3：故事 `US-2` 没有验收标准");
    assert_eq!(fault.hints().len(), 1);
    let fault = read("p.json", br#"{"userStories": [{"id": 3}]}"#).unwrap_err();
    assert_eq!(fault.to_string(), "p.json:1#/userStories/0/id: expected a string, found `3`");
    let fault = read("\u{1b}[2J.md", b"").unwrap_err();
    assert_eq!(fault.to_string(), "?[2J.md: the plan has no stories");
}

/// The line that a subject such as `p.md:12` names.
fn line_of(subject: &str) -> Option<usize> {
    subject.rsplit_once(':')?.1.parse().ok()
}

/// Whether all that a reading says about a document is in the document.
fn is_sound(name: &str, text: &str) -> Result<(), TestCaseError> {
    let lines = 1..=text.split('\n').count();
    match read(name, text.as_bytes()) {
        Ok(plan) => {
            prop_assert!(!plan.stories.is_empty());
            for story in &plan.stories {
                prop_assert!(!story.criteria.is_empty());
                for (number, it) in (1..).zip(&story.criteria) {
                    prop_assert_eq!(it.id, CriterionId::try_from(number).unwrap());
                    prop_assert_eq!(&normalise(&it.text), &it.text);
                    prop_assert!(!it.text.is_empty());
                }
            }
            for it in plan.notices.iter().filter_map(|it| line_of(&it.subject)) {
                prop_assert!(lines.contains(&it), "{} of {:?}", it, text);
            }
        }
        Err(fault) => {
            prop_assert!(fault.line().is_none_or(|it| lines.contains(&it)), "{} {:?}", fault, text);
            prop_assert!(Lang::Zh.render(&fault.text()).chars().count() < 600);
        }
    }
    Ok(())
}

/// Pieces of which plans are made, in no order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "# ",
        "## ",
        "### ",
        "US-001",
        "US-2",
        ": ",
        "：",
        " - ",
        "\n",
        "\n",
        "\n\n",
        "- ",
        "- [ ] ",
        "  - ",
        "1. ",
        "> ",
        "```\n",
        "---\n",
        "**",
        "Acceptance Criteria",
        "验收标准",
        "verify: ",
        "验证：",
        "`",
        "(",
        ")",
        "Priority: ",
        "AC-2",
        "title: x\n",
        "branch: ",
        "$(x)",
        "text",
        "User Stories",
        "Dependencies",
        "T001 ",
        "[US1] ",
        "## Phase 1\n",
        "<!--",
        "-->",
        "\r\n",
        "\t",
        "字",
        "Notes:\n",
        "{",
        "}",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|it| it.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in r"(\PC|\n){0,200}") {
        is_sound("p.md", &text)?;
        is_sound("p.json", &text)?;
    }

    #[test]
    fn any_heap_of_pieces_is_read_or_refused(text in pieces()) {
        is_sound("p.md", &text)?;
        is_sound("tasks.md", &format!("- [ ] T001 x\n{text}"))?;
        is_sound("q.md", &format!("---\n{text}"))?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read("p", &bytes);
    }

    /// The digest of a criterion changes exactly when its text does, and no other digest does.
    #[test]
    fn an_edit_of_one_criterion_changes_its_digest_alone(
        texts in prop::collection::btree_set("[a-z]{1,4}", 3),
        edit in "[a-z]{1,4}",
        at in 0..3_usize,
    ) {
        let texts: Vec<_> = texts.into_iter().collect();
        let plan = |texts: &[String]| {
            let items: Vec<_> = texts.iter().map(|it| format!("- x {it}\n")).collect();
            let items = items.concat();
            read("p.md", format!("# US-1: x\n{items}").as_bytes()).unwrap()
        };
        let mut edited = texts.clone();
        edited[at] = edit;
        let (before, after) = (plan(&texts), plan(&edited));
        let pairs = before.stories[0].criteria.iter().zip(&after.stories[0].criteria);
        for (number, (before, after)) in pairs.enumerate() {
            prop_assert_eq!(before.digest == after.digest, texts[number] == edited[number]);
        }
    }
}
