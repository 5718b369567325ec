//! How an error is told: what, why and what to do, to people and to scripts.

use provost_kernel::{Exit, Fault, Finding, Lang};
use serde::Serialize;

use crate::{
    output::{Format, Output},
    paint::Tone,
};

/// An error as a script reads it.
#[derive(Serialize)]
struct Document<'a> {
    error: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    message: String,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    findings: &'a [Finding],
    causes: Vec<String>,
    hints: Vec<String>,
    exit: u8,
}

/// Prints an error and says what the process exits with.
///
/// People read it on standard error. With `--json`, standard output carries it too, because a
/// script that asked for one document gets one.
pub(crate) fn print(output: &mut Output, fault: &dyn Fault) -> Exit {
    complain(output, fault);
    let exit = fault.exit();
    match output.format() {
        Format::Text => {}
        Format::Json => {
            let lang = output.lang;
            let message = lang.render(&fault.text());
            let hints = lang.render_all(&fault.hints());
            let (findings, causes) = (fault.findings(), causes(fault, lang));
            let error = Body { message, findings, causes, hints, exit: exit.code() };
            output.document(&Document { error });
        }
    }
    exit
}

/// Prints an error for people only: one of several, or a part of a larger answer.
pub(crate) fn complain(output: &mut Output, fault: &dyn Fault) {
    let lang = output.lang;
    let colon = lang.pick(": ", "：");
    let mut line = |tone: Tone, label: &str, text: &str| {
        output.complain_labelled(tone.of(format!("{label}{colon}")), text);
    };
    let error = lang.pick("error", "错误");
    for Finding { subject, message, .. } in fault.findings() {
        line(Tone::Bad, error, &format!("{subject}{colon}{}", lang.render(message)));
    }
    line(Tone::Bad, error, &lang.render(&fault.text()));
    for cause in causes(fault, lang) {
        line(Tone::Dim, lang.pick("cause", "原因"), &cause);
    }
    for hint in fault.hints() {
        line(Tone::Run, lang.pick("hint", "提示"), &lang.render(&hint));
    }
}

/// Prints an error as a document, where there is no [`Fault`] to ask.
pub(crate) fn document(
    output: &mut Output,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
    exit: Exit,
) {
    let error = Body { message, findings: &[], causes, hints, exit: exit.code() };
    output.document(&Document { error });
}

/// The causes in the reader's language, where they are messages of ours.
fn causes(fault: &dyn Fault, lang: Lang) -> Vec<String> {
    let causes = fault.causes();
    if causes.is_empty() {
        let sources = std::iter::successors(fault.source(), |&it| it.source());
        return sources.map(ToString::to_string).collect();
    }
    lang.render_all(&causes)
}
