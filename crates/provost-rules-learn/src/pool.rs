//! Which pool a ticket is in, and in which order an epoch goes through its tickets.
//!
//! Both follow from digests of names, not from a generator of random numbers: a program that has
//! the seed and the names can compute them in any language.

use provost_kernel::{
    Digest,
    learn::{GroupId, MissionName, Pools, Split, Ticket, TicketKey},
};

use super::review;

/// How many hexadecimal digits of a digest make a place among the shares.
const DIGITS: usize = 16;

/// The pool of a ticket: the one that it names, else the one that its group falls into, else
/// `learn`. Both labels of a group fall into the same, and so do all attempts of a reviewed task.
pub fn split(ticket: &Ticket, pools: Option<Pools>, seed: u64) -> Split {
    if let Some(named) = ticket.split {
        return named;
    }
    let Some(Pools { learn, gate, audit }) = pools else { return Split::Learn };
    let place = place(&format!("{seed}:{}", case(ticket)), [learn, gate, audit]);
    match place {
        0 => Split::Learn,
        1 => Split::Gate,
        _ => Split::Audit,
    }
}

/// What must not be in two pools: a model that learned from one attempt would know the next.
fn case(ticket: &Ticket) -> &str {
    case_of(&ticket.mission, &ticket.group)
}

/// What a group is one case of: for a reviewed task, all its attempts are one.
pub fn case_of<'a>(mission: &MissionName, group: &'a GroupId) -> &'a str {
    match mission.judged_type() {
        Some(_) => review::task_of(group),
        None => group.as_str(),
    }
}

/// Sorts the tickets of an epoch by `sha256("{seed}:{epoch}:{ticket_key}")`, in hexadecimal.
pub fn order<T>(items: &mut [T], seed: u64, epoch: u32, key: impl Fn(&T) -> TicketKey) {
    items.sort_by_cached_key(|it| {
        Digest::of_bytes(format!("{seed}:{epoch}:{}", key(it)).as_bytes())
    });
}

/// The share that a name falls into, each by its weight; the first if none weighs anything.
pub(crate) fn place<const N: usize>(name: &str, shares: [u32; N]) -> usize {
    let total: u128 = shares.iter().map(|it| u128::from(*it)).sum();
    let digits: String =
        Digest::of_bytes(name.as_bytes()).to_string().chars().take(DIGITS).collect();
    // A digest is hexadecimal, so its first 16 digits are a number of 64 bits.
    let number = u128::from(u64::from_str_radix(&digits, 16).unwrap_or_default());
    let at = (number * total) >> 64;
    let mut end = 0;
    let share = shares.iter().position(|it| {
        end += u128::from(*it);
        at < end
    });
    share.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ticket::tests::ticket;

    const POOLS: Pools = Pools { learn: 60, gate: 20, audit: 20 };

    fn named(group: &str, label: &str) -> Ticket {
        ticket(&format!(
            r#"{{"mission":"m","group_id":"{group}","label":"{label}","items":["x"]}}"#
        ))
    }

    #[test]
    fn a_ticket_that_names_its_pool_is_in_it() {
        for named_pool in Split::ALL {
            let mut ticket = named("g", "pass");
            ticket.split = Some(*named_pool);
            assert_eq!(split(&ticket, Some(POOLS), 17), *named_pool);
            assert_eq!(split(&ticket, None, 17), *named_pool);
        }
        assert_eq!(split(&named("g", "pass"), None, 17), Split::Learn);
    }

    /// A resubmission with the other label must not carry what was learned into the gate.
    #[test]
    fn both_labels_of_a_group_fall_into_one_pool() {
        for number in 0..500 {
            let group = format!("组-{number}");
            let pool = |label| split(&named(&group, label), Some(POOLS), 17);
            assert_eq!(pool("pass"), pool("fail"), "{group}");
        }
    }

    #[test]
    fn all_attempts_of_a_reviewed_task_fall_into_one_pool() {
        let pools = |mission: &str, number: u32| {
            let pool = |attempt: u32| {
                let mut ticket = named(&format!("task-{number}#{attempt}"), "pass");
                ticket.mission = mission.parse().unwrap();
                split(&ticket, Some(POOLS), 17)
            };
            (1..=4).map(pool).collect::<std::collections::BTreeSet<_>>().len()
        };
        for number in 0..500 {
            assert_eq!(pools("judge-engineering_impl", number), 1, "{number}");
        }
        // What `#` means in the groups of other missions is not known.
        assert!((0..500).any(|it| pools("m", it) > 1));
    }

    #[test]
    fn pools_have_their_shares_and_depend_on_the_seed() {
        let tickets: Vec<Ticket> = (0..5000).map(|it| named(&format!("g{it}"), "pass")).collect();
        let pools = |shares, seed| -> Vec<Split> {
            tickets.iter().map(|it| split(it, Some(shares), seed)).collect()
        };
        let first = pools(POOLS, 17);
        let count = |pool| first.iter().filter(|it| **it == pool).count();
        assert!(count(Split::Learn).abs_diff(3000) < 150, "{}", count(Split::Learn));
        assert!(count(Split::Gate).abs_diff(1000) < 120, "{}", count(Split::Gate));
        assert!(count(Split::Audit).abs_diff(1000) < 120, "{}", count(Split::Audit));
        assert_eq!(first, pools(POOLS, 17));
        assert_ne!(first, pools(POOLS, 18));
        let all = |pool| move |it: &Split| *it == pool;
        let only = |learn, gate, audit| pools(Pools { learn, gate, audit }, 17);
        assert!(only(1, 0, 0).iter().all(all(Split::Learn)));
        assert!(only(0, 1, 0).iter().all(all(Split::Gate)));
        assert!(only(0, 0, u32::MAX).iter().all(all(Split::Audit)));
        assert!(only(0, 0, 0).iter().all(all(Split::Learn)));
    }

    #[test]
    fn the_order_is_that_of_the_documented_digests() {
        let keys: Vec<TicketKey> =
            ["a::pass", "b::fail", "c::pass", "丁::fail"].map(|it| it.parse().unwrap()).into();
        let ordered = |mut keys: Vec<TicketKey>, seed, epoch| {
            order(&mut keys, seed, epoch, Clone::clone);
            keys
        };
        let digest = |it: &TicketKey| Digest::of_bytes(format!("17:1:{it}").as_bytes()).to_string();
        let mut expected = keys.clone();
        expected.sort_by_key(digest);
        assert_eq!(ordered(keys.clone(), 17, 1), expected);
        let reversed: Vec<TicketKey> = keys.iter().rev().cloned().collect();
        assert_eq!(ordered(reversed, 17, 1), expected, "the order of the files does not matter");
        let orders: std::collections::BTreeSet<Vec<TicketKey>> =
            (1..20).map(|epoch| ordered(keys.clone(), 17, epoch)).collect();
        assert!(orders.len() > 5, "each epoch has an order of its own");
    }
}
