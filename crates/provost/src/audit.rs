//! `provost audit`: verification of the audit log, and a new one in place of a broken one.

mod restart;

use provost_kernel::{Exit, Lang};
use provost_vault::{
    RealDisk,
    audit::{Head, Problem, PutAside, Report, verify},
};
use serde::Serialize;

use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  provost audit verify\n  provost audit restart")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Begin a new audit log in place of a broken one
    Restart(restart::Args),
    /// Verify the hash chain of the audit log
    Verify(VerifyArgs),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost audit verify --json\n\nExits with 6 if the chain is broken, missing, shorter than a stored head, or inconsistent with the\nclaims log. A head is also kept outside the project, in the state folder of the user."
)]
struct VerifyArgs {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    intact: bool,
    entries: u64,
    head: Option<Head>,
    restarted_behind: Option<Head>,
    stored_heads: u64,
    entries_after_last_head: u64,
    put_aside: &'a [PutAside],
    claims_without_entry: u64,
    problems: &'a [Problem],
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.command {
            Command::Restart(it) => it,
            Command::Verify(it) => it,
        }
    }
}

impl Run for VerifyArgs {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let layout = session.layout()?;
        let report = verify(&RealDisk, &layout)?;
        session.output.show(&Answer::of(&report));
        if report.is_intact() {
            return Ok(Exit::Success);
        }
        let (lang, path) = (session.output.lang, layout.audit().path());
        session.output.complain(&lang.pick(
            format!("hint: `provost audit restart` keeps `{path}` in quarantine and begins a new chain; until then no tool call and no order is accepted"),
            format!("提示：`provost audit restart` 会将 `{path}` 移入隔离区并开始新链；在此之前不接受任何工具调用和命令"),
        ));
        Ok(Exit::Integrity)
    }
}

impl<'a> Answer<'a> {
    fn of(report: &'a Report) -> Self {
        Self {
            intact: report.is_intact(),
            entries: report.entries,
            head: report.head,
            restarted_behind: report.restarted_behind,
            stored_heads: report.stored_heads,
            entries_after_last_head: report.entries_after_last_head,
            put_aside: &report.put_aside,
            claims_without_entry: report.claims_without_entry,
            problems: &report.problems,
        }
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        page.line(&summary(self, lang));
        if let Some(Head { seq, .. }) = self.restarted_behind {
            page.write(
                format!("  begun anew behind entry {seq}: the entries before it are in quarantine"),
                format!("  在第 {seq} 条之后重新开始：之前的条目在隔离区"),
            );
        }
        for PutAside { bytes, kept_as } in self.put_aside {
            page.write(
                format!("  unreadable tail of {bytes} bytes moved to `quarantine/{kept_as}`"),
                format!("  无法读取的末尾（{bytes} 字节）已移至 `quarantine/{kept_as}`"),
            );
        }
        if self.claims_without_entry > 0 {
            let n_lines = self.claims_without_entry;
            page.write(
                format!(
                    "  claims log: trailing lines without an audit entry, as after a crash: {n_lines}"
                ),
                format!("  声明日志：末尾 {n_lines} 行没有审计记录，进程被中止后会出现这种情况"),
            );
        }
        for problem in self.problems {
            page.line(&format!("  {}", lang.render(&problem.text())));
        }
    }
}

fn summary(answer: &Answer<'_>, lang: Lang) -> String {
    let Answer { entries, stored_heads, entries_after_last_head: after, .. } = answer;
    if answer.intact {
        lang.pick(
            format!("intact: entries {entries}, stored heads {stored_heads}, entries after the last head {after}"),
            format!("完整：条目 {entries}，已存链头 {stored_heads}，最后链头之后的条目 {after}"),
        )
    } else {
        let problems = answer.problems.len();
        lang.pick(
            format!("BROKEN: problems {problems}, entries {entries}, stored heads {stored_heads}"),
            format!("已损坏：问题 {problems}，条目 {entries}，已存链头 {stored_heads}"),
        )
    }
}
