//! A person switches a mode: checked, audited, and only then in effect (HOOK-2.4).

use std::collections::BTreeMap;

use provost_kernel::{
    Actor, Clock, Message,
    guard::{Mode, ModeState},
};
use provost_rules_guard::mode::{ModeConflict, ModeError, can_start, parse};
use provost_vault::{
    Disk, Durable, FileError, Layout,
    audit::{Audit, AuditError, Event},
    guard::GuardFiles,
};
use serde_json::{Value, json};

/// Which way a mode is switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    pub mode: Mode,
    pub state: ModeState,
    /// Whether it was otherwise before.
    pub is_changed: bool,
}

/// Why a mode was not switched. Nothing of it took effect.
#[derive(Debug, thiserror::Error, Message)]
#[error(transparent)]
#[message(code = "guard.switch")]
pub enum SwitchError {
    #[message(transparent)]
    Name(#[from] ModeError),
    #[message(transparent)]
    Conflict(#[from] ModeConflict),
    #[message(transparent)]
    File(#[from] FileError),
    #[message(transparent)]
    Audit(#[from] AuditError),
}

/// Switches a mode. A name that is none is refused, and that is audited too.
pub fn switch<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    actor: &Actor,
    name: &str,
    switch: Switch,
) -> Result<Switched, SwitchError> {
    let audit = |action: &str, subject: String, detail: Value| {
        let action = action.to_owned();
        let event = Event { actor: actor.clone(), action, subject, request_id: None, detail };
        let mut chain = Audit::open(disk, layout)?;
        let head = chain.append(&event, clock, Durable::Now)?;
        chain.store_head(head, &event.action, clock)
    };
    let mode = match parse(name) {
        Ok(mode) => mode,
        Err(error) => {
            let detail = json!({ "code": error.code(), "message": error.to_string() });
            audit("guard.mode.refused", "mode:unknown".to_owned(), detail)?;
            return Err(error.into());
        }
    };
    let mut is_changed = false;
    let state = GuardFiles::new(disk, layout, clock).change_mode(mode, |states| {
        let before = states.get(&mode).cloned().unwrap_or_default();
        if before.active == switch.is_active() {
            return Ok(before);
        }
        let after = switched(&before, mode, switch, states, clock)?;
        let detail = json!({ "old": before, "new": after });
        audit(switch.action(), format!("mode:{mode}"), detail)?;
        is_changed = true;
        Ok::<_, SwitchError>(after)
    })?;
    Ok(Switched { mode, state, is_changed })
}

/// The state of each of the eight modes.
pub fn list<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
) -> Result<Vec<(Mode, ModeState)>, FileError> {
    let mut states = GuardFiles::new(disk, layout, clock).modes()?;
    let state = |&mode| (mode, states.remove(&mode).unwrap_or_default());
    Ok(Mode::ALL.iter().map(state).collect())
}

fn switched(
    before: &ModeState,
    mode: Mode,
    switch: Switch,
    states: &BTreeMap<Mode, ModeState>,
    clock: &dyn Clock,
) -> Result<ModeState, ModeConflict> {
    let now = Some(clock.now().into());
    match switch {
        Switch::On => {
            let active = states.iter().filter(|(_, it)| it.active).map(|(mode, _)| *mode);
            can_start(mode, active)?;
            Ok(ModeState {
                mode: Some(mode),
                active: true,
                started_at: now.clone(),
                // A person's order is not bound to a session of a client.
                session_id: None,
                updated_at: now,
            })
        }
        Switch::Off => {
            Ok(ModeState { mode: Some(mode), active: false, updated_at: now, ..before.clone() })
        }
    }
}

impl Switch {
    fn is_active(self) -> bool {
        match self {
            Self::On => true,
            Self::Off => false,
        }
    }

    fn action(self) -> &'static str {
        match self {
            Self::On => "guard.mode.on",
            Self::Off => "guard.mode.off",
        }
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Exit, Millis, Source};
    use provost_vault::{audit::verify, sim::SimDisk};

    use super::*;

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    /// A world in which somebody switches modes.
    struct World {
        disk: SimDisk,
        layout: Layout,
    }

    impl World {
        fn new(disk: SimDisk) -> Self {
            Self { disk, layout: Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s")) }
        }

        fn switch(&self, name: &str, way: Switch) -> Result<Switched, SwitchError> {
            let actor = Actor { source: Source::Cli, id: "somebody".to_owned() };
            switch(&self.disk, &self.layout, &Noon, &actor, name, way)
        }

        fn active(&self) -> Vec<&'static str> {
            let states = list(&self.disk, &self.layout, &Noon).unwrap();
            states.iter().filter(|it| it.1.active).map(|it| it.0.as_str()).collect()
        }

        fn n_entries(&self) -> u64 {
            let report = verify(&self.disk, &self.layout).unwrap();
            assert!(report.is_intact());
            report.entries
        }
    }

    /// HOOK-2.4: each order is one entry; one that changes nothing is none.
    #[test]
    fn an_order_is_audited_once() {
        let world = World::new(SimDisk::default());
        assert!(!world.switch("ralph", Switch::Off).unwrap().is_changed);
        assert_eq!((world.active(), world.n_entries()), (vec![], 0));
        assert!(world.switch("ralph", Switch::On).unwrap().is_changed);
        assert!(!world.switch("ralph", Switch::On).unwrap().is_changed);
        assert_eq!((world.active(), world.n_entries()), (vec!["ralph"], 1));
        let off = world.switch("ralph", Switch::Off).unwrap();
        assert!(off.is_changed && !off.state.active && off.state.started_at.is_some());
        assert_eq!((world.active(), world.n_entries()), (vec![], 2));
    }

    /// HOOK-2.4: a name that is none changes nothing and is remembered.
    #[test]
    fn a_name_that_is_none_is_refused_and_audited() {
        let world = World::new(SimDisk::default());
        for (name, n) in ["../../etc/passwd", "Ralph", "", &"x".repeat(5000)].iter().zip(1..) {
            let error = world.switch(name, Switch::On).unwrap_err();
            assert!(matches!(error, SwitchError::Name(_)), "{error:?}");
            assert_eq!((error.exit(), world.n_entries()), (Exit::Refused, n));
        }
        assert_eq!(world.active(), [""; 0]);
        assert!(world.disk.list(&world.layout.guard()).is_err(), "not even a lock was made");
    }

    /// HOOK-2.4: two exclusive modes are never active together.
    #[test]
    fn a_conflict_names_the_mode_that_is_in_the_way() {
        let world = World::new(SimDisk::default());
        world.switch("autopilot", Switch::On).unwrap();
        world.switch("team", Switch::On).unwrap();
        let error = world.switch("swarm", Switch::On).unwrap_err();
        assert_eq!(error.exit(), Exit::Conflict);
        assert_eq!(error.to_string(), "cannot start `swarm` while `autopilot` is active");
        assert_eq!((world.active(), world.n_entries()), (vec!["autopilot", "team"], 2));
        world.switch("autopilot", Switch::Off).unwrap();
        world.switch("swarm", Switch::On).unwrap();
        assert_eq!(world.active(), ["team", "swarm"]);
    }

    /// A mode that is on without an entry would be an order that was never given.
    #[test]
    fn no_mode_is_on_before_its_order_is_audited() {
        let full = World::new(SimDisk::default());
        full.switch("ralph", Switch::On).unwrap();
        let mut n_on = 0;
        for power in 0..full.disk.steps() {
            let world = World::new(SimDisk::with_power(power));
            // The last steps are best effort: there the order is carried out all the same.
            let _ = world.switch("ralph", Switch::On);
            for image in world.disk.images() {
                let world = World::new(image);
                let is_on = !world.active().is_empty();
                n_on += usize::from(is_on);
                assert!(!is_on || world.n_entries() == 1, "after {power} steps");
            }
        }
        assert!(n_on > 0, "some of them were on");
    }
}
