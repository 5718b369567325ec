//! Tickets as many as are wanted: the same for the same seed.

use provost_kernel::{
    Digest,
    learn::{Label, Split},
};
use serde_json::{Value, json};

use super::VOCABULARY;

/// How many tickets there are of each pool.
#[derive(Clone, Copy, Debug)]
pub struct Lot {
    pub seed: u64,
    pub learn: usize,
    pub gate: usize,
    pub audit: usize,
}

impl Lot {
    /// Every ticket's number and pool.
    fn tickets(self) -> impl Iterator<Item = (usize, Split)> {
        let Self { learn, gate, audit, .. } = self;
        let split = move |n| match n {
            n if n < learn => Split::Learn,
            n if n < learn + gate => Split::Gate,
            _ => Split::Audit,
        };
        (0..learn + gate + audit).map(move |n| (n, split(n)))
    }
}

/// Whether something that happens so often in 256 times happens now.
pub fn chance(seed: u64, number: usize, what: &str, often: u8) -> bool {
    draw(seed, number, what) < often
}

fn draw(seed: u64, number: usize, what: &str) -> u8 {
    let digest = Digest::of_bytes(format!("{seed}:{number}:{what}").as_bytes()).to_string();
    u8::from_str_radix(&digest[..2], 16).unwrap_or_default()
}

/// A ticket with these words in it.
pub fn ticket(number: usize, words: &[&str], label: Label, split: Split) -> Value {
    json!({
        "mission": "m",
        "group_id": format!("t-{number:06}"),
        "label": label,
        "label_source": "human",
        "split": split,
        "items": {
            "log": format!("Entry {number} has: {}.", words.join(" ")),
            "claim": "Everything went well, 一切正常。",
        },
    })
}

/// Tickets that fail because of one word; one in sixteen is labelled the other way.
///
/// In every ten tickets three have the word; every other word is there by chance.
pub fn planted(lot: Lot) -> Vec<Value> {
    let of = |(n, split)| {
        let mut words = by_chance(lot.seed, n, 1, 128);
        let is_planted = n % 10 < 3;
        if is_planted {
            words.push(VOCABULARY[0].0);
        }
        let is_noise = chance(lot.seed, n, "noise", 16);
        let label = if is_planted == is_noise { Label::Pass } else { Label::Fail };
        ticket(n, &words, label, split)
    };
    lot.tickets().map(of).collect()
}

/// Tickets whose labels have nothing to do with them: in each pool half of them fail, by lot.
pub fn shuffled(lot: Lot) -> Vec<Value> {
    let numbers: Vec<(usize, Split)> = lot.tickets().collect();
    let mut tickets = Vec::with_capacity(numbers.len());
    for pool in [Split::Learn, Split::Gate, Split::Audit] {
        let mut order: Vec<usize> =
            numbers.iter().filter(|(_, it)| *it == pool).map(|(n, _)| *n).collect();
        order.sort_by_key(|n| Digest::of_bytes(format!("{}:label:{n}", lot.seed).as_bytes()));
        let half = order.len() / 2;
        for (place, n) in order.into_iter().enumerate() {
            let label = if place < half { Label::Fail } else { Label::Pass };
            let words = by_chance(lot.seed, n, 0, 160);
            tickets.push(ticket(n, &words, label, pool));
        }
    }
    tickets
}

/// The words of the vocabulary from this one on, each so often in 256 tickets.
fn by_chance(seed: u64, number: usize, from: usize, often: u8) -> Vec<&'static str> {
    let words = VOCABULARY.iter().skip(from).map(|(word, _)| *word);
    words.filter(|word| chance(seed, number, word, often)).collect()
}
