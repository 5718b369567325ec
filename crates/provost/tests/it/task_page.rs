//! `docs/task.md` says what the code says: each of its tables is held against the words and the
//! rules that it describes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
};

use camino::Utf8Path;
use provost_kernel::{
    AttemptNumber, Record as _, TaskId,
    task::{Checkpoint, ErrorClass, EventKind, PauseCode, Role, Row, State, TaskSpec, TaskType},
};
use provost_rules_task::{agent_config, concern, policy::ALWAYS_FORBIDDEN, rubric::Rubric};
use provost_vault::{Layout, Step, StepFile};
use serde_json::Value;

use crate::check_decision::vectors;

const PAGE: &str = include_str!("../../../../docs/task.md");

/// The rows of the first table under a heading, without its head.
#[track_caller]
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let after = PAGE.split_once(&format!("\n{heading}\n")).unwrap().1;
    let lines = after.lines().skip_while(|it| !it.starts_with('|'));
    let lines: Vec<_> = lines.take_while(|it| it.starts_with('|')).skip(2).collect();
    assert!(!lines.is_empty(), "{heading}");
    lines.iter().map(|it| it.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The code in a cell.
fn word(cell: &'static str) -> &'static str {
    cell.trim_matches('`')
}

/// The rows of a table by the word in their first cell.
#[track_caller]
fn by_word(heading: &str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let rows = table(heading);
    let count = rows.len();
    let by_word: BTreeMap<_, _> = rows.into_iter().map(|it| (word(it[0]), it)).collect();
    assert_eq!(by_word.len(), count, "a word stands twice under {heading}");
    by_word
}

#[track_caller]
fn assert_same<T: Ord + Debug>(
    page: impl IntoIterator<Item = T>,
    code: impl IntoIterator<Item = T>,
) {
    let (page, code): (BTreeSet<_>, BTreeSet<_>) =
        (page.into_iter().collect(), code.into_iter().collect());
    assert_eq!(page, code);
}

fn yes(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

#[test]
fn the_page_has_every_field_of_a_spec_with_its_default() {
    let page = by_word("## The spec");
    assert_same(page.keys().copied(), TaskSpec::KEYS.iter().copied());
    let task_id: TaskId = "t1".parse().unwrap();
    let default = serde_json::to_value(TaskSpec::new(task_id)).unwrap();
    for (key, row) in page {
        let expected = match default.get(key) {
            _ if key == "task_id" => "required".to_owned(),
            Some(value) => format!("`{value}`"),
            None => "none".to_owned(),
        };
        assert_eq!(row[2], expected, "{key}");
    }
    for it in TaskType::WORDS.iter().chain(&ALWAYS_FORBIDDEN) {
        assert!(PAGE.contains(&format!("`{it}`")), "{it}");
    }
}

#[test]
fn the_page_has_every_state_and_checkpoint() {
    assert_same(by_word("## States").into_keys(), State::WORDS.iter().copied());
    let checkpoints: Vec<_> = Checkpoint::WORDS.iter().map(|it| format!("`{it}`")).collect();
    assert!(PAGE.contains(&checkpoints.join(", ")));
}

#[test]
fn the_page_has_every_pause_code_with_its_category() {
    let page = by_word("## Pause codes");
    assert_same(page.keys().copied(), PauseCode::WORDS.iter().copied());
    for code in PauseCode::ALL {
        assert_eq!(word(page[code.as_str()][1]), code.category().as_str(), "{code}");
    }
    for vector in vectors().concat() {
        let expected = &vector["expected"];
        let Some(row) = page.get(expected["pause_reason_code"].as_str().unwrap()) else { continue };
        assert_eq!(row[3], yes(expected["consume_attempt"] == true), "{vector}");
    }
}

/// Every row has a vector, and every vector holds in the code: so the page is held against both.
#[test]
fn the_page_has_every_row_of_the_decision_table() {
    let page = by_word("## The decision table");
    assert_same(page.keys().copied(), Row::WORDS.iter().copied());
    for vector in vectors().concat() {
        let expected = &vector["expected"];
        let row = &page[expected["row"].as_str().unwrap()];
        let code = match expected["pause_reason_code"].as_str().unwrap() {
            "" => "none",
            code => code,
        };
        assert_eq!(word(row[2]), expected["next_state"], "{vector}");
        assert_eq!(word(row[3]), code, "{vector}");
        assert_eq!(row[4], yes(expected["consume_attempt"] == true), "{vector}");
        assert_eq!(word(row[5]), expected["last_decision"], "{vector}");
    }
    for it in ErrorClass::WORDS.iter().chain(Role::WORDS).filter(|it| !it.is_empty()) {
        assert!(PAGE.contains(&format!("`{it}`")), "{it}");
    }
}

#[test]
fn the_page_has_every_event() {
    assert_same(by_word("## Events").into_keys(), EventKind::WORDS.iter().copied());
    for it in EventKind::MINIMUM {
        let least = PAGE.lines().find(|it| it.starts_with("An attempt that was judged")).unwrap();
        assert!(least.contains(it.as_str()), "{it}");
    }
}

#[test]
fn the_page_has_the_rubric() {
    let rubric = Rubric::embedded().unwrap();
    assert!(PAGE.contains(&format!("`schemas/judge_rubric.json`, version {}.", rubric.version)));
    let mut dimensions = Vec::new();
    let mut penalties = BTreeMap::<String, Vec<String>>::new();
    for &task_type in TaskType::ALL {
        let of_type = rubric.of(task_type);
        for it in &of_type.dimensions {
            let gate = yes(it.is_hard_gate);
            dimensions.push([
                format!("`{task_type}`"),
                format!("`{}`", it.key),
                it.weight.to_string(),
                gate.to_owned(),
            ]);
        }
        for it in &of_type.penalty_rules {
            let points = if it.points == it.points_max {
                it.points.to_string()
            } else {
                format!("{} to {}", it.points, it.points_max)
            };
            let row = format!("`{}` {points} {}", it.trigger, yes(it.force_gated));
            penalties.entry(row).or_default().push(format!("`{task_type}`"));
        }
    }
    assert_eq!(table("### Dimensions"), dimensions);
    let penalties = penalties.into_iter().map(|(row, types)| match types.as_slice() {
        [one] => (row, one.clone()),
        all => {
            assert_eq!(all.len(), TaskType::ALL.len(), "{row}");
            (row, "every type".to_owned())
        }
    });
    let page = table("### Penalties");
    let page = page.iter().map(|it| (format!("{} {} {}", it[0], it[2], it[3]), it[1].to_owned()));
    assert_same(page, penalties);
}

#[test]
fn the_page_has_the_keyword_caps() {
    let file = include_str!("../../../../schemas/keyword_caps.json");
    let file: Value = serde_json::from_str(file).unwrap();
    let words = |list: &Value| {
        let list = list.as_array().unwrap().iter();
        list.map(|it| format!("`{}`", it.as_str().unwrap())).collect::<Vec<_>>().join(", ")
    };
    let rows = file["rows"].as_array().unwrap().iter().map(|it| {
        let cap = it["cap"].as_f64().unwrap().to_string();
        [words(&it["keywords"]), words(&it["dimensions"]), cap]
    });
    assert_eq!(table("### Keyword caps"), rows.collect::<Vec<_>>());
    let version = file["version"].as_str().unwrap();
    assert!(PAGE.contains(&format!("`schemas/keyword_caps.json`, version {version}.")));
    assert!(PAGE.contains(&format!("({})", words(&file["negations"]))));
}

#[test]
fn the_page_has_the_files_of_a_task() {
    let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
    let task: TaskId = "t1".parse().unwrap();
    let section = PAGE.split_once("\n## Files\n").unwrap().1.split_once("\n## ").unwrap().0;
    let steps = [Step::Coder, Step::Test, Step::Judge].into_iter().flat_map(|step| {
        use StepFile::{Rc, Reply, Request, RunLog, Stderr, Stdout};
        [Rc, RunLog, Stdout, Stderr, Request, Reply]
            .map(|file| layout.step_file(&task, AttemptNumber::FIRST, step, file))
    });
    let files = [
        layout.task_spec(&task),
        layout.status(&task),
        layout.final_summary(&task),
        layout.events(&task),
        layout.runtime_overrides(&task),
        layout.task_lock(&task),
        layout.attempt(&task, AttemptNumber::FIRST),
        layout.verdict(&task, AttemptNumber::FIRST),
        layout.index_entry(&task),
        layout.audit(),
        layout.audit_heads(),
    ];
    for location in files.into_iter().chain(steps) {
        let path = location.path().as_str().replace("t1", "<task_id>");
        let below = path.strip_prefix("/h/out/").unwrap();
        let parts: Vec<_> = below.split('/').filter(|it| *it != "<task_id>").collect();
        assert!(parts.iter().all(|it| section.contains(it)), "{path}");
    }
}

/// PROOF-4: what a person decides on, and who obeys which files.
#[test]
fn the_page_has_what_a_person_decides() {
    let codes = [concern::PLANTED, concern::LEADS_OUT, concern::SUBMODULE];
    assert_same(by_word("### What a person decides").into_keys(), codes);
    let rows = agent_config::readers().map(|(name, paths)| {
        let paths: Vec<String> = paths.iter().map(|it| format!("`{it}`")).collect();
        vec![name.to_owned(), paths.join(" ")]
    });
    assert_eq!(table("#### Files that programs obey"), rows.collect::<Vec<_>>());
}
