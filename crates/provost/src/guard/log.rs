//! `provost guard log`: what the guard ruled, from the audit chain.

use std::{sync::Arc, time::Duration};

use camino::Utf8PathBuf;
use provost_desk::{
    Desk,
    guard::{Ruling, RulingFilter},
};
use provost_form::nearest::nearest;
use provost_kernel::Exit;
use provost_rules_guard::policy::BuiltIn;
use provost_vault::{Layout, SystemClock};
use serde::Serialize;

use crate::{
    environment,
    hook::ground::of_user,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard log -n 50\n  provost guard log --effect refused,asked --json\n  provost guard log -f\n\nReads the audit chain of the project's home, or of the user's where the project has none. With `-f`\neach new ruling is printed until the command is interrupted; with `--json`, one object per line."
)]
pub(super) struct Args {
    /// How many rulings, the newest last
    #[arg(short, long = "lines", value_name = "N", default_value_t = 20)]
    n: usize,
    /// Go on with new rulings
    #[arg(short, long)]
    follow: bool,
    /// Only these: passed, asked, refused, unblockable
    #[arg(long, value_name = "EFFECT", value_delimiter = ',', value_parser = ["passed", "asked", "refused", "unblockable"])]
    effect: Vec<String>,
    /// Only those that this rule decided
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// Read the user's home, which records what is done outside of any home
    #[arg(long)]
    user: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    home: String,
    rulings: Vec<Row>,
    /// Whether only some rulings were asked for.
    #[serde(skip)]
    is_filtered: bool,
    #[serde(skip)]
    rule: Option<String>,
}

/// One ruling, and who decided it.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    ruling: Ruling,
    by: Decider,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Decider {
    /// A rule that is built in.
    BuiltIn,
    /// A rule of the person or of the project.
    Configuration,
    /// The guard did not accept the payload.
    Guard,
    /// A person, although a rule speaks against it.
    Person,
}

/// How often a log that is followed is looked at.
const PAUSE: Duration = Duration::from_millis(250);

/// How many new rulings one look takes at most.
const PAGE: usize = 500;

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let layout = recorded_in(session, self.user)?;
        let home = layout.home().path();
        let desk = Desk::new(layout, Arc::new(SystemClock));
        let effect = (!self.effect.is_empty()).then(|| self.effect.join(","));
        let filter = RulingFilter { effect, rule: self.rule.clone() };
        let found = newest(&desk, &filter, self.n)?;
        if !self.follow {
            let rulings = found.into_iter().map(Row::of).collect();
            let is_filtered = filter.effect.is_some() || filter.rule.is_some();
            let (home, rule) = (home.into_string(), filter.rule);
            session.output.show(&Answer { home, rulings, is_filtered, rule });
            return Ok(Exit::Success);
        }
        let mut last = 0;
        for ruling in found {
            last = ruling.seq;
            Row::of(ruling).print(session);
        }
        loop {
            std::thread::sleep(PAUSE);
            for ruling in newest(&desk, &filter, PAGE)? {
                if ruling.seq > last {
                    last = ruling.seq;
                    Row::of(ruling).print(session);
                }
            }
        }
    }
}

/// The home that hooks which start here are recorded in.
pub(super) fn recorded_in(session: &Session, of_person: bool) -> Result<Layout, AnyFault> {
    if of_person {
        return session.user_layout();
    }
    match session.layout_if_any()? {
        Some(layout) if layout.home().path().is_dir() => Ok(layout),
        Some(_) | None => {
            let ground = of_user(&session.environment, &environment::current_folder()?)?;
            Ok(ground.home.unwrap_or(session.user_layout()?))
        }
    }
}

/// The newest rulings that fit, the oldest of them first.
fn newest(desk: &Desk, filter: &RulingFilter, n: usize) -> Result<Vec<Ruling>, AnyFault> {
    let (mut found, mut cursor) = (Vec::new(), None);
    while found.len() < n {
        let page = desk.rulings_page(filter, cursor.as_deref(), n - found.len())?;
        found.extend(page.rulings);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    found.truncate(n);
    found.reverse();
    Ok(found)
}

impl Row {
    fn of(ruling: Ruling) -> Self {
        let by = match &ruling.rule {
            _ if ruling.permitted_by.is_some() => Decider::Person,
            None => Decider::Guard,
            Some(rule) if BuiltIn::ALL.iter().any(|it| it.id() == rule) => Decider::BuiltIn,
            Some(_) => Decider::Configuration,
        };
        Self { ruling, by }
    }

    fn print(&self, session: &mut Session) {
        match session.output.format() {
            crate::output::Format::Json => session.output.record(self),
            crate::output::Format::Text => self.line(&mut session.output.page()),
        }
    }

    fn line(&self, page: &mut Page<'_>) {
        let Ruling { at, effect, rule, about, tool, session, error, permitted_by, .. } =
            &self.ruling;
        let effect = match effect.as_str() {
            "refused" => page.lang.pick("refused", "拒绝"),
            "asked" => page.lang.pick("asked", "询问"),
            "unblockable" => page.lang.pick("unblockable", "无法阻止"),
            _ => page.lang.pick("passed", "放行"),
        };
        let by = match self.by {
            Decider::BuiltIn => page.lang.pick("built-in", "内置"),
            Decider::Configuration => page.lang.pick("configured", "自定义"),
            Decider::Guard => page.lang.pick("guard", "守卫"),
            Decider::Person => page.lang.pick("permitted", "已获准"),
        };
        let code = permitted_by.as_ref().and_then(|it| it.code.as_ref());
        let by = code.map_or_else(|| by.to_owned(), |it| format!("{by}: {}", it.as_str()));
        let rule = rule.as_deref().or(error.as_deref()).unwrap_or_default();
        let tool = tool.as_deref().unwrap_or("-");
        let session: String = session.chars().take(8).collect();
        let about = about.as_deref().map(|it| format!("  `{it}`")).unwrap_or_default();
        page.line(&format!("{at}  {effect}  {tool}  {rule} ({by})  {session}{about}"));
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        self.rulings.iter().for_each(|it| it.line(page));
    }

    fn notes(&self, page: &mut Page<'_>) {
        if !self.rulings.is_empty() {
            return;
        }
        let home = Utf8PathBuf::from(&self.home);
        if !self.is_filtered {
            return page.message(
                format!("no rulings are recorded in `{home}`"),
                format!("`{home}` 中没有裁定记录"),
            );
        }
        page.message(
            format!("no ruling in `{home}` fits; `provost guard log` shows all"),
            format!("`{home}` 中没有符合条件的裁定；`provost guard log` 显示全部"),
        );
        let known = || BuiltIn::ALL.iter().map(|it| it.id());
        let rule = self.rule.as_deref().filter(|it| known().all(|known| known != *it));
        if let Some(near) = rule.and_then(|it| nearest(it, known())) {
            page.message(
                format!("the built-in rule nearest to that name is `{near}`"),
                format!("名称最接近的内置规则是 `{near}`"),
            );
        }
    }
}
