//! The prompt of a program that does not know the protocol.

use super::AnswerBy;
use crate::{
    exchange::{Exchange, path_text},
    request::{AgentRole, Request},
};

/// The longest prompt that is passed as an argument. Linux refuses one of 128 KiB.
const LONGEST_ARGUMENT: usize = 100 << 10;

/// The whole prompt: the instructions, the evidence, and where the answer belongs.
pub(super) fn text(answer: AnswerBy, request: &Request, exchange: &Exchange) -> String {
    let evidence = match request.evidence.as_str() {
        "" => String::new(),
        some => format!("\n\n{some}"),
    };
    let file = path_text(&exchange.file(Exchange::ANSWER));
    let closing = match (answer, request.role) {
        (AnswerBy::Program | AnswerBy::Nobody, _) => String::new(),
        (AnswerBy::Request, AgentRole::Coder) => format!(
            "\n\nWhen you have finished, write a short summary of what you did, as plain text, to \
             the file `{file}`.\n"
        ),
        (AnswerBy::Request, AgentRole::Judge) => format!(
            "\n\nWrite your verdict, the JSON object and nothing else, to the file `{file}`. What \
             you say instead of writing it there is not read.\n"
        ),
    };
    format!("{}{evidence}{closing}", request.prompt)
}

/// The prompt as one argument: itself, or where it lies when it is too long for that.
pub(super) fn argument(answer: AnswerBy, request: &Request, exchange: &Exchange) -> String {
    let whole = text(answer, request, exchange);
    // A NUL ends an argument early; in a file it does no harm.
    if whole.len() <= LONGEST_ARGUMENT && !whole.contains('\0') {
        return whole;
    }
    let file = path_text(&exchange.file(Exchange::PROMPT));
    format!("Read the whole file `{file}`: it holds your instructions. Carry them out.")
}
