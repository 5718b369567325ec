//! What `provost eval` was given and cannot use.

use camino::Utf8PathBuf;
use provost_kernel::{Message, Text};

/// Something that was named and is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub(super) enum OptionError {
    Waivers {
        path: Utf8PathBuf,
        source: Box<toml::de::Error>,
    },
    UnknownCheck {
        name: String,
        known: Vec<String>,
    },
    Unreadable {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    /// A folder where a file is to be written.
    Folder {
        path: Utf8PathBuf,
    },
    /// What was measured could not be read again to be printed.
    Print(#[source] std::io::Error),
}

impl Message for OptionError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Waivers { path, .. } => lang.pick(
                format!("`{path}` is not a file of waivers"),
                format!("`{path}` 不是豁免文件"),
            ),
            Self::UnknownCheck { name, .. } => {
                lang.pick(format!("there is no check `{name}`"), format!("没有检查 `{name}`"))
            }
            Self::Unreadable { path, .. } => {
                lang.pick(format!("cannot read `{path}`"), format!("无法读取 `{path}`"))
            }
            Self::Folder { path } => lang.pick(
                format!("`{path}` is a folder, and a report is a file"),
                format!("`{path}` 是文件夹,而报告是文件"),
            ),
            Self::Print(_) => lang.pick("cannot print the report", "无法输出报告").to_owned(),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::UnknownCheck { known, .. } => {
                let known = known.join(", ");
                vec![lang.pick(format!("known are {known}"), format!("已知的有 {known}"))]
            }
            Self::Waivers { .. } => vec![
                lang.pick(
                    "write `[[waiver]]` tables with `check`, `reason`, `until` and perhaps `case`",
                    "请写 `[[waiver]]` 表,含 `check`、`reason`、`until`,以及可选的 `case`",
                )
                .to_owned(),
            ],
            Self::Unreadable { .. } | Self::Folder { .. } | Self::Print(_) => Vec::new(),
        })
    }
}
