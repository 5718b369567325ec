//! Every check, and those that need nothing but the configuration.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Fault, IdentityConfig, Lang};
use provost_rules::identity::Enforced;
use provost_vault::layer::sweep_layers;

use super::{Check, State, agents, git, guard, home, sandbox};
use crate::{
    config::{Configuration, PROJECT_FILE},
    gc,
    home::git_root,
    identity,
    session::Session,
};

/// Makes every check, in the order in which a person would repair.
pub(super) fn all(session: &mut Session) -> Vec<Check> {
    // The configuration comes first: it chooses the language of the others.
    let configuration = session.configuration();
    let lang = session.output.lang;
    let mut checks = vec![platform(), git::version(&session.environment, lang)];
    checks.push(match &configuration {
        Ok(it) => match unread(session) {
            Some(path) => not_read(&path, lang),
            None => self::configuration(it, lang),
        },
        Err(fault) => unusable("configuration", fault.0.as_ref(), lang),
    });
    checks.push(match &configuration {
        Ok(it) => identity(&it.config.identity, lang),
        Err(_) => Check::new(
            "identity",
            State::Warn,
            lang.pick("not checked: the configuration is not valid", "未检查：配置无效").to_owned(),
        ),
    });
    checks.extend(home::all(session, lang));
    checks.push(sandbox::check(lang));
    checks.push(guard::check(session, lang));
    if let Ok(it) = &configuration {
        checks.extend(environments(session, it, lang));
        checks.extend(agents::all(session, &it.config, lang));
    }
    checks
}

fn platform() -> Check {
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let state = if matches!(system, "linux" | "macos") { State::Ok } else { State::Warn };
    Check::new("platform", state, format!("{system} {machine}"))
}

fn configuration(configuration: &Configuration, lang: Lang) -> Check {
    let present: Vec<_> = configuration
        .files
        .iter()
        .filter(|it| it.is_present)
        .map(|it| format!("`{}`", it.path))
        .collect();
    let what = if present.is_empty() {
        lang.pick("built-in values only, no file", "仅使用内置值，没有配置文件").to_owned()
    } else {
        present.join(", ")
    };
    Check::new("configuration", State::Ok, what)
}

/// What is kept of installed dependencies, if anything is.
fn environments(session: &Session, it: &Configuration, lang: Lang) -> Option<Check> {
    let limit_mb = it.config.retention.environments_mb;
    let (_, kept) = sweep_layers(&session.intended_layout().ok()?, u64::MAX);
    let what = gc::Environments::of(kept, limit_mb).said(lang);
    let check = Check::new("environments", State::Ok, what);
    let is_over = kept.bytes > limit_mb.saturating_mul(1 << 20);
    let hint =
        lang.pick("`provost gc` removes the oldest ones", "`provost gc` 会删除最久未用的环境");
    let check = if is_over { Check { state: State::Warn, ..check }.with_hint(hint) } else { check };
    (kept.count > 0).then_some(check)
}

/// A file of configuration that somebody put beside the home where there is no repository: only
/// the root of a repository has one.
fn unread(session: &Session) -> Option<Utf8PathBuf> {
    let folder = session.home().ok()?.path.parent()?.to_owned();
    let file = folder.join(PROJECT_FILE);
    (git_root(&folder).is_none() && file.symlink_metadata().is_ok()).then_some(file)
}

fn not_read(path: &Utf8Path, lang: Lang) -> Check {
    let what = lang.pick(
        format!("`{path}` is not read: it is not in a git repository"),
        format!("`{path}` 不会被读取：它不在 git 仓库中"),
    );
    Check::new("configuration", State::Warn, what).with_hint(lang.pick(
        "run `git init` there, or put what it says into `local.toml` in the home",
        "请在那里运行 `git init`，或将其内容写入主目录中的 `local.toml`",
    ))
}

fn identity(expected: &IdentityConfig, lang: Lang) -> Check {
    let held = |en: &str, zh: &str| Check::new("identity", State::Ok, lang.pick(en, zh).to_owned());
    match identity::guard(expected) {
        Ok(Enforced::UserAndHost) => {
            held("user and host are the configured ones", "用户和主机与配置一致")
        }
        Ok(Enforced::User) => held(
            "the user is the configured one; the host is not enforced",
            "用户与配置一致；未限定主机",
        ),
        Ok(Enforced::Host) => held(
            "the host is the configured one; the user is not enforced",
            "主机与配置一致；未限定用户",
        ),
        Ok(Enforced::Nothing) => Check::new(
            "identity",
            State::NotEnforced,
            lang.pick(
                "any user may run provost, on any machine",
                "任何用户均可在任何机器上运行 provost",
            )
            .to_owned(),
        )
        .with_hint(lang.pick(
            "set `identity.user` and `identity.host` in `provost.toml`",
            "请在 `provost.toml` 中设置 `identity.user` 和 `identity.host`",
        )),
        Err(error) => unusable("identity", &error, lang),
    }
}

/// A check that failed with an error, in the error's own words.
pub(super) fn unusable(name: &'static str, fault: &dyn Fault, lang: Lang) -> Check {
    let causes = std::iter::successors(fault.source(), |&it| it.source());
    let what = causes.fold(lang.render(&fault.text()), |text, it| format!("{text}: {it}"));
    let hint = fault.hints().first().map(|it| lang.render(it));
    Check { hint, ..Check::new(name, State::Fail, what) }
}
