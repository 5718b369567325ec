//! What each event does to the accounts: checked first, so that a refused one changes nothing.

use super::{Book, error::Reason};
use crate::measure::{
    account::Account,
    bank::{Bank, Stake},
    e_value::Claim,
    event::{Event, Retirement, Return},
    fresh::FreshLabel,
    harm::Harm,
    payoff::Votes,
    standing::{Standing, Turn},
};

impl Book {
    pub(super) fn apply(&mut self, event: &Event) -> Result<(), Reason> {
        match event {
            Event::SeasonBegan { because } => {
                self.begin_season();
                self.season = Some(because.clone());
            }
            Event::Opened { rule, text, claim, replaces, birth } => {
                return self.open(rule, text, *claim, replaces, *birth);
            }
            Event::Aliased { rule, of } => return self.alias(rule, of),
            Event::Bet { rule, label, with, without } => {
                let votes = Votes { with: with.clone(), without: without.clone() };
                return self.bet(rule, label, &votes);
            }
            Event::Offered { rule } => {
                let policy = self.policy;
                let (account, after) = self.turn(rule, Turn::Offered)?;
                if !account.is_offerable(&policy) {
                    return Err(Reason::Unproven);
                }
                account.standing = after;
            }
            Event::Declined { rule, .. } => {
                let (account, after) = self.turn(rule, Turn::Declined)?;
                account.is_declined = true;
                account.standing = after;
            }
            Event::Adopted { rule, text, because, .. } => {
                return self.adopt(rule, text, because.as_deref());
            }
            Event::Promoted { rule } => return self.promote(rule),
            Event::Vetoed { rule, .. } => {
                let policy = self.policy;
                let (account, _) = self.turn(rule, Turn::Promoted)?;
                if !account.is_proven(&policy) {
                    return Err(Reason::Unproven);
                }
            }
            Event::Retired { rule, why } => return self.retire(rule, *why),
            Event::Returned { rule, why, birth } => return self.take_back(rule, *why, *birth),
            Event::RolledBack { rule, .. } => {
                let (account, after) = self.turn(rule, Turn::RolledBack)?;
                let was_adopted = account.standing == Standing::Adopted;
                let (stake, e_value) = (account.stake, account.e_value());
                account.standing = after;
                account.is_adopted = false;
                account.begin_round();
                if was_adopted {
                    self.bank.settle(stake, e_value);
                }
                self.restore(rule);
            }
            Event::Withdrawn { label } => {
                self.accounts.values_mut().for_each(|it| it.withdraw(*label));
            }
        }
        Ok(())
    }

    /// A rule, and what a turn would make of it.
    fn turn(&mut self, rule: &str, turn: Turn) -> Result<(&mut Account, Standing), Reason> {
        let account = self.accounts.get_mut(rule).ok_or(Reason::NoAccount)?;
        let after = account.standing.after(turn).ok_or(Reason::Standing)?;
        Ok((account, after))
    }

    /// Another judge decides now: what was proven about the last one proves nothing about it.
    fn begin_season(&mut self) {
        self.bank = Bank::new();
        self.removals = 0;
        for account in self.accounts.values_mut() {
            if account.claim == Claim::NotWorse || account.standing.is_shadow() {
                account.standing = Standing::Retired;
            } else if account.standing.is_in_force() {
                account.standing = Standing::Adopted;
                account.is_adopted = true;
            }
            account.stake = Stake::NONE;
            account.begin_round();
        }
    }

    fn open(
        &mut self,
        rule: &str,
        text: &str,
        claim: Claim,
        replaces: &[String],
        birth: u64,
    ) -> Result<(), Reason> {
        if !self.can_open(rule, claim) {
            return Err(Reason::NoRoom);
        }
        let number = self.next_number();
        let account = self
            .accounts
            .entry(rule.to_owned())
            .or_insert_with(|| Account::new(number, text, claim, replaces));
        if account.claim != claim || account.replaces != replaces {
            return Err(Reason::Standing);
        }
        let standing = account.standing.after(Turn::Opened).ok_or(Reason::Standing)?;
        account.standing = standing;
        account.birth = birth;
        account.resume();
        match claim {
            Claim::Better => account.stake = self.bank.open(account.limit()),
            Claim::NotWorse => self.removals = self.removals.saturating_add(1),
        }
        Ok(())
    }

    fn alias(&mut self, rule: &str, of: &str) -> Result<(), Reason> {
        if !self.accounts.contains_key(of) {
            return Err(Reason::NoAccount);
        }
        if self.accounts.contains_key(rule) || self.aliases.contains_key(rule) {
            return Err(Reason::NoRoom);
        }
        self.aliases.insert(rule.to_owned(), of.to_owned());
        Ok(())
    }

    fn bet(&mut self, rule: &str, label: &FreshLabel, votes: &Votes) -> Result<(), Reason> {
        if !self.counts(rule, label, votes) {
            return Err(Reason::LabelDoesNotCount);
        }
        let account = self.accounts.get_mut(rule).ok_or(Reason::NoAccount)?;
        account.bet(label, votes, &self.policy);
        Ok(())
    }

    fn adopt(&mut self, rule: &str, text: &str, because: Option<&str>) -> Result<(), Reason> {
        let n_adopted = self.in_force().filter(|(_, it)| it.standing == Standing::Adopted).count();
        if n_adopted >= self.policy.adopted {
            return Err(Reason::TooManyAdopted);
        }
        if self.aliases.contains_key(rule) {
            return Err(Reason::NoAccount);
        }
        let known = self.accounts.get(rule);
        let standing = known.map_or(Standing::Proposed, |it| it.standing);
        let after = standing.after(Turn::Adopted).ok_or(Reason::Standing)?;
        if known.is_some_and(|it| it.harm() >= self.policy.adopted_harm) && because.is_none() {
            return Err(Reason::Harmful);
        }
        let number = self.next_number();
        let account = self
            .accounts
            .entry(rule.to_owned())
            .or_insert_with(|| Account::new(number, text, Claim::Better, &[]));
        if !standing.is_shadow() {
            // Its stake went back to the bank, so it proves nothing until it gets another one.
            account.stake = Stake::NONE;
        }
        account.standing = after;
        account.is_adopted = true;
        account.harm = Harm::none();
        self.set_aside(rule);
        Ok(())
    }

    /// Puts out of force what a rule takes the place of.
    fn set_aside(&mut self, rule: &str) {
        let removed = self.accounts.get(rule).map(|it| it.removes().to_vec()).unwrap_or_default();
        let mut set_aside = Vec::new();
        for target in removed {
            if let Some(removed) =
                self.accounts.get_mut(&target).filter(|it| it.standing.is_in_force())
            {
                set_aside.push((target, removed.standing));
                removed.standing = Standing::Retired;
            }
        }
        if let Some(account) = self.accounts.get_mut(rule)
            && !set_aside.is_empty()
        {
            account.set_aside = set_aside;
        }
    }

    fn promote(&mut self, rule: &str) -> Result<(), Reason> {
        let policy = self.policy;
        let (account, after) = self.turn(rule, Turn::Promoted)?;
        if !account.is_proven(&policy) {
            return Err(Reason::Unproven);
        }
        account.standing = after;
        account.harm = Harm::none();
        let (stake, e_value, changed) = (account.stake, account.e_value(), account.changed());
        self.bank.settle(stake, e_value.max(1.0));
        self.set_aside(rule);
        let others = self.accounts.iter_mut().filter(|(name, it)| {
            name.as_str() != rule && it.standing.after(Turn::Promoted).is_some()
        });
        others.for_each(|(_, it)| it.discount(&changed));
        Ok(())
    }

    fn retire(&mut self, rule: &str, why: Retirement) -> Result<(), Reason> {
        let account = self.accounts.get(rule).ok_or(Reason::NoAccount)?;
        let is_true = match why {
            Retirement::Person => true,
            Retirement::SeasonEnded => false,
            Retirement::LowEValue | Retirement::NoWins | Retirement::Losses => {
                self.why_retired(account) == Some(why)
            }
        };
        if !is_true {
            return Err(Reason::NotFutile);
        }
        let (account, after) = self.turn(rule, Turn::Retired)?;
        account.standing = after;
        let (stake, e_value) = (account.stake, account.e_value());
        self.bank.settle(stake, e_value);
        Ok(())
    }

    fn take_back(&mut self, rule: &str, why: Return, birth: u64) -> Result<(), Reason> {
        let account = self.accounts.get(rule).ok_or(Reason::NoAccount)?;
        if self.why_returned(account) != Some(why) {
            return Err(Reason::NotFutile);
        }
        let turn = match why {
            Return::ProofGone if account.is_adopted => Turn::Unproven,
            Return::ProofGone | Return::Harm => Turn::Returned,
        };
        let bank = &mut self.bank;
        let account = self.accounts.get_mut(rule).ok_or(Reason::NoAccount)?;
        let after = account.standing.after(turn).ok_or(Reason::Standing)?;
        // The stake of a measured rule went back when it was promoted.
        if account.standing == Standing::Adopted {
            bank.settle(account.stake, account.e_value());
        }
        account.standing = after;
        account.harm = Harm::none();
        if why == Return::Harm {
            account.is_adopted = false;
            account.begin_round();
            account.birth = birth;
        }
        account.resume();
        if account.claim == Claim::Better {
            account.stake = bank.open(account.limit());
        }
        if !after.is_in_force() {
            self.restore(rule);
        }
        Ok(())
    }

    /// Puts in force again what a rule that is out of force had put out of it.
    fn restore(&mut self, rule: &str) {
        let aside = self.accounts.get_mut(rule).map(|it| std::mem::take(&mut it.set_aside));
        for (target, standing) in aside.unwrap_or_default() {
            if let Some(account) = self.accounts.get_mut(&target)
                && account.standing == Standing::Retired
            {
                account.standing = standing;
                account.harm = Harm::none();
            }
        }
    }
}
