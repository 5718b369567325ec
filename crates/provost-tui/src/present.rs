//! What the desk says, as lines.

use provost_desk::{
    board::{BoardRow, Page},
    task::{Offer as DeskOffer, Phase, Seen, View},
};
use provost_kernel::{
    Lang, Message as _, Text,
    task::{Seal, SealFact, SealStanding},
};

use crate::{
    clean::clean,
    model::{Detail, DetailLine, Field, Item, Offer, Voice},
    strip::Standings,
    words::{self, Word},
};

/// How many files of a change are named beside the list.
const FILES: usize = 8;

/// A row of the board.
pub(crate) fn item(row: &BoardRow, lang: Lang) -> Item {
    Item {
        id: clean(row.task_id.as_str()),
        goal: clean(&row.goal),
        group: row.group,
        strip: standings(&row.seals),
        why: clean(&lang.render(&row.why)),
        tries: format!("{}/{}", row.tries.current, row.tries.limit),
        updated_at: row.updated_at,
        running: row.running,
        state_version: row.state_version,
        is_queued: row.phase == Phase::Queued,
    }
}

/// What could not be read, and which tasks cannot be trusted.
pub(crate) fn trouble(page: &Page, lang: Lang) -> Vec<String> {
    let altered = page.altered.keys().map(|it| Word::Altered { task: it.to_string() });
    let count = page.unreadable.len();
    let unreadable = (count > 0).then_some(Word::Unreadable { count });
    altered.chain(unreadable).map(|it| clean(&lang.render(&it.text()))).collect()
}

/// Six standings; a fact that is missing is not verified.
fn standings(seals: &[Seal]) -> Standings {
    let mut standings = [SealStanding::NotVerified; 6];
    for (place, fact) in standings.iter_mut().zip(SealFact::ALL) {
        if let Some(seal) = seals.iter().find(|it| it.fact == *fact) {
            *place = seal.standing;
        }
    }
    standings
}

/// Everything about one task.
pub(crate) fn detail(
    view: &View,
    row: &BoardRow,
    offers: &[DeskOffer],
    commit: Option<&str>,
    lang: Lang,
) -> Detail {
    let status = view.status();
    Detail {
        id: clean(row.task_id.as_str()),
        headline: headline(view, row, commit, lang),
        lines: lines(view, row, lang),
        offers: offers.iter().map(|it| offer(it, lang)).collect(),
        seen: Seen { attempt: status.current_attempt, state_version: status.state_version },
        commit: commit.map(|it| clean(it).chars().take(7).collect()),
        state_version: status.state_version,
    }
}

/// Row, verdict, cost, commit.
fn headline(view: &View, row: &BoardRow, commit: Option<&str>, lang: Lang) -> Vec<String> {
    let status = view.status();
    let say = |word: Word| clean(&lang.render(&word.text()));
    let mut parts = vec![lang.render(&row.phase.text())];
    if let Some(decided) = status.last_transition.as_ref().and_then(|it| it.row) {
        parts.push(say(Word::Row { row: decided.to_string() }));
    }
    if let Some(verdict) = &status.verdict_summary {
        let score = verdict.final_score_0_100.map(|it| format!(" {it}")).unwrap_or_default();
        parts.push(format!("{}{score}", verdict.decision));
    }
    let spent = row.spent.usd.as_ref().map(|it| format!("${it}"));
    let limit = view.spec.as_ref().and_then(|it| it.value.budget.usd);
    match (spent, limit) {
        (Some(spent), Some(limit)) => {
            parts.push(say(Word::Cost { spent, limit: limit.to_string() }));
        }
        (Some(spent), None) => parts.push(spent),
        (None, _) if row.spent.unknown_attempts > 0 => parts.push(say(Word::CostUnknown)),
        (None, _) => {}
    }
    if let Some(commit) = commit {
        parts.push(say(Word::Commit { commit: commit.chars().take(7).collect() }));
    }
    parts
}

fn lines(view: &View, row: &BoardRow, lang: Lang) -> Vec<DetailLine> {
    let status = view.status();
    let mut lines = vec![said(&row.why, lang)];
    if row.questions > 0 && view.response.answers.is_empty() {
        lines.extend(status.questions().iter().map(|it| said(it, lang)));
    } else if let Some(detail) = &row.detail {
        lines.push(said(detail, lang));
    }
    lines.extend(view.response.answers.iter().map(|it| claim(it, lang)));
    lines.extend(view.agent_said.iter().map(|it| claim(it, lang)));
    for seal in &row.seals {
        lines.push(fact(seal, lang));
        if seal.fact == SealFact::Tests {
            lines.extend(evidence(view, lang));
        }
    }
    lines.extend(view.reasons().iter().map(|it| said(it, lang)));
    if let Some(change) = &view.change {
        let (files, added, removed) = (change.files.len(), change.added, change.removed);
        let size = Word::Size { files, added, removed };
        lines.push(line(Voice::Heading, &lang.render(&size.text())));
        lines.extend(
            change.files.iter().take(FILES).map(|it| {
                line(Voice::Plain, &format!("{}  +{} -{}", it.path, it.added, it.removed))
            }),
        );
    }
    lines
}

/// The command of the test, how it ended, and how it ends on the base.
fn evidence(view: &View, lang: Lang) -> Option<DetailLine> {
    let command = view.spec.as_ref()?.value.test_cmd.as_ref()?;
    let metrics = view.current().and_then(|it| it.metrics.as_ref());
    let say = |word: Word| lang.render(&word.text());
    let mut parts = vec![format!("$ {command}")];
    parts.extend(metrics.and_then(|it| it.test_rc).map(|code| say(Word::Exit { code })));
    parts.extend(view.base.as_ref().map(|it| say(Word::OnBase { code: it.rc })));
    Some(line(Voice::Evidence, &parts.join("   ")))
}

fn fact(seal: &Seal, lang: Lang) -> DetailLine {
    let name = crate::width::fit(words::fact(seal.fact, lang), 8, "");
    let standing = words::standing(seal.standing, lang);
    let detail = seal.detail.as_ref().map(|it| lang.render(it)).unwrap_or_default();
    let colon = if detail.is_empty() { "" } else { lang.pick(": ", "：") };
    line(Voice::Fact(seal.standing), &format!("{name} {standing}{colon}{detail}"))
}

/// A text of provost is a ruling; one of somebody else is quoted.
fn said(text: &Text, lang: Lang) -> DetailLine {
    let rendered = lang.render(text);
    if text.code().is_some() { line(Voice::Ruling, &rendered) } else { claim(&rendered, lang) }
}

fn claim(text: &str, lang: Lang) -> DetailLine {
    let text = clean(text);
    line(Voice::Claim, &lang.pick(format!("“{text}”"), format!("「{text}」")))
}

fn line(voice: Voice, text: &str) -> DetailLine {
    DetailLine { voice, text: clean(text) }
}

fn offer(offer: &DeskOffer, lang: Lang) -> Offer {
    let field = |it: &provost_desk::task::OfferField| Field {
        name: it.name.to_owned(),
        label: clean(&lang.render(&it.label)),
        is_required: it.required,
        kind: it.kind,
        max_chars: it.max_chars,
        choices: it.choices.iter().flatten().map(|it| clean(it)).collect(),
        value: it.value.as_ref().map(plain).unwrap_or_default(),
    };
    Offer {
        action: offer.action,
        label: clean(&lang.render(&offer.label)),
        command: clean(&offer.command),
        fields: offer.fields.iter().map(field).collect(),
        payload: offer.payload.clone(),
    }
}

/// What a field starts with.
fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), clean)
}
