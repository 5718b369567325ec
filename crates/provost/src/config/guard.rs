//! What the configuration of a repository may not say of the guard: it can only tighten.

use provost_kernel::{Message, guard::policy::GuardLevel};
use provost_rules::config::{Effective, Origin};

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
        en = "set it in `~/.config/provost/provost.toml` or in `.provost/local.toml`",
        zh = "请在 `~/.config/provost/provost.toml` 或 `.provost/local.toml` 中设置"
    )
)]
pub(super) struct LooseGuard {
    key: String,
    origin: Origin,
}

/// Refuses a level or a switch that loosens and was not written by the person. Whether a file is
/// their own is asked only where that decides.
pub(super) fn check_guard(
    effective: &Effective,
    is_own: impl Fn(&Origin) -> bool,
) -> Result<(), LooseGuard> {
    let relaxed = GuardLevel::Relaxed.as_str();
    let settings = effective.settings();
    let loosens = settings.filter(|it| {
        let is_level = it.key == LEVEL && it.value == relaxed;
        is_level || (it.key.starts_with(PACKS) && it.value == false)
    });
    for setting in loosens {
        let is_given = !matches!(setting.origin, Origin::File { .. });
        if !is_given && !is_own(&setting.origin) {
            let (key, origin) = (setting.key.clone(), setting.origin.clone());
            return Err(LooseGuard { key, origin });
        }
    }
    Ok(())
}
