//! `provost guard uninstall`: takes out what `provost guard install` wrote, and nothing else.

use provost_engine::guard::install::{SetupError, candidates, plan_undo, take_out};
use provost_kernel::{
    Exit,
    guard::{Harness, Scope},
};
use serde::Serialize;

use super::{
    install::scope,
    setup::{FileChange, Place, clients, documents, harness, show},
};
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost guard uninstall --client claude\n\nA file that nobody changed since is given back byte for byte; from any other only the entries of\nprovost are taken. Without `--scope`, every known installation is taken out."
)]
pub(super) struct Args {
    #[arg(long, value_name = "CLIENT", value_parser = harness, help = clients())]
    client: Harness,
    /// Only this scope: user or project
    #[arg(long, value_name = "SCOPE", value_parser = scope)]
    scope: Option<Scope>,
    /// Show the changes without making them
    #[arg(long)]
    dry_run: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    client: Harness,
    dry_run: bool,
    removed: Vec<Removed>,
}

#[derive(Debug, Serialize)]
struct Removed {
    scope: Scope,
    files: Vec<FileChange>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        if self.dry_run { Preparation::Configuration } else { Preparation::Identity }
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let place = Place::new(session)?;
        let scopes = match self.scope {
            Some(scope) => vec![scope],
            None => candidates(place.setup(), self.client)?,
        };
        let mut removed = Vec::new();
        for scope in scopes {
            let undo = match plan_undo(place.setup(), self.client, scope) {
                Err(SetupError::NotInstalled { .. }) => continue,
                undo => undo?,
            };
            session.output.begin(|page| show(page, self.client, scope, &undo.changes));
            if !self.dry_run {
                take_out(place.setup(), &undo)?;
            }
            removed.push(Removed { scope, files: documents(&undo.changes) });
        }
        if removed.is_empty() {
            return Err(SetupError::NotInstalled { harness: self.client }.into());
        }
        session.output.show(&Answer { client: self.client, dry_run: self.dry_run, removed });
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        if self.dry_run {
            page.message("nothing was changed", "没有更改任何内容");
        } else {
            page.message("uninstalled", "已移除");
        }
    }
}
