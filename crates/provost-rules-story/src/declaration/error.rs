//! Why a list is not a declaration.

use provost_kernel::{Message, Text};
use provost_rules::json::StrictError;

use super::MAX_ENTRIES;

/// How much of an entry is shown.
const SHOWN: usize = 120;

/// A declaration that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct DeclarationError(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Json(StrictError),
    NotAList,
    TooMany,
    Entry { entry: String, why: Why },
}

/// Why an entry is no path in the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Empty,
    Outside,
    NoPath,
    /// It begins with a wildcard.
    Boundless,
    /// It is a folder that is there, or stands for many files.
    Wide,
}

impl DeclarationError {
    pub(super) fn json(error: StrictError) -> Self {
        Self(Kind::Json(error))
    }

    pub(super) fn not_a_list() -> Self {
        Self(Kind::NotAList)
    }

    pub(super) fn too_many() -> Self {
        Self(Kind::TooMany)
    }

    pub(super) fn entry(entry: &str, why: Why) -> Self {
        Self(Kind::Entry { entry: entry.chars().take(SHOWN).collect(), why })
    }
}

impl Message for DeclarationError {
    fn text(&self) -> Text {
        Text::each(|lang| match &self.0 {
            Kind::Json(error) => error.text().render(lang),
            Kind::NotAList => {
                lang.pick("a declaration is a list of paths", "声明应为路径列表").to_owned()
            }
            Kind::TooMany => lang.pick(
                format!("a declaration has at most {MAX_ENTRIES} entries"),
                format!("声明最多 {MAX_ENTRIES} 项"),
            ),
            Kind::Entry { entry, why } => {
                let (en, zh) = match why {
                    Why::Empty => ("it names no file", "未指明文件"),
                    Why::Outside => ("it leads out of the repository", "指向仓库之外"),
                    Why::NoPath => ("no file has such a name", "不可能是文件名"),
                    Why::Boundless => ("it begins with a wildcard", "以通配符开头"),
                    Why::Wide => (
                        "it is a folder that is there already, or stands for too many files",
                        "是已有的文件夹,或涵盖过多文件",
                    ),
                };
                lang.pick(
                    format!("cannot declare {entry:?}: {en}"),
                    format!("无法声明 {entry:?}:{zh}"),
                )
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match &self.0 {
                Kind::Json(error) => return error.hints_in(lang),
                Kind::NotAList => lang.pick(
                    r#"write `["src/a.ts", "src/new/"]`"#,
                    r#"请写成 `["src/a.ts", "src/new/"]`"#,
                ),
                Kind::TooMany => lang.pick(
                    "split the story, or name new folders instead of each file in them",
                    "请拆分故事,或以新文件夹代替其中的各个文件",
                ),
                Kind::Entry { .. } => lang.pick(
                    "name files from the root of the repository, such as `src/a.ts`",
                    "请从仓库根目录写起,例如 `src/a.ts`",
                ),
            };
            vec![hint.to_owned()]
        })
    }
}
