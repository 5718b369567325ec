//! Why a list is not a declaration.

use provost_form::Problem;
use provost_kernel::{Message, shorten};

use super::MAX_ENTRIES;

/// A declaration that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.declaration")]
pub enum DeclarationError {
    #[error(transparent)]
    #[message(transparent)]
    Json(Problem),
    #[message(
        en = "a declaration must be a list of paths",
        zh = "声明应为路径列表",
        hint(
            en = "write `[\"src/a.ts\", \"src/new/\"]`",
            zh = "请写成 `[\"src/a.ts\", \"src/new/\"]`",
        )
    )]
    NotAList,
    #[message(
        en = "a declaration has at most {limit} entries",
        zh = "声明最多 {limit} 项",
        arg(limit = MAX_ENTRIES),
        hint(
            en = "split the story, or name new folders instead of each file in them",
            zh = "请拆分故事，或以新文件夹代替其中的各个文件",
        )
    )]
    TooMany,
    #[message(
        en = "cannot declare {entry:?}: {why}",
        zh = "无法声明 {entry:?}：{why}",
        hint(
            en = "name files relative to the root of the repository, such as `src/a.ts`",
            zh = "请从仓库根目录写起，例如 `src/a.ts`",
        )
    )]
    Entry { entry: String, why: InvalidEntry },
}

/// Why an entry is not a path in the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "story.declaration_entry")]
pub enum InvalidEntry {
    #[message(en = "it names no file", zh = "未指明文件")]
    Empty,
    #[message(en = "it leads out of the repository", zh = "指向仓库之外")]
    Outside,
    #[message(en = "it is not a valid path", zh = "不可能是文件名")]
    NoPath,
    #[message(en = "it begins with a wildcard", zh = "以通配符开头")]
    Boundless,
    #[message(
        en = "it is an existing folder, or matches too many files",
        zh = "是已有的文件夹，或涵盖过多文件"
    )]
    Wide,
}

impl DeclarationError {
    pub(super) fn entry(entry: &str, why: InvalidEntry) -> Self {
        Self::Entry { entry: shorten(entry), why }
    }
}
