//! Why nothing can be calibrated.

use std::io;

use provost_kernel::Message;

/// Something that was named and cannot be used.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "calibrate")]
pub(super) enum CalibrateError {
    #[message(
        en = "cannot read the folder `{path}`",
        zh = "无法读取文件夹 `{path}`",
        hint(
            en = "name a folder that holds `<type>/cases/<case>.json`",
            zh = "请指定含有 `<type>/cases/<case>.json` 的文件夹"
        )
    )]
    Folder { path: String, source: io::Error },
    #[message(en = "a name in `{folder}` is not UTF-8", zh = "`{folder}` 中有名称不是 UTF-8")]
    Name { folder: String },
    #[message(en = "`{path}` is not UTF-8", zh = "`{path}` 不是 UTF-8")]
    NotText { path: String },
    /// The judge runs on another machine, where the folder of the call does not exist.
    #[message(
        en = "`{judge}` runs through SSH and cannot be calibrated from here",
        zh = "`{judge}` 通过 SSH 运行，无法在此校准",
        hint(
            en = "run `provost calibrate` over there",
            zh = "请在该机器上运行 `provost calibrate`"
        )
    )]
    Remote { judge: String },
}
