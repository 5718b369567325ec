//! What the configuration of a repository may not say of the guard: it can only tighten.

use provost_kernel::{Message, guard::policy::GuardLevel};
use provost_rules::config::{Effective, Origin, Setting};

const LEVEL: &str = "guard.level";
const PACKS: &str = "guard.packs.";

/// A repository that loosens the guard.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "config.guard",
    en = "`{key}` ({origin}) loosens the guard, and a repository can only tighten it",
    zh = "`{key}`（{origin}）放宽了守卫，而仓库的配置只能收紧守卫",
    hint(
        en = "set it in `~/.config/provost/provost.toml`",
        zh = "请在 `~/.config/provost/provost.toml` 中设置"
    )
)]
pub(super) struct LooseGuard {
    key: String,
    origin: Origin,
}

/// Whether a setting takes something away that the guard would do by itself.
pub(super) fn loosens(setting: &Setting) -> bool {
    let is_level = setting.key == LEVEL && setting.value == GuardLevel::Relaxed.as_str();
    is_level || (setting.key.starts_with(PACKS) && setting.value == false)
}

/// Refuses a level or a switch that loosens and was not written by the person. Whether a file is
/// their own is asked only where that decides.
pub(super) fn check_guard(
    effective: &Effective,
    is_own: impl Fn(&Origin) -> bool,
) -> Result<(), LooseGuard> {
    for setting in effective.settings().filter(|it| loosens(it)) {
        let is_given = !matches!(setting.origin, Origin::File { .. });
        if !is_given && !is_own(&setting.origin) {
            let (key, origin) = (setting.key.clone(), setting.origin.clone());
            return Err(LooseGuard { key, origin });
        }
    }
    Ok(())
}
