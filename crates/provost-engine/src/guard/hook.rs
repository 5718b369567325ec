//! One hook: what is asked is read, judged, recorded and answered, in this order.
//!
//! Whatever goes wrong before the answer is a refusal where a tool or a permission is asked about.
//! What can wait is done after the answer is out: see [`Hook::finish`].

use std::{collections::BTreeSet, fmt, sync::Arc};

use provost_kernel::{
    Clock, Fault, Lang, Millis, RecordFile,
    guard::{
        Client, CompiledPolicy, FailureSeverity, HookType, Mode, UnknownFields, policy::Policy,
    },
};
use provost_rules_guard::{
    self as guard, Question, Reading, Refusal, Request, Response,
    judge::{Judged, judge},
};
use provost_vault::{Disk, Layout};

use super::{
    GuardError,
    after::After,
    place::place,
    policy,
    policy::Compile,
    record::{self, Keeping},
};

/// The variable in which an attempt carries the compiled policy to the hooks of its agent.
pub const CARRIED_POLICY: &str = "PROVOST_GUARD";

/// What a hook was started with.
#[derive(Clone, Copy)]
pub struct Hook<'a, D: Disk> {
    pub disk: &'a D,
    pub clock: &'a dyn Clock,
    /// The client and the type that the command line names.
    pub client: Option<Client>,
    pub hook: Option<HookType>,
    /// Where the state lies, or why that cannot be said; without a home only the built-in rules
    /// hold, and nothing is recorded.
    pub home: &'a Result<Option<Layout>, Arc<dyn Fault>>,
    /// The policy that an attempt was given, as JSON: its sandbox hides the home from its hooks.
    pub carried: Option<&'a str>,
    pub compile: Compile<'a>,
    /// The person's own home folder.
    pub user_home: Option<&'a str>,
    /// A folder that the agent may write to besides its project.
    pub granted: Option<&'a str>,
}

/// A hook that was answered.
#[derive(Debug)]
pub struct Answered {
    pub response: Response,
    /// The language of the compiled policy, if it names one.
    pub language: Option<Lang>,
    /// Fields of a payload that were left out or let through, by name, for debugging.
    pub unknown: Vec<String>,
    /// What could wait: see [`Hook::finish`].
    pub after: Option<After>,
}

impl<D: Disk> fmt::Debug for Hook<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook")
            .field("client", &self.client)
            .field("hook", &self.hook)
            .finish_non_exhaustive()
    }
}

/// What is known before anything is asked.
struct Ground {
    policy: CompiledPolicy,
    /// Whether the home can be written to.
    has_home: bool,
}

/// Answers a hook.
pub fn answer<D: Disk>(hook: &Hook<'_, D>, bytes: &[u8]) -> Answered {
    let ground = hook.ground();
    let known = ground.as_ref().ok();
    let language = known.and_then(|it| it.policy.lang);
    let unknown_fields = known.map_or(UnknownFields::Drop, |it| it.policy.unknown_fields);
    let home = hook.layout().filter(|_| known.is_some_and(|it| it.has_home));
    match (read(hook, home, bytes, unknown_fields), ground) {
        (Err(refusal), _) => {
            let response = hook.keep(home, &refusal, guard::refuse(&refusal));
            Answered { response, language, unknown: Vec::new(), after: None }
        }
        (Ok(Reading::NoType { client, event }), _) => {
            if let Some(layout) = home {
                // Such an event cannot be stopped; that it was not recorded stops nothing either.
                let _ = hook.append(layout, &record::no_type(client, &event), Keeping::Process);
            }
            let response = Response::to_no_type(client);
            Answered { response, language, unknown: Vec::new(), after: None }
        }
        (Ok(Reading::Hook(question)), Err(error)) => {
            let response = fail(&question, &error);
            Answered { response, language, unknown: Vec::new(), after: None }
        }
        (Ok(Reading::Hook(question)), Ok(ground)) => hook.judged(home, *question, &ground),
    }
}

impl<D: Disk> Hook<'_, D> {
    /// Does what could wait: the replay, the tracked agents, the last error, what has had its time.
    pub fn finish(&self, after: &After) {
        if let Some(layout) = self.layout() {
            after.carry_out(self.disk, layout, self.clock);
        }
    }

    fn layout(&self) -> Option<&Layout> {
        self.home.as_ref().ok().and_then(Option::as_ref)
    }

    /// The policy that holds here.
    fn ground(&self) -> Result<Ground, GuardError> {
        let layout = match self.home {
            Ok(Some(layout)) => layout,
            Ok(None) => return Ok(Ground { policy: built_in(), has_home: false }),
            Err(fault) => return Err(GuardError::Home(Arc::clone(fault))),
        };
        match (policy::load(self.disk, layout, self.compile), self.carried) {
            (Ok(loaded), _) => Ok(Ground { policy: loaded.policy, has_home: true }),
            // Only a home that is out of reach gives way: what an attempt carries is not stronger
            // than what the home says.
            (Err(GuardError::File(error)), Some(carried)) if error.is_denied() => {
                let kept: RecordFile<CompiledPolicy> =
                    serde_json::from_str(carried).map_err(|_| GuardError::Carried)?;
                Ok(Ground { policy: kept.value, has_home: false })
            }
            (Err(error), _) => Err(error),
        }
    }

    fn judged(&self, home: Option<&Layout>, question: Question, ground: &Ground) -> Answered {
        let input = &question.normalised.input;
        let directory = input.directory.as_deref();
        let place = place(self.layout(), directory, self.user_home, self.granted);
        let policy = Policy { rules: ground.policy.rules.clone() };
        let judged = judge(&policy, input, &place);
        let response = Response::to(&question, judged.answer.clone());
        let (language, unknown) = (ground.policy.lang, unknown(&question));
        let Some(layout) = home else {
            return Answered { response, language, unknown, after: None };
        };

        let response = match self.record(layout, &question, &judged, &response) {
            Ok(()) => response,
            Err(error) => fail(&question, &error),
        };
        let after = After::of(question.normalised.input, ground.policy.replay_days);
        Answered { response, language, unknown, after: Some(after) }
    }

    /// Records the question and its answer, before the answer is printed.
    fn record(
        &self,
        layout: &Layout,
        question: &Question,
        judged: &Judged,
        response: &Response,
    ) -> Result<(), GuardError> {
        let (effect, _) = response.outcome();
        match record::question(question, judged, effect) {
            Some(event) => {
                let hook = question.normalised.input.hook;
                self.append(layout, &event, record::keeping(hook, effect))
            }
            None => Ok(()),
        }
    }

    /// Records a payload that was not taken; on a tool or a permission it is refused either way.
    fn keep(&self, home: Option<&Layout>, refusal: &Refusal, response: Response) -> Response {
        let Some(layout) = home else { return response };
        let is_critical =
            refusal.hook.is_none_or(|it| it.failure_severity() == FailureSeverity::Critical);
        match self.append(layout, &record::refusal(refusal), Keeping::PowerCut) {
            Err(error) if is_critical && response.outcome().1 == 0 => {
                let Refusal { client, hook, event, .. } = refusal;
                guard::fail(*client, *hook, event.as_deref(), &error)
            }
            Ok(()) | Err(_) => response,
        }
    }

    fn append(
        &self,
        layout: &Layout,
        event: &provost_vault::audit::Event,
        keeping: Keeping,
    ) -> Result<(), GuardError> {
        record::append(self.disk, layout, self.clock, event, keeping)
    }
}

/// Reads a payload. Which type handles a stop depends on the modes, which only then are looked at.
fn read<D: Disk>(
    hook: &Hook<'_, D>,
    home: Option<&Layout>,
    bytes: &[u8],
    unknown_fields: UnknownFields,
) -> Result<Reading, Refusal> {
    let Hook { client, hook: named, .. } = *hook;
    let none = BTreeSet::<Mode>::new();
    let request = Request { bytes, client, hook: named, active: &none, unknown_fields };
    let reading = guard::read(request)?;
    match (&reading, home) {
        (Reading::Hook(question), Some(layout))
            if matches!(named, None | Some(HookType::StopContinuation))
                && is_stop(question.normalised.input.hook) =>
        {
            let active = super::after::active_modes(hook.disk, layout, hook.clock);
            guard::read(Request { active: &active, ..request })
        }
        _ => Ok(reading),
    }
}

fn is_stop(hook: HookType) -> bool {
    matches!(hook, HookType::Ralph | HookType::PersistentMode | HookType::StopContinuation)
}

fn fail(question: &Question, error: &GuardError) -> Response {
    let hook = question.normalised.input.hook;
    guard::fail(Some(question.client), Some(hook), question.event.as_deref(), error)
}

/// The names of fields that a normal type does not know (HOOK-1.2).
fn unknown(question: &Question) -> Vec<String> {
    let named = |word: &str, names: &[String]| -> Vec<String> {
        names.iter().map(|it| format!("{word} {}", it.escape_debug())).collect()
    };
    let mut lines = named("dropped", &question.normalised.dropped);
    lines.extend(named("passed", &question.normalised.passed));
    lines
}

/// What holds where there is no home: the rules that are built in, and nothing else.
fn built_in() -> CompiledPolicy {
    CompiledPolicy {
        compiled_at: Millis(0),
        sources: Vec::new(),
        unknown_fields: UnknownFields::Drop,
        rules: Vec::new(),
        lang: None,
        replay_days: 7,
    }
}
