//! What is wrong with a case, by which rule, and how much it weighs.

use provost_form::{Problem, ProblemClass, ProblemKind, Step};
use provost_kernel::{Finding, Message, Severity, shorten};

use super::{EXPECT, MAX_ID, Strictness, private::Private};

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
    let Problem { path, kind, .. } = problem;
    let rule = match path.0.first() {
        // A document that is not an object is as unreadable as one that is not JSON.
        None => "case.json",
        Some(Step::Key(key)) if key == EXPECT && kind.rule() == "case.type" => "case.expect",
        Some(_) => kind.rule(),
    };
    let severity = match strictness {
        Strictness::Lenient | Strictness::Normal if kind.is_warning() => Severity::P2,
        Strictness::Lenient | Strictness::Normal | Strictness::Strict => Severity::P0,
    };
    problem.finding(rule, severity, format!("{name}#{}", shorten(&path.pointer())))
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
            Self::Form(kind) => {
                matches!(kind.class(), ProblemClass::Length | ProblemClass::UnknownKey)
            }
            Self::Entities { .. } | Self::Private { .. } | Self::Id => true,
            Self::Html { .. } | Self::Duplicate { .. } => false,
        }
    }
}

fn form_rule(kind: &ProblemKind) -> &'static str {
    match kind.class() {
        ProblemClass::Syntax => "case.json",
        ProblemClass::Missing => "case.missing",
        ProblemClass::UnknownKey => "case.unknown_field",
        ProblemClass::Type | ProblemClass::Range => "case.type",
        ProblemClass::Choice => "case.enum",
        ProblemClass::Blank => "case.blank",
        ProblemClass::Length | ProblemClass::Count | ProblemClass::ControlCharacter => {
            "case.length"
        }
    }
}
