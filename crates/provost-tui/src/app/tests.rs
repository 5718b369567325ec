//! What keys do to what is shown.

use crossterm::event::KeyModifiers;
use provost_desk::task::{Action, FieldKind};
use provost_kernel::{
    Millis,
    task::{SealStanding, TaskGroup},
};

use super::*;
use crate::{
    look::Marks,
    model::{DetailLine, Field, Item, Voice},
};

pub(crate) fn look(marks: Marks) -> Look {
    Look { marks, has_colours: false }
}

pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp::from(Millis(1_800_000_000_000 + seconds * 1000))
}

pub(crate) fn item(id: &str, group: TaskGroup, why: &str) -> Item {
    Item {
        id: id.to_owned(),
        goal: format!("goal of {id}"),
        group,
        strip: [SealStanding::NotVerified; 6],
        why: why.to_owned(),
        tries: "1/3".to_owned(),
        updated_at: at(0),
        running: None,
        state_version: 1,
        is_queued: false,
    }
}

pub(crate) fn offer(action: Action, label: &str, fields: &[(&str, bool)]) -> Offer {
    let field = |(name, is_required): &(&str, bool)| Field {
        name: (*name).to_owned(),
        label: (*name).to_owned(),
        is_required: *is_required,
        kind: FieldKind::Text,
        max_chars: Some(20),
        choices: Vec::new(),
        value: String::new(),
    };
    Offer {
        action,
        label: label.to_owned(),
        command: format!("provost {} t1", action.as_str().to_lowercase()),
        fields: fields.iter().map(field).collect(),
        payload: serde_json::Map::new(),
    }
}

pub(crate) fn detail(id: &str) -> Detail {
    let line = |voice, text: &str| DetailLine { voice, text: text.to_owned() };
    Detail {
        id: id.to_owned(),
        headline: vec!["row ready".to_owned(), "PASS 90.8".to_owned()],
        lines: vec![
            line(Voice::Ruling, "ready for your review"),
            line(Voice::Fact(SealStanding::Verified), "tests  SHOWN: the test needs this change"),
            line(Voice::Evidence, "$ cargo test --workspace   exit 0   51.2 s"),
            line(Voice::Claim, "“I also tidied up”"),
        ],
        offers: vec![
            offer(Action::Approve, "approve", &[]),
            offer(Action::Reject, "reject", &[("because", true)]),
        ],
        seen: Seen { attempt: 2, state_version: 7 },
        commit: Some("9c41e7f".to_owned()),
        state_version: 7,
    }
}

/// A board with one task in each group but one.
pub(crate) fn app(marks: Marks, lang: Lang) -> App {
    let mut app = App::new(lang, look(marks), "harbor", at(600));
    app.take_board(Board {
        items: vec![
            item("done", TaskGroup::Proven, "approved"),
            item("t1", TaskGroup::Waits, "ready for your review"),
            item("t2", TaskGroup::Waits, "the judge asks you"),
            item("busy", TaskGroup::Runs, "running"),
        ],
        trouble: Vec::new(),
    });
    app
}

fn english() -> App {
    app(Marks::Unicode, Lang::En)
}

fn press(app: &mut App, code: KeyCode) -> Option<Effect> {
    app.key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn type_text(app: &mut App, text: &str) {
    for letter in text.chars() {
        press(app, KeyCode::Char(letter));
    }
}

#[test]
fn the_first_that_waits_is_selected_and_read() {
    let mut app = App::new(Lang::En, look(Marks::Unicode), "harbor", at(0));
    let items = vec![item("b", TaskGroup::Runs, ""), item("a", TaskGroup::Waits, "")];
    let effect = app.take_board(Board { items, trouble: Vec::new() });
    assert_eq!(effect, Some(Effect::Look("a".to_owned())));
}

#[test]
fn keys_move_through_the_groups_and_stop_at_the_ends() {
    let mut app = english();
    for (code, selected) in [
        (KeyCode::Char('j'), "t2"),
        (KeyCode::Down, "busy"),
        (KeyCode::Char('j'), "done"),
        (KeyCode::Char('j'), "done"),
        (KeyCode::Up, "busy"),
        (KeyCode::Home, "t1"),
        (KeyCode::Char('k'), "t1"),
        (KeyCode::End, "done"),
        (KeyCode::Char('1'), "t1"),
        (KeyCode::Char('2'), "busy"),
        (KeyCode::Char('3'), "done"),
        // An empty group.
        (KeyCode::Char('4'), "done"),
        (KeyCode::PageUp, "t1"),
        (KeyCode::PageDown, "done"),
    ] {
        press(&mut app, code);
        assert_eq!(app.selected.as_deref(), Some(selected), "{code:?}");
    }
}

#[test]
fn a_new_board_keeps_the_selected_task_or_its_place() {
    let mut app = english();
    press(&mut app, KeyCode::Char('j'));
    app.take_detail(detail("t2"));
    let mut board = app.board.clone().unwrap();
    assert_eq!(app.take_board(board.clone()), None, "nothing changed");
    board.items.retain(|it| it.id != "t1");
    let t2 = board.items.iter_mut().find(|it| it.id == "t2").unwrap();
    (t2.group, t2.state_version) = (TaskGroup::Closed, 2);
    assert_eq!(app.take_board(board.clone()), Some(Effect::Look("t2".to_owned())));
    assert_eq!(app.selected.as_deref(), Some("t2"));
    board.items.retain(|it| it.id != "t2");
    app.take_board(board);
    assert_eq!(app.selected.as_deref(), Some("done"));
    app.take_board(Board::default());
    assert_eq!(app.selected, None);
    assert_eq!(press(&mut app, KeyCode::Char('j')), None);
    assert_eq!(press(&mut app, KeyCode::Char('a')), None);
}

#[test]
fn a_filter_looks_at_ids_and_goals_and_goes_with_escape() {
    let mut app = english();
    press(&mut app, KeyCode::Char('/'));
    type_text(&mut app, "OF T2");
    assert_eq!(app.selected.as_deref(), Some("t2"));
    assert_eq!(app.listed().len(), 1);
    press(&mut app, KeyCode::Enter);
    assert_eq!(app.mode, Mode::Browse);
    press(&mut app, KeyCode::Esc);
    assert_eq!(app.listed().len(), 4);
    press(&mut app, KeyCode::Char('g'));
    press(&mut app, KeyCode::Char('i'));
    assert_eq!(app.listed().len(), 2);
    press(&mut app, KeyCode::Char('g'));
    press(&mut app, KeyCode::Char('t'));
    assert_eq!(app.listed().len(), 4);
    // Letters behind `g` order nothing.
    app.take_detail(detail("t2"));
    press(&mut app, KeyCode::Char('g'));
    press(&mut app, KeyCode::Char('a'));
    assert_eq!(app.mode, Mode::Browse);
    assert!(app.notice.unwrap().text.contains("provost serve"));
}

#[test]
fn an_order_is_sent_after_the_question_and_carries_what_was_seen() {
    let mut app = english();
    app.take_detail(detail("t1"));
    assert_eq!(press(&mut app, KeyCode::Char('a')), None);
    assert!(app.asks());
    // Neither Enter nor anything else is a yes.
    assert_eq!(press(&mut app, KeyCode::Enter), None);
    assert_eq!(press(&mut app, KeyCode::Char('a')), None);
    let Some(Effect::Send(sent)) = press(&mut app, KeyCode::Char('y')) else { panic!() };
    assert_eq!((sent.task.as_str(), sent.offer.action), ("t1", Action::Approve));
    assert_eq!(sent.seen, Seen { attempt: 2, state_version: 7 });
    // While it is sent, keys do nothing.
    assert_eq!(press(&mut app, KeyCode::Char('y')), None);
    app.take_answer("t1", Ok("done".to_owned()));
    assert_eq!(app.mode, Mode::Browse);
    assert_eq!(app.notice.as_ref().unwrap().text, "done");
}

#[test]
fn a_refused_order_keeps_its_text_and_asks_anew() {
    let mut app = english();
    app.take_detail(detail("t1"));
    press(&mut app, KeyCode::Char('x'));
    assert_eq!(press(&mut app, KeyCode::Enter), None);
    let Mode::Order(draft) = &app.mode else { panic!() };
    assert!(draft.refusal.as_ref().unwrap().contains("required"));
    type_text(&mut app, "不对");
    app.paste("\nreally");
    press(&mut app, KeyCode::Enter);
    assert!(app.asks());
    let Some(Effect::Send(sent)) = press(&mut app, KeyCode::Char('y')) else { panic!() };
    assert_eq!(sent.values, [("because".to_owned(), "不对\nreally".to_owned())]);
    app.take_answer("t1", Err("the task has gone on".to_owned()));
    let newer = Detail { seen: Seen { attempt: 3, state_version: 9 }, ..detail("t1") };
    app.take_detail(newer);
    let Mode::Order(draft) = &app.mode else { panic!() };
    assert_eq!(draft.inputs[0].text(), "不对\nreally");
    assert_eq!(draft.refusal.as_deref(), Some("the task has gone on"));
    // The next question names the newer result.
    press(&mut app, KeyCode::Enter);
    let Some(Effect::Send(sent)) = press(&mut app, KeyCode::Char('y')) else { panic!() };
    assert_eq!(sent.seen.attempt, 3);
    app.take_answer("t1", Err("no".to_owned()));
    press(&mut app, KeyCode::Esc);
    assert_eq!(app.mode, Mode::Browse);
}

#[test]
fn an_approval_that_is_refused_must_be_asked_for_again() {
    let mut app = english();
    app.take_detail(detail("t1"));
    press(&mut app, KeyCode::Char('a'));
    press(&mut app, KeyCode::Char('y'));
    app.take_answer("t1", Err("the task has gone on".to_owned()));
    assert_eq!(app.mode, Mode::Browse);
    assert_eq!(press(&mut app, KeyCode::Char('y')), None);
}

#[test]
fn a_long_text_is_refused_before_it_is_sent() {
    let mut app = english();
    app.take_detail(detail("t1"));
    press(&mut app, KeyCode::Char('x'));
    type_text(&mut app, &"长".repeat(21));
    press(&mut app, KeyCode::Enter);
    assert!(!app.asks());
    press(&mut app, KeyCode::Backspace);
    press(&mut app, KeyCode::Enter);
    assert!(app.asks());
}

#[test]
fn an_order_that_is_not_on_offer_says_so() {
    let mut app = english();
    assert_eq!(press(&mut app, KeyCode::Char('a')), Some(Effect::Look("t1".to_owned())));
    assert_eq!(app.mode, Mode::Browse);
    // The question comes when the task is there.
    app.take_detail(detail("t1"));
    assert!(app.asks());
    press(&mut app, KeyCode::Esc);
    press(&mut app, KeyCode::Char('p'));
    assert!(app.notice.as_ref().unwrap().text.contains("cannot take this now"));
    // A detail of another task must not lead to an order.
    press(&mut app, KeyCode::Char('j'));
    assert_eq!(press(&mut app, KeyCode::Char('a')), Some(Effect::Look("t2".to_owned())));
    assert_eq!(app.mode, Mode::Browse);
}

#[test]
fn every_order_can_be_chosen_from_a_list() {
    let mut app = english();
    app.take_detail(detail("t1"));
    press(&mut app, KeyCode::Char('o'));
    press(&mut app, KeyCode::Char('j'));
    press(&mut app, KeyCode::Char('j'));
    press(&mut app, KeyCode::Enter);
    let Mode::Order(draft) = &app.mode else { panic!() };
    assert_eq!(draft.offer.action, Action::Reject);
}

#[test]
fn papers_scroll_by_lines_pages_and_files() {
    let mut app = english();
    assert_eq!(press(&mut app, KeyCode::Char('d')), Some(Effect::Diff("t1".to_owned())));
    let line =
        crate::model::PaperLine { kind: crate::model::PaperKind::Plain, text: "x".to_owned() };
    let paper = Paper { title: String::new(), lines: vec![line; 50], parts: vec![0, 20, 40] };
    app.take_paper("t1", paper.clone(), PaperOf::Diff);
    let top = |app: &App| {
        let Mode::Paper { top, .. } = &app.mode else { panic!() };
        *top
    };
    for (code, expected) in [
        (KeyCode::Char('j'), 1),
        (KeyCode::Char(']'), 20),
        (KeyCode::Char(']'), 40),
        (KeyCode::Char(']'), 40),
        (KeyCode::Char('['), 20),
        (KeyCode::PageUp, 10),
        (KeyCode::Home, 0),
        (KeyCode::Char('k'), 0),
        (KeyCode::End, 40),
    ] {
        press(&mut app, code);
        assert_eq!(top(&app), expected, "{code:?}");
    }
    press(&mut app, KeyCode::Char('q'));
    assert_eq!(app.mode, Mode::Browse);
    // One that comes late, for a task that is no longer selected, is not shown.
    press(&mut app, KeyCode::Char('j'));
    app.take_paper("t1", paper.clone(), PaperOf::Diff);
    assert_eq!(app.mode, Mode::Browse);
    app.take_paper("t2", paper, PaperOf::Log(LogStep::Test));
    let next = press(&mut app, KeyCode::Char(']'));
    assert_eq!(next, Some(Effect::Log("t2".to_owned(), LogStep::Judge)));
}

#[test]
fn control_c_leaves_from_everywhere() {
    let mut app = english();
    app.take_detail(detail("t1"));
    let leave = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    for code in ['a', 'x', '/', '?', 'o'] {
        press(&mut app, KeyCode::Char(code));
        assert_eq!(app.key(leave), Some(Effect::Quit), "{code}");
        press(&mut app, KeyCode::Esc);
    }
    assert_eq!(press(&mut app, KeyCode::Char('q')), Some(Effect::Quit));
}
