//! The messages of the scope guard, each with its rule.

use provost_kernel::{Finding, Message, Severity};

use super::{EXCLUDED_LINES, code};
use crate::explanation::FOLDER_LINES;

/// One remark about a change.
#[derive(Clone, Copy, Debug, Message)]
#[message(code = "story.scope")]
pub(super) enum Remark {
    #[message(
        en = "{files} {files:file|files} and {lines} {lines:line|lines} exceed the limit of {hard_files} files or {hard_lines} lines",
        zh = "{files} 个文件、{lines} 行，超过 {hard_files} 个文件或 {hard_lines} 行的上限",
        hint(
            en = "split the change as proposed; an explanation does not help here",
            zh = "请按建议拆分为多次改动，此处解释无效",
        )
    )]
    Hard { files: u64, lines: u64, hard_files: u64, hard_lines: u64 },
    #[message(
        en = "{files} {files:file|files} and {lines} {lines:line|lines} need an explanation: the limit is {warn_files} files or {warn_lines} lines",
        zh = "{files} 个文件、{lines} 行，超过 {warn_files} 个文件或 {warn_lines} 行，需要解释",
        hint(
            en = "explain every file: its path, why it is in scope, and how many lines",
            zh = "请逐个文件说明：路径、为何在范围内、行数",
        )
    )]
    Unexplained { files: u64, lines: u64, warn_files: u64, warn_lines: u64 },
    #[message(
        en = "no valid explanation covers this file",
        zh = "此文件没有成立的解释",
        arg(largest = FOLDER_LINES),
        hint(
            en = "add an entry for it; up to {largest} lines, one for its folder is enough",
            zh = "请为其添加一条；不超过 {largest} 行时，可写其文件夹",
        )
    )]
    FileUnexplained,
    #[message(
        en = "files that do not count have {lines} lines; more than {limit} need an explanation",
        zh = "不计入的文件共 {lines} 行，超过 {limit} 行需要解释",
        arg(limit = EXCLUDED_LINES),
        hint(
            en = "explain the largest of them, or their folder",
            zh = "请解释其中最大的文件，或其文件夹",
        )
    )]
    ExcludedUnexplained { lines: u64 },
    #[message(
        en = "the files were declared after the work had begun",
        zh = "开工之后才声明文件",
        hint(en = "declare the files first", zh = "请先声明文件")
    )]
    Late,
    #[message(
        en = "this entry is too wide and covers nothing",
        zh = "此项过宽，不涵盖任何文件",
        hint(
            en = "name the files; a folder may be declared if it is new, a glob if it is narrow",
            zh = "请写明文件；只有新文件夹和范围有限的通配可以声明",
        )
    )]
    TooWide,
    #[message(
        en = "{differing} of {of} files differ from the declaration: the plan no longer fits",
        zh = "{of} 个文件中有 {differing} 个与声明不符：计划已不适用",
        hint(
            en = "stop and review the plan; explain every file outside the declaration",
            zh = "请停下重新评估计划，并解释声明之外的每个文件",
        )
    )]
    Deviates { differing: u64, of: u64 },
    #[message(
        en = "this file was changed but not declared",
        zh = "改动了未声明的文件",
        hint(en = "explain why it is in scope", zh = "请说明其为何在范围内")
    )]
    Undeclared,
    #[message(
        en = "this file is new and was not declared",
        zh = "新文件未声明",
        hint(en = "explain why it is in scope", zh = "请说明其为何在范围内")
    )]
    UndeclaredNewFile,
    #[message(
        en = "this folder is new and was not declared",
        zh = "新文件夹未声明",
        hint(en = "explain why it is in scope", zh = "请说明其为何在范围内")
    )]
    UndeclaredNewFolder,
    #[message(
        en = "this file decides what counts and was changed; the version of the base was used",
        zh = "此文件决定哪些改动计入，且已被改动：仍以基线版本为准",
        hint(en = "review this change yourself", zh = "请亲自查看此改动")
    )]
    RuleFile,
}

impl Remark {
    pub(super) fn finding(self, severity: Severity, subject: impl Into<String>) -> Finding {
        Finding::new(self.rule(), severity, subject, &self)
    }

    fn rule(self) -> &'static str {
        match self {
            Self::Hard { .. } => code::SCOPE_HARD,
            Self::Unexplained { .. } => code::SCOPE_WARN_UNEXPLAINED,
            Self::FileUnexplained | Self::ExcludedUnexplained { .. } => {
                code::EXPLANATION_INCOMPLETE
            }
            Self::Late => code::DECLARATION_LATE,
            Self::TooWide => code::DECLARATION_TOO_WIDE,
            Self::Deviates { .. } => code::REEVALUATION_REQUIRED,
            Self::Undeclared => code::UNDECLARED_FILE,
            Self::UndeclaredNewFile => code::UNDECLARED_NEW_FILE,
            Self::UndeclaredNewFolder => code::UNDECLARED_NEW_DIR,
            Self::RuleFile => code::PROTECTED_PATH,
        }
    }
}
