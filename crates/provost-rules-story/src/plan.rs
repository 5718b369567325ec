//! Reads a plan: Markdown in English and Chinese, `prd.json`, or a task list of spec-kit.
//!
//! Whatever the format, the answer is one [`Plan`]: stories in the order of their priority, each
//! with numbered criteria that are frozen by digest. What could make a gate weaker than its
//! author meant (no criteria, the same story twice, two commands for one criterion) is refused.

mod criterion;
mod draft;
mod drift;
mod fault;
mod front;
mod heading;
mod label;
mod object;
mod page;
mod prd;
mod remark;
mod tasks;
mod unclosed;

use provost_kernel::story::Plan;

use self::draft::Draft;
pub use self::{
    criterion::normalise,
    drift::{drift, drifted},
    fault::{Place, PlanFault, PlanProblem},
};

/// How much of a plan is read before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanLimits {
    pub bytes: usize,
    pub stories: usize,
    /// In one story.
    pub criteria: usize,
}

/// The limits of every plan.
pub const LIMITS: PlanLimits = PlanLimits { bytes: 1024 * 1024, stories: 200, criteria: 100 };

/// Reads the plan in a file with this name.
///
/// The name decides between JSON and Markdown; where it does not, the first character does.
pub fn read(name: &str, bytes: &[u8]) -> Result<Plan, PlanFault> {
    let fail = |(place, problem)| PlanFault { file: name.to_owned(), place, problem };
    let text = text_of(bytes).map_err(fail)?;
    let plan = draft(name, text).and_then(|draft| draft.finish(name));
    plan.map_err(|(place, problem)| fail((place.located(text), problem)))
}

/// What is wrong, and where: the answer of everything below [`read`].
type Refusal = (Place, PlanProblem);

fn text_of(bytes: &[u8]) -> Result<&str, Refusal> {
    if bytes.len() > LIMITS.bytes {
        return Err((Place::File, PlanProblem::TooLarge));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        (Place::Line(line), PlanProblem::NotUtf8)
    })
}

fn draft(name: &str, text: &str) -> Result<Draft, Refusal> {
    let has_ending = |ending: &str| {
        let at = name.len().saturating_sub(ending.len());
        name.get(at..).is_some_and(|it| it.eq_ignore_ascii_case(ending))
    };
    let is_markdown = has_ending(".md") || has_ending(".markdown");
    if has_ending(".json") || (!is_markdown && text.trim_start().starts_with('{')) {
        return object::read(text);
    }
    let (front, page) = front::split(text)?;
    if let Some(line) = unclosed::unclosed(page.text, page.first_line) {
        return Err((Place::Line(line), PlanProblem::Unclosed));
    }
    let blocks = page::read(page.text, page.first_line);
    let is_task_list = tasks::is_task_list(&blocks)
        && (file_name(name).eq_ignore_ascii_case("tasks.md") || !prd::has_stories(&blocks));
    let draft = if is_task_list { tasks::read(&blocks) } else { prd::read(&blocks) };
    draft.and_then(|draft| front.merge(draft))
}

/// The last part of a path, whichever way its slashes lean.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The last part of a path without its ending.
fn stem(path: &str) -> &str {
    let name = file_name(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests;
