//! The built-in rules: a table in three files, with what each of them says.
//!
//! A rule that denies is answered only by a rule of the person that names it. A rule that asks or
//! records yields to any rule of the person's own configuration. Each belongs to a pack, which can
//! be switched, or to the core, which cannot; its marks say what a level and a person may do to it.

mod machine;
mod project;
mod trust;

use provost_kernel::{
    Message, Text,
    guard::policy::{Effect, GuardLevel, Pack, Policy},
};

use self::{machine::machine_rules, project::project_rules, trust::trust_rules};

/// What may become of a built-in rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// It has no override: a person runs the command themselves.
    Person,
    /// At the relaxed level it is recorded and not asked about.
    Eased,
}

/// The pack that a rule belongs to; the core is none.
macro_rules! pack {
    (Core) => {
        None
    };
    ($pack:ident) => {
        Some(Pack::$pack)
    };
}

macro_rules! built_in {
    ([] $($name:ident = $id:literal $effect:ident [$pack:ident $($mark:ident)?],
        en = $en:literal, zh = $zh:literal $(, hint($($hint:tt)+))?;)+) => {
        /// A rule that is always in force.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
        #[message(code = "guard.rule")]
        pub enum BuiltIn {
            $(#[message(code = $id, en = $en, zh = $zh $(, hint($($hint)+))?)] $name,)+
        }

        impl BuiltIn {
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The stable name, such as `git.force-push`.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)+
                }
            }

            pub fn effect(self) -> Effect {
                match self {
                    $(Self::$name => Effect::$effect,)+
                }
            }

            /// The pack that it is switched with; none for the core.
            pub fn pack(self) -> Option<Pack> {
                match self {
                    $(Self::$name => pack!($pack),)+
                }
            }

            fn marks(self) -> &'static [Mark] {
                match self {
                    $(Self::$name => &[$(Mark::$mark)?],)+
                }
            }
        }
    };
}

// Each file hands its rows to the next, and the last one all of them to the enumeration.
project_rules! { [machine_rules trust_rules built_in] }

impl BuiltIn {
    /// What to do instead, if anything.
    pub fn hint(self) -> Option<Text> {
        self.hints().pop()
    }

    /// The rule of a name.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.id() == id)
    }

    /// Whether a person may permit it to an agent.
    pub fn can_be_permitted(self) -> bool {
        !self.marks().contains(&Mark::Person)
    }

    /// What it amounts to under a policy.
    pub fn effect_in(self, policy: &Policy) -> Effect {
        if self.pack().is_some_and(|it| !policy.packs.has(it)) {
            return self.effect().min(Effect::Record);
        }
        self.effect_at(policy.level)
    }

    /// What it amounts to at a level.
    pub fn effect_at(self, level: GuardLevel) -> Effect {
        match (level, self.effect()) {
            (GuardLevel::Relaxed, Effect::Ask) if self.marks().contains(&Mark::Eased) => {
                Effect::Record
            }
            (GuardLevel::Strict, Effect::Record) => Effect::Ask,
            (GuardLevel::Strict, Effect::Ask) => Effect::Deny,
            (_, effect) => effect,
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    #[test]
    fn every_rule_has_its_own_name() {
        let mut names: Vec<_> = BuiltIn::ALL.iter().map(|it| it.id()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), BuiltIn::ALL.len());
        for rule in BuiltIn::ALL {
            assert_eq!(BuiltIn::named(rule.id()), Some(*rule));
        }
        assert_eq!(BuiltIn::named("git"), None);
    }

    /// KEEP-6: whatever may be refused says what to do instead, in both languages.
    #[test]
    fn every_rule_that_can_refuse_names_an_alternative() {
        let strict = Policy { level: GuardLevel::Strict, ..Policy::default() };
        for rule in BuiltIn::ALL.iter().filter(|it| !it.effect_in(&strict).passes()) {
            let hint = rule.hint().unwrap_or_else(|| panic!("{} has no hint", rule.id()));
            for lang in [Lang::En, Lang::Zh] {
                assert!(!lang.render(&hint).is_empty(), "{}", rule.id());
            }
        }
    }

    #[test]
    fn a_level_moves_what_is_asked_and_no_refusal() {
        for rule in BuiltIn::ALL {
            let [relaxed, standard, strict] =
                [GuardLevel::Relaxed, GuardLevel::Standard, GuardLevel::Strict]
                    .map(|it| rule.effect_at(it));
            assert!(relaxed <= standard && standard <= strict, "{}", rule.id());
            assert_eq!(standard, rule.effect());
            if rule.effect() == Effect::Deny {
                assert_eq!(relaxed, Effect::Deny, "{}", rule.id());
            }
        }
        let eased = BuiltIn::ALL.iter().filter(|it| it.marks().contains(&Mark::Eased));
        assert!(eased.clone().all(|it| it.effect() == Effect::Ask));
        assert!(eased.count() >= 5);
    }

    #[test]
    fn a_pack_that_is_off_only_records_and_the_core_stays() {
        let mut policy = Policy { level: GuardLevel::Strict, ..Policy::default() };
        policy.packs.git = false;
        for rule in BuiltIn::ALL {
            let effect = rule.effect_in(&policy);
            match rule.pack() {
                Some(Pack::Git) => assert_eq!(effect, Effect::Record, "{}", rule.id()),
                _ => assert_eq!(effect, rule.effect_at(GuardLevel::Strict), "{}", rule.id()),
            }
        }
        for pack in Pack::ALL {
            assert!(BuiltIn::ALL.iter().any(|it| it.pack() == Some(*pack)), "{pack}");
        }
        assert_eq!(BuiltIn::ProvostState.pack(), None);
        assert!(!BuiltIn::ProvostState.can_be_permitted());
    }
}
