//! `provost guard install`: the guard, in a client's own configuration.

use provost_engine::guard::install::{Act, carry_out, plan};
use provost_kernel::{
    Exit, Text,
    guard::{Harness, Scope},
};
use provost_rules_guard::install::known_gaps::known_gaps;
use serde::Serialize;

use super::setup::{FileChange, Place, clients, documents, harness, hook, show};
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard install --client claude --dry-run\n  provost guard install --client codex\n\nShows what it writes. The scope `user` is the default: an attempt of `provost run` works\nin a private clone, where files that git does not track are not. All projects of this person are\nthen guarded: each call uses the policy of the person, tightened by the repository that its session\nis in, and is recorded in that repository's home, or in one of the person's own.\n`provost guard test` proves that it refuses; `provost guard uninstall` undoes it completely."
)]
pub(super) struct Args {
    #[arg(long, value_name = "CLIENT", value_parser = harness, help = clients())]
    client: Harness,
    /// All your projects, or one repository: user or project
    #[arg(long, value_name = "SCOPE", value_parser = scope, default_value = "user")]
    scope: Scope,
    /// Show the changes without making them
    #[arg(long)]
    dry_run: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    client: Harness,
    scope: Scope,
    dry_run: bool,
    changed: bool,
    files: Vec<FileChange>,
    leaves_open: Vec<Text>,
}

/// Reads the name of a scope.
pub(super) fn scope(text: &str) -> Result<Scope, String> {
    text.parse().map_err(|_| format!("one of {}", Scope::WORDS.join(", ")))
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        if self.dry_run { Preparation::Configuration } else { Preparation::Identity }
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let place = Place::new(session)?;
        let hook = hook(&place, self.scope)?;
        let plan = plan(place.setup(), self.client, self.scope, &hook)?;
        let changed = plan.changes.iter().any(|it| it.act != Act::Keep);
        session.output.begin(|page| show(page, self.client, self.scope, &plan.changes));
        if !self.dry_run {
            carry_out(place.setup(), &hook, &plan)?;
        }
        session.output.show(&Answer {
            client: self.client,
            scope: self.scope,
            dry_run: self.dry_run,
            changed,
            files: documents(&plan.changes),
            leaves_open: open_of(self.client, None),
        });
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let client = self.client;
        say_open(page, client, &self.leaves_open);
        match (self.dry_run, self.changed) {
            (true, _) => page.message("nothing was changed", "没有更改任何内容"),
            (false, false) => page.message("already installed", "先前已安装"),
            (false, true) => page.message(
                format!("installed; `provost guard test --client {client}` proves that it refuses"),
                format!("已安装；`provost guard test --client {client}` 可证明其有效"),
            ),
        }
    }
}

/// The known gaps of a client.
pub(crate) fn open_of(client: Harness, version: Option<&str>) -> Vec<Text> {
    known_gaps(client, version).iter().map(provost_kernel::Message::text).collect()
}

/// Lists the known gaps of a client.
pub(super) fn say_open(page: &mut Page<'_>, client: Harness, open: &[Text]) {
    let title = client.title();
    page.write(format!("what {title} leaves open:"), format!("{title} 未能保证的："));
    for it in open {
        page.line(&format!("  - {}", page.lang.render(it)));
    }
}
