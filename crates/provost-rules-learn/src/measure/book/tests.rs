use provost_kernel::learn::Label;

use super::*;
use crate::measure::{book::error::Reason, fresh::Way};

/// A book and the number of its last label.
struct Bench {
    book: Book,
    entries: Vec<Entry>,
    number: u64,
}

impl Bench {
    fn new() -> Self {
        Self { book: Book::new(Policy::STANDARD), entries: Vec::new(), number: 0 }
    }

    #[track_caller]
    fn record(&mut self, event: Event) {
        let entry = self.book.record(event.clone());
        self.entries.push(entry.unwrap_or_else(|it| panic!("{event:?}: {it}")));
    }

    #[track_caller]
    fn open(&mut self, rule: &str) {
        let birth = self.number;
        let (rule, text) = (rule.to_owned(), format!("text of {rule}"));
        let (claim, replaces) = (Claim::Better, Vec::new());
        self.record(Event::Opened { rule, text, claim, replaces, birth });
    }

    fn label(&mut self, label: Label) -> FreshLabel {
        self.number += 1;
        let number = self.number;
        let group = format!("g{number}").parse().unwrap();
        FreshLabel { number, group, first: number, label, is_by_person: true, way: Way::DRAWN }
    }

    /// Bets of one rule on labels of its own: `w` is a win, `l` a loss, `.` neither.
    #[track_caller]
    fn bets(&mut self, rule: &str, letters: &str) {
        for letter in letters.chars() {
            let label = self.label(if letter == 'l' { Label::Pass } else { Label::Fail });
            let with = vec![Some(if letter == '.' { Label::Pass } else { Label::Fail })];
            self.record(bet(rule, label, with));
        }
    }

    fn standing(&self, rule: &str) -> Standing {
        self.book.account(rule).unwrap().standing()
    }

    #[track_caller]
    fn refuses(&mut self, event: Event, source: Reason) {
        let before = self.book.clone();
        let seq = before.len() + 1;
        assert_eq!(self.book.record(event), Err(BookError::Refused { seq, source }));
        assert_eq!(self.book, before, "a refused event changes nothing");
    }
}

fn bet(rule: &str, label: FreshLabel, with: Vec<Option<Label>>) -> Event {
    Event::Bet { rule: rule.to_owned(), label, with, without: vec![Some(Label::Pass)] }
}

fn promoted(rule: &str) -> Event {
    Event::Promoted { rule: rule.to_owned() }
}

fn adopted(rule: &str, because: Option<&str>) -> Event {
    let (rule, text, by) = (rule.to_owned(), "t".to_owned(), "kim".to_owned());
    Event::Adopted { rule, text, by, because: because.map(str::to_owned) }
}

#[test]
fn eight_wins_put_the_first_rule_in_force_and_ten_the_second() {
    let mut bench = Bench::new();
    bench.open("a");
    bench.open("b");
    bench.bets("a", "wwww");
    assert_eq!(bench.book.consequences(0), [], "four wins are not an offer");
    bench.bets("a", "w");
    assert_eq!(bench.book.consequences(0), [Event::Offered { rule: "a".to_owned() }]);
    bench.record(Event::Offered { rule: "a".to_owned() });
    bench.bets("a", "ww");
    bench.refuses(promoted("a"), Reason::Unproven);
    assert_eq!(bench.book.best(|_| false), None);
    bench.bets("a", "w");
    assert_eq!(bench.book.best(|_| false), Some("a"));
    assert_eq!(bench.book.best(|it| it == "a"), None);
    let before = bench.book.bank();
    bench.record(promoted("a"));
    assert_eq!(bench.standing("a"), Standing::Measured);
    assert!((bench.book.bank() - before - 0.5).abs() < 1e-12, "the stake goes back");
    bench.bets("b", "wwwwwwwww");
    bench.refuses(promoted("b"), Reason::Unproven);
    bench.bets("b", "w");
    bench.record(promoted("b"));
    assert_eq!(bench.book.in_force().count(), 2);
}

#[test]
fn a_shadow_that_cannot_win_is_retired_and_keeps_its_account() {
    let mut bench = Bench::new();
    for (rule, letters, why) in [
        ("a", "lll", Retirement::LowEValue),
        ("b", "wlwlwllw", Retirement::LowEValue),
        ("c", &".".repeat(60), Retirement::NoWins),
        ("d", "wwlll", Retirement::Losses),
    ] {
        bench.open(rule);
        let retired = Event::Retired { rule: rule.to_owned(), why };
        bench.refuses(retired.clone(), Reason::NotFutile);
        bench.bets(rule, letters);
        if rule == "b" {
            assert!(bench.book.account(rule).unwrap().e_value() > 0.1);
            continue;
        }
        let consequences = bench.book.consequences(0);
        assert!(consequences.contains(&retired), "{rule}: {consequences:?}");
        bench.record(retired);
    }
    let e_value = bench.book.account("c").unwrap().e_value();
    assert!(bench.book.can_open("c", Claim::Better));
    bench.open("c");
    assert!((bench.book.account("c").unwrap().e_value() - e_value).abs() < 1e-12);
    assert!(!bench.book.can_open("a", Claim::Better), "what it lost is not forgotten");
}

/// A worthless rule must not get a larger bank by being opened and retired again and again.
#[test]
fn reopening_never_multiplies_evidence_by_a_larger_stake() {
    let mut bench = Bench::new();
    for rule in ["x", "y", "a"] {
        bench.open(rule);
    }
    bench.bets("a", "www");
    let total = |it: &Book| {
        it.bank() + it.account("a").unwrap().stake() * it.account("a").unwrap().e_value()
    };
    let before = total(&bench.book);
    for rule in ["a", "x", "y"] {
        bench.record(Event::Retired { rule: rule.to_owned(), why: Retirement::Person });
    }
    bench.open("a");
    assert!((bench.book.account("a").unwrap().stake() - 0.125).abs() < 1e-12);
    assert!(total(&bench.book) <= before + 0.75, "stakes of the others came back and nothing else");
}

#[test]
fn a_label_counts_once_for_a_group_and_only_for_whom_it_may() {
    let mut bench = Bench::new();
    bench.bets_refused_before_birth();
    bench.open("a");
    bench.open("b");
    let label = bench.label(Label::Fail);
    let with = vec![Some(Label::Fail)];
    bench.record(bet("a", label.clone(), with.clone()));
    let repeated = FreshLabel { number: label.number + 1, ..label.clone() };
    for again in [label.clone(), repeated] {
        bench.refuses(bet("a", again, with.clone()), Reason::LabelDoesNotCount);
    }
    bench.number += 1;
    let asked = |way| FreshLabel { way, ..label.clone() };
    for way in [Way::Asked { rule: "a".to_owned() }, Way::Volunteered] {
        bench.refuses(bet("b", asked(way), with.clone()), Reason::LabelDoesNotCount);
    }
    let by_judge = FreshLabel { is_by_person: false, ..label.clone() };
    bench.refuses(bet("b", by_judge, with.clone()), Reason::LabelDoesNotCount);
    bench.refuses(bet("c", label, with), Reason::LabelDoesNotCount);
}

impl Bench {
    /// A label from before a rule was written is no evidence for it.
    fn bets_refused_before_birth(&mut self) {
        let old = self.label(Label::Fail);
        self.open("old");
        self.refuses(bet("old", old, vec![Some(Label::Fail)]), Reason::LabelDoesNotCount);
    }
}

#[test]
fn harm_takes_a_rule_back_with_a_new_stake() {
    let mut bench = Bench::new();
    bench.open("a");
    bench.bets("a", "wwwwwwww");
    bench.record(promoted("a"));
    bench.bets("a", "lll");
    assert_eq!(bench.book.consequences(9), []);
    bench.bets("a", "l");
    let returned = Event::Returned { rule: "a".to_owned(), why: Return::Harm, birth: 12 };
    assert_eq!(bench.book.consequences(12), std::slice::from_ref(&returned));
    bench.record(returned);
    let account = bench.book.account("a").unwrap();
    assert_eq!((account.standing(), account.birth()), (Standing::Shadow, 12));
    assert!((account.e_value() - 1.0).abs() < 1e-12, "old wins do not count twice");
    // An adopted rule is held to less.
    bench.record(adopted("a", None));
    bench.bets("a", "lll");
    assert_eq!(bench.book.consequences(20).len(), 1);
}

#[test]
fn a_person_adopts_three_at_most_and_proof_makes_them_measured() {
    let mut bench = Bench::new();
    bench.open("a");
    for rule in ["a", "b", "c"] {
        bench.record(adopted(rule, None));
        assert_eq!(bench.standing(rule), Standing::Adopted);
    }
    bench.refuses(adopted("d", None), Reason::TooManyAdopted);
    bench.refuses(adopted("d", Some("I say so")), Reason::TooManyAdopted);
    bench.bets("a", "wwwwwwww");
    bench.record(promoted("a"));
    assert_eq!(bench.standing("a"), Standing::Measured);
    bench.record(adopted("d", None));
    bench.record(Event::RolledBack { rule: "d".to_owned(), by: "kim".to_owned() });
    assert_eq!(bench.standing("d"), Standing::Retired);
    bench.record(adopted("d", None));
    bench.refuses(adopted("d", None), Reason::TooManyAdopted);
}

#[test]
fn no_withdrawal_raises_evidence_and_a_lost_proof_ends_force() {
    let mut bench = Bench::new();
    bench.open("a");
    bench.open("b");
    bench.bets("b", "wwlwlww");
    bench.bets("a", "wwwwwwww");
    bench.record(promoted("a"));
    for label in 1..=7 {
        let before = bench.book.account("b").unwrap().e_value();
        bench.record(Event::Withdrawn { label });
        assert!(bench.book.account("b").unwrap().e_value() <= before, "label {label}");
    }
    assert_eq!(
        (bench.book.account("b").unwrap().wins(), bench.book.account("b").unwrap().losses()),
        (0, 2)
    );
    assert_eq!(bench.standing("a"), Standing::Measured);
    bench.record(Event::Withdrawn { label: 8 });
    let returned = Event::Returned { rule: "a".to_owned(), why: Return::ProofGone, birth: 15 };
    assert!(bench.book.consequences(15).contains(&returned));
    bench.record(returned);
    assert_eq!(bench.standing("a"), Standing::Shadow);
    assert_eq!(bench.book.account("a").unwrap().wins(), 7, "the rest of its evidence stays");
}

/// What a rule in force mends already is no merit of another one.
#[test]
fn a_promotion_discounts_what_it_changed_itself() {
    let mut bench = Bench::new();
    bench.open("a");
    bench.open("b");
    for _ in 0..8 {
        let label = bench.label(Label::Fail);
        bench.record(bet("a", label.clone(), vec![Some(Label::Fail)]));
        bench.record(bet("b", label, vec![Some(Label::Fail)]));
    }
    bench.bets("b", "w");
    bench.record(promoted("a"));
    assert!((bench.book.account("b").unwrap().e_value() - 1.685).abs() < 0.01);
    assert_eq!(bench.book.account("b").unwrap().wins(), 1);
}

#[test]
fn a_removal_takes_a_rule_out_of_force_once_it_is_not_worse() {
    let mut bench = Bench::new();
    bench.open("a");
    bench.bets("a", "wwwwwwww");
    bench.record(promoted("a"));
    for (n, rule) in ["delete:a", "delete:G1", "delete:G2"].into_iter().enumerate() {
        let text = rule.strip_prefix("delete:").unwrap().to_owned();
        let (rule, claim) = (rule.to_owned(), Claim::NotWorse);
        let replaces = Vec::new();
        let opened = Event::Opened { rule, text, claim, replaces, birth: bench.number };
        if n < 2 { bench.record(opened) } else { bench.refuses(opened, Reason::NoRoom) }
    }
    bench.bets("delete:a", &".".repeat(79));
    bench.refuses(promoted("delete:a"), Reason::Unproven);
    bench.bets("delete:a", ".");
    bench.record(promoted("delete:a"));
    assert_eq!(bench.standing("a"), Standing::Retired);
}

#[test]
fn another_season_proves_nothing_about_the_new_judge() {
    let mut bench = Bench::new();
    bench.open("a");
    bench.open("b");
    bench.bets("a", "wwwwwwww");
    bench.record(promoted("a"));
    bench.record(Event::SeasonBegan { because: "another model".to_owned() });
    assert_eq!(bench.standing("a"), Standing::Adopted);
    assert_eq!(bench.standing("b"), Standing::Retired);
    assert!((bench.book.bank() - 1.0).abs() < 1e-12);
}

#[test]
fn one_signature_has_one_stake() {
    let mut bench = Bench::new();
    bench.open("a");
    bench.record(Event::Aliased { rule: "b".to_owned(), of: "a".to_owned() });
    for rule in ["a", "b"] {
        assert!(!bench.book.can_open(rule, Claim::Better), "{rule}");
        let (rule, text) = (rule.to_owned(), "t".to_owned());
        let (claim, replaces) = (Claim::Better, Vec::new());
        let opened = Event::Opened { rule, text, claim, replaces, birth: 9 };
        bench.refuses(opened, Reason::NoRoom);
    }
    assert!((bench.book.bank() - 0.5).abs() < 1e-12);
    let again = Event::Aliased { rule: "b".to_owned(), of: "a".to_owned() };
    bench.refuses(again, Reason::NoRoom);
}

/// A ledger gives the same accounts as the run that wrote it, and an edited one is refused.
#[test]
fn a_ledger_is_recomputed_from_its_inputs() {
    let mut bench = Bench::new();
    bench.open("a");
    bench.bets("a", "wlwwwwwwwwwww");
    bench.record(Event::Withdrawn { label: 2 });
    bench.record(promoted("a"));
    let lines: Vec<String> =
        bench.entries.iter().map(|it| serde_json::to_string(it).unwrap()).collect();
    let read: Vec<Entry> = lines.iter().map(|it| serde_json::from_str(it).unwrap()).collect();
    let verified = Book::verify(Policy::STANDARD, &read).unwrap();
    assert_eq!(verified, bench.book);
    let check = |edit: fn(&mut Vec<Entry>), expected: BookError| {
        let mut edited = read.clone();
        edit(&mut edited);
        assert_eq!(Book::verify(Policy::STANDARD, &edited), Err(expected));
    };
    check(|it| _ = it.remove(3), BookError::OutOfOrder { seq: 4 });
    check(|it| it[5].after.bank = 0.9, BookError::Numbers { seq: 6 });
    check(|it| it[5].after.e_value = None, BookError::Numbers { seq: 6 });
    check(
        |it| {
            if let Event::Bet { label, .. } = &mut it[4].event {
                label.label = Label::Pass;
            }
        },
        BookError::Numbers { seq: 5 },
    );
    check(
        |it| it[1].event = promoted("a"),
        BookError::Refused { seq: 2, source: Reason::Unproven },
    );
}
