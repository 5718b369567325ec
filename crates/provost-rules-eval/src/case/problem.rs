//! What is wrong with a case, by which rule, and how much it weighs.

use provost_form::{Path, Problem, ProblemKind};
use provost_kernel::{Finding, Message, Severity, shorten};

use super::{MAX_ID, Strictness, private::Private};

/// One thing that is wrong with a case.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(code = "eval.case")]
pub(super) enum CaseProblem {
    #[message(transparent)]
    Form(ProblemKind),
    #[message(
        en = "the text has {found} HTML {found:entity|entities}",
        zh = "有 {found} 个 HTML 实体"
    )]
    Entities { found: usize },
    #[message(en = "the text has raw HTML (`<{tag}`)", zh = "含有原始 HTML（`<{tag}`）")]
    Html { tag: &'static str },
    #[message(en = "the text seems to hold {kind}", zh = "可能含有{kind}")]
    Private { kind: Private },
    #[message(
        en = "an id should be letters, digits, `_`, `.` and `-`, at most {limit} of them",
        zh = "id 应由字母、数字、`_`、`.`、`-` 组成，至多 {limit} 个字符",
        arg(limit = MAX_ID)
    )]
    Id,
    #[message(en = "the id `{id}` is that of `{first}`", zh = "id `{id}` 已被 `{first}` 使用")]
    Duplicate { id: String, first: String },
}

impl From<ProblemKind> for CaseProblem {
    fn from(kind: ProblemKind) -> Self {
        Self::Form(kind)
    }
}

/// The problem as a finding in a file.
pub(super) fn finding(
    problem: &Problem<CaseProblem>,
    name: &str,
    strictness: Strictness,
) -> Finding {
    let Problem { path, line, kind } = problem;
    // A document that is not an object is as unreadable as one that is not JSON.
    let rule = if path.is_root() { "case.json" } else { kind.rule() };
    let severity = match strictness {
        Strictness::Lenient | Strictness::Normal if kind.is_warning() => Severity::P2,
        Strictness::Lenient | Strictness::Normal | Strictness::Strict => Severity::P0,
    };
    // The subject has the path.
    let message = Problem { path: Path::default(), line: *line, kind: kind.clone() };
    Finding::new(rule, severity, format!("{name}#{}", shorten(&path.pointer())), &message)
}

impl CaseProblem {
    fn rule(&self) -> &'static str {
        match self {
            Self::Form(kind) => form_rule(kind),
            Self::Entities { .. } => "case.entities",
            Self::Html { .. } => "case.html",
            Self::Private { .. } => "case.private",
            Self::Id => "case.id",
            Self::Duplicate { .. } => "case.duplicate",
        }
    }

    fn is_warning(&self) -> bool {
        match self {
            Self::Form(kind) => matches!(
                kind,
                ProblemKind::Length { .. }
                    | ProblemKind::UnknownKey { .. }
                    | ProblemKind::MisspelledKey { .. }
            ),
            Self::Entities { .. } | Self::Private { .. } | Self::Id => true,
            Self::Html { .. } | Self::Duplicate { .. } => false,
        }
    }
}

fn form_rule(kind: &ProblemKind) -> &'static str {
    match kind {
        ProblemKind::TooLarge { .. }
        | ProblemKind::TooDeep { .. }
        | ProblemKind::NotUtf8 { .. }
        | ProblemKind::ByteOrderMark
        | ProblemKind::NotJson { .. }
        | ProblemKind::TrailingText { .. }
        | ProblemKind::DuplicateKey
        | ProblemKind::NotToml { .. } => "case.json",
        ProblemKind::Missing { .. } => "case.missing",
        ProblemKind::Undecodable { .. } => "case.expect",
        ProblemKind::UnknownKey { .. }
        | ProblemKind::MisspelledKey { .. }
        | ProblemKind::TwoNames { .. } => "case.unknown_field",
        ProblemKind::WrongType { .. } | ProblemKind::OutOfRange { .. } => "case.type",
        ProblemKind::NotOneOf { .. } => "case.enum",
        ProblemKind::Blank => "case.blank",
        ProblemKind::ControlCharacter | ProblemKind::Length { .. } | ProblemKind::Count { .. } => {
            "case.length"
        }
    }
}
