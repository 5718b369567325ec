//! `provost gc`: deletes expired data, and nothing else.

use std::time::Duration;

use provost_kernel::{Clock as _, Exit, Lang, RetentionConfig};
use provost_vault::{
    Expired, RealDisk, Retention, SystemClock, Why,
    layer::{KeptLayers, sweep_layers},
    sweep,
};
use serde::Serialize;

use crate::{
    report,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost gc --dry-run")]
pub(crate) struct Args {
    /// Show what would be deleted without deleting it
    #[arg(long)]
    dry_run: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    dry_run: bool,
    removed: Vec<Removed>,
    bytes: u64,
    environments: Environments,
}

/// The installed dependencies that stay for later tasks.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Environments {
    count: usize,
    bytes: u64,
    limit_mb: u64,
}

/// An expired file, as a script reads it.
#[derive(Debug, Serialize)]
pub(crate) struct Removed {
    path: String,
    bytes: u64,
    why: Why,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        if self.dry_run { Preparation::Configuration } else { Preparation::Identity }
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let config = session.configuration()?.config.retention.clone();
        let retention = retention(&config);
        let (layout, now) = (session.layout()?, SystemClock.millis());
        let mut found = sweep(&RealDisk, &layout, now, &retention);
        let limit_mb = config.environments_mb;
        let (layers, kept) = sweep_layers(&layout, limit_mb.saturating_mul(1 << 20));
        found.expired.extend(layers.expired);
        found.unreadable.extend(layers.unreadable);
        match provost_engine::story::sweep(&layout, now, &retention) {
            Ok(of_stories) => {
                found.expired.extend(of_stories.expired);
                found.unreadable.extend(of_stories.unreadable);
            }
            // What a log that cannot be read stands on is not known: everything stays.
            Err(error) => found.unreadable.push(error),
        }
        let mut exit = Exit::Success;
        for error in &found.unreadable {
            report::complain(&mut session.output, error);
            exit = Exit::Unable;
        }
        let mut removed = Vec::new();
        for it in found.expired {
            // One file that cannot be removed keeps no other from being removed.
            match if self.dry_run { Ok(()) } else { it.remove(&RealDisk) } {
                Ok(()) => removed.push(it),
                Err(error) => {
                    report::complain(&mut session.output, &error);
                    exit = Exit::Unable;
                }
            }
        }
        let bytes = removed.iter().map(|it| it.len).sum();
        let removed = removed.iter().map(Removed::of).collect();
        let environments = Environments::of(kept, limit_mb);
        session.output.show(&Answer { dry_run: self.dry_run, removed, bytes, environments });
        Ok(exit)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        self.removed.iter().for_each(|it| it.line(page));
    }

    fn notes(&self, page: &mut Page<'_>) {
        let (count, bytes) = (self.removed.len(), self.bytes);
        let verb = if self.dry_run {
            page.lang.pick("would delete", "将删除")
        } else {
            page.lang.pick("deleted", "已删除")
        };
        page.message(
            format!("{verb} files: {count}, bytes: {bytes}"),
            format!("{verb}文件 {count} 个，共 {bytes} 字节"),
        );
        if self.environments.count > 0 {
            page.message(self.environments.said(Lang::En), self.environments.said(Lang::Zh));
        }
    }
}

impl Environments {
    pub(crate) fn of(KeptLayers { count, bytes }: KeptLayers, limit_mb: u64) -> Self {
        Self { count, bytes, limit_mb }
    }

    pub(crate) fn said(self, lang: Lang) -> String {
        let Self { count, bytes, limit_mb } = self;
        let mb = bytes.div_ceil(1 << 20);
        lang.pick(
            format!("kept environments: {count}, {mb} MB of at most {limit_mb} MB"),
            format!("保留环境 {count} 个，共 {mb} MB，上限 {limit_mb} MB"),
        )
    }
}

impl Removed {
    pub(crate) fn of(it: &Expired) -> Self {
        Self { path: it.at.path().into(), bytes: it.len, why: it.why }
    }

    pub(crate) fn line(&self, page: &mut Page<'_>) {
        page.line(&format!("{}  {}", label(self.why, page.lang), self.path));
    }
}

pub(crate) fn retention(config: &RetentionConfig) -> Retention {
    Retention {
        replays: Duration::from_hours(u64::from(config.replay_days.get()) * 24),
        temporaries: Duration::from_hours(config.temporary_hours.get().into()),
        quarantine_copies: config.quarantine_copies.get() as usize,
        evidence: Duration::from_hours(u64::from(config.evidence_days.get()) * 24),
    }
}

fn label(why: Why, lang: Lang) -> &'static str {
    match why {
        Why::Replay => lang.pick("replay    ", "回放  "),
        Why::Capture => lang.pick("capture   ", "输出  "),
        Why::Temporary => lang.pick("temporary ", "临时  "),
        Why::Quarantine => lang.pick("quarantine", "隔离  "),
        Why::Evidence => lang.pick("evidence  ", "证据  "),
        Why::Look => lang.pick("look      ", "检查  "),
        Why::Environment => lang.pick("installed ", "依赖  "),
    }
}
