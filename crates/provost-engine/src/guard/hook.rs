//! One hook: what is asked is read, judged, recorded and answered, in this order.
//!
//! Whatever goes wrong before the answer is a refusal where a tool or a permission is asked about.
//! What can wait is done after the answer is out: see [`Hook::finish`].

use std::{borrow::Cow, collections::BTreeSet, fmt, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{
    Clock, Fault, Lang, Millis, RecordFile, Text,
    guard::{
        Client, CompiledPolicy, FailureSeverity, HookAnswer, HookInput, HookType, Mode,
        UnknownFields,
        policy::{GuardPacks, Policy},
    },
};
use provost_rules_guard::{
    self as guard, Question, Reading, Refusal, Request, Response,
    judge::{Judged, Place, judge},
};
use provost_vault::{Disk, Layout, audit, prepare_home};

use super::{
    AskGit, GuardError,
    after::After,
    links,
    place::place,
    policy,
    policy::Compile,
    record::{self, Keeping},
    way_out::{Reconsider, is_stopped},
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
    /// Makes the policy that holds here anew.
    pub compile: Compile<'a>,
    /// What a guard for all projects needs besides; nothing where the command line names a home.
    pub user: Option<&'a UserWide<'a>>,
    /// The person's own home folder.
    pub user_home: Option<&'a str>,
    /// A folder that the agent may write to besides its project.
    pub granted: Option<&'a str>,
    /// The program that asks, by its real path.
    pub program: Option<&'a str>,
    /// Looks whether the client's configuration still is what was installed; asked when a session
    /// starts.
    pub installed: &'a dyn Fn() -> Option<Text>,
    /// Asks git, where what a repository says decides.
    pub ask_git: AskGit<'a>,
}

/// Makes the policy of a repository, or of none.
pub type CompileFor<'a> = &'a dyn Fn(Option<&Utf8Path>) -> Result<CompiledPolicy, Box<dyn Fault>>;

/// A guard for all projects of a person (ruling 78). The policy is that of the person, tightened by the
/// repository that the session is in, and lies in the person's home, where no repository can write it.
#[derive(Clone, Copy)]
pub struct UserWide<'a> {
    /// The home of the person.
    pub layout: &'a Layout,
    /// The folder of the repository that the session is in.
    pub project: Option<&'a Utf8Path>,
    /// The home of that repository, where it is not there.
    pub absent: Option<&'a Layout>,
    /// Finds the repository around a folder.
    pub repository: &'a dyn Fn(&Utf8Path) -> Option<Utf8PathBuf>,
    /// Makes the policy of a repository anew, or the person's own.
    pub compile: CompileFor<'a>,
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

impl fmt::Debug for UserWide<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserWide").field("project", &self.project).finish_non_exhaustive()
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
        let home = match self.home {
            Ok(Some(layout)) => layout,
            Ok(None) => return Ok(Ground { policy: built_in(), has_home: false }),
            Err(fault) => return Err(GuardError::Home(Arc::clone(fault))),
        };
        match (self.policy(home), self.carried) {
            (Ok(policy), _) => Ok(Ground { policy, has_home: true }),
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

    fn policy(&self, home: &Layout) -> Result<CompiledPolicy, GuardError> {
        let Some(user) = self.user else {
            return Ok(policy::load(self.disk, &home.guard_policy(), self.compile)?.policy);
        };
        if let Some(absent) = user.absent {
            // A home that was removed with its chain, while the project is still there.
            audit::check_absent(self.disk, absent)?;
        }
        let at = user.layout.guard_policy_of(user.project);
        let loaded = policy::load(self.disk, &at, &|| (user.compile)(user.project))?;
        if loaded.is_new {
            prepare_home(self.disk, user.layout)?;
        }
        Ok(loaded.policy)
    }

    /// What the policy of another repository says of a call that is about it, where that is stricter: an
    /// agent gains nothing by another folder.
    fn stricter(
        &self,
        judged: &Judged,
        input: &HookInput,
        place: &Place,
    ) -> Result<Option<(Policy, Judged)>, GuardError> {
        let (Some(user), Some(ruling)) = (self.user, &judged.ruling) else { return Ok(None) };
        let directory = input.directory.as_deref().map(Utf8Path::new);
        let is_inside = |it: &Utf8Path| user.project.is_some_and(|project| it.starts_with(project));
        let Some(directory) = directory.filter(|it| it.is_absolute() && !is_inside(it)) else {
            return Ok(None);
        };
        let Some(project) = (user.repository)(directory) else { return Ok(None) };
        if user.project == Some(&*project) {
            return Ok(None);
        }
        let at = user.layout.guard_policy_of(Some(&project));
        let policy = policy::load(self.disk, &at, &|| (user.compile)(Some(&project)))?.policy;
        let policy = policy.policy(self.clock.now());
        let other = judge(&policy, input, place);
        let is_stricter = other.ruling.as_ref().is_some_and(|it| it.effect > ruling.effect);
        Ok(is_stricter.then_some((policy, other)))
    }

    fn judged(&self, home: Option<&Layout>, question: Question, ground: &Ground) -> Answered {
        let input = &question.normalised.input;
        let directory = input.directory.as_deref();
        let place = place(self.layout(), directory, self.user_home, self.granted, self.program);
        let (language, unknown) = (ground.policy.lang, unknown(&question));
        let policy = ground.policy.policy(self.clock.now());
        let judged = match self.reconsidered(home, policy, &place, &question) {
            Ok(judged) => self.noted(judged, input.hook),
            Err(error) => {
                let response = fail(&question, &error);
                return Answered { response, language, unknown, after: None };
            }
        };
        let response = Response::to(&question, judged.answer.clone());
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

    /// Judges the call, and again with all that speaks for it where a rule speaks against it.
    fn reconsidered(
        &self,
        home: Option<&Layout>,
        policy: Policy,
        place: &Place,
        question: &Question,
    ) -> Result<Judged, GuardError> {
        let input = &question.normalised.input;
        let judged = judge(&policy, input, place);
        let (judged, place) = through_links(&policy, input, place, judged);
        let place = &*place;
        let (policy, judged) = match self.stricter(&judged, input, place)? {
            Some(other) => other,
            None => (policy, judged),
        };
        if !is_stopped(&judged) {
            return Ok(judged);
        }
        let Self { disk, clock, ask_git, .. } = *self;
        let policy = &policy;
        Reconsider { disk, clock, home, policy, place, ask_git }.judged(question, judged)
    }

    /// Says at the start of a session that the installed entries were changed.
    fn noted(&self, judged: Judged, hook: HookType) -> Judged {
        if hook != HookType::SessionStart {
            return judged;
        }
        match (self.installed)() {
            Some(text) => Judged { answer: HookAnswer::Note { text: vec![text] }, ..judged },
            None => judged,
        }
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
        if let HookAnswer::Note { text } = &judged.answer {
            let entry = record::tampered(question, text);
            self.append(layout, &entry, Keeping::PowerCut)?;
        }
        match record::question(question, judged, effect) {
            Some(event) => {
                let hook = question.normalised.input.hook;
                // A person's word that let it pass outlasts a power cut, as a refusal does.
                let keeping = match judged.permitted_by {
                    Some(_) => Keeping::PowerCut,
                    None => record::keeping(hook, effect),
                };
                self.append(layout, &event, keeping)
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

/// With what lies behind the links on the way to what a call touches, where there are any.
fn through_links<'a>(
    policy: &Policy,
    input: &HookInput,
    place: &'a Place,
    first: Judged,
) -> (Judged, Cow<'a, Place>) {
    let found = first.ruling.as_ref().map(|it| links::links(it, place.root.as_deref()));
    let Some(links) = found.filter(|it| !it.is_empty()) else {
        return (first, Cow::Borrowed(place));
    };
    let place = Place { links, ..place.clone() };
    let followed = judge(policy, input, &place);
    let effect = |it: &Judged| it.ruling.as_ref().map(|it| it.effect);
    let judged = if effect(&followed) < effect(&first) { first } else { followed };
    (judged, Cow::Owned(place))
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
        repository: Vec::new(),
        level: None,
        packs: GuardPacks::default(),
        lang: None,
        replay_days: 7,
    }
}
