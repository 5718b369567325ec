//! `provost check proposal`: checks what a model answered in a reflection.
//!
//! An answer that is malformed is judged and refused. Only what keeps provost from judging, such
//! as a list of tickets that cannot be read, is an error.

use provost_kernel::{
    Exit, Lang, Message as _,
    learn::{MissionName, RejectCode, RejectKind, TicketKey},
};
use provost_rules_learn::{
    guidance::Seed,
    proposal::{
        self, AcceptedItem, CheckedProposal, Pass, ProposalResult, read_guidance, read_learnable,
    },
};
use serde::Serialize;

use crate::{
    input::Source,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The learnable tickets are one JSON list of ticket keys: [\"QC-1::fail\", \"QC-2::pass\"]\nThe pass (decision or ops) is detected from the reply.\n\nExamples:\n  provost check proposal answer.txt --learnable learnable.json\n  provost check proposal - --learnable learnable.json --guidance guidance.json --json < answer.txt\n\nExits with 0 if every proposal is accepted, with 1 if one is rejected, and with 2 if the input is\ninvalid. Without --guidance, references to existing rules are not checked."
)]
pub(super) struct Args {
    /// The model's reply, byte for byte; `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The tickets the model may cite; `-` is standard input
    #[arg(long, value_name = "FILE")]
    learnable: String,
    /// The current rules, including the scaffold; `-` is standard input
    #[arg(long, value_name = "FILE")]
    guidance: Option<String>,
    /// The mission to use if the guidance file has several
    #[arg(long, value_name = "NAME", requires = "guidance")]
    mission: Option<MissionName>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let answer = Source::from(self.file.as_str());
        let tickets = Source::from(self.learnable.as_str());
        tickets.check_beside(&answer)?;
        let known = self.known(&answer, &tickets)?;
        let learnable =
            read_learnable(&tickets.read()?).map_err(|error| tickets.content_error(error))?;
        let checked = proposal::check(&answer.read()?, &learnable, known.as_ref());
        session.output.show(&document(&checked, session.output.lang));
        Ok(match checked.result {
            ProposalResult::Accept => Exit::Success,
            ProposalResult::Reject => Exit::Refused,
        })
    }
}

impl Args {
    /// The rules as they were, where `--guidance` names them.
    fn known(&self, answer: &Source, tickets: &Source) -> Result<Option<Seed>, AnyFault> {
        let Some(file) = &self.guidance else { return Ok(None) };
        let source = Source::from(file.as_str());
        source.check_beside(answer)?;
        source.check_beside(tickets)?;
        let bytes = source.read()?;
        let seed = read_guidance(&bytes, self.mission.as_ref())
            .map_err(|error| source.content_error(error))?;
        Ok(Some(seed))
    }
}

/// The outcome as JSON, with the reason of each rejection in words.
#[derive(Serialize)]
struct Answer<'a> {
    result: ProposalResult,
    pass: Pass,
    accepted: &'a [AcceptedItem],
    rejected: Vec<RejectedItem<'a>>,
    uncovered: &'a [TicketKey],
    stop: &'a [TicketKey],
    notes: &'a [String],
}

#[derive(Serialize)]
struct RejectedItem<'a> {
    kind: RejectKind,
    index: usize,
    code: RejectCode,
    detail: &'a str,
    message: String,
}

fn document(checked: &CheckedProposal, lang: Lang) -> Answer<'_> {
    let CheckedProposal { result, pass, accepted, rejected, uncovered, stop, notes } = checked;
    let rejected = rejected.iter().map(|it| RejectedItem {
        kind: it.kind,
        index: it.index,
        code: it.code,
        detail: &it.detail,
        message: lang.render(&it.code.text()),
    });
    Answer {
        result: *result,
        pass: *pass,
        accepted,
        rejected: rejected.collect(),
        uncovered,
        stop,
        notes,
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        let result = match self.result {
            ProposalResult::Accept => lang.pick("accepted", "接受"),
            ProposalResult::Reject => lang.pick("rejected", "拒绝"),
        };
        page.row("result", "结果", result);
        let pass = match self.pass {
            Pass::Decision => lang.pick("decision", "判定"),
            Pass::Ops => lang.pick("ops", "操作"),
        };
        page.row("pass", "阶段", pass);
        for it in self.accepted {
            let (kind, index, word) =
                (kind(it.kind, lang), it.index, lang.pick("accepted", "接受"));
            page.line(&format!("{kind} {index}  {word}"));
        }
        for it in &self.rejected {
            page.line(&refused(it, lang));
        }
        for key in self.stop {
            page.row("stop-gradient", "停止学习", key.to_string());
        }
        for key in self.uncovered {
            page.row("uncovered", "未覆盖", key.to_string());
        }
        for note in self.notes {
            page.message(format!("note: {note}"), format!("注意：{note}"));
        }
    }
}

fn refused(it: &RejectedItem<'_>, lang: Lang) -> String {
    let (kind, index, code) = (kind(it.kind, lang), it.index, it.code);
    let word = lang.pick("rejected", "拒绝");
    let line = format!("{kind} {index}  {word}  {code}  {}", it.message);
    if it.detail.is_empty() {
        return line;
    }
    lang.pick(format!("{line}: {}", it.detail), format!("{line}：{}", it.detail))
}

fn kind(kind: RejectKind, lang: Lang) -> &'static str {
    match kind {
        RejectKind::Decision => lang.pick("decision", "判定"),
        RejectKind::Operation => lang.pick("operation", "操作"),
        RejectKind::Hypothesis => lang.pick("hypothesis", "假设"),
    }
}
