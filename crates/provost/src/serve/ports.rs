//! What the page asks about stories, learning and the guard, answered by the functions that the
//! commands call.

use std::sync::Arc;

use provost_desk::{
    PortError, Ports,
    guard::{GuardClient, GuardPolicy, GuardPort, GuardRuling},
};
use provost_engine::{
    guard::{
        install::recorded,
        test::{installed, proofs, worth_now},
    },
    learn::Missions,
};
use provost_kernel::{
    Clock as _, Lang, Message as _,
    guard::{
        Harness, Scope,
        policy::{Policy, PolicyRule},
    },
};
use provost_rules_guard::{install::proof::Worth, policy::holds};
use provost_vault::SystemClock;

use crate::{
    cli::Flags,
    environment::{self, Environment},
    guard::{open_of, policies, ruling, setup::Place},
    output::Output,
    session::{AnyFault, Session},
    story::freshness,
};

/// The ports of a server.
pub(super) fn ports(session: &Session) -> Result<Ports, AnyFault> {
    Ok(Ports {
        stories: Arc::new(freshness(session)?),
        learn: Arc::new(Missions),
        guard: Arc::new(Guard {
            environment: session.environment.clone(),
            flags: session.flags.clone(),
            lang: session.output.lang,
        }),
    })
}

/// A session of its own for each question, so that each sees the configuration as it is.
struct Guard {
    environment: Environment,
    flags: Flags,
    lang: Lang,
}

impl Guard {
    fn session(&self) -> Session {
        let mut output = Output::new(self.lang);
        output.configure(&self.flags);
        Session::new(self.environment.clone(), self.flags.clone(), output)
    }
}

impl GuardPort for Guard {
    fn clients(&self) -> Result<Vec<GuardClient>, PortError> {
        let place = Place::new(&self.session()).map_err(said)?;
        let here = installed(place.setup()).unwrap_or_default();
        let proofs = proofs(place.setup())?;
        Ok(Harness::ALL.iter().map(|&it| client(&place, it, here.contains(&it), &proofs)).collect())
    }

    fn policies(&self) -> Result<Vec<GuardPolicy>, PortError> {
        let folder = environment::current_folder()?;
        let found = policies(&self.session(), &folder).map_err(said)?;
        let shown = found.into_iter().map(|(origin, _, compiled)| {
            policy(&origin.clients, &compiled.policy(SystemClock.now()))
        });
        Ok(shown.collect())
    }

    fn explain(&self, command: &str) -> Result<GuardRuling, PortError> {
        let (_, ruling) = ruling(&self.session(), command, None).map_err(said)?;
        Ok(GuardRuling {
            command: command.to_owned(),
            effect: ruling.effect,
            rule: ruling.rule.into_owned(),
            why: ruling.why,
            about: ruling.subject,
            hint: ruling.hint,
        })
    }
}

fn policy(clients: &[Harness], policy: &Policy) -> GuardPolicy {
    let count = |rules: &[PolicyRule]| rules.iter().filter(|it| holds(it, policy.now)).count();
    GuardPolicy {
        clients: clients.iter().map(|it| it.title()).collect(),
        level: policy.level,
        packs: GuardPolicy::switches(policy.packs),
        own_rules: count(&policy.rules),
        repository_rules: count(&policy.repository),
    }
}

/// One client. What cannot be found out about it hides no other.
fn client(
    place: &Place,
    harness: Harness,
    is_here: bool,
    proofs: &provost_kernel::guard::Proofs,
) -> GuardClient {
    let scopes: Vec<Scope> = recorded(place.setup(), harness)
        .map(|it| it.installations.iter().map(|it| it.scope).collect())
        .unwrap_or_default();
    // An installation that was taken out by hand is none.
    let scopes = if is_here { scopes } else { Vec::new() };
    let mut client = GuardClient::new(harness, harness.title(), scopes);
    client.is_installed = is_here;
    client.leaves_open = if is_here { open_of(harness, None) } else { Vec::new() };
    let Some(proof) = proofs.tests.get(&harness) else { return client };
    match worth_now(place.setup(), harness) {
        Ok(worth) => client.tested(proof, standing(worth)),
        Err(error) => {
            let mut client = client.tested(proof, "not_verified");
            client.problem = Some(error.text());
            client
        }
    }
}

fn standing(worth: Worth) -> &'static str {
    match worth {
        Worth::Current => "verified",
        Worth::Outdated => "stale",
        Worth::Failed => "contradicted",
        Worth::Absent => "not_verified",
    }
}

fn said(fault: AnyFault) -> PortError {
    PortError(fault.0)
}
