//! Why nothing can be calibrated.

use std::io;

use provost_kernel::{Message, Text};

/// Something that was named and cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub(super) enum CalibrateError {
    Folder {
        path: String,
        source: io::Error,
    },
    /// A name in a folder of calibration that is not UTF-8.
    Name {
        folder: String,
    },
    NotText {
        path: String,
    },
    /// The judge runs on another machine, where the folder of the call does not exist.
    Remote {
        judge: String,
    },
}

impl Message for CalibrateError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Folder { path, .. } => lang.pick(
                format!("cannot read the folder `{path}`"),
                format!("无法读取文件夹 `{path}`"),
            ),
            Self::Name { folder } => lang.pick(
                format!("a name in `{folder}` is not UTF-8"),
                format!("`{folder}` 中有名称不是 UTF-8"),
            ),
            Self::NotText { path } => {
                lang.pick(format!("`{path}` is not UTF-8"), format!("`{path}` 不是 UTF-8"))
            }
            Self::Remote { judge } => lang.pick(
                format!("`{judge}` runs through SSH and cannot be calibrated from here"),
                format!("`{judge}` 通过 SSH 运行,无法在此校准"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
                Self::Folder { .. } => lang.pick(
                    "name a folder that holds `<type>/cases/<case>.json`",
                    "请指定含有 `<type>/cases/<case>.json` 的文件夹",
                ),
                Self::Remote { .. } => lang.pick(
                    "run `provost calibrate` over there",
                    "请在该机器上运行 `provost calibrate`",
                ),
                Self::Name { .. } | Self::NotText { .. } => return Vec::new(),
            };
            vec![hint.to_owned()]
        })
    }
}
