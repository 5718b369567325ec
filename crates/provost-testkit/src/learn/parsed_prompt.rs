//! What a model is told, read back from the words that it gets.

use provost_kernel::{
    learn::{Label, TicketKey},
    model::{ModelRequest, Speaker},
};

/// What a model was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// To judge one ticket.
    Judge,
    /// To say from which tickets nothing can be learned.
    Decide,
    /// To propose rules.
    Propose,
}

/// One question, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedPrompt {
    pub kind: Kind,
    pub temperature: f64,
    /// The lines of the scaffold, with their keys.
    pub scaffold: Vec<String>,
    /// The lines of the rules, with their keys.
    pub rules: Vec<String>,
    /// What is judged, or was judged.
    pub cases: Vec<Shown>,
}

/// One case as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Nothing for a case that is to be judged.
    pub key: Option<TicketKey>,
    /// What the votes came to.
    pub verdict: Option<Label>,
    pub text: String,
}

impl ParsedPrompt {
    /// Takes a question apart by its headings.
    pub fn read(question: &ModelRequest) -> Self {
        let said = |role| {
            let is_it = |it: &&provost_kernel::model::Message| it.role == role;
            question.messages.iter().find(is_it).map(|it| it.content.as_str()).unwrap_or_default()
        };
        let (system, user) = (said(Speaker::System), said(Speaker::User));
        let kind = if system.contains("\"no_evidence_group_ids\"") {
            Kind::Decide
        } else if system.contains("\"has_evidence\"") {
            Kind::Propose
        } else {
            Kind::Judge
        };
        let mut parts = user.splitn(4, "\n=== ").skip(1);
        let mut part = || parts.next().unwrap_or_default();
        let (scaffold, rules, cases) = (keyed(part()), keyed(part()), part());
        let cases = match kind {
            Kind::Judge => vec![Shown { key: None, verdict: None, text: cases.to_owned() }],
            Kind::Decide | Kind::Propose => cases.split("\n--- ").skip(1).map(shown).collect(),
        };
        Self { kind, temperature: question.decode.temperature, scaffold, rules, cases }
    }
}

fn keyed(part: &str) -> Vec<String> {
    part.lines().filter(|it| it.starts_with('[')).map(str::to_owned).collect()
}

fn shown(block: &str) -> Shown {
    let field = |name: &str| {
        let rest = block.lines().find_map(|it| it.strip_prefix(name))?;
        Some(rest.trim())
    };
    let key = field("ticket_key: ").and_then(|it| serde_json::from_str::<String>(it).ok());
    let verdict = field("verdict: ").and_then(|it| it.split(' ').next()?.parse().ok());
    Shown { key: key.and_then(|it| it.parse().ok()), verdict, text: block.to_owned() }
}
