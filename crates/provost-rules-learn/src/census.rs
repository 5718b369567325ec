//! The census of an epoch: every ticket ends it in exactly one class.

use std::collections::BTreeMap;

use provost_kernel::{Message, learn::TicketKey};
use serde::{Deserialize, Serialize};

/// What became of a ticket in an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Judged right, without a doubt: nothing to learn.
    Stable,
    /// Something that was learned, or may be, cites it.
    Contributor,
    /// Nothing could be learned from it, or not within the retries.
    StopGradient,
    /// What was learned from it waits for another epoch.
    Deferred,
    /// It has no verdict.
    Failed,
}

/// The tickets of one epoch, each with its class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    classes: BTreeMap<TicketKey, Class>,
}

/// How many tickets are in each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassCounts {
    pub stable: u64,
    pub contributor: u64,
    pub stop_gradient: u64,
    pub deferred: u64,
    pub failed: u64,
}

/// A ticket that is not in exactly one class.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.census", exit = Integrity)]
pub enum CensusError {
    #[message(
        en = "ticket `{key}` is in two classes, `{first}` and `{second}`",
        zh = "工单 `{key}` 同时属于 `{first}` 和 `{second}`，只能属于一类",
        arg(first = first.as_str()),
        arg(second = second.as_str()),
        hint(
            en = "the run stopped before it lost a ticket: this is a bug in provost",
            zh = "运行已停止，没有丢失工单：这是 provost 的缺陷"
        )
    )]
    Twice { key: TicketKey, first: Class, second: Class },
    #[message(
        en = "ticket `{key}` is in no class at the end of its epoch",
        zh = "工单 `{key}` 在轮次结束时不属于任何一类",
        hint(
            en = "the run stopped before it lost a ticket: this is a bug in provost",
            zh = "运行已停止，没有丢失工单：这是 provost 的缺陷"
        )
    )]
    Missing { key: TicketKey },
    #[message(
        en = "ticket `{key}` has a class in an epoch that does not contain it",
        zh = "工单 `{key}` 不在本轮次中，却有类别",
        hint(
            en = "the run stopped before it lost a ticket: this is a bug in provost",
            zh = "运行已停止，没有丢失工单：这是 provost 的缺陷"
        )
    )]
    Stranger { key: TicketKey },
}

impl Class {
    pub const ALL: [Self; 5] =
        [Self::Stable, Self::Contributor, Self::StopGradient, Self::Deferred, Self::Failed];

    /// The word as files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Contributor => "contributor",
            Self::StopGradient => "stop_gradient",
            Self::Deferred => "deferred",
            Self::Failed => "failed",
        }
    }
}

impl Census {
    /// Puts a ticket into a class, once.
    pub fn put(&mut self, key: TicketKey, class: Class) -> Result<(), CensusError> {
        if let Some(&first) = self.classes.get(&key) {
            return Err(CensusError::Twice { key, first, second: class });
        }
        self.classes.insert(key, class);
        Ok(())
    }

    /// The class of a ticket, if it has one yet.
    pub fn class(&self, key: &TicketKey) -> Option<Class> {
        self.classes.get(key).copied()
    }

    /// The tickets in the order of their keys.
    pub fn classes(&self) -> impl Iterator<Item = (&TicketKey, Class)> {
        self.classes.iter().map(|(key, class)| (key, *class))
    }

    /// Counts the classes, if every ticket of the epoch has one and nothing else has.
    pub fn close<'a>(
        &self,
        tickets: impl IntoIterator<Item = &'a TicketKey>,
    ) -> Result<ClassCounts, CensusError> {
        let mut counts = ClassCounts::default();
        let mut left: BTreeMap<_, _> = self.classes().collect();
        for key in tickets {
            let class =
                left.remove(key).ok_or_else(|| CensusError::Missing { key: key.clone() })?;
            *counts.of(class) += 1;
        }
        match left.into_keys().next() {
            Some(key) => Err(CensusError::Stranger { key: key.clone() }),
            None => Ok(counts),
        }
    }
}

impl ClassCounts {
    /// All tickets.
    pub fn total(&self) -> u64 {
        let Self { stable, contributor, stop_gradient, deferred, failed } = self;
        stable + contributor + stop_gradient + deferred + failed
    }

    fn of(&mut self, class: Class) -> &mut u64 {
        match class {
            Class::Stable => &mut self.stable,
            Class::Contributor => &mut self.contributor,
            Class::StopGradient => &mut self.stop_gradient,
            Class::Deferred => &mut self.deferred,
            Class::Failed => &mut self.failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    fn key(name: &str) -> TicketKey {
        format!("{name}::pass").parse().unwrap()
    }

    /// Tickets as `name:class` words, and the names of the epoch's tickets.
    #[track_caller]
    fn check(put: &str, tickets: &str, expected: Result<[u64; 5], &str>) {
        let mut census = Census::default();
        let class = |word| *Class::ALL.iter().find(|it| it.as_str() == word).unwrap();
        let result = put.split_whitespace().try_for_each(|it| {
            let (name, word) = it.split_once(':').unwrap();
            census.put(key(name), class(word))
        });
        let tickets: Vec<_> = tickets.split_whitespace().map(key).collect();
        let counts = result.and_then(|()| census.close(&tickets));
        if let Err(error) = &counts {
            assert_ne!(error.to_string(), Lang::Zh.render(&error.text()));
        }
        let actual = counts.map_err(|it| it.to_string()).map(|it| {
            assert_eq!(usize::try_from(it.total()).unwrap(), tickets.len());
            [it.stable, it.contributor, it.stop_gradient, it.deferred, it.failed]
        });
        assert_eq!(actual, expected.map_err(str::to_owned), "{put}");
    }

    /// LEARN-5.2: nothing is dropped in silence.
    #[test]
    fn every_ticket_is_in_exactly_one_class() {
        check("", "", Ok([0; 5]));
        check(
            "a:stable b:contributor c:stop_gradient d:deferred e:failed f:stable",
            "f e d c b a",
            Ok([2, 1, 1, 1, 1]),
        );
        check(
            "a:stable a:failed",
            "a",
            Err("ticket `a::pass` is in two classes, `stable` and `failed`"),
        );
        check(
            "a:contributor a:contributor",
            "a",
            Err("ticket `a::pass` is in two classes, `contributor` and `contributor`"),
        );
        check("a:stable", "a b", Err("ticket `b::pass` is in no class at the end of its epoch"));
        check(
            "a:stable b:stable",
            "a",
            Err("ticket `b::pass` has a class in an epoch that does not contain it"),
        );
        check("a:stable", "a a", Err("ticket `a::pass` is in no class at the end of its epoch"));
    }

    #[test]
    fn a_class_is_asked_for_by_its_ticket() {
        let mut census = Census::default();
        census.put(key("a"), Class::Deferred).unwrap();
        assert_eq!(
            (census.class(&key("a")), census.class(&key("b"))),
            (Some(Class::Deferred), None)
        );
        assert_eq!(census.classes().collect::<Vec<_>>(), [(&key("a"), Class::Deferred)]);
        for class in Class::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
    }
}
