//! What a person said to a call that a rule speaks against (KEEP-1).
//!
//! Nothing here is read before a rule speaks against a call, so that an ordinary call costs no
//! more than before. A permission is used up, durably, before the call is answered.

use provost_kernel::{
    Clock, Digest, Millis,
    guard::{
        HookInput, PendingRefusal, Permits, RefusalCode,
        policy::{Effect as RuleEffect, Policy, PolicyRuling},
    },
};
use provost_rules_guard::{
    Question, Response,
    dialect::Effect,
    judge::{Judged, Place, WayOut, call, judge, with_way_out},
    permit::{self, MINUTES, PermittedBy},
    policy,
};
use provost_vault::{Disk, Layout, guard::GuardFiles};

use super::{
    GuardError,
    facts::{self, AskGit},
};

/// A call that was judged, and everything that speaks for it.
pub(super) struct Reconsider<'a, D: Disk> {
    pub(super) disk: &'a D,
    pub(super) clock: &'a dyn Clock,
    /// The home, if it can be written to.
    pub(super) home: Option<&'a Layout>,
    pub(super) policy: &'a Policy,
    pub(super) place: &'a Place,
    pub(super) ask_git: AskGit<'a>,
}

impl<D: Disk> Reconsider<'_, D> {
    /// Judges a call again that a rule speaks against.
    pub(super) fn judged(&self, question: &Question, first: Judged) -> Result<Judged, GuardError> {
        let input = &question.normalised.input;
        let (judged, place) = self.with_facts(input, first);
        let Some(layout) = self.home.filter(|_| is_stopped(&judged)) else {
            return Ok(closed(question, judged, &WayOut::NoHome));
        };
        let files = GuardFiles::new(self.disk, layout, self.clock);
        let permits = files.permits()?;
        let judged = self.with_trust(input, judged, &place, &permits);
        let Some(ruling) = judged.ruling.clone().filter(|_| is_stopped(&judged)) else {
            return Ok(judged);
        };
        let now = self.clock.millis();
        if ruling.effect == RuleEffect::Ask && permit::is_snoozed(&permits, now) {
            return Ok(judged.permitted(PermittedBy::Snooze));
        }
        let call = permit::call_digest(input);
        let (Some(call), true) = (call, policy::can_be_permitted(&ruling)) else {
            return Ok(closed(question, judged, &WayOut::Person));
        };
        if let Some(by) = self.used(&files, &permits, input, call)? {
            return Ok(judged.permitted(by));
        }
        if is_kept_back(question, &judged) {
            let code = self.noted(&files, input, call, &ruling)?;
            return Ok(with_way_out(judged, &WayOut::Code { code, minutes: MINUTES }));
        }
        Ok(judged)
    }

    /// With what the repository says, where that decides something.
    fn with_facts(&self, input: &HookInput, first: Judged) -> (Judged, Place) {
        let open = first.ruling.as_ref().map(|it| it.open.clone()).unwrap_or_default();
        let work = self.home.map(|it| it.trees().path());
        let known = facts::that_hold(&open, work.as_deref(), self.ask_git);
        if known.is_empty() {
            return (first, self.place.clone());
        }
        let place = Place { facts: known, ..self.place.clone() };
        (judge(self.policy, input, &place), place)
    }

    /// With the paths that a person trusts agents with.
    fn with_trust(
        &self,
        input: &HookInput,
        first: Judged,
        place: &Place,
        permits: &Permits,
    ) -> Judged {
        if permits.trusted.is_empty() {
            return first;
        }
        let trusted = permits.trusted.iter().map(|it| it.path.clone());
        let granted = place.granted.iter().cloned().chain(trusted).collect();
        judge(self.policy, input, &Place { granted, ..place.clone() })
    }

    /// Uses a permission of the call. It is looked for without the lock first, since hardly ever is
    /// there one.
    fn used(
        &self,
        files: &GuardFiles<'_, D>,
        permits: &Permits,
        input: &HookInput,
        call: Digest,
    ) -> Result<Option<PermittedBy>, GuardError> {
        let now = self.clock.millis();
        if permit::find(permits, call, input.hook, now).is_none() {
            return Ok(None);
        }
        let used = files.change_permits(|permits| {
            Ok::<_, GuardError>(permit::take(permits, call, input.hook, now))
        })?;
        Ok(used.map(|it| PermittedBy::Code { code: it.code, scope: it.scope }))
    }

    /// Notes the refusal for a person who may permit it.
    fn noted(
        &self,
        files: &GuardFiles<'_, D>,
        input: &HookInput,
        digest: Digest,
        ruling: &PolicyRuling,
    ) -> Result<RefusalCode, GuardError> {
        let at = self.clock.millis();
        let text = |it: &Option<String>| it.as_deref().map(policy::show).unwrap_or_default();
        let new = PendingRefusal {
            code: files.new_code(),
            call: digest,
            rule: ruling.rule.to_string(),
            subject: ruling.subject.clone(),
            tool: text(&input.tool_name),
            directory: text(&input.directory),
            session: text(&input.session_id),
            at,
            expires: Millis(at.0 + MINUTES * 60_000),
            permanent: policy::permanent(self.policy, &call(input, self.place), ruling),
        };
        Ok(files.change_refusals(|known| permit::note(known, new))?)
    }
}

/// Says of a call that is refused that no code permits it.
fn closed(question: &Question, judged: Judged, way: &WayOut) -> Judged {
    if is_stopped(&judged) && is_kept_back(question, &judged) {
        let is_for_nobody = judged.ruling.as_ref().is_some_and(|it| !policy::can_be_permitted(it));
        with_way_out(judged, if is_for_nobody { &WayOut::Person } else { way })
    } else {
        judged
    }
}

/// Whether a rule speaks against the call.
pub(super) fn is_stopped(judged: &Judged) -> bool {
    judged.ruling.as_ref().is_some_and(|it| !it.effect.passes())
}

/// Whether the client blocks the call. In a client that cannot ask, a question is a denial.
fn is_kept_back(question: &Question, judged: &Judged) -> bool {
    let effect = Response::to(question, judged.answer.clone()).outcome().0;
    matches!(effect, Effect::Refused | Effect::Asked)
}
