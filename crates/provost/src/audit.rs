//! `provost audit`: whether the record of what was done is what was written.

use provost_kernel::{Exit, Lang};
use provost_vault::{
    RealDisk,
    audit::{Head, Problem, PutAside, Report, verify},
};
use serde::Serialize;

use crate::{
    output::{Format, Output},
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost audit verify")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Verify the hash chain of the audit log
    Verify(VerifyArgs),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost audit verify --json\n\nExits with 6 if the chain is broken, shorter than a stored head, or inconsistent with the claims\nlog."
)]
struct VerifyArgs {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    intact: bool,
    entries: u64,
    head: Option<Head>,
    stored_heads: u64,
    entries_after_last_head: u64,
    put_aside: &'a [PutAside],
    claims_without_entry: u64,
    problems: &'a [Problem],
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.command {
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
        print(session, &report);
        if report.is_intact() {
            return Ok(Exit::Success);
        }
        let (lang, path) = (session.output.lang, layout.audit().path());
        session.output.complain(&lang.pick(
            format!("hint: copy `{path}` before anything else writes to it; what stands before the first problem can be trusted"),
            format!("提示:请先备份 `{path}`,再做其他操作;第一个问题之前的内容可信"),
        ));
        Ok(Exit::Integrity)
    }
}

fn print(session: &mut Session, report: &Report) {
    let (lang, output) = (session.output.lang, &mut session.output);
    match output.format() {
        Format::Json => output.document(&Answer {
            intact: report.is_intact(),
            entries: report.entries,
            head: report.head,
            stored_heads: report.stored_heads,
            entries_after_last_head: report.entries_after_last_head,
            put_aside: &report.put_aside,
            claims_without_entry: report.claims_without_entry,
            problems: &report.problems,
        }),
        Format::Text => {
            output.line(&summary(report, lang));
            for PutAside { bytes, kept_as } in &report.put_aside {
                output.line(&lang.pick(
                    format!("  an unreadable end of {bytes} bytes was put aside as `quarantine/{kept_as}`"),
                    format!("  无法读取的末尾({bytes} 字节)已存放为 `quarantine/{kept_as}`"),
                ));
            }
            tell_unentered(output, report.claims_without_entry);
            for problem in &report.problems {
                output.line(&format!("  {}", problem.text().render(lang)));
            }
        }
    }
}

/// Says that the claims log has lines at its end that the chain does not know.
fn tell_unentered(output: &mut Output, n_lines: u64) {
    if n_lines > 0 {
        output.line(&output.lang.pick(
            format!("  claims log: {n_lines} lines at its end were not entered; a process that was ended leaves such"),
            format!("  声明日志:末尾 {n_lines} 行没有审计记录;进程被中止会留下这样的行"),
        ));
    }
}

fn summary(report: &Report, lang: Lang) -> String {
    let Report { entries, stored_heads, entries_after_last_head: after, .. } = report;
    if report.is_intact() {
        lang.pick(
            format!("intact: entries {entries}, stored heads {stored_heads}, entries after the last head {after}"),
            format!("完整:条目 {entries},已存链头 {stored_heads},最后链头之后的条目 {after}"),
        )
    } else {
        let problems = report.problems.len();
        lang.pick(
            format!("BROKEN: problems {problems}, entries {entries}, stored heads {stored_heads}"),
            format!("已损坏:问题 {problems},条目 {entries},已存链头 {stored_heads}"),
        )
    }
}
